"""The same data, settings and seed give the same suppressions, whatever the threads of an engine did."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from sqlglot import exp

import tacita as tc
from tacita.cycle.anonymize import anonymize
from tacita.cycle.plan import Plan
from tacita.cycle.suppression.routing import TupleOrder, ranks
from tacita.engines.duckdb.engine import DuckDBEngine
from tacita.engines.protocol import Relation
from tacita.model.relation import Column
from tacita.risk.combinations import codes
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.null_semantics import Nulls, Semantics
from tacita.risk.sample import Sample
from tacita.settings import Settings

pytestmark = pytest.mark.slow

NAMES = ("a", "b", "c", "d")


class Disordered(DuckDBEngine):
    """An engine whose groups come in another order each time, unless a plan says in which."""

    turn = 0

    def store(self, plan: exp.Query, columns: list[Column]) -> Relation:  # type: ignore[override]
        if plan.args.get("group") and not plan.args.get("order"):
            keys = [term.sql(self.dialect) for term in plan.args["group"].expressions]
            plan = plan.copy().order_by(f"hash({', '.join(keys)}, {self.turn})", dialect=self.dialect)
        return super().store(plan, columns)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Disordered]:
    with Disordered(Settings(memory="512MB", threads=1, spill=tmp_path, state=tmp_path / "s")) as engine:
        yield engine


def table(rows: int = 120) -> pa.Table:
    dice = np.random.default_rng(4)
    return pa.table({name: [f"v{i}" for i in dice.integers(0, 5, rows)] for name in NAMES})


@pytest.mark.parametrize(
    "nulls",
    [Nulls(semantics=Semantics.ALPHA, alpha=0.0), Nulls(), Nulls(semantics=Semantics.EXPECTED)],
    ids=["strict", "maybe", "expected"],
)
def test_the_order_of_groups_decides_nothing(engine: Disordered, nulls: Nulls) -> None:
    """There are hundreds of suppressions as small: which one is taken must not hang on who was ready first."""
    chosen = set()
    for turn in range(4):
        engine.turn = turn
        data = tc.read(table(), engine=engine).with_roles(quasi=NAMES)
        outcome = anonymize(data.microdata, Plan(KAnonymity(3), nulls=nulls))
        chosen.add(tuple((d.tuple_id, d.attribute) for d in outcome.decisions))
    assert len(chosen) == 1


def test_combinations_come_in_the_order_of_their_values(engine: Disordered) -> None:
    data = tc.read(table().append_column("e", [[None, "x"] * 60]), engine=engine).with_roles(quasi=[*NAMES, "e"])
    coded = codes(Sample.of(data.microdata))
    known = [values.to_pylist() for values in coded.values]
    rows = [tuple("" if c < 0 else known[p][c] for p, c in enumerate(row)) for row in coded.codes.tolist()]
    assert rows == sorted(rows)
    assert len(rows) > 60


def test_the_last_digits_of_a_risk_do_not_order_records() -> None:
    risk = 0.1 + 0.2
    assert ranks(TupleOrder.MOST_RISKY_FIRST, [1, 2], [1.0, 1.0], [0.3, risk]) == [0, 1]
    assert ranks(TupleOrder.LESS_SIGNIFICANT_FIRST, [1, 2], [1.0, 1.0], [0.3, risk]) == [0, 1]
