"""Data, covariances, correlations and principal factors, by hand and by their properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.utility.samples import as_records, mixed

from tacita.errors import InputError, UsageError
from tacita.model.records import Categories, Numbers, Records
from tacita.utility.continuous.data import Data
from tacita.utility.continuous.matrices import Matrices
from tacita.utility.continuous.scaled_distance import ScaledDistance
from tacita.utility.continuous.structure import Structure, structure


def _drawn(seed: int, n: int = 60, p: int = 4) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    draw = np.random.default_rng(seed)
    return draw.normal(size=(n, p)) @ draw.normal(size=(p, p)) + draw.normal(size=p)


def test_the_three_ways_by_hand() -> None:
    before = Records({"x": Numbers.of([1.0, 2.0, 0.0, 4.0]), "y": Numbers.of([10.0, 10.0, 10.0, None])})
    after = Records({"x": Numbers.of([2.0, 2.0, 3.0, 4.0]), "y": Numbers.of([15.0, None, 10.0, 10.0])})
    found = Data().lost(before, after, ["x", "y"])
    # 6 cells known in both: |d| = 1, 0, 3, 0, 5, 0; the cell that was 0 and changed has no variation
    assert found.figures["X mean absolute error"] == pytest.approx(9 / 6)
    assert found.figures["X mean square error"] == pytest.approx(35 / 6)
    assert found.figures["X mean variation"] == pytest.approx(1.5 / 5)
    assert found.figures["became missing"] == pytest.approx(1 / 8)
    assert found.attributes["x"]["mean absolute error"] == 1.0
    assert found.notes == (
        "the mean variation leaves out 1 cell that had been 0",
        "the errors leave out 1 cell that became missing",
    )


def test_standardised_data_have_no_unit() -> None:
    x = _drawn(1)
    y = x + np.random.default_rng(2).normal(0, 0.1, x.shape)
    unit = np.array([1.0, 1000.0, 0.01, 3.0])
    one = Data(standardised=True).lost(as_records(x), as_records(y), ["x0", "x1", "x2", "x3"])
    two = Data(standardised=True).lost(as_records(x * unit), as_records(y * unit), ["x0", "x1", "x2", "x3"])
    assert one.figures == pytest.approx(two.figures)


@given(seed=st.integers(0, 10_000))
def test_factors_reproduce_correlations(seed: int) -> None:
    """RF RF' = R, communalities of all factors are 1, RF really is a correlation, F really projects."""
    x = _drawn(seed)
    found = structure(x)
    assert found is not None
    assert found.factor_correlations @ found.factor_correlations.T == pytest.approx(np.corrcoef(x.T))
    assert found.communalities(4) == pytest.approx(np.ones(4))
    projected = (x - x.mean(axis=0)) / x.std(axis=0) @ found.directions
    seen = np.corrcoef(x.T, projected.T)[:4, 4:]
    assert seen == pytest.approx(found.factor_correlations, abs=1e-8)


def test_matrices_by_hand() -> None:
    x = _drawn(3, p=3)
    y = x + np.random.default_rng(4).normal(0, 0.3, x.shape)
    found = Matrices().lost(as_records(x), as_records(y), ["x0", "x1", "x2"]).figures
    below = np.tril_indices(3, -1)
    apart = np.abs(np.corrcoef(x.T) - np.corrcoef(y.T))[below]
    assert found["R mean absolute error"] == pytest.approx(apart.mean())
    assert found["R mean variation"] == pytest.approx((apart / np.abs(np.corrcoef(x.T)[below])).mean())
    v = (np.cov(x.T) - np.cov(y.T))[np.tril_indices(3)]
    assert found["V mean square error"] == pytest.approx((v**2).mean())
    first = [np.linalg.eigh(np.corrcoef(z.T)) for z in (x, y)]
    c = [values[-1] * vectors[:, -1] ** 2 for values, vectors in first]
    assert found["C mean absolute error"] == pytest.approx(np.abs(c[0] - c[1]).mean())


def test_the_sign_of_a_component_does_not_matter() -> None:
    x = _drawn(6)
    y = x + 1e-9 * np.random.default_rng(1).normal(size=x.shape)
    found = Matrices().lost(as_records(x), as_records(y), ["x0", "x1", "x2", "x3"]).figures
    assert found["F mean absolute error"] < 1e-6
    assert found["RF mean absolute error"] < 1e-6
    one = structure(x)
    assert one is not None
    turned = Structure(one.covariance, one.correlation, one.eigenvalues, one.directions * [1, -1, -1, 1])
    assert turned.turned_to(one).directions.tolist() == one.directions.tolist()


def test_a_cell_that_stayed_0_did_not_vary() -> None:
    before = Records({"x": Numbers.of([0.0, 0.0, 2.0])})
    after = Records({"x": Numbers.of([0.0, 0.0, 3.0])})
    found = Data().lost(before, after, ["x"])
    assert found.figures["X mean variation"] == pytest.approx(0.5 / 3)
    assert found.notes == ()


def test_a_linear_change_of_all_attributes_keeps_correlations() -> None:
    x = _drawn(7)
    found = Matrices(components=2).lost(as_records(x), as_records(3 * x + 5), ["x0", "x1", "x2", "x3"]).figures
    for name in ("R", "RF", "C", "F"):
        assert found[f"{name} mean absolute error"] == pytest.approx(0, abs=1e-9)
    assert found["V mean variation"] == pytest.approx(8)


def test_a_singular_covariance_and_a_constant_have_no_factor() -> None:
    x = _drawn(8, p=2)
    held = as_records(np.column_stack([x, x[:, 0] + x[:, 1], np.full(len(x), 0.1)]))
    found = structure(held.matrix(held.names))
    assert found is not None
    assert (found.eigenvalues > 0).sum() == 3  # two of the plane, and the constant, which is related to nothing
    assert found.correlation[3].tolist() == [0, 0, 0, 1]
    shuffled = held.taken(np.random.default_rng(0).permutation(len(held)))
    again = Matrices().lost(held, shuffled, held.names).figures
    assert all(figure == pytest.approx(0, abs=1e-9) for figure in again.values())


def test_an_attribute_that_no_longer_varies_lost_its_correlations() -> None:
    x = _drawn(9, p=2)
    before = as_records(x)
    after = before.with_columns({"x1": Numbers(np.full(len(x), 2.0))})
    found = Matrices().lost(before, after, ["x0", "x1"]).figures["R mean absolute error"]
    assert found == pytest.approx(abs(np.corrcoef(x.T)[0, 1]))


def test_complete_records_are_taken_and_told() -> None:
    held = mixed()
    found = Matrices().lost(held, held, ["income", "wealth", "area"])
    assert found.notes == (
        "left out, not numbers in both files: area",
        "left out 8 records before with a missing value",
        "left out 8 records after with a missing value",
    )


def test_infinite_values_are_left_out_and_told() -> None:
    before = Records({"x": Numbers.of([1.0, 2.0, 3.0]), "y": Numbers.of([1.0, 5.0, 2.0])})
    after = before.with_columns({"x": Numbers.of([1.0, np.inf, 3.0])})
    for measure in (Data(), ScaledDistance(), Matrices()):
        assert "left out, with infinite values: x" in measure.lost(before, after, ["x", "y"]).notes


def test_one_attribute_has_no_correlation() -> None:
    held = Records({"x": Numbers.of([1.0, 2.0, 3.0])})
    found = Matrices().lost(held, held, ["x"])
    assert np.isnan(found.figure)
    assert found.figures["V mean absolute error"] == 0
    assert "a single attribute has no correlations" in found.notes


def test_scaled_distance_of_an_attribute_without_scale() -> None:
    before = Records({"x": Numbers.of([1.0, 1.0]), "y": Numbers.of([1.0, 3.0])})
    same = ScaledDistance().lost(before, before, ["x", "y"])
    assert same.figure == 0
    changed = ScaledDistance().lost(before, before.with_columns({"x": Numbers.of([1.0, 2.0])}), ["x", "y"])
    assert changed.notes == ("left out, changed from a single value: x",)
    assert "x" not in changed.attributes


def test_numbers_that_became_categories_of_numbers_are_still_numbers() -> None:
    before = Records({"x": Numbers.of([1.0, 3.0])})
    after = Records({"x": Categories.of([1.0, 5.0])})
    assert Data().lost(before, after, ["x"]).figures["X mean absolute error"] == 1.0


def test_bad_parameters_and_pairs_that_are_none() -> None:
    with pytest.raises(UsageError, match="components"):
        Matrices(components=0)
    held = mixed()
    with pytest.raises(InputError, match="in pairs"):
        Data().lost(held, held.taken(np.arange(3)), ["income"])
