"""Outlier-aware noise: the bulk gets the noise of the bulk, outliers more of it, singular data are no obstacle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.masking.noise.samples import normal, read

from tacita.errors import InputError, UsageError
from tacita.masking.noise.additive import CorrelatedNoise
from tacita.masking.noise.robust import RobustNoise
from tacita.model.records import Numbers, Records

XY = ("x", "y")


def with_outliers(count: int, out: int) -> Records:
    records = normal(count, 1)
    x = records.numbers("x").values.copy()
    x[:out] = 1000.0
    return records.with_columns({"x": Numbers.of(x)})


def test_the_bulk_gets_noise_of_its_own_spread_and_outliers_more() -> None:
    records = with_outliers(1400, 60)
    before = records.matrix(XY)
    found = RobustNoise(XY, alpha=0.25).treated(records, np.random.default_rng(1))
    noise = found.records.matrix(XY) - before
    bulk = noise[60:]
    inner = np.abs(bulk - np.median(bulk, axis=0))
    assert np.allclose(1.4826 * np.median(inner, axis=0), [5, 1], rtol=0.1)
    # An outlier 95 deviations out gets about 95 / sqrt(7.38) times as much.
    assert np.isclose(noise[:60, 0].std() / 5, 119 / np.sqrt(7.38), rtol=0.35)
    assert found.figures["outliers"] >= 60
    classical = CorrelatedNoise(XY, alpha=0.25).treated(records, np.random.default_rng(1)).records.matrix(XY) - before
    assert classical[60:, 0].std() > 4 * bulk[:, 0].std()  # there the outliers blow it up


def test_units_do_not_hide_outliers() -> None:
    draw = np.random.default_rng(2)
    share, turnover = draw.normal(0, 0.1, 500), draw.normal(0, 1e7, 500)
    share[-1] = 50.0
    records = Records({"turnover": Numbers.of(turnover), "share": Numbers.of(share)})
    found = RobustNoise(("turnover", "share"), alpha=0.1).treated(records, np.random.default_rng(1))
    noise = np.abs(found.records.numbers("share").values - share)
    assert noise[-1] > 10 * noise[:-1].max()


def test_sums_survive() -> None:
    records = with_outliers(200, 5)
    parts = records.matrix(XY)
    whole = records.with_columns({"sum": Numbers.of(parts.sum(axis=1))})
    after = RobustNoise((*XY, "sum")).treated(whole, np.random.default_rng(1)).records.matrix((*XY, "sum"))
    assert np.allclose(after[:, 0] + after[:, 1], after[:, 2])
    assert np.all(after[:, 0] != parts[:, 0])


def test_mostly_zero_attributes_are_told_and_get_noise() -> None:
    draw = np.random.default_rng(1)
    records = Records(
        {
            "x": Numbers.of(np.where(draw.random(300) < 0.8, 0, draw.lognormal(3, 1, 300))),
            "y": Numbers.of(draw.normal(0, 1, 300)),
        }
    )
    found = RobustNoise(XY).treated(records, np.random.default_rng(1))
    assert any("agree in some direction" in note for note in found.notes)
    assert np.all(found.records.matrix(XY) != records.matrix(XY))


def test_reference_data_on_which_sdcmicro_fails(shared: Path) -> None:
    """sdcMicro 5.8.1 stops on these data with a singular system (addnoise.json, outdect)."""
    records = read(shared / "data" / "sdcmicro" / "CASCrefmicrodata.csv")
    after = RobustNoise(records.names).treated(records, np.random.default_rng(1)).records.matrix(records.names)
    assert np.isfinite(after).all() and np.all((after != records.matrix(records.names)).mean(axis=0) > 0.99)


def test_few_records_and_quantiles_are_refused() -> None:
    with pytest.raises(InputError, match="too few records"):
        RobustNoise(XY).treated(normal(4, 1), np.random.default_rng(1))
    with pytest.raises(UsageError, match="quantile"):
        RobustNoise(XY, quantile=1.0)
