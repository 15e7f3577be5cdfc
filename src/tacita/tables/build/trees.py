"""Dimensions from parents and paths: edges, codes from coarse to fine, prefixes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tacita.errors import HierarchyError, faults_text, listed
from tacita.model.table import Dimension, Sum


def from_edges(name: str, edges: Iterable[tuple[str, str | None]], total: str, *, where: str = "") -> Dimension:
    """Return the dimension of (code, code above it) pairs; what has nothing above it is under the total.

    >>> from_edges("area", [("North", None), ("Milano", "North"), ("Torino", "North"), ("Roma", None)], "Italy").codes
    ('Italy', 'North', 'Milano', 'Torino', 'Roma')
    """
    above: dict[str, str] = {}
    below: dict[str, list[str]] = {}
    faults = []
    for code, parent in edges:
        if parent is None:
            below.setdefault(code, [])
            continue
        if above.get(code, parent) != parent:
            faults.append(f"'{code}' lies under '{above[code]}' and under '{parent}'")
        elif code not in above:
            above[code] = parent
            below.setdefault(parent, []).append(code)
            below.setdefault(code, [])
    if faults:
        raise HierarchyError(
            faults_text(faults[:8]),
            where=where or f"dimension '{name}'",
            do="let each code lie under one other; give a second hierarchy as a file of its own",
        )
    roots = [code for code in below if code not in above]
    if not roots and below:
        raise HierarchyError("the codes go in a circle", where=where or f"dimension '{name}'", do="give it a top")
    if len(roots) == 1 and below[roots[0]]:
        top = roots[0]
    else:
        top = total
        if top in below:
            raise HierarchyError(
                f"the total '{total}' is a code that does not hold all the others",
                where=where or f"dimension '{name}'",
                do="give the total another name",
            )
        below[top] = roots
    codes: list[str] = []
    waiting = [top]
    while waiting:
        code = waiting.pop()
        codes.append(code)
        waiting.extend(reversed(below[code]))
    return Dimension(name, tuple(codes), tuple(Sum(code, tuple(below[code])) for code in codes if below[code]))


def from_paths(name: str, paths: Iterable[Sequence[str]], total: str, *, where: str = "") -> Dimension:
    """Return the dimension of paths from coarse to fine; a code that repeats the one above it is the same code.

    >>> from_paths("area", [["North", "Milano"], ["North", "Torino"], ["Roma", "Roma"]], "Total").leaves
    ('Milano', 'Torino', 'Roma')
    """
    edges: dict[tuple[str, str | None], None] = {}
    for path in paths:
        parent: str | None = None
        for code in path:
            if code in {parent, total}:
                continue
            edges[code, parent] = None
            parent = code
    given = list(edges)
    tops = {code for code, parent in given if parent is None}
    inside = sorted({code for code, parent in given if parent is not None and code in tops})
    if inside:
        raise HierarchyError(
            f"codes that stand at the top of one path and inside another: {listed(inside, 5)}",
            where=where or f"dimension '{name}'",
            do="spell the codes of each level differently",
        )
    return from_edges(name, given, total, where=where)


def from_prefixes(name: str, codes: Sequence[str], prefixes: Sequence[int], total: str) -> Dimension:
    """Return the dimension of codes whose first characters are the codes above them.

    >>> from_prefixes("nace", ["A11", "A12", "B20"], [1], "Total").codes
    ('Total', 'A', 'A11', 'A12', 'B', 'B20')
    """
    paths = [[*(code[:length] for length in prefixes if length < len(code)), code] for code in codes]
    above = {part for path in paths for part in path[:-1]}
    both = sorted(above.intersection(codes))
    if both:
        raise HierarchyError(
            f"codes that are also the beginning of longer ones: {listed(both, 5)}",
            where=f"dimension '{name}'",
            do="give these records a code of full length, or give a hierarchy file",
        )
    return from_paths(name, paths, total)


def with_leaf(dimension: Dimension, code: str) -> Dimension:
    """Return the dimension with a further leaf under its total (in each sum of it), unless it has the code."""
    if code in dimension:
        return dimension
    sums = tuple(
        replace(sum_, parts=(*sum_.parts, code)) if sum_.total == dimension.total else sum_ for sum_ in dimension.sums
    )
    if not any(sum_.total == dimension.total for sum_ in sums):
        sums = (*sums, Sum(dimension.total, (code,)))
    return Dimension(dimension.name, (*dimension.codes, code), sums, dimension.labels)


def with_labels(dimension: Dimension, labels: Mapping[str, str]) -> Dimension:
    """Return the dimension with the labels of its codes; labels of other codes are left out."""
    known = {code: label for code, label in labels.items() if code in dimension}
    return Dimension(dimension.name, dimension.codes, dimension.sums, {**dimension.labels, **known})
