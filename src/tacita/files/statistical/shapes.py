"""What the numbers of a column are: counts, days, moments, times, months."""

from __future__ import annotations

from enum import StrEnum

from tacita.model.relation import ColumnType


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
