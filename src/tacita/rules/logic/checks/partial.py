"""All faults of a program at once, even if parts of it could not be read.

A clause that could not be read hides nothing in the others. What it may have said is not held against them: a predicate
that it may define is not called undefined, one that it may use is not called unused, and what was made of a clause with
a fault in it is not looked at. The same goes for a module that is not there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from tacita.rules.logic.faults import Fault, errors
from tacita.rules.logic.origin import Origin
from tacita.rules.logic.program import Program

_WRITING = "R1"
# What a clause that could not be read may have said: definitions, uses, results, labels, parameters, modules.
_NEEDS_EVERY_CLAUSE = frozenset({"R201", "R202", "R204", "R205", "R207", "R602", "R702", "R705"})
_NEEDS_EVERY_MODULE = frozenset({"R201", "R202", "R204", "R205", "R702"})
# A recursion through @versioned is none.
_NEEDS_VERSIONS = frozenset({"R402", "R501", "R502", "R503", "R504", "R603"})


def all_faults(
    program: Program, found: Sequence[Fault], texts: Mapping[str, str], known: Collection[str] = ()
) -> tuple[Fault, ...]:
    """Return the faults that were found in reading and linking a program, and those of the checks; its own text first.

    >>> from tacita.rules.syntax import parse
    >>> text = "A(1. A(X), Y > 1 -> P(X). Q(X) -> R(X)."
    >>> parsed = parse(text)
    >>> [fault.code for fault in all_faults(parsed.program, parsed.faults, {"program": text})]
    ['R112', 'R301']
    """
    from tacita.rules.logic.checks import check

    unread = [fault for fault in errors(found) if fault.code.startswith(_WRITING)]
    faults = [*found, *check(_readable(program, unread), known=known)]
    hidden: set[str] = set()
    if unread:
        hidden |= _NEEDS_EVERY_CLAUSE
        if sum(text.count("@versioned") for text in texts.values()) > len([*program.directives("versioned")]):
            hidden |= _NEEDS_VERSIONS
    if any(fault.code == "R701" for fault in found):
        hidden |= _NEEDS_EVERY_MODULE
    # The resolver and the checks may both notice that nothing stands behind an external predicate.
    by_place: dict[tuple[str, Origin], Fault] = {}
    for fault in faults:
        if fault.code not in hidden:
            by_place.setdefault((fault.code, fault.origin), fault)
    return tuple(sorted(by_place.values(), key=lambda fault: _place(fault, program.source)))


def _readable(program: Program, unread: Sequence[Fault]) -> Program:
    """Return the clauses that have no fault of writing in them."""
    if not unread:
        return program
    places: dict[str, list[tuple[int, int]]] = {}
    for fault in unread:
        places.setdefault(fault.origin.source, []).append((fault.origin.line, fault.origin.column))

    def is_clean(origin: Origin) -> bool:
        begin, end = (origin.line, origin.column), (origin.end_line, origin.end_column)
        return not any(begin <= place < end for place in places.get(origin.source, ()))

    return replace(program, clauses=tuple(clause for clause in program.clauses if is_clean(clause.origin)))


def _place(fault: Fault, source: str) -> tuple[bool, str, int, int]:
    origin = fault.origin
    return origin.source != source, origin.source, origin.line, origin.column
