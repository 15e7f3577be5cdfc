"""The three heuristics of the paper, for comparison with the exact choice (Caruccio et al. 2020, section V.A).

The paper scores attributes and removes them in descending order until every set is broken. Here scores are taken anew
after each removal, over the sets that are still whole: an attribute that breaks nothing more is not removed. Ties go to
the attribute that comes first in the file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from tacita.dependencies.hiding.hitting_set import Attributes, minimal_sets

Heuristic = Callable[[Collection[Attributes], Sequence[str]], tuple[str, ...] | None]


def counting(sets: Collection[Attributes], order: Sequence[str]) -> tuple[str, ...] | None:
    """Remove the attribute that is in most sets.

    >>> counting([frozenset("ABC"), frozenset("ADE")], "ABCDE")
    ('A',)
    """
    return _greedy(sets, order, lambda left, a: float(sum(a in one for one in left)))


def weighted_counting(sets: Collection[Attributes], order: Sequence[str]) -> tuple[str, ...] | None:
    """Remove the attribute with the largest sum of 1/|X| over the sets X that it is in."""
    return _greedy(sets, order, lambda left, a: sum(1 / len(one) for one in left if a in one))


def feedback_vertices(sets: Collection[Attributes], order: Sequence[str]) -> tuple[str, ...] | None:
    """Remove the vertex with most backward edges of a depth-first visit, until no cycle is left (MFVS).

    Each set is a cycle of an undirected graph over its attributes. As printed the method misses sets of two attributes,
    whose cycle is an edge: here such a pair counts as a double edge, which is a cycle; and sets that are whole when the
    graph has no cycle left are broken by their first attribute.

    >>> feedback_vertices([frozenset("AB")], "AB"), feedback_vertices([frozenset("ABC"), frozenset("ADE")], "ABCDE")
    (('A',), ('A',))
    """
    left = minimal_sets(sets)
    if any(not one for one in left):
        return None
    chosen = {a for one in left if len(one) == 1 for a in one}
    left = [one for one in left if not one & chosen]
    while left:
        scores = _backward_edges(left, order)
        best = max(scores, key=lambda a: (scores[a], -order.index(a)), default="")
        if not scores or scores[best] == 0:
            best = min(left[0], key=order.index)
        chosen.add(best)
        left = [one for one in left if best not in one]
    return tuple(a for a in order if a in chosen)


HEURISTICS: dict[str, Heuristic] = {
    "counting": counting,
    "weighted-counting": weighted_counting,
    "feedback-vertices": feedback_vertices,
}


def _greedy(
    sets: Collection[Attributes], order: Sequence[str], score: Callable[[Sequence[Attributes], str], float]
) -> tuple[str, ...] | None:
    left = minimal_sets(sets)
    if any(not one for one in left):
        return None
    chosen = {a for one in left if len(one) == 1 for a in one}  # a set of one attribute leaves no choice
    left = [one for one in left if not one & chosen]
    while left:
        scores = {a: score(left, a) for a in order}
        best = max(order, key=lambda a: (round(scores[a], 12), -order.index(a)))
        chosen.add(best)
        left = [one for one in left if best not in one]
    return tuple(a for a in order if a in chosen)


def _backward_edges(sets: Sequence[Attributes], order: Sequence[str]) -> dict[str, int]:
    """Return how often each vertex is the end of an edge to a vertex that is being visited, in a depth-first visit."""
    edges: dict[str, list[tuple[str, int]]] = {a: [] for a in order if any(a in one for one in sets)}
    number = 0
    for one in sets:
        cycle = sorted(one, key=order.index)
        for here, there in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
            edges[here].append((there, number))
            edges[there].append((here, number))
            number += 1
    scores = dict.fromkeys(edges, 0)
    state: dict[str, int] = {}
    for root in edges:
        if root in state:
            continue
        stack: list[tuple[str, int, int]] = [(root, -1, 0)]  # vertex, edge that led to it, next edge to look at
        state[root] = 1
        while stack:
            here, came_by, at = stack.pop()
            if at >= len(edges[here]):
                state[here] = 2
                continue
            stack.append((here, came_by, at + 1))
            there, edge = edges[here][at]
            if edge == came_by:
                continue
            if state.get(there) == 1:
                scores[there] += 1
            elif there not in state:
                state[there] = 1
                stack.append((there, edge, 0))
    return scores
