"""Attributes as codes: each value of a record is the place of the value among the different values of its attribute.

A missing value is a value of its own here, equal to other missing ones; its code is the last. Codes of the source that
say why a value is missing (99, .a) are values where an attribute is compared by equality, as a reader of the file sees
them; where it is compared by a distance, they are missing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacita.engines.published_codes import published_codes
from tacita.errors import InputError
from tacita.model.attribute import Kind
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType

if TYPE_CHECKING:
    import pyarrow as pa

_EXACT = 2**53
_DAY = 86_400_000_000
_COMPARED = {
    ColumnType.INTEGER: "numbers",
    ColumnType.NUMBER: "numbers",
    ColumnType.DATE: "dates",
    ColumnType.TIMESTAMP: "dates",
    ColumnType.TEXT: "texts",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CodedAttribute:
    """An attribute of all records as codes. It holds confidential values, and prints none of them."""

    name: str
    type: ColumnType
    is_nominal: bool
    """Whether the dictionary calls it categorical, or its values are true and false: only equality means something."""
    codes: NDArray[np.int32]
    values: pa.Array
    """The different values, in ascending order, without the missing one."""

    @property
    def count(self) -> int:
        """The number of codes, that of a missing value included."""
        return len(self.values) + self.has_missing

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing."""
        return bool(len(self.codes)) and int(self.codes.max()) == len(self.values)

    @property
    def compared_as(self) -> str | None:
        """What it is for a similarity: "numbers", "dates" or "texts"; None for true and false."""
        return _COMPARED.get(self.type)

    def compared_values(self) -> NDArray[np.float64] | tuple[str, ...]:
        """Return the different values as a similarity takes them; dates and moments in days."""
        import pyarrow as pa

        if self.compared_as == "texts":
            return tuple(self.values.to_pylist())
        if self.type is ColumnType.DATE:
            return np.array(self.values.cast(pa.date32()).cast(pa.int32()), dtype=np.float64)
        if self.type is ColumnType.TIMESTAMP:
            return np.array(self.values.cast(pa.timestamp("us")).cast(pa.int64()), dtype=np.float64) / _DAY
        if self.type is ColumnType.INTEGER and any(abs(end) >= _EXACT for end in self._ends()):
            raise InputError(
                f"'{self.name}' has whole numbers above 2^53, whose differences cannot be computed exactly",
                do="compare it by equality, or divide it by a unit first",
            )
        return np.array(self.values.cast(pa.float64()), dtype=np.float64)

    def _ends(self) -> Sequence[int]:
        return [self.values[0].as_py(), self.values[-1].as_py()] if len(self.values) else []

    def text(self, code: int) -> str:
        """Return a value as text; empty for a missing one."""
        if code >= len(self.values):
            return ""
        value = self.values[code].as_py()
        return f"{value:.15g}" if isinstance(value, float) and value.is_integer() else str(value)

    def __repr__(self) -> str:
        return f"<CodedAttribute '{self.name}': {len(self.codes)}>"


def coded_attributes(
    microdata: Microdata, names: Sequence[str], by_distance: Collection[str]
) -> tuple[CodedAttribute, ...]:
    """Return attributes of microdata as codes; `by_distance` are those that are not compared by equality."""
    import pyarrow as pa

    published = published_codes(
        microdata.relation, microdata.dictionary, [name for name in names if name not in by_distance]
    ).relation
    columns = [published.column(name) for name in names]
    text = exp.DataType(this=exp.DType.TEXT)
    terms = [
        exp.alias_(
            exp.Cast(this=exp.column(one.physical), to=text.copy()) if one.is_coded else exp.column(one.physical),
            f"x{place}",
        )
        for place, one in enumerate(columns)
    ]
    plan = exp.select(*terms).from_(published.source())
    if published.number:
        plan = plan.order_by(exp.column(published.number))
    batches = list(published.engine.stream(plan, 1_000_000))
    table = pa.Table.from_batches(batches) if batches else None
    coded = []
    for place, column in enumerate(columns):
        cells = table.column(place) if table is not None else pa.chunked_array([], pa.string())
        coded.append(coded_attribute(column.name, column.type, cells, microdata.attribute(column.name).kind))
    return tuple(coded)


def coded_attribute(name: str, type_: ColumnType, cells: pa.ChunkedArray, kind: Kind | None = None) -> CodedAttribute:
    """Return cells as codes.

    >>> import pyarrow as pa
    >>> coded_attribute("area", ColumnType.TEXT, pa.chunked_array([["north", None, "east"]])).codes.tolist()
    [1, 2, 0]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_floating(cells.type):  # 0 and -0 are one value; what is not a number is missing
        cells = pc.add(pc.if_else(pc.is_nan(cells), pa.scalar(None, cells.type), cells), pa.scalar(0.0, cells.type))
    merged = cells.combine_chunks()
    encoded = merged.dictionary_encode()
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    values = encoded.dictionary
    order = np.asarray(pc.sort_indices(values), dtype=np.int64)
    place = np.empty(len(values) + 1, np.int32)
    place[order] = np.arange(len(values), dtype=np.int32)
    place[-1] = len(values)
    indices = np.asarray(encoded.indices.fill_null(len(values)), dtype=np.int64)
    is_nominal = kind is Kind.CATEGORICAL or type_ is ColumnType.BOOLEAN
    is_nominal |= kind is Kind.ORDINAL and type_ is ColumnType.TEXT
    return CodedAttribute(name, type_, is_nominal, place[indices], values.take(pa.array(order)))
