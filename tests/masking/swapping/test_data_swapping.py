"""Data swapping: the margins that are named stay exactly, others do not."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.masking.noise.samples import mixed

from tacita.errors import InputError, UsageError
from tacita.masking.contract import breaches
from tacita.masking.swapping.data_swapping import DataSwapping
from tacita.model.records import Categories, Numbers, Records


def margin(records: Records, names: tuple[str, ...]) -> Counter[tuple[object, ...]]:
    rows = zip(*(records.categories(name).codes.tolist() for name in names), strict=True)
    return Counter(rows)


def test_contract() -> None:
    method = DataSwapping(("job", "school", "age"), margins=(("job", "region"), ("school", "region")))
    assert breaches(method, mixed()) == []
    assert breaches(DataSwapping(("job", "school"), together=True), mixed()) == []


ROW = st.tuples(*[st.sampled_from(["a", "b", "c", None])] * 4)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(ROW, min_size=2, max_size=40),
    margins=st.lists(st.sets(st.sampled_from("wxyz"), min_size=1, max_size=3), max_size=3),
    swapped=st.sets(st.sampled_from("wxyz"), min_size=1, max_size=3),
    together=st.booleans(),
    seed=st.integers(0, 50),
)
def test_named_margins_are_kept(
    rows: list[tuple[str | None, ...]], margins: list[set[str]], swapped: set[str], together: bool, seed: int
) -> None:
    records = Records({name: Categories.of([row[i] for row in rows]) for i, name in enumerate("wxyz")})
    tables = tuple(tuple(sorted(each)) for each in margins)
    method = DataSwapping(tuple(sorted(swapped)), share=1, margins=tables, together=together)
    try:
        found = method.treated(records, np.random.default_rng(seed)).records
    except InputError as error:
        assert "single record" in str(error)
        return
    fixed = tuple(sorted(set("wxyz") - swapped))
    inner = (tuple(sorted(swapped)),) if together else ()
    for names in (*tables, *((name,) for name in "wxyz"), *((fixed,) if fixed else ()), *inner):
        assert margin(found, names) == margin(records, names)
    for name in "wxyz":
        assert np.array_equal(found[name].missing, records[name].missing)


def test_a_share_of_the_records_takes_part_and_other_tables_change() -> None:
    draw = np.random.default_rng(1)
    codes = draw.integers(0, 50, 20_000)
    records = Records({"x": Categories.of(codes.tolist()), "y": Categories.of((codes // 10).tolist())})
    found = DataSwapping(("x",), share=0.3).treated(records, np.random.default_rng(2))
    changed = found.records.categories("x").codes != records.categories("x").codes
    assert abs(changed.mean() - 0.3 * 49 / 50) < 0.01
    assert np.isclose(found.figures["share changed"], changed.mean())
    assert margin(found.records, ("x", "y")) != margin(records, ("x", "y"))
    kept = DataSwapping(("x",), share=1, margins=(("x", "y"),)).treated(records, np.random.default_rng(2)).records
    assert margin(kept, ("x", "y")) == margin(records, ("x", "y"))
    assert (kept.categories("x").codes != records.categories("x").codes).mean() > 0.85


def test_small_sets_have_their_share_on_average() -> None:
    records = Records({"x": Numbers.of(np.arange(8000.0)), "set": Categories.of([i // 2 for i in range(8000)])})
    found = DataSwapping(("x",), share=0.25, margins=(("x", "set"),)).treated(records, np.random.default_rng(1))
    assert abs(found.figures["share changed"] - 0.25) < 0.04


def test_records_without_a_partner_are_told() -> None:
    records = Records({"x": Categories.of(["a", "b", "c"]), "y": Categories.of(["u", "u", "v"])})
    found = DataSwapping(("x",), share=1, margins=(("x", "y"),)).treated(records, np.random.default_rng(1))
    assert found.notes == ("1 record kept x: no other agrees on y",)
    parts = Records({"x": Categories.of(["a", "b", None]), "y": Categories.of(["u", "u", "v"])})
    found = DataSwapping(("x", "y"), share=1, together=True).treated(parts, np.random.default_rng(1))
    assert found.notes == ("1 record kept x, y: a part is missing",)


def test_bad_input() -> None:
    with pytest.raises(InputError, match="no attribute 'z'"):
        DataSwapping(("job",), margins=(("job", "z"),)).treated(mixed(), np.random.default_rng(1))
    with pytest.raises(UsageError, match="'share'"):
        DataSwapping(("job",), share=0)
    with pytest.raises(UsageError, match="names no attribute"):
        DataSwapping(("job",), margins=((),))
    with pytest.raises(InputError, match="single record"):
        DataSwapping(("x",)).treated(Records({"x": Categories.of(["a"])}), np.random.default_rng(1))
