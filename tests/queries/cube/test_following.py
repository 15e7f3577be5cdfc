"""The cube of several versions: each version sees in it what the cube of its own data says, and nothing else."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import tacita as tc
from tacita.errors import LimitError
from tacita.queries.cube.build import build_cube
from tacita.queries.cube.cube import Cube
from tacita.queries.cube.following import RecordChanges, followed_by
from tacita.queries.cube.version import SourceFacts, VersionOrigin, write_version
from tacita.queries.policy.policy_file import parse_query_policy
from tacita.queries.question import AskedStatistic, DataQuestion, Except, Selection, Statistic

SECRET = b"s" * 32
POLICY = """
name = "s"
key = ["id", "part"]
{unit}
[[filter]]
attribute = "A"
[[filter]]
attribute = "C"
values = ["x", "y", "z"]
[[measure]]
attribute = "v"
lower = 0
upper = 9
[[measure]]
attribute = "w"
lower = -5
upper = 5
[limits]
cells = {cells}
"""
Record = tuple[str, str, str, str, str, int, int]
COLUMNS = "id,part,person,A,C,v,w"


def cube_of(rows: Sequence[Record], *, unit: bool = True, cells: int = 1_000) -> Cube:
    Path("s.csv").write_text(COLUMNS + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    policy = parse_query_policy(POLICY.format(unit='unit = "person"' if unit else "", cells=cells))
    return build_cube(tc.read("s.csv").microdata, policy, secret=SECRET)


def drawn(draw: random.Random, name: str) -> Record:
    where = draw.choice("ab"), draw.choice(["x", "y", ""])
    return (name, "k", f"p{draw.randrange(9)}", *where, draw.randint(0, 9), draw.randint(-5, 5))


def later(draw: random.Random, rows: Sequence[Record]) -> list[Record]:
    result = []
    for row in rows:
        other = drawn(draw, row[0])
        kind = draw.randrange(8)
        if kind == 0:
            continue
        first = row[:3] if kind != 1 else other[:3]
        codes = row[3:5] if kind != 2 else (draw.choice("abc"), other[4])
        result.append((*first, *codes, other[5] if kind in {3, 4} else row[5], other[6] if kind == 4 else row[6]))
    return [*result, *(drawn(draw, f"n{draw.randrange(10**6)}") for _ in range(draw.randrange(4)))]


@pytest.mark.parametrize("seed", range(8))
def test_each_version_sees_its_own_data(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    unit = bool(seed % 2)
    versions = [[drawn(draw, f"r{at}") for at in range(25)]]
    own = [cube_of(versions[0], unit=unit)]
    cube = own[0]
    for number in range(2, 5):
        versions.append(later(draw, versions[-1]))
        own.append(cube_of(versions[-1], unit=unit))
        cube, changes = followed_by(cube, own[-1])
        assert changes == _changes(*versions[-2:], unit=unit)
        # What the folder has is the same cube.
        origin = VersionOrigin(SECRET, "", tuple("x" * at for at in range(1, number)))
        cube = write_version(tmp_path / f"v{number}", cube, SourceFacts("s", "", ""), origin).cube
    assert cube.units is None or len(cube.units) == cube.all_records
    for number, (rows, alone) in enumerate(zip(versions, own, strict=True), 1):
        seen = cube.seen_from(number)
        assert seen.records == len(rows)
        for question in _questions(seen):
            mine = dict(seen.grouped(question))
            for labels, chosen in _groups(question, rows, seen):
                cells = mine[labels]
                assert not (cells & ~seen.present).any()
                assert int(seen.n[cells].sum()) == len(chosen)
                assert seen.contributors(cells) == len({row[2] if unit else row[0] for row in chosen})
                for at, measure in ((5, "v"), (6, "w")):
                    same = seen.same_values(measure, cells)
                    total = sum(int(row[at]) for row in chosen)
                    assert int(seen.sums[measure][cells].sum()) == int(seen.sums[measure][same].sum()) == total
                    assert seen.contributors(same) == seen.contributors(cells)
        assert alone.records == seen.records


def _questions(cube: Cube) -> list[DataQuestion]:
    count = (AskedStatistic(Statistic.COUNT),)
    some = Selection("C", frozenset({0, 1}))
    return [DataQuestion(count, some, ("A",)), DataQuestion(count, Except(some), ("A",)), DataQuestion(count)]


def _groups(question: DataQuestion, rows: Sequence[Record], cube: Cube) -> list[tuple[tuple[int, ...], list[Record]]]:
    def selects(row: Record) -> bool:
        match question.predicate:
            case Selection():
                return row[4] in {"x", "y"}
            case Except():
                return row[4] not in {"x", "y"}
        return True

    chosen = [row for row in rows if selects(row)]
    if not question.groups:
        return [((), chosen)]
    labels = cube.attribute("A").labels
    return [((code,), [row for row in chosen if row[3] == label]) for code, label in enumerate(labels)]


def _changes(before: Sequence[Record], after: Sequence[Record], *, unit: bool) -> RecordChanges:
    old, new = ({(row[0], row[2] if unit else ""): row[5:] for row in rows} for rows in (before, after))
    both = old.keys() & new.keys()
    kept = sum(old[key] == new[key] for key in both)
    return RecordChanges(kept, len(both) - kept, len(new.keys() - old.keys()), len(old.keys() - new.keys()))


def test_sets_are_the_same_where_records_and_values_are() -> None:
    """Two records change, one in v and one in w: sets differ for the measure that changed, and for nothing else."""
    rows: list[Record] = [(f"r{at}", "k", f"p{at}", "a", "x", 1, 1) for at in range(4)]
    rows_after = [(*rows[0][:5], 2, 1), (*rows[1][:5], 1, 2), *rows[2:]]
    cube, changes = followed_by(cube_of(rows), cube_of(rows_after))
    assert changes == RecordChanges(2, 2, 0, 0)
    everybody = [cube.seen_from(number).present for number in (1, 2)]
    assert (everybody[0] != everybody[1]).sum() == 4
    for measure, different in (("", 0), ("v", 2), ("w", 2)):
        old, new = (cube.same_values(measure, cells) for cells in everybody)
        assert int(cube.n[old ^ new].sum()) == different
    assert cube.contributors(np.ones(len(cube), np.bool_)) == 4


def test_the_cells_of_all_versions_are_limited() -> None:
    rows = [(f"r{at}", "k", f"p{at}", "ab"[at % 2], "xyz"[at % 3], 1, 1) for at in range(12)]
    moved = [(*row[:3], "b", "xyz"[at // 4], *row[5:]) for at, row in enumerate(rows)]
    assert len(cube_of(rows, cells=6)) == 6
    with pytest.raises(LimitError, match="over all versions"):
        followed_by(cube_of(rows, cells=6), cube_of(moved, cells=6))


def test_hashes_of_keys_are_hashes_and_rows_in_their_order() -> None:
    cube = cube_of([(f"r{at}", "k", f"p{at}", "a", "x", 1, 1) for at in range(9)])
    assert cube.history is not None and cube.history.persons is not None
    assert cube.history.keys.shape == cube.history.persons.shape == (9, 32)
    keys = [key.tobytes() for key in cube.history.keys]
    assert keys == sorted(keys) and len(set(keys)) == 9
    assert all(one < other for one, other in itertools.pairwise(cube.history.order.tolist()))
    folder = write_version(Path("v"), cube, SourceFacts("s", "", ""), VersionOrigin(SECRET)).folder
    assert not any(b"r3" in path.read_bytes() for path in folder.iterdir() if path.suffix == ".parquet")
