"""Small microdata for tests of risk: every kind of column, nulls, weights, households."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import tacita as tc
from tacita.api.dataset import Dataset
from tacita.model.dictionary import MissingAs
from tacita.risk.measure import ROW, Risks
from tacita.risk.null_semantics import Distribution, Nulls, Semantics

CATEGORY = Nulls(MissingAs.CATEGORY)
MAYBE = Nulls()
STANDARD = Nulls(semantics=Semantics.STANDARD)
HALF = Nulls(semantics=Semantics.ALPHA, alpha=0.5)
EXPECTED = Nulls(semantics=Semantics.EXPECTED)
MARGINAL = Nulls(semantics=Semantics.EXPECTED, distribution=Distribution.MARGINAL)
ALL_NULLS = [CATEGORY, MAYBE, STANDARD, HALF, EXPECTED, MARGINAL]


def microdata(rows: list[dict[str, Any]], **roles: Any) -> Dataset:
    """Rows as a data set with roles."""
    return tc.read(pa.Table.from_pylist(rows), name="db").with_roles(**roles)


def mixed(n: int = 40) -> Dataset:
    """Text, whole numbers, numbers, truth and dates as quasi-identifiers, some missing; weight, household and more."""
    import datetime as dt

    rows = [
        {
            "id": f"p{i}",
            "area": None if i % 11 == 3 else ["north", "south", "centre"][i * 7 % 3],
            "age": None if i % 13 == 5 else 20 + i * 5 % 4,
            "size": [1.5, 2.5][i % 2],
            "urban": bool(i * 3 % 5 < 2),
            "born": dt.date(1990 + i % 2, 1, 1),
            "illness": ["flu", "cold", "none", None][i * i % 4],
            "income": float(i * 37 % 100),
            "weight": 1.0 + i % 7,
            "home": i // 3,
        }
        for i in range(n)
    ]
    return microdata(
        rows,
        quasi=["area", "age", "size", "urban", "born"],
        sensitive=["illness"],
        identifier=["id"],
        weight="weight",
        cluster="home",
    )


def told(risks: Risks) -> list[dict[str, Any]]:
    """What a measure says, record by record in the order of the data."""
    assert risks.records is not None
    found = [row for batch in risks.records.batches() for row in batch.to_pylist()]
    return sorted(found, key=lambda record: record[ROW])


def column(risks: Risks, name: str) -> list[Any]:
    """One column of what a measure says."""
    return [record[name] for record in told(risks)]
