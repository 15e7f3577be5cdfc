"""R401, R403: predicates with different numbers of arguments, and dates and timestamps that cannot be read.

A date that is written out and is none would make every match fail, in silence.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

from tacita.errors import counted
from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.terms import Call, Constant, walk


def arity(subject: Subject) -> Iterator[Fault]:
    """Find predicates with different numbers of arguments; the first definition is taken as the right one."""
    for signature in subject.signatures.values():
        places = list(signature.places())
        for place in places[1:]:
            first = places[0]
            if place.arity != first.arity:
                here, there = counted(place.arity, "argument"), counted(first.arity, "argument")
                message = f"'{signature.predicate}' has {here} here and {there} at {first.origin}"
                do = "give it the same arguments in both places; write _ for one that does not matter"
                yield fault("R401", message, place.origin, do)


_FORMS = {
    "date": re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII),
    "timestamp": re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,6})?", re.ASCII),
}
_EXAMPLES = {"date": 'date("2026-01-31")', "timestamp": 'timestamp("2026-01-31 12:30:00")'}


def dates(subject: Subject) -> Iterator[Fault]:
    """Find calls of ``date`` and ``timestamp`` with a text that is no date of the calendar."""
    facts = [node for fact in subject.program.facts for node in walk(fact.atom)]
    for nodes in (*(part for both in subject.nodes for part in both), facts):
        for node in nodes:
            if not isinstance(node, Call) or node.function not in _FORMS or len(node.arguments) != 1:
                continue
            argument = node.arguments[0]
            if isinstance(argument, Constant) and isinstance(argument.value, str):
                yield from _written(node, argument.value)


def _written(call: Call, text: str) -> Iterator[Fault]:
    if not _FORMS[call.function].fullmatch(text):
        message = f"'{text}' is not written as a {call.function}"
        yield fault("R403", message, call.origin, f"write it like {_EXAMPLES[call.function]}")
        return
    try:
        datetime.datetime.fromisoformat(text)
    except ValueError:
        message = f"there is no {call.function} '{text}'"
        yield fault("R403", message, call.origin, "correct the day, the month or the time")
