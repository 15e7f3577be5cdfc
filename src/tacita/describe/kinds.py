"""What kind of values an attribute has, from its type and its profile; the dictionary may say otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacita.model.attribute import Kind
from tacita.model.relation import ColumnType

_NUMBER = r"\d+([.,]\d+)*"
_RANGE = re.compile(rf"[\[(<>≤≥=]*\s*{_NUMBER}\s*((-|–|to|a|bis)\s*{_NUMBER}\s*[\])]?|\+)?")
_MARK = re.compile(r"[<>≤≥+]|\d\s*(-|–|to|a|bis)\s*\d")
_FEW = 20


def kind_of(type_: ColumnType, distinct: int, present: int, values: Sequence[str] = ()) -> Kind:
    """Return the kind of an attribute.

    >>> kind_of(ColumnType.TEXT, 3, 100, ["0-30", "30-60", "90+"]).value
    'ordinal'
    >>> kind_of(ColumnType.INTEGER, 2, 100).value, kind_of(ColumnType.INTEGER, 80, 100).value
    ('categorical', 'continuous')
    >>> [kind_of(ColumnType.NUMBER, 2, 100, values).value for values in (["1.0", "4.0"], ["0.5", "1.0"])]
    ['categorical', 'continuous']
    """
    if type_ in {ColumnType.DATE, ColumnType.TIMESTAMP}:
        return Kind.DATE
    if type_ is ColumnType.BOOLEAN:
        return Kind.CATEGORICAL
    if type_ is ColumnType.INTEGER:
        return Kind.CATEGORICAL if distinct <= _FEW and distinct < present / 2 else Kind.CONTINUOUS
    if type_ is ColumnType.NUMBER:
        # Codes come as 4.0 from files in which some are missing.
        are_codes = len(values) == distinct < present / 2 and all(float(value).is_integer() for value in values)
        return Kind.CATEGORICAL if are_codes else Kind.CONTINUOUS
    if len(values) > 1 and all(map(_RANGE.fullmatch, values)) and any(map(_MARK.search, values)):
        return Kind.ORDINAL
    return Kind.TEXT if distinct > max(_FEW, present / 2) else Kind.CATEGORICAL


def natural_order(value: str) -> tuple[float, str]:
    """Return a key that sorts size classes by their lower bound.

    >>> sorted(["1000+", "50-200", "<50", "201-1000"], key=natural_order)
    ['<50', '50-200', '201-1000', '1000+']
    """
    number = re.search(r"\d[\d.,]*", value)
    if number is None:
        return (float("inf"), value)
    plain = re.sub(r"[.,](?=\d{3}(\D|$))", "", number[0]).replace(",", ".").rstrip(".")
    lower = float(plain) if plain.count(".") < 2 else float(plain.split(".")[0])
    return (lower - 0.5 if value.lstrip().startswith(("<", "≤")) else lower, value)
