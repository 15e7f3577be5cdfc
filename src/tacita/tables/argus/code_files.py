"""Codes as tau-Argus has them: labels (.cdl) and hierarchies (.hrc)."""

from __future__ import annotations

from pathlib import Path

from tacita.errors import HierarchyError, InputError
from tacita.model.hierarchy.text_file import read_text
from tacita.model.table import Dimension
from tacita.tables.argus import ENCODING
from tacita.tables.build.trees import from_edges


def read_code_list(path: Path) -> dict[str, str]:
    """Return the labels of a file; quotation marks and blanks around both do not count."""
    return parse_code_list(read_text(path, InputError, "a list of codes with labels (.cdl)", otherwise=ENCODING))


def parse_code_list(text: str) -> dict[str, str]:
    r"""Return the labels of a text.

    >>> parse_code_list(' 1,Groningen\n"2","Friesland, west"\n')
    {'1': 'Groningen', '2': 'Friesland, west'}
    """
    labels = {}
    for line in text.splitlines():
        code, separator, label = line.partition("," if "," in line else ";")
        if separator:
            labels[code.strip().strip('"').strip()] = label.strip().strip('"').strip()
    return labels


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
