"""A program in plain words: what it reads, what it derives, its rules as sentences, the order of work, why it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.errors import counted
from tacita.reasoning.bindings import Place, bound, shown
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
class Said:
    """A predicate in words."""

    name: str
    arguments: tuple[str, ...]
    meaning: str
    source: str = ""
    """Where its facts come from, if somebody says it."""


@dataclass(frozen=True, slots=True)
class Overview:
    """What a program is about."""

    source: str
    meaning: str
    modules: tuple[str, ...]
    parameters: tuple[tuple[str, str], ...]
    reads: tuple[Said, ...]
    derives: tuple[Said, ...]
    outputs: tuple[str, ...]
    facts: int
    rules: tuple[tuple[str, str, str], ...]
    """Each rule: its label, its sentence, and its ``@explain`` sentence."""
    order: tuple[tuple[tuple[str, ...], bool], ...]
    """The predicates in the order of work, and whether those of a step depend on each other."""
    versions: tuple[str, ...]
    ending: str
    wardedness: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON knows it."""
        return {
            "source": self.source,
            "meaning": self.meaning,
            "modules": list(self.modules),
            "parameters": dict(self.parameters),
            "reads": [_dict(said) for said in self.reads],
            "derives": [_dict(said) for said in self.derives],
            "outputs": list(self.outputs),
            "facts": self.facts,
            "rules": [{"label": label, "sentence": said, "explain": more or None} for label, said, more in self.rules],
            "order": [{"predicates": list(names), "recursive": recursive} for names, recursive in self.order],
            "versioned": list(self.versions),
            "termination": self.ending,
            "wardedness": list(self.wardedness),
        }

    def lines(self) -> Iterator[str]:
        """Yield it as lines of text."""
        yield f"{self.source}: {counted(len(self.rules), 'rule')}, {counted(self.facts, 'fact')}"
        if self.meaning:
            yield f"  {self.meaning}"
        yield from _section("It uses", [f"the module {name}" for name in self.modules])
        yield from _section("Parameters", [f"${name} = {value}" for name, value in self.parameters])
        yield from _section("It reads", [_line(said) for said in self.reads])
        yield from _section("It derives", [_line(said, said.name in self.outputs) for said in self.derives])
        yield from _section("Rules", list(self._sentences()))
        steps = [f"{', '.join(names)}{_recursion(names) if recursive else ''}" for names, recursive in self.order]
        yield from _section("Order of work", [f"{i}. {step}" for i, step in enumerate(steps, 1)])
        yield from _section("New versions", [f"only the newest version of {name} counts" for name in self.versions])
        yield from _section("Does it end?", [self.ending, *self.wardedness])

    def _sentences(self) -> Iterator[str]:
        for label, sentence, explain in self.rules:
            yield f"{label}  {sentence}"
            if explain:
                yield f"{' ' * len(label)}  in words: {explain}"


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


def _origin(signature: Signature, place: Place | None) -> str:
    if place is not None:
        return f"from {shown(place.source)}"
    return "from the microdata" if signature.predicate in DICTIONARY else "given by the caller"


def _recursion(names: tuple[str, ...]) -> str:
    return " (depend on each other)" if len(names) > 1 else " (depends on itself)"


def _said(signature: Signature, source: str = "") -> Said:
    return Said(signature.predicate, signature.columns, signature.meaning, source)


def _line(said: Said, is_output: bool = False) -> str:
    arguments = f"({', '.join(said.arguments)})" if said.arguments else ""
    notes = [note for note in (said.source, "a result" if is_output else "") if note]
    return f"{said.name}{arguments}" + (f": {said.meaning}" if said.meaning else "") + "".join(f" - {n}" for n in notes)


def _dict(said: Said) -> dict[str, Any]:
    return {"name": said.name, "arguments": list(said.arguments), "meaning": said.meaning, "source": said.source}


def _section(title: str, lines: list[str]) -> Iterator[str]:
    if lines:
        yield ""
        yield title if title.endswith("?") else f"{title}:"
        yield from (f"  {line}" for line in lines)
