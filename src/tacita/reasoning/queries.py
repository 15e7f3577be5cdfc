"""Questions to a finished result: ``Control(X, "c"), X != "a"`` gives the values of X for which it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from tacita.errors import UsageError, counted, did_you_mean
from tacita.rules.logic.binding import scheduled
from tacita.rules.logic.faults import Fault, refuse
from tacita.rules.logic.program import Rule
from tacita.rules.logic.signatures import atoms
from tacita.rules.logic.terms import Denial, Parameter, Similar, aggregates, walk
from tacita.rules.reasoner.plans.bodies import moved
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.type_faults import type_faults
from tacita.rules.reasoner.results import Reasoned
from tacita.rules.reasoner.values import decoded
from tacita.rules.syntax import parse

SOURCE = "query"
_ENDING = " -> false."


@dataclass(frozen=True, slots=True)
class Answers:
    """The values of the variables of a question, sorted; without variables, whether it holds."""

    variables: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool = False
    """Whether there are more."""

    def __bool__(self) -> bool:
        return bool(self.rows)


def answers(reasoned: Reasoned, question: str, limit: int | None = None) -> Answers:
    """Return for which values of its variables a question holds.

    >>> from tacita.rules.reasoner import reason
    >>> answers(reason('Own("a", "b", 0.6). Own("b", "c", 0.4).'), 'Own(X, Y, W), W > 0.5').rows
    (('a', 'b', 0.6),)
    """
    rule = _query_rule(reasoned, question)
    run = reasoned.run
    similar = run.similar.condition if run.similar is not None else None
    derivation = RuleDerivation(run.engine, rule, len(reasoned.derivations), run.layouts, similar)
    refuse(list(type_faults(derivation)), {SOURCE: _text(question)})
    run.prepare(derivation)
    body = derivation.bound()
    names = [v.name for v in derivation.all_variables() if v.name in body.terms.bound]
    columns, cells = moved([body.terms.bound[name] for name in names], "m")
    plan = body.select(*(columns or [exp.alias_(exp.Literal.number(1), "q0")])).distinct()
    if columns:
        plan = plan.order_by(*(exp.column(column.alias) for column in columns))
    if limit is not None:
        plan = plan.limit(limit + 1)
    rows = [tuple(decoded(cell, row) for cell in cells) for row in run.engine.run(plan)]
    return Answers(tuple(names), tuple(rows[:limit]), limit is not None and len(rows) > limit)


def _text(question: str) -> str:
    return question.strip().removeprefix("?").strip().removesuffix(".").rstrip()


def _query_rule(reasoned: Reasoned, question: str) -> Rule:
    """Return a question as a rule whose matches are its answers; raise with all that is wrong with it."""
    text = _text(question)
    if not text:
        raise UsageError("the question is empty", do='ask for example Control(X, "c")')
    parsed = parse(text + _ENDING, SOURCE)
    texts = {SOURCE: text}
    refuse(parsed.faults, texts)
    rules = parsed.program.rules
    if len(parsed.program.clauses) != 1 or len(rules) != 1 or not isinstance(rules[0].head[0], Denial):
        raise UsageError("this is no question", do='ask for one thing, for example Control(X, "c")')
    rule = rules[0]
    faults: list[Fault] = []
    for atom in atoms(*rule.body):
        layout = reasoned.run.layouts.get(atom.predicate) if atom.predicate in reasoned.run.filled else None
        if layout is None:
            near = did_you_mean(atom.predicate, reasoned.predicates)
            faults.append(Fault("R201", f"there are no facts of '{atom.predicate}'{near}", atom.origin))
        elif len(layout.positions) != len(atom.arguments):
            has = counted(len(layout.positions), "argument")
            faults.append(Fault("R401", f"{atom.predicate} has {has}, not {len(atom.arguments)}", atom.origin))
    for item in rule.body:
        faults += [
            Fault("R705", f"${node.name} has no value here", node.origin, "write the value itself")
            for node in walk(item)
            if isinstance(node, Parameter)
        ]
        if reasoned.run.similar is None:
            faults += [
                Fault("R506", "~ has no meaning here: no rule of the program uses it", node.origin)
                for node in walk(item)
                if isinstance(node, Similar)
            ]
        for aggregate in aggregates(item):
            do = "write a rule that computes it, and ask for its head"
            faults.append(Fault("R506", f"{aggregate.function} cannot stand in a question", aggregate.origin, do))
    for unbound in scheduled(rule.body).unbound:
        name = unbound.variable.name
        faults.append(Fault("R301", f"nothing gives {name} a value", unbound.variable.origin, "use it in an atom"))
    refuse(faults, texts)
    return rule
