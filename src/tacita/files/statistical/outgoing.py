"""A column on its way into a file of a statistical package, and its cells as pyreadstat takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from tacita.errors import listed
from tacita.files.statistical.moments import numbers_of
from tacita.files.statistical.packages import Package, Shape
from tacita.model.relation import Column


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One column as the package will hold it."""

    column: Column
    package: Package
    shape: Shape
    dtype: Any
    """The narwhals type that pyreadstat writes it by."""
    format: str = ""
    longest: int = 0
    """Bytes of the longest text."""
    codes: Mapping[str, Any] = field(default_factory=dict)
    """What is written for a user-defined missing that occurs: number, text, letter of a tag, or nothing."""
    missing: Sequence[Any] = ()
    """Missings to be declared: ranges for SPSS, letters for Stata and SAS."""
    labels: Mapping[Any, str] = field(default_factory=dict)
    measure: str = ""

    @property
    def is_text(self) -> bool:
        """Whether text is written."""
        return bool(self.dtype == nw.String)

    def cells(self, values: pa.Array, codes: pa.Array | None) -> list[Any]:
        """Return a batch of cells as pyreadstat takes them."""
        result = self._values(values)
        if codes is not None and self.codes:
            for i, code in enumerate(codes.to_pylist()):
                if code is not None and result[i] is None:
                    result[i] = self.codes.get(code)
        return result

    def _values(self, values: pa.Array) -> list[Any]:
        if self.is_text:
            texts: list[Any] = values.cast(pa.string()).to_pylist()
            return texts
        if self.dtype == nw.Int32:
            whole: list[Any] = values.cast(pa.int32()).to_pylist()
            return whole
        if self.shape is Shape.NUMBER:
            floats = values.cast(pa.float64(), safe=False)
            numbers = floats.to_numpy(zero_copy_only=False)
        else:
            numbers = numbers_of(self.shape, self.package, values)
        result: list[Any] = numbers.tolist()
        if np.isnan(numbers).any():
            result = [None if number != number else number for number in result]  # noqa: PLR0124 - NaN alone
        return result


@dataclass(slots=True)
class Losses:
    """Losses noted so far, by what they are.

    >>> losses = Losses(Package.SPSS)
    >>> losses.note("{package} has no truth values: {columns} are 1 and 0", "married")
    >>> losses.note("{package} has no truth values: {columns} are 1 and 0", "employed")
    >>> losses.sentences()
    ('SPSS has no truth values: married, employed are 1 and 0',)
    """

    package: Package
    noted: dict[str, list[str]] = field(default_factory=dict)

    def note(self, sentence: str, column: str) -> None:
        """Remember that a column loses something; ``{columns}`` in the sentence stands for all that do."""
        self.noted.setdefault(sentence, []).append(column)

    def sentences(self) -> tuple[str, ...]:
        """Return everything that was lost, in words."""
        return tuple(
            sentence.format(columns=listed(columns), package=self.package.value)
            for sentence, columns in self.noted.items()
        )
