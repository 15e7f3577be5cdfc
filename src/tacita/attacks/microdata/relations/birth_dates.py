"""Ages that follow from dates of birth.

The day on which ages were taken is learnt from the records that show both: an age of a years and a birthday b leave the
days from b + a years to the day before b + a + 1 years, and the day that most records leave is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.relations.numbers import Numbers, NumericLesson, ReleasedFormula

_YEAR = 372
"""Days of a year in which every month has 31: dates keep their order, and years are all equally long."""
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_OLDEST = 130
_LEAST = 20
_FORMATS = (
    ("-", "ymd"),
    ("/", "ymd"),
    (".", "dmy"),
    ("/", "dmy"),
    ("/", "mdy"),
    ("-", "dmy"),
    ("", "ymd"),
)
"""How dates are written: what stands between year, month and day, and their order."""


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedDates:
    """A released attribute whose values are dates, as days of years of 372 days; nan where a cell is empty."""

    name: str
    days: Numbers = field(repr=False)


def days_of(texts: Sequence[str], codes: Codes) -> Numbers | None:
    """Return the day of each record, given the different texts and the place of each record's text among them.

    None if the texts are not dates.

    >>> days_of(["1990-01-01", "1990-01-02"], np.array([1, 0, -1]))
    array([740281., 740280.,     nan])
    >>> days_of(["31.01.1990", "14.02.1991"], np.array([0])), days_of(["north", "south"], np.array([0]))
    (array([740310.]), None)
    """
    if not texts:
        return None
    for between, order in _FORMATS:
        if _day(texts[0], between, order) is None or _day(texts[-1], between, order) is None:
            continue
        days = [_day(text, between, order) for text in texts]
        known = np.array([np.nan if day is None else float(day) for day in days])
        if np.isfinite(known).mean() >= 0.99:
            dates: Numbers = np.append(known, np.nan)[codes]
            return dates
    return None


def _day(text: str, between: str, order: str) -> int | None:
    text = text.strip().partition("T")[0].partition(" ")[0]
    parts = text.split(between) if between else [text[:4], text[4:6], text[6:8]]
    if not between and len(text) != 8:
        return None
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    year, month, day = (int(parts[order.index(sign)]) for sign in "ymd")
    if not (1800 <= year <= 2200 and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    return year * _YEAR + (month - 1) * 31 + day - 1


def days_of_numbers(values: Numbers) -> Numbers | None:
    """Return the day of each record whose date is a number such as 19900131; None if these are not dates.

    >>> days_of_numbers(np.array([19900101.0, np.nan])), days_of_numbers(np.array([19901301.0]))
    (array([740280.,     nan]), None)
    """
    there = values[np.isfinite(values)]
    if not len(there) or there.min() < 18_000_101 or there.max() > 22_001_231:
        return None
    year, month, day = values // 10_000, values // 100 % 100, values % 100
    valid = (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31)
    if valid.sum() < 0.99 * len(there):
        return None
    return np.where(valid, year * _YEAR + (month - 1) * 31 + day - 1, np.nan)


def day_numbers(column: ReleasedDates) -> Numbers:
    """Return dates as days since 1970, so that the difference of two is a number of days; nan where there is none.

    >>> day_numbers(ReleasedDates("born", np.array([740281.0, np.nan])))
    array([7306.,   nan])
    """
    there = np.isfinite(column.days)
    year, rest = np.divmod(column.days[there].astype(np.int64), _YEAR)
    month, day = np.divmod(rest, 31)
    months = ((year - 1970) * 12 + month).astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
    numbers = np.full(len(column.days), np.nan)
    numbers[there] = months + day
    return numbers


def ages(lesson: NumericLesson, dates: Callable[[], Sequence[ReleasedDates]]) -> Iterator[ReleasedFormula]:
    """Yield dates that give the target as an age on a day that is learnt.

    >>> from tacita.attacks.microdata.relations.numbers import NumericTarget
    >>> days = np.random.default_rng(1).integers(1930 * 372, 2010 * 372, 300).astype(float)
    >>> age, hidden = (2024 * 372 + 62 - days) // 372, np.arange(300) % 9 == 0
    >>> lesson = NumericLesson(NumericTarget("age", age, hidden, ~hidden, True))
    >>> [formula.sentence for formula in ages(lesson, lambda: [ReleasedDates("born", days)])]
    ['age is the number of years since born on 1 March 2024 or about then']
    """
    truth = lesson.target.truth[lesson.rows]
    if not ((truth >= 0) & (truth <= _OLDEST) & (truth == np.floor(truth))).mean() >= 0.99:
        return
    for column in dates():
        born = column.days[lesson.rows]
        there = np.isfinite(born)
        if there.sum() < _LEAST:
            continue
        first = (born[there] + truth[there] * _YEAR).astype(np.int64)
        day = _most_frequent_day(first, first + _YEAR)
        sentence = f"{lesson.target.name} is the number of years since {column.name} on {_in_words(day)} or about then"
        yield ReleasedFormula((column.name,), sentence, np.floor((day - column.days) / _YEAR), 0.0, "birth date")


def _most_frequent_day(first: Codes, end: Codes) -> int:
    """Return a day that lies in most of some intervals, the middle one if there are several."""
    days, change = np.unique(np.concatenate([first, end]), return_inverse=True)
    steps = np.bincount(change.reshape(-1), np.repeat([1.0, -1.0], len(first)))
    inside = np.cumsum(steps)
    best = np.flatnonzero(inside == inside.max())
    return int((days[best[0]] + days[min(best[0] + 1, len(days) - 1)]) // 2)


def _in_words(day: int) -> str:
    year, rest = divmod(day, _YEAR)
    month, number = divmod(rest, 31)
    return f"{number + 1} {_MONTHS[month]} {year}"
