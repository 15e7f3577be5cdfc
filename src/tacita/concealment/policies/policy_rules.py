"""Policies by rules: a program concludes ``Confidential(I, A)``, with I the number of a record and A an attribute.

    Val(M, I, "age", V), number(V) < 18 -> Confidential(I, "diagnosis").

Whoever sees that a record hides something learns that a rule selected it, and so something about what the rule reads:
here, that the person is a minor. `reads` are the attributes that the rules read, so that they can be hidden as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tacita.concealment.policies.policy import EVERYTHING, Policies
from tacita.errors import InputError, UsageError, counted, did_you_mean, listed
from tacita.model.microdata import Microdata
from tacita.progress import Progress, silent
from tacita.reasoning.request import ReasoningRequest
from tacita.reasoning.run import reason
from tacita.rules.passes.data_predicates import used_attributes

CONFIDENTIAL = "Confidential"


@dataclass(frozen=True, slots=True)
class RulePolicies:
    """What rules conclude, and what they read."""

    policies: Policies
    reads: tuple[str, ...]
    """Attributes of the data that the rules read, in their order."""


def policies_by_rules(
    program: str, microdata: Microdata, attributes: Sequence[str], progress: Progress = silent
) -> RulePolicies:
    """Run a program and return the policies that it concludes for the records of microdata."""
    result = reason(program, ReasoningRequest(data=microdata, engine=microdata.relation.engine, progress=progress))
    if CONFIDENTIAL not in result.predicates:
        raise UsageError(
            f"the program concludes nothing for {CONFIDENTIAL}",
            where=program,
            do=f"conclude {CONFIDENTIAL}(I, A) for records and attributes; it has: {listed(result.predicates)}",
        )
    records = microdata.relation.count()
    wanted: dict[int, set[str]] = {}
    for fact in result.facts(CONFIDENTIAL):
        place, names = _checked(fact, records, attributes, program)
        wanted.setdefault(place, set()).update(names)
    read = used_attributes(result.reasoned.prepared.program)
    reads = tuple(name for name in microdata.dictionary.names if name in read)
    return RulePolicies(Policies.of(records, wanted), reads)


def _checked(fact: tuple[Any, ...], records: int, attributes: Sequence[str], program: str) -> tuple[int, Sequence[str]]:
    if len(fact) != 2:
        raise UsageError(
            f"{CONFIDENTIAL} has {counted(len(fact), 'argument')}", where=program, do="give it two: record, attribute"
        )
    number, name = fact
    if not isinstance(number, int) or not 1 <= number <= records:
        raise InputError(
            f"the first argument of {CONFIDENTIAL} is not the number of a record",
            where=program,
            do="take it from Val(M, I, A, V) or Tuple(M, I, VSet)",
        )
    if name == EVERYTHING:
        return number - 1, attributes
    if name not in attributes:
        raise InputError(
            f"the second argument of {CONFIDENTIAL} is not a released attribute{did_you_mean(str(name), attributes)}",
            where=program,
            do=f"use one of: {listed(list(attributes))}",
        )
    return number - 1, [name]
