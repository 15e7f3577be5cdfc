"""Random orthogonal matrix masking: means and covariances to the last digits, values moved."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.masking.noise.samples import mixed, normal

from tacita.errors import InputError, UsageError
from tacita.masking.noise.orthogonal import OrthogonalMasking, _mixed
from tacita.model.records import Numbers, Records

XY = ("x", "y")


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(3, 70),
    block=st.integers(3, 20),
    strength=st.floats(0.01, 50),
    seed=st.integers(0, 1000),
)
def test_means_and_covariances_are_kept(count: int, block: int, strength: float, seed: int) -> None:
    records = normal(count, seed)
    method = OrthogonalMasking(XY, strength=strength, block=block)
    after = method.treated(records, np.random.default_rng(seed)).records.matrix(XY)
    before = records.matrix(XY)
    assert np.allclose(after.mean(axis=0), before.mean(axis=0), rtol=1e-10)
    assert np.allclose(np.cov(after.T), np.cov(before.T), rtol=1e-8, atol=1e-10)
    assert np.all(after != before)


def test_rotations_are_orthogonal_and_tend_to_no_change() -> None:
    for strength in (1e-6, 0.1, 100.0):
        everything = np.broadcast_to(np.eye(8), (5, 8, 8)).copy()  # what becomes of each record is the matrix itself
        turns = _mixed(everything, strength, np.random.default_rng(1))
        assert np.allclose(turns @ turns.transpose(0, 2, 1), np.eye(8), atol=1e-12)
        assert np.allclose(turns.sum(axis=2), 1)
        assert (np.abs(turns - np.eye(8)).max() < 1e-4) == (strength == 1e-6)


def test_values_move_the_more_the_stronger() -> None:
    records = normal(5000, 1)
    before = records.matrix(XY)
    moves = [
        np.abs(OrthogonalMasking(XY, strength).treated(records, np.random.default_rng(1)).records.matrix(XY) - before)
        for strength in (0.01, 0.1, 1.0, 100.0)
    ]
    means = [float(move.mean()) for move in moves]
    assert means == sorted(means) and means[0] < 0.1 * means[-1]


def test_bad_input() -> None:
    with pytest.raises(InputError, match="missing value"):
        OrthogonalMasking(("wealth",)).treated(mixed(), np.random.default_rng(1))
    with pytest.raises(InputError, match="fewer than three"):
        OrthogonalMasking(("x",)).treated(Records({"x": Numbers.of([1.0, 2.0])}), np.random.default_rng(1))
    for wrong in ({"block": 2}, {"block": 1000}, {"strength": 0.0}, {"strength": np.inf}):
        with pytest.raises(UsageError):
            OrthogonalMasking(XY, **wrong)  # type: ignore[arg-type]
