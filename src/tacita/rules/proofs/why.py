"""Why: the proof of a fact, built level by level as far as it is wanted."""

from __future__ import annotations

from collections.abc import Mapping

from tacita.errors import UsageError
from tacita.rules.proofs.finding.nulls import with_equations
from tacita.rules.proofs.finding.question import first_fact, parse_question
from tacita.rules.proofs.finding.rules import ProofContext
from tacita.rules.proofs.finding.search import Search
from tacita.rules.proofs.finding.violated import violation_step
from tacita.rules.proofs.templates import models
from tacita.rules.proofs.tree import GivenFact, GroundFact, LostFact, Open, Proof, Step, premises_of, used
from tacita.rules.proofs.why_not import WhyNot, explain_absence
from tacita.rules.reasoner.chase.violations import Violation
from tacita.rules.reasoner.results import Reasoned

LEVELS, FACTS, CONTRIBUTORS = 12, 300, 20
NOTHING: Mapping[GroundFact, Step] = {}


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
    context = ProofContext(result, contributors)
    question = parse_question(result, fact)
    fact_and_round = first_fact(context, question)
    if fact_and_round is None:
        raise UsageError(f"no such fact of {question.atom.predicate} holds", do="ask why not")
    goal, context.rounds[fact_and_round[0]] = fact_and_round
    search = Search(context)
    try:
        return _proof(search, goal, {}, limit, most)
    finally:
        search.close()


def why_violated(
    result: Reasoned,
    violation: Violation,
    *,
    limit: int | None = LEVELS,
    most: int | None = None,
    contributors: int = CONTRIBUTORS,
) -> Proof:
    """Return the proof of a violation: the facts that clash, and how each of them came about.

    Facts that were put in quarantine are found there.
    """
    search = Search(ProofContext(result, contributors))
    try:
        step = violation_step(search, violation)
        return _proof(search, step.fact, {step.fact: step}, limit, most)
    finally:
        search.close()


def _proof(
    search: Search, goal: GroundFact, known: Mapping[GroundFact, Step], limit: int | None, most: int | None
) -> Proof:
    most = FACTS if most is None and limit is not None else most
    steps = with_equations(search, steps_of(search, goal, limit, most, known))
    return Proof(goal, steps, models(search.context.result.prepared.program))


def why_not(result: Reasoned, fact: str, *, contributors: int = CONTRIBUTORS) -> WhyNot:
    """Return why a fact does not hold: the rule that comes nearest to it, and where that stops."""
    return explain_absence(ProofContext(result, contributors), parse_question(result, fact))


def steps_of(
    search: Search, goal: GroundFact, limit: int | None, most: int | None, known: Mapping[GroundFact, Step] = NOTHING
) -> dict[GroundFact, Step]:
    """Return the steps of a proof, level by level; what lies beyond the limits is left open."""
    steps: dict[GroundFact, Step] = {}
    level, depth = [goal], 0
    while level:
        room = len(level) if most is None else max(0, most - len(steps))
        followed = level[:room] if limit is None or depth < limit else []
        steps |= {fact: known[fact] for fact in followed if fact in known}
        steps |= search.steps(fact for fact in followed if fact not in known)
        for fact in level[len(followed) :]:
            round_ = search.context.rounds[fact]
            steps[fact] = Open(fact, round_) if round_ else GivenFact(fact, search.givens.where(fact))
        below = {u: None for fact in followed for u in used(premises_of(steps[fact]))}
        level = [fact for fact in below if fact not in steps]
        for fact in level:
            if fact not in search.context.rounds:
                steps[fact] = LostFact(fact, 0, "it held then, and does not any more")
        level = [fact for fact in level if fact not in steps]
        depth += 1
    return _without_circles(search, goal, steps) if search.settled else steps


def _without_circles(search: Search, goal: GroundFact, steps: dict[GroundFact, Step]) -> dict[GroundFact, Step]:
    """Return the steps with those that were found without rounds in the place of any other for the same fact.

    These rest on each other and on given facts alone; so whatever way leads to one of them never comes back.
    """
    sound: dict[GroundFact, Step] = {}
    waiting = [goal]
    for fact in waiting:
        if fact in sound:
            continue
        sound[fact] = search.settled.get(fact) or steps[fact]
        waiting += used(premises_of(sound[fact]))
    return sound
