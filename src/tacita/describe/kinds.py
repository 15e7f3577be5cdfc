"""What kind of values an attribute has, from its type and its profile; the dictionary may say otherwise."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

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


def label_of(value: str, labels: Mapping[str, str]) -> str | None:
    """Return the label of a value; a whole number may be written as 2 or as 2.0.

    >>> label_of("2.0", {"1": "male", "2": "female"}), label_of("9", {"1": "male"})
    ('female', None)
    """
    return labels.get(value) or labels.get(value.removesuffix(".0")) or None


def are_labelled(values: Sequence[str], distinct: int, labels: Mapping[str, str]) -> bool:
    """Return whether values are codes: all that are frequent have labels, and there are not more values than labels.

    A number that has labels for a few special codes, such as 99 for no answer, stays a number.

    >>> are_labelled(["1", "2"], 2, {"1": "male", "2": "female"}), are_labelled(["31", "40"], 80, {"99": "no answer"})
    (True, False)
    """
    return bool(values) and distinct <= len(labels) and all(label_of(value, labels) for value in values)
