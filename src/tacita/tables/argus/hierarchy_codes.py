"""Hierarchies as tau-Argus has them (.hrc): a code on each line, led by a string for each level."""

from __future__ import annotations

from tacita.errors import HierarchyError
from tacita.model.table import Dimension
from tacita.tables.build.trees import from_edges


def parse_hrc(
    text: str, name: str, *, total: str = "Total", lead: str = "@", where: str = "", lone_top: bool = False
) -> Dimension:
    r"""Return the dimension of a hierarchy; blanks around codes do not count.

    With `lone_top`, a file whose only code of the first level holds all the others has its own total.

    >>> parse_hrc("North\n@ 1\n@ 2\nSouth\n@ 3\n", "region").sums[0]
    Sum(total='Total', parts=('North', 'South'))
    """
    stack: list[str] = []
    known: set[str] = set()
    edges: list[tuple[str, str | None]] = []
    where = where or f"dimension '{name}'"
    for number, line in enumerate(text.splitlines(), 1):
        rest = line.strip() if not lead.startswith(" ") else line.rstrip()
        if not rest:
            continue
        depth = 0
        while lead and rest.startswith(lead):
            rest, depth = rest[len(lead) :], depth + 1
        code = rest.strip()
        if not code or depth > len(stack):
            said = "no code" if not code else f"{depth} times '{lead}' under a code that has it {len(stack) - 1} times"
            raise HierarchyError(
                f"line {number} has {said}", where=where, do="let each line be at most one level deeper than the last"
            )
        if code in known:
            raise HierarchyError(f"line {number} has '{code}' again", where=where, do="give each code once")
        known.add(code)
        stack[depth:] = [code]
        edges.append((code, stack[depth - 1] if depth else None))
    if not edges:
        raise HierarchyError("there is no code", where=where, do="give a code on each line")
    roots = [code for code, parent in edges if parent is None]
    if len(roots) == 1 and not lone_top:
        edges = [(code, total if parent is None else parent) for code, parent in edges]
    return from_edges(name, edges, total, where=where)
