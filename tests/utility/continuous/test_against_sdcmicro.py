"""Losses of numbers against sdcMicro 5.8.1 (`dUtility`, `IL_variables`) on public reference files."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.utility.samples import REFERENCE, as_records, reference_matrix

from tacita.utility.continuous.bounded_distance import BoundedDistance
from tacita.utility.continuous.data import Data
from tacita.utility.continuous.eigenvalues import Eigenvalues
from tacita.utility.continuous.scaled_distance import ScaledDistance

Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def _told(file: str, key: str) -> dict[str, float]:
    path = REFERENCE / "sdcmicro" / file
    if not path.exists():
        pytest.skip(f"no reference data of peers ({file})")
    told: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8"))
    return told[key]


def _casc(which: str) -> tuple[Matrix, Matrix]:
    x = reference_matrix("data/sdcmicro/CASCrefmicrodata.csv")
    return x, {
        "xm1": lambda: x * 1.02,
        "xm2": lambda: x + 0.04 * x.std(axis=0, ddof=1),
        "xm3": lambda: np.round(x / 1000) * 1000,
        "xm4": lambda: reference_matrix("sdcmicro/microagg_CASC_mdav_3.csv"),
    }[which]()


@pytest.mark.parametrize("which", ["xm1", "xm2", "xm3", "xm4"])
def test_il1s_and_bounded_distance_on_casc(which: str) -> None:
    told = _told("drisk_dutility_casc.json", which)
    before, after = map(as_records, _casc(which))
    found = ScaledDistance().lost(before, after, before.names).figures
    assert found["IL1s total"] == pytest.approx(told["dUtility_IL1s"], rel=1e-9)
    assert found["IL1s"] == pytest.approx(told["dUtility_IL1old"], rel=1e-9)
    assert BoundedDistance().lost(before, after, before.names).figure == pytest.approx(told["IL_variables"], rel=1e-9)


@pytest.mark.parametrize("which", ["xm1", "xm2", "xm4"])
def test_mean_variation_is_il1_by_cell_on_casc(which: str) -> None:
    told = _told("drisk_dutility_casc.json", which)
    one, two = _casc(which)
    found = Data().lost(as_records(one), as_records(two), [f"x{i}" for i in range(13)]).figures["X mean variation"]
    # cells that were 0 and changed are left out by both
    cells = int(((one != 0) | (two == one)).sum())
    assert 100 * found * cells == pytest.approx(told["dUtility_IL1"], rel=1e-9)


@pytest.mark.parametrize("method", ["mdav_3", "mdav_5", "mdav_10", "onedims_3", "pca_3"])
def test_eigenvalues_on_tarragona(method: str) -> None:
    told = _told("microaggregation.json", f"Tarragona_{method}")
    before = as_records(reference_matrix("data/sdcmicro/Tarragona.csv"))
    after = as_records(reference_matrix(f"sdcmicro/microagg_Tarragona_{method}.csv"))
    assert Eigenvalues().lost(before, after, before.names).figure == pytest.approx(told["eigen"], rel=1e-6)
    assert ScaledDistance().lost(before, after, before.names).figures["IL1s total"] == pytest.approx(
        told["IL1s"], rel=1e-6
    )


def test_a_singular_covariance_does_not_decide() -> None:
    """CASC has attributes that are sums of others: sdcMicro divides by rounding errors there (eigen = -1.5e12)."""
    before, after = map(as_records, _casc("xm3"))
    found = Eigenvalues().lost(before, after, before.names)
    assert 0 <= found.figure < 10
    assert any("without variance" in note for note in found.notes)
    for which in ("xm1", "xm2"):  # a change of unit or origin changes no correlation
        before, after = map(as_records, _casc(which))
        assert Eigenvalues().lost(before, after, before.names).figure == pytest.approx(0, abs=1e-6)
