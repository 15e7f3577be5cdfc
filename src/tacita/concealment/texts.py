"""Cells as they are written in their file."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tacita.engines.plans.terms import as_text, named
from tacita.engines.protocol import Relation


def texts_of(relation: Relation, names: Sequence[str]) -> list[list[str | None]]:
    """Return columns as texts in the source's spelling, in the order of the records; None where a cell is empty.

    >>> import tacita as tc, pyarrow as pa
    >>> texts_of(tc.read(pa.table({"n": [1, None]})).relation, ["n"])
    [['1', None]]
    """
    terms = []
    for place, name in enumerate(names):
        column = relation.column(name)
        value: exp.Expr = as_text(exp.column(column.physical))
        if column.as_written:
            value = exp.func("coalesce", exp.column(column.as_written), value)
        terms.append(named(value, f"v{place}"))
    plan = exp.select(*terms, copy=False).from_(relation.source(), copy=False)
    columns: list[list[str | None]] = [[] for _ in names]
    for batch in relation.engine.stream(plan, 1_000_000):
        for place, cells in enumerate(columns):
            cells.extend(batch.column(place).cast("string").to_pylist())
    return columns
