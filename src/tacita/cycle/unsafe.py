"""The records above the threshold, as arrays that kernels work on, and the safe ones beside them as combinations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.cycle.suppression.look_alikes import CodedRecords
from tacita.engines.arrow import as_arrow, as_numpy
from tacita.engines.plans.terms import as_double, number
from tacita.model.relation import Column, ColumnType
from tacita.risk.bounds import exceeds
from tacita.risk.combinations import NUMBER, codes, combinations, of_each_record
from tacita.risk.measure import RISK, ROW, Risks
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Unsafe:
    """Records above the threshold, in the order of the file."""

    rows: Array
    """Their numbers, from 1."""
    risks: Array
    records: CodedRecords
    """Their values, each record alone."""
    combinations: Array
    """The combination of each, numbered from 0."""
    safe: CodedRecords
    """All others, by combination."""


def unsafe_records(sample: Sample, risks: Risks) -> Unsafe:
    """Return the records that a measure finds unsafe."""
    import numpy as np

    rows, own_risks, weights, members = _fetched(sample, risks)
    coded = codes(sample)
    taken = np.bincount(members, minlength=len(coded.counts))
    lost = np.bincount(members, weights=weights, minlength=len(coded.counts))
    left = coded.counts - taken
    rest = CodedRecords(coded.codes, left, np.maximum(coded.weights - lost, 0.0)).where(np.flatnonzero(left > 0))
    alone = CodedRecords(coded.codes[members], np.ones(len(rows), dtype=np.int64), weights)
    return Unsafe(rows, own_risks, alone, members, rest)


def _fetched(sample: Sample, risks: Risks) -> tuple[Array, Array, Array, Array]:
    """Return number, risk, weight and combination (from 0) of each unsafe record, in the order of the file."""
    import numpy as np
    import pyarrow as pa

    assert risks.records is not None
    table = combinations(sample)
    own = Column(NUMBER, NUMBER, ColumnType.INTEGER)
    numbered = table.renamed([*(c for c in table.columns if c.physical != NUMBER), own])
    also = [sample.weight] if sample.weight else []
    of_records = of_each_record(sample, numbered, [NUMBER], also=also).subquery("m")
    row, risk = (exp.column(risks.records.column(name).physical, table="k") for name in (ROW, RISK))
    weight: exp.Expr = as_double(exp.column("c2", table="m")) if also else number(1.0)
    terms = [row, risk, weight, exp.column("c1", table="m")]
    plan = (
        exp.select(*(exp.alias_(term, f"x{i}") for i, term in enumerate(terms)))
        .from_(risks.records.source().as_("k"))
        .join(of_records, on=exp.EQ(this=row.copy(), expression=exp.column("c0", table="m")))
        .where(exceeds(risk, number(risks.threshold)))
        .order_by("x0")
    )
    batches = list(sample.engine.stream(plan, 1_000_000))
    if not batches:
        nobody = np.empty(0)
        return nobody.astype(np.int64), nobody, nobody, nobody.astype(np.int64)
    fetched = pa.Table.from_batches(batches)
    rows, values, weights, members = (as_numpy(fetched.column(i)) for i in range(4))
    return rows.astype(np.int64), values.astype(float), weights.astype(float), members.astype(np.int64) - 1


def risks_of(risks: Risks, sample: Sample, rows: Array) -> Array:
    """Return the risk of some records, given in ascending order."""
    import numpy as np
    import pyarrow as pa

    assert risks.records is not None
    batch = pa.RecordBatch.from_arrays([as_arrow(rows)], names=["row"])
    numbered = sample.engine.adopt([batch], batch.schema)
    row, risk = (exp.column(risks.records.column(name).physical, table="k") for name in (ROW, RISK))
    wanted = exp.column(numbered.column("row").physical, table="a")
    plan = (
        exp.select(exp.alias_(row, "x0"), exp.alias_(as_double(risk), "x1"))
        .from_(risks.records.source().as_("k"))
        .join(numbered.source().as_("a"), on=exp.EQ(this=row.copy(), expression=wanted))
        .order_by("x0")
    )
    batches = list(sample.engine.stream(plan, 1_000_000))
    sample.engine.drop(numbered)
    own_risks: Array = as_numpy(pa.Table.from_batches(batches).column(1)).astype(float) if batches else np.empty(0)
    return own_risks
