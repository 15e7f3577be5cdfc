"""A program made ready to run: linked, checked, typed, in strata."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tacita.rules.logic.checks import check
from tacita.rules.logic.dependencies import Edge, components, edges, predicates, version_rules, versioned
from tacita.rules.logic.faults import Fault, Severity, refuse
from tacita.rules.logic.program import Annotation, Program, Rule
from tacita.rules.logic.terms import Atom, Comparison, Constant, Denial, ListOf, Term, Variable, walk
from tacita.rules.logic.types import SCALARS, Type
from tacita.rules.passes.externals import COMPUTED, Functions, outputs_of
from tacita.rules.passes.modules import Finder, Linked, link
from tacita.rules.passes.parameters import term_of
from tacita.rules.syntax import parse


@dataclass(slots=True)
class Prepared:
    """What a run needs to know of a program."""

    linked: Linked
    warnings: tuple[Fault, ...] = ()
    versioned: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    version_rules: tuple[Rule, ...] = ()

    @property
    def program(self) -> Program:
        """The linked program."""
        return self.linked.program


def prepare(
    text: str | Program,
    *,
    source: str = "program",
    find: Finder | None = None,
    parameters: Mapping[str, Any] | None = None,
    functions: Functions | None = None,
    known: Collection[str] = (),
    known_modules: Collection[str] = (),
) -> Prepared:
    """Read, link and check a program; raise one error with all its faults."""
    texts: dict[str, str] = {}
    if isinstance(text, str):
        parsed = parse(text, source)
        texts[source] = text
        refuse(parsed.faults, texts)
        program = parsed.program
    else:
        program = text
    given = {name: term_of(value) for name, value in (parameters or {}).items()}
    linked = link(program, find, given, functions, known_modules)
    texts.update(linked.texts)
    linked.texts = texts
    refuse(linked.faults, texts)
    faults = check(linked.program, known=known)
    refuse(faults, texts)
    warnings = tuple(f for f in faults if f.severity is Severity.WARNING)
    return Prepared(linked, warnings, versioned(linked.program), version_rules(linked.program))


def arities(program: Program) -> dict[str, int]:
    """Return the number of arguments of every predicate."""
    found: dict[str, int] = {}
    for rule in program.rules:
        for item in (*rule.body, *rule.head):
            for node in walk(item):
                if isinstance(node, Atom):
                    found.setdefault(node.predicate, len(node.arguments))
    for fact in program.facts:
        found.setdefault(fact.atom.predicate, len(fact.atom.arguments))
    for annotation in program.directives("input", "output"):
        names = column_names(annotation)
        if names and annotation.text(0):
            found.setdefault(annotation.text(0) or "", len(names))
    return found


def column_names(annotation: Annotation) -> tuple[str, ...]:
    """Return the names that @input, @output or @model gives the arguments, without their types."""
    if len(annotation.arguments) < 2 or not isinstance(annotation.arguments[1], ListOf):
        return ()
    return tuple(
        item.value.rpartition(":")[0] or item.value
        if isinstance(item, Constant) and isinstance(item.value, str) and _typed(item.value)
        else str(item.value)
        for item in annotation.arguments[1].items
        if isinstance(item, Constant)
    )


def column_types(annotation: Annotation) -> tuple[Type | None, ...]:
    """Return the types that @input declares as ``name:type``."""
    if len(annotation.arguments) < 2 or not isinstance(annotation.arguments[1], ListOf):
        return ()
    return tuple(
        SCALARS.get(item.value.rpartition(":")[2])
        if isinstance(item, Constant) and isinstance(item.value, str)
        else None
        for item in annotation.arguments[1].items
    )


def _typed(name: str) -> bool:
    return ":" in name and name.rpartition(":")[2] in SCALARS


def argument_names(program: Program) -> dict[str, tuple[str, ...]]:
    """Return what people call the arguments of predicates."""
    found: dict[str, tuple[str, ...]] = {}
    for annotation in program.directives("output", "input", "model"):
        names, predicate = column_names(annotation), annotation.text(0)
        if predicate is not None and names:
            found[predicate] = names
    return found


def strata(program: Program, version: Mapping[str, Any]) -> tuple[tuple[tuple[str, ...], ...], tuple[Edge, ...]]:
    """Return the predicates in the order in which they can be completed, and what depends on what."""
    links = edges(program, version)
    return components(predicates(program), links), links


def is_equality(rule: Rule) -> bool:
    """Whether a rule says that two things are the same."""
    return any(isinstance(item, Comparison) for item in rule.head)


def is_denial(rule: Rule) -> bool:
    """Whether a rule says what must never be."""
    return any(isinstance(item, Denial) for item in rule.head)


def computed_types(rule: Rule, functions: Functions) -> tuple[Type, ...] | None:
    """Return the types that a caller's function gives, if the rule stands for one."""
    if rule.annotation(COMPUTED) is None or rule.label is None:
        return None
    return outputs_of(functions[rule.label.removeprefix("#")], len(rule.exists))


def text_option(annotation: Annotation | None, name: str, default: str) -> str:
    """Return a named text argument."""
    value: Term | None = annotation.option(name) if annotation is not None else None
    return value.value if isinstance(value, Constant) and isinstance(value.value, str) else default


def key_places(rules: Sequence[Rule], predicate: str, names: Sequence[str]) -> tuple[int, ...]:
    """Return the places of a versioned predicate's key: where its rules write variables of these names."""
    for rule in rules:
        for item in (*rule.head, *rule.body):
            if isinstance(item, Atom) and item.predicate == predicate:
                places = [i for i, a in enumerate(item.arguments) if isinstance(a, Variable) and a.name in names]
                if len(places) == len(names):
                    return tuple(places)
    return ()
