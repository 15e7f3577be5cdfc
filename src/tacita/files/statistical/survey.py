"""What a format must know before the first row is written: longest texts, largest numbers, codes that occur."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.engines.protocol import Relation
from tacita.files.clock import microseconds_of_clock
from tacita.files.statistical.moments import are_first_days
from tacita.files.statistical.packages import PERIODS_OF_A_YEAR, Shape
from tacita.files.streaming import cells
from tacita.model.relation import Column, ColumnType


@dataclass(slots=True)
class Measured:
    """What the cells of one column are, gathered as they go by."""

    rows: int = 0
    plainly_missing: int = 0
    """Cells without a value and without a code that says why."""
    codes: dict[str, None] = field(default_factory=dict)
    """User-defined missings that occur, in order of appearance."""
    longest: int = 0
    """Bytes of the longest text."""
    longest_line: int = 0
    """Characters of the longest text."""
    null_characters: int = 0
    trailing_blanks: int = 0
    beyond_ascii: bool = False
    empty: int = 0
    """Texts without a character, which are values."""
    blank_end: bool = False
    """Whether the last cell holds nothing."""
    clocks: bool = True
    """Whether every text is a time such as ``08:30:00``."""
    low: float = 0.0
    high: float = 0.0
    smallest: float = np.inf
    """The number nearest to zero that is not zero."""
    infinite: int = 0
    fine: bool = False
    """Whether a moment has microseconds."""
    zoned: bool = False
    """Whether a moment has a time zone."""
    rounded: bool = False
    """Whether the numbers have more digits than a double."""
    first_days: set[Shape] = field(default_factory=lambda: set(PERIODS_OF_A_YEAR))
    """Periods of which every date is a first day."""

    def look_at(self, column: Column, values: pa.Array, codes: pa.Array | None) -> None:
        """Take a batch into account."""
        self.rows += len(values)
        missing = values.is_null(nan_is_null=pa.types.is_floating(values.type))
        if codes is not None:
            # Only a code in the place of a value is a missing; beside a value it is another spelling of it.
            coded = pc.and_(missing, codes.is_valid())
            self.codes.update(dict.fromkeys(codes.filter(coded).unique().to_pylist()))
            missing = pc.and_not(missing, coded)
        self.plainly_missing += missing.true_count
        if len(values):
            self.blank_end = values[-1].as_py() in {None, ""}
        present = values.drop_null()
        if len(present) == 0:
            return
        if column.type is ColumnType.TEXT:
            self._texts(present)
        elif column.type.is_numeric:
            self._numbers(present)
        elif column.type is ColumnType.DATE:
            self.first_days = {shape for shape in self.first_days if are_first_days(shape, present)}
        elif column.type is ColumnType.TIMESTAMP:
            self.zoned |= present.type.tz is not None
            micros = present.cast(pa.timestamp("us", present.type.tz), safe=False).cast(pa.int64())
            self.fine |= bool((micros.to_numpy(zero_copy_only=False) % 1_000).any())

    def _texts(self, present: pa.Array) -> None:
        texts = present.cast(pa.string())
        self.longest = max(self.longest, pc.max(pc.binary_length(texts)).as_py())
        self.longest_line = max(self.longest_line, pc.max(pc.utf8_length(texts)).as_py())
        self.null_characters += pc.match_substring(texts, "\0").true_count
        self.trailing_blanks += pc.ends_with(texts, " ").true_count
        self.beyond_ascii = self.beyond_ascii or not pc.all(pc.string_is_ascii(texts)).as_py()
        self.empty += pc.equal(texts, "").true_count
        # One look at a few tells most columns apart from times.
        self.clocks = self.clocks and all(
            not math.isnan(microseconds_of_clock(text)) for text in texts.unique().to_pylist()
        )

    def _numbers(self, present: pa.Array) -> None:
        if pa.types.is_integer(present.type):
            least_and_most = pc.min_max(present).as_py()
            self.low = min(self.low, least_and_most["min"])
            self.high = max(self.high, least_and_most["max"])
            return
        self.rounded |= pa.types.is_decimal(present.type) and present.type.precision > 15
        numbers = present.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        finite = numbers[np.isfinite(numbers)]
        self.infinite += int(np.isinf(numbers).sum())
        if finite.size:
            self.low = min(self.low, float(finite.min()))
            self.high = max(self.high, float(finite.max()))
            sizes = np.abs(finite[finite != 0])
            self.smallest = min(self.smallest, float(sizes.min())) if sizes.size else self.smallest


def survey(relation: Relation) -> Sequence[Measured]:
    """Return what each column holds, from one pass over the tuples."""
    measured = [Measured() for _ in relation.columns]
    for batch in cells(relation):
        for figures, column, (values, codes) in zip(measured, relation.columns, batch, strict=True):
            figures.look_at(column, values, codes)
    return measured
