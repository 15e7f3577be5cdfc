"""A proof in sentences: what holds, because of what, in the program's own words where it has some.

``@model`` says a fact, ``@explain`` says why a rule gives one. Where a program has neither, facts are written as they
are and the reason is put together from what the rule asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tacita.errors import counted, printable
from tacita.rules.proofs.templates import sentence_of
from tacita.rules.proofs.tree import (
    Changed,
    Computed,
    Contributor,
    Derived,
    Gathers,
    GivenFact,
    GroundFact,
    Holds,
    LostFact,
    Misses,
    Open,
    PredicateModel,
    Premise,
    Proof,
    Step,
    Uses,
    Violated,
)
from tacita.rules.proofs.why_not import GIVEN, HOLDS, SUPERSEDED, WhyNot
from tacita.rules.proofs.words import (
    aggregate,
    behind,
    condition,
    listed,
    plain,
    rule_in_words,
    said,
    violation,
)

_SHOWN = 8
"""So many contributors a sentence can take."""


def as_sentences(proof: Proof) -> str:
    """Return a sentence for each fact that was derived, the goal first; for given facts none."""
    lines = [_sentence(step, proof.models) for step in proof.steps.values() if not isinstance(step, GivenFact)]
    if not lines:
        goal = proof.steps[proof.goal]
        lines = [_sentence(goal, proof.models)]
    return "\n".join(printable(line) for line in lines)


def _fact(fact: GroundFact, models: Mapping[str, PredicateModel]) -> str:
    """Return a fact in the words of the program, or as it is written."""
    return sentence_of(fact, models) or str(fact)


def _holds(fact: GroundFact, models: Mapping[str, PredicateModel]) -> str:
    return sentence_of(fact, models) or f"{fact} holds"


def _sentence(step: Step, models: Mapping[str, PredicateModel]) -> str:
    if isinstance(step, Violated):
        words = f"{violation(step)}, because {_because(step.premises, models)}."
        return words[0].upper() + words[1:]
    holds = _holds(step.fact, models)
    match step:
        case GivenFact(_, "input"):
            return f"{holds}: it is given."
        case GivenFact(_, where):
            return f"{holds}: {where} says so."
        case Open():
            return f"{holds}; why is not followed here."
        case LostFact(reason=reason):
            return f"{holds}; {reason}."
        case Computed(function=function, premises=premises):
            return f"{holds}: #{function} computes it for {listed([_premise(p, models) for p in premises])}."
        case Changed() if step.explanation:
            return f"{holds}: {step.explanation}."
        case Changed():
            return f"{holds}, because {_because(step.premises, models)}; {rule_in_words(step.rule)} changed it."
        case Derived() if step.explanation:
            return f"{holds}: {step.explanation}{_about_nulls(step)}."
        case Derived():
            return f"{holds}, because {_because(step.premises, models)}{_about_nulls(step)}."


def _about_nulls(step: Derived) -> str:
    parts = [f"{new.null} stands for the unknown {new.variable}" for new in step.new_nulls]
    parts += [f"{m.null} was found to be {plain(m.became)}" for m in step.merged]
    return f"; {listed(parts)}" if parts else ""


def _because(premises: Sequence[Premise], models: Mapping[str, PredicateModel]) -> str:
    """Return the reason: first what is there, then what the conditions say of it."""
    gathers = [p for p in premises if isinstance(p, Gathers)]
    conditions = [p for p in premises if isinstance(p, Holds)]
    rest = [p for p in premises if not isinstance(p, Gathers | Holds)]
    parts = [_premise(p, models) for p in rest]
    for one in gathers:
        about = next((c for c in conditions if one.written in c.terms or one.variable in c.terms), None)
        if about is not None:
            conditions.remove(about)
        parts.append(_gathered(one, about, models))
    parts += [condition(c) for c in conditions]
    return listed(parts) or "the rule asks for nothing"


def _premise(premise: Premise, models: Mapping[str, PredicateModel]) -> str:
    return _fact(premise.fact, models) if isinstance(premise, Uses) else said(premise)


def _gathered(gathers: Gathers, about: Holds | None, models: Mapping[str, PredicateModel]) -> str:
    """Return who contributed, and what it makes together: ``together 0.55, which is more than 0.5``."""
    shown = [_contribution(one, models) for one in gathers.contributors[:_SHOWN]]
    rest = gathers.number - len(shown)
    if rest > 0:
        shown.append(f"{rest:,} more")
    is_sum = gathers.function in {"msum", "sum"}
    total = f"together {plain(gathers.value)}" if is_sum else aggregate(gathers)
    if gathers.number == 1 and is_sum:
        total = f"that is {plain(gathers.value)}"
    which = "" if about is None else f", which {_which(about, gathers)}"
    return f"{_in_turn(shown)}: {total}{which}"


def _in_turn(parts: list[str]) -> str:
    """Return clauses one after the other: each may have an "and" of its own."""
    return ", and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)


def _which(about: Holds, gathers: Gathers) -> str:
    if about.terms[0] in {gathers.written, gathers.variable}:
        return behind(about)
    return behind(
        Holds(about.written, _TURNED.get(about.operator, about.operator), about.values[::-1], about.terms[::-1])
    )


_TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


def _contribution(one: Contributor, models: Mapping[str, PredicateModel]) -> str:
    facts = [_fact(p.fact, models) for p in one.premises if isinstance(p, Uses)]
    others = [_premise(p, models) for p in one.premises if isinstance(p, Misses)]
    return " and ".join([*facts, *others]) or plain(one.value)


def why_not_as_sentences(answer: WhyNot) -> str:
    """Return why a fact does not hold, in a sentence or two."""
    return printable(" ".join(_why_not(answer)))


def _why_not(answer: WhyNot) -> Iterator[str]:
    if answer.verdict == HOLDS:
        yield f"{answer.near[0]} does hold; ask why."
        return
    yield f"{answer.fact} does not hold."
    if answer.verdict == GIVEN:
        yield f"There is no rule for {answer.predicate}; its facts are given."
        if answer.near:
            yield f"The nearest of them: {', '.join(map(str, answer.near))}."
        return
    if answer.verdict == SUPERSEDED:
        yield f"It did once, and was replaced{''.join(f' by {fact}' for fact in answer.near[1:])}."
        return
    nearest = answer.nearest
    if nearest is None:
        return
    name = rule_in_words(nearest.rule)
    only = "The only rule" if len(answer.attempts) == 1 else f"Of {counted(len(answer.attempts), 'rule')}, the nearest"
    yield f"{only} is {name}, and it fails at {nearest.written}: {nearest.words}."
