"""The one way to write a number for people, in sentences, tables and pages: figures, and shares in per cent."""

from __future__ import annotations

import math


class Share(str):
    """A number that is written already, such as ``3.4 %``; tables align it as a number."""

    __slots__ = ()


def figure(value: float, digits: int = 4) -> str:
    """Return a number: so many digits that count, no powers of ten, nothing after the point if it is whole.

    >>> figure(25000), figure(31.06862), figure(8e-05), figure(48212.3), figure(1e-9), figure(0.0)
    ('25,000', '31.07', '0.00008', '48,212', 'below 0.000001', '0')
    """
    if not math.isfinite(value):
        return "–"
    if abs(value) >= 10 ** (digits - 1) or value == int(value):
        return f"{value:,.0f}"
    if 0 < abs(value) < 1e-6:
        return "below 0.000001"
    rounded = float(f"{value:.{digits}g}")
    if rounded == int(rounded):
        return f"{rounded:,.0f}"
    places = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{places}f}".rstrip("0")


def share(of_one: float) -> Share:
    """Return a share in per cent, to three digits.

    >>> share(0.0343), share(0.00002), share(0.0), share(14.3), share(float("nan"))
    ('3.43 %', '0.002 %', '0 %', '1,430 %', '–')
    """
    return Share(f"{figure(100 * of_one, 3)} %" if math.isfinite(of_one) else "–")


def saving(gap: float) -> str:
    """Return how much less the cheapest may cost, in words; a bound of nothing is no bound.

    >>> saving(0.0343), saving(1.0)
    ('the cheapest costs up to 3.43 % less', 'no lower bound of the cost is known')
    """
    return f"the cheapest costs up to {share(gap)} less" if is_bounded(gap) else "no lower bound of the cost is known"


def is_bounded(gap: float) -> bool:
    """Return whether something is known of what the cheapest costs at least."""
    return bool(gap < 1 - 1e-9)


def share_of(part: int, whole: int) -> Share:
    """Return a count as whole per cents of another: never 0 % for something, never 100 % for not everything.

    >>> share_of(1, 100000), share_of(99999, 100000), share_of(1, 4)
    ('<1 %', '>99 %', '25 %')
    """
    per_cent = 100 * part / whole if whole else 0.0
    if 0 < per_cent < 1:
        return Share("<1 %")
    return Share(">99 %" if 99 < per_cent < 100 else f"{per_cent:.0f} %")


def about(share: float) -> Share:
    """Return a share without decimals: it tells how much, and not how many.

    >>> about(0.0), about(0.004), about(0.126), about(0.9999), about(1.0)
    ('0 %', 'below 1 %', '13 %', 'above 99 %', '100 %')
    """
    if 0 < share < 0.01:
        return Share("below 1 %")
    if 0.99 < share < 1:
        return Share("above 99 %")
    return Share(f"{share * 100:.0f} %")
