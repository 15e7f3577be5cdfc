"""The optimal grouping beats every other; ranks, axes and the modified Ward algorithm."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import InputError, UsageError
from tacita.masking.microaggregation.single_axis import SingleAxis, fixed_size_groups
from tacita.masking.microaggregation.univariate import IndividualRanking, OptimalUnivariate, optimal_groups
from tacita.masking.microaggregation.ward import Ward
from tacita.model.records import Numbers, Records

from .samples import column, groups_of, treated


def partitions(size: int, k: int) -> Iterator[list[list[int]]]:
    """All ways to put records in groups of at least k, in whatever order they are."""

    def grown(i: int, groups: list[list[int]]) -> Iterator[list[list[int]]]:
        if i == size:
            if all(len(group) >= k for group in groups):
                yield [list(group) for group in groups]
            return
        for group in groups:
            group.append(i)
            yield from grown(i + 1, groups)
            group.pop()
        groups.append([i])
        yield from grown(i + 1, groups)
        groups.pop()

    return grown(0, [])


def squares(values: np.ndarray, groups: np.ndarray) -> float:
    return sum(float(np.square(values[groups == g] - values[groups == g].mean()).sum()) for g in np.unique(groups))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_no_grouping_at_all_loses_less_than_the_optimal_one(seed: int, k: int) -> None:
    values = np.random.default_rng(seed).lognormal(0, 1.5, 8)
    least = min(
        sum(float(np.square(values[group] - values[group].mean()).sum()) for group in each)
        for each in partitions(len(values), k)
    )
    assert squares(values, optimal_groups(values, k)) == pytest.approx(least, rel=1e-9)


@given(st.lists(st.integers(-50, 50), min_size=3, max_size=60), st.integers(2, 3))
@settings(max_examples=60, deadline=None)
def test_the_optimal_grouping_beats_the_others(values: list[int], k: int) -> None:
    held = np.array(values, dtype=float)
    best = optimal_groups(held, k)
    sizes = np.bincount(best)
    assert k <= sizes.min()
    assert sizes.max() < 2 * k
    assert squares(held, best) <= squares(held, fixed_size_groups(held, k)) + 1e-9
    ward = groups_of(treated(Ward(("a",), k), column(held[:, None])))
    assert k <= np.bincount(ward).min()
    assert np.bincount(ward).max() < 2 * k
    assert squares(held, best) <= squares(held, ward) + 1e-9


def test_large_values_close_together_do_not_cancel() -> None:
    values = 1e9 + np.array([0.0, 0.1, 0.2, 5.0, 5.1, 5.2, 9.0, 9.1, 9.2])
    assert optimal_groups(values, 3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("method", [IndividualRanking, OptimalUnivariate])
def test_each_attribute_is_grouped_where_it_has_values(method: type[IndividualRanking]) -> None:
    values = np.array([[5.0, np.nan], [1, 2], [2, 4], [7, np.nan], [np.nan, 3]])
    found = treated(method(("a", "b"), 2), column(values)).records.matrix(("a", "b"))
    assert np.array_equal(np.isnan(found), np.isnan(values))
    assert np.nanmean(found, axis=0) == pytest.approx(np.nanmean(values, axis=0))
    with pytest.raises(InputError, match="2 records with a value of 'b'"):
        treated(method(("a", "b"), 3), column(np.where(values == 3, np.nan, values)))


def test_an_axis_may_be_one_attribute_the_principal_component_or_the_z_scores() -> None:
    draw = np.random.default_rng(0)
    size = draw.normal(size=300)
    values = np.stack([size + 0.1 * draw.normal(size=300), size + 0.1 * draw.normal(size=300)], axis=1)
    records = column(values)
    for axis, scores in {
        "a": values[:, 0],
        "z-scores": (values / values.std(axis=0)).sum(axis=1),
    }.items():
        found = treated(SingleAxis(("a", "b"), 4, axis), records)
        assert np.array_equal(groups_of(found), fixed_size_groups(scores, 4))
    assert treated(SingleAxis(("a", "b"), 4), records).figures["SSE/SST"] < 0.02
    with pytest.raises(UsageError, match="did you mean 'z-scores'"):
        SingleAxis(("a", "b"), axis="z-score")
    missing = records.with_columns({"a": Numbers(np.where(np.arange(300) < 9, np.nan, values[:, 0]))})
    assert treated(SingleAxis(("a", "b"), axis="b"), missing).figures["smallest group"] == 3
    with pytest.raises(InputError, match="9 records have no value of 'a'"):
        treated(SingleAxis(("a", "b"), axis="a"), missing)


@pytest.mark.parametrize("extremes", ["maximum distance", "principal component", "z-scores", "b"])
@pytest.mark.parametrize("k", [2, 3, 6])
def test_ward_gives_groups_of_k_to_2k_minus_1(k: int, extremes: str) -> None:
    records = column(np.random.default_rng(k).lognormal(size=(211, 3)))
    found = treated(Ward(("a", "b", "c"), k, extremes), records)
    sizes = np.bincount(groups_of(found))
    assert k <= sizes.min()
    assert sizes.max() < 2 * k
    assert found.records.matrix(("a", "b", "c")).mean(axis=0) == pytest.approx(
        records.matrix(("a", "b", "c")).mean(axis=0)
    )


def test_ward_keeps_the_nine_records_of_document_002_in_their_two_clusters() -> None:
    points = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [0.5, 0.5], [10, 0], [10, 1], [11, 0], [11, 1]])
    found = groups_of(treated(Ward(("a", "b"), 3, standardise=False), column(points)))
    assert found.tolist() == [found[0]] * 5 + [found[5]] * 4
    assert found[0] != found[5]


def test_a_join_that_costs_less_comes_first() -> None:
    """Six records, k = 2: the ends are {0, 1} and {20, 21}; 9 and 10 join each other before either joins an end."""
    found = groups_of(treated(Ward(("a",), 2), column(np.array([[0.0], [1], [9], [10], [20], [21]]))))
    assert [len({*found[i : i + 2].tolist()}) for i in (0, 2, 4)] == [1, 1, 1]
    assert len({*found.tolist()}) == 3


def test_groups_are_told_only_where_there_is_one_grouping() -> None:
    records = Records({"a": Numbers.of([1, 2, 3, 4]), "b": Numbers.of([4, 2, 1, 3])})
    assert treated(IndividualRanking(("a", "b"), 2), records).groups is None
    assert groups_of(treated(IndividualRanking(("a",), 2), records)).tolist() == [0, 0, 1, 1]
