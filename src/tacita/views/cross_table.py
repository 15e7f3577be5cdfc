"""A table of figures in two directions: heads that stay in sight, hierarchies indented, marked places with a remark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacita.views.markup import Html, tag

_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class TableHead:
    """What names a row or a column: its code, what the code stands for, how deep it stands."""

    code: str
    label: str = ""
    depth: int = 0


@dataclass(frozen=True, slots=True)
class TablePlace:
    """What stands in one place; `mark` is a class of the style sheet, `remark` is shown on hover."""

    text: str
    mark: str | None = None
    remark: str | None = None


def cross_table(
    corner: str,
    columns: Sequence[TableHead],
    rows: Sequence[tuple[TableHead, Sequence[TablePlace]]],
    caption: str | None = None,
) -> Html:
    """Return a table in a frame of its own, in which it scrolls.

    >>> withheld = TablePlace("x", "withheld", "not told")
    >>> cross_table("size", [TableHead("firms")], [(TableHead("small", depth=1), [withheld])])
    '...<th scope="row" class="deep-1">small</th><td class="withheld" title="not told" tabindex="0">x</td>...'
    """
    head = tag("tr", tag("th", corner, scope="col", class_="corner"), *(_head(column, "col") for column in columns))
    body = [tag("tr", _head(side, "row"), *(_place(place) for place in places)) for side, places in rows]
    named = [tag("caption", caption)] if caption else []
    inside = tag("table", *named, tag("thead", head), tag("tbody", *body))
    return tag("div", inside, class_="cross", tabindex="0", role="region", aria_label=caption or corner)


def _head(head: TableHead, scope: str) -> Html:
    depth = f"deep-{min(head.depth, _DEEPEST)}" if head.depth else None
    label = [tag("span", head.label, class_="meaning")] if head.label and head.label != head.code else []
    return tag("th", head.code, *label, scope=scope, class_=depth)


def _place(place: TablePlace) -> Html:
    # What has a remark can be reached without a mouse.
    reached = "0" if place.remark else None
    return tag("td", place.text, class_=place.mark, title=place.remark, tabindex=reached)
