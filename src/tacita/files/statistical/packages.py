"""How Stata, SPSS and SAS differ: where time begins, what is missing, which names and lengths they allow."""

from __future__ import annotations

import string
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from tacita.model.relation import ColumnType


class Package(StrEnum):
    """A statistical package: what decides how a number in its files is to be read."""

    STATA = "Stata"
    SPSS = "SPSS"
    SAS = "SAS"

    @property
    def epoch(self) -> date:
        """The day zero."""
        return date(1582, 10, 14) if self is Package.SPSS else date(1960, 1, 1)

    @property
    def units_of_a_day(self) -> int:
        """By how much a date grows in a day: SPSS counts seconds, the others days."""
        return 86_400 if self is Package.SPSS else 1

    @property
    def units_of_a_second(self) -> int:
        """By how much a moment grows in a second."""
        return 1_000 if self is Package.STATA else 1

    @property
    def blank_is_missing(self) -> bool:
        """Whether an empty text is the missing text; to SPSS it is a value like any other."""
        return self is not Package.SPSS

    @property
    def tags(self) -> str:
        """The letters of its tagged missings: ``.a`` to ``.z`` in Stata, ``._`` and ``.A`` to ``.Z`` in SAS."""
        return {Package.STATA: string.ascii_lowercase, Package.SAS: string.ascii_uppercase + "_"}.get(self, "")


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file of a package, under pyreadstat's names."""

    package: Package
    parser: str
    writer: str = ""


_KINDS = {
    ".dta": FileKind(Package.STATA, "dta", "dta"),
    ".sav": FileKind(Package.SPSS, "sav/zsav", "sav"),
    ".zsav": FileKind(Package.SPSS, "sav/zsav", "sav"),
    ".xpt": FileKind(Package.SAS, "xport", "xport"),
    ".sas7bdat": FileKind(Package.SAS, "sas7bdat"),
}


def kind_of(ending: str) -> FileKind:
    """Return the kind of file with that ending.

    >>> kind_of(".ZSAV").package
    <Package.SPSS: 'SPSS'>
    """
    return _KINDS[ending.lower()]


class Shape(StrEnum):
    """What the numbers of a column are."""

    NUMBER = "numbers"
    DAY = "dates"
    MOMENT = "moments"
    CLOCK = "times of day or durations, as text"
    WEEK = "weeks, as their first day"
    MONTH = "months, as their first day"
    QUARTER = "quarters, as their first day"
    HALF = "half-years, as their first day"

    @property
    def type(self) -> ColumnType:
        """The type of ours that holds them."""
        if self is Shape.NUMBER:
            return ColumnType.NUMBER
        if self is Shape.MOMENT:
            return ColumnType.TIMESTAMP
        return ColumnType.TEXT if self is Shape.CLOCK else ColumnType.DATE

    @property
    def is_period(self) -> bool:
        """Whether the numbers count periods longer than a day."""
        return self in PERIODS_OF_A_YEAR


PERIODS_OF_A_YEAR = {Shape.WEEK: 52, Shape.MONTH: 12, Shape.QUARTER: 4, Shape.HALF: 2}
"""How many of these periods a year has, as Stata counts them."""
