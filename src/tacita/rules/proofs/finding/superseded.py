"""Facts that rest on a value that was only the best for a while: the shortest way, before a shorter one was found.

Where a recursion computes an extreme value, its predicate keeps only the last one. What was derived from an earlier one
may still stand. The earlier values are computed again, from what was there in the round before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.rules.logic.dependencies import is_recursive
from tacita.rules.proofs.finding.groups import given_by
from tacita.rules.proofs.finding.trail import Asking
from tacita.rules.proofs.tree import Derived, GroundFact, premises_of, used
from tacita.rules.reasoner.bodies import Body
from tacita.rules.reasoner.derivations import Derivation, projected
from tacita.rules.reasoner.extremes import extremes
from tacita.rules.reasoner.groups import Gathered
from tacita.rules.reasoner.layout import ROUND, Layout
from tacita.rules.reasoner.program import strata
from tacita.rules.reasoner.sql import everything
from tacita.rules.reasoner.tables import in_round, union
from tacita.rules.reasoner.terms import Terms

if TYPE_CHECKING:
    from tacita.rules.proofs.finding.search import Search

_ROUNDS_BACK = 12


def from_superseded(search: Search, fact: GroundFact) -> Derived | None:
    """Return how a rule gives a fact from values that were replaced later."""
    passing = _passing(search)
    context, round_ = search.context, search.context.rounds[fact]
    for derivation, atom in search.rules(fact.predicate):
        predicates = {a.predicate for a in derivation.atoms} & passing
        for last in range(round_ - 1, max(0, round_ - 1 - _ROUNDS_BACK), -1) if predicates else ():
            tables = {predicate: _as_of(search, predicate, last) for predicate in sorted(predicates)}
            found = given_by(context, derivation, atom, search.goals([fact]), Asking(tables=tables)).get(fact)
            for table in tables.values():
                context.engine.forget(table)
            if found is not None:
                search.superseded |= {u for u in used(premises_of(found)) if not _holds(search, u)}
                return found
    return None


def _passing(search: Search) -> set[str]:
    """Return the predicates with a position that holds the best value so far."""
    result = search.context.result
    order, links = strata(result.prepared.program, result.prepared.versioned)
    found: set[str] = set()
    for component in order:
        if is_recursive(component, links):
            own = [d for d in result.derivations if {a.predicate for a in d.heads} & set(component)]
            found |= extremes(own, set(component)).keys()
    return found


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


def _given_in(search: Search, derivation: Derivation, layout: Layout, round_: int) -> list[exp.Select]:
    """Return the facts that a rule gives of what came in before a round."""
    body = Body(search.context.engine, search.context.layouts, Terms(search.context.engine, {}, {}, derivation.similar))
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
    from tacita.rules.proofs.finding.asked import round_of

    return round_of(search.context, fact) is not None
