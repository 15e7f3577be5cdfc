"""Tables: text to the left, numbers to the right, everything escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tacita.views.markup import Html, tag

Cell = str | int | float | None
"""A text, a number, or nothing, which is shown as a dash."""

_DIGITS = 4


def table(heads: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str | None = None) -> Html:
    """Return a table. A column is one of numbers if every cell that is there is a number or a `share`.

    The first cell of a row names it, for those who hear the table.

    >>> table(["name", "records"], [["<a>", 25000]])
    '...<tbody><tr><th scope="row">&lt;a&gt;</th><td class="number">25,000</td></tr></tbody>...'
    """
    of_numbers = [_is_of_numbers([row[place] for row in rows]) for place in range(len(heads))]
    classes = ["number" if each else None for each in of_numbers]
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


class Share(str):
    """A share that is written already, such as ``3.4 %``; it is aligned as a number."""

    __slots__ = ()


def share(of_one: float) -> Share:
    """Return a share for people.

    >>> share(0.0343), share(0.0)
    ('3.43 %', '0 %')
    """
    return Share(f"{of_one * 100:.3g} %")


def shown(cell: Cell) -> str:
    """Return a cell as text."""
    if cell is None:
        return "–"
    return cell if isinstance(cell, str) else figure(cell)


def figure(value: float) -> str:
    """Return a number for people: four digits that count, no powers of ten, nothing after the point if it is whole.

    >>> figure(25000), figure(31.06862), figure(8e-05), figure(48212.3), figure(1e-9), figure(0.0)
    ('25,000', '31.07', '0.00008', '48,212', 'below 0.000001', '0')
    """
    if not math.isfinite(value):
        return "–"
    if abs(value) >= 10 ** (_DIGITS - 1) or value == int(value):
        return f"{value:,.0f}"
    if 0 < abs(value) < 1e-6:
        return "below 0.000001"
    rounded = float(f"{value:.{_DIGITS}g}")
    if rounded == int(rounded):
        return f"{rounded:,.0f}"
    places = _DIGITS - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:,.{places}f}".rstrip("0")


def _is_of_numbers(cells: Sequence[Cell]) -> bool:
    there = [cell for cell in cells if cell is not None]
    return bool(there) and all(isinstance(cell, int | float | Share) for cell in there)
