"""A proof as a tree for the terminal, and why a fact does not hold: below each line, indented, what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tacita.errors import counted, printable
from tacita.rules.proofs.finding.attempts import Attempt
from tacita.rules.proofs.tree import (
    Changed,
    Computed,
    Computes,
    Contributor,
    Derived,
    Gathers,
    GivenFact,
    GroundFact,
    Holds,
    LostFact,
    Misses,
    Open,
    Premise,
    Proof,
    Remembers,
    Uses,
    Violated,
    premises_of,
)
from tacita.rules.proofs.why_not import GIVEN, HOLDS, SUPERSEDED, WhyNot
from tacita.rules.proofs.words import and_more, rule_in_words, said, violation
from tacita.rules.reasoner.values import written

_DEEPEST_INDENT = 40
"""Below this many levels a tree is not indented any further, and lines say their level: they must stay readable."""


@dataclass(frozen=True, slots=True)
class ProofLine:
    """Something that is shown on a line of its own."""

    text: str
    below: tuple[ProofLine | Premise, ...] = ()


_Node: TypeAlias = GroundFact | Premise | Contributor | ProofLine


@dataclass(slots=True)
class _Tree:
    proof: Proof
    width: int
    seen: set[GroundFact] = field(default_factory=set)

    def lines(self, top: _Node) -> Iterator[str]:
        # Each entry: what to show, and of it and what it stands below, whether it is the last of its siblings.
        waiting: list[tuple[_Node, tuple[bool, ...]]] = [(top, ())]
        while waiting:
            node, bars = waiting.pop()
            text, below = self._shown(node)
            yield from self._laid_out(text, bars)
            waiting += [
                (child, (*bars, place == 0))  # the list is taken from its end: the last sibling goes in first
                for place, child in enumerate(reversed(below))
            ]

    def _laid_out(self, text: str, bars: tuple[bool, ...]) -> Iterator[str]:
        hidden = max(0, len(bars) - _DEEPEST_INDENT)
        shown = bars[hidden:]
        mark = f"({len(bars)}) " if hidden else ""
        before = "".join("   " if is_last else "│  " for is_last in shown[:-1])
        hook = "" if not bars else "└─ " if bars[-1] else "├─ "
        behind = "" if not bars else "   " if bars[-1] else "│  "
        room = max(30, self.width - len(before) - len(hook))
        first, *rest = _folded(mark + printable(text), room)
        yield before + hook + first
        for line in rest:
            yield before + behind + "  " + line

    # -- nodes ---------------------------------------------------------------------------------------------------------

    def _shown(self, node: _Node) -> tuple[str, list[_Node]]:
        match node:
            case ProofLine(text, below):
                return text, list(below)
            case GroundFact():
                return self._fact(node)
            case Uses(fact):
                return self._fact(fact)
            case Holds():
                return _said(said(node), node.written, node.note), []
            case Remembers() | Computes() | Misses():
                return said(node), []
            case Gathers():
                return self._gathers(node)
            case Contributor():
                return contributor_name(node), list(node.premises)
        raise AssertionError(node)

    def _gathers(self, node: Gathers) -> tuple[str, list[_Node]]:
        below: list[_Node] = [*node.contributors, *map(ProofLine, and_more(node))]
        name = f"{node.variable} = {node.written}" if node.variable else node.written
        return _said(said(node), name), below

    def _fact(self, fact: GroundFact) -> tuple[str, list[_Node]]:
        step = self.proof.steps.get(fact)
        if step is None:
            return str(fact), []
        if isinstance(step, GivenFact | Open | LostFact):
            return f"{fact}  {_reason(step)}", []
        if isinstance(step, Violated):
            return violation(step), list(step.premises)
        if fact in self.seen:
            return f"{fact}  see above", []
        self.seen.add(fact)
        below: list[_Node] = []
        if isinstance(step, Derived | Changed):
            below += _nulls(step)
        return f"{fact}  {_reason(step)}", [*below, *premises_of(step)]


def _said(words: str, name: str, note: str = "") -> str:
    return f"{words}  [{name}]" + (f" ({note})" if note else "")


def contributor_name(node: Contributor) -> str:
    """Return who contributes how much."""
    names = ", ".join(f"{name} = {written(value)}" for name, value in node.names)
    value = "" if node.value is None else written(node.value)
    return ": ".join(part for part in (names, value) if part) or "one match"


def _reason(step: GivenFact | Derived | Computed | Changed | Open | LostFact) -> str:
    match step:
        case GivenFact(_, "input"):
            return "given as input"
        case GivenFact(_, where):
            return f"given in {where}"
        case Derived(rule=rule):
            return f"by {rule_in_words(rule)}" + (", for a while" if step.is_superseded else "")
        case Computed(function=function):
            return f"computed by #{function}"
        case Changed(rule=rule, epoch=epoch):
            return f"changed in epoch {epoch} by {rule_in_words(rule)}"
        case Open():
            return "not followed further"
        case LostFact(reason=reason):
            return reason


def _nulls(step: Derived | Changed) -> Iterator[_Node]:
    for new in step.new_nulls:
        frontier = ", ".join(f"{name} = {written(value)}" for name, value in new.frontier)
        yield ProofLine(f"{new.null} stands for {new.variable}" + (f", made for {frontier}" if frontier else ""))
    for merged in step.merged if isinstance(step, Derived) else ():
        line = f"{merged.null} was found to be {written(merged.became)} in round {merged.round}"
        if not merged.because:
            line += f", by rule {merged.rule}"
        reasons = [f"by {rule_in_words(e.rule)} from {', '.join(map(str, e.facts))}" for e in merged.because]
        yield ProofLine(line, tuple(map(ProofLine, reasons)))


def _folded(text: str, room: int) -> list[str]:
    """Return a text in lines, broken where two blanks are if that is enough; a word that is too long stays whole."""
    if len(text) <= room:
        return [text]
    lines: list[str] = []
    for part in text.split("  "):
        words = part.split(" ")
        if lines and len(lines[-1]) + 2 + len(part) <= room:
            lines[-1] += f"  {part}"
            continue
        lines.append(words[0])
        for word in words[1:]:
            if len(lines[-1]) + 1 + len(word) > room - (2 if len(lines) > 1 else 0):
                lines.append(word)
            else:
                lines[-1] += f" {word}"
    return lines


def as_text(proof: Proof, width: int = 100) -> str:
    """Return a proof as a tree of lines."""
    return "\n".join(lines(proof, proof.goal, width))


def lines(proof: Proof, top: _Node, width: int) -> Iterator[str]:
    """Yield the lines of a tree with something at its top."""
    yield from _Tree(proof, width).lines(top)


def why_not_as_text(answer: WhyNot, width: int = 100) -> str:
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
    failed = ProofLine(f"✗ {attempt.words}  [{attempt.written}]")
    if attempt.number > 1:
        failed = replace(failed, text=f"{failed.text}, the closest of {attempt.number:,} matches")
    nothing = Proof(GroundFact("", ()), {})
    yield from lines(nothing, ProofLine(title, (*attempt.premises, *attempt.gathers, failed)), width)
