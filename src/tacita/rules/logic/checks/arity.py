"""R401: a predicate has the same number of arguments wherever it is named."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.errors import counted
from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.faults import Fault


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
