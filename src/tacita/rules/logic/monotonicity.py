"""How the aggregates of a rule are used: as a threshold or a value that only ever grows, or as a final figure.

Inside a recursion the matches of a group come in round by round. A sum of non-negative values grows meanwhile, so
``msum(W, <Z>) > 0.5`` stays true once it is; ``1 / msum(W)`` or ``mcount(<I>) = 1`` may be overtaken. Where the body is
complete before the rule is used, every use is sound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from tacita.rules.logic.binding import (
    Absent,
    Assign,
    Enumerate,
    Match,
    Schedule,
    Step,
    Test,
    depends_on_aggregate,
    head_terms,
    is_aggregate_item,
    scheduled,
)
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import Aggregate, Call, Comparison, Item, Term, Variable, aggregates, variables

GROWING = frozenset({"msum", "mcount", "mmax", "munion"})
SHRINKING = frozenset({"mprod", "mmin"})
MONOTONE = GROWING | SHRINKING
VALUES = MONOTONE - {"mprod"}
"""The aggregates whose value a recursive predicate may hold."""

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class UseKind(StrEnum):
    """What an aggregate is used for."""

    THRESHOLD = "threshold"
    VALUE = "value"
    FINAL = "final"


@dataclass(frozen=True, slots=True)
class Use:
    """One use of an aggregate."""

    aggregate: Aggregate
    kind: UseKind
    where: Item | Term
    """The condition, assignment or head term that uses it."""


def thresholds(function: str) -> tuple[str, str]:
    """Return the comparisons that stay true while an aggregate is still being formed.

    >>> thresholds("msum"), thresholds("mmin")
    (('>', '>='), ('<', '<='))
    """
    return (">", ">=") if function in GROWING else ("<", "<=")


def uses(rule: Rule, schedule: Schedule | None = None) -> tuple[Use, ...]:
    """Return all uses of the aggregates of a rule."""
    schedule = schedule or scheduled(rule.body)
    if not schedule.after and not any(is_aggregate_item(item) for item in rule.head):
        return ()
    names: dict[str, Aggregate | Call] = {}
    """Variables that are just another name of an aggregate, or of the size of one."""
    all_uses: list[Use] = []
    for step in schedule.after:
        if isinstance(step, Assign):
            plain = _plain(step.term, names)
            if plain is not None:
                names[step.variable.name] = plain
                if _aggregate(plain).function not in MONOTONE:
                    all_uses.append(Use(_aggregate(plain), UseKind.FINAL, step.term))
                continue
        all_uses += _of_step(step, names, schedule)
    for term in head_terms(rule):
        plain = _plain(term, names)
        if plain is not None:
            is_value = isinstance(plain, Aggregate) and plain.function in VALUES
            all_uses.append(Use(_aggregate(plain), UseKind.VALUE if is_value else UseKind.FINAL, term))
        else:
            all_uses += (Use(a, UseKind.FINAL, term) for a in _inside(term, names))
    return tuple(dict.fromkeys(all_uses))


def _of_step(step: Step, names: dict[str, Aggregate | Call], schedule: Schedule) -> Iterator[Use]:
    if isinstance(step, Test) and isinstance(step.condition, Comparison):
        condition = step.condition
        sides = (
            (condition.left, condition.operator, condition.right),
            (condition.right, _FLIPPED.get(condition.operator, condition.operator), condition.left),
        )
        for side, operator, other in sides:
            plain = _plain(side, names)
            if plain is not None and not depends_on_aggregate(other, schedule):
                aggregate = _aggregate(plain)
                # A set has no size that a comparison could mean by itself.
                is_measured = aggregate.function != "munion" or isinstance(plain, Call)
                is_monotone = aggregate.function in MONOTONE and operator in thresholds(aggregate.function)
                kind = UseKind.THRESHOLD if is_measured and is_monotone else UseKind.FINAL
                yield Use(aggregate, kind, condition)
                return
    match step:
        case Test(where) | Assign(_, where) | Enumerate(_, where) | Absent(where) | Match(where):
            yield from (Use(a, UseKind.FINAL, where) for a in _inside(where, names))


def _inside(node: Item | Term, names: dict[str, Aggregate | Call]) -> Iterator[Aggregate]:
    """Yield the aggregates that something is computed from."""
    yield from aggregates(node)
    for variable in variables(node):
        if variable.name in names:
            yield _aggregate(names[variable.name])


def _plain(term: Term, names: dict[str, Aggregate | Call]) -> Aggregate | Call | None:
    """Return the aggregate that a term is, or the size of one that it is."""
    if isinstance(term, Aggregate):
        return term
    if isinstance(term, Variable):
        return names.get(term.name)
    if isinstance(term, Call) and term.function == "size" and len(term.arguments) == 1:
        inner = _plain(term.arguments[0], names)
        if isinstance(inner, Aggregate) and inner.function == "munion":
            return Call("size", (inner,), term.origin)
    return None


def _aggregate(plain: Aggregate | Call) -> Aggregate:
    inner = plain if isinstance(plain, Aggregate) else plain.arguments[0]
    assert isinstance(inner, Aggregate)
    return inner
