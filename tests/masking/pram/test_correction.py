"""The estimator that corrects tables for PRAM: unbiased, with a covariance that holds."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.errors import InputError, UsageError
from tacita.masking.pram.correction import corrected, corrected_table
from tacita.masking.pram.given import Pram
from tacita.masking.pram.transitions import Transitions
from tacita.model.records import Categories, Records

A = Transitions(("a", "b", "c"), np.array([[0.8, 0.1, 0.1], [0.05, 0.9, 0.05], [0.2, 0.1, 0.7]]))
B = Transitions(("x", "y"), np.array([[0.9, 0.1], [0.3, 0.7]]))
COUNTS = np.array([[50, 10], [5, 100], [20, 15]])


def file() -> Records:
    cells = [(i, j) for i in range(3) for j in range(2) for _ in range(COUNTS[i, j])]
    one, two = (np.array([cell[way] for cell in cells], dtype=np.int32) for way in (0, 1))
    return Records({"one": Categories(one, A.values), "two": Categories(two, B.values)})


@pytest.mark.slow
def test_two_ways_are_unbiased_and_the_covariance_holds() -> None:
    records, random = file(), np.random.default_rng(3)
    estimates, variances, covariances = [], [], []
    for _ in range(1500):
        drawn = {
            name: way.values and Categories(way.drawn(records.categories(name).codes, random), way.values)
            for name, way in (("one", A), ("two", B))
        }
        found = corrected_table(Records(drawn), ["one", "two"], {"one": A, "two": B})
        estimates.append(found.counts)
        variances.append(found.variances)
        covariances.append(found.covariance)
    held = np.array(estimates)
    spread = held.std(axis=0, ddof=1)
    assert np.all(np.abs(held.mean(axis=0) - COUNTS) < 4 * spread / np.sqrt(len(held)))
    # The sample variance of about normal estimates has a relative error of sqrt(2 / runs), 3.7 %.
    np.testing.assert_allclose(np.mean(variances, axis=0), spread**2, rtol=0.15)
    covariance = np.mean(covariances, axis=0)
    np.testing.assert_allclose(np.diag(covariance).reshape(3, 2), np.mean(variances, axis=0), rtol=1e-9)
    scale = np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    assert (np.abs(np.cov(held.reshape(len(held), -1).T) - covariance) / scale).max() < 0.13


def test_the_matrix_beside_a_release_corrects_it() -> None:
    records = Records({"one": Categories(np.repeat([0, 1, 2], 40_000).astype(np.int32), A.values)})
    table = {a: dict(zip(A.values, row, strict=True)) for a, row in zip(A.values, A.matrix.tolist(), strict=True)}
    found = Pram("one", matrix=table, publish_matrix=True).treated(records, np.random.default_rng(1))
    matrix = Transitions.of_records(found.beside["pram one"])
    table_ = corrected_table(found.records, ["one"], {"one": matrix})
    assert np.all(np.abs(table_.counts - 40_000) < 4 * np.sqrt(table_.variances))
    biased = found.records.categories("one").counts
    assert np.any(np.abs(biased - 40_000) > 4 * np.sqrt(table_.variances))


def test_a_way_without_a_matrix_is_left_alone_and_missing_values_are_left_out() -> None:
    codes = np.array([0, 0, 1, 1, -1], dtype=np.int32)
    records = Records({"one": Categories(codes, B.values), "two": Categories(codes, B.values)})
    found = corrected_table(records, ["one", "two"], {"one": B})
    np.testing.assert_allclose(found.counts, np.linalg.inv(B.matrix.T) @ np.diag([2.0, 2.0]))


@pytest.mark.parametrize("other", [[0.5, 0.5], [0.5 + 1e-10, 0.5 - 1e-10]])
def test_a_singular_matrix_is_refused(other: list[float]) -> None:
    with pytest.raises(InputError, match="singular") as caught:
        corrected([1, 2], [Transitions(("x", "y"), np.array([[0.5, 0.5], other]))])
    assert caught.value.do


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(UsageError, match="do not fit"):
        corrected([1, 2, 3], [B])
    with pytest.raises(InputError, match="1 values of 'one' are not in its matrix"):
        corrected_table(Records({"one": Categories.of(["x", "z"])}), ["one"], {"one": B})
    with pytest.raises(UsageError, match="no attribute"):
        corrected_table(file(), [], {})
    many, few = Transitions.identity(tuple(range(101))), Transitions.identity(tuple(range(20)))
    with pytest.raises(UsageError, match="covariance"):
        corrected(np.ones((101, 20)), [many, few]).covariance  # noqa: B018
