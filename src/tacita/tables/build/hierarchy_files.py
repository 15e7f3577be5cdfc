"""Hierarchy files of tables: tau-Argus .hrc, CSV of several kinds, nested JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tacita.errors import HierarchyError
from tacita.model.hierarchy import parse_csv
from tacita.model.hierarchy.text_file import read_text
from tacita.model.table import Dimension, Sum
from tacita.tables.argus import ENCODING
from tacita.tables.argus.code_files import parse_hrc
from tacita.tables.build.trees import from_edges, from_paths

_WHAT = "a hierarchy: .hrc, .csv or .json"


def read_hierarchy(path: Path, name: str, total: str = "Total", lead: str = "@") -> Dimension:
    """Return the dimension of a hierarchy file.

    - ``.hrc``: a code on each line, led by as many `lead` strings as it is deep.
    - ``.json``: one total that holds objects or lists of codes.
    - ``.csv`` with the header ``levels,codes``: levels are ``@``, ``@@``, ... (as sdcTable has them).
    - ``.csv`` with ``mapsFrom,mapsTo,sign,level``: sums with signs (as GaussSuppression has them).
    - ``.csv`` with ``parent,child`` (in any order).
    - other ``.csv``: without a header, the path of each leaf, leaf first, as our hierarchies of microdata.

    A file that has a total of its own keeps its name.
    """
    where = str(path)
    suffix = path.suffix.lower()
    text = read_text(path, HierarchyError, _WHAT, otherwise=ENCODING if suffix in {".hrc", ".txt"} else None)
    if suffix == ".json":
        return _of_json(text, name, where)
    if suffix in {".hrc", ".txt"}:
        return parse_hrc(text, name, total=total, lead=lead, where=where)
    if suffix == ".csv":
        return _of_csv(text, name, total, where)
    raise HierarchyError(f"no kind of hierarchy has the ending '{path.suffix}'", where=where, do=f"give {_WHAT}")


def _of_json(text: str, name: str, where: str) -> Dimension:
    try:
        nested = json.loads(text)
    except ValueError as fault:
        raise HierarchyError(f"this is no JSON: {fault}", where=where, do="mend it") from None
    if not isinstance(nested, dict) or len(nested) != 1 or not _is_nested(nested):
        raise HierarchyError(
            "it does not have one total that holds objects or lists of codes",
            where=where,
            do='write {"Total": {"A": ["A1", "A2"], "B": []}}',
        )
    return Dimension.tree(name, nested)


def _is_nested(nested: Any) -> bool:
    if isinstance(nested, dict):
        return all(_is_nested(below) for below in nested.values())
    return isinstance(nested, list) and all(isinstance(code, str) for code in nested)


def _of_csv(text: str, name: str, total: str, where: str) -> Dimension:
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if any(cell.strip() for cell in row)]
    if not rows:
        raise HierarchyError("is empty", where=where, do=f"give {_WHAT}")
    header = [cell.strip().casefold() for cell in rows[0]]
    body = [[cell.strip() for cell in row] for row in rows[1:]]
    if {"levels", "codes"} <= set(header) or {"level", "code"} <= set(header):
        levels, codes = (next(at for at, h in enumerate(header) if h.startswith(word)) for word in ("level", "code"))
        return _of_levels([(row[levels], row[codes]) for row in body], name, total, where)
    if {"mapsfrom", "mapsto"} <= set(header):
        at = [header.index(word) for word in ("mapsfrom", "mapsto")]
        sign = header.index("sign") if "sign" in header else None
        signed = [(row[at[0]], row[at[1]], -1 if sign is not None and row[sign].startswith("-") else 1) for row in body]
        return of_signed_sums(signed, name, where)
    if {"parent", "child"} <= set(header):
        child, parent = header.index("child"), header.index("parent")
        return from_edges(name, [(row[child], row[parent] or None) for row in body], total, where=where)
    paths = parse_csv(text, name, where=where).rows
    tops = {path[-1] for path in paths}
    if tops == {"*"}:
        paths = tuple(path[:-1] for path in paths)
    elif len(tops) == 1:
        total = tops.pop()
    return from_paths(name, [path[::-1] for path in paths], total, where=where)


def _of_levels(rows: Sequence[tuple[str, str]], name: str, total: str, where: str) -> Dimension:
    """Return the dimension of codes with levels ``@``, ``@@``, ...; one code at the top is the total."""
    lines = [f"{level[1:]}{code}" for level, code in rows]
    strange = [row for row, (level, code) in enumerate(rows, 2) if not level or set(level) != {"@"} or not code]
    if strange:
        raise HierarchyError(
            f"line {strange[0]} has no level of @ signs with a code", where=where, do="write @@,A1 for a second level"
        )
    return parse_hrc("\n".join(lines), name, total=total, where=where, lone_top=True)


def of_signed_sums(rows: Sequence[tuple[str, str, int]], name: str, where: str = "") -> Dimension:
    """Return the dimension of sums with signs: (code, sum, +1 or -1).

    A code with a minus sign, EU = Europe - nonEU, is turned round: Europe = EU + nonEU, and EU is the sum of what
    remains of Europe's leaves.

    >>> signed = [("IS", "Europe", 1), ("PT", "Europe", 1), ("IS", "nonEU", 1)]
    >>> signed += [("Europe", "EU", 1), ("nonEU", "EU", -1)]
    >>> [(each.total, each.parts) for each in of_signed_sums(signed, "geo").sums]
    [('Europe', ('IS', 'PT')), ('nonEU', ('IS',)), ('EU', ('PT',)), ('Europe', ('EU', 'nonEU'))]
    """
    terms: dict[str, list[tuple[str, int]]] = {}
    for code, of, sign in rows:
        terms.setdefault(of, []).append((code, sign))
    leaves = list(dict.fromkeys(code for code, _, _ in rows if code not in terms))
    leaves_of: dict[str, list[str]] = {leaf: [leaf] for leaf in leaves}
    sums: list[Sum] = []
    waiting = list(terms)
    while waiting:
        ready = [of for of in waiting if all(code in leaves_of for code, _ in terms[of])]
        if not ready:
            raise HierarchyError("the sums go in a circle", where=where or f"dimension '{name}'", do="mend the sums")
        for of in ready:
            less = {leaf for code, sign in terms[of] if sign < 0 for leaf in leaves_of[code]}
            plus = [code for code, sign in terms[of] if sign > 0]
            leaves_of[of] = [leaf for code in plus for leaf in leaves_of[code] if leaf not in less]
            if not less:
                sums.append(Sum(of, tuple(plus)))
                continue
            minus = tuple(code for code, sign in terms[of] if sign < 0)
            outside = sorted(less - {leaf for code in plus for leaf in leaves_of[code]})
            if len(plus) != 1 or outside or not leaves_of[of]:
                raise HierarchyError(
                    f"'{of}' takes away codes that it does not hold, or from several codes",
                    where=where or f"dimension '{name}'",
                    do="let a code with minus signs be one other code less some of its parts",
                )
            sums += [Sum(of, tuple(leaves_of[of])), Sum(plus[0], (of, *minus))]
        waiting = [of for of in waiting if of not in ready]
    parts = {part for sum_ in sums for part in sum_.parts}
    tops = [of for of in dict.fromkeys(sum_.total for sum_ in sums) if of not in parts]
    if len(tops) != 1:
        raise HierarchyError(
            f"{len(tops)} codes are in no sum: there must be one total",
            where=where or f"dimension '{name}'",
            do="sum them up to one total",
        )
    inner = [of for of in terms if of != tops[0]]
    return Dimension(name, (tops[0], *inner, *leaves), tuple(sums))
