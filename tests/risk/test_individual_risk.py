"""Individual risk: sdcMicro's figures, the integral that defines it, and no failure for any frequency."""

from __future__ import annotations

import csv
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from tests.risk.samples import column, microdata

import tacita as tc
from tacita.risk.identity.individual_risk import IndividualRisk, RiskEstimate
from tacita.risk.identity.posterior import posterior_mean, sdcmicro_approximation
from tacita.risk.identity.reidentification import Reidentification
from tacita.risk.sample import Sample

KV5 = ["urbrur", "roof", "walls", "water", "electcon"]
KV7 = [*KV5, "relat", "sex"]


def reference(shared: Path, name: str) -> list[dict[str, str]]:
    with (shared / "sdcmicro" / name).open() as file:
        return list(csv.DictReader(file))


def microdata_of(shared: Path, weight: str = "sampling_weight") -> tc.Dataset:
    return tc.read(shared / "data/sdcmicro/testdata.csv").with_roles(quasi=KV7, weight=weight)


@pytest.mark.parametrize(("known", "file"), [(KV5, "kv5"), (KV7, "kv7")])
def test_sdcmicros_approximation(shared: Path, known: list[str], file: str) -> None:
    rows = reference(shared, f"freqcalc_testdata_{file}.csv")
    found = IndividualRisk(RiskEstimate.APPROXIMATE).risks(Sample.of(microdata_of(shared).microdata, known))
    assert column(found, "frequency") == [int(row["fk"]) for row in rows]
    assert column(found, "population") == pytest.approx([float(row["Fk"]) for row in rows], rel=1e-12)
    assert column(found, "risk") == pytest.approx([float(row["rk_approx"]) for row in rows], rel=1e-9)
    assert sum(column(found, "risk")) == pytest.approx({"kv5": 0.9106, "kv7": 10.7783}[file], abs=5e-5)


@pytest.mark.parametrize(("known", "file"), [(KV5, "kv5"), (KV7, "kv7")])
def test_exact_where_sdcmicro_is(shared: Path, known: list[str], file: str) -> None:
    """sdcMicro's exact form is NaN or garbage from f = 171 on: ours goes on."""
    rows = reference(shared, f"freqcalc_testdata_{file}.csv")
    risks = column(IndividualRisk().risks(Sample.of(microdata_of(shared).microdata, known)), "risk")
    usable = [i for i, row in enumerate(rows) if int(row["fk"]) < 171]
    assert [risks[i] for i in usable] == pytest.approx([float(rows[i]["rk_exact"]) for i in usable], rel=1e-9)
    assert all(0 < risk <= 1 for risk in risks)


def test_household_weights(shared: Path) -> None:
    rows = reference(shared, "freqcalc_testdata_kv7_hhw.csv")
    data = microdata_of(shared, "household_weights").microdata
    found = IndividualRisk(RiskEstimate.APPROXIMATE).risks(Sample.of(data, KV7))
    assert column(found, "risk") == pytest.approx([float(row["rk_approx"]) for row in rows], rel=1e-9)


@pytest.mark.parametrize("f", [1, 2, 3, 7, 59, 60, 61, 170, 171, 1000, 1.5, 2.1, 59.5, 1.001, 2.999999])
@pytest.mark.parametrize("p", [1e-6, 0.001, 0.01, 0.3, 0.4999, 0.5, 0.9, 0.999, 1.0])
def test_it_is_the_integral(f: float, p: float) -> None:
    """p times the integral of s^(f-1) / (p + (1-p) s): by quadrature, after s = exp(-t)."""
    steps = [0.0, 1.0, 5.0, 20.0, 60.0, 200.0, 2000.0]
    integral = sum(
        quad(lambda t: math.exp(-f * t) / (p + (1 - p) * math.exp(-t)), a, b, epsabs=1e-15, epsrel=1e-11)[0]
        for a, b in pairwise(steps)
    )
    found = posterior_mean(np.array([f]), np.array([f / p]))[0]
    assert found == pytest.approx(p * integral, rel=1e-8)


@pytest.mark.parametrize("f", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("distance", [1e-15, 1e-14, 1e-12, 1e-10, 1e-8, -1e-15, -1e-12, -1e-10])
def test_a_frequency_that_missed_a_whole_number_by_a_rounding(f: int, distance: float) -> None:
    """Sums of shares give 3.0000000000000004 and the like."""
    if f + distance >= 1 or abs(distance) < 1e-9:
        near = np.array([f * (1 + distance)])
        assert posterior_mean(near, near * 100) == pytest.approx(
            posterior_mean(np.array([f]), np.array([100.0 * f])), rel=1e-6
        )


def test_closed_forms() -> None:
    p = np.array([0.001, 0.02, 0.25, 0.4])
    one, two = np.ones(4), np.full(4, 2.0)
    assert posterior_mean(one, one / p) == pytest.approx(p / (1 - p) * np.log(1 / p), rel=1e-12)
    odds = p / (1 - p)
    assert posterior_mean(two, two / p) == pytest.approx(odds - odds**2 * np.log(1 / p), rel=1e-12)


@pytest.mark.parametrize(("p", "too_high"), [(0.01, 0.004), (0.1, 0.027), (0.5, 0.035)])
def test_how_wrong_the_approximation_is(p: float, too_high: float) -> None:
    f = np.array([3.0])
    ratio = sdcmicro_approximation(f, f / p)[0] / posterior_mean(f, f / p)[0]
    assert ratio - 1 == pytest.approx(too_high, abs=0.002)


def test_between_the_bounds_for_millions() -> None:
    f = np.array([1, 3, 1e5, 1e7])
    for population in (f, 2 * f, 1000 * f):
        risk = posterior_mean(f, population)
        assert (risk >= 1 / population - 1e-15).all()
        assert (risk <= 1 / f + 1e-15).all()


def test_weights_below_1_give_no_risk_above_1() -> None:
    """sdcMicro gives more than 1."""
    data = microdata([{"a": "x", "w": 0.25}, {"a": "y", "w": 0.5}, {"a": "y", "w": 0.5}], quasi=["a"], weight="w")
    for estimate in RiskEstimate:
        assert all(0 <= risk <= 1 for risk in column(IndividualRisk(estimate).risks(Sample.of(data.microdata)), "risk"))


def test_without_weights_the_file_is_the_population() -> None:
    data = microdata([{"a": "x"}, {"a": "y"}, {"a": "y"}], quasi=["a"])
    found = IndividualRisk().risks(Sample.of(data.microdata))
    assert column(found, "risk") == pytest.approx([1, 0.5, 0.5])
    assert "no weight" in found.notes[0]


def test_figure_1_of_the_paper() -> None:
    """Highest re-identification risk: tuple 15, 1/30; lowest: tuple 7, 1/300; tuple 4 is unique on three: 1/60.

    On all five quasi-identifiers every tuple is unique, so its weight is its population.
    """
    data = tc.sample("figure-1").microdata
    risks = column(Reidentification().risks(Sample.of(data)), "risk")
    assert max(risks) == risks[14] == pytest.approx(1 / 30)
    assert min(risks) == risks[6] == pytest.approx(1 / 300)
    three = Reidentification().risks(Sample.of(data, ["Area", "Sector", "Employees"]))
    assert column(three, "risk")[3] == pytest.approx(1 / 60)
    assert column(three, "frequency")[3] == 1
    assert not math.isclose(column(three, "risk")[2], 1 / 70)
