"""Totals that fit their groups: least squares against dense algebra, bounds, whole numbers, and errors that hold."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.queries.noise.consistent import Axes, GroupingSets
from tacita.queries.noise.intervals import NoisySum

SCALE = 20.0
LAPLACE = (math.ceil(SCALE * math.log(20)), math.ceil(SCALE * math.log(60)))
"""How far Laplace noise of this scale is away with probabilities of 95 % and of 98.3 %."""
NORMAL = (math.ceil(SCALE * 1.959964), math.ceil(SCALE * 2.393980))
ROLLUP: tuple[Axes, ...] = ((0, 1), (0,), ())
SETS = st.sampled_from(
    [
        ((3, 4), ROLLUP),
        ((3, 4), ((0, 1), (0,), (1,), ())),
        ((2, 3, 2), ((0, 1), (1, 2), (2,))),
        ((5, 1, 2), ((0, 1, 2), (0, 1), ())),
        ((3, 4), ((0,), (1,))),
    ]
)


def _totals(sets: GroupingSets, cells: np.ndarray) -> list[list[int]]:
    return [sets._total(cells, level).ravel().tolist() for level in sets.levels]


def _design(sets: GroupingSets) -> np.ndarray:
    """Return the matrix that takes the cells of the full table to all figures."""
    units = np.eye(math.prod(sets.sizes)).reshape(-1, *sets.sizes)
    return np.array([list(itertools.chain(*_totals(sets, one))) for one in units]).T


def _drawn(
    sets: GroupingSets, cells: np.ndarray, seed: int, *, is_laplace: bool = True
) -> tuple[list[list[int]], list[list[NoisySum]]]:
    draw = np.random.default_rng(seed)
    law = draw.laplace if is_laplace else draw.normal
    noisy = [[round(one + law(0, SCALE)) for one in table] for table in _totals(sets, cells)]
    reach = LAPLACE if is_laplace else NORMAL
    low, high = np.zeros(sets.sizes), np.full(sets.sizes, np.inf)
    return noisy, sets.made_consistent(noisy, reach, low, high)


@given(SETS, st.integers(0, 1000))
@settings(max_examples=20)
def test_estimates_and_variances_are_those_of_dense_least_squares(
    sizes_and_levels: tuple[tuple[int, ...], tuple[Axes, ...]], seed: int
) -> None:
    sets = GroupingSets(*sizes_and_levels)
    design = _design(sets)
    projection = design @ np.linalg.pinv(design)
    noisy = np.random.default_rng(seed).normal(50, 10, len(design))
    ends = list(itertools.accumulate(math.prod(sets.sizes[axis] for axis in level) for level in sets.levels))
    tables = [
        noisy[start:end].reshape([sets.sizes[axis] for axis in level])
        for (start, end), level in zip(itertools.pairwise((0, *ends)), sets.levels, strict=True)
    ]
    estimate = sets._least_squares(tables)
    assert np.allclose(list(itertools.chain(*_totals(sets, estimate))), projection @ noisy)
    shares = [[share] * table.size for share, table in zip(sets.variance_shares, tables, strict=True)]
    assert np.allclose(list(itertools.chain(*shares)), np.diag(projection))
    assert max(sets.variance_shares) < 1


@given(SETS, st.integers(0, 1000), st.sampled_from([0, 30, 10**15]))
@settings(max_examples=20, deadline=None)
def test_totals_are_the_sums_of_groups_that_are_whole_and_not_negative(
    sizes_and_levels: tuple[tuple[int, ...], tuple[Axes, ...]], seed: int, mean: int
) -> None:
    sets = GroupingSets(*sizes_and_levels)
    cells = np.random.default_rng(seed).integers(0, mean + 1, sets.sizes).astype(object)
    _, tables = _drawn(sets, cells, seed)
    values = {
        level: np.array([one.value for one in table], object).reshape([sets.sizes[axis] for axis in level])
        for level, table in zip(sets.levels, tables, strict=True)
    }
    assert all(isinstance(one.value, int) and one.value >= 0 for table in tables for one in table)
    for fine, coarse in itertools.permutations(sets.levels, 2):
        common = tuple(axis for axis in fine if axis in coarse)
        totals = [
            values[level].sum(axis=tuple(at for at, axis in enumerate(level) if axis not in common))
            for level in (fine, coarse)
        ]
        assert np.array_equal(*totals)  # also where no table has the common total


@pytest.mark.parametrize("cells", ["many", "few", "one"])
@pytest.mark.parametrize("levels", [ROLLUP, ((0, 1), (0,), (1,), ())])
@pytest.mark.parametrize("is_laplace", [True, False])
def test_true_figures_are_within_their_errors(cells: str, levels: tuple[Axes, ...], is_laplace: bool) -> None:
    """For each grouping set by itself; half of the error would not do."""
    sets = GroupingSets((6, 5), levels)
    draw = np.random.default_rng(7)
    true = {
        "many": draw.poisson(300, (6, 5)),
        "few": np.where(draw.random((6, 5)) < 0.2, draw.poisson(200, (6, 5)), 0),
        "one": np.where(np.arange(30).reshape(6, 5) == 7, 1000, 0),
    }[cells]
    rounds = 25 if cells != "many" else 120
    inside: list[list[bool]] = [[] for _ in levels]
    within_half: list[bool] = []
    jointly: list[bool] = []
    for seed in range(rounds):
        _, tables = _drawn(sets, true, seed, is_laplace=is_laplace)
        for place, (table, exact) in enumerate(zip(tables, _totals(sets, true), strict=True)):
            errors = [abs(one.value - figure) for one, figure in zip(table, exact, strict=True)]
            inside[place] += [error <= one.error for one, error in zip(table, errors, strict=True)]
            jointly += [error <= one.joint_error for one, error in zip(table, errors, strict=True)]
            within_half += [error <= one.error / 2 for one, error in zip(table, errors, strict=True)]
    for some in inside:
        # Figures of one draw are not independent: 6 deviations of as many draws as there are rounds.
        assert np.mean(some) >= 0.95 - 6 * math.sqrt(0.05 * 0.95 / rounds)
    assert np.mean([one for some in inside for one in some]) >= 0.945
    assert np.mean(jointly) >= 0.98
    assert cells != "many" or np.mean(within_half) < 0.9


def test_weighted_sums_of_laplace_noise_have_no_heavier_tails_than_one() -> None:
    """At both probabilities that errors are for; the variance is the same."""
    draw = np.random.default_rng(3)
    for number in (2, 3, 5, 20):
        for weights in (np.ones(number), draw.random(number), 0.5 ** np.arange(number)):
            sums = draw.laplace(0, 1, (100_000, number)) @ (weights / math.sqrt((weights**2).sum()))
            for alpha in (0.05, 0.05 / 3):
                beyond = float(np.mean(np.abs(sums) > math.log(1 / alpha)))
                assert beyond <= alpha + 5 * math.sqrt(alpha / len(sums))


def _errors(sizes: tuple[int, ...], true: np.ndarray, rounds: int = 25) -> Sequence[float]:
    """Return, of each grouping set of a ROLLUP, the ratio of mean square errors after and before."""
    sets = GroupingSets(sizes, ROLLUP)
    before, after = np.zeros(3), np.zeros(3)
    for seed in range(rounds):
        noisy, tables = _drawn(sets, true, seed)
        for place, (drawn, table, exact) in enumerate(zip(noisy, tables, _totals(sets, true), strict=True)):
            before[place] += np.mean([(max(one, 0) - figure) ** 2 for one, figure in zip(drawn, exact, strict=True)])
            after[place] += np.mean([(one.value - figure) ** 2 for one, figure in zip(table, exact, strict=True)])
    return (after / before).tolist()


def test_groups_are_nearer_to_the_truth_and_totals_no_further() -> None:
    sparse = np.where(np.arange(100).reshape(10, 10) % 10 == 3, 100, 0)
    finest, middle, total = _errors((10, 10), sparse)
    assert finest < 0.5 and middle < 0.9 and total < 1.1
    finest, middle, total = _errors((10, 10), np.full((10, 10), 500))
    assert finest < 0.96 and middle < 0.96 and total < 1.1
