"""Modules: ``@use`` includes another program, ``@bind_module`` plugs one in behind an external predicate.

An included program shares all its predicates. One that is plugged in keeps to itself what only it derives: its
predicates get its name in front, except those through which it talks to the outside: the input and output of the
external predicate, what it declares as @input, @output or @versioned.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tacita.errors import did_you_mean
from tacita.rules.logic.dependencies import head_predicates
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.program import Annotation, Clause, Directive, Fact, Program, Rule
from tacita.rules.logic.terms import Atom, Constant, Item, Node, Term, rewritten
from tacita.rules.passes.externals import Functions, resolved
from tacita.rules.passes.parameters import defaults, names, with_parameters
from tacita.rules.syntax import parse

Finder: TypeAlias = Callable[[str], tuple[str, str] | None]
"""Gives the text of a module and the name of its source, or None if there is no such module."""


@dataclass(slots=True)
class Linked:
    """A program with everything that it uses."""

    program: Program
    faults: list[Fault] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    """The source texts by name, for messages."""
    maybe: set[str] = field(default_factory=set)
    """The modules whose groups are formed by maybe-match; the program itself is ``""``."""
    parameters: set[str] = field(default_factory=set)
    """The parameters of the program and of what it uses; those of a module also with its name: ``risk.k``."""


def link(
    program: Program,
    find: Finder | None = None,
    parameters: Mapping[str, Term] | None = None,
    functions: Functions | None = None,
    known_modules: Collection[str] = (),
) -> Linked:
    """Return a program with its modules included, its external predicates resolved and its parameters replaced."""
    linked = Linked(program, parameters=set(names(program)))
    given = {**defaults(program), **(parameters or {})}  # what a program sets holds for the modules that it uses
    linker = _Linker(linked, find or (lambda _: None), given, known_modules)
    clauses = linker.included(with_parameters(program, given), "")
    bound = linker.bound(clauses)
    linked.program = resolved(replace(program, clauses=tuple(clauses)), bound, functions or {}, linked.faults)
    return linked


@dataclass(slots=True)
class _Linker:
    linked: Linked
    find: Finder
    parameters: dict[str, Term]
    known: Collection[str]
    seen: set[str] = field(default_factory=set)

    def included(self, program: Program, module: str) -> list[Clause]:
        """Return the clauses of a program and of what it uses, the used ones first."""
        clauses: list[Clause] = []
        for annotation in program.directives("use"):
            for place in range(len(annotation.arguments)):
                name = annotation.text(place) or ""
                if name in self.seen:
                    continue
                self.seen.add(name)
                inner = self._read(name, annotation)
                if inner is not None:
                    clauses += self.included(inner, name)
        for annotation in program.directives("group_equality"):
            if annotation.text(0) == "maybe":
                self.linked.maybe.add(module)
        clauses += [replace(c, module=module) if isinstance(c, Rule) and module else c for c in program.clauses]
        return clauses

    def bound(self, clauses: list[Clause]) -> dict[str, str]:
        """Plug in what ``@bind_module`` names; return the modules by external predicate. Adds to the clauses."""
        modules: dict[str, str] = {}
        settled: set[str] = set()
        while chosen := {e: module for e, module in _chosen(clauses).items() if e not in settled}:
            settled |= set(chosen)  # what a plugged-in module binds counts where nobody outside of it has bound that
            for external, module in chosen.items():
                for annotation in module:
                    name = annotation.text(1) or ""
                    inner = self._read(name, annotation)
                    if inner is not None:
                        modules[external] = name
                        clauses += _private(self.included(inner, name), external, name)
        return modules

    def _read(self, name: str, annotation: Annotation) -> Program | None:
        module = self.find(name)
        if module is None:
            near = did_you_mean(name, self.known)
            do = f"use one of: {', '.join(sorted(self.known))}, or put {name}.vada beside the program"
            self.linked.faults.append(Fault("R701", f"no module '{name}'{near}", annotation.origin, do))
            return None
        text, source = module
        self.linked.texts[source] = text
        parsed = parse(text, source)
        self.linked.faults += parsed.faults
        self.linked.parameters |= {said for k in names(parsed.program) for said in (k, f"{name}.{k}")}
        own = {key.split(".", 1)[1]: v for key, v in self.parameters.items() if key.startswith(f"{name}.")}
        return with_parameters(parsed.program, {**self.parameters, **own})


def _directives(clauses: Collection[Clause], name: str) -> Iterator[Annotation]:
    for clause in clauses:
        if isinstance(clause, Directive):
            yield from (a for a in clause.annotations if a.name == name)


def _chosen(clauses: Collection[Clause]) -> dict[str, list[Annotation]]:
    """Return what ``@bind_module`` says of each external predicate."""
    chosen: dict[str, list[Annotation]] = {}
    for annotation in _directives(clauses, "bind_module"):
        same = chosen.setdefault(annotation.text(0) or "", [])
        if same and same[0].origin.source != annotation.origin.source:
            same.clear()  # the program that uses a module has the last word on what is plugged in
        same.append(annotation)
    return chosen


def _private(clauses: list[Clause], external: str, module: str) -> list[Clause]:
    """Return the clauses of a plugged-in module with its own predicates renamed."""
    derived = {p for c in clauses if isinstance(c, Rule) for p in head_predicates(c)}
    derived |= {c.atom.predicate for c in clauses if isinstance(c, Fact)}
    shared = {external, f"{external}Input", f"{external}Output"}
    for name in ("input", "output", "versioned"):
        shared |= {a.text(0) or "" for a in _directives(clauses, name)}
    own = derived - shared

    def change(node: Node) -> Node:
        if isinstance(node, Atom) and node.predicate in own and not node.is_external:
            return replace(node, predicate=f"{module}.{node.predicate}")
        return node

    def renamed(clause: Clause) -> Clause:
        if isinstance(clause, Rule):
            body: tuple[Item, ...] = tuple(rewritten(item, change) for item in clause.body)
            return replace(clause, body=body, head=tuple(rewritten(item, change) for item in clause.head))
        if isinstance(clause, Fact):
            return replace(clause, atom=rewritten(clause.atom, change))
        return replace(clause, annotations=tuple(_renamed(a, own, module) for a in clause.annotations))

    return [renamed(clause) for clause in clauses]


def _renamed(annotation: Annotation, own: Collection[str], module: str) -> Annotation:
    name = annotation.text(0)
    if annotation.name in {"model", "output", "input"} and name in own:
        return replace(annotation, arguments=(Constant(f"{module}.{name}"), *annotation.arguments[1:]))
    if annotation.name == "explain" and name is not None and name.startswith("["):
        return replace(annotation, arguments=(Constant(f"{module} {name}"), *annotation.arguments[1:]))
    return annotation
