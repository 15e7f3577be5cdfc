"""Numbers and categories together: medians, modes, a taxonomy, and k-anonymity of quasi-identifiers."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import HierarchyError, InputError, UsageError
from tacita.masking.microaggregation.mixed import MixedMicroaggregation
from tacita.masking.microaggregation.mixed_space import semantic_distances
from tacita.model.records import Categories, Numbers, Records

from .samples import ILLNESS, groups_of, people, treated

QUASI = ("age", "schooling", "colour", "illness")


def shown(records: Records, name: str) -> list[object]:
    column = records.categories(name)
    return [None if code < 0 else column.values[code] for code in column.codes]


@pytest.mark.parametrize("k", [2, 3, 5])
def test_quasi_identifiers_become_k_anonymous(k: int) -> None:
    records = people(101)
    found = treated(MixedMicroaggregation(QUASI, k), records)
    combinations = Counter(zip(*(shown(found.records, name) for name in QUASI), strict=True))
    assert min(combinations.values()) >= k
    sizes = np.bincount(groups_of(found))
    assert k <= sizes.min()
    assert sizes.max() < 2 * k
    assert found.records.numbers("age").values.mean() == pytest.approx(records.numbers("age").values.mean())
    assert 0 < found.figures["SSE/SST"] < 1


def test_a_group_shows_median_mode_and_semantic_centroid() -> None:
    records = Records(
        {
            "schooling": Categories.of(["low", "low", "high", "high", "high"], order=["low", "middle", "high"]),
            "colour": Categories.of(["red", "blue", "blue", "green", "blue"]),
            "illness": Categories.of(
                ["influenza", "asthma", "gastric ulcer", "asthma", "gastric ulcer"], hierarchy=ILLNESS
            ),
            "age": Numbers.of([1, 2, 3, 4, 10]),
        }
    )
    found = treated(MixedMicroaggregation(tuple(records.names), 5), records).records
    assert {n: {*shown(found, n)} for n in ("schooling", "colour", "illness")} == {
        "schooling": {"high"},
        "colour": {"blue"},
        # Asthma and ulcer are as frequent, but asthma is near to influenza.
        "illness": {"asthma"},
    }
    assert found.numbers("age").values.tolist() == [4.0] * 5


def test_the_taxonomy_decides_who_is_alike() -> None:
    values = ["influenza", "gastric ulcer", "asthma", "gastric ulcer"]
    near = Records({"illness": Categories.of(values, hierarchy=ILLNESS)})
    found = groups_of(treated(MixedMicroaggregation(("illness",), 2), near))
    assert found[0] == found[2]
    assert found[1] == found[3]


def test_semantic_distances_are_those_of_the_formula() -> None:
    """Paths of three concepts: siblings share two of four, cousins one of five."""
    found = semantic_distances(ILLNESS, ["influenza", "asthma", "gastric ulcer"])
    assert found[0, 1] == pytest.approx(np.log2(1 + 2 / 4))
    assert found[0, 2] == pytest.approx(np.log2(1 + 4 / 5))
    assert np.array_equal(found, found.T)
    assert not found.diagonal().any()


def test_kinds_can_be_told() -> None:
    records = people()
    as_nominal = treated(MixedMicroaggregation(("schooling", "illness"), kinds={"illness": "nominal"}), records)
    as_it_is = treated(MixedMicroaggregation(("schooling", "illness")), records)
    assert as_nominal.figures["SST"] != pytest.approx(as_it_is.figures["SST"])
    ages = treated(MixedMicroaggregation(("age",), kinds={"age": "ordinal"}), records).records.numbers("age")
    assert {*ages.values.tolist()} <= {*records.numbers("age").values.tolist()}
    with pytest.raises(UsageError, match="'colour' has no order"):
        treated(MixedMicroaggregation(("colour",), kinds={"colour": "ordinal"}), records)
    with pytest.raises(UsageError, match="'colour' has no taxonomy"):
        treated(MixedMicroaggregation(("colour",), kinds={"colour": "semantic"}), records)
    with pytest.raises(UsageError, match="'hue' is given a kind"):
        treated(MixedMicroaggregation(("colour",), kinds={"hue": "nominal"}), records)


def test_a_category_unseen_in_the_taxonomy_is_refused_without_showing_it() -> None:
    records = Records({"illness": Categories.of(["influenza", "scrofula", "asthma"], hierarchy=ILLNESS)})
    with pytest.raises(HierarchyError) as caught:
        treated(MixedMicroaggregation(("illness",), 3), records)
    assert "scrofula" not in str(caught.value)


def test_too_many_categories_are_refused() -> None:
    records = Records({"name": Categories(np.arange(2001), tuple(range(2001)))})
    with pytest.raises(InputError, match="2,001 categories"):
        treated(MixedMicroaggregation(("name",)), records)


def test_missing_values_stay_and_make_a_part() -> None:
    records = people(30)
    codes = records.categories("colour").codes.copy()
    codes[:7] = -1
    records = records.with_columns({"colour": records.categories("colour").with_codes(codes)})
    found = treated(MixedMicroaggregation(("age", "colour")), records)
    assert found.records.categories("colour").missing.tolist() == [True] * 7 + [False] * 23
    assert not {*groups_of(found)[:7].tolist()} & {*groups_of(found)[7:].tolist()}
    assert found.notes == ("records with different missing values were grouped apart, in 2 parts",)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=4, max_size=40), st.integers(2, 4))
@settings(max_examples=40, deadline=None)
def test_groups_keep_their_sizes_with_many_ties(rows: list[tuple[int, int]], k: int) -> None:
    records = Records(
        {
            "a": Categories(np.array([row[0] for row in rows]), (0, 1, 2, 3), True),
            "b": Categories(np.array([row[1] for row in rows]), (0, 1, 2)),
        }
    )
    found = treated(MixedMicroaggregation(("a", "b"), k), records)
    sizes = np.bincount(groups_of(found))
    assert k <= sizes.min()
    assert sizes.max() < 2 * k
    for name in ("a", "b"):
        pairs = {*zip(groups_of(found).tolist(), shown(found.records, name), strict=True)}
        assert len(pairs) == len(sizes)
        own = {*zip(groups_of(found).tolist(), shown(records, name), strict=True)}
        assert pairs <= own
