"""Rank swapping: no rank moves too far, every value is kept, and the spread of moves is that of sdcMicro 5.8.1."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.masking.noise.samples import mixed

from tacita.errors import InputError, UsageError
from tacita.masking.contract import breaches
from tacita.masking.swapping.kernels import rank_partners
from tacita.masking.swapping.rank_swapping import RankSwapping
from tacita.model.records import Categories, Numbers, Records


def test_contract() -> None:
    assert breaches(RankSwapping(("age", "income", "wealth", "school", "one"), p=20), mixed()) == []
    assert breaches(RankSwapping(("income", "wealth"), p=20, bottom=10, top=10), mixed()) == []


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(count=st.integers(1, 60), reach=st.integers(1, 70), seed=st.integers(0, 1000))
def test_partners_are_a_rearrangement_within_reach(count: int, reach: int, seed: int) -> None:
    partners = rank_partners(count, reach, np.random.default_rng(seed).random(count))
    ranks = np.arange(count)
    assert np.array_equal(np.sort(partners), ranks)
    assert np.abs(partners - ranks).max() <= reach
    stays = int((partners == ranks).sum())
    assert stays == 0 or (stays == 1 and count % 2 == 1 and (reach == 1 or count == 1))


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.one_of(st.none(), st.integers(0, 12)), min_size=20, max_size=40),
    p=st.floats(10, 100),
    seed=st.integers(0, 100),
)
def test_ranks_within_p_percent(values: list[int | None], p: float, seed: int) -> None:
    present = np.array([v for v in values if v is not None], dtype=float)
    if len(present) < 2 or int(p * len(present) / 100) < 1:
        return
    records = Records({"x": Numbers.of(values, is_whole=True)})
    found = RankSwapping(("x",), p=p).treated(records, np.random.default_rng(seed)).records.numbers("x").values
    own = records.numbers("x").values
    assert np.array_equal(np.isnan(own), np.isnan(found))
    assert np.array_equal(np.sort(own), np.sort(found), equal_nan=True)
    # With equal values a rank is a range: the ranges before and after are no further apart than p %.
    ordered = np.sort(present)
    for before, after in zip(own, found, strict=True):
        if not np.isnan(before):
            lowest, highest = sorted((before, after))
            gap = np.searchsorted(ordered, highest, "left") - (np.searchsorted(ordered, lowest, "right") - 1)
            assert gap <= p * len(present) / 100 + 1e-9


def test_partners_are_drawn_from_the_whole_reach() -> None:
    """The lowest rank's partner is uniform on 1 ... reach."""
    draws = [rank_partners(50, 10, np.random.default_rng(seed).random(50))[0] for seed in range(4000)]
    counts = np.bincount(draws, minlength=11)[1:]
    assert counts.sum() == 4000 and ((counts - 400) ** 2 / 400).sum() < 33.7  # chi-squared(9), one in 10^4


@pytest.mark.parametrize("share", [0.01, 0.05, 0.1, 0.5])
def test_moves_are_spread_as_in_sdcmicro(shared: Path, share: float) -> None:
    """There P is a share of n, and ranks differ by less than P n: mean and largest move, and the correlation."""
    theirs = json.loads((shared / "sdcmicro" / "rankswap.json").read_text())[f"P_{share:g}"]
    draw = np.random.default_rng(9)
    means, largest, correlations = [], [], []
    for seed in range(30):
        x = draw.lognormal(size=2000)
        found = RankSwapping(("a",), p=100 * (share - 1 / 2000)).treated(
            Records({"a": Numbers.of(x)}), np.random.default_rng(seed)
        )
        after = found.records.numbers("a").values
        moves = np.abs(x.argsort().argsort() - after.argsort().argsort()) / 2000
        means.append(moves.mean())
        largest.append(moves.max())
        correlations.append(np.corrcoef(x, after)[0, 1])
    assert np.isclose(max(largest), theirs["max_rankdiff_share"])
    assert min(means) < theirs["mean"] < max(means)
    assert min(correlations) < theirs["cor"] < max(correlations)


def test_tails_are_grouped_and_the_mean_is_kept() -> None:
    draw = np.random.default_rng(1)
    x = draw.lognormal(size=2000)
    method = RankSwapping(("x",), p=5, bottom=5, top=5)
    found = method.treated(Records({"x": Numbers.of(x)}), draw).records.numbers("x").values
    order = x.argsort()
    for tail in (order[:100], order[-100:]):
        assert np.allclose(found[tail], x[tail].mean())
    assert np.isclose(found.mean(), x.mean())
    assert np.array_equal(np.sort(found[order[100:-100]]), x[order[100:-100]])
    assert np.all(found[order[100:-100]] != x[order[100:-100]])


def test_a_tail_whose_mean_tells_a_value_is_refused() -> None:
    records = Records({"x": Numbers.of(np.arange(40.0))})
    for wrong in ({"top": 5}, {"bottom": 2.5}):
        with pytest.raises(InputError, match="which their mean would tell"):
            RankSwapping(("x",), p=10, **wrong).treated(records, np.random.default_rng(1))
    RankSwapping(("x",), p=10, top=7.5, bottom=1).treated(records, np.random.default_rng(1))


def test_ordered_categories_and_their_limits() -> None:
    records = mixed()
    found = RankSwapping(("school",), p=40).treated(records, np.random.default_rng(1)).records.categories("school")
    own = records.categories("school")
    assert np.array_equal(own.counts, found.counts) and np.any(own.codes != found.codes)
    with pytest.raises(UsageError, match="have no mean"):
        RankSwapping(("school",), top=5).treated(records, np.random.default_rng(1))
    with pytest.raises(InputError, match="has no order"):
        RankSwapping(("job",)).treated(records, np.random.default_rng(1))


def test_too_small_a_reach_is_refused() -> None:
    records = Records({"x": Numbers.of([1.0, 2.0, 3.0, None])})
    with pytest.raises(InputError, match="less than one rank") as error:
        RankSwapping(("x",), p=30).treated(records, np.random.default_rng(1))
    assert error.value.do == "give p of at least 33, or treat more records together"
    with pytest.raises(InputError, match="single value"):
        RankSwapping(("x",), p=100).treated(records.taken(np.array([0])), np.random.default_rng(1))
    with pytest.raises(InputError, match="infinite"):
        RankSwapping(("x",), p=100).treated(Records({"x": Numbers.of([1.0, np.inf])}), np.random.default_rng(1))


def test_a_value_that_stays_is_told() -> None:
    records = Records({"x": Numbers.of([1.0, 2.0, 3.0])})
    found = RankSwapping(("x",), p=34).treated(records, np.random.default_rng(1))
    assert found.notes == ("1 value of 'x' found no partner within reach and stayed",)


@pytest.mark.parametrize("wrong", [{"p": 0}, {"p": 101}, {"top": -1}, {"top": 60, "bottom": 40}])
def test_percentages_are_checked(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        RankSwapping(("x",), **wrong)


def test_categories_without_values_stay() -> None:
    records = Records({"x": Numbers.of([None, None]), "c": Categories.of([None, None], order=["a"])})
    found = RankSwapping(("x", "c")).treated(records, np.random.default_rng(1)).records
    assert found["x"].missing.all() and found["c"].missing.all()


@pytest.mark.parametrize(("p", "count", "reach"), [(0.7, 1000, 7), (29, 100, 29), (5, 39, 1), (14.5, 200, 29)])
def test_the_reach_is_not_lost_to_rounding(p: float, count: int, reach: int) -> None:
    x = np.arange(float(count))
    moves = [
        np.abs(
            RankSwapping(("x",), p=p)
            .treated(Records({"x": Numbers.of(x)}), np.random.default_rng(s))
            .records.numbers("x")
            .values
            - x
        ).max()
        for s in range(20)
    ]
    assert max(moves) == reach
