"""Why a fact does not hold, as lines for a terminal: what the nearest rule found, and where it stopped."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tacita.errors import counted, printable
from tacita.rules.proofs.finding.attempts import Attempt
from tacita.rules.proofs.showing.as_text import Line, lines
from tacita.rules.proofs.tree import GroundFact, Proof
from tacita.rules.proofs.why_not import GIVEN, HOLDS, SUPERSEDED, WhyNot
from tacita.rules.proofs.words import rule_in_words


def as_text(answer: WhyNot, width: int = 100) -> str:
    """Return an answer as lines."""
    return "\n".join(_lines(answer, width))


def _lines(answer: WhyNot, width: int) -> Iterator[str]:
    fact = printable(answer.fact)
    if answer.verdict == HOLDS:
        yield f"{printable(str(answer.near[0]))} does hold; ask why"
        return
    yield f"{fact} does not hold"
    if answer.verdict == GIVEN:
        yield f"there is no rule for {answer.predicate}; its facts are given"
        for near in answer.near:
            yield f"  near: {printable(str(near))}"
        return
    if answer.verdict == SUPERSEDED:
        yield "it did once, and was replaced"
        for newer in answer.near[1:]:
            yield f"  by {printable(str(newer))}"
        return
    nearest, others = answer.attempts[0], answer.attempts[1:]
    yield from _attempt(nearest, width)
    if others:
        yield "other rules:"
        for other in others:
            yield printable(f"  {rule_in_words(other.rule)} stops at {other.written}: {other.words}")


def _attempt(attempt: Attempt, width: int) -> Iterator[str]:
    name = rule_in_words(attempt.rule)
    done = max(attempt.satisfied, 0)
    title = f"nearest: {name}, {done} of {counted(attempt.steps, 'step')} satisfied"
    failed = Line(f"✗ {attempt.words}  [{attempt.written}]")
    if attempt.number > 1:
        failed = replace(failed, text=f"{failed.text}, the closest of {attempt.number:,} matches")
    nothing = Proof(GroundFact("", ()), {})
    yield from lines(nothing, Line(title, (*attempt.premises, *attempt.gathers, failed)), width)
