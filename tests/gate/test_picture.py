"""The figures of the paper, recomputed; and that what is kept record by record equals what is computed at once."""

from __future__ import annotations

from math import log, log2

import numpy as np
import pytest
from experiments.soldiers import BASELINE, COUNTS
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammaln

from tacita.gate.picture.evidence import TargetEvidence, concentration_at, evidence_of, usual_concentration
from tacita.gate.picture.fixed_point import UNIT, Growth, bits
from tacita.gate.picture.leaders import NOBODY, Leaders
from tacita.gate.picture.measures import ExposureTable
from tacita.gate.picture.picture import Picture

TABLE = ExposureTable(COUNTS, BASELINE)
RECORDS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=120)
SHARES = np.array([0.4, 0.3, 0.2, 0.09, 0.01])


# -- truth: the figures of section 4 of the paper, recomputed


def test_distances_of_figure_2() -> None:
    # the paper prints 0.12, 0.42, 0.07, 0.06, 0.06, which is not what formula (1) gives on its table
    assert TABLE.distances() == pytest.approx([0.0473, 0.3588, 0.0140, 0.0074, 0.0109], abs=5e-5)


def test_mutual_information_of_figure_2() -> None:
    assert TABLE.mutual_information() == pytest.approx(0.0633, abs=5e-5)


def test_outliers_of_figure_2() -> None:
    assert TABLE.distances().std() == pytest.approx(0.1363, abs=5e-5)
    assert TABLE.outlier_threshold() == pytest.approx(0.1996, abs=5e-5)
    assert TABLE.outliers().tolist() == [False, True, False, False, False]


def test_exposures_of_figure_2() -> None:
    assert TABLE.exposures() == pytest.approx([0.0096, 0.0466, 0.0023, 0.0015, 0.0033], abs=5e-5)
    assert TABLE.average_exposure() == pytest.approx(0.0127, abs=5e-5)
    assert TABLE.exposure_threshold() == pytest.approx(0.0299, abs=5e-5)


def test_both_readings_of_the_average_exposure_agree_on_the_whole_table() -> None:
    assert TABLE.average_exposure() == pytest.approx(TABLE.mutual_information() / 5, abs=1e-12)


def test_the_largest_baselines_that_fit_inside() -> None:
    assert TABLE.largest_fits().tolist() == [500, 579, 952, 952, 952]
    assert (TABLE.fits() <= COUNTS).all()


def test_bayes_factors_of_figure_2() -> None:
    ordinary = concentration_at(float(np.delete(TABLE.distances(), 1).mean()), 10)
    assert ordinary == pytest.approx(326, abs=0.5)
    picture = Picture(BASELINE, 5)
    picture.load(COUNTS.tolist())
    evidence = TargetEvidence(picture, 18.0, 326.0)
    factors = [level / UNIT * log(2) for level in evidence.levels]
    assert factors == pytest.approx([-2.2, 39.7, -11.1, -12.2, -11.5], abs=0.05)
    assert usual_concentration(10) == 18.0


def test_exposures_sum_to_the_information_and_the_distance_of_the_margin() -> None:
    counts = np.array([[9, 1, 0], [2, 3, 4], [0, 5, 5]])
    table = ExposureTable(counts, np.array([0.5, 0.3, 0.2]))
    margin = counts.sum(axis=0) / counts.sum()
    beyond = float((margin * np.log2(margin / table.baseline)).sum())
    assert table.exposures().sum() == pytest.approx(table.mutual_information() + beyond)


# -- record by record equals at once ---------------------------------------------------------------------------------


def test_the_table_of_growth_is_exact() -> None:
    growth = Growth()
    growth.reach(200_000)
    for count in (0, 1, 2, 7, 999, 1000, 1001, 50_000, 199_999):
        exact = (count + 1) * log2(count + 1) - (count * log2(count) if count else 0)
        assert bits(growth[count]) == pytest.approx(exact, abs=2e-9)
    assert growth.upto(1 << 17) == pytest.approx((1 << 17) * 17 * UNIT, rel=1e-12)


@pytest.mark.slow
@given(RECORDS)
def test_incremental_counts_equal_recomputation(records: list[tuple[int, int]]) -> None:
    picture = Picture(SHARES, 4)
    evidence, ordinary = TargetEvidence(picture, 8.0), TargetEvidence(picture, 8.0, 100.0)
    for target, value in records:
        for one in (evidence, ordinary):
            one.put(target, one.with_(target, value))
        picture.add(target, value)
    table = picture.table()
    again = Picture(SHARES, 4)
    again.load(picture.counts)
    assert (again.excess, again.sizes, again.total) == (picture.excess, picture.sizes, picture.total)
    assert TargetEvidence(again, 8.0).levels == evidence.levels
    assert TargetEvidence(again, 8.0, 100.0).levels == ordinary.levels
    assert [picture.distance(target) for target in range(4)] == pytest.approx(table.distances(), abs=1e-9)
    if records:
        assert [picture.exposure(target) for target in range(4)] == pytest.approx(table.exposures(), abs=1e-9)
    factors = [level / UNIT for level in evidence.levels]
    assert factors == pytest.approx([evidence_of(row, SHARES, 8.0) for row in picture.counts], abs=1e-9)
    assert factors == pytest.approx([_factor(row) for row in picture.counts], abs=1e-9)


def _factor(counts: list[int]) -> float:
    """The Bayes factor by gamma functions, apart from the code of the gate."""
    row = np.array(counts)
    alpha = 8.0 * SHARES
    level = gammaln(alpha + row).sum() - gammaln(alpha).sum() + gammaln(8.0) - gammaln(8.0 + row.sum())
    return float(level - (row * np.log(SHARES)).sum()) / log(2)


@pytest.mark.slow
@given(RECORDS, st.randoms(use_true_random=False))
def test_the_state_does_not_depend_on_the_order(records: list[tuple[int, int]], random: object) -> None:
    shuffled = records.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    states = []
    for order in (records, shuffled):
        picture = Picture(SHARES, 4)
        evidence = TargetEvidence(picture, 8.0)
        for target, value in order:
            evidence.put(target, evidence.with_(target, value))
            picture.add(target, value)
        states.append((picture.counts, picture.sizes, picture.excess, evidence.levels))
    assert states[0] == states[1]  # to the last digit


@given(
    st.lists(st.integers(0, 5), max_size=90),
    st.lists(st.tuples(st.integers(0, 200), st.integers(-3, 9)), max_size=300),
    st.integers(1, 3),
)
@settings(max_examples=60)
def test_leaders_know_the_most_distant_targets(levels: list[int], changes: list[tuple[int, int]], place: int) -> None:
    leaders = Leaders(place)
    now = dict(enumerate(levels))
    for target, level in now.items():
        leaders.change(target, level)
    for number, (target, level) in enumerate(changes):
        if level < 0:
            now.pop(target, None)
            leaders.forget(target)
        else:
            now[target] = level
            leaders.change(target, level)
        asked_for = (number * 5) % 200
        others = sorted((one for other, one in now.items() if other != asked_for), reverse=True)
        assert leaders.beside(asked_for) == (others[0] if others else NOBODY)
        assert leaders.highest(asked_for, place) == others[:place]
    assert leaders.levels == now
