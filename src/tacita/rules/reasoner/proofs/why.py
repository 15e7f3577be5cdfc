"""Why: the proof of a fact, built level by level as far as it is wanted."""

from __future__ import annotations

from tacita.errors import UsageError
from tacita.rules.reasoner.proofs.finding.asked import asked, first_fact
from tacita.rules.reasoner.proofs.finding.equations import with_equations
from tacita.rules.reasoner.proofs.finding.rules import Context
from tacita.rules.reasoner.proofs.finding.search import Search
from tacita.rules.reasoner.proofs.templates import models
from tacita.rules.reasoner.proofs.tree import Given, GroundFact, Open, Proof, Step, premises_of, used
from tacita.rules.reasoner.proofs.why_not import WhyNot, explained
from tacita.rules.reasoner.results import Reasoned

LEVELS, FACTS, CONTRIBUTORS = 12, 300, 20


def why(
    result: Reasoned,
    fact: str,
    *,
    limit: int | None = LEVELS,
    most: int | None = None,
    contributors: int = CONTRIBUTORS,
) -> Proof:
    """Return the proof of a fact, as it is written in a program; of several that fit, the first is proved.

    The proof goes back so many levels; with a `limit` of None, to the end. It rests on so many facts at `most`: if that
    is not told, on 300, or on as many as there are without a limit. Of an aggregate so many `contributors` are listed.
    """
    context = Context(result, contributors)
    question = asked(result, fact)
    found = first_fact(context, question)
    if found is None:
        raise UsageError(f"no such fact of {question.atom.predicate} holds", do="ask why not")
    goal, context.rounds[found[0]] = found
    search = Search(context)
    most = FACTS if most is None and limit is not None else most
    try:
        steps = with_equations(search, steps_of(search, goal, limit, most))
    finally:
        search.ahead.close()
    return Proof(goal, steps, models(result.prepared.program))


def why_not(result: Reasoned, fact: str, *, contributors: int = CONTRIBUTORS) -> WhyNot:
    """Return why a fact does not hold: the rule that comes nearest to it, and where that stops."""
    return explained(Context(result, contributors), asked(result, fact))


def steps_of(search: Search, goal: GroundFact, limit: int | None, most: int | None) -> dict[GroundFact, Step]:
    """Return the steps of a proof, level by level; what lies beyond the limits is left open."""
    steps: dict[GroundFact, Step] = {}
    level, depth = [goal], 0
    while level:
        room = len(level) if most is None else max(0, most - len(steps))
        followed = level[:room] if limit is None or depth < limit else []
        steps |= search.steps(followed)
        for fact in level[len(followed) :]:
            round_ = search.context.rounds[fact]
            steps[fact] = Open(fact, round_) if round_ else Given(fact, search.givens.where(fact))
        below = {u: None for fact in followed for u in used(premises_of(steps[fact]))}
        level = [fact for fact in below if fact not in steps]
        depth += 1
    return _without_circles(search, goal, steps) if search.settled else steps


def _without_circles(search: Search, goal: GroundFact, steps: dict[GroundFact, Step]) -> dict[GroundFact, Step]:
    """Return the steps with those that were found without rounds in the place of any other for the same fact.

    These rest on each other and on given facts alone; so whatever way leads to one of them never comes back.
    """
    found: dict[GroundFact, Step] = {}
    waiting = [goal]
    for fact in waiting:
        if fact in found:
            continue
        found[fact] = search.settled.get(fact) or steps[fact]
        waiting += used(premises_of(found[fact]))
    return found
