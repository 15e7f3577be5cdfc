"""Dates, moments and times of day: how the packages count them, and the same as dates of ours.

A package stores a number and a display format. The format alone says whether 21,916 is a count or the second of
January 2020, so a column is a date because of its format, and stays one only if every value of it is a day.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tacita.files.clock import clock_text, microseconds_of_clock
from tacita.files.statistical.packages import PERIODS_OF_A_YEAR, Package, Shape

Numbers = npt.NDArray[Any]

_MICROSECONDS_OF_A_DAY = 86_400 * 1_000_000
# The years that every engine and every Python date can hold.
_FIRST_DAY = int(np.datetime64("0001-01-01", "D").astype(np.int64))
_LAST_DAY = int(np.datetime64("9999-12-31", "D").astype(np.int64))


def values_of(shape: Shape, package: Package, numbers: Numbers) -> pa.Array | None:
    """Return numbers (NaN: missing) as values of our types, or None if one of them is not of that shape."""
    missing = np.isnan(numbers)
    filled = np.where(missing, 0.0, numbers)
    if not np.isfinite(filled).all():
        return None
    if shape is Shape.CLOCK:
        return _clock_texts(package, filled, missing)
    zero = _days_before_1970(package)
    if shape is Shape.MOMENT:
        micros = _microseconds(package, filled)
        micros = None if micros is None else micros + zero * _MICROSECONDS_OF_A_DAY
        if micros is None or not _within(micros // _MICROSECONDS_OF_A_DAY, missing):
            return None
        return pa.array(micros, mask=missing).cast(pa.timestamp("us"))
    units = filled / package.units_of_a_day if shape is Shape.DAY else filled
    if (units != np.trunc(units)).any() or (np.abs(units) > 10**7).any():
        return None
    days = units.astype(np.int64) + zero if shape is Shape.DAY else _first_days(shape, units.astype(np.int64))
    if not _within(days, missing):
        return None
    return pa.array(days.astype(np.int32), mask=missing).cast(pa.date32())


def numbers_of(shape: Shape, package: Package, values: pa.Array) -> Numbers:
    """Return values of ours as the package's numbers; NaN where they are missing. The inverse of `values_of`.

    >>> days = values_of(Shape.MONTH, Package.STATA, np.array([723.0, np.nan]))
    >>> days.to_pylist()[0].isoformat(), numbers_of(Shape.MONTH, Package.STATA, days).tolist()
    ('2020-04-01', [723.0, nan])
    """
    zero = _days_before_1970(package)
    if shape is Shape.CLOCK:
        micros = [microseconds_of_clock(text) for text in values.to_pylist()]
        return np.array(micros, dtype=np.float64) * package.units_of_a_second / 1e6
    result: Numbers
    if shape is Shape.MOMENT:
        counts = values.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
        shifted = counts.fill_null(0).to_numpy(zero_copy_only=False) - zero * _MICROSECONDS_OF_A_DAY
        seconds = np.floor_divide(shifted, 1_000_000)
        result = seconds.astype(np.float64) * package.units_of_a_second
        result += (shifted - seconds * 1_000_000) / (1_000_000 / package.units_of_a_second)
    else:
        days = values.cast(pa.date32()).cast(pa.int32()).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        if shape is Shape.DAY:
            result = (days - zero).astype(np.float64) * package.units_of_a_day
        else:
            result = _periods(shape, days).astype(np.float64)
    result[values.is_null().to_numpy(zero_copy_only=False)] = np.nan
    return result


def are_first_days(shape: Shape, values: pa.Array) -> bool:
    """Return whether all dates are the first day of a period, so that counting periods loses nothing."""
    days = values.drop_null().cast(pa.int32()).to_numpy(zero_copy_only=False).astype(np.int64)
    return bool((_first_days(shape, _periods(shape, days)) == days).all())


def _microseconds(package: Package, filled: Numbers) -> Numbers | None:
    """Return counts of a package's seconds as microseconds, whole seconds apart from fractions to lose no digit."""
    if (np.abs(filled) > 4e11 * package.units_of_a_second).any():
        return None
    seconds = np.floor_divide(filled, package.units_of_a_second)
    rest = (filled - seconds * package.units_of_a_second) / package.units_of_a_second
    micros: Numbers = seconds.astype(np.int64) * 1_000_000 + np.rint(rest * 1e6).astype(np.int64)
    return micros


def _clock_texts(package: Package, filled: Numbers, missing: Numbers) -> pa.Array | None:
    micros = _microseconds(package, filled)
    if micros is None or (package is Package.STATA and ((micros < 0) | (micros >= _MICROSECONDS_OF_A_DAY)).any()):
        return None
    different, places = np.unique(micros, return_inverse=True)
    texts = pa.array([clock_text(int(value)) for value in different], pa.string())
    return texts.take(pa.array(places, mask=missing))


def _first_days(shape: Shape, periods: Numbers) -> Numbers:
    """Return the first day of Stata's periods since 1960; the 52nd week of a year is as long as it needs to be."""
    of_a_year = PERIODS_OF_A_YEAR[shape]
    years, place = np.divmod(periods, of_a_year)
    if shape is Shape.WEEK:
        starts = _days((years - 10).astype("datetime64[Y]"))
        first: Numbers = starts + 7 * place
        return first
    months = (years - 10) * 12 + place * (12 // of_a_year)
    return _days(months.astype("datetime64[M]"))


def _periods(shape: Shape, days: Numbers) -> Numbers:
    of_a_year = PERIODS_OF_A_YEAR[shape]
    dates = days.astype("datetime64[D]")
    years = dates.astype("datetime64[Y]")
    since = years.astype(np.int64) + 10
    if shape is Shape.WEEK:
        weeks: Numbers = since * 52 + np.minimum((days - _days(years)) // 7, 51)
        return weeks
    months = dates.astype("datetime64[M]").astype(np.int64) - years.astype("datetime64[M]").astype(np.int64)
    periods: Numbers = since * of_a_year + months // (12 // of_a_year)
    return periods


def _days_before_1970(package: Package) -> int:
    return package.epoch.toordinal() - 719_163


def _days(dates: Numbers) -> Numbers:
    days: Numbers = dates.astype("datetime64[D]").astype(np.int64)
    return days


def _within(days: Numbers, missing: Numbers) -> bool:
    return bool((missing | ((days >= _FIRST_DAY) & (days <= _LAST_DAY))).all())
