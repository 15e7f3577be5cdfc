"""Answers by camouflage hold the truth, for every statistic and all data; bounds below a variance are bounds."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from tests.queries.noise.questions import asking, version_of

from tacita.errors import QueryRefused
from tacita.queries.answer import FigureStatus
from tacita.queries.camouflage.intervals import CamouflagedFigures, smallest_mixture
from tacita.queries.cube.cube import Cube, CubeAttribute
from tacita.queries.figures import true_figure
from tacita.queries.policy.policy import AnswerMode, FilterAttribute, QueryMeasure, QueryPolicy
from tacita.queries.question import AskedStatistic, Statistic

LARGEST = 10**9
STATISTICS = (
    *(AskedStatistic(one, "x") for one in (Statistic.SUM, Statistic.AVERAGE, Statistic.VARIANCE)),
    *(AskedStatistic(one, "x") for one in (Statistic.MINIMUM, Statistic.MAXIMUM)),
    *(AskedStatistic(Statistic.QUANTILE, "x", share=Fraction(*share)) for share in ((1, 2), (1, 3), (99, 100))),
    AskedStatistic(Statistic.RATIO, "x", "y"),
    AskedStatistic(Statistic.SLOPE, "x", "z"),
    AskedStatistic(Statistic.INTERCEPT, "x", "z"),
)


def _cube(cells: list[list[int]], *, tuned: bool = True, vectors: int = 6) -> Cube:
    """Return a cube with these values in its cells; cells are at 1, 2, ... of a public number."""
    options = {"vectors": vectors, "width": Fraction(1, 5), "insiders": 0, "tuned": tuned, "expected": ()}
    measures = (
        QueryMeasure("x", Decimal(-LARGEST), Decimal(LARGEST), 0, tuple(Statistic)),
        QueryMeasure("y", Decimal(0), Decimal(1_000), 0, tuple(Statistic)),
    )
    numbers = FilterAttribute("z")
    policy = QueryPolicy("b", (numbers,), measures, (numbers,), answers=AnswerMode.CAMOUFLAGE, options=options)
    n = np.array([len(cell) for cell in cells], np.int64)
    x = np.concatenate([sorted(cell, reverse=True) for cell in cells]).astype(np.int64)
    labels = tuple(str(one + 1) for one in range(len(cells)))
    return Cube(
        policy,
        (CubeAttribute("z", labels, np.arange(1.0, len(cells) + 1)),),
        {"z": np.arange(len(cells), dtype=np.int32)},
        n,
        np.concatenate([[0], np.cumsum(n)]).astype(np.int64),
        {"x": x, "y": 1 + np.abs(x) % 997},
    )


# Numbers that floating point has trouble with: large and nearly equal.
VALUES = st.one_of(st.integers(-LARGEST, LARGEST), st.integers(LARGEST - 3, LARGEST), st.integers(-2, 2))


@given(
    cells=st.lists(st.lists(VALUES, min_size=1, max_size=12), min_size=2, max_size=4),
    chosen=st.integers(1, 15),
    secret=st.binary(min_size=32, max_size=32),
    tuned=st.booleans(),
)
def test_the_truth_is_inside_for_every_statistic(
    cells: list[list[int]], chosen: int, secret: bytes, tuned: bool
) -> None:
    cube = _cube(cells, tuned=tuned)
    mask = np.array([bool(chosen >> place & 1) for place in range(len(cells))])
    figures = CamouflagedFigures(version_of(cube, secret)).figures(asking(STATISTICS, [mask]), None)[0]  # type: ignore[arg-type]
    for one, figure in zip(STATISTICS, figures, strict=True):
        true = true_figure(one, cube, mask)
        if figure.status is FigureStatus.REFUSED:
            assert true is None or one.statistic is Statistic.RATIO
            continue
        assert true is not None and figure.lower is not None and figure.upper is not None
        assert Fraction(figure.lower) <= true <= Fraction(figure.upper)
        assert Fraction(figure.lower) <= Fraction(figure.value or 0) <= Fraction(figure.upper)


@given(
    rows=st.lists(st.lists(st.floats(-100, 100), min_size=5, max_size=5), min_size=2, max_size=6),
)
def test_a_bound_lies_below_the_least_variance_of_all_mixtures(rows: list[list[float]]) -> None:
    numbers = np.array(rows)
    centred = numbers - numbers.mean(axis=1, keepdims=True)
    spread = centred @ centred.T / numbers.shape[1]
    bound = smallest_mixture(spread)
    k = len(rows)
    peer = minimize(
        lambda weights: weights @ spread @ weights,
        np.full(k, 1 / k),
        jac=lambda weights: 2 * spread @ weights,
        bounds=[(0, 1)] * k,
        constraints={"type": "eq", "fun": lambda weights: weights.sum() - 1},
        method="SLSQP",
    )
    # What the peer reached is above the least; the bound is below it, and not far.
    scale = 1e-9 + 1e-7 * float(spread.diagonal().max())
    assert bound <= float(peer.fun) + scale
    weights = np.random.default_rng(0).dirichlet(np.ones(k), 200)
    assert (np.einsum("ij,jk,ik->i", weights, spread, weights) >= bound - scale).all()
    assert bound >= float(peer.fun) - 0.02 * float(spread.diagonal().max()) - scale


def test_counts_are_exact_and_ends_have_eight_digits() -> None:
    cube = _cube([[123456789, 98765432, 5], [17, 1, 2]])
    mechanism = CamouflagedFigures(version_of(cube))
    wanted = asking([AskedStatistic(Statistic.COUNT), STATISTICS[0]], [np.ones(2, np.bool_)])
    ((count, total),) = mechanism.figures(wanted, mechanism.price(wanted))
    assert (count.status, count.value) == (FigureStatus.EXACT, "6")
    for text in (total.lower, total.upper):
        assert text is not None and len(text.strip("-0.").replace(".", "")) <= 8


def test_accuracy_cannot_be_chosen() -> None:
    mechanism = CamouflagedFigures(version_of(_cube([[1, 2], [3]])))
    with pytest.raises(QueryRefused):
        mechanism.price(asking([STATISTICS[0]], [np.ones(2, np.bool_)], epsilon=1))
