"""A small file of people whose zip code determines their city, for tests of concealing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import tacita as tc
from tacita.api.dataset import Dataset

N = 120


def people() -> dict[str, list[Any]]:
    """Return the columns: zip determines city; age, sex and illness are independent."""
    random = np.random.default_rng(2)
    zips = random.integers(0, 12, N)
    return {
        "person": [f"P{i:03d}" for i in range(N)],
        "zip": (zips + 10_000).tolist(),
        "city": [f"city{number // 4}" for number in zips],
        "age": random.integers(10, 90, N).tolist(),
        "sex": random.choice(["f", "m"], N).tolist(),
        "illness": random.choice(["flu", "asthma", "none"], N).tolist(),
    }


def dataset(columns: Mapping[str, Sequence[Any]] | None = None) -> Dataset:
    return tc.read(pa.table(dict(columns or people())))


def table(path: Path, wanted: Mapping[str, str]) -> str:
    """Write a table of policies and return its name."""
    lines = ["person,confidential", *(f"{person},{names}" for person, names in wanted.items())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def some(names: str, start: int = 0, stop: int = 40, step: int = 2) -> dict[str, str]:
    """Return a policy for some people."""
    return {f"P{i:03d}": names for i in range(start, stop, step)}
