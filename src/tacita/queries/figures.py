"""The true figure of a statistic over some cells, and the sums that whoever sees it exactly knows.

Nothing is rounded until a figure is written: sums are whole numbers of the last decimal, everything else is a fraction.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import numpy as np

from tacita.queries.audit.judge import ToldSum
from tacita.queries.cube.cube import Cube, Ints
from tacita.queries.question import EVERYTHING, AskedStatistic, Both, Mask, Predicate, Selection, Statistic

DIGITS = 15
"""Significant digits of figures that are not sums."""
INTERVAL_DIGITS = 8
"""Significant digits of the ends of an interval."""
ERROR_DIGITS = 3
"""Significant digits of the error of a figure with noise; the figure ends at the same decimal place."""


def true_figure(aggregate: AskedStatistic, cube: Cube, cells: Mask) -> Fraction | None:
    """Return the figure over the records of some cells; None if there is none: an empty set, a division by zero."""
    statistic = aggregate.statistic
    count = int(cube.n[cells].sum())
    if statistic is Statistic.COUNT:
        return Fraction(count)
    if statistic is Statistic.CONTRIBUTORS:
        return Fraction(cube.contributors(cells))
    if count == 0:
        return Fraction(0) if statistic is Statistic.SUM else None
    unit = Fraction(cube.policy.measure(aggregate.measure).unit)
    if statistic in {Statistic.MINIMUM, Statistic.MAXIMUM, Statistic.QUANTILE}:
        values = np.sort(cube.values[aggregate.measure][cube.records_of(cells)])
        return unit * _quantile(values, aggregate)
    total = sum_of(cube, aggregate.measure, cells)
    if statistic is Statistic.SUM:
        return unit * total
    if statistic is Statistic.AVERAGE:
        return unit * Fraction(total, count)
    if statistic is Statistic.VARIANCE:
        squares = squares_of(cube, aggregate.measure, cells)
        return unit**2 * (Fraction(squares, count) - Fraction(total, count) ** 2)
    if statistic is Statistic.RATIO:
        below = sum_of(cube, aggregate.other, cells) * Fraction(cube.policy.measure(aggregate.other).unit)
        return unit * total / below if below else None
    return _line(aggregate, cube, cells, unit)


def facts_of(aggregate: AskedStatistic, cube: Cube, cells: Mask, where: Predicate = EVERYTHING) -> tuple[ToldSum, ...]:
    """Return the sums that follow from a figure, together with those of which it is made; `where` selects the cells.

    Where a figure tells one combination of sums (a ratio, a slope), all of these are taken as told: whoever is allowed
    to know them may know the figure.
    """
    statistic, measure = aggregate.statistic, aggregate.measure
    count = ToldSum("", cells, int(cube.n[cells].sum()), where=where)
    if statistic is Statistic.COUNT:
        return (count,)
    if statistic is Statistic.CONTRIBUTORS:
        people = cube.contributors(cells)
        return (count if people == count.value else ToldSum("", cells, people, power=0, where=where),)
    if statistic in {Statistic.MINIMUM, Statistic.MAXIMUM}:
        places = cube.records_of(cells)
        values = cube.values[measure][places]
        is_least = statistic is Statistic.MINIMUM
        extreme = int(values.min() if is_least else values.max()) if len(values) else 0
        return (ToldSum(measure, cells, extreme, extreme="min" if is_least else "max", where=where),)
    total = ToldSum(measure, cells, sum_of(cube, measure, cells), where=where)
    if statistic is Statistic.SUM:
        return (total,)
    if statistic is Statistic.AVERAGE:
        return count, total
    if statistic is Statistic.VARIANCE:
        return count, total, ToldSum(measure, cells, squares_of(cube, measure, cells), power=2, where=where)
    if statistic is Statistic.RATIO:
        return total, ToldSum(aggregate.other, cells, sum_of(cube, aggregate.other, cells), where=where)
    codes, facts = cube.codes[aggregate.other], list[ToldSum]()
    for code in np.unique(codes[cells]).tolist():
        part, here = cells & (codes == code), Both((where, Selection(aggregate.other, frozenset((code,)))))
        facts.append(ToldSum("", part, int(cube.n[part].sum()), where=here))
        facts.append(ToldSum(measure, part, sum_of(cube, measure, part), where=here))
    return tuple(facts)


def counts_told_by(
    aggregate: AskedStatistic, cube: Cube, cells: Mask, where: Predicate = EVERYTHING
) -> tuple[ToldSum, ...]:
    """Return the counts that follow from a figure that is not exact itself.

    In camouflage sums are intervals and counts are exact, also those by which intervals are divided: the interval of an
    average is that of the sum over the number of records, and the two together tell it. Private sums over public
    records are kept between bounds times their number: at a low price they are at one of these, and tell the number.
    """
    if aggregate.statistic is Statistic.QUANTILE:
        return ()
    facts = facts_of(aggregate, cube, cells, where)
    counts = tuple(fact for fact in facts if not fact.measure)
    if not counts and cube.policy.has_public_records and not any(fact.extreme for fact in facts):
        return (ToldSum("", cells, int(cube.n[cells].sum()), where=where),)
    return counts


def sum_of(cube: Cube, measure: str, cells: Mask) -> int:
    """Return the sum of a measure over some cells, in units of its last decimal."""
    return int(cube.sums[measure][cells].sum())


def squares_of(cube: Cube, measure: str, cells: Mask) -> int:
    """Return the sum of squares of a measure over some cells."""
    squares = cube.squares(measure)
    return sum(squares[cell] for cell in np.flatnonzero(cells).tolist())


def figure_text(figure: Fraction, rounding: str = ROUND_HALF_EVEN) -> str:
    """Return a figure as decimal text: exactly if it is a decimal number of some digits, rounded otherwise.

    >>> figure_text(Fraction(90)), figure_text(Fraction(1, 4)), figure_text(Fraction(-2, 3))
    ('90', '0.25', '-0.666666666666667')
    """
    if figure.denominator == 1:
        return str(figure.numerator)
    return _plain(
        Context(prec=DIGITS, rounding=rounding).divide(Decimal(figure.numerator), Decimal(figure.denominator))
    )


def rounded_error(error: Fraction, step: Fraction) -> Fraction:
    """Return an error of three significant digits that covers the rounding of its figure, too.

    Figures are whole numbers of `step`, or any number if it is 0. The last digit depends on the error alone, never on
    the figure: it can be said before the figure is drawn.

    >>> float(rounded_error(Fraction("4039.197"), Fraction(1, 100))), float(rounded_error(Fraction(31), Fraction(1)))
    (4050.0, 31.0)
    """
    if not error:
        return error
    place = _last_place(error)
    covered = error + place / 2 if place > step else error
    return math.ceil(covered / place) * place


def noisy_texts(value: Fraction, error: Fraction, step: Fraction) -> tuple[str, str]:
    """Return a figure and its error as decimal text, both rounded to the same decimal place.

    >>> noisy_texts(Fraction("164498.112204559"), Fraction("4039.19707205128"), Fraction(0))
    ('164500', '4050')
    """
    if not error:
        return figure_text(value), "0"
    place = max(_last_place(error), step)
    return _decimal_text(round(value / place), place), figure_text(rounded_error(error, step))


def interval_texts(lower: Fraction, upper: Fraction) -> tuple[str, str, str]:
    """Return the middle and both ends of an interval as decimal text of some digits, the ends rounded outwards.

    >>> interval_texts(Fraction(123456789), Fraction(1000, 3))
    ('61728557', '123456780', '333.33334')
    """
    low = _shortened(lower, ROUND_FLOOR)
    high = _shortened(upper, ROUND_CEILING)
    middle = _shortened((Fraction(low) + Fraction(high)) / 2, ROUND_HALF_EVEN)
    return _plain(middle), _plain(low), _plain(high)


def _last_place(error: Fraction) -> Fraction:
    """Return the decimal place of the last digit that an error is written with."""
    digits = Context(prec=DIGITS, rounding=ROUND_FLOOR).divide(Decimal(error.numerator), Decimal(error.denominator))
    return Fraction(10) ** (digits.adjusted() - ERROR_DIGITS + 1)


def _shortened(figure: Fraction, rounding: str) -> Decimal:
    context = Context(prec=INTERVAL_DIGITS, rounding=rounding)
    return context.divide(Decimal(figure.numerator), Decimal(figure.denominator))


def _decimal_text(count: int, place: Fraction) -> str:
    """Return so many units of a decimal place as text, without any rounding.

    >>> _decimal_text(12345, Fraction(1, 100)), _decimal_text(12, Fraction(1000))
    ('123.45', '12000')
    """
    exponent = Decimal(place.numerator).adjusted() - Decimal(place.denominator).adjusted()
    return _plain(Decimal(f"{count}E{exponent}"))


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _quantile(values: Ints, aggregate: AskedStatistic) -> Fraction:
    """Return the quantile of sorted values, between two of them by linear interpolation, as SQL's QUANTILE_CONT."""
    share = {Statistic.MINIMUM: Fraction(0), Statistic.MAXIMUM: Fraction(1)}.get(aggregate.statistic, aggregate.share)
    place = share * (len(values) - 1)
    below = int(place)
    low, high = int(values[below]), int(values[min(below + 1, len(values) - 1)])
    return low + (place - below) * (high - low)


def _line(aggregate: AskedStatistic, cube: Cube, cells: Mask, unit: Fraction) -> Fraction | None:
    """Return slope or intercept of the regression of a measure on a public number."""
    numbers = cube.attribute(aggregate.other).numbers
    assert numbers is not None
    codes = cube.codes[aggregate.other]
    n = x = xx = xy = y = Fraction(0)
    for code in np.unique(codes[cells]).tolist():
        part = cells & (codes == code)
        count, total = int(cube.n[part].sum()), unit * sum_of(cube, aggregate.measure, part)
        value = Fraction(repr(float(numbers[code])))
        n, x, xx, xy, y = n + count, x + count * value, xx + count * value**2, xy + value * total, y + total
    spread = n * xx - x**2
    if not spread:
        return None
    slope = (n * xy - x * y) / spread
    return slope if aggregate.statistic is Statistic.SLOPE else (y - slope * x) / n
