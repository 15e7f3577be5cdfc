"""The labels of the values of an attribute at each level of its hierarchy, as a table in the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.errors import HierarchyError, did_you_mean
from tacita.masking.recoding.masked import RECORD, Joined, value_term
from tacita.model.attribute import Attribute, Kind
from tacita.model.hierarchy import Hierarchy, text_of
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Labels:
    """The distinct values of an attribute and their labels from level 0 to the top."""

    name: str
    hierarchy: Hierarchy
    values: tuple[object, ...]
    paths: tuple[tuple[str, ...], ...]
    joined: Joined
    """The table: the value, then a column for each level."""

    def term(self, level: int) -> exp.Expr:
        """Return the label of a level as a term; null for a missing value."""
        return exp.column(f"c{level + 1}", table=self.joined.alias)

    @property
    def is_null(self) -> exp.Expr:
        """The condition that the value is missing."""
        return exp.Is(this=exp.column("c0", table=self.joined.alias), expression=exp.Null())


def hierarchy_of(microdata: Microdata, name: str) -> Hierarchy:
    """Return the hierarchy of an attribute, or say that it has none."""
    microdata.column(name)
    if name in microdata.hierarchies:
        return microdata.hierarchies[name]
    others = did_you_mean(name, microdata.hierarchies)
    raise HierarchyError(
        f"'{name}' has no hierarchy{others}",
        where=f"dictionary of '{microdata.name}'",
        do='give it one in the dictionary (hierarchy = "FILE.csv", or a rule such as '
        "{ intervals = [5, 10] }), or use discretisation, grouping or suppression",
    )


def distinct_values(microdata: Microdata, name: str) -> list[object]:
    """Return the values that an attribute has, without missing ones, lowest first. They are confidential."""
    relation, column = microdata.relation, microdata.column(name)
    term = value_term(column)
    plan = exp.select(exp.alias_(term, "v")).distinct().from_(relation.source().as_(RECORD))
    known = exp.Not(this=exp.Is(this=term.copy(), expression=exp.Null()))
    return [row["v"] for row in relation.engine.run(plan.where(known).order_by("v"))]


def labels(microdata: Microdata, name: str, hierarchy: Hierarchy) -> Labels:
    """Return the labels of all values of an attribute; a value without a place is an error that names none."""
    values = distinct_values(microdata, name)
    hierarchy.check_covers(values)
    rows = hierarchy.paths(values)
    values_ = [row[0] for row in rows]
    paths = [(text_of(row[0]), *map(str, row[1:])) for row in rows]
    columns = [typed(values_, microdata.column(name).type)]
    columns += [typed([path[level] for path in paths], ColumnType.TEXT) for level in range(hierarchy.height + 1)]
    return Labels(name, hierarchy, tuple(values_), tuple(paths), beside(microdata, name, columns))


def beside(microdata: Microdata, name: str, columns: Sequence[pa.Array]) -> Joined:
    """Return a table whose first column holds values of an attribute, joined to the records by them."""
    import pyarrow as pa

    batch = pa.RecordBatch.from_arrays(list(columns), names=[f"c{i}" for i in range(len(columns))])
    relation = microdata.relation
    column = relation.column(name)
    alias = f"m_{column.physical}"
    on = exp.EQ(this=value_term(column), expression=exp.column("c0", table=alias))
    return Joined(relation.engine.adopt([batch], batch.schema), alias, on)


def typed(values: Sequence[object], type_: ColumnType) -> pa.Array:
    """Return values as a column of a type."""
    import pyarrow as pa

    types = {
        ColumnType.INTEGER: pa.int64(),
        ColumnType.NUMBER: pa.float64(),
        ColumnType.BOOLEAN: pa.bool_(),
        ColumnType.DATE: pa.date32(),
        ColumnType.TIMESTAMP: pa.timestamp("us"),
    }
    return pa.array(values, types.get(type_, pa.string()))


def recoded_attribute(attribute: Attribute, pairs: Sequence[tuple[object, str]], type_: ColumnType) -> Attribute:
    """Return what the dictionary says of an attribute whose values became labels.

    Labels are in the order of the values where the values have one and no label lies between two parts of another.
    """
    order: tuple[str, ...] = ()
    if attribute.order:
        place = {value: i for i, value in enumerate(attribute.order)}
        known = sorted((place[text_of(v)], label) for v, label in pairs if text_of(v) in place)
        order = _contiguous([label for _, label in known]) if len(known) == len(pairs) else ()
    elif type_ not in {ColumnType.TEXT, ColumnType.BOOLEAN} and attribute.kind is not Kind.CATEGORICAL:
        order = _contiguous([label for _, label in pairs])
    kind = Kind.ORDINAL if len(order) > 1 else Kind.CATEGORICAL
    return attribute.with_(
        kind=kind, order=order if len(order) > 1 else (), labels={}, hierarchy="", hierarchy_rule={}, format=""
    )


def _contiguous(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels once each, in their order, or nothing if one comes back after another.

    >>> _contiguous(["a", "a", "b"]), _contiguous(["a", "b", "a"])
    (('a', 'b'), ())
    """
    runs = [label for i, label in enumerate(labels) if i == 0 or labels[i - 1] != label]
    return tuple(runs) if len(set(runs)) == len(runs) else ()
