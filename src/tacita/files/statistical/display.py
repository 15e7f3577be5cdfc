"""Display formats: which make a number a date, which a package knows, and how one is said in another.

A package stores a number and a display format. The format alone says whether 21,916 is a count or the second of
January 2020.
"""

from __future__ import annotations

import re

from tacita.files.statistical.packages import Package, Shape

_STATA_FORMAT = re.compile(r"%-?(t[a-zA-Z]|d)(.*)")
_STATA_SHAPES = {
    "td": Shape.DAY,
    "d": Shape.DAY,
    "tc": Shape.MOMENT,
    "tw": Shape.WEEK,
    "tm": Shape.MONTH,
    "tq": Shape.QUARTER,
    "th": Shape.HALF,
}
_STATA_CLOCK = re.compile(r"[Hh]{1,2}:MM(:SS(\.s+)?)?([ _]?[aA]\.?[mM]\.?)?")
_SPSS_SHAPES = {
    **dict.fromkeys(("DATE", "ADATE", "EDATE", "JDATE", "SDATE", "MOYR", "QYR", "WKYR"), Shape.DAY),
    **dict.fromkeys(("DATETIME", "YMDHMS"), Shape.MOMENT),
    **dict.fromkeys(("TIME", "DTIME", "MTIME"), Shape.CLOCK),
}
_SEPARATED = [
    name + mark for name in ("DDMMYY", "MMDDYY", "YYMMDD", "MMYY", "YYMM", "YYQ", "YYQR") for mark in "BCDNPS"
]
_SAS_SHAPES = {
    **dict.fromkeys(
        (
            "DATE",
            "DDMMYY",
            "MMDDYY",
            "YYMMDD",
            "MMYY",
            "YYMM",
            "YYQ",
            "YYQR",
            "MONYY",
            "YYMON",
            "WEEKDATE",
            "WEEKDATX",
        ),
        Shape.DAY,
    ),
    **dict.fromkeys(("WORDDATE", "WORDDATX", "JULIAN", "E8601DA", "B8601DA", "IS8601DA", *_SEPARATED), Shape.DAY),
    **dict.fromkeys(("YEAR", "QTR", "QTRR", "MONTH", "MONNAME", "DAY", "DOWNAME", "WEEKDAY", "JULDAY"), Shape.DAY),
    **dict.fromkeys(
        ("DATETIME", "DATEAMPM", "MDYAMPM", "E8601DT", "B8601DT", "IS8601DT", "E8601DN", "B8601DN"),
        Shape.MOMENT,
    ),
    **dict.fromkeys(("DTDATE", "DTMONYY", "DTYEAR", "DTWKDATX", "DTYYQC"), Shape.MOMENT),
    **dict.fromkeys(("TIME", "TIMEAMPM", "TOD", "HHMM", "MMSS", "E8601TM", "B8601TM", "IS8601TM"), Shape.CLOCK),
}
_SHOWS_A_PART = re.compile(r"(YEAR|QTRR?|MONTH|MONNAME|DAY|DOWNAME|WEEKDAY|JULDAY|DTYEAR)\d*\.?")


def shape_of(package: Package, form: str) -> Shape:
    """Return what a display format makes of numbers.

    >>> shape_of(Package.SPSS, "ADATE10"), shape_of(Package.STATA, "%tm"), shape_of(Package.SAS, "BEST12")
    (<Shape.DAY: 'dates'>, <Shape.MONTH: 'months, as their first day'>, <Shape.NUMBER: 'numbers'>)
    """
    if package is Package.STATA:
        match = _STATA_FORMAT.fullmatch(form)
        shape = _STATA_SHAPES.get(match[1], Shape.NUMBER) if match else Shape.NUMBER
        return Shape.CLOCK if match and shape is Shape.MOMENT and _STATA_CLOCK.fullmatch(match[2]) else shape
    known = _SPSS_SHAPES if package is Package.SPSS else _SAS_SHAPES
    text = form.upper()
    # Names may end in digits of their own (E8601DA10), so the longest known name wins.
    names = [name for name in known if text.startswith(name) and re.fullmatch(r"\d*(\.\d*)?", text[len(name) :])]
    return known[max(names, key=len)] if names else Shape.NUMBER


def doubt_of(package: Package, form: str) -> str:
    """Return why a person should look at a column with this format, or nothing."""
    if package is Package.SAS and _SHOWS_A_PART.fullmatch(form.upper()):
        return f"the format {form} shows only a part of each date; the cells hold whole dates"
    if package is Package.STATA and form.lstrip("%-").startswith(("tC", "tb")):
        return f"Stata's {form} counts leap seconds or business days; the numbers are left as they are"
    return ""


def next_shape(shape: Shape, package: Package) -> Shape:
    """Return what a column is if not all its numbers are what its format says."""
    has_hours = (shape is Shape.DAY and package is Package.SPSS) or (shape is Shape.CLOCK and package is Package.STATA)
    return Shape.MOMENT if has_hours else Shape.NUMBER


_DEFAULTS = {
    (Package.STATA, Shape.DAY): "%td",
    (Package.STATA, Shape.MOMENT): "%tc",
    (Package.STATA, Shape.CLOCK): "%tcHH:MM:SS",
    (Package.SPSS, Shape.DAY): "DATE11",
    (Package.SPSS, Shape.MOMENT): "DATETIME20",
    (Package.SPSS, Shape.CLOCK): "TIME8",
    (Package.SAS, Shape.DAY): "DATE9",
    (Package.SAS, Shape.MOMENT): "DATETIME20",
    (Package.SAS, Shape.CLOCK): "TIME8",
}
_NUMERIC = {
    Package.STATA: re.compile(r"%[-0]*\d{1,3}[.,]\d{1,2}(f|g|e|fc|gc)"),
    Package.SPSS: re.compile(r"(F|COMMA|DOT|DOLLAR|PCT|E|N|CC[A-E]|Z|RBHEX|IB|PIB|P|PK|RB)\d{1,2}(\.\d{1,2})?"),
    Package.SAS: re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,30}\.?\d*|[A-Za-z_][A-Za-z_]*\d+\.\d+|\d+\.\d*"),
}
_TEXT = {
    Package.STATA: re.compile(r"%-?\d{1,4}s"),
    Package.SAS: re.compile(r"\$[A-Za-z0-9_]{0,30}\.?"),
}
_WIDTH_AND_DECIMALS = {
    Package.STATA: re.compile(r"%[-0]*(\d{1,3})[.,](\d{1,2})fc?"),
    Package.SPSS: re.compile(r"(?:F|COMMA|DOT)(\d{1,2})(?:\.(\d{1,2}))?"),
    Package.SAS: re.compile(r"(?:F|COMMA|COMMAX)?(\d{1,2})\.?(\d{1,2})?"),
}
_WRITTEN = {Package.STATA: "%{0}.{1}f", Package.SPSS: "F{0}.{1}", Package.SAS: "{0}.{1}"}


def moment_format(target: Package, shape: Shape, form: str) -> str:
    """Return the format of a column of dates: its own if the package has it, the usual one otherwise."""
    own = shape_of(target, form)
    hours_hidden = target is Package.SPSS and shape is Shape.MOMENT and own is Shape.DAY
    return form if own is shape or hours_hidden else _DEFAULTS[target, shape]


def number_format(target: Package, origin: Package | None, form: str) -> str | None:
    """Return the format of a column of numbers in the words of a package, or None if it has no such format.

    >>> number_format(Package.STATA, Package.SPSS, "F8.2"), number_format(Package.SPSS, Package.SAS, "BEST12")
    ('%8.2f', None)
    """
    if origin is target:
        return form if _NUMERIC[target].fullmatch(form) else None
    match = _WIDTH_AND_DECIMALS[origin].fullmatch(form) if origin else None
    if match is None:
        return None
    width, decimals = int(match[1]), int(match[2] or 0)
    return _WRITTEN[target].format(min(width, 32), decimals) if decimals < width else None


def text_format(target: Package, origin: Package | None, form: str) -> str | None:
    """Return the format of a column of text, if it is the package's own."""
    known = _TEXT.get(target)
    return form if origin is target and known and known.fullmatch(form) else None


def text_width(target: Package, origin: Package | None, form: str) -> int:
    """Return how many bytes a text column of SPSS had at its source, which its format says."""
    match = re.fullmatch(r"A(\d{1,5})", form) if origin is target is Package.SPSS else None
    return int(match[1]) if match else 0


def is_general(form: str) -> bool:
    """Return whether a format says no more than: a number."""
    return bool(re.fullmatch(r"%[-0]*\d+\.0gc?|BEST\d*\.?", form))
