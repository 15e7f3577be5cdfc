"""A program in plain words: what it reads, what it derives, its rules as sentences, the order of work, why it ends."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tacita.errors import counted
from tacita.model.result import Result
from tacita.reasoning.bindings import FactSource, bound, shown
from tacita.reasoning.diagnosis import Diagnosis
from tacita.reasoning.plain_words import Words
from tacita.rules.logic.checks import termination, wardedness
from tacita.rules.logic.checks.termination import Ending
from tacita.rules.logic.dependencies import components, edges, head_predicates, is_recursive, predicates, versioned
from tacita.rules.logic.program import Program, Rule
from tacita.rules.logic.signatures import DICTIONARY, Signature, signatures
from tacita.rules.passes.parameters import defaults
from tacita.rules.syntax import text_of

_ENDS = {
    Ending.ACYCLIC: "It ends: no rule makes a new unknown value out of another one.",
    Ending.WARDED: "It ends: unknown values may lead to new ones, but the rules are warded, so that facts which differ "
    "in their unknowns only add nothing, and the reasoner stops there.",
    Ending.GUARDED: "It ends: unknown values may lead to new ones, but a condition in the way uses itself up.",
    Ending.UNKNOWN: "Nothing here says that it ends: unknown values may lead to new ones without end. The budget of "
    "rounds stops it (--max-rounds).",
}


@dataclass(frozen=True, slots=True)
class PredicateInWords:
    """A predicate in words."""

    name: str
    arguments: tuple[str, ...]
    meaning: str
    source: str = ""
    """Where its facts come from, if somebody says it."""


@dataclass(frozen=True, slots=True, repr=False)
class Overview(Result):
    """What a program is about."""

    source: str
    meaning: str
    modules: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...]
    reads: tuple[PredicateInWords, ...]
    derives: tuple[PredicateInWords, ...]
    outputs: tuple[str, ...]
    facts: int
    rules: tuple[tuple[str, str, str], ...]
    """Each rule: its label, its sentence, and its ``@explain`` sentence."""
    order: tuple[tuple[tuple[str, ...], bool], ...]
    """The predicates in the order of work, and whether those of a step depend on each other."""
    versions: tuple[str, ...]
    ending: str
    wardedness: tuple[str, ...]

    def _in_short(self) -> str:
        return f"{self.source}: {counted(len(self.rules), 'rule')}, {counted(self.facts, 'fact')}"


def overview(diagnosis: Diagnosis, source: str, meaning: str = "") -> Overview:
    """Return what a program without faults is about."""
    own, linked = diagnosis.parsed.program, diagnosis.linked
    known = signatures(linked)
    places = {predicate: place for predicate, place, _ in bound(own, Path())}
    external = {a.text(0) or "": a.text(1) or "" for a in own.directives("bind_module")}
    modules = [a.text(i) or "" for a in own.directives("use") for i in range(len(a.arguments))]
    values = tuple((name, text_of(term)) for name, term in defaults(own).items())
    words = Words(known, dict(values), external)
    derived = dict.fromkeys(p for rule in own.rules for p in head_predicates(rule) if not p.startswith("#"))
    stated = {fact.atom.predicate for fact in linked.facts}
    everywhere = {p for rule in linked.rules for p in head_predicates(rule)} | stated
    reads = [
        s
        for s in known.values()
        if s.uses and s.predicate not in everywhere and not s.predicate.startswith("#") and _is_of(s, own)
    ]
    links = edges(linked, versioned(linked))
    order = [
        (group, is_recursive(group, links))
        for group in components(predicates(linked), links)
        if any(p in everywhere and p not in stated for p in group)
    ]
    report = wardedness(linked)
    return Overview(
        source,
        meaning,
        tuple(dict.fromkeys((*modules, *external.values()))),
        values,
        tuple(_said(s, _origin(s, places.get(s.predicate))) for s in reads),
        tuple(_said(known[p]) for p in derived),
        tuple(a.text(0) or "" for a in own.directives("output")),
        len(own.facts),
        tuple(_rule(rule, own, words) for rule in own.rules),
        tuple(order),
        tuple(versioned(linked)),
        _ENDS[termination(linked).ending],
        tuple(f"{r.rule.name}: {r.problem}" for r in report.rules if r.problem),
    )


def _rule(rule: Rule, own: Program, words: Words) -> tuple[str, str, str]:
    name = f"[{rule.label}]" if rule.label is not None else f"line {rule.origin.line}"
    annotation = rule.annotation("explain")
    explain = (annotation.text(0) or "") if annotation else ""
    for apart in own.directives("explain"):
        if (apart.text(0) or "").strip("[] ") == rule.label and rule.label is not None:
            explain = explain or apart.text(1) or ""
    return name, words.rule(rule), explain


def _is_of(signature: Signature, own: Program) -> bool:
    """Whether the program itself, and not only a module, speaks of a predicate."""
    return any(p.origin.source == own.source for p in signature.uses) or any(
        a.origin.source == own.source for a in signature.inputs
    )


def _origin(signature: Signature, place: FactSource | None) -> str:
    if place is not None:
        return f"from {shown(place.source)}"
    return "from the microdata" if signature.predicate in DICTIONARY else "given by the caller"


def _said(signature: Signature, source: str = "") -> PredicateInWords:
    return PredicateInWords(signature.predicate, signature.columns, signature.meaning, source)
