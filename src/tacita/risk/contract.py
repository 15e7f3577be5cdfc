"""What every measure must keep to, as a check that anybody can run on a measure of their own.

>>> from tacita.risk.identity.k_anonymity import KAnonymity
>>> import tacita as tc
>>> breaches(KAnonymity(2), tc.sample("figure-1").microdata)
[]

A measure takes a sample and returns one risk for each record, from 0 to 1. It gives the same again, follows records
when these change places, cares for which values are equal and not for how they are spelt, has nothing against a file
without records, and gives reasons without a value in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.engines.plans.terms import as_text
from tacita.engines.protocol import Relation
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType
from tacita.risk.measure import RISK, ROW, Measure, Risks
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    from tacita.risk.null_semantics import Nulls

_CLOSE = 1e-9
_AGAIN = 1e-12
"""Threads add weights in any order, which may change the last digits of a sum."""
_REASONS = 20
_SHORTEST = 4
"""Shorter values may stand in a reason by chance: ``1``, ``no``."""


def breaches(
    measure: Measure, microdata: Microdata, nulls: Nulls | None = None, population: Relation | None = None
) -> list[str]:
    """Return every way in which a measure breaks the contract on some microdata; none, if it keeps to it."""
    sample = replace(Sample.of(microdata, nulls=nulls), population=population)
    return list(_breaches(measure, sample))


def _breaches(measure: Measure, sample: Sample) -> Iterator[str]:
    if not isinstance(measure, Measure):
        yield "it lacks something that a measure has: name, threshold, lacks, risks, reason, specification"
        return
    if not measure.name or not 0 <= measure.threshold <= 1:
        yield "it has no name, or a threshold outside 0 to 1"
    lacking = measure.lacks(sample)
    if lacking:
        yield f"it cannot be checked on this sample: {'; '.join(lacking)}"
        return
    risks = measure.risks(sample)
    if risks.records is None:
        if not risks.figures:
            yield "it says nothing: neither of records nor of the file"
        return
    rows = _records(risks)
    yield from _shape(risks, rows, sample)
    if _differ(_records(measure.risks(_fresh(sample))), rows, _AGAIN):
        yield "it does not give the same again"
    yield from _moved(measure, sample, rows)
    yield from _respelt(measure, sample, rows)
    yield from _empty(measure, sample)
    yield from _reasons(measure, sample, rows)


def _shape(risks: Risks, rows: list[dict[str, Any]], sample: Sample) -> Iterator[str]:
    assert risks.records is not None
    if [column.name for column in risks.records.columns[:2]] != [ROW, RISK]:
        yield f"its relation does not begin with {ROW} and {RISK}"
    if [record[ROW] for record in rows] != list(range(1, sample.records.count() + 1)):
        yield "it does not give each record, by its number, exactly once"
    if not all(record[RISK] is not None and 0 <= record[RISK] <= 1 for record in rows):
        yield "it gives a risk outside 0 to 1, or none"


def _moved(measure: Measure, sample: Sample, rows: list[dict[str, Any]]) -> Iterator[str]:
    """Turn the file upside down: risks must go with their records."""
    backwards = exp.Ordered(this=sample.engine.numbered(sample.records), desc=True)
    moved = _records(measure.risks(_with(sample, exp.select("*").from_(sample.records.source()).order_by(backwards))))
    if _differ(list(reversed(moved)), rows, _CLOSE):
        yield "a record's risk depends on where it stands in the file"


def _respelt(measure: Measure, sample: Sample, rows: list[dict[str, Any]]) -> Iterator[str]:
    """Write known values as text: which are equal is all that counts, unless nearness does."""
    columns = [
        replace(column, type=ColumnType.TEXT, is_coded=False) if column.name in sample.known else column
        for column in sample.records.columns
    ]
    terms: list[exp.Expr] = []
    for column in sample.records.columns:
        term: exp.Expr = exp.column(column.physical)
        if column.name in sample.known:
            term = exp.DPipe(this=exp.Literal.string("text "), expression=as_text(term))
        terms.append(exp.alias_(term, column.physical))
        if column.as_written:
            terms.append(exp.column(column.as_written))
    there = _with(sample, exp.select(*terms).from_(sample.records.source()), columns)
    if measure.lacks(there):  # such as a population that is still spelt as before
        return
    if _differ(_records(measure.risks(there)), rows, _CLOSE):
        yield "text and other values of known attributes do not behave alike"


def _empty(measure: Measure, sample: Sample) -> Iterator[str]:
    none = _with(sample, exp.select("*").from_(sample.records.source()).where(exp.false()))
    if _records(measure.risks(none)):
        yield "it finds records in a file that has none"


def _reasons(measure: Measure, sample: Sample, tuples: list[dict[str, Any]]) -> Iterator[str]:
    names = " ".join(sample.microdata.dictionary.names)
    terms = [exp.alias_(as_text(term), f"x{i}") for i, term in enumerate(sample.records.physical(sample.known))]
    rows = sample.engine.run(exp.select(*terms).from_(sample.records.source()).limit(_REASONS))
    for record, row in zip(tuples, rows, strict=False):
        said = measure.reason(sample, record)
        values = (value for value in row.values() if value and len(value) >= _SHORTEST and value not in names)
        if any(value in said for value in values):
            yield "a reason shows a value of the data"
            return


def _differ(some: list[dict[str, Any]], others: list[dict[str, Any]], most: float) -> bool:
    return any(abs(a[RISK] - b[RISK]) > most for a, b in zip(some, others, strict=True))


def _records(risks: Risks) -> list[dict[str, Any]]:
    assert risks.records is not None
    rows = [row for batch in risks.records.batches() for row in batch.to_pylist()]
    return sorted(rows, key=lambda record: record[ROW])


def _fresh(sample: Sample) -> Sample:
    return replace(sample)


def _with(sample: Sample, plan: exp.Select, columns: list[Any] | None = None) -> Sample:
    """Return the sample with other records."""
    relation = sample.engine.store(plan, columns or sample.records.columns)
    return replace(sample, microdata=replace(sample.microdata, relation=relation))
