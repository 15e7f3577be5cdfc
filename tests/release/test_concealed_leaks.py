"""An intruder with the folder of a concealed release alone: every byte of it is searched, and compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.release.searching import leaks

import tacita as tc
from tacita.api.concealing import conceal_to
from tacita.api.dataset import Dataset

pytestmark = pytest.mark.slow

SEED = 987654321987654321
N = 500
RARE = ("rarearea0001x", "rarearea0002x")


def survey() -> dict[str, list[Any]]:
    """A survey in which some values occur in hidden cells only."""
    random = np.random.default_rng(5)
    area = random.choice(["north", "south"], N).tolist()
    area[7], area[8] = RARE
    pay = random.integers(1, 9, N).astype(float).tolist()
    pay[9] = 7700123456.25
    return {
        "person": [f"ident{i:05d}" for i in range(N)],
        "area": area,
        "pay": pay,
        "sex": random.integers(1, 3, N).tolist(),
        "noise": random.integers(0, 50, N).tolist(),
    }


def hiders() -> dict[str, list[str]]:
    return {f"ident{i:05d}": ["area", "pay"] for i in range(7, 40)}


def written(folder: Path, ending: str) -> Dataset:
    """The survey as a file of a format, with labels and an order that were collected from the data."""
    data = tc.read(pa.table(survey()))
    labels = {"sex": {"1": "man", "2": "woman", "3": "label of nobody"}}
    if ending == ".sav":
        labels["area"] = {"north": "up", "south": "down", RARE[0]: "raretext"}
    order = {"area": tuple(sorted({*survey()["area"]}))} if ending == ".csv" else {}
    dictionary = data.dictionary.mapped(
        lambda a: a.with_(labels=labels.get(a.name, {}), order=order.get(a.name, a.order))
    )
    tc.Dataset(data.microdata.with_dictionary(dictionary)).convert(folder / f"s{ending}")
    return tc.read(folder / f"s{ending}")


def policies(folder: Path) -> str:
    lines = [f"{name},{';'.join(names)}" for name, names in hiders().items()]
    (folder / "p.csv").write_text("\n".join(["person,confidential", *lines]) + "\n")
    return str(folder / "p.csv")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    tc.make_key(tmp_path / "key.bin")
    return tmp_path / "key.bin"


FORMS = {
    "tokens beside": {},
    "tokens in cells": {"in_cells": True},
    "listed": {"hide_as": "null"},
    "empty": {"hide_as": "empty"},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".arrow", ".dta", ".sav", ".xlsx", ".jsonl"])
def test_no_byte_tells_what_is_hidden(ending: str, form: str, tmp_path: Path, key: Path) -> None:
    data = written(tmp_path, ending)
    options = tc.ConcealedOptions(**({"key": key} if "hide_as" not in FORMS[form] else {}) | FORMS[form])
    plan = tc.ConcealPlan(policies=(policies(tmp_path),), seed=SEED)
    release = conceal_to(tmp_path / "release", data, plan, options).release
    assert release is not None
    hidden = [*RARE, "rarearea", "raretext", "7700123456", "ident0", str(SEED), "p.csv", str(tmp_path)]
    assert leaks(release.folder, hidden) == []
    assert leaks(release.internal, ["ident00007"]), "the search finds what is there"
    if ending in {".sav", ".dta"}:
        assert leaks(release.folder, ["label of nobody"]), "an attribute without hidden cells keeps its labels"


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".dta", ".sav", ".xlsx"])
def test_other_hidden_values_give_the_same_folder(ending: str, tmp_path: Path) -> None:
    """People who hide an attribute exchange their values: not a byte of the release changes."""
    folders = []
    for turn in range(2):
        columns = survey()
        rows = np.arange(7, 40)
        for name in ("area", "pay") if turn else ():
            values = [columns[name][row] for row in rows]
            for row, value in zip(np.roll(rows, 5), values, strict=True):
                columns[name][row] = value
        folder = tmp_path / str(turn)
        folder.mkdir()
        tc.read(pa.table(columns)).convert(folder / f"s{ending}")
        plan = tc.ConcealPlan(policies=(policies(folder),), seed=SEED)
        data = tc.read(folder / f"s{ending}")
        conceal_to(folder / "release", data, plan, tc.ConcealedOptions(hide_as="null"))
        folders.append(contents(folder / "release"))
    assert folders[0] == folders[1]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_tokens_have_one_length_and_none_comes_again(tmp_path: Path, key: Path) -> None:
    data = written(tmp_path, ".csv")
    plan = tc.ConcealPlan(policies=(policies(tmp_path),), seed=SEED)
    conceal_to(tmp_path / "release", data, plan, tc.ConcealedOptions(key=key))
    table = pq.read_table(tmp_path / "release" / "tokens.parquet")
    assert table.column_names == ["record", "attribute", "token"]
    tokens = table.column("token").to_pylist()
    assert len({*tokens}) == len(tokens), "equal values have unrelated tokens"
    for name in ("area", "pay"):
        lengths = {len(t) for t, a in zip(tokens, table.column("attribute").to_pylist(), strict=True) if a == name}
        assert len(lengths) == 1
    assert table.column("record").to_pylist() == sorted(table.column("record").to_pylist())


def test_the_longest_hidden_value_does_not_make_tokens_longer(tmp_path: Path, key: Path) -> None:
    """The length of tokens is that of the longest value of the attribute, whoever has it."""
    lengths = set()
    for turn in range(2):
        columns = survey()
        columns["area"][3] = "a visible value that is longer than any other"
        columns["area"][7] = "x" if turn else "a hidden value that is long"
        plan = tc.ConcealPlan(policies=(policies(tmp_path),), seed=SEED)
        conceal_to(tmp_path / f"release{turn}", tc.read(pa.table(columns)), plan, tc.ConcealedOptions(key=key))
        table = pq.read_table(tmp_path / f"release{turn}" / "tokens.parquet")
        lengths.add(tuple(sorted({len(token) for token in table.column("token").to_pylist()})))
    assert len(lengths) == 1


def test_the_manifest_that_is_handed_out(tmp_path: Path, key: Path) -> None:
    """Names of attributes and of files, a random number, and nothing about persons, policies, reasons or counts."""
    data = written(tmp_path, ".csv")
    plan = tc.ConcealPlan(policies=(policies(tmp_path),), seed=SEED)
    conceal_to(tmp_path / "release", data, plan, tc.ConcealedOptions(key=key))
    manifest = json.loads((tmp_path / "release" / "manifest.json").read_text())
    assert set(manifest) == {
        "kind",
        "format",
        "data",
        "versions",
        "hidden_as",
        "tokens",
        "record_id",
        "data_set",
        "concealed",
        "types",
        "reading",
        "files",
    }
    assert manifest["concealed"] == {"area": "area", "pay": "pay"}
    assert set(manifest["files"]) == {"data.csv", "data.dictionary.toml", "report.html", "tokens.parquet"}
    assert len(manifest["data_set"]) == 32
    page = (tmp_path / "release" / "report.html").read_text()
    assert "ident0" not in page
    assert "decoy" not in page
