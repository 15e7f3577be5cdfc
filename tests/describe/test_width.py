"""Work on wide tables grows with their columns and no faster: counted in plans and in their terms, not in seconds."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest
from sqlglot import exp

import tacita as tc
from tacita.describe import profile
from tacita.engines.context import Context
from tacita.engines.duckdb import DuckDBEngine

pytestmark = pytest.mark.slow


def table(columns: int) -> pa.Table:
    cells: Sequence[list[object]] = (
        [i % 17 for i in range(60)],
        [i / 7 - 3 if i % 9 else None for i in range(60)],
        [0.0, -0.0] * 30,
        [f"v{i % 5}" for i in range(60)],
        [f"n{i}" for i in range(60)],
        [None] * 60,
        [bool(i % 2) for i in range(60)],
    )
    types = (pa.int64(), pa.float64(), pa.float64(), pa.string(), pa.string(), pa.string(), pa.bool_())
    return pa.table({f"c{i}": pa.array(cells[i % 7], types[i % 7]) for i in range(columns)})


def test_a_wide_table_is_profiled_as_a_narrow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with Context() as context:
        data = tc.read(table(70), context=context)
        wide = data.profiles()
        monkeypatch.setattr(profile, "_FEW", 1000)
        assert wide == data.profiles()


def _work(columns: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Return how many plans a description takes, and how many terms they have together."""
    plans: list[exp.Query] = []
    with monkeypatch.context() as patch, Context() as context:
        data = tc.read(table(columns), context=context)
        for name in ("run", "store"):
            real = getattr(DuckDBEngine, name)

            def noted(self, plan, *rest, real=real):
                plans.append(plan)
                return real(self, plan, *rest)

            patch.setattr(DuckDBEngine, name, noted)
        data.describe(quasi=["c0", "c3"])
    return len(plans), sum(sum(1 for _ in plan.walk()) for plan in plans)


def test_work_grows_with_the_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    (few_plans, few_terms), (many_plans, many_terms) = (_work(n, monkeypatch) for n in (400, 1600))
    assert many_plans <= 4 * few_plans
    assert many_terms <= 4.2 * few_terms
