"""The six plots of Figure 7 as lines: a colour for each survey or measure, a dash for each way of doing it."""

from __future__ import annotations

from experiments.point import (
    ALONE,
    AT_RISK,
    FEWEST,
    FIGURES,
    INDIVIDUAL_RISK,
    K_ANONYMITY,
    ONE_BY_ONE,
    ROUNDS,
    STANDARD,
    SUDA,
    WHOLE,
    Results,
    drawn_lines,
)
from tacita.views.charts import BLUE, GREEN, GREY, ORANGE
from tacita.views.lines import Line, lines
from tacita.views.markup import Html

_COLOURS = {"W": BLUE, "U": GREEN, "V": ORANGE, K_ANONYMITY: BLUE, INDIVIDUAL_RISK: GREEN, SUDA: ORANGE}
_SOLID, _DASHED, _DOTTED = ("solid", "circle"), ("dashed", "square"), ("dotted", "triangle-up")
_STYLES = {
    FEWEST: _SOLID,
    ONE_BY_ONE: _DASHED,
    ROUNDS: _DOTTED,
    STANDARD: _DASHED,
    WHOLE: _SOLID,
    AT_RISK: _DASHED,
    ALONE: _DOTTED,
}
_PRINTED = {
    "a": (("printed: W under 50", 5, 50),),
    "b": (("printed: V at k = 2", 2, 0.37), ("printed: V at k = 5", 5, 0.13)),
    "d": (("printed: W", 100, 9), ("printed: W", 400, 38), ("printed: V", 300, 323)),
}
"""Printed points that fit on the axes; those of time would flatten everything else."""


def drawn(results: Results, letter: str) -> Html:
    """Return one of the six plots; nothing if it was not measured."""
    figure = FIGURES[letter]
    found = []
    for (series, data), points in drawn_lines(results.of(letter)).items():
        kind = data[-1:] if data else series.removesuffix(f", {ALONE}")
        dash, shape = _STYLES.get(ALONE if series.endswith(ALONE) else series, _SOLID)
        label = f"{data}, {series}" if data else series
        pairs = tuple((point.x, point.value) for point in points)
        found.append(Line(label, pairs, _COLOURS.get(kind, GREY), dash, shape))
    if found and not results.quick:
        by_label: dict[str, list[tuple[float, float]]] = {}
        for label, x, y in _PRINTED.get(letter, ()):
            by_label.setdefault(label, []).append((x, y))
        found += [Line(label, tuple(points), GREY, "dotted", "cross") for label, points in by_label.items()]
    title = f"Figure 7{letter}: {figure.title}"
    return lines(title, found, x=figure.x, y=figure.y, logarithmic=figure.logarithmic)
