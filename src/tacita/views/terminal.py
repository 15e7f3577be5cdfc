"""Tables of the terminal: one style for all, words to the left, numbers to the right, text that is never markup."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tacita.errors import printable

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


def empty_table(**more: Any) -> Table:
    """Return a table without columns, in the one style: no lines, no frame, heads in the background."""
    from rich.table import Table

    return Table(box=None, pad_edge=False, header_style="dim", **more)


def columns(*heads: str, right: Iterable[str] = ()) -> Table:
    """Return an empty table under heads, those of numbers (`right`) aligned to the right."""
    to_the_right = set(right)
    table = empty_table()
    for head in heads:
        table.add_column(head, justify="right" if head in to_the_right else "left")
    return table


def add(table: Table, *cells: str | Text) -> None:
    """Add a row; what people named is text, never markup."""
    from rich.text import Text

    table.add_row(*(cell if isinstance(cell, Text) else Text(printable(cell)) for cell in cells))


def lines(texts: Iterable[str], style: str = "") -> list[Text]:
    """Return sentences, a line each."""
    from rich.text import Text

    return [Text(printable(text), style=style) for text in texts]


def notes(texts: Sequence[str]) -> list[Text]:
    """Return notes after an empty line; nothing if there are none."""
    return lines(["", *(f"Note: {text}" for text in dict.fromkeys(texts))]) if texts else []
