"""What a comparison of one attribute selects, as codes: of its cut points, its labels, or its numbers.

A comparison is true for some codes and false for others; for a missing value it is neither, as in SQL. So the negation
of a comparison is the known codes that it does not select, and a record without a value is in neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cached_property
from weakref import WeakKeyDictionary

from tacita.errors import InternalError
from tacita.queries.cube.cube import Cube
from tacita.queries.policy.policy import FilterAttribute

LARGEST_EXPONENT = 100
"""Numbers of a question and labels that are numbers have at most as many digits before and after the point."""
LONGEST_NUMBER = 100
MISSING = ""
"""The label of the code of missing values."""
FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}


@dataclass(frozen=True, eq=False)
class AttributeCodes:
    """A declared attribute with the codes of a cube. There may be many codes: what is asked for often is kept."""

    declared: FilterAttribute
    labels: tuple[str, ...]
    numbers: tuple[Decimal | None, ...] | None
    """The number of each code, if all codes but the missing one are numbers and the attribute has no cuts."""

    @classmethod
    def of(cls, cube: Cube, declared: FilterAttribute) -> AttributeCodes:
        """Return the codes of an attribute in a cube; they are counted out once for each cube."""
        kept = _KEPT.setdefault(cube, {})
        if declared not in kept:
            kept[declared] = cls._of(cube, declared)
        return kept[declared]

    @classmethod
    def _of(cls, cube: Cube, declared: FilterAttribute) -> AttributeCodes:
        attribute = cube.attribute(declared.name)
        result = cls(declared, attribute.labels, None)
        if declared.cuts:
            if len(result.intervals) != len(declared.cuts) + 1:
                raise InternalError(f"the codes of '{declared.name}' do not fit its cuts")
            return result
        if attribute.numbers is not None:
            numbers = tuple(
                None if label == MISSING else Decimal(repr(float(number)))
                for label, number in zip(attribute.labels, attribute.numbers, strict=True)
            )
        else:
            numbers = tuple(number_of(label) for label in attribute.labels)
        are_numbers = all(n is not None for n, label in zip(numbers, attribute.labels, strict=True) if label)
        return cls(declared, attribute.labels, numbers if are_numbers and result.known else None)

    @property
    def name(self) -> str:
        """How the attribute is called."""
        return self.declared.name

    @cached_property
    def missing(self) -> frozenset[int]:
        """The code of missing values, if there is one."""
        return frozenset(code for code, label in enumerate(self.labels) if label == MISSING)

    @cached_property
    def known(self) -> frozenset[int]:
        """All codes but that of missing values."""
        return frozenset(range(len(self.labels))) - self.missing

    @cached_property
    def intervals(self) -> tuple[int, ...]:
        """The known codes in their order: of an attribute with cuts, its intervals from below."""
        return tuple(code for code, label in enumerate(self.labels) if label != MISSING)

    def labelled(self, label: str) -> frozenset[int] | None:
        """Return the code with a label; None: no code has it."""
        return self._by_label.get(label)

    @cached_property
    def _by_label(self) -> dict[str, frozenset[int]]:
        return {label: frozenset((code,)) for code, label in enumerate(self.labels) if label != MISSING}

    def below_cut(self, number: Decimal) -> frozenset[int] | None:
        """Return the intervals below a cut point; None: the number is not one."""
        if number not in self.declared.cuts:
            return None
        return frozenset(self.intervals[: self.declared.cuts.index(number) + 1])

    def compared(self, operator: str, number: Decimal) -> frozenset[int]:
        """Return the codes whose number is smaller, equal, ... than another."""
        if self.numbers is None:
            raise InternalError(f"'{self.name}' has no numbers")
        if operator == "=":
            return self._by_number.get(number, frozenset())
        numbers = enumerate(self.numbers)
        return frozenset(code for code, one in numbers if one is not None and _is(one, operator, number))

    @cached_property
    def _by_number(self) -> dict[Decimal, frozenset[int]]:
        result: dict[Decimal, frozenset[int]] = {}
        for code, number in enumerate(self.numbers or ()):
            if number is not None:
                result[number] = result.get(number, frozenset()) | {code}
        return result

    def nearest_cut(self, number: Decimal, *, above: bool = False) -> Decimal:
        """Return the cut point nearest to a number, or the nearest one above it if there is one."""
        cuts = [cut for cut in self.declared.cuts if cut > number] if above else []
        return min(cuts or self.declared.cuts, key=lambda cut: (abs(Fraction(cut) - Fraction(number)), cut))


def _is(one: Decimal, operator: str, other: Decimal) -> bool:
    match operator:
        case "<":
            return one < other
        case "<=":
            return one <= other
        case ">":
            return one > other
        case ">=":
            return one >= other
    raise InternalError(f"no comparison is written '{operator}'")


def number_of(label: str) -> Decimal | None:
    """Return the number that a text is; None: it is not one.

    >>> number_of("3e1") == number_of("30.0"), number_of("NaN"), number_of("x")
    (True, None, None)
    """
    try:
        number = Decimal(label) if label.isascii() and "_" not in label and label.strip() == label else None
    except InvalidOperation:
        return None
    if number is None or not number.is_finite() or len(label) > LONGEST_NUMBER:
        return None
    return number if not number or abs(number.adjusted()) <= LARGEST_EXPONENT else None


_KEPT: WeakKeyDictionary[Cube, dict[FilterAttribute, AttributeCodes]] = WeakKeyDictionary()
