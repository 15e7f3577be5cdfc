"""Proofs where the rounds of the facts are no help: they cannot be ordered, or what they rest on was replaced.

Equality rules make facts the same that came in at different times. Facts and the matches that could give them are then
gathered backwards from the goal, whatever their rounds. Among them, what rests on given facts alone is found forwards,
so the proof cannot rest on itself. Where a recursion computes an extreme value, its predicate keeps only the last one,
while what was derived from an earlier one may still stand: the shortest way, before a shorter one was found. The
earlier values are computed again, from what was there in the round before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.rules.logic.dependencies import is_recursive
from tacita.rules.proofs.finding.groups import gathered, given_by
from tacita.rules.proofs.finding.rules import can_give, instances
from tacita.rules.proofs.finding.trail import ANY_TIME, Asking
from tacita.rules.proofs.tree import Derived, GivenFact, GroundFact, Step, premises_of, used
from tacita.rules.reasoner.chase.extremes import extremes
from tacita.rules.reasoner.plans.bodies import Body
from tacita.rules.reasoner.plans.cells import everything
from tacita.rules.reasoner.plans.derivations import RuleDerivation, projected
from tacita.rules.reasoner.plans.groups import Gathered
from tacita.rules.reasoner.plans.layout import ROUND, FactLayout
from tacita.rules.reasoner.plans.tables import in_round, union
from tacita.rules.reasoner.plans.terms import CompiledTerms
from tacita.rules.reasoner.program import strata

if TYPE_CHECKING:
    from tacita.rules.proofs.finding.search import Search


_MATCHES = 8
"""How many matches of a rule are tried for one fact."""
_FACTS = 400
"""How many facts are looked at before the search is given up."""


def steps_in_any_order(search: Search, goal: GroundFact, *, with_settled_nulls: bool) -> dict[GroundFact, Step]:
    """Return steps that lead from given facts to a goal, or none.

    `with_settled_nulls`: it is a reason for a fact with a constant that a rule made a null which became the constant.
    """
    offers: dict[GroundFact, list[Step]] = {}
    proved: dict[GroundFact, Step] = dict(search.settled)
    waiting = [goal]
    while waiting and len(offers) < _FACTS:
        seen: dict[GroundFact, None] = {}
        for fact in waiting:
            offers[fact] = _offers(search, fact, with_settled_nulls=with_settled_nulls)
            for step in offers[fact]:
                seen.update(dict.fromkeys(used(premises_of(step))))
        _prove(offers, proved)
        if goal in proved:
            return _needed(goal, proved)
        waiting = [fact for fact in seen if fact not in offers and fact not in proved]
    return {}


def _offers(search: Search, fact: GroundFact, *, with_settled_nulls: bool) -> list[Step]:
    """Return the ways in which a fact could be derived."""
    if search.context.rounds[fact] == 0:
        return [GivenFact(fact, search.givens.where(fact))]
    goals = search.goals([fact])
    steps: list[Step] = []
    for derivation, atom in search.rules(fact.predicate):
        if not can_give(atom, [fact]):
            continue
        if derivation.grouping is not None:
            steps += gathered(search.context, derivation, atom, goals, ANY_TIME).values()
        else:
            steps += instances(search.context, derivation, atom, goals, ANY_TIME, _MATCHES)
    steps += [step for step in search.invented(fact) if with_settled_nulls or not step.is_settled]
    return [step for step in steps if fact not in used(premises_of(step))]


def _prove(offers: dict[GroundFact, list[Step]], proved: dict[GroundFact, Step]) -> None:
    """Add to what is proved everything that rests on it."""
    is_new = True
    while is_new:
        is_new = False
        for fact, steps in offers.items():
            if fact in proved:
                continue
            step = next((s for s in steps if all(u in proved for u in used(premises_of(s)))), None)
            if step is not None:
                proved[fact] = step
                is_new = True


def _needed(goal: GroundFact, proved: dict[GroundFact, Step]) -> dict[GroundFact, Step]:
    steps: dict[GroundFact, Step] = {}
    waiting = [goal]
    while waiting:
        fact = waiting.pop()
        if fact not in steps:
            steps[fact] = proved[fact]
            waiting += used(premises_of(proved[fact]))
    return steps


_ROUNDS_BACK = 12


def from_superseded(search: Search, fact: GroundFact) -> Derived | None:
    """Return how a rule gives a fact from values that were replaced later."""
    passing = _passing(search)
    context, round_ = search.context, search.context.rounds[fact]
    for derivation, atom in search.rules(fact.predicate):
        predicates = {a.predicate for a in derivation.atoms} & passing
        for last in range(round_ - 1, max(0, round_ - 1 - _ROUNDS_BACK), -1) if predicates else ():
            tables = {predicate: _as_of(search, predicate, last) for predicate in sorted(predicates)}
            derived = given_by(context, derivation, atom, search.goals([fact]), Asking(tables=tables)).get(fact)
            for table in tables.values():
                context.engine.forget(table)
            if derived is not None:
                search.superseded |= {u for u in used(premises_of(derived)) if not _holds(search, u)}
                return derived
    return None


def _passing(search: Search) -> set[str]:
    """Return the predicates with a position that holds the best value so far."""
    result = search.context.result
    order, links = strata(result.prepared.program, result.prepared.versioned)
    predicates: set[str] = set()
    for component in order:
        if is_recursive(component, links):
            own = [d for d in result.derivations if {a.predicate for a in d.heads} & set(component)]
            predicates |= extremes(own, set(component)).keys()
    return predicates


def _as_of(search: Search, predicate: str, round_: int) -> str:
    """Return a table of the facts that rules gave of what came in before a round, beside those that still hold."""
    engine, layout = search.context.engine, search.context.layouts[predicate]
    selects: list[exp.Query] = [
        select for derivation, _ in search.rules(predicate) for select in _given_in(search, derivation, layout, round_)
    ]
    table = engine.new_table()
    engine.replace(table, in_round(union(selects), layout, round_))
    engine.append(table, exp.select(*layout.columns(), ROUND).from_(everything(layout.table).subquery("t")))
    return table


def _given_in(search: Search, derivation: RuleDerivation, layout: FactLayout, round_: int) -> list[exp.Select]:
    """Return the facts that a rule gives of what came in before a round."""
    body = Body(
        search.context.engine, search.context.layouts, CompiledTerms(search.context.engine, {}, {}, derivation.similar)
    )
    for step in derivation.schedule.before:
        seen = len(body.matched)
        body.take([step], {})
        for _, alias in body.matched[seen:]:
            until = exp.Literal.number(round_)
            body.conditions.append(exp.LT(this=exp.column(ROUND, table=alias), expression=until))
    if derivation.grouping is not None:
        matches = Gathered.of(search.context.engine, derivation.grouping, body)
        body = derivation.bound(source=matches.select.subquery("m"))
    atoms = [atom for atom in derivation.heads if atom.predicate == layout.predicate]
    return [projected(body, layout, derivation.head_cells(body, atom)) for atom in atoms]


def _holds(search: Search, fact: GroundFact) -> bool:
    from tacita.rules.proofs.finding.question import round_of

    return round_of(search.context, fact) is not None
