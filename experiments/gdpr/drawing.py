"""The plots: hidden attributes by configuration as bars, their growth as lines, information gain as bars."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.gdpr.data import CONFIDENTIAL
from experiments.gdpr.points import COUNT, METHODS, MFVS, WEIGHTED, GdprResults, Setting
from tacita.dependencies.hiding.choice import ChoiceMethod
from tacita.views.charts import BLUE, GREEN, GREY, ORANGE, PINK, Bar, grouped_bars
from tacita.views.lines import Line, lines
from tacita.views.markup import Html

NAMES = {ChoiceMethod.EXACT: "minimum", COUNT: "counting", WEIGHTED: "weighted counting", MFVS: "MFVS"}
"""The methods in words: the exact minimum, and the heuristics of the paper."""
_COLOURS = dict(zip(METHODS, (BLUE, GREEN, ORANGE, PINK), strict=True))
_LINES = {
    Setting.FULL: (BLUE, "solid", "circle"),
    Setting.CERTAINTY: (ORANGE, "dashed", "square"),
    Setting.ACCURACY: (GREEN, "dotted", "diamond"),
    Setting.BOTH: (PINK, "solid", "cross"),
}


def plots(results: GdprResults) -> Iterator[tuple[str, str, Html]]:
    """Yield the name of a file, a caption and the plot."""
    for data in results.data:
        yield f"hidden-{data}.svg", f"{data}: attributes hidden besides one, on average", _bars(results, data)
    for data in results.data:
        for method in (method for method in METHODS if results.growth(data, Setting.FULL, method)):
            caption = f"{data}, {NAMES[method]}: attributes hidden in all"
            yield f"growth-{data}-{method}.svg", caption, _growth(results, data, method)
    if results.gains:
        yield "information-gain.svg", "Health: information gain on Status, before and after", _gains(results)


def _bars(results: GdprResults, data: str) -> Html:
    bars = [
        Bar(setting, mean, f"{mean:.2f} {NAMES[method]}", _COLOURS[method])
        for setting in Setting
        for method in METHODS
        if (mean := results.mean(data, setting, method)) is not None
    ]
    return grouped_bars(f"{data}: attributes hidden besides one confidential attribute", bars)


def _growth(results: GdprResults, data: str, method: ChoiceMethod) -> Html:
    given = []
    for setting, (colour, dash, shape) in _LINES.items():
        points = enumerate(results.growth(data, setting, method), start=1)
        given.append(Line(setting, tuple((float(x), y) for x, y in points), colour, dash, shape))
    x = f"confidential: {', '.join(CONFIDENTIAL[data])}"
    return lines(f"{data}: hidden attributes, {NAMES[method]}", given, x=x, y="hidden attributes")


def _gains(results: GdprResults) -> Html:
    bars = []
    for one in results.gains:
        bars.append(Bar(one.attribute, one.before, f"{one.before:.3f} before", BLUE))
        bars.append(Bar(one.attribute, one.after, f"{one.after:.3f} after", ORANGE))
        bars.append(Bar(one.attribute, one.with_hidden, f"{one.with_hidden:.3f} with hidden status as a class", GREY))
    return grouped_bars("Information gain of each attribute on Status, in bits", bars)
