"""Points over two axes, numbered, with a line through the ones that matter: the R-U map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tacita.errors import printable
from tacita.model.figures import figure
from tacita.views.charts import BLUE, GREY, VERMILION, of_rows, picture
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
    import altair as alt

    rows = [
        {
            "x": mark.across,
            "y": mark.up,
            "name": printable(mark.name),
            "kind": "best" if mark.is_best else "frontier" if mark.is_marked else "other",
        }
        for mark in given
    ]
    base = of_rows(alt, rows).encode(x=_axis(alt, alt.X, "x", rows, x), y=_axis(alt, alt.Y, "y", rows, y))
    joined = of_rows(alt, [row for row, mark in zip(rows, given, strict=True) if mark.is_marked])
    line = joined.mark_line(color=BLUE, strokeWidth=1.5, strokeDash=[4, 3]).encode(
        x="x:Q", y="y:Q", order=alt.Order("x:Q")
    )
    colours = alt.Scale(domain=["best", "frontier", "other"], range=[VERMILION, BLUE, GREY])
    shapes = alt.Scale(domain=["best", "frontier", "other"], range=["diamond", "circle", "square"])
    legend = alt.Legend(orient="top", title=None, symbolSize=80)
    marks = base.mark_point(filled=True, size=80, opacity=1).encode(
        color=alt.Color("kind:N", scale=colours, legend=legend), shape=alt.Shape("kind:N", scale=shapes, legend=legend)
    )
    names = base.mark_text(align="left", dx=7, dy=-6, color="currentColor").encode(text="name:N")
    summary = "; ".join(f"{mark.name}: {figure(mark.across)} and {figure(mark.up)}" for mark in given)
    chart = alt.layer(line, marks, names).properties(width=_WIDTH, height=_HEIGHT)
    return picture(title, summary, chart, axes_shown=True)


def _axis(alt: object, channel: object, name: str, rows: Sequence[Mapping[str, object]], title: str) -> object:
    highest = max((float(str(row[name])) for row in rows), default=0.0)
    # a figure from 0 to 100 gets no place beyond
    most = 100.0 if 90 < highest <= 100 else max(highest * 1.08, 1.0)
    scale = alt.Scale(domain=[0, most], nice=most < 100)  # type: ignore[attr-defined]
    return channel(f"{name}:Q", title=title, scale=scale)  # type: ignore[operator]
