"""The forms of what rules conclude: facts as the language writes them, proofs, violations, faults of programs.

Sentences and facts are lines of any length, which a reader may want to copy or search: none is wrapped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacita.errors import counted, printable, without_credentials
from tacita.reasoning.conclusions import ReasoningReport
from tacita.reasoning.diagnosis import CheckedProgram
from tacita.reasoning.json_values import json_value
from tacita.reasoning.overview import Overview, PredicateInWords
from tacita.rules.logic.faults import errors
from tacita.rules.reasoner.values import written
from tacita.rules.syntax.literals import name_literal
from tacita.views.view import LinesView

if TYPE_CHECKING:
    from tacita.api.rules import FormattedPrograms
    from tacita.reasoning.conclusions import ProgramResult
    from tacita.rules.proofs import Proof
    from tacita.rules.reasoner.chase.violations import Violation

_VIOLATIONS, _IN_FULL, _PROVED = 20, 3, 100
"""How many violations are listed; how many of them with their proof, for people and for machines."""


class CheckedProgramView(LinesView[CheckedProgram]):
    """The forms of what is wrong or odd in a program."""

    def as_dict(self, result: CheckedProgram) -> dict[str, Any]:
        """Return the faults with their places."""
        diagnosis = result.diagnosis
        return {
            "file": result.name,
            "sound": diagnosis.is_sound,
            "rules": len(diagnosis.parsed.program.rules),
            "faults": [fault_dict(fault) for fault in diagnosis.faults],
        }

    def lines(self, result: CheckedProgram) -> Iterator[str]:
        """Yield every fault below its line, and a summary."""
        diagnosis = result.diagnosis
        for fault in diagnosis.faults:
            yield from printable(diagnosis.shown(fault), keep="\n").splitlines()
            yield ""
        wrong = len(errors(diagnosis.faults))
        odd = len(diagnosis.faults) - wrong
        counts = [counted(number, what) for number, what in ((wrong, "error"), (odd, "warning")) if number]
        rules = counted(len(diagnosis.parsed.program.rules), "rule")
        yield f"{result.name}: {rules}, {' and '.join(counts) or 'no faults'}"


class FormattedProgramsView(LinesView["FormattedPrograms"]):
    """The forms of programs that were laid out anew."""

    def as_dict(self, result: FormattedPrograms) -> dict[str, Any]:
        """Return the programs that change."""
        return {"changed": list(result.changed), "written": result.written}

    def lines(self, result: FormattedPrograms) -> Iterator[str]:
        """Yield the programs that change, and a summary."""
        for name in result.changed:
            yield f"{name}: {'formatted' if result.written else 'would change'}"
        verb = "changed" if result.written else "would change"
        what = f"{len(result.changed):,} {verb}" if result.changed else "nothing to change"
        yield f"{counted(result.files, 'program')}: {what}"


class OverviewView(LinesView[Overview]):
    """The forms of a program in plain words."""

    def as_dict(self, result: Overview) -> dict[str, Any]:
        """Return what it reads and derives, its rules as sentences, the order of work."""
        return {
            "source": result.source,
            "meaning": result.meaning,
            "modules": list(result.modules),
            "parameters": dict(result.parameters),
            "reads": [_predicate_dict(said) for said in result.reads],
            "derives": [_predicate_dict(said) for said in result.derives],
            "outputs": list(result.outputs),
            "facts": result.facts,
            "rules": [
                {"label": label, "sentence": said, "explain": more or None} for label, said, more in result.rules
            ],
            "order": [{"predicates": list(names), "recursive": recursive} for names, recursive in result.order],
            "versioned": list(result.versions),
            "termination": result.ending,
            "wardedness": list(result.wardedness),
        }

    def lines(self, result: Overview) -> Iterator[str]:
        """Yield the same as sections."""
        yield f"{result.source}: {counted(len(result.rules), 'rule')}, {counted(result.facts, 'fact')}"
        if result.meaning:
            yield f"  {result.meaning}"
        yield from _section("It uses", [f"the module {name}" for name in result.modules])
        yield from _section("Parameters", [f"${name} = {value}" for name, value in result.parameters])
        yield from _section("It reads", [_line(said) for said in result.reads])
        yield from _section("It derives", [_line(said, said.name in result.outputs) for said in result.derives])
        yield from _section("Rules", list(_sentences(result)))
        steps = [f"{', '.join(names)}{_recursion(names) if recursive else ''}" for names, recursive in result.order]
        yield from _section("Order of work", [f"{i}. {step}" for i, step in enumerate(steps, 1)])
        yield from _section("New versions", [f"only the newest version of {name} counts" for name in result.versions])
        yield from _section("Does it end?", [result.ending, *result.wardedness])


class ProgramResultView(LinesView["ProgramResult"]):
    """The forms of conclusions: those of a report with the first facts of each output."""

    def as_dict(self, result: ProgramResult) -> dict[str, Any]:
        """Return the first facts of each output, violations, notes."""
        return result.report().to_dict()

    def lines(self, result: ProgramResult) -> Iterator[str]:
        """Yield the first facts of each output."""
        yield from result.report().to_text().splitlines()


class ReasoningReportView(LinesView[ReasoningReport]):
    """The forms of what a program concludes: facts, proofs, violations, notes."""

    def as_dict(self, result: ReasoningReport) -> dict[str, Any]:
        """Return the first facts of each output, and everything that was asked for."""
        conclusions, show = result.conclusions, result.show
        return {
            "outputs": {
                predicate: {
                    "arguments": list(conclusions.names(predicate)),
                    "count": conclusions.count(predicate),
                    "facts": [json_value(fact) for fact in conclusions.facts(predicate, show)] if show else [],
                    "file": str(conclusions.written[predicate]) if predicate in conclusions.written else None,
                }
                for predicate in dict.fromkeys((*conclusions.outputs, *conclusions.written))
            },
            "rounds": conclusions.rounds,
            "violations": violation_dicts(conclusions),
            "why": [proof_dict(proof) for proof in result.proofs],
            "why_not": [reason.as_json() for reason in result.reasons],
            "graph": str(result.graph) if result.graph else None,
            "notes": list(conclusions.notes),
            "warnings": [fault_dict(fault) for fault in conclusions.warnings],
        }

    def lines(self, result: ReasoningReport) -> Iterator[str]:
        """Yield proofs where they are asked for, else files that were written or the first facts of each output."""
        conclusions = result.conclusions
        for proof in result.proofs:
            yield from proof_lines(proof)
        for reason in result.reasons:
            yield from printable(reason.as_text(), keep="\n").splitlines()
        if result.graph is not None:
            yield f"drawn to {result.graph}"
        for predicate, target in conclusions.written.items():
            yield f"{counted(conclusions.count(predicate), 'fact')} of {printable(predicate)} written to {target}"
        if not (result.proofs or result.reasons or conclusions.written):
            for predicate in conclusions.outputs:
                yield from fact_lines(conclusions, predicate, result.show)
            if not conclusions.outputs:
                yield "the program has no results: no rule derives anything"
            yield f"{counted(conclusions.rounds, 'round')}"
        yield from violation_lines(conclusions.violations, conclusions)
        yield from (f"note: {printable(note)}" for note in conclusions.notes)
        for fault in conclusions.warnings:
            yield f"warning: {fault.origin}: {fault.code}: {printable(fault.message)}"


def fact_lines(conclusions: ProgramResult, predicate: str, show: int) -> Iterator[str]:
    """Yield the number of facts of a predicate, and the first of them as the language writes them."""
    count = conclusions.count(predicate)
    names = ", ".join(conclusions.names(predicate))
    yield printable(f"{predicate}({names}): {counted(count, 'fact')}")
    for fact in conclusions.facts(predicate, show) if show else []:
        yield printable(f"  {name_literal(predicate)}({', '.join(written(value) for value in fact)})")
    if 0 < show < count:
        yield f"  and {count - show:,} more; --show shows more"


def proof_lines(proof: Proof) -> Iterator[str]:
    """Yield a proof in words, and below it as a tree."""
    yield from printable(proof.as_sentences(), keep="\n").splitlines()
    yield ""
    yield from printable(proof.as_text(), keep="\n").splitlines()


def violation_lines(violations: tuple[Violation, ...], conclusions: ProgramResult | None = None) -> Iterator[str]:
    """Yield the violations that were found; of the first some, below each, how what clashes came about."""
    if not violations:
        return
    yield f"{counted(len(violations), 'violation')}:"
    for place, violation in enumerate(violations[:_VIOLATIONS]):
        clash = " and ".join(written(value) for value in violation.clash or ())
        values = ", ".join(f"{name} = {written(value)}" for name, value in violation.values.items())
        said = ": ".join(part for part in (f"rule {violation.rule}", violation.text, clash) if part)
        yield printable(f"  {said}{f' ({values})' if values else ''}; {violation.policy.value}")
        if conclusions is not None and place < _IN_FULL:
            proof = conclusions.why(violation, limit=4, most=20, contributors=5)
            yield from (f"    {line}" for line in printable(proof.as_text(), keep="\n").splitlines()[1:])
    if len(violations) > _VIOLATIONS:
        yield f"  and {len(violations) - _VIOLATIONS:,} more; --json shows all"


def violation_dicts(conclusions: ProgramResult) -> list[dict[str, Any]]:
    """Return the violations as JSON knows them; of very many, only the first have a proof."""
    return [
        {
            "rule": violation.rule,
            "text": violation.text,
            "values": {name: json_value(value) for name, value in violation.values.items()},
            "clash": json_value(violation.clash) if violation.clash else None,
            "policy": violation.policy.value,
            "why": proof_dict(conclusions.why(violation)) if place < _PROVED else None,
        }
        for place, violation in enumerate(conclusions.violations)
    ]


def proof_dict(proof: Proof) -> dict[str, Any]:
    """Return a proof as JSON knows it, and in words."""
    return {"sentences": proof.as_sentences().splitlines(), "proof": proof.as_json()}


def fault_dict(fault: Any) -> dict[str, Any]:
    """Return a fault of a program as JSON knows it."""
    return {
        "code": fault.code,
        "severity": fault.severity.value,
        "message": without_credentials(fault.message),
        "do": fault.do or None,
        "source": fault.origin.source,
        "line": fault.origin.line,
        "column": fault.origin.column,
        "end_line": fault.origin.end_line,
        "end_column": fault.origin.end_column,
    }


def _sentences(overview: Overview) -> Iterator[str]:
    for label, sentence, explain in overview.rules:
        yield f"{label}  {sentence}"
        if explain:
            yield f"{' ' * len(label)}  in words: {explain}"


def _recursion(names: tuple[str, ...]) -> str:
    return " (depend on each other)" if len(names) > 1 else " (depends on itself)"


def _line(said: PredicateInWords, is_output: bool = False) -> str:
    arguments = f"({', '.join(said.arguments)})" if said.arguments else ""
    notes = [note for note in (said.source, "a result" if is_output else "") if note]
    return f"{said.name}{arguments}" + (f": {said.meaning}" if said.meaning else "") + "".join(f" - {n}" for n in notes)


def _predicate_dict(said: PredicateInWords) -> dict[str, Any]:
    return {"name": said.name, "arguments": list(said.arguments), "meaning": said.meaning, "source": said.source}


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield title if title.endswith("?") else f"{title}:"
        yield from (f"  {line}" for line in lines)
