"""Proofs where rounds are no help: equality rules have made facts the same that came in at different times.

Facts and the matches that could give them are gathered backwards from the goal, whatever their rounds. Among them, what
rests on given facts alone is found forwards, so the proof cannot rest on itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacita.rules.proofs.finding.groups import gathered
from tacita.rules.proofs.finding.rules import can_give, instances
from tacita.rules.proofs.finding.trail import ANY_TIME
from tacita.rules.proofs.tree import Given, GroundFact, Step, premises_of, used

if TYPE_CHECKING:
    from tacita.rules.proofs.finding.search import Search

_MATCHES = 8
"""How many matches of a rule are tried for one fact."""
_FACTS = 400
"""How many facts are looked at before the search is given up."""


def loosely(search: Search, goal: GroundFact, *, with_settled_nulls: bool) -> dict[GroundFact, Step]:
    """Return steps that lead from given facts to a goal, or none.

    `with_settled_nulls`: it is a reason for a fact with a constant that a rule made a null which became the constant.
    """
    offers: dict[GroundFact, list[Step]] = {}
    proved: dict[GroundFact, Step] = dict(search.settled)
    waiting = [goal]
    while waiting and len(offers) < _FACTS:
        found: dict[GroundFact, None] = {}
        for fact in waiting:
            offers[fact] = _offers(search, fact, with_settled_nulls=with_settled_nulls)
            for step in offers[fact]:
                found.update(dict.fromkeys(used(premises_of(step))))
        _prove(offers, proved)
        if goal in proved:
            return _needed(goal, proved)
        waiting = [fact for fact in found if fact not in offers and fact not in proved]
    return {}


def _offers(search: Search, fact: GroundFact, *, with_settled_nulls: bool) -> list[Step]:
    """Return the ways in which a fact could be derived."""
    if search.context.rounds[fact] == 0:
        return [Given(fact, search.givens.where(fact))]
    goals = search.goals([fact])
    found: list[Step] = []
    for derivation, atom in search.rules(fact.predicate):
        if not can_give(atom, [fact]):
            continue
        if derivation.grouping is not None:
            found += gathered(search.context, derivation, atom, goals, ANY_TIME).values()
        else:
            found += instances(search.context, derivation, atom, goals, ANY_TIME, _MATCHES)
    found += [step for step in search.invented(fact) if with_settled_nulls or not step.is_settled]
    return [step for step in found if fact not in used(premises_of(step))]


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
    found: dict[GroundFact, Step] = {}
    waiting = [goal]
    while waiting:
        fact = waiting.pop()
        if fact not in found:
            found[fact] = proved[fact]
            waiting += used(premises_of(proved[fact]))
    return found
