"""All that can be wrong with a list of paths, found in one reading."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from tacita.errors import listed

_MOST = 20  # of one kind in one message: a file of 40,000 lines may be wrong in each of them


def path_faults(
    rows: Sequence[Sequence[str]],
    lines: Sequence[int] | None = None,
    noun: str = "line",
    least_depth: int = 2,
) -> list[str]:
    """Return the faults of paths: they should be total, equally long, and each label should have one parent.

    >>> path_faults([("Milano", "North", "Italy"), ("Roma", ""), ("Torino", "", "Italy")])
    ['line 2 has 2 fields, the others have 3', 'line 3 has no value at level 1']
    """
    if not rows:
        return ["there is nothing in it"]
    lines = lines or range(1, len(rows) + 1)
    depth = Counter(map(len, rows)).most_common(1)[0][0]
    if depth < least_depth and all(len(row) == depth for row in rows):
        return ["there is no level above the values"]
    faults = _wrong_depths(rows, lines, noun, depth)
    sound = [(line, row) for line, row in zip(lines, rows, strict=True) if len(row) == depth]
    for level in range(depth):
        if holes := [line for line, row in sound if row[level] == ""]:
            faults.append(f"{_places(noun, holes)} no value at level {level}")
    first: dict[str, tuple[int, Sequence[str]]] = {}
    clashes = []
    for line, row in sound:
        before, path = first.setdefault(row[0], (line, row))
        if row[0] and tuple(path) != tuple(row):
            clashes.append(f"'{row[0]}' stands on {noun} {before} and on {noun} {line} with different paths")
    return faults + _capped(clashes) + _capped(_two_parents(list(first.values()), noun, depth))


def _wrong_depths(rows: Sequence[Sequence[str]], lines: Sequence[int], noun: str, depth: int) -> list[str]:
    by_length: defaultdict[int, list[int]] = defaultdict(list)
    for line, row in zip(lines, rows, strict=True):
        if len(row) != depth:
            by_length[len(row)].append(line)
    return [
        f"{_places(noun, codes)} {length} {'field' if length == 1 else 'fields'}, the others have {depth}"
        for length, codes in sorted(by_length.items())
    ]


def _two_parents(firsts: Sequence[tuple[int, Sequence[str]]], noun: str, depth: int) -> list[str]:
    faults = []
    for level in range(1, depth - 1):
        parents: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for line, row in firsts:
            if row[level] and row[level + 1]:
                parents[row[level]].setdefault(row[level + 1], line)
        faults += [
            f"'{label}' at level {level} has {len(above)} parents: "
            + listed([f"'{parent}' ({noun} {line})" for parent, line in above.items()])
            for label, above in parents.items()
            if len(above) > 1
        ]
    return faults


def _places(noun: str, lines: Sequence[int]) -> str:
    return f"{noun} {lines[0]} has" if len(lines) == 1 else f"{noun}s {listed(lines)} have"


def _capped(faults: list[str]) -> list[str]:
    more = len(faults) - _MOST
    return faults if more <= 0 else [*faults[:_MOST], f"and {more:,} more of this kind"]
