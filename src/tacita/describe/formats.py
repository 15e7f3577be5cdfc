"""Formats that give an attribute away: fiscal codes, IBAN, e-mail, telephone, dates, postcodes.

Only shares of matching values leave this file, never the values.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tacita.model.attribute import Category


@dataclass(frozen=True, slots=True)
class ValueFormat:
    """A recognisable form of values and the category that it speaks for."""

    name: str
    category: Category
    strength: float
    matches: Callable[[str], bool]


def _pattern(expression: str) -> Callable[[str], bool]:
    compiled = re.compile(expression, re.IGNORECASE)
    return lambda cell: bool(compiled.fullmatch(cell))


def is_iban(cell: str) -> bool:
    """Return whether a text is an IBAN by its check digits (ISO 13616: modulo 97 is 1).

    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB82 WEST 1234 5698 7654 33")
    (True, False)
    """
    compact = re.sub(r"[\s-]", "", cell).upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", compact):
        return False
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def is_italian_fiscal_code(cell: str) -> bool:
    """Return whether a text is an Italian personal fiscal code by its check letter.

    >>> is_italian_fiscal_code("RSSMRA85T10A562S"), is_italian_fiscal_code("RSSMRA85T10A562T")
    (True, False)
    """
    code = cell.strip().upper()
    if not re.fullmatch(r"[A-Z]{6}[0-9LMNPQRSTUV]{2}[A-EHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]", code):
        return False
    odd_values = (
        1,
        0,
        5,
        7,
        9,
        13,
        15,
        17,
        19,
        21,
        2,
        4,
        18,
        20,
        11,
        3,
        6,
        8,
        12,
        14,
        16,
        10,
        22,
        25,
        24,
        23,
    )
    total = 0
    for place, char in enumerate(code[:15], 1):
        value = int(char) if char.isdigit() else string.ascii_uppercase.index(char)
        total += odd_values[value] if place % 2 else value
    return string.ascii_uppercase[total % 26] == code[15]


def is_payment_card(cell: str) -> bool:
    """Return whether a text is a payment card number by its check digit (Luhn).

    >>> is_payment_card("4111 1111 1111 1111"), is_payment_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = [int(c) for c in re.sub(r"[\s-]", "", cell) if c.isdigit()]
    if not re.fullmatch(r"[\d\s-]+", cell) or not 13 <= len(digits) <= 19:
        return False
    doubled = [d if i % 2 else sum(divmod(2 * d, 10)) for i, d in enumerate(reversed(digits), 1)]
    return sum(doubled) % 10 == 0


FORMATS = (
    ValueFormat("e-mail addresses", Category.IDENTIFIER, 0.97, _pattern(r"[^@\s]+@[^@\s]+\.[a-z]{2,}")),
    ValueFormat("IBANs (check digits hold)", Category.IDENTIFIER, 0.99, is_iban),
    ValueFormat("Italian fiscal codes (check letter holds)", Category.IDENTIFIER, 0.99, is_italian_fiscal_code),
    ValueFormat("payment card numbers (check digit holds)", Category.IDENTIFIER, 0.95, is_payment_card),
    ValueFormat("social security numbers", Category.IDENTIFIER, 0.9, _pattern(r"\d{3}-\d{2}-\d{4}|\d{4}-\d{2}-\d{4}")),
    ValueFormat("UUIDs", Category.IDENTIFIER, 0.9, _pattern(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")),
    ValueFormat(
        "IP addresses",
        Category.IDENTIFIER,
        0.95,
        _pattern(r"(\d{1,3}\.){3}\d{1,3}|([0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4}"),
    ),
    ValueFormat("web addresses", Category.IDENTIFIER, 0.85, _pattern(r"(https?://|www\.)\S+")),
    ValueFormat("Spanish identity numbers", Category.IDENTIFIER, 0.9, _pattern(r"[XYZ]?\d{7,8}-?[A-Z]")),
    ValueFormat("coordinates", Category.IDENTIFIER, 0.8, _pattern(r"-?\d{1,3}\.\d{4,}\s*[,;]\s*-?\d{1,3}\.\d{4,}")),
    ValueFormat(
        "dates",
        Category.QUASI_IDENTIFIER,
        0.6,
        _pattern(r"\d{4}-\d{2}-\d{2}([ T].*)?|\d{2}[./-]\d{2}[./-]\d{4}"),
    ),
    ValueFormat(
        "size classes or ranges",
        Category.QUASI_IDENTIFIER,
        0.65,
        _pattern(r"[\[(]?\d[\d.,]*\s*(-|–|to|a|bis)\s*\d[\d.,]*[\])]?|\d[\d.,]*\s*\+|[<>≤≥]=?\s*\d[\d.,]*"),
    ),
    ValueFormat(
        "telephone numbers",
        Category.IDENTIFIER,
        0.85,
        _pattern(r"(\+|00)\d[\d\s()./-]{7,18}\d|\(?0\d{1,4}\)?[\s/-][\d\s/-]{5,12}\d"),
    ),
)
_NEARLY_ALL = 0.9
_POSTCODE = _pattern(r"\d{5}|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}|\d{4}\s?[A-Z]{2}")


def recognised(cells: Sequence[str]) -> tuple[ValueFormat, float] | None:
    """Return the first format that nearly all cells have, and the share that have it.

    >>> found = recognised(["a@b.org", "c@d.eu"])
    >>> found[0].name
    'e-mail addresses'
    """
    if not cells:
        return None
    for form in FORMATS:
        share = _share(form.matches, cells)
        if share >= _NEARLY_ALL:
            return form, share
    return None


def _share(matches: Callable[[str], bool], cells: Sequence[str]) -> float:
    """Return the share of cells that match, or 0 as soon as it cannot be nearly all of them."""
    others = 0
    for cell in cells:
        if not matches(cell):
            others += 1
            if (len(cells) - others) / len(cells) < _NEARLY_ALL:
                return 0.0
    return (len(cells) - others) / len(cells)


def like_postcodes(cells: Sequence[str]) -> bool:
    """Return whether nearly all cells could be postcodes."""
    return bool(cells) and sum(map(_POSTCODE, cells)) >= 0.95 * len(cells)
