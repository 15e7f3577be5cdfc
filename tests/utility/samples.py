"""Records of every kind for tests of losses."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import numpy as np
import pytest

from tacita.model.records import Categories, Numbers, Records

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = Path(os.environ.get("TACITA_SHARED", ROOT.parent / "shared")) / "reference"


def mixed(n: int = 120, seed: int = 5) -> Records:
    """Numbers with correlations, whole numbers, categories with and without order, weights, missing values."""
    draw = np.random.default_rng(seed)
    income = draw.lognormal(3, 0.6, n)
    spent = income * 0.7 + draw.normal(0, 4, n)
    wealth = draw.normal(100, 30, n) + income
    wealth[::17] = np.nan
    area = [None if i % 19 == 4 else ("north", "south", "centre")[k] for i, k in enumerate(draw.integers(0, 3, n))]
    school = [("none", "basic", "middle", "high")[k] for k in draw.integers(0, 4, n)]
    votes = ["yes!" if z > 0 else "nope" for z in draw.normal(0, 1, n) + (income - 20) / 20]
    return Records(
        {
            "income": Numbers(income),
            "spent": Numbers(spent),
            "wealth": Numbers(wealth),
            "rooms": Numbers(draw.integers(1, 7, n).astype(float), is_whole=True),
            "area": Categories.of(area),
            "school": Categories.of(school, order=("none", "basic", "middle", "high")),
            "votes": Categories.of(votes),
            "weight": Numbers(np.where(np.arange(n) % 10 == 0, 0.0, draw.uniform(1, 5, n))),
        }
    )


def reference_matrix(path: str) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """A file of the peers' reference data as a matrix; the test is skipped where these are not there."""
    file = REFERENCE / path
    if not file.exists():
        pytest.skip(f"no reference data of peers ({path})")
    with file.open(encoding="utf-8") as lines:
        rows = list(csv.reader(lines))
    return np.array(rows[1:], dtype=float)


def as_records(matrix: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Records:
    """A matrix as records x0, x1, ..."""
    return Records({f"x{i}": Numbers(column.copy()) for i, column in enumerate(matrix.T)})
