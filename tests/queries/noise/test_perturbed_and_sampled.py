"""Noise that is drawn once: the same for one set of records, of the right size, and with errors that hold."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.queries.noise.questions import AVERAGE, COUNT, LARGEST, RATIO, SUM, asking, cube_with, policy_of, version_of

from tacita.queries.answer import FigureStatus
from tacita.queries.cube.cube import Cube
from tacita.queries.noise.perturbed import PerturbedFigures
from tacita.queries.noise.sampled import SampledFigures, counts_behind
from tacita.queries.policy.policy import AnswerMode

PERTURBED = policy_of(AnswerMode.PERTURBED, {"deviation": Fraction(1, 10), "count_deviation": Fraction(3)})
TRUE_STATISTICS = (COUNT, SUM, AVERAGE, RATIO)


def _sample_policy(share: str) -> object:
    return policy_of(AnswerMode.SAMPLE, {"share": Fraction(share)})


def _cube(policy: object, cells: int = 12, records: int = 240) -> Cube:
    values = [(37 * place * place) % (LARGEST + 1) for place in range(records)]
    return cube_with(policy, values, [f"c{place % cells:02}" for place in range(records)])  # type: ignore[arg-type]


def _subsets(cube: Cube, number: int) -> list[np.ndarray]:
    """Return different sets of cells, half of them or more."""
    draw = np.random.default_rng(1)
    sets = {tuple((draw.random(len(cube)) < 0.75).tolist()) for _ in range(2 * number)}
    return [np.asarray(one) for one in sorted(sets) if sum(one) >= 4][:number]


def _true(cube: Cube, cells: np.ndarray) -> tuple[float, ...]:
    places = cube.records_of(cells)
    x, y = cube.values["x"][places], cube.values["y"][places]
    return len(places), x.sum(), x.mean(), x.sum() / y.sum()


@pytest.mark.parametrize("mode", ["perturbed", "0.8", "0.3", "0.05"])
def test_the_true_figure_is_within_the_error_as_often_as_is_said(mode: str) -> None:
    is_sample = mode != "perturbed"
    cube = _cube(_sample_policy(mode) if is_sample else PERTURBED)
    mechanism = (SampledFigures if is_sample else PerturbedFigures)(version_of(cube))
    sets = _subsets(cube, 400)
    rows = mechanism.figures(asking(TRUE_STATISTICS, sets), mechanism.price(asking(TRUE_STATISTICS, sets)))
    outside = np.zeros(len(TRUE_STATISTICS))
    for row, cells in zip(rows, sets, strict=True):
        for place, (figure, true) in enumerate(zip(row, _true(cube, cells), strict=True)):
            if figure.status is FigureStatus.NOISY:
                outside[place] += abs(float(figure.value or 0) - true) > float(figure.error or 0) + 1e-9
    # Of 400 figures 20 may be outside: more than 46 of them one time in 10^7.
    assert (outside <= 46).all(), outside


def test_errors_of_counts_are_as_large_as_they_are_said_to_be() -> None:
    cube = _cube(PERTURBED)
    sets = _subsets(cube, 400)
    rows = PerturbedFigures(version_of(cube)).figures(asking([COUNT, SUM], sets), None)  # type: ignore[arg-type]
    counts = [float(row[0].value or 0) - _true(cube, cells)[0] for row, cells in zip(rows, sets, strict=True)]
    sums = [float(row[1].value or 0) - _true(cube, cells)[1] for row, cells in zip(rows, sets, strict=True)]
    for errors, deviation in ((np.array(counts), 3.0), (np.array(sums), 0.1 * LARGEST)):
        assert 0.8 < errors.std() / deviation < 1.2
        assert abs(errors.mean()) < 5 * deviation / 20
    # A twentieth of the errors is beyond the interval, not none: it is not larger than it has to be.
    assert 2 <= sum(abs(error) > float(rows[0][1].error or 0) for error in sums) <= 46


@pytest.mark.parametrize("mode", ["perturbed", "sample"])
def test_one_set_of_records_has_one_figure_and_another_secret_another(mode: str) -> None:
    cube = _cube(PERTURBED if mode == "perturbed" else _sample_policy("0.5"))
    kind = PerturbedFigures if mode == "perturbed" else SampledFigures
    sets = _subsets(cube, 30)

    def figures(secret: bytes) -> tuple[object, ...]:
        return kind(version_of(cube, secret)).figures(asking([SUM], sets), None)  # type: ignore[arg-type]

    assert figures(b"k" * 32) == figures(b"k" * 32)
    same = sum(a == b for a, b in zip(figures(b"k" * 32), figures(b"l" * 32), strict=True))
    assert same < len(sets) / 2
    # Each question by itself has the figures that it has among others.
    alone = kind(version_of(cube)).figures(asking([SUM], sets[:1]), None)  # type: ignore[arg-type]
    assert alone[0] == figures(b"k" * 32)[0]


def test_a_sample_of_fewer_people_than_the_minimum_is_not_shown() -> None:
    """Its sum would be the value of one, or of a few who know each other."""
    cube = _cube(_sample_policy("0.2"), cells=80, records=240)
    mechanism = SampledFigures(version_of(cube))
    masks = [np.arange(len(cube)) == cell for cell in range(len(cube))]
    rows = mechanism.figures(asking([COUNT, SUM], masks), mechanism.price(asking([COUNT, SUM], masks)))
    answered = [float(row[0].value or 0) for row in rows if row[0].is_answered]
    assert 0 < len(answered) < len(rows)
    assert min(answered) >= 2 / 0.2  # two records were sampled, at least


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9])
@pytest.mark.parametrize("records", [1, 5, 40, 900])
def test_the_number_of_records_is_behind_its_sample_as_often_as_is_said(records: int, share: float) -> None:
    sampled = np.random.default_rng(records).binomial(records, share, 2_000)
    bounds = {int(one): counts_behind(int(one), share, 0.05) for one in np.unique(sampled)}
    inside = sum(bounds[int(one)][0] <= records <= bounds[int(one)][1] for one in sampled)
    assert inside >= 1_850  # 95 % but for one time in 10^6
