"""Times of day and durations: text such as ``08:30:00``, since no type of ours holds them."""

from __future__ import annotations

import re

_CLOCK = re.compile(r"(-?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?")


def clock_text(microseconds: int) -> str:
    """Return a time or a duration as text; a duration may have any number of hours.

    >>> clock_text(30_600_000_000), clock_text(-500_000)
    ('08:30:00', '-00:00:00.5')
    """
    seconds, fraction = divmod(abs(microseconds), 1_000_000)
    minutes, second = divmod(seconds, 60)
    text = f"{'-' if microseconds < 0 else ''}{minutes // 60:02}:{minutes % 60:02}:{second:02}"
    return f"{text}.{fraction:06}".rstrip("0") if fraction else text


def microseconds_of_clock(text: str | None) -> int | float:
    """Return the microseconds of a time; NaN for none, and for what is not a time. The inverse of `clock_text`.

    >>> microseconds_of_clock("-01:00:00.5"), microseconds_of_clock("noon")
    (-3600500000, nan)
    """
    match = _CLOCK.fullmatch(text) if text is not None else None
    if match is None:
        return float("nan")
    micros = int(((match[5] or "") + "000000")[:6])
    micros += (int(match[2]) * 3600 + int(match[3]) * 60 + int(match[4])) * 1_000_000
    return -micros if match[1] else micros
