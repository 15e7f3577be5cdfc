"""Lines over an axis of numbers: series told apart by colour, by dash and by the shape of their points.

Each line has its own mark, so that no colour has to be told apart; the words of the legend stand in the order given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tacita.errors import printable
from tacita.model.figures import figure
from tacita.views.charts import BLUE, of_rows, picture
from tacita.views.markup import Html

_WIDTH, _HEIGHT = 420, 260
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_DASHES: dict[str, list[int]] = {"solid": [1, 0], "dashed": [6, 4], "dotted": [1, 3]}


@dataclass(frozen=True, slots=True)
class Line:
    """A series: what it is of, its points, and how it is drawn; a line of a single point is a mark alone."""

    label: str
    points: tuple[tuple[float, float], ...]
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
    import altair as alt

    labels = [printable(line.label) for line in given]
    rows: list[dict[str, Any]] = [
        {"x": across, "y": up, "series": label}
        for label, line in zip(labels, given, strict=True)
        for across, up in line.points
    ]
    base = of_rows(alt, rows).encode(
        x=_across(alt, sorted({row["x"] for row in rows}), x), y=_up(alt, rows, y, logarithmic=logarithmic)
    )
    legend = alt.Legend(orient="right", title=None, labelLimit=0, symbolSize=60, symbolStrokeWidth=0)

    def channel_of(channel: Any, marks: list[Any]) -> Any:
        return channel("series:N", scale=alt.Scale(domain=labels, range=marks), legend=legend)

    colour = channel_of(alt.Color, [line.colour for line in given])
    drawn = base.mark_line(strokeWidth=2).encode(
        color=colour, strokeDash=channel_of(alt.StrokeDash, [_DASHES[line.dash] for line in given])
    )
    marks = base.mark_point(size=45, filled=True, opacity=1).encode(
        color=colour, shape=channel_of(alt.Shape, [line.shape for line in given])
    )
    return picture(
        title, _summary(given), alt.layer(drawn, marks).properties(width=_WIDTH, height=_HEIGHT), axes_shown=True
    )


def shapes(number: int) -> str:
    """Return a shape for the points of the line of that number.

    >>> shapes(0), shapes(7)
    ('circle', 'square')
    """
    return _SHAPES[number % len(_SHAPES)]


def _across(alt: Any, values: list[float], title: str) -> Any:
    axis = alt.Axis(
        title=printable(title), values=values, labelExpr="format(datum.value, ',')", labelOverlap="greedy", grid=False
    )
    return alt.X("x:Q", scale=alt.Scale(domain=[min(values), max(values)], nice=False, padding=12), axis=axis)


def _up(alt: Any, rows: Sequence[dict[str, Any]], title: str, *, logarithmic: bool) -> Any:
    if not logarithmic:
        axis = alt.Axis(title=printable(title), grid=True, tickCount=6)
        return alt.Y("y:Q", scale=alt.Scale(zero=True, nice=True), axis=axis)
    highest = max(row["y"] for row in rows)
    ticks = [0.0]
    while ticks[-1] < highest:
        place = len(ticks) - 1
        ticks.append((1, 3)[place % 2] * 10.0 ** (place // 2))
    axis = alt.Axis(title=printable(title), grid=True, values=ticks)
    return alt.Y("y:Q", scale=alt.Scale(type="symlog", domain=[0, ticks[-1]]), axis=axis)


def _summary(given: Sequence[Line]) -> str:
    return "; ".join(
        f"{line.label}: " + ", ".join(f"{figure(up)} at {figure(across)}" for across, up in line.points)
        for line in given
    )
