"""Dependencies as a graph: attributes on the left lead through their set to the attribute that they determine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from tacita.dependencies.dependency import Dependency
from tacita.errors import counted, printable
from tacita.views.markup import Html, tag
from tacita.views.proofs.layers import placed

MOST_DRAWN = 40
"""Dependencies that are drawn: more could not be told apart."""

_LONGEST = 28
_LETTER, _LINE, _DOT, _GAP, _BETWEEN, _MARGIN = 7.3, 24.0, 5.0, 12.0, 170.0, 8.0
_NOTHING = "no attribute"
_COLUMNS = 3


def strongest(dependencies: Sequence[Dependency], most: int = MOST_DRAWN) -> tuple[Dependency, ...]:
    """Return the dependencies that tell most: by gain, then by support; keys tell nothing and are left out.

    If there are more, the best of each determined attribute come first, then the second best of each, and so on, so
    that one attribute with many dependencies does not hide the others.

    >>> strongest([Dependency(("a",), "b", 0), Dependency(("c",), "b", 9, gain=0.5)])[0].left
    ('c',)
    """
    ranked = sorted((one for one in dependencies if not one.is_key), key=_strength)
    if len(ranked) > most:
        seen: Counter[str] = Counter()
        places = []
        for one in ranked:
            places.append(seen[one.right])
            seen[one.right] += 1
        chosen = sorted(range(len(ranked)), key=lambda number: (places[number], number))[:most]
        ranked = [ranked[number] for number in sorted(chosen)]
    return tuple(ranked)


def _strength(one: Dependency) -> tuple[float, int]:
    return -(one.gain or 0.0), -one.support


def dependency_graph(dependencies: Sequence[Dependency]) -> Html:
    """Return the picture of the strongest dependencies as SVG; nothing if none tells a value.

    It takes its colour from the text around it, so that it can be read on light and on dark ground.
    """
    drawn = strongest(dependencies)
    if not drawn:
        return Html()
    graph = _Graph(drawn)
    plan = placed(graph.heights, graph.edges, _GAP)
    lefts = _columns(graph, [plan.layer[node] for node in range(len(graph.labels))])
    width = lefts[_COLUMNS - 1] + graph.widest(_COLUMNS - 1) + _MARGIN
    middles = [plan.x[node] + _MARGIN for node in range(len(plan.x))]
    paths = []
    for (start, end), chain in zip(graph.edges, plan.chains, strict=True):
        points = [(_side(graph, lefts, start, is_end=True), middles[start])]
        points += [(lefts[plan.layer[node]], middles[node]) for node in chain[1:-1]]
        points.append((_side(graph, lefts, end, is_end=False), middles[end]))
        is_last = graph.columns[end] == _COLUMNS - 1
        dashes = "5 4" if (start, end) in graph.conditional else None
        paths.append(
            tag("path", d=_curve(points), marker_end="url(#determines)" if is_last else None, stroke_dasharray=dashes)
        )
    nodes = [_node(graph, node, lefts, middles[node]) for node in range(len(graph.labels))]
    return tag(
        "svg",
        tag("title", f"{counted(len(drawn), 'dependency')} between {counted(len(graph.names), 'attribute')}"),
        tag("defs", _arrow()),
        tag("g", *paths, fill="none", stroke="currentColor", stroke_opacity="0.45", stroke_width="1.2"),
        *nodes,
        viewBox=f"0 0 {width:.0f} {plan.width + 2 * _MARGIN:.0f}",
        width=f"{width:.0f}",
        height=f"{plan.width + 2 * _MARGIN:.0f}",
        role="img",
        class_="dependencies",
    )


class _Graph:
    """Attributes that determine, sets of them, attributes that are determined: three columns, and lines between."""

    def __init__(self, dependencies: Sequence[Dependency]) -> None:
        self.labels: list[str] = []
        self.titles: list[str] = []
        self.columns: list[int] = []
        self.edges: list[tuple[int, int]] = []
        self.conditional: set[tuple[int, int]] = set()
        self._numbers: dict[tuple[int, object], int] = {}
        for one in dependencies:
            condition = one.condition
            key = (one.left, None if condition is None else (condition.attribute, condition.value))
            where = "" if condition is None else f" where {condition.attribute} is '{condition.value}'"
            between = self._add(1, key, "", f"{one.left_in_words}{where}")
            for name in one.left or (_NOTHING,):
                self._join(self._add(0, name, name, name), between)
            right = self._add(2, one.right, one.right, one.right)
            self._join(between, right)
            if condition is not None:
                self.conditional.add((between, right))

    @property
    def names(self) -> set[str]:
        """The attributes that are drawn."""
        return {label for label in self.labels if label and label != _NOTHING}

    @property
    def heights(self) -> list[float]:
        """The room that each node needs in its column."""
        return [2 * _DOT if column == 1 else _LINE for column in self.columns]

    def width(self, node: int) -> float:
        """Return how wide a node is."""
        return 2 * _DOT if self.columns[node] == 1 else len(_short(self.labels[node])) * _LETTER + 14

    def widest(self, column: int) -> float:
        """Return how wide a column is."""
        return max(self.width(node) for node, its in enumerate(self.columns) if its == column)

    def _add(self, column: int, key: object, label: str, title: str) -> int:
        if (column, key) not in self._numbers:
            self._numbers[column, key] = len(self.labels)
            self.labels.append(label)
            self.titles.append(title)
            self.columns.append(column)
        return self._numbers[column, key]

    def _join(self, start: int, end: int) -> None:
        if (start, end) not in self.edges:
            self.edges.append((start, end))


def _columns(graph: _Graph, layers: Sequence[int]) -> list[float]:
    """Return where each column begins."""
    assert list(layers) == graph.columns, "every line leads from one column to the next"
    lefts = [_MARGIN]
    for column in range(_COLUMNS - 1):
        lefts.append(lefts[-1] + graph.widest(column) + _BETWEEN)
    return lefts


def _side(graph: _Graph, lefts: Sequence[float], node: int, *, is_end: bool) -> float:
    """Return where a line touches a node: at its right if it begins there, at its left if it ends there."""
    left = lefts[graph.columns[node]]
    if graph.columns[node] == 0:
        return left + graph.widest(0)
    return left + graph.width(node) if is_end else left


def _node(graph: _Graph, node: int, lefts: Sequence[float], middle: float) -> Html:
    left, column = lefts[graph.columns[node]], graph.columns[node]
    title = tag("title", printable(graph.titles[node]))
    if column == 1:
        circle = tag("circle", title, cx=f"{left + _DOT:.1f}", cy=f"{middle:.1f}", r=f"{_DOT:.1f}")
        return tag("g", circle, fill="currentColor")
    width = graph.width(node)
    left = left + graph.widest(0) - width if column == 0 else left
    box = tag(
        "rect",
        x=f"{left:.1f}",
        y=f"{middle - _LINE / 2:.1f}",
        width=f"{width:.1f}",
        height=f"{_LINE:.1f}",
        rx="4",
        fill="none",
        stroke="currentColor",
        stroke_opacity="0.6",
    )
    words = tag(
        "text",
        _short(graph.labels[node]),
        x=f"{left + width / 2:.1f}",
        y=f"{middle + 4:.1f}",
        text_anchor="middle",
        font_size="12",
        font_family="system-ui, sans-serif",
        fill="currentColor",
        font_style="italic" if graph.labels[node] == _NOTHING else None,
    )
    return tag("g", title, box, words)


def _short(name: str) -> str:
    name = printable(" ".join(name.split()))
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _curve(points: Sequence[tuple[float, float]]) -> str:
    """Return a line that leaves and reaches every point level."""
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x, y), (a, b) in pairwise(points):
        middle = (x + a) / 2
        path += f"C{middle:.1f} {y:.1f} {middle:.1f} {b:.1f} {a:.1f} {b:.1f}"
    return path


def _arrow() -> Html:
    head = tag("path", d="M0 0L7 3.5L0 7Z", fill="currentColor", fill_opacity="0.7")
    return tag("marker", head, id="determines", markerWidth="8", markerHeight="8", refX="7", refY="3.5", orient="auto")
