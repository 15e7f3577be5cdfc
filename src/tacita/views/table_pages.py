"""Tables as one HTML page: the figures themselves, as printed, in a page that needs nothing but itself.

The page that is handed out says of a withheld figure only that it is withheld. The internal page shows
all figures, marks those that are withheld, and says on hover why, and what an attacker can find out about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tacita.errors import counted
from tacita.model.table import WITHHELD, Dimension
from tacita.tables.output.figures import depths, shown
from tacita.tables.output.grid import Grid, GridCell, grids
from tacita.tables.output.part import MARKER, TablePart
from tacita.version import __version__
from tacita.views.cross_table import TableHead, TablePlace, cross_table
from tacita.views.markup import Html, items, tag
from tacita.views.page import page, section

_MOST = 40_000
"""Cells of one table on a page; a browser shows more only with patience, and the files have them all."""
_OPEN = 4
"""Sheets that are open when the page is opened."""


def tables_page(
    title: str,
    parts: Sequence[TablePart],
    notes: Sequence[str] = (),
    before: Sequence[Html] = (),
    after: Sequence[Html] = (),
) -> str:
    """Return the page; `before` and `after` stand above and below the tables."""
    internal = any(part.is_internal for part in parts)
    body = [tag("header", tag("h1", title), tag("p", _about(parts), class_="soft"))]
    if internal:
        body.append(
            tag("p", tag("strong", "Internal: this page holds confidential figures and is not for publication."))
        )
    if len(parts) > 1:
        links = (tag("a", part.name, href=f"#table-{number}") for number, part in enumerate(parts, 1))
        body.append(tag("nav", items(links), aria_label="Tables"))
    body.append(section("How to read it", items([*notes, *_legend(parts, internal=internal)])))
    body += before
    body += [
        section(_heading(part), *_sheets(part, number), anchor=f"table-{number}")
        for number, part in enumerate(parts, 1)
    ]
    body += after
    body.append(tag("footer", f"Made with Tacita {__version__}."))
    return page(title, tag("main", *body), styles=("cross_table",))


def _about(parts: Sequence[TablePart]) -> str:
    cells = counted(sum(len(part) for part in parts), "cell")
    return f"{cells} in {counted(len(parts), 'table')}" if len(parts) > 1 else cells


def _heading(part: TablePart) -> str:
    *first, last = [dimension.name for dimension in part.dimensions] or [""]
    by = f" by {', '.join(first)} and {last}" if first else f" by {last}" if last else ""
    if part.name == part.response:
        return f"{part.response}{by}"
    return part.name if part.response and part.response in part.name else f"{part.name}: {part.response or 'count'}{by}"


def _legend(parts: Sequence[TablePart], *, internal: bool) -> Iterator[Html]:
    if internal:
        if any(part.statuses is not None and np.isin(part.statuses, WITHHELD).any() for part in parts):
            yield tag("span", tag("span", "1", class_="key primary"), " withheld because it is sensitive itself")
            yield tag("span", tag("span", "1", class_="key secondary"), " withheld so that no other can be calculated")
    elif any(part.withheld.any() for part in parts):
        if parts[0].lower is None:
            yield tag("span", tag("span", MARKER, class_="key withheld"), " the figure is withheld")
        else:
            yield tag("span", tag("span", "1 – 2", class_="key withheld"), " the figure lies between these two")


def _sheets(part: TablePart, number: int) -> Iterator[Html]:
    """Yield the sheets of a table; those beyond the second dimension can be folded."""
    left = _MOST
    sheets = list(grids(part))
    for place, grid in enumerate(sheets):
        size = len(grid.sides) * len(grid.heads)
        if size > left and place:
            rest = counted(len(sheets) - place, "sheet")
            yield tag("p", f"{rest} more: this page would be too large; the files have all cells.", class_="soft")
            return
        left -= size
        drawn = _drawn(part, grid, rows=max(1, _MOST // max(1, len(grid.heads))))
        if not grid.at:
            yield drawn
            continue
        named = ", ".join(
            f"{dimension.name}: {_labelled(dimension.labels.get(code, ''), code)}"
            for dimension, code in _at(part, grid)
        )
        opened = "" if place < _OPEN else None
        yield tag("details", tag("summary", named), drawn, open=opened, id=f"sheet-{number}-{place + 1}")


def _at(part: TablePart, grid: Grid) -> Iterator[tuple[Dimension, str]]:
    yield from zip(part.dimensions[2:], grid.at, strict=True)


def _labelled(label: str, code: str) -> str:
    return f"{code} ({label})" if label and label != code else code


def _drawn(part: TablePart, grid: Grid, rows: int) -> Html:
    across = _heads(part.dimensions[1]) if len(part.dimensions) > 1 else {}
    down = _heads(part.dimensions[0]) if part.dimensions else {}
    laid = [
        (down.get(side, TableHead(side)), [_place(cell) for cell in cells])
        for side, cells in list(zip(grid.sides, grid.cells, strict=True))[:rows]
    ]
    table = cross_table(
        grid.corner.replace("\\", "/"), [across.get(head, TableHead(head)) for head in grid.heads], laid
    )
    if len(grid.sides) <= rows:
        return table
    more = f"{len(grid.sides) - rows:,} more rows: this page would be too large; the files have all cells."
    return tag("div", table, tag("p", more, class_="soft"))


def _heads(dimension: Dimension) -> dict[str, TableHead]:
    deep = depths(dimension)
    return {code: TableHead(code, dimension.labels.get(code, ""), deep[code]) for code in dimension.codes}


def _place(cell: GridCell) -> TablePlace:
    if not cell.is_there:
        return TablePlace("")
    remark = cell.reason or ("withheld" if cell.is_withheld else None)
    return TablePlace(cell.as_text(shown), cell.mark, remark)
