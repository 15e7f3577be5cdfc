"""Charts as inline SVG: horizontal bars that carry their own words, so that no colour has to be told apart.

A chart is a specification in Vega-Lite, and vl-convert draws it, without a browser and without a download. Names are
data of the chart, never part of an expression. Text takes the colour of the page around it, light or dark.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from tacita.errors import printable
from tacita.views.markup import Html, tag

BLUE, ORANGE, GREEN, PINK, SKY, VERMILION, GREY = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#8a8f98",
)
"""Colours that colour-blind people tell apart, after Okabe and Ito; each is seen on white and on black."""
SERIES = (BLUE, ORANGE, GREEN, PINK, SKY, VERMILION, GREY)

_WIDTH, _STEP, _CLOSE, _BETWEEN, _LINE = 260, 24, 18, 5, 15
_LABEL, _LINES = 30, 3
"""A label is broken into lines of so many characters, and cut after so many lines."""
_VEGA_LITE = "6.4"
"""The version of Vega-Lite that charts are written in."""
_OPENING = re.compile(r'^<svg[^>]*? width="(\d+)" height="(\d+)" viewBox="([\d. -]+)">')


Spec = dict[str, Any]
"""A specification in Vega-Lite, or a part of one."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: what it is of, its length, and the words at its end."""

    label: str
    value: float
    words: str
    colour: str = BLUE


@dataclass(frozen=True, slots=True)
class Steps:
    """A bar that grows in steps, each one up to a value, and the words beside it."""

    label: str
    upto: tuple[tuple[str, float], ...]
    words: str


def bars(title: str, given: Sequence[Bar], *, logarithmic: bool = False, most: float | None = None) -> Html:
    """Return a bar for each entry, in their order.

    Logarithmic lengths (of 1 + value, so that 0 has none) show few beside many; the words tell the number.
    """
    return _bars(title, given, [_lines(bar.label) for bar in given], _STEP, logarithmic=logarithmic, most=most)


def grouped_bars(title: str, given: Sequence[Bar]) -> Html:
    """Return bars in groups: those with the same label that follow each other, close together and named once."""
    spaced: list[Bar | None] = []
    names: list[list[str]] = []
    for place, bar in enumerate(given):
        is_first = place == 0 or given[place - 1].label != bar.label
        if is_first and place:
            spaced.append(None)
            names.append([""])
        spaced.append(bar)
        names.append(_lines(bar.label)[:1] if is_first else [""])
    return _bars(title, spaced, names, _CLOSE)


def _bars(
    title: str,
    rows_of: Sequence[Bar | None],
    names: Sequence[Sequence[str]],
    step: int,
    *,
    logarithmic: bool = False,
    most: float | None = None,
) -> Html:
    given = [bar for bar in rows_of if bar is not None]
    if not given:
        return Html()
    rows = [
        {"row": row, "value": float(bar.value), "words": printable(bar.words), "colour": bar.colour}
        for row, bar in enumerate(rows_of)
        if bar is not None
    ]
    highest = float(max([most or 0, *(bar.value for bar in given)]) or 1)
    scale = {"domain": [0, highest], **({"type": "symlog"} if logarithmic else {"nice": False})}
    place = {"x": quantity("value", scale=scale, axis=None), "y": _rows(names)}
    drawn = {
        "mark": {"type": "bar", "size": step - _BETWEEN},
        "encoding": {**place, "color": category("colour", scale=None)},
    }
    words = {
        "mark": {"type": "text", "align": "left", "dx": 5, "color": "currentColor"},
        "encoding": {**place, "text": category("words")},
    }
    chart = {"data": {"values": rows}, "layer": [drawn, words]}
    return _svg(title, _summary((bar.label, bar.words) for bar in given), chart, names, step)


def steps(title: str, given: Sequence[Steps]) -> Html:
    """Return bars that grow in steps, a colour for each kind of step, explained above."""
    if not given:
        return Html()
    kinds = list(dict.fromkeys(kind for bar in given for kind, _ in bar.upto))
    rows = []
    for row, bar in enumerate(given):
        low = 0.0
        for kind, high in bar.upto:
            rows.append({"row": row, "low": low, "high": float(high), "kind": _short(kind)})
            low = float(high)
    names = [_lines(bar.label) for bar in given]
    highest = float(max((high for bar in given for _, high in bar.upto), default=0) or 1)
    colours = {"domain": [_short(kind) for kind in kinds], "range": [SERIES[i % 7] for i in range(len(kinds))]}
    legend = {"orient": "top", "title": None, "labelLimit": 0, "symbolType": "square"}
    drawn = {
        "data": {"values": rows},
        "mark": {"type": "bar", "size": _STEP - _BETWEEN},
        "encoding": {
            "y": _rows(names),
            "x": quantity("low", scale={"domain": [0, highest], "nice": False}, axis=None),
            "x2": {"field": "high"},
            "color": category("kind", scale=colours, legend=legend),
        },
    }
    words = {
        "data": {"values": [{"row": row, "words": printable(bar.words)} for row, bar in enumerate(given)]},
        "mark": {"type": "text", "align": "left", "dx": 8, "color": "currentColor"},
        "encoding": {"y": _rows(names), "x": {"value": _WIDTH}, "text": category("words")},
    }
    return _svg(title, _summary((bar.label, bar.words) for bar in given), {"layer": [drawn, words]}, names, _STEP)


def quantity(field: str, **more: Any) -> Spec:
    """Return a channel that shows numbers."""
    return {"field": field, "type": "quantitative", **more}


def category(field: str, **more: Any) -> Spec:
    """Return a channel that shows names."""
    return {"field": field, "type": "nominal", **more}


def _rows(names: Sequence[Sequence[str]]) -> Spec:
    """Return the axis of labels: rows are numbers, and their names are looked up, so that equal names stay apart."""
    # the first of several lines stands where a single one would; all of them are moved up to the middle
    higher = [
        {"test": f"length(names[datum.value]) == {lines}", "value": -_LINE * (lines - 1) / 2}
        for lines in range(2, _LINES + 1)
    ]
    axis = {
        "title": None,
        "labelExpr": "names[datum.value]",
        "labelLimit": 0,
        "labelOffset": {"condition": higher, "value": 0},
        "domain": False,
        "ticks": False,
        "labelPadding": 8,
    }
    scale = {"domain": list(range(len(names))), "padding": 0}
    return {"field": "row", "type": "ordinal", "axis": axis, "scale": scale}


def _svg(title: str, summary: str, chart: Spec, names: Sequence[Sequence[str]], step: int) -> Html:
    """Draw bars, and say in words what they show."""
    tallest = max(len(lines) for lines in names)
    step = max(step, tallest * _LINE + 6) if tallest > 1 else step
    params = [{"name": "names", "value": [list(lines) for lines in names]}]
    return picture(title, summary, {**chart, "params": params, "width": _WIDTH, "height": {"step": step}})


def picture(title: str, summary: str, chart: Spec, *, axes_shown: bool = False) -> Html:
    """Return a chart as inline SVG that says in words what it shows."""
    import vl_convert

    axes = {"titleColor": "currentColor", "tickColor": GREY, "domainColor": GREY, "gridColor": GREY, "gridOpacity": 0.3}
    labels = {"labelColor": "currentColor", "labelFontSize": 12}
    config = {
        "aria": False,
        "font": "sans-serif",
        "background": "transparent",
        "padding": 2,
        "view": {"stroke": None},
        "axis": {**labels, "labelLineHeight": _LINE, **(axes if axes_shown else {"grid": False})},
        "legend": {**labels, "padding": 0, "offset": 6},
        "text": {"fontSize": 12},
    }
    drawn = vl_convert.vegalite_to_svg({**chart, "config": config}, _VEGA_LITE, allowed_base_urls=[])
    opening = _OPENING.match(drawn)
    assert opening is not None, "vl-convert begins a picture otherwise than it did"
    width, height, box = opening.groups()
    inside = Html(drawn[opening.end() :].removesuffix("</svg>"))
    # with role img all inside is one picture; a namespace is not needed within HTML
    return tag(
        "svg",
        tag("title", title),
        inside,
        role="img",
        aria_label=f"{title}. {summary}",
        width=width,
        height=height,
        viewBox=box,
    )


def standalone(svg: Html) -> str:
    """Return a picture as a file of its own: with its namespace, on white paper."""
    opened = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" color="#1a1a1a" ', 1)
    at = opened.index("</title>") + len("</title>")
    return f'{opened[:at]}<rect width="100%" height="100%" fill="#ffffff"/>{opened[at:]}\n'


def _lines(label: str) -> list[str]:
    lines = wrap(printable(label), _LABEL, break_long_words=True) or [""]
    if len(lines) > _LINES:
        return [*lines[: _LINES - 1], lines[_LINES - 1][: _LABEL - 1] + "…"]
    return lines


def _short(label: str) -> str:
    shown = printable(label)
    return shown if len(shown) <= _LABEL else shown[: _LABEL - 1] + "…"


def _summary(pairs: Any) -> str:
    return "; ".join(f"{label}: {words}" for label, words in pairs)
