"""R501, R502, R503: negation and final figures inside their own recursion, with the cycle spelled out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.dependencies import Edge, EdgeKind, cycle
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.monotonicity import MONOTONE, VALUES, Use, UseKind, thresholds
from tacita.rules.logic.nulls import name_of
from tacita.rules.logic.origin import Origin
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import Atom, Comparison, Negation, walk

_CYCLES = 10
"""So many cycles of one recursion are spelled out."""


def stratification(subject: Subject) -> Iterator[Fault]:
    """Find negations and final figures that depend on their own outcome."""
    numbers = {id(rule): number for number, rule in enumerate(subject.rules)}
    for component, inside in subject.inner_edges.items():
        seen: set[tuple[int, EdgeKind, str]] = set()
        for edge in inside:
            subject_of = edge.source if edge.kind is EdgeKind.NEGATIVE else ""
            key = (id(edge.rule), edge.kind, subject_of)
            if edge.kind is EdgeKind.POSITIVE or key in seen or len(seen) >= _CYCLES:
                continue
            seen.add(key)
            round_ = cycle(inside, subject.components[component], edge)
            if edge.kind is EdgeKind.NEGATIVE:
                yield _negated(edge, round_)
            else:
                yield from _aggregated(edge.rule, subject.uses[numbers[id(edge.rule)]], round_)


def spelled(cycle: Sequence[Edge]) -> str:
    """Return a cycle in words, predicate by predicate; the edge that it was found by comes last."""
    return ", and ".join(_link(edge) for edge in (*cycle[1:], *cycle[:1]))


def _link(edge: Edge) -> str:
    how = {EdgeKind.POSITIVE: "", EdgeKind.NEGATIVE: "not ", EdgeKind.AGGREGATE: "an aggregate over "}[edge.kind]
    by = f"by {edge.rule.name} ({edge.rule.origin})"
    if edge.is_bond:
        return f"{edge.target} shares new values with {edge.source} {by}"
    if any(isinstance(item, Comparison) for item in edge.rule.head):
        return f"{edge.target} may be changed because of {how}{edge.source} {by}"
    return f"{edge.target} depends on {how}{edge.source} {by}"


def _negated(edge: Edge, round_: Sequence[Edge]) -> Fault:
    message = f"whether '{edge.source}' is absent depends on itself: {spelled(round_)}"
    do = (
        f"take the negation out of the cycle: negate a predicate that is complete before {edge.target} is begun, "
        "or build the candidates first and leave some out in a later rule"
    )
    return fault("R501", message, _negation(edge), do)


def _negation(edge: Edge) -> Origin:
    for item in edge.rule.body:
        if isinstance(item, Negation):
            for node in walk(item):
                if isinstance(node, Atom) and name_of(node) == edge.source:
                    return item.origin
    return edge.rule.origin


def _aggregated(rule: Rule, uses: Sequence[Use], round_: Sequence[Edge]) -> Iterator[Fault]:
    for use in uses:
        if use.kind is not UseKind.FINAL:
            continue
        function = use.aggregate.function
        if function not in MONOTONE:
            grown = {"collect": "munion", "avg": ""}.get(function, f"m{function}")
            message = f"{function} needs a complete body, which it never has: {spelled(round_)}"
            instead = f"use {grown} if the figure only has to pass a threshold, or " if grown else ""
            do = f"{instead}compute the figure in a rule outside the cycle"
            yield fault("R502", message, use.aggregate.origin, do)
        else:
            message = (
                f"{function} is still being formed here, and {_how(use)} may be overtaken by a later round: "
                f"{spelled(round_)}"
            )
            yield fault("R503", message, use.where.origin, _allowed(function))


def _how(use: Use) -> str:
    if isinstance(use.where, Comparison):
        return f"a comparison with {use.where.operator}"
    return "a figure computed from it"


def _allowed(function: str) -> str:
    what = f"size({function}(...))" if function == "munion" else function
    value = f", and {function} as it is, as an argument of the head" if function in VALUES else ""
    more, most = thresholds(function)
    return (
        f"allowed inside a recursion: {what} {more} or {most} something that depends on no aggregate{value}; "
        "for anything else move the rule out of the cycle"
    )
