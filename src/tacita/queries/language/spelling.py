"""How names, labels and numbers are written in a question, and how those of an analyst are shown in a refusal."""

from __future__ import annotations

import re
from decimal import Decimal

from tacita.errors import printable
from tacita.queries.language.dialect import RESERVED

LONGEST_SHOWN = 40
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def sql_name(name: str) -> str:
    """Return a name as it is written in a question: in quotation marks only if it needs them.

    >>> sql_name("age"), sql_name("size class"), sql_name("left")
    ('age', '"size class"', '"left"')
    """
    is_plain = _PLAIN.fullmatch(name) and name.upper() not in RESERVED
    return name if is_plain else '"' + name.replace('"', '""') + '"'


def sql_string(text: str) -> str:
    """Return a label as it is written in a question.

    >>> sql_string("men's")
    "'men''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def sql_number(number: Decimal) -> str:
    """Return a number as it is written in a question: one text for equal numbers.

    >>> sql_number(Decimal("3e1")), sql_number(Decimal("30.0")), sql_number(Decimal("-0.50"))
    ('30', '30', '-0.5')
    """
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text if number else "0"


def shown(text: str) -> str:
    """Return a word of an analyst for a message: short, printable, with letters that only look like others named.

    >>> shown("age"), shown(chr(0x430) + "ge")
    ("'age'", "'аge' (with U+0430)")
    """
    short = text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."
    odd = sorted({character for character in short if not character.isascii()})
    visible = "".join(c if c.isprintable() else "�" for c in printable(short))
    letters = ", ".join(f"U+{ord(character):04X}" for character in odd[:3])
    return f"'{visible}' (with {letters})" if odd else f"'{visible}'"
