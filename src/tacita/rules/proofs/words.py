"""Steps and premises in words."""

from __future__ import annotations

from typing import Any

from tacita.errors import counted
from tacita.rules.proofs.tree import Computes, Gathers, Holds, Misses, Remembers, RuleName, Violated
from tacita.rules.reasoner.values import Record

COMPARED = {
    "=": "is",
    "!=": "is not",
    ">": "is more than",
    ">=": "is at least",
    "<": "is less than",
    "<=": "is at most",
    "in": "is in",
    "not in": "is not in",
    "subset of": "is part of",
    "~": "is like",
    "is null": "is unknown",
    "is not null": "is known",
}
_NOT = {
    "=": "is not",
    "!=": "is",
    ">": "is not more than",
    ">=": "is less than",
    "<": "is not less than",
    "<=": "is more than",
    "in": "is not in",
    "not in": "is in",
    "subset of": "is not part of",
    "~": "is not like",
    "is null": "is known",
    "is not null": "is unknown",
}
_SAID = {
    "msum": "the total of {}",
    "sum": "the total of {}",
    "mprod": "the product of {}",
    "prod": "the product of {}",
    "mmin": "the smallest {}",
    "min": "the smallest {}",
    "mmax": "the largest {}",
    "max": "the largest {}",
    "avg": "the mean of {}",
    "munion": "the set of all {}",
    "collect": "the set of all {}",
}


def plain(value: Any) -> str:
    """Return a value as it stands in a sentence: texts without quotes, whole numbers without a point.

    >>> plain("a"), plain(2.0), plain(frozenset({"x"}))
    ('a', '2', 'x')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, frozenset):
        return ", ".join(sorted(plain(item) for item in value)) or "nothing"
    if isinstance(value, Record):
        return ", ".join(f"{name} {plain(item)}" for name, item in value.items) or "nothing"
    if isinstance(value, tuple):
        return ", ".join(plain(item) for item in value)
    return str(value)


def condition(holds: Holds, *, is_met: bool = True) -> str:
    """Return a condition in words, with its values.

    >>> condition(Holds("W > 0.5", ">", (0.6, 0.5), ("W", "0.5")))
    '0.6 is more than 0.5'
    """
    said = (COMPARED if is_met else _NOT).get(holds.operator, holds.operator)
    left = _valued(holds.values[0], holds.terms[0])
    if holds.operator == "=" and is_met:  # both have the same value: one of them is worth its name
        name = next((t for t in holds.terms if t.isidentifier() and not t.startswith("_")), holds.terms[-1])
        return f"{name} is {left}"
    return f"{left} {said}" if len(holds.values) == 1 else f"{left} {said} {_valued(holds.values[1], holds.terms[1])}"


def behind(holds: Holds, *, is_met: bool = True) -> str:
    """Return what a condition says of a value that was just named: ``more than 0.5``."""
    said = (COMPARED if is_met else _NOT).get(holds.operator, holds.operator)
    return said if len(holds.values) == 1 else f"{said} {_valued(holds.values[1], holds.terms[1])}"


def _valued(value: Any, term: str) -> str:
    return f"{term} (without a value)" if value is None else plain(value)


def computation(computes: Computes) -> str:
    """Return an assignment in words.

    >>> computation(Computes("R", "1 / S", 0.25))
    'R is 0.25, from 1 / S'
    """
    return f"{computes.variable} is {plain(computes.value)}, from {computes.written}"


def aggregate(gathers: Gathers) -> str:
    """Return an aggregate and its value in words: ``the total of W is 0.55``."""
    if gathers.function in {"mcount", "count"}:
        return f"there are {counted(gathers.value, 'contributor')}" if gathers.value != 1 else "there is 1 contributor"
    named = _SAID.get(gathers.function, gathers.function + " of {}").format(gathers.of)
    return f"{named} is {plain(gathers.value)}"


def said(premise: Remembers | Holds | Computes | Misses | Gathers) -> str:
    """Return what a step rests on besides facts.

    >>> said(Misses("not Edge(X, _)", "Edge(2, _)"))
    'nothing like Edge(2, _) was found'
    """
    match premise:
        case Remembers(text, epoch):
            return f"{text} held in epoch {epoch}"
        case Holds():
            return condition(premise)
        case Computes():
            return computation(premise)
        case Misses(_, looked_for):
            return f"nothing like {looked_for} was found"
        case Gathers():
            return aggregate(premise)


def and_more(gathers: Gathers) -> list[str]:
    """Return how many contributors are not listed, if there are any."""
    rest = gathers.number - len(gathers.contributors)
    return [f"and {counted(rest, 'contributor')} more"] if rest > 0 else []


def rule_in_words(rule: RuleName) -> str:
    """Return what to call a rule.

    >>> rule_in_words(RuleName("control [2]", "control")), rule_in_words(RuleName("line 7"))
    ('rule [2] of control', 'the rule in line 7')
    """
    own = rule.name.removeprefix(f"{rule.module} ") if rule.module else rule.name
    name = f"rule {own}" if own.startswith("[") else f"the rule in {own}"
    return f"{name} of {rule.module}" if rule.module else name


def violation(step: Violated) -> str:
    """Return what was violated.

    >>> violation(Violated(None, RuleName("[low]"), "too low"))
    'rule [low] is violated: too low'
    """
    return f"{rule_in_words(step.rule)} is violated: {step.text}"


def listed(parts: list[str]) -> str:
    """Return a list as a sentence has it.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
