"""What files of a package allow: names, lengths, numbers. Checked before anything is written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tacita.errors import OutputError, counted, faults_text
from tacita.files.statistical.outgoing import Outgoing
from tacita.files.statistical.packages import Package
from tacita.files.statistical.survey import Measured
from tacita.model.relation import ColumnType

_EXACT = 2**53
_MOST_ROWS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a kind of file."""

    name: re.Pattern[str]
    reserved: frozenset[str]
    text: int
    """Bytes of a text."""
    largest: float
    """The largest number."""
    columns: int
    file_label: int
    column_label: int
    value_label: int
    counts_bytes: bool = True
    """Whether the lengths of labels are counted in bytes, not in characters."""
    ignores_case: bool = True

    def cut(self, text: str, length: int) -> str:
        """Return a label as long as it may be."""
        if not self.counts_bytes:
            return text[:length]
        return text.encode()[:length].decode(errors="ignore")


_STATA_WORDS = frozenset(
    {"_all", "_b", "_coef", "_cons", "_n", "_N", "_pi", "_pred", "_rc", "_skip", "byte", "double", "float", "if"}
    | {"in", "int", "long", "strL", "using", "with"}
)
_SPSS_WORDS = frozenset(("ALL", "AND", "BY", "EQ", "GE", "GT", "LE", "LT", "NE", "NOT", "OR", "TO", "WITH"))

STATA = Limits(
    re.compile(r"(?!str\d+$)[^\W\d]\w{0,31}"),
    _STATA_WORDS,
    2_000_000_000,
    8.98846567431157e307,
    120_000,
    80,
    80,
    32_000,
    counts_bytes=False,
    ignores_case=False,
)
SPSS = Limits(
    re.compile(r"[^\W\d_]([\w.@#$]*[\w@#$])?"),
    _SPSS_WORDS,
    32_767,
    1.7976931348623155e308,
    2**31 - 1,
    64,
    256,
    120,
)
SAS_5 = Limits(
    re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,7}"),
    frozenset(),
    200,
    7.237005577332260e75,
    9_999,
    40,
    40,
    0,
)
SAS_8 = Limits(
    re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}"),
    frozenset(),
    32_767,
    7.237005577332260e75,
    2**31 - 1,
    40,
    256,
    0,
)


def check(limits: Limits, package: Package, columns: Sequence[Outgoing], figures: Sequence[Measured]) -> None:
    """Raise with everything that does not fit at once."""
    faults: list[str] = []
    advice: list[str] = []
    if len(columns) > limits.columns:
        faults.append(f"{len(columns):,} columns, where {package} takes {limits.columns:,}")
        advice.append("leave some columns out")
    if figures and figures[0].rows > _MOST_ROWS:
        faults.append(f"{figures[0].rows:,} rows, where {package} takes {_MOST_ROWS:,}")
        advice.append("write Parquet")
    if package is Package.SAS and all(c.is_text and m.blank_end for c, m in zip(columns, figures, strict=True)):
        faults.append("the last row is empty, which a SAS transport file of text alone cannot tell from padding")
        advice.append("leave empty rows out, or add a column of numbers")
    for column, measured in zip(columns, figures, strict=True):
        fault = _fault_of(column, measured, limits, package)
        if fault:
            faults.append(f"column '{column.column.name}': {fault[0]}")
            advice.append(fault[1])
    if faults:
        raise OutputError(faults_text(faults), do="; ".join(dict.fromkeys(advice)))


def _fault_of(column: Outgoing, measured: Measured, limits: Limits, package: Package) -> tuple[str, str] | None:
    if column.is_text:
        if column.longest > limits.text:
            do = "shorten these texts, or write Parquet or CSV"
            return f"a text of {column.longest:,} bytes, where {package} takes {limits.text:,}", do
        if measured.null_characters:
            return f"{counted(measured.null_characters, 'text')} with a null character", "remove the null characters"
    elif column.column.type is ColumnType.INTEGER and max(-measured.low, measured.high) > _EXACT:
        return "whole numbers above 2^53, which would lose digits", "read such columns as text (--as), or write CSV"
    elif max(-measured.low, measured.high) > limits.largest or measured.infinite:
        do = "correct these values, or write CSV or Parquet"
        return f"numbers that are infinite or larger than {package} can hold ({limits.largest:.1e})", do
    return None


def allowed(name: str, limits: Limits) -> bool:
    """Return whether a package takes a name."""
    if limits is SPSS and len(name.encode()) > 64:
        return False
    known = name.upper() if limits.ignores_case else name
    return bool(limits.name.fullmatch(name)) and known not in limits.reserved
