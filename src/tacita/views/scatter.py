"""Points over two axes, numbered, with a line through the ones that matter: the R-U map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tacita.errors import printable
from tacita.model.figures import figure
from tacita.views.charts import BLUE, GREY, VERMILION, Spec, category, picture, quantity
from tacita.views.markup import Html

_WIDTH, _HEIGHT = 520, 380


@dataclass(frozen=True, slots=True)
class MapMark:
    """A point: its name, which the legend or a table explains, and its place."""

    name: str
    across: float
    up: float
    is_marked: bool = False
    is_best: bool = False


def scatter(title: str, given: Sequence[MapMark], *, x: str, y: str) -> Html:
    """Return points with their names beside them; a line joins the marked ones, and the best is filled in red."""
    if not given:
        return Html()
    rows = [
        {
            "x": float(mark.across),
            "y": float(mark.up),
            "name": printable(mark.name),
            "kind": "best" if mark.is_best else "frontier" if mark.is_marked else "other",
        }
        for mark in given
    ]
    values, place = {"values": rows}, {"x": _axis("x", rows, x), "y": _axis("y", rows, y)}
    line = {
        "data": {"values": [row for row, mark in zip(rows, given, strict=True) if mark.is_marked]},
        "mark": {"type": "line", "color": BLUE, "strokeWidth": 1.5, "strokeDash": [4, 3]},
        "encoding": {"x": quantity("x"), "y": quantity("y"), "order": quantity("x")},
    }
    legend, kinds = {"orient": "top", "title": None, "symbolSize": 80}, ["best", "frontier", "other"]
    marks = {
        "data": values,
        "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
        "encoding": {
            **place,
            "color": category("kind", scale={"domain": kinds, "range": [VERMILION, BLUE, GREY]}, legend=legend),
            "shape": category("kind", scale={"domain": kinds, "range": ["diamond", "circle", "square"]}, legend=legend),
        },
    }
    names = {
        "data": values,
        "mark": {"type": "text", "align": "left", "dx": 7, "dy": -6, "color": "currentColor"},
        "encoding": {**place, "text": category("name")},
    }
    summary = "; ".join(f"{mark.name}: {figure(mark.across)} and {figure(mark.up)}" for mark in given)
    chart = {"layer": [line, marks, names], "width": _WIDTH, "height": _HEIGHT}
    return picture(title, summary, chart, axes_shown=True)


def _axis(name: str, rows: Sequence[Mapping[str, object]], title: str) -> Spec:
    highest = max((float(str(row[name])) for row in rows), default=0.0)
    # a figure from 0 to 100 gets no place beyond
    most = 100.0 if 90 < highest <= 100 else max(highest * 1.08, 1.0)
    return quantity(name, title=title, scale={"domain": [0, most], "nice": most < 100})
