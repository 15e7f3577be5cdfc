"""Local recoding: single cells rolled up to a level of their hierarchy, or suppressed; all others stay.

Only what is at risk loses detail. A cell that reaches ``*`` is a labelled null: nothing is left of the value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.engines.protocol import Relation
from tacita.errors import UsageError
from tacita.masking.recoding.labels import Labels, hierarchy_of, labels
from tacita.masking.recoding.masked import (
    RECORD,
    ROW,
    Joined,
    Masked,
    Rewriting,
    changed_rows,
    is_there,
    rewritten,
    value_term,
)
from tacita.masking.recoding.reached_hierarchy import ReachedHierarchy
from tacita.model.attribute import Attribute, Kind
from tacita.model.hierarchy import STAR
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

SUPPRESSED = -1
"""The level of a cell that becomes a labelled null, whatever its hierarchy."""


def locally_recoded(microdata: Microdata, cells: Mapping[str, tuple[Array, Array]]) -> Masked:
    """Return microdata with single cells at other levels.

    `cells` gives for each attribute the numbers of records, from 1, and the level that each of these cells goes to;
    -1 is a labelled null, 0 leaves the cell as it is. An attribute without a hierarchy can only be suppressed. Missing
    values stay missing. A column of numbers turns into text as soon as one cell becomes an interval.

    >>> import numpy as np, tacita as tc
    >>> firms = tc.sample("figure-1").microdata
    >>> found = locally_recoded(firms, {"Area": (np.array([2, 5]), np.array([-1, -1]))})
    >>> found.changed["Area"].tolist()
    [2, 5]
    """
    columns, joined = {}, []
    for name, given in cells.items():
        column = microdata.column(name)
        rows, levels = _checked(microdata, name, *given)
        if not len(rows):
            continue
        levels_by_row = _levels_by_row(microdata, column, rows, levels)
        level = exp.column("c1", table=levels_by_row.alias)
        joined.append(levels_by_row)
        if not (levels > 0).any():
            columns[name] = _suppression(microdata, column, level)
            continue
        known = labels(microdata, name, hierarchy_of(microdata, name))
        joined.append(known.joined)
        columns[name] = _recoding(microdata, column, level, known, sorted({0, *levels[levels > 0].tolist()}))
    if not columns:
        return Masked(microdata)
    return Masked(rewritten(microdata, columns, joined), changed=changed_rows(microdata, columns, joined))


def _checked(microdata: Microdata, name: str, rows: Array, levels: Array) -> tuple[Array, Array]:
    import numpy as np

    rows, levels = np.asarray(rows, dtype=np.int64), np.asarray(levels, dtype=np.int64)
    if rows.ndim != 1 or rows.shape != levels.shape:
        raise UsageError(f"the cells of '{name}' are no two lists of one length", do="give a level for each record")
    rows, levels = rows[levels != 0], levels[levels != 0]
    ascending = bool((np.diff(rows) > 0).all())
    if not ascending and len(np.unique(rows)) < len(rows):
        raise UsageError(f"a record stands twice among the cells of '{name}'", do="give each cell one level")
    if len(rows) and (rows.min() < 1 or rows.max() > microdata.relation.count()):
        raise UsageError(f"a cell of '{name}' is in no record", do="count the records from 1")
    highest = hierarchy_of(microdata, name).height if (levels > 0).any() else 0
    if len(levels) and (levels.min() < SUPPRESSED or levels.max() > highest):
        raise UsageError(
            f"a cell of '{name}' goes to a level that its hierarchy does not have",
            do=f"give levels from 0 to {highest}, or {SUPPRESSED} for a labelled null",
        )
    return rows, levels


def _levels_by_row(microdata: Microdata, column: Column, rows: Array, levels: Array) -> Joined:
    """Return the levels that are asked for as a table beside the records."""
    import numpy as np
    import pyarrow as pa

    # from buffers: pyarrow.array would import pandas
    contiguous = [np.ascontiguousarray(array, dtype=np.int64) for array in (rows, levels)]
    arrays = [pa.Array.from_buffers(pa.int64(), len(array), [None, pa.py_buffer(array)]) for array in contiguous]
    batch = pa.RecordBatch.from_arrays(arrays, names=["row", "level"])
    adopted: Relation = microdata.relation.engine.adopt([batch], batch.schema)
    alias = f"a_{column.physical}"
    on = exp.EQ(this=exp.column(ROW, table=RECORD), expression=exp.column("c0", table=alias))
    return Joined(adopted, alias, on)


def _suppression(microdata: Microdata, column: Column, level: exp.Expr) -> Rewriting:
    value = value_term(column)
    here = exp.Not(this=exp.Is(this=level, expression=exp.Null()))
    known = is_there(column)
    left = exp.Case(ifs=[exp.If(this=here, true=exp.Null())], default=value.copy())
    hierarchy = microdata.hierarchies.get(column.name)
    return Rewriting(left, column.type, microdata.attribute(column.name), hierarchy, where=exp.and_(here.copy(), known))


def _recoding(microdata: Microdata, column: Column, level: exp.Expr, known: Labels, reached: list[int]) -> Rewriting:
    def at(number: int) -> exp.Expr:
        return exp.EQ(this=level.copy(), expression=exp.Literal.number(str(number)))

    ifs = [exp.If(this=exp.EQ(this=level.copy(), expression=exp.Neg(this=exp.Literal.number(1))), true=exp.Null())]
    for number in reached[1:]:
        label = exp.Nullif(this=known.term(number), expression=exp.Literal.string(STAR))
        ifs.append(exp.If(this=at(number), true=label))
    term = exp.Case(ifs=ifs, default=known.term(0))
    here = exp.Not(this=exp.Is(this=level.copy(), expression=exp.Null()))
    # A label may be that of the value itself: hierarchies repeat a label where there is nothing coarser.
    other: exp.Expr = exp.NullSafeNEQ(this=exp.Paren(this=term.copy()), expression=known.term(0))
    if column.as_written:  # a code of a missing value goes as well if its cell is suppressed
        hidden = exp.and_(exp.Is(this=exp.Paren(this=term.copy()), expression=exp.Null()), is_there(column))
        gone = exp.EQ(this=level.copy(), expression=exp.Neg(this=exp.Literal.number(1)))
        other = exp.or_(other, exp.and_(gone, hidden))
    hierarchy = ReachedHierarchy.over(known.hierarchy, known.values, reached)
    attribute = _attribute(microdata.attribute(column.name))
    return Rewriting(term, ColumnType.TEXT, attribute, hierarchy, where=exp.and_(here, exp.Paren(this=other)))


def _attribute(attribute: Attribute) -> Attribute:
    """Return what the dictionary says of an attribute with values and labels side by side: they have no order."""
    kind = Kind.CATEGORICAL if attribute.kind is not Kind.TEXT else attribute.kind
    return attribute.with_(kind=kind, order=(), hierarchy="", hierarchy_rule={}, format="")
