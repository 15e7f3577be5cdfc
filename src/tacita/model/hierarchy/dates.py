"""Dates coarsened by cutting off their end: 2024-05-17 -> 2024-05 -> 2024-Q2 -> 2024 -> 2020s -> *."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import pairwise

from tacita.errors import HierarchyError, did_you_mean, faults_text
from tacita.model.hierarchy.base import STAR, Hierarchy, star_level, text_of

STEPS = ("day", "month", "quarter", "year", "decade")
"""What a date can be cut to, finest first. Weeks are not among them: they do not nest in months."""

_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}


@dataclass(frozen=True, slots=True)
class DateHierarchy(Hierarchy):
    """Dates, moments or ISO texts, cut to coarser and coarser periods.

    >>> birth = DateHierarchy("birth", ("month", "quarter", "decade"), star=True)
    >>> birth.path("1987-06-30")
    ('1987-06-30', '1987-06', '1987-Q2', '1980s', '*')
    """

    attribute: str
    steps: tuple[str, ...] = ("month", "quarter", "year", "decade")
    star: bool = False
    domain: tuple[date, date] | None = None
    """First and last possible day; without them no value has a share."""
    levels: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        if faults := date_faults(self.steps, self.domain):
            raise HierarchyError(
                faults_text(faults),
                where=f"hierarchy of '{self.attribute}'",
                do=f"choose from {', '.join(STEPS)}, in that order",
            )
        names = (self.attribute, *(f"{self.attribute} {step}" for step in self.steps))
        object.__setattr__(self, "levels", (*names, star_level(self.attribute)) if self.star else names)

    def path(self, value: object) -> tuple[str, ...] | None:
        """Return the date and the periods that it lies in."""
        day = as_date(value)
        if day is None:
            return None
        return (text_of(value), *(_label(day, step) for step in self.steps), *([STAR] if self.star else []))

    def share(self, label: str, level: int) -> float | None:
        """Return the days of a period inside the domain, divided by all days; None without a domain."""
        self.check_level(level)
        if self.star and level == self.height and label == STAR:
            return 1.0
        period = self._period(label, level)
        if period is None:
            raise self.no_label(level)
        if self.domain is None:
            return None
        first, last = self.domain
        days = (min(period[1], last) - max(period[0], first)).days + 1
        return max(days, 0) / ((last - first).days + 1)

    def _period(self, label: str, level: int) -> tuple[date, date] | None:
        """Return the first and the last day of the period that a label names at a level."""
        if level == 0:
            day = as_date(label)
            return (day, day) if day else None
        step = self.steps[level - 1] if level <= len(self.steps) else ""
        first = _first_day(label, step)
        return (first, _last_day(first, step)) if first and _label(first, step) == label else None

    def remedy(self, uncovered: Iterable[object]) -> str:
        """Return what to do about values that are no dates."""
        return "they are no dates: write them as 2024-05-17, or declare them missing in the dictionary"


def as_date(value: object) -> date | None:
    """Return the day of a date, a moment or an ISO text, or None for anything else.

    >>> as_date("2024-05-17T08:30:00Z"), as_date("17.5.2024")
    (datetime.date(2024, 5, 17), None)
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if not isinstance(value, str):
        return None
    try:
        return datetime.fromisoformat(value.strip()).date()
    except ValueError:
        return None


def date_faults(steps: Sequence[str], domain: tuple[date, date] | None = None) -> list[str]:
    """Return all faults of a choice of steps.

    >>> date_faults(["year", "mont"])
    ["no step 'mont'; did you mean 'month'?"]
    """
    if not steps:
        return ["no steps are given"]
    faults = [f"no step '{step}'{did_you_mean(step, STEPS)}" for step in steps if step not in STEPS]
    known = [step for step in steps if step in STEPS]
    faults += [
        f"'{coarse}' stands after '{fine}', but is not coarser"
        for fine, coarse in pairwise(known)
        if STEPS.index(coarse) <= STEPS.index(fine)
    ]
    if domain and domain[0] > domain[1]:
        faults.append(f"the domain ends on {domain[1].isoformat()}, before {domain[0].isoformat()}")
    return faults


def _label(day: date, step: str) -> str:
    year = f"{day.year:04d}"
    match step:
        case "day":
            return day.isoformat()
        case "month":
            return f"{year}-{day.month:02d}"
        case "quarter":
            return f"{year}-Q{(day.month + 2) // 3}"
        case "year":
            return year
    return f"{year[:3]}0s"


def _first_day(label: str, step: str) -> date | None:
    try:
        match step:
            case "day":
                return date.fromisoformat(label)
            case "month":
                return date.fromisoformat(f"{label}-01")
            case "quarter":
                return date(int(label[:4]), int(label[-1:]) * 3 - 2, 1)
            case "year":
                return date(int(label), 1, 1)
            case "decade":
                return date(max(int(label[:4]), 1), 1, 1)  # the first decade begins in year 1
    except ValueError:
        pass
    return None


def _last_day(first: date, step: str) -> date:
    if step == "day":
        return first
    year = first.year // 10 * 10 if step == "decade" else first.year
    months = year * 12 + first.month - 1 + _MONTHS[step]
    return date.max if months > 9999 * 12 + 11 else date(months // 12, months % 12 + 1, 1) - timedelta(days=1)
