"""Files put together by the values that both show: against plain Python on random files, and cases to follow."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.long import examples

from tacita.attacks.versions.links import LinkedRecords, linked_records
from tacita.attacks.versions.released_version import ReleasedAttributeOf, ReleasedVersion
from tacita.engines.context import Context

Records = dict[str, dict[str, str | None]]
"""Released values by person and attribute."""
_CONTEXT = Context()


def version(
    records: Records,
    known: tuple[str, ...],
    *,
    others: tuple[str, ...] = (),
    stands_for: dict[str, dict[str, frozenset[str]]] | None = None,
) -> ReleasedVersion:
    names = list(next(iter(records.values())))
    columns: dict[str, Any] = {"row": pa.array(range(1, len(records) + 1), pa.int64())}
    columns["person"] = pa.array(list(records), pa.string())
    columns |= {name: pa.array([one[name] for one in records.values()], pa.string()) for name in names}
    table = pa.table(columns)
    relation = _CONTEXT.engine.adopt(table.to_batches(), table.schema)
    meaning = stands_for or {}
    attributes = {name: ReleasedAttributeOf(name, meaning.get(name, {})) for name in names if name not in others}
    return ReleasedVersion(relation, "row", "person", attributes, known, (), {name: name for name in others})


def split(rows: list[tuple[str, str, str | None]], **options: Any) -> tuple[ReleasedVersion, ReleasedVersion]:
    """Return two files: one with the first and the last attribute, one with the second and the last."""
    first = {f"p{at}": {"a": one, "s": value} for at, (one, _, value) in enumerate(rows)}
    second = {f"p{at}": {"b": other, "s": value} for at, (_, other, value) in enumerate(rows)}
    return version(first, ("a",), **options), version(second, ("b",), **options)


CROSSED = [(a, b, f"{a}{b}{at}") for a in "xy" for b in "uv" for at in range(2)]
"""Each code of both attributes four times, each pair twice, and a value that each record has for itself."""


def test_a_value_that_each_record_has_for_itself_links_two_files() -> None:
    linked = linked_records(*split(CROSSED), 3)
    assert linked == LinkedRecords(8, ("s",), ("a", "b"), 1, 1)
    assert linked_records(*split(CROSSED), 2).records == 0


def test_a_pseudonym_links_as_well() -> None:
    assert linked_records(*split(CROSSED, others=("s",)), 3).records == 8


def test_values_that_many_have_link_nobody() -> None:
    assert linked_records(*split([(a, b, "same") for a, b, _ in CROSSED]), 3).records == 0


def test_two_files_without_a_common_attribute_are_not_linked() -> None:
    first, second = split(CROSSED)
    persons = {f"p{at}": {"b": other} for at, (_, other, _) in enumerate(CROSSED)}
    assert linked_records(first, version(persons, ("b",)), 3).records == 0
    assert second.known == ("b",)


def test_a_suppressed_value_does_not_keep_others_from_linking() -> None:
    first = {f"p{at}": {"a": a, "s": s, "t": None if at else "q"} for at, (a, _, s) in enumerate(CROSSED)}
    second = {f"p{at}": {"b": b, "s": s, "t": "q"} for at, (_, b, s) in enumerate(CROSSED)}
    assert linked_records(version(first, ("a",)), version(second, ("b",)), 3).records == 8


def test_a_fine_value_is_read_as_the_coarse_one() -> None:
    meaning = {f"{a}{b}*": frozenset((f"{a}{b}0", f"{a}{b}1")) for a in "xy" for b in "uv"}
    first = {f"p{at}": {"a": a, "s": f"{s[:2]}*"} for at, (a, _, s) in enumerate(CROSSED)}
    second = {f"p{at}": {"b": b, "s": s} for at, (_, b, s) in enumerate(CROSSED)}
    linked = linked_records(version(first, ("a",), stands_for={"s": meaning}), version(second, ("b",)), 3)
    assert linked.records == 8


codes = st.sampled_from("01")
rows = st.lists(st.tuples(codes, codes, codes, st.sampled_from("pqrst")), min_size=1, max_size=14)


@pytest.mark.slow
@given(rows, rows, st.integers(2, 4))
@settings(max_examples=examples(30))
def test_as_plain_python(first: list[tuple[str, ...]], second: list[tuple[str, ...]], least: int) -> None:
    before = {f"p{at}": dict(zip("axcs", row, strict=True)) for at, row in enumerate(first)}
    now = {f"p{at}": dict(zip("bxds", row, strict=True)) for at, row in enumerate(second)}
    own = {"e": ("a", "x"), "l": ("b", "x")}
    linked = linked_records(version(before, ("a", "x")), version(now, ("b", "x")), least)

    def known(side: str, person: str) -> tuple[str | None, ...]:
        return tuple({"e": before, "l": now}[side][person][name] for name in own[side])

    alike = {side: Counter(known(side, one) for one in some) for side, some in (("e", before), ("l", now))}
    both = [one for one in before if one in now]
    together = Counter((known("e", one), known("l", one)) for one in both)
    expected = 0
    for one in both:
        value = (before[one]["x"], before[one]["s"])
        if value != (now[one]["x"], now[one]["s"]):
            continue
        classes = [
            {known(side, other) for other, row in some.items() if (row["x"], row["s"]) == value}
            for side, some in (("e", before), ("l", now))
        ]
        size = together[known("e", one), known("l", one)]
        is_alone = size < min(least, alike["e"][known("e", one)], alike["l"][known("l", one)])
        expected += is_alone and min(map(len, classes)) == 1
    assert linked.records == expected
