"""Labelled nulls, and the three equalities that must never be mixed up.

A labelled null is a fresh unknown (section 4.3 of the VADA-SA paper): the value was there, and was hidden. Its label is
derivable from the attribute and the tuple, so that nothing has to be stored but an empty cell, unless an equality rule
merged two of them.

- `identical`: two nulls are the same only if their labels are. Joins and equality rules use it.
- `maybe_match`: a null may stand for anything. Risk groups use it. Reflexive and symmetric, not transitive, so the
  groups overlap.
- `sql_equal`: the three-valued equality of SQL. It exists to show what it would answer; nothing a user sees uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class LabelledNull:
    """The unknown that replaced the value of an attribute in a tuple.

    >>> print(LabelledNull("Sector", 1))
    ⊥Sector,1
    """

    attribute: str
    tuple_id: int

    def __str__(self) -> str:
        return f"⊥{self.attribute},{self.tuple_id}"


def identical(a: object, b: object) -> bool:
    """Return whether two values are the same constant, or the same labelled null.

    >>> identical(LabelledNull("Sector", 1), LabelledNull("Sector", 2))
    False
    """
    return a == b


def maybe_match(a: object, b: object) -> bool:
    """Return whether two values could be the same: same constant, or at least one null (``=⊥`` of the paper).

    >>> maybe_match(LabelledNull("Sector", 1), "Commerce")
    True
    >>> maybe_match("Textiles", "Commerce")
    False
    """
    return isinstance(a, LabelledNull) or isinstance(b, LabelledNull) or a == b


def sql_equal(a: object, b: object) -> bool | None:
    """Return SQL's answer: unknown (None) as soon as one side is null.

    >>> sql_equal(LabelledNull("Sector", 1), "Commerce") is None
    True
    """
    if isinstance(a, LabelledNull) or isinstance(b, LabelledNull):
        return None
    return a == b


def tuples_maybe_match(a: Sequence[object], b: Sequence[object]) -> bool:
    """Return whether two n-uples could be the same in every place.

    >>> unknown = LabelledNull("Sector", 1)
    >>> tuples_maybe_match(("Center", unknown), ("Center", "Commerce"))
    True
    """
    return len(a) == len(b) and all(map(maybe_match, a, b))
