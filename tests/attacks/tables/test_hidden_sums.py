"""Dimensions and responses that tell of each other: found in the records, and not by accident."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.attacks.tables.hidden_sums import hidden_sums, nested_codes, random_marks, with_sums
from tacita.attacks.tables.related_responses import PublishedResponse, bounds_by, related_responses
from tacita.model.table import Dimension, Table
from tacita.tables.build.linked import linked
from tacita.tables.build.microdata.layers import summed
from tacita.tables.build.sums import equations_of


def _table(town: np.ndarray, county: np.ndarray, sex: np.ndarray) -> tuple[Table, np.ndarray, np.ndarray]:  # type: ignore[type-arg]
    """Return two linked tables, towns by sex and counties by sex, with the leaves of records and the marks of cells."""
    names = ("town", "county", "sex")
    dimensions = [Dimension.flat(name, [f"{name}{code}" for code in range(12)]) for name in names]
    system = linked([("a", [dimensions[0], dimensions[2]]), ("b", [dimensions[1], dimensions[2]])])
    order = [names.index(dimension.name) for dimension in system.dimensions]
    leaves = np.stack([town, county, sex], axis=1)[:, order] + 1
    keys = np.unique(np.concatenate([system.cross_product(table) for table in range(2)]))
    figures = np.column_stack([random_marks(len(town)), np.ones(len(town))])
    sums = summed(system, leaves, figures, keys)
    parts = [np.isin(keys, system.cross_product(table)) for table in range(2)]
    equations = equations_of(system, keys, parts)
    shown = dict(zip(system.names, parts, strict=True))
    table = Table("t", system.dimensions, system.codes(keys), sums[:, 2], equations, is_count=True, parts=shown)
    return table, leaves, sums[:, :2]


def test_towns_of_counties_are_found_and_add_up() -> None:
    random = np.random.default_rng(1)
    town, sex = random.integers(0, 12, 500), random.integers(0, 2, 500)
    table, leaves, marks = _table(town, town // 4, sex)
    sums = hidden_sums(table, leaves, marks, np.ones(len(table), bool))
    assert {(one.fine, one.coarse) for one in sums} == {("town", "county")}
    assert len(sums) == 9, "three counties, for both sexes and in all"
    more = with_sums(table, sums)
    assert len(more) == len(table.equations) + 9 and not more.residuals(table.values).any()


def test_sums_without_a_withheld_cell_do_not_matter() -> None:
    random = np.random.default_rng(2)
    town, sex = random.integers(0, 12, 500), random.integers(0, 2, 500)
    table, leaves, marks = _table(town, 11 - town, sex)
    assert hidden_sums(table, leaves, marks, np.zeros(len(table), bool)) == []
    withheld = np.arange(len(table)) == int(np.flatnonzero(table.codes[:, 0] == 3)[0])
    assert len(hidden_sums(table, leaves, marks, withheld)) == 2, "the town by its code, and the code by its town"


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_independent_dimensions_tell_nothing(seed: int) -> None:
    """Also in few records, where codes have the same records by accident."""
    random = np.random.default_rng(seed)
    records = int(random.choice([4, 12, 60, 400]))
    fine, coarse = (random.integers(0, int(random.choice([2, 5, 20, 200])), records) for _ in range(2))
    assert nested_codes(fine, coarse, 2) is None


def test_exceptions_leave_out_their_codes_only() -> None:
    town = np.repeat(np.arange(40), 10)
    county = town // 8
    county[7] = 4
    inside = nested_codes(town, county, 2)
    assert inside is not None and inside[0] == -1 and (inside[1:] == np.arange(1, 40) // 8).all()
    county[np.arange(0, 400, 15)] = 2
    assert nested_codes(town, county, 2) is None


def test_responses_that_are_sums_of_others() -> None:
    random = np.random.default_rng(3)
    one, two = random.lognormal(6, 1, 300).round(1), random.lognormal(5, 1, 300).round(1)
    other = random.lognormal(6, 1, 300).round(1)
    related = related_responses({"one": one, "two": two, "sum": (one + two).round(1), "other": other})
    assert {relation.sentence for relation in related} == {"one = sum - two", "two = sum - one", "sum = one + two"}
    assert related_responses({"one": one, "other": other}) == []
    assert related_responses({"one": one, "shifted": one + 5}) == [], "a constant is not the same in every cell"


def test_bounds_hold_the_truth_and_are_narrow_where_all_is_published() -> None:
    random = np.random.default_rng(4)
    euro = random.lognormal(6, 1, 300).round()
    dollar = (euro * 1.25).round(1)
    (relation,) = (one for one in related_responses({"euro": euro, "dollar": dollar}) if one.response == "euro")
    group = random.integers(0, 9, 300)
    cells = {name: np.bincount(group, values) for name, values in (("euro", euro), ("dollar", dollar))}
    marks = np.stack([np.bincount(group, mark) for mark in random_marks(300).T], axis=1)
    withheld = np.arange(9) % 3 == 0
    lower, upper = np.where(withheld, 0, cells["dollar"]), np.where(withheld, np.inf, cells["dollar"])
    known = {"dollar": PublishedResponse(lower, upper, marks)}
    low, high = bounds_by(relation, marks, np.bincount(group).astype(float), known)
    assert (low <= cells["euro"]).all() and (cells["euro"] <= high).all()
    assert np.isinf(high[withheld]).all() and (high - low)[~withheld].max() < 0.1 * np.bincount(group).max()
    low, high = bounds_by(relation, marks[::-1] + 1, np.ones(9), known)
    assert np.isinf(low).all() and np.isinf(high).all(), "cells of other records tell nothing"
