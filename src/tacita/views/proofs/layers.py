"""Where the boxes of a layered graph go: each below what rests on it, lines short and with few crossings.

The steps are those of Sugiyama, Tagawa and Toda (1981): layers by the longest way from the top, a place on every layer
for lines that pass it, an order on each layer by the mean place of the neighbours, then coordinates. The last step
moves boxes towards their neighbours as far as those beside them allow, which is a regression under order constraints
(solved by pooling adjacent violators).
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

_SWEEPS = 16
_PASSING = 8.0
"""The width that a line takes on a layer that it passes."""


@dataclass(slots=True)
class Placed:
    """Boxes and passing lines with their layers and the middle of each."""

    layer: list[int]
    x: list[float]
    chains: list[list[int]]
    """Of each edge, the boxes and passing places that it goes through."""
    layers: list[list[int]] = field(default_factory=list)
    width: float = 0.0


def placed(widths: Sequence[float], edges: Sequence[tuple[int, int]], gap: float) -> Placed:
    """Return where boxes of some widths go; edges lead from above to below."""
    layer = _layers(len(widths), edges)
    breadth = list(widths)
    chains = []
    for above, below in edges:
        chain = [above]
        for between in range(layer[above] + 1, layer[below]):
            layer.append(between)
            breadth.append(_PASSING)
            chain.append(len(layer) - 1)
        chains.append([*chain, below])
    up: list[list[int]] = [[] for _ in layer]
    down: list[list[int]] = [[] for _ in layer]
    for chain in chains:
        for a, b in pairwise(chain):
            down[a].append(b)
            up[b].append(a)
    layers: list[list[int]] = [[] for _ in range(max(layer, default=0) + 1)]
    for node in _in_turn(len(layer), down, up):
        layers[layer[node]].append(node)
    _order(layers, up, down)
    x = _coordinates(layers, breadth, up, down, gap)
    left = min((x[n] - breadth[n] / 2 for n in range(len(x))), default=0.0)
    x = [value - left for value in x]
    width = max((x[n] + breadth[n] / 2 for n in range(len(x))), default=0.0)
    return Placed(layer, x, chains, layers, width)


def _layers(number: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Return how far each box is from the top by the longest way."""
    below: list[list[int]] = [[] for _ in range(number)]
    waiting_for = [0] * number
    for a, b in edges:
        below[a].append(b)
        waiting_for[b] += 1
    layer = [0] * number
    ready = [n for n in range(number) if waiting_for[n] == 0]
    for node in ready:  # grows while it is read
        for other in below[node]:
            layer[other] = max(layer[other], layer[node] + 1)
            waiting_for[other] -= 1
            if waiting_for[other] == 0:
                ready.append(other)
    return layer


def _in_turn(number: int, down: Sequence[Sequence[int]], up: Sequence[Sequence[int]]) -> list[int]:
    """Return the nodes in the order in which a reader meets them, from the top: a good order to begin with."""
    seen = [False] * number
    ordered: list[int] = []
    for root in (n for n in range(number) if not up[n]):
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if not seen[node]:
                seen[node] = True
                ordered.append(node)
                waiting.extend(reversed(down[node]))
    return ordered + [n for n in range(number) if not seen[n]]


def _order(layers: list[list[int]], up: Sequence[Sequence[int]], down: Sequence[Sequence[int]]) -> None:
    """Order each layer by the mean place of the neighbours above, then below, and so on; keep the best order seen."""
    place = {node: float(i) for nodes in layers for i, node in enumerate(nodes)}
    best, fewest = [list(nodes) for nodes in layers], _crossings(layers, place, down)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        is_down = sweep % 2 == 0
        near = up if is_down else down
        for nodes in layers if is_down else reversed(layers):
            means = {n: _mean([place[m] for m in near[n]], place[n]) for n in nodes}
            # Of those with the same mean, turn the order round now and then: it may be the better one.
            turned = -1 if sweep % 4 >= 2 else 1
            nodes.sort(key=lambda n, means=means, turned=turned: (means[n], turned * place[n]))  # type: ignore[misc]
            place.update({node: float(i) for i, node in enumerate(nodes)})
        number = _crossings(layers, place, down)
        if number < fewest:
            best, fewest = [list(nodes) for nodes in layers], number
    for nodes, kept in zip(layers, best, strict=True):
        nodes[:] = kept


def _crossings(layers: Sequence[Sequence[int]], place: dict[int, float], down: Sequence[Sequence[int]]) -> int:
    """Return how many pairs of lines cross between layers: a line crosses those that begin before it and end behind."""
    number = 0
    for nodes in layers:
        ends: list[float] = []
        for node in nodes:
            below = sorted(place[m] for m in down[node])
            number += sum(len(ends) - bisect_right(ends, end) for end in below)
            for end in below:
                insort(ends, end)
    return number


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _coordinates(
    layers: Sequence[Sequence[int]],
    breadth: Sequence[float],
    up: Sequence[Sequence[int]],
    down: Sequence[Sequence[int]],
    gap: float,
) -> list[float]:
    x = [0.0] * len(breadth)
    for nodes in layers:
        at = 0.0
        for node in nodes:
            x[node] = at + breadth[node] / 2
            at += breadth[node] + gap
    both = [[*a, *b] for a, b in zip(up, down, strict=True)]
    for sweep in range(_SWEEPS + 1):
        near = both if sweep > _SWEEPS // 2 else up if sweep % 2 == 0 else down
        for nodes in layers if sweep % 2 == 0 else reversed(layers):
            wanted = [_mean([x[m] for m in near[n]], x[n]) for n in nodes]
            for node, value in zip(nodes, _apart([breadth[n] for n in nodes], wanted, gap), strict=True):
                x[node] = value
    return x


def _apart(widths: Sequence[float], wanted: Sequence[float], gap: float) -> list[float]:
    """Return the places nearest to the wanted ones at which boxes in that order do not overlap.

    >>> _apart([10, 10], [0, 4], 2)
    [-4.0, 8.0]
    """
    offsets, at = [], 0.0
    for i, width in enumerate(widths):
        at += 0.0 if i == 0 else (widths[i - 1] + width) / 2 + gap
        offsets.append(at)
    pools: list[tuple[float, int]] = []
    for value, offset in zip(wanted, offsets, strict=True):
        mean, size = float(value - offset), 1
        while pools and pools[-1][0] > mean:
            before, number = pools.pop()
            mean, size = (mean * size + before * number) / (size + number), size + number
        pools.append((mean, size))
    free = [mean for mean, size in pools for _ in range(size)]
    return [value + offset for value, offset in zip(free, offsets, strict=True)]
