"""Whether a program can be run, and what looks wrong in it: one check a file, the order in `CHECKS`.

The checks look at a program that is linked: modules included, externals resolved, parameters replaced. They say all
that they find, in the order of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from tacita.rules.logic.checks.annotations import annotated
from tacita.rules.logic.checks.arity import arity
from tacita.rules.logic.checks.codes import CODES, Code
from tacita.rules.logic.checks.dates import dates
from tacita.rules.logic.checks.equalities import equalities
from tacita.rules.logic.checks.grouping import grouping
from tacita.rules.logic.checks.growth import growth
from tacita.rules.logic.checks.names import names
from tacita.rules.logic.checks.overturned import overturned
from tacita.rules.logic.checks.recursive_values import recursive_values
from tacita.rules.logic.checks.sentences import sentences
from tacita.rules.logic.checks.stratification import stratification
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.checks.termination import TerminationReport, terminating, termination
from tacita.rules.logic.checks.unresolved import unresolved
from tacita.rules.logic.checks.variables import variables
from tacita.rules.logic.checks.wardedness import WardednessReport, warded, wardedness
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.nulls import Position, is_affected
from tacita.rules.logic.program import Program

__all__ = [
    "CHECKS",
    "CODES",
    "Code",
    "TerminationReport",
    "WardednessReport",
    "check",
    "is_affected",
    "termination",
    "unsettled",
    "wardedness",
]

CHECKS: tuple[Callable[[Subject], Iterator[Fault]], ...] = (
    names,
    sentences,
    variables,
    arity,
    dates,
    recursive_values,
    stratification,
    equalities,
    overturned,
    grouping,
    warded,
    terminating,
    growth,
    annotated,
    unresolved,
)


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
    found = dict.fromkeys(fault for one in CHECKS for fault in one(subject))
    sources = {clause.origin.source: None for clause in program.clauses}
    order = {source: number for number, source in enumerate(sources)}
    return tuple(sorted(found, key=lambda fault: _place(fault, order)))


def unsettled(program: Program, nullable: Collection[Position]) -> tuple[Fault, ...]:
    """Return the faults that only the unknown values of the data bring: equality rules reach further then."""
    subject = Subject(program, nullable=nullable)
    return tuple(dict.fromkeys((*stratification(subject), *overturned(subject))))


def _place(fault: Fault, sources: dict[str, int]) -> tuple[int, int, int, str]:
    origin = fault.origin
    return sources.get(origin.source, len(sources)), origin.line, origin.column, fault.code
