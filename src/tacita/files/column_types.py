"""What a column of text is: a number, a date, a code. Found in the first rows, then checked in all of them.

A guess is never silent: each column gets a `Reading` with its reason, and what could be a code stays text. Digits with
leading zeros are a code; so are digits under a name such as ``zip`` or ``nace``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

from sqlglot import exp

from tacita.model.missing_codes import MISSING_MARKERS
from tacita.model.names import normalised
from tacita.model.relation import ColumnType

# fmt: off
_CODE_WORDS = frozenset((
    "id", "ids", "code", "codes", "cod", "codice", "codigo", "nr", "zip", "zipcode", "postcode", "plz",
    "cap", "cp", "nace", "ateco", "isco", "isic", "naf", "cnae", "icd", "fips", "nuts", "iban", "siren",
    "siret", "vat", "piva", "tel", "phone",
))
# fmt: on
_DATES = (
    (re.compile(r"\d{4}-\d{2}-\d{2}"), "%Y-%m-%d", ColumnType.DATE),
    (re.compile(r"\d{4}/\d{2}/\d{2}"), "%Y/%m/%d", ColumnType.DATE),
    (re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?"), "", ColumnType.TIMESTAMP),
)
_SLASHED = re.compile(r"(\d{2})([./-])(\d{2})[./-](\d{4})( \d{2}:\d{2}(:\d{2})?)?")


STRICT_FORMS = {
    ColumnType.INTEGER: r"[+-]?[0-9]+",
    ColumnType.NUMBER: r"[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?|[+-]?[iI]nf(inity)?",
    ColumnType.DATE: r"[0-9]{4}[-/][0-9]{2}[-/][0-9]{2}|[0-9]{2}[./-][0-9]{2}[./-][0-9]{4}",
    ColumnType.TIMESTAMP: r"([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}[./-][0-9]{2}[./-][0-9]{4})"
    r"([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?)?",
}
"""What a cell of a type looks like; engines cast more than that (1_0, 0x1F, ' 7 ', a date with a time behind it)."""
EITHER_WAY = "dates whose day and month could be either way round: say --dates day-first or month-first"


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """How numbers are written in a file."""

    decimal: str = "."
    thousands: str = ""

    def pattern(self) -> str:
        """Return the regular expression of a number in this style (RE2 and Python read it alike)."""
        point = re.escape(self.decimal)
        whole = r"[0-9]+"
        if self.thousands:
            whole = rf"([0-9]{{1,3}}({re.escape(self.thousands)}[0-9]{{3}})+|[0-9]+)"
        return rf"[+-]?({whole}({point}[0-9]*)?|{point}[0-9]+)([eE][+-]?[0-9]+)?|[+-]?[iI]nf(inity)?"

    def value(self, cell: exp.Expr) -> exp.Expr:
        """Return the term that turns a cell into text that SQL reads as a number."""
        if self.thousands:
            cell = exp.func("replace", cell, exp.Literal.string(self.thousands), exp.Literal.string(""))
        if self.decimal != ".":
            cell = exp.func("replace", cell, exp.Literal.string(self.decimal), exp.Literal.string("."))
        return cell


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a column seems to be from its first rows."""

    type: ColumnType
    reason: str
    date_format: str = ""
    is_given: bool = False
    doubtful: bool = False


def number_style(columns: Iterable[Sequence[str]], decimal: str | None, thousands: str | None) -> NumberStyle:
    """Return how numbers are written, from cells that leave no choice: ``12,5`` or ``1.234,50``; English by default.

    >>> number_style([["1.234,50", "12,5"]], None, None)
    NumberStyle(decimal=',', thousands='.')
    >>> number_style([["1,234.50", "7"]], None, None)
    NumberStyle(decimal='.', thousands=',')
    """
    comma = re.compile(r"[+-]?(\d{1,3}(\.\d{3})+,\d+|\d+,(\d{1,2}|\d{4,}))")
    dotted = re.compile(r"[+-]?(\d{1,3}(,\d{3})+\.\d+|\d+\.(\d{1,2}|\d{4,}))")
    cells = Counter(chain.from_iterable(columns))
    commas = sum(count for cell, count in cells.items() if comma.fullmatch(cell))
    points = sum(count for cell, count in cells.items() if dotted.fullmatch(cell))
    if decimal is None:
        decimal = {".": ",", ",": "."}.get(thousands or "") or ("," if commas > points else ".")
    if thousands is None:
        other = "." if decimal == "," else ","
        group, point = re.escape(other), re.escape(decimal)
        grouped = re.compile(rf"[+-]?\d{{1,3}}({group}\d{{3}})+{point}\d+|[+-]?\d{{1,3}}({group}\d{{3}}){{2,}}")
        thousands = other if any(grouped.fullmatch(cell) for cell in cells) else ""
    return NumberStyle(decimal, "" if thousands == decimal else thousands)


@cache
def _compiled(style: NumberStyle) -> re.Pattern[str]:
    return re.compile(style.pattern())


def candidate(name: str, cells: Sequence[str], style: NumberStyle, dates: str | None = None) -> Candidate:
    """Return what a column seems to be, from its first non-empty cells.

    >>> candidate("Employees", ["50-200", "1000+"], NumberStyle()).type.value
    'text'
    >>> candidate("zip", ["00184", "20121"], NumberStyle()).reason
    'digits with leading zeros: a code'
    """
    cells = [cell for cell in dict.fromkeys(cells) if cell not in MISSING_MARKERS]
    if not cells:
        return Candidate(ColumnType.TEXT, "no values in the first rows")
    number = _compiled(style)
    if all(number.fullmatch(cell) for cell in cells):
        if any(re.fullmatch(r"[+-]?0[0-9]+", cell) for cell in cells):
            return Candidate(ColumnType.TEXT, "digits with leading zeros: a code")
        whole = all(re.fullmatch(r"[+-]?[0-9]+", cell) for cell in cells)
        if not _CODE_WORDS.isdisjoint(normalised(name).split()):
            return Candidate(ColumnType.TEXT, "digits under a name that means a code", doubtful=True)
        if whole and any(len(cell.lstrip("+-")) > 15 for cell in cells):
            return Candidate(ColumnType.TEXT, "more than 15 digits: a code")
        thousands = (
            style.decimal == "." and not whole and all(re.fullmatch(r"[+-]?[1-9]\d{0,2}\.\d{3}", c) for c in cells)
        )
        if thousands:
            return Candidate(
                ColumnType.NUMBER,
                "numbers with three decimals; say --thousands . if the point groups digits",
                doubtful=True,
            )
        return Candidate(ColumnType.INTEGER if whole else ColumnType.NUMBER, "numbers")
    if all(re.fullmatch(r"[+-]?\d{1,3}([.,]\d{3})+", cell) for cell in cells):
        return Candidate(
            ColumnType.TEXT,
            "digits in groups of three: say --decimal or --thousands if they are numbers",
            doubtful=True,
        )
    return _date(cells, dates) or Candidate(ColumnType.TEXT, "text")


def _date(cells: Sequence[str], dates: str | None) -> Candidate | None:
    for pattern, form, type_ in _DATES:
        if all(pattern.fullmatch(cell) for cell in cells):
            return Candidate(type_, "dates" if type_ is ColumnType.DATE else "moments in time", form)
    slashed = [match for cell in cells if (match := _SLASHED.fullmatch(cell))]
    if len(slashed) < len(cells):
        return None
    timed = {bool(match[5]) for match in slashed}
    type_ = ColumnType.TIMESTAMP if timed == {True} else ColumnType.DATE
    separator = slashed[0][2]
    first, second = (max(int(match[place]) for match in slashed) for place in (1, 3))
    if len(timed) > 1 or any(match[2] != separator for match in slashed):
        return None
    if dates is not None and (first if dates == "month-first" else second) > 12:
        return None
    if dates == "day-first" or (dates is None and (separator == "." or first > 12 >= second)):  # points: the day first
        return Candidate(type_, "dates, day first", f"%d{separator}%m{separator}%Y")
    if dates == "month-first" or second > 12 >= first:
        return Candidate(type_, "dates, month first", f"%m{separator}%d{separator}%Y")
    return Candidate(ColumnType.TEXT, EITHER_WAY, doubtful=True)
