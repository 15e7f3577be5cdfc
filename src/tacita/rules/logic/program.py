"""Programs: facts, rules and directives in the order in which they were written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from tacita.rules.logic.faults import NOWHERE, Origin
from tacita.rules.logic.terms import Atom, Constant, HeadItem, Item, Term, Variable


@dataclass(frozen=True, slots=True)
class Annotation:
    """``@name(value, key = value)``."""

    name: str
    arguments: tuple[Term, ...] = ()
    named: tuple[tuple[str, Term], ...] = ()
    origin: Origin = field(default=NOWHERE, compare=False, repr=False)

    def option(self, name: str) -> Term | None:
        """Return a named argument."""
        return dict(self.named).get(name)

    def text(self, position: int) -> str | None:
        """Return a positional argument if it is a text."""
        if position >= len(self.arguments):
            return None
        argument = self.arguments[position]
        return argument.value if isinstance(argument, Constant) and isinstance(argument.value, str) else None


@dataclass(frozen=True, slots=True)
class Comments:
    """Comments around a clause, for the formatter: the lines before it, and the one behind its end."""

    before: tuple[str, ...] = ()
    behind: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A ground atom that the program states."""

    atom: Atom
    annotations: tuple[Annotation, ...] = ()
    label: str | None = None
    origin: Origin = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Rule:
    """If the body holds, so does the head: one or more atoms, an equality, or a denial."""

    body: tuple[Item, ...]
    head: tuple[HeadItem, ...]
    exists: tuple[Variable, ...] = ()
    """The existential variables that were declared; every other variable that only the head knows is one too."""
    label: str | None = None
    annotations: tuple[Annotation, ...] = ()
    origin: Origin = field(default=NOWHERE, compare=False, repr=False)
    module: str = field(default="", compare=False)
    """The module that the rule comes from, once modules are linked."""

    def annotation(self, name: str) -> Annotation | None:
        """Return the first annotation of that name."""
        return next((a for a in self.annotations if a.name == name), None)

    @property
    def name(self) -> str:
        """What messages call the rule: its label, or its line."""
        name = f"[{self.label}]" if self.label is not None else f"line {self.origin.line}"
        return f"{self.module} {name}" if self.module else name


@dataclass(frozen=True, slots=True)
class Directive:
    """An annotation that stands alone: ``@output("Control").``"""

    annotations: tuple[Annotation, ...]
    origin: Origin = field(default=NOWHERE, compare=False, repr=False)


Clause: TypeAlias = Fact | Rule | Directive


@dataclass(frozen=True, slots=True)
class Program:
    """All clauses of one source text, or of several after linking."""

    clauses: tuple[Clause, ...] = ()
    source: str = field(default="", compare=False)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in order."""
        return tuple(c for c in self.clauses if isinstance(c, Rule))

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts, in order."""
        return tuple(c for c in self.clauses if isinstance(c, Fact))

    def directives(self, *names: str) -> Iterator[Annotation]:
        """Yield the stand-alone annotations, or those of some names."""
        for clause in self.clauses:
            if isinstance(clause, Directive):
                yield from (a for a in clause.annotations if not names or a.name in names)
