"""A column of a Stata, SPSS or SAS file: what the file says of it, and what its cells turn out to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.files.statistical.codes import Range, code_text, range_text, tag_of
from tacita.files.statistical.display import doubt_of, shape_of
from tacita.files.statistical.moments import values_of
from tacita.files.statistical.packages import Package, Shape
from tacita.model.attribute import Attribute, Kind
from tacita.model.microdata import Reading
from tacita.model.relation import ColumnType

# Doubles count every whole number up to here.
_EXACT = 2.0**53
_INTEGER_TYPES = frozenset({"int8", "int16", "int32"})


@dataclass(slots=True)
class FileVariable:
    """One column of the file, and what is learnt of it while its rows go by."""

    name: str
    package: Package
    stored: str
    """pyreadstat's word for how it is stored: string, int8, double, ..."""
    form: str
    shape: Shape
    missing_ranges: tuple[Range, ...] = ()
    missing_texts: tuple[str, ...] = ()
    whole: bool = True
    filled: bool = False
    coded: bool = False
    misfit: bool = False
    tags: set[str] = field(default_factory=set)

    @property
    def is_text(self) -> bool:
        """Whether the file stores text."""
        return self.stored == "string"

    @property
    def may_be_coded(self) -> bool:
        """Whether a cell can hold a user-defined missing."""
        if self.package is Package.SPSS:
            return bool(self.missing_ranges or self.missing_texts)
        return not self.is_text

    @property
    def type(self) -> ColumnType:
        """The type that all its values have."""
        if self.is_text:
            return ColumnType.TEXT
        if self.shape is Shape.NUMBER and self.whole and (self.filled or self.stored in _INTEGER_TYPES):
            return ColumnType.INTEGER
        return self.shape.type

    def arrow_type(self) -> pa.DataType:
        """The type under which its values enter the engine."""
        if self.is_text:
            return pa.string()
        types = {
            ColumnType.NUMBER: pa.float64(),
            ColumnType.DATE: pa.date32(),
            ColumnType.TIMESTAMP: pa.timestamp("us"),
        }
        return types.get(self.shape.type, pa.string())

    def arrays(self, cells: list[Any], tags: list[str]) -> list[pa.Array]:
        """Return a chunk of cells as values and, if there can be any, their user-defined missings."""
        values, codes = self._texts(cells) if self.is_text else self._numbers(cells, tags)
        return [values, codes] if self.may_be_coded else [values]

    def _texts(self, cells: list[str]) -> tuple[pa.Array, pa.Array]:
        values = pa.array(cells, pa.string())
        nothing = pa.scalar(None, pa.string())
        if self.package.blank_is_missing:
            return pc.if_else(pc.equal(values, ""), nothing, values), None
        if not self.missing_texts:
            return values, None
        is_code = pc.is_in(values, pa.array(self.missing_texts, pa.string()))
        self.coded |= bool(pc.any(is_code).as_py())
        return pc.if_else(is_code, nothing, values), pc.if_else(is_code, values, nothing)

    def _numbers(self, cells: list[Any], tags: list[str]) -> tuple[pa.Array, pa.Array]:
        codes = pa.nulls(len(cells), pa.string())
        if tags:
            self.tags.update(f".{tag}" for tag in tags)
            self.coded = True
            codes = pa.array([f".{cell}" if type(cell) is str else None for cell in cells], pa.string())
            cells = [None if type(cell) is str else cell for cell in cells]
        numbers = pa.array(cells, pa.float64(), from_pandas=True).to_numpy(zero_copy_only=False)
        if self.missing_ranges:
            numbers, codes = self._split(numbers)
        if self.shape is not Shape.NUMBER:
            values = values_of(self.shape, self.package, numbers)
            if values is None:
                self.misfit = True
                values = pa.nulls(len(numbers), self.arrow_type())
            return values, codes
        missing = np.isnan(numbers)
        filled = numbers[~missing]
        self.filled |= bool(filled.size)
        self.whole = self.whole and bool(((filled == np.trunc(filled)) & (np.abs(filled) <= _EXACT)).all())
        return pa.array(numbers, mask=missing), codes

    def _split(self, numbers: np.ndarray) -> tuple[np.ndarray, pa.Array]:
        """Take the declared missings out of the numbers; return both, the missings as text."""
        is_code = np.zeros(len(numbers), dtype=bool)
        for span in self.missing_ranges:
            is_code |= (numbers >= span.low) & (numbers <= span.high)
        self.coded |= bool(is_code.any())
        different, places = np.unique(np.where(is_code, numbers, 0.0), return_inverse=True)
        texts = pa.array([code_text(float(value), self.shape, self.package) for value in different], pa.string())
        return np.where(is_code, np.nan, numbers), texts.take(pa.array(places, mask=~is_code))


def variable_of(name: str, package: Package, metadata: Any) -> FileVariable:
    """Return a column as the file's metadata describes it."""
    form = metadata.original_variable_types.get(name) or ""
    stored = metadata.readstat_variable_types[name]
    shape = Shape.NUMBER if stored == "string" else shape_of(package, form)
    declared = metadata.missing_ranges.get(name, ())
    return FileVariable(
        name,
        package,
        stored,
        form,
        shape,
        tuple(Range(float(r["lo"]), float(r["hi"])) for r in declared if stored != "string"),
        tuple(str(r["lo"]) for r in declared if stored == "string"),
    )


def attribute_of(variable: FileVariable, metadata: Any) -> Attribute:
    """Return what the dictionary can know of a column; call it when all cells have gone by."""
    labels = _labels(variable, metadata.variable_value_labels.get(variable.name, {}))
    missing = [range_text(span, variable.shape, variable.package) for span in variable.missing_ranges]
    missing += variable.missing_texts
    # Stata and SAS declare no tags: those that occur or have a label are known.
    missing += sorted(variable.tags | {key for key in labels if not variable.is_text and tag_of(key)})
    kind = {"nominal": Kind.CATEGORICAL, "ordinal": Kind.ORDINAL}.get(metadata.variable_measure.get(variable.name, ""))
    return Attribute(
        variable.name,
        kind=None if variable.is_text or variable.shape is not Shape.NUMBER else kind,
        description=(metadata.column_names_to_labels.get(variable.name) or "").strip(),
        labels=labels,
        missing=tuple(dict.fromkeys(missing)),
        format=variable.form,
    )


def _labels(variable: FileVariable, labels: Mapping[Any, str]) -> dict[str, str]:
    def key(code: Any) -> str:
        if isinstance(code, str):
            return code if variable.is_text else f".{code}"
        return code_text(float(code), variable.shape, variable.package)

    return {key(code): label for code, label in labels.items()}


def reading_of(variable: FileVariable) -> Reading:
    """Return what the column was taken for, and why."""
    form = f" ({variable.form})" if variable.form else ""
    doubt = doubt_of(variable.package, variable.form)
    said = shape_of(variable.package, variable.form)
    if variable.is_text:
        return Reading(variable.name, ColumnType.TEXT, f"text, as the file says{form}")
    if variable.shape is not Shape.NUMBER:
        reason = f"{variable.shape.value}{form}"
        if variable.shape is not said:
            reason = f"{variable.shape.value}: the format{form} says {said.value}, but not all numbers are that"
        return Reading(variable.name, variable.type, reason + (f"; {doubt}" if doubt else ""), bool(doubt))
    if said is not Shape.NUMBER:
        doubt = f"the format{form} says {said.value}, but not all numbers are that"
    if variable.type is ColumnType.INTEGER:
        whole = (
            "as the file says" if variable.stored in _INTEGER_TYPES else f"stored as {variable.stored}, all are whole"
        )
        reason = f"whole numbers{form}, {whole}"
    else:
        reason = f"numbers{form}" + ("" if variable.filled else ", all missing")
    return Reading(variable.name, variable.type, reason + (f"; {doubt}" if doubt else ""), bool(doubt))
