"""Lines over an axis of numbers: series told apart by colour, by dash and by the shape of their points.

Each line has its own mark, so that no colour has to be told apart; the words of the legend stand in the order given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tacita.errors import printable
from tacita.model.figures import figure
from tacita.views.charts import BLUE, Spec, category, picture, quantity
from tacita.views.markup import Html

_WIDTH, _HEIGHT = 420, 260
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_MOST_TICKS = 40
"""From more places on, ticks are at round numbers, and only some points of a line have a mark."""
_MARKS = 8
_DASHES: dict[str, list[int]] = {"solid": [1, 0], "dashed": [6, 4], "dotted": [1, 3]}

_Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A series: what it is of, its points, and how it is drawn; a line of a single point is a mark alone."""

    label: str
    points: _Points
    colour: str = BLUE
    dash: str = "solid"
    """``solid``, ``dashed`` or ``dotted``."""
    shape: str = "circle"


def lines(title: str, given: Sequence[Line], *, x: str, y: str, logarithmic: bool = False) -> Html:
    """Return lines with a legend beside them; `x` and `y` say what the axes measure.

    A logarithmic axis (of 1 + value, so that 0 has a place) shows few beside many.
    """
    given = [line for line in given if line.points]
    if not given:
        return Html()
    labels = [printable(line.label) for line in given]
    places = sorted({float(across) for line in given for across, _ in line.points})
    is_dense = len(places) > _MOST_TICKS
    rows = _rows(labels, [line.points for line in given])
    marked = [_some(line.points) for line in given] if is_dense else [line.points for line in given]
    legend = {"orient": "right", "title": None, "labelLimit": 0, "symbolSize": 60, "symbolStrokeWidth": 0}

    def series(marks: list[Any]) -> Spec:
        return category("series", scale={"domain": labels, "range": marks}, legend=legend)

    place = {
        "x": _across(places, x, is_dense=is_dense),
        "y": _up(rows, y, logarithmic=logarithmic),
        "color": series([line.colour for line in given]),
    }
    drawn = {
        "mark": {"type": "line", "strokeWidth": 2},
        "encoding": {**place, "strokeDash": series([_DASHES[line.dash] for line in given])},
    }
    marks = {
        **({"data": {"values": _rows(labels, marked)}} if is_dense else {}),
        "mark": {"type": "point", "size": 45, "filled": True, "opacity": 1},
        "encoding": {**place, "shape": series([line.shape for line in given])},
    }
    chart = {"data": {"values": rows}, "layer": [drawn, marks], "width": _WIDTH, "height": _HEIGHT}
    return picture(title, _summary(labels, marked), chart, axes_shown=True)


def shapes(number: int) -> str:
    """Return a shape for the points of the line of that number.

    >>> shapes(0), shapes(7)
    ('circle', 'square')
    """
    return _SHAPES[number % len(_SHAPES)]


def _rows(labels: Sequence[str], points: Sequence[_Points]) -> list[dict[str, Any]]:
    return [
        {"x": float(across), "y": float(up), "series": label}
        for label, own in zip(labels, points, strict=True)
        for across, up in own
    ]


def _some(points: _Points) -> _Points:
    """Return some points of a line, the last one among them."""
    step = max(len(points) // _MARKS, 1)
    return points[::-1][::step][::-1]


def _across(values: list[float], title: str, *, is_dense: bool) -> Spec:
    axis: Spec = {"title": printable(title), "labelExpr": "format(datum.value, ',')", "grid": False}
    axis |= {"tickCount": 6} if is_dense else {"values": values, "labelOverlap": "greedy"}
    return quantity("x", scale={"domain": [min(values), max(values)], "nice": False, "padding": 12}, axis=axis)


def _up(rows: Sequence[dict[str, Any]], title: str, *, logarithmic: bool) -> Spec:
    axis: Spec = {"title": printable(title), "grid": True}
    if not logarithmic:
        return quantity("y", scale={"zero": True, "nice": True}, axis={**axis, "tickCount": 6})
    highest = max(row["y"] for row in rows)
    ticks = [0.0]
    while ticks[-1] < highest:
        place = len(ticks) - 1
        ticks.append((1, 3)[place % 2] * 10.0 ** (place // 2))
    return quantity("y", scale={"type": "symlog", "domain": [0, ticks[-1]]}, axis={**axis, "values": ticks})


def _summary(labels: Sequence[str], points: Sequence[_Points]) -> str:
    return "; ".join(
        f"{label}: " + ", ".join(f"{figure(up)} at {figure(across)}" for across, up in own)
        for label, own in zip(labels, points, strict=True)
    )
