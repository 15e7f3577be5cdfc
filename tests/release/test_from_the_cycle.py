"""From the cycle to the file: what is released satisfies the claim, and every changed cell has its decision."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import tacita as tc
from tacita.cycle.anonymize import anonymize
from tacita.cycle.plan import Plan
from tacita.errors import OutputError
from tacita.release.kinds.microdata.explain import open_microdata
from tacita.release.options import ReleaseOptions
from tacita.release.writing import write_release
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.settings import Settings

pytestmark = pytest.mark.slow

Row = tuple[str, str, str]
rows = st.lists(
    st.tuples(st.sampled_from(["north", "south"]), st.sampled_from(["1", "2", "3"]), st.sampled_from("xy")),
    min_size=1,
    max_size=10,
)


def looks_like(one: Row, other: Row) -> bool:
    return all(not a or not b or a == b for a, b in zip(one, other, strict=True))


@given(rows, st.integers(2, 4))
@examples(max_examples=6, deadline=None)
def test_released_means_safe(tmp_path_factory: pytest.TempPathFactory, found: list[Row], k: int) -> None:
    folder = tmp_path_factory.mktemp("release")
    lines = [f"ident{i:04d}x,{','.join(row)}" for i, row in enumerate(found)]
    (folder / "s.csv").write_text("id,a,b,c\n" + "\n".join(lines) + "\n")
    data = tc.read(folder / "s.csv").with_roles(quasi=["a", "b", "c"], identifier=["id"])
    outcome = anonymize(data.microdata, Plan(KAnonymity(k)))
    state = Settings(state=folder / "state")
    if not outcome.is_safe:
        assert k > len(found)
        with pytest.raises(OutputError):
            write_release(outcome, folder / "release", settings=state)
        assert not (folder / "release").exists()
        return
    done = write_release(outcome, folder / "release", ReleaseOptions(seed=len(found)), settings=state)
    with done.data.open() as file:
        released: list[Row] = [tuple(row) for row in list(csv.reader(file))[1:]]  # type: ignore[misc]
    assert all(sum(looks_like(one, other) for other in released) >= k for one in released)
    again = open_microdata(done.folder)
    changed = {
        (again.source_row(place), name)
        for place, row in enumerate(released, 1)
        for name, old, new in zip("abc", found[again.source_row(place) - 1], row, strict=True)
        if old != new
    }
    assert changed == {(decision.tuple_id, decision.attribute) for decision in again.decisions}
    everything = b"".join(path.read_bytes() for path in Path(done.folder).iterdir())
    assert b"ident0" not in everything
