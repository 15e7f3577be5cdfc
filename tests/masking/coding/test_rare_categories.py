"""Aggregation of rare categories: afterwards nothing is rare."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import HierarchyError, InputError, TacitaError, UsageError
from tacita.masking.catalogue import METHODS
from tacita.masking.coding.rare_categories import RareCategories
from tacita.masking.contract import breaches
from tacita.model.hierarchy import ValueHierarchy
from tacita.model.records import Categories, Numbers, Records

NOBODY = np.random.default_rng(0)
TOWNS = ValueHierarchy.from_paths(
    "town",
    [
        ("Milano", "Lombardia", "North", "*"),
        ("Lodi", "Lombardia", "North", "*"),
        ("Monza", "Lombardia", "North", "*"),
        ("Torino", "Piemonte", "North", "*"),
        ("Roma", "Lazio", "Center", "*"),
        ("Bari", "Puglia", "South", "*"),
    ],
)


def after(counts: dict[Any, int], **given: Any) -> dict[Any, int]:
    values = [value for value, count in counts.items() for _ in range(count)]
    column = Categories.of([*values, None], order=list(counts), hierarchy=given.pop("hierarchy", None))
    found = RareCategories(("town",), **given).treated(Records({"town": column}), NOBODY).records.categories("town")
    assert found.codes[-1] == -1
    return dict(zip(found.values, found.counts.tolist(), strict=True))


def test_rare_values_become_one_label() -> None:
    counts = {"Milano": 20, "Lodi": 1, "Monza": 2, "Roma": 5}
    assert after(counts, fewer_than=3) == {"Milano": 20, "Roma": 5, "other": 3}
    assert after(counts, share=0.2, label="rest") == {"Milano": 20, "rest": 8}
    assert after(counts, fewer_than=2) == {"Milano": 20, "Roma": 5, "other": 3}
    assert after({"Milano": 3, "Roma": 4}, fewer_than=3) == {"Milano": 3, "Roma": 4}


def test_what_is_rare_together_is_joined_by_the_rarest() -> None:
    records = Records({"town": Categories.of(["Milano"] * 20 + ["Roma"] * 5 + ["Lodi"])})
    found = RareCategories(("town",), fewer_than=3).treated(records, NOBODY)
    assert found.records.categories("town").values == ("Milano", "other")
    assert len(found.notes) == 1


def test_rare_values_go_up_to_a_frequent_parent() -> None:
    counts = {"Milano": 20, "Lodi": 1, "Monza": 2, "Torino": 3, "Roma": 5, "Bari": 0}
    given = {"fewer_than": 3, "into": "parent", "hierarchy": TOWNS}
    assert after(counts, **given) == {"Milano": 20, "Torino": 3, "Roma": 5, "Lombardia": 3}
    # A rare Torino goes up to North and to the top, where it is alone and has to be joined by Lombardia.
    assert after(counts | {"Torino": 2}, **given) == {"Milano": 20, "Roma": 5, "other": 5}
    assert after({"Lodi": 1, "Torino": 2, "Roma": 9}, fewer_than=3, into="parent", hierarchy=TOWNS) == {
        "Roma": 9,
        "North": 3,
    }


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(st.sampled_from([row[0] for row in TOWNS.rows]), st.integers(0, 9), min_size=1),
    st.integers(2, 8),
    st.sampled_from(["other", "parent"]),
)
def test_nothing_is_rare_afterwards(counts: dict[str, int], least: int, into: str) -> None:
    if 0 < sum(counts.values()) < least:
        with pytest.raises(InputError, match="fewer records"):
            after(counts, fewer_than=least, into=into, hierarchy=TOWNS)
        return
    found = after(counts, fewer_than=least, into=into, hierarchy=TOWNS)
    assert all(count >= least or (count == 0 and counts.get(value) == 0) for value, count in found.items())
    assert sum(found.values()) == sum(counts.values())


def test_a_label_that_is_a_value_is_one_with_it() -> None:
    assert after({"other": 1, "Milano": 5, "Roma": 1}, fewer_than=2) == {"Milano": 5, "other": 2}
    assert after({7: 1, 8: 5, 9: 4}, fewer_than=2, label="9") == {8: 5, 9: 5}


@pytest.mark.parametrize("into", ["other", "parent"])
def test_contract(into: Any) -> None:
    draw = np.random.default_rng(1)
    codes = draw.choice([-1, 0, 1, 2, 3, 4, 5], 300, p=[0.05, 0.5, 0.3, 0.01, 0.01, 0.03, 0.1]).astype(np.int32)
    column = Categories(codes, tuple(row[0] for row in TOWNS.rows), hierarchy=TOWNS)
    records = Records({"town": column, "x": Numbers(draw.normal(size=300))})
    assert breaches(RareCategories(("town",), share=0.05, into=into), records) == []


@pytest.mark.parametrize(
    "given",
    [{}, {"fewer_than": 3, "share": 0.1}, {"fewer_than": 1}, {"share": 1.0}, {"fewer_than": 3, "label": "*"}],
)
def test_wrong_parameters(given: dict[str, Any]) -> None:
    with pytest.raises(TacitaError) as caught:
        METHODS.make("rare-categories", {"attributes": ["town"]} | given)
    assert caught.value.do


def test_wrong_data() -> None:
    with pytest.raises(HierarchyError, match="no hierarchy"):
        after({"Milano": 5, "Roma": 1}, fewer_than=3, into="parent")
    with pytest.raises(HierarchyError, match="1 of 2 distinct values") as caught:
        after({"Milano": 5, "Atlantis": 1}, fewer_than=3, into="parent", hierarchy=TOWNS)
    assert "Atlantis" not in str(caught.value)
    with pytest.raises(UsageError, match="holds numbers"):
        RareCategories(("x",), 3).treated(Records({"x": Numbers.of([1, 2])}), NOBODY)
