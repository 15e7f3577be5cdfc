"""Equality rules that two constants break, and denials that something breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.oracles.rules.aggregation import bindings
from tests.oracles.rules.clauses import Clause
from tests.oracles.rules.expressions import Binding, Expressions
from tests.oracles.rules.functions import NoValue
from tests.oracles.rules.matching import Database, all_names, unified, unwrapped, visible
from tests.oracles.rules.values import Key, Row, Value, key, rank, row_key, same

from tacita.errors import ReasoningError, counted
from tacita.rules.logic.terms import Atom, Blank, Comparison, Constant, Node, Variable


@dataclass(frozen=True, slots=True)
class Violation:
    """One breach: the rule, its policy, the two values of an equality (none of a denial), and for what."""

    rule: str
    policy: str
    values: tuple[Value, ...]
    key: tuple[tuple[str, Value], ...]
    text: str = ""
    facts: tuple[tuple[str, Row], ...] = ()
    """The facts with the clashing values, or all facts that a denial met."""


def violations(
    clauses: Iterable[Clause], database: Database, expressions: Expressions, default: str | None = None
) -> list[Violation]:
    """Return what breaks the equality rules and denials, each breach once; `default` is the program's policy."""
    found: dict[Key, Violation] = {}
    for clause in clauses:
        if not clause.equalities and not clause.denials:
            continue
        for binding in bindings(clause, database, expressions):
            for equality in clause.equalities:
                _equality(clause, equality, binding, database, expressions, found, default)
            for denial in clause.denials:
                values = tuple(sorted(visible(binding).items()))
                at = ("denial", clause.number, denial.text, tuple((name, key(value)) for name, value in values))
                facts = _facts(clause, binding, database, all_names(*clause.rule.body))
                found.setdefault(at, Violation(clause.name, policy(clause, default), (), values, denial.text, facts))
    return list(found.values())


def _equality(
    clause: Clause,
    equality: Comparison,
    binding: Binding,
    database: Database,
    expressions: Expressions,
    found: dict[Key, Violation],
    default: str | None,
) -> None:
    try:
        pair = [expressions.value(side, binding) for side in (equality.left, equality.right)]
    except NoValue:
        return
    if same(*pair):
        return
    pair.sort(key=rank)
    shared = shared_names(clause) - all_names(equality)
    values = tuple((name, value) for name, value in sorted(visible(binding).items()) if name in shared)
    at = ("equality", clause.number, equality, row_key(tuple(pair)), tuple((name, key(v)) for name, v in values))
    facts = _facts(clause, binding, database, all_names(equality))
    before = found.get(at)
    together = tuple(dict.fromkeys((*(before.facts if before else ()), *facts)))
    found[at] = Violation(clause.name, policy(clause, default), tuple(pair), values, "", together)


def policy(clause: Clause, default: str | None = None) -> str:
    """Return what a breach of a rule does: a denial stops the run unless it says otherwise, an equality rule asks."""
    said = clause.rule.annotation("on_violation")
    return (said.text(0) if said else None) or default or ("fail" if clause.denials else "ask")


def shared_names(clause: Clause) -> set[str]:
    """Return the variables that at least two items of a body have in common."""
    each: list[Node] = list(clause.rule.body)
    return {name for at, item in enumerate(each) for name in all_names(item) if name in all_names(*each[at + 1 :])}


def _facts(clause: Clause, binding: Binding, database: Database, sought: set[str]) -> tuple[tuple[str, Row], ...]:
    """Return the facts of a match that hold one of some variables."""
    found: list[tuple[str, Row]] = []
    for item in clause.rule.body:
        if not isinstance(item, Atom) or not all_names(item) & sought:
            continue
        # Arguments that are more than variables and constants were tested by the match itself.
        arguments = [t if isinstance(t, Variable | Constant) else Blank() for t in map(unwrapped, item.arguments)]
        rows = database.get(item.predicate, {}).values()
        found += [(item.predicate, row) for row in rows if unified(arguments, row, binding) is not None]
    return tuple(found)


def refuse(found: Iterable[Violation]) -> None:
    """Raise if a breach has the policy to stop the run."""
    fatal = [violation for violation in found if violation.policy == "fail"]
    if fatal:
        said = f': "{fatal[0].text}"' if fatal[0].text else ""
        raise ReasoningError(f"{counted(len(fatal), 'violation')}{said}", where=fatal[0].rule)
