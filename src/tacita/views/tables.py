"""Tables: text to the left, numbers to the right, everything escaped."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.model.figures import Share, figure
from tacita.views.markup import Html, tag

Cell = str | int | float | None
"""A text, a number, or nothing, which is shown as a dash."""


def table(heads: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str | None = None) -> Html:
    """Return a table. A column is one of numbers if every cell that is there is a number or a `share`.

    The first cell of a row names it, for those who hear the table.

    >>> table(["name", "records"], [["<a>", 25000]])
    '...<tbody><tr><th scope="row">&lt;a&gt;</th><td class="number">25,000</td></tr></tbody>...'
    """
    of_numbers = [_is_of_numbers([row[place] for row in rows]) for place in range(len(heads))]
    classes = ["number" if is_number else None for is_number in of_numbers]
    head = [tag("th", name, scope="col", class_=class_) for name, class_ in zip(heads, classes, strict=True)]
    body = [
        tag(
            "tr",
            *(
                tag("td" if place else "th", shown(cell), scope=None if place else "row", class_=class_)
                for place, (cell, class_) in enumerate(zip(row, classes, strict=True))
            ),
        )
        for row in rows
    ]
    named = [tag("caption", caption)] if caption else []
    return tag("div", tag("table", *named, tag("thead", tag("tr", *head)), tag("tbody", *body)), class_="table")


def shown(cell: Cell) -> str:
    """Return a cell as text."""
    if cell is None:
        return "–"
    return cell if isinstance(cell, str) else figure(cell)


def _is_of_numbers(cells: Sequence[Cell]) -> bool:
    there = [cell for cell in cells if cell is not None]
    return bool(there) and all(isinstance(cell, int | float | Share) for cell in there)
