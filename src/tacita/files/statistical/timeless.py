"""Files of statistical packages without the time at which they were written: the same data give the same bytes."""

from __future__ import annotations

import re
from pathlib import Path

from tacita.files.statistical.packages import Package

_HEADER = 4096
"""Bytes within which every header has its times."""
_RECORD = 80
_TIME_OF_SAS = re.compile(rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d")
_SPSS_AT, _SPSS_THEN = 92, b"01 Jan 0000:00:00"
_STATA_END, _STATA_THEN = b"</timestamp></header>", b" 1 Jan 2000 00:00"
_SAS_THEN = b"01JAN00:00:00:00"


def without_time(path: Path, package: Package) -> None:
    """Let the header of a file say the first second of 2000."""
    with path.open("r+b") as file:
        header = file.read(_HEADER)
        for place, then in _times(header, package):
            file.seek(place)
            file.write(then)


def _times(header: bytes, package: Package) -> list[tuple[int, bytes]]:
    """Return where the times stand, and what to write there; nothing in a file that a full disk cut off."""
    if package is Package.SPSS:
        return [(_SPSS_AT, _SPSS_THEN)] if len(header) >= _SPSS_AT + len(_SPSS_THEN) else []
    if package is Package.STATA:
        end = header.find(_STATA_END)
        return [(end - len(_STATA_THEN), _STATA_THEN)] if end >= 0 else []
    # A time is the first or the last word of a record of 80 bytes; a label in between may look like one.
    starts = [place for record in range(0, 8 * _RECORD, _RECORD) for place in (record, record + _RECORD - 16)]
    return [(place, _SAS_THEN) for place in starts if _TIME_OF_SAS.match(header, place)]
