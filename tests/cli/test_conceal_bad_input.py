"""Bad input of conceal and reveal through the real command line: an exit code, a reason, and no value of the data."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.concealment.people import dataset, people, some, table

import tacita as tc
from tacita.api.concealing import conceal_to

CONCEAL = ("conceal", "d.csv", "--policies", "p.csv")
RELEASE = (*CONCEAL, "--out", "new")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the cases read."""
    folder = tmp_path_factory.mktemp("files")
    columns = people()
    dataset(columns).convert(folder / "d.csv")
    dataset({**columns, "same": ["x"] * len(columns["sex"])}).convert(folder / "same.csv")
    dataset({**columns, "blank": [None] * len(columns["sex"])}).convert(folder / "blank.csv")
    dataset({name: column[:1] for name, column in columns.items()}).convert(folder / "one.csv")
    dataset({name: [*column, column[0]] for name, column in columns.items()}).convert(folder / "twice.csv")
    table(folder / "p.csv", some("city"))
    table(folder / "person.csv", {"P001": "sex", "Zed": "sex"})
    table(folder / "attribute.csv", {"P001": "sexx"})
    table(folder / "all.csv", dict.fromkeys(columns["person"], "*"))
    table(folder / "none.csv", dict.fromkeys(columns["person"], ""))
    table(folder / "same_p.csv", some("same"))
    table(folder / "blank_p.csv", some("blank"))
    table(folder / "one_p.csv", {"P000": "sex"})
    for name in ("key.bin", "other.bin", "open.bin"):
        tc.make_key(folder / name)
    (folder / "open.bin").chmod(0o644)
    (folder / "short.bin").write_bytes((folder / "key.bin").read_bytes()[:10])
    (folder / "short.bin").chmod(0o600)
    plan = tc.ConcealPlan(policies=(str(folder / "p.csv"),), seed=1)
    for name in ("rel", "rel2"):
        options = tc.ConcealedOptions(key=folder / "key.bin")
        conceal_to(folder / name, tc.read(folder / "d.csv"), plan, options)
    shutil.copy(folder / "rel.internal" / "keys.parquet", folder / "rel2.internal" / "keys.parquet")
    return folder


CASES: dict[str, tuple[tuple[str, ...], int, str]] = {
    "unknown person": (("conceal", "d.csv", "--policies", "person.csv"), 3, "persons who are not in the data"),
    "unknown attribute": (("conceal", "d.csv", "--policies", "attribute.csv"), 3, "that no attribute has"),
    "everything": (("conceal", "d.csv", "--policies", "all.csv"), 2, "nothing would be left"),
    "nothing": (("conceal", "d.csv", "--policies", "none.csv"), 2, "no policy keeps anything confidential"),
    "one person": (("conceal", "one.csv", "--policies", "one_p.csv"), 2, "only 1 person hides|all records have"),
    "empty column": (("conceal", "blank.csv", "--policies", "blank_p.csv"), 2, "all records have the same value"),
    "all equal": (("conceal", "same.csv", "--policies", "same_p.csv"), 2, "all records have the same value"),
    "all equal, of all": (("conceal", "same.csv", "--confidential", "same"), 2, "all records have the same value"),
    "two of one name": (("conceal", "twice.csv", "--policies", "p.csv"), 3, "in several records"),
    "wide": ((*CONCEAL, "--within", "sex=1"), 2, "next to nothing"),
    "no key": (RELEASE, 2, "tokens need a master key"),
    "short key": ((*RELEASE, "--key", "short.bin"), 3, "has 10 bytes, and 64 are needed"),
    "open key": ((*RELEASE, "--key", "open.bin"), 3, "open to other users"),
    "absent key": ((*RELEASE, "--key", "nope.bin"), 3, "there is no master key"),
    "option of a release": ((*CONCEAL, "--fresh"), 2, "no release"),
    "wrong key": (("reveal", "rel", "--key", "other.bin", "--out", "b.csv"), 3, "not the key of this store"),
    "other store": (("reveal", "rel2", "--key", "key.bin", "--out", "b.csv"), 3, "another data set"),
    "no release": (("reveal", "d.csv", "--key", "key.bin", "--out", "b.csv"), 3, ""),
    "nobody to erase": (("keys", "erase", "rel", "--key", "key.bin"), 2, "nobody is named"),
    "key exists": (("keys", "make", "key.bin"), 4, "exists"),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input(case: str, files: Path, tacita: Any) -> None:
    arguments, code, reason = CASES[case]
    done = tacita(*arguments, cwd=files)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert re.search(reason, " ".join(done.stderr.split()))
    assert "what to do" in done.stderr
    assert not re.search("P00|Zed|asthma|Traceback", done.stderr)
    assert not {"new", "new.internal", "b.csv"} & {path.name for path in files.iterdir()}
