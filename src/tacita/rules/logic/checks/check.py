"""All faults of a program at once, even if parts of it could not be read: every check, in the order of `CHECKS`.

A clause that could not be read hides nothing in the others. What it may have said is not held against them: a predicate
that it may define is not called undefined, one that it may use is not called unused, and what was made of a clause with
a fault in it is not looked at. The same goes for a module that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from tacita.rules.logic.checks.annotations import wrong_annotations
from tacita.rules.logic.checks.names import arity, dates, names, sentences, unresolved_names
from tacita.rules.logic.checks.recursive_values import recursive_values
from tacita.rules.logic.checks.stratification import equalities, grouping, overturned_conditions, stratification
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.checks.termination import endless_growth, endless_nulls
from tacita.rules.logic.checks.variables import variables
from tacita.rules.logic.checks.wardedness import dangerous_joins
from tacita.rules.logic.faults import Fault, Origin, errors
from tacita.rules.logic.nulls import Position
from tacita.rules.logic.program import Program

CHECKS: tuple[Callable[[Subject], Iterator[Fault]], ...] = (
    names,
    sentences,
    variables,
    arity,
    dates,
    recursive_values,
    stratification,
    equalities,
    overturned_conditions,
    grouping,
    dangerous_joins,
    endless_nulls,
    endless_growth,
    wrong_annotations,
    unresolved_names,
)

_WRITING = "R1"
# What a clause that could not be read may have said: definitions, uses, results, labels, parameters, modules.
_NEEDS_EVERY_CLAUSE = frozenset({"R201", "R202", "R204", "R205", "R207", "R602", "R702", "R705"})
_NEEDS_EVERY_MODULE = frozenset({"R201", "R202", "R204", "R205", "R702"})
# A recursion through @versioned is none.
_NEEDS_VERSIONS = frozenset({"R402", "R501", "R502", "R503", "R504", "R603"})


def check(program: Program, known: Collection[str] = (), nullable: Collection[Position] = ()) -> tuple[Fault, ...]:
    """Return all faults of a program, in the order of the text.

    `known` are predicates that are defined elsewhere, `nullable` the positions where the data have unknown values.

    >>> from tacita.rules.syntax import parse
    >>> parsed = parse('Own("a", "b", 0.6). own(X, Y, W), W > 0.5 -> Control(X, Y).', "shares")
    >>> print(check(parsed.program)[0].shown(None))
    shares:1:21: error R201: nothing defines the predicate 'own'; did you mean 'Own'? (capital and small letters ...
      what to do: write it as it is defined, or define it: by a rule, by facts, or as data with @input("own")
    """
    subject = Subject(program, known, nullable)
    faults = dict.fromkeys(fault for one in CHECKS for fault in one(subject))
    sources = {clause.origin.source: None for clause in program.clauses}
    order = {source: number for number, source in enumerate(sources)}
    return tuple(sorted(faults, key=lambda fault: _place(fault, order)))


def unsettled(program: Program, nullable: Collection[Position]) -> tuple[Fault, ...]:
    """Return the faults that only the unknown values of the data bring: equality rules reach further then."""
    subject = Subject(program, nullable=nullable)
    return tuple(dict.fromkeys((*stratification(subject), *overturned_conditions(subject))))


def _place(fault: Fault, sources: dict[str, int]) -> tuple[int, int, int, str]:
    origin = fault.origin
    return sources.get(origin.source, len(sources)), origin.line, origin.column, fault.code


def all_faults(
    program: Program, noticed: Sequence[Fault], texts: Mapping[str, str], known: Collection[str] = ()
) -> tuple[Fault, ...]:
    """Return the faults that were found in reading and linking a program, and those of the checks; its own text first.

    >>> from tacita.rules.syntax import parse
    >>> text = "A(1. A(X), Y > 1 -> P(X). Q(X) -> R(X)."
    >>> parsed = parse(text)
    >>> [fault.code for fault in all_faults(parsed.program, parsed.faults, {"program": text})]
    ['R112', 'R301']
    """
    unread = [fault for fault in errors(noticed) if fault.code.startswith(_WRITING)]
    faults = [*noticed, *check(_readable(program, unread), known=known)]
    hidden: set[str] = set()
    if unread:
        hidden |= _NEEDS_EVERY_CLAUSE
        if sum(text.count("@versioned") for text in texts.values()) > len([*program.directives("versioned")]):
            hidden |= _NEEDS_VERSIONS
    if any(fault.code == "R701" for fault in noticed):
        hidden |= _NEEDS_EVERY_MODULE
    # The resolver and the checks may both notice that nothing stands behind an external predicate.
    by_place: dict[tuple[str, Origin], Fault] = {}
    for fault in faults:
        if fault.code not in hidden:
            by_place.setdefault((fault.code, fault.origin), fault)
    return tuple(sorted(by_place.values(), key=lambda fault: _own_text_first(fault, program.source)))


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


def _own_text_first(fault: Fault, source: str) -> tuple[bool, str, int, int]:
    origin = fault.origin
    return origin.source != source, origin.source, origin.line, origin.column
