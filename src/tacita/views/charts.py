"""Charts as inline SVG: horizontal bars that carry their own words, so that no colour has to be told apart.

Altair makes the specification and vl-convert draws it, without a browser and without a download. Names are data of the
chart, never part of an expression. Text takes the colour of the page around it, light or dark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
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
_OPENING = re.compile(r'^<svg[^>]*? width="(\d+)" height="(\d+)" viewBox="([\d. -]+)">')


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
        {"row": row, "value": bar.value, "words": printable(bar.words), "colour": bar.colour}
        for row, bar in enumerate(rows_of)
        if bar is not None
    ]
    import altair as alt

    highest = max([most or 0, *(bar.value for bar in given)]) or 1
    scale = alt.Scale(type="symlog", domain=[0, highest]) if logarithmic else alt.Scale(domain=[0, highest], nice=False)
    base = of_rows(alt, rows).encode(y=_rows(alt, names))
    length = alt.X("value:Q", scale=scale, axis=None)
    drawn = base.mark_bar(size=step - _BETWEEN).encode(x=length, color=alt.Color("colour:N", scale=None))
    words = base.mark_text(align="left", dx=5, color="currentColor").encode(x=length, text="words:N")
    return _svg(title, _summary((bar.label, bar.words) for bar in given), alt.layer(drawn, words), names, step)


def steps(title: str, given: Sequence[Steps]) -> Html:
    """Return bars that grow in steps, a colour for each kind of step, explained above."""
    if not given:
        return Html()
    import altair as alt

    kinds = list(dict.fromkeys(kind for bar in given for kind, _ in bar.upto))
    rows = []
    for row, bar in enumerate(given):
        low = 0.0
        for kind, high in bar.upto:
            rows.append({"row": row, "low": low, "high": high, "kind": _short(kind)})
            low = high
    names = [_lines(bar.label) for bar in given]
    highest = max((high for bar in given for _, high in bar.upto), default=0) or 1
    scale = alt.Scale(domain=[0, highest], nice=False)
    colours = alt.Scale(domain=[_short(kind) for kind in kinds], range=[SERIES[i % 7] for i in range(len(kinds))])
    legend = alt.Legend(orient="top", title=None, labelLimit=0, symbolType="square")
    drawn = (
        of_rows(alt, rows)
        .mark_bar(size=_STEP - _BETWEEN)
        .encode(
            y=_rows(alt, names),
            x=alt.X("low:Q", scale=scale, axis=None),
            x2="high:Q",
            color=alt.Color("kind:N", scale=colours, legend=legend),
        )
    )
    words = (
        of_rows(alt, [{"row": row, "words": printable(bar.words)} for row, bar in enumerate(given)])
        .mark_text(align="left", dx=8, color="currentColor")
        .encode(y=_rows(alt, names), x=alt.value(_WIDTH), text="words:N")
    )
    return _svg(title, _summary((bar.label, bar.words) for bar in given), alt.layer(drawn, words), names, _STEP)


def of_rows(alt: Any, rows: Sequence[Mapping[str, Any]]) -> Any:
    """Return a chart of Altair over rows."""
    return alt.Chart(alt.Data(values=list(rows)))


def _rows(alt: Any, names: Sequence[Sequence[str]]) -> Any:
    """Return the axis of labels: rows are numbers, and their names are looked up, so that equal names stay apart."""
    # the first of several lines stands where a single one would; all of them are moved up to the middle
    higher = [
        {"test": f"length(names[datum.value]) == {lines}", "value": -_LINE * (lines - 1) / 2}
        for lines in range(2, _LINES + 1)
    ]
    axis = alt.Axis(
        title=None,
        labelExpr="names[datum.value]",
        labelLimit=0,
        labelOffset={"condition": higher, "value": 0},
        domain=False,
        ticks=False,
        labelPadding=8,
    )
    return alt.Y("row:O", axis=axis, scale=alt.Scale(domain=list(range(len(names))), padding=0))


def _svg(title: str, summary: str, chart: Any, names: Sequence[Sequence[str]], step: int) -> Html:
    """Draw bars, and say in words what they show."""
    import altair as alt

    tallest = max(len(lines) for lines in names)
    step = max(step, tallest * _LINE + 6) if tallest > 1 else step
    whole = chart.add_params(alt.param(name="names", value=[list(lines) for lines in names]))
    return picture(title, summary, whole.properties(width=_WIDTH, height=alt.Step(step)))


def picture(title: str, summary: str, chart: Any, *, axes_shown: bool = False) -> Html:
    """Return a chart of Altair as inline SVG that says in words what it shows."""
    import vl_convert

    axes = {"titleColor": "currentColor", "tickColor": GREY, "domainColor": GREY, "gridColor": GREY, "gridOpacity": 0.3}
    whole = (
        chart.configure(aria=False, font="sans-serif", background="transparent", padding=2)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor="currentColor",
            labelFontSize=12,
            labelLineHeight=_LINE,
            **(axes if axes_shown else {"grid": False}),
        )
        .configure_legend(labelColor="currentColor", labelFontSize=12, padding=0, offset=6)
        .configure_text(fontSize=12)
    )
    drawn = vl_convert.vegalite_to_svg(whole.to_dict(), allowed_base_urls=[])
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
