"""Versions of a file compared: against plain Python on random versions, and cases that a reader can follow."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.attacks.versions.changes import ChangeKind, version_changes
from tacita.attacks.versions.counts import count_differences
from tacita.attacks.versions.released_version import ReleasedAttributeOf, ReleasedVersion
from tacita.attacks.versions.sensitive_sets import shrunken_sets
from tacita.engines.context import Context

Records = dict[str, tuple[str | None, ...]]
"""Released values by person."""
NAMES = ("a", "b", "s")
_CONTEXT = Context()


def version(records: Records, stands_for: dict[str, dict[str, frozenset[str]]] | None = None) -> ReleasedVersion:
    persons = list(records)
    columns: dict[str, Any] = {"row": pa.array(range(1, len(persons) + 1), pa.int64())}
    columns["person"] = pa.array(persons, pa.string())
    for at, name in enumerate(NAMES):
        columns[name] = pa.array([records[person][at] for person in persons], pa.string())
    table = pa.table(columns)
    relation = _CONTEXT.engine.adopt(table.to_batches() or [], table.schema)
    meaning = stands_for or {}
    attributes = {name: ReleasedAttributeOf(name, meaning.get(name, {})) for name in NAMES}
    return ReleasedVersion(relation, "row", "person", attributes, ("a", "b"), ("s",))


def test_records_that_were_added_removed_or_changed_alone_are_isolated() -> None:
    before = {f"p{at}": ("x", "y", "1") for at in range(8)} | {"old": ("x", "z", "1")}
    now = {f"p{at}": ("x", "y", "1") for at in range(1, 8)} | {"new": ("w", "y", "2"), "p0": ("x", "q", "1")}
    changes = version_changes(version(before), version(now), 3)
    assert (changes.added, changes.removed, changes.changed) == (1, 1, 1)
    assert [(one.kind, one.persons, one.earlier_row, one.later_row) for one in changes.isolated] == [
        (ChangeKind.ADDED, 1, None, 8),
        (ChangeKind.REMOVED, 1, 9, None),
        (ChangeKind.CHANGED, 1, 1, 9),
    ]
    assert changes.isolated[2].attributes == ("b",)


def test_as_many_with_the_same_change_are_not_isolated() -> None:
    before = {f"p{at}": ("x", "y", "1") for at in range(8)}
    now = before | {f"q{at}": ("x", "y", "1") for at in range(3)}
    assert version_changes(version(before), version(now), 3).isolated == ()
    assert version_changes(version(before), version(now), 4).persons == 3


def test_suppressed_in_one_version_and_shown_in_the_other() -> None:
    before = {f"p{at}": ("x", "y", "1") for at in range(4)} | {"q": ("x", None, "1"), "r": ("x", "z", "1")}
    now = {f"p{at}": ("x", "y", "1") for at in range(4)} | {"q": ("x", "y", "1"), "r": ("x", None, "1")}
    kinds = [one.kind for one in version_changes(version(before), version(now), 3).isolated]
    assert kinds == [ChangeKind.SUPPRESSED_BEFORE, ChangeKind.SUPPRESSED_NOW]


def test_recoding_a_whole_attribute_changes_nobody_but_crossed_levels_do() -> None:
    coarse = {"a": {"x+w": frozenset(("x", "w"))}}
    before = {"p": ("x", "y", "1"), "q": ("w", "y", "1")}
    now = {"p": ("x+w", "y", "1"), "q": ("x+w", "y", "1")}
    assert version_changes(version(before), version(now, coarse), 3).changed == 0
    assert version_changes(version(now, coarse), version(before), 3).changed == 0
    both = {"b": {"y+z": frozenset(("y", "z"))}}
    crossed = {"p": ("x", "y+z", "1"), "q": ("w", "y+z", "1")}
    isolated = version_changes(version(now, coarse), version(crossed, both), 3).isolated
    assert {one.kind for one in isolated} == {ChangeKind.COMBINED}


def test_frequencies_that_differ_by_one_are_seen_without_a_key() -> None:
    before = {f"p{at}": ("x", "y", "1") for at in range(8)} | {"old": ("x", "z", "1")}
    now = {f"q{at}": ("x", "y", "1") for at in range(9)} | {"new": ("x", "z", "1")}
    differences = count_differences(version(before), version(now), 3)
    assert (differences.combinations, differences.few) == (1, 1)


def test_possible_values_that_shrink_to_one_are_disclosed() -> None:
    before = {"p": ("x", "y", "flu"), "q": ("x", "y", "gastritis")}
    now = {"p": ("x", "y", "flu"), "r": ("x", "y", "bronchitis")}
    (sets,) = shrunken_sets(version(before), version(now))
    assert (sets.varying, sets.disclosed, sets.earlier_row, sets.later_row) == (1, 1, 1, 1)
    (sets,) = shrunken_sets(version(before), version(before))
    assert (sets.varying, sets.disclosed) == (0, 0)


CELLS = st.sampled_from([None, "x", "y", "z"])
VERSIONS = st.dictionaries(
    st.sampled_from([f"p{at}" for at in range(9)]),
    st.tuples(CELLS, CELLS, st.sampled_from(["1", "2", "3"])),
    min_size=1,
)


@pytest.mark.slow
@settings(max_examples=25)
@given(VERSIONS, VERSIONS, st.integers(2, 4))
def test_the_plans_are_what_plain_python_says(before: Records, now: Records, least: int) -> None:
    earlier, later = version(before), version(now)
    changes = version_changes(earlier, later, least)
    expected = Counter(_change(before.get(person), now.get(person)) for person in {**before, **now})
    del expected[None]
    kinds: Counter[str] = Counter()
    for change, many in expected.items():
        kinds[change[0]] += many
    assert changes.added == kinds["added"]
    assert changes.removed == kinds["removed"]
    assert changes.changed == sum(kinds.values()) - kinds["added"] - kinds["removed"]
    assert sorted((one.kind.value, one.persons) for one in changes.isolated) == sorted(
        (change[0], many) for change, many in expected.items() if many < least
    )
    number = Counter(values[:2] for values in now.values())
    number.subtract(Counter(values[:2] for values in before.values()))
    differences = count_differences(earlier, later, least)
    assert differences.combinations == sum(many != 0 for many in number.values())
    assert differences.few == sum(0 < abs(many) < least for many in number.values())
    (sets,) = shrunken_sets(earlier, later)
    varying, disclosed = 0, 0
    for person in before.keys() & now.keys():
        possible = [{one[2] for one in some.values() if one[:2] == some[person][:2]} for some in (before, now)]
        left = possible[0] & possible[1]
        if left:  # a person whose value changed may be in no set of both
            varying += possible[0] != possible[1]
            disclosed += len(left) == 1 and len(possible[0]) > 1 and len(possible[1]) > 1
    assert (sets.varying, sets.disclosed) == (varying, disclosed)
    for one in (earlier, later):
        one.relation.engine.drop(one.relation)


def _change(before: tuple[Any, ...] | None, now: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    """Return what happened to a person, with everything that makes its class."""
    if before is None or now is None:
        values = now if before is None else before
        assert values is not None
        return ("added" if before is None else "removed", values[:2])
    codes = tuple(_difference(*pair) for pair in zip(before, now, strict=True))
    for kind, code in (("changed", "other"), (ChangeKind.SUPPRESSED_BEFORE.value, "shown")):
        if code in codes:
            return (kind, codes, before[:2], now[:2])
    return (ChangeKind.SUPPRESSED_NOW.value, codes, before[:2], now[:2]) if "suppressed" in codes else None


def _difference(before: str | None, now: str | None) -> str:
    if before == now:
        return "same"
    return "shown" if before is None else "suppressed" if now is None else "other"
