"""What is known of each predicate: where it is defined and used, how many arguments it has, what they are called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tacita.rules.logic.faults import Origin
from tacita.rules.logic.nulls import name_of
from tacita.rules.logic.program import Annotation, Fact, Program, Rule
from tacita.rules.logic.terms import Atom, Constant, HeadItem, Item, ListOf, Negation, Term, walk

DICTIONARY = frozenset({"MicroDB", "Att", "Cat", "Val", "Tuple"})
"""The predicates that every dictionary and its data provide."""


@dataclass(frozen=True, slots=True)
class PredicatePlace:
    """One place where a predicate is named, with so many arguments."""

    origin: Origin
    arity: int
    rule: Rule | None = None
    """The rule around it; facts and annotations have none."""


@dataclass(slots=True)
class Signature:
    """A predicate, gathered from all over a program."""

    predicate: str
    definitions: list[PredicatePlace] = field(default_factory=list)
    """Facts and heads."""
    uses: list[PredicatePlace] = field(default_factory=list)
    """Bodies."""
    inputs: list[Annotation] = field(default_factory=list)
    """The ``@input`` and ``@bind`` annotations that name it."""
    outputs: list[Annotation] = field(default_factory=list)
    model: Annotation | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the arguments, from ``@model`` or ``@input``; none if nobody named them."""
        for annotation in (self.model, *self.inputs):
            names = texts(annotation.arguments[1]) if annotation and len(annotation.arguments) > 1 else None
            if names is not None:
                return names
        return ()

    @property
    def meaning(self) -> str:
        """The sentence of its ``@model``, or nothing."""
        return (self.model.text(2) or "") if self.model else ""

    @property
    def is_defined(self) -> bool:
        """Whether facts, rules or data say what holds."""
        return bool(self.definitions or self.inputs)

    def places(self) -> Iterator[PredicatePlace]:
        """Yield all places, those that define it first."""
        for annotation in self.inputs:
            columns = texts(annotation.arguments[1]) if len(annotation.arguments) > 1 else None
            if columns and annotation.name == "input":
                yield PredicatePlace(annotation.origin, len(columns))
        yield from self.definitions
        yield from self.uses


def signatures(program: Program) -> dict[str, Signature]:
    """Return what is known of each predicate, in the order in which they are first named."""
    by_predicate: dict[str, Signature] = {}

    def of(predicate: str) -> Signature:
        return by_predicate.setdefault(predicate, Signature(predicate))

    for clause in program.clauses:
        if isinstance(clause, Fact):
            of(name_of(clause.atom)).definitions.append(PredicatePlace(clause.atom.origin, len(clause.atom.arguments)))
        elif isinstance(clause, Rule):
            for atom in atoms(*clause.body):
                of(name_of(atom)).uses.append(PredicatePlace(atom.origin, len(atom.arguments), clause))
            for atom in atoms(*clause.head):
                of(name_of(atom)).definitions.append(PredicatePlace(atom.origin, len(atom.arguments), clause))
        else:
            for annotation in clause.annotations:
                predicate = annotation.text(0)
                if predicate is None:
                    continue
                if annotation.name in ("input", "bind"):
                    of(predicate).inputs.append(annotation)
                elif annotation.name == "output":
                    of(predicate).outputs.append(annotation)
                elif annotation.name == "model" and of(predicate).model is None:
                    of(predicate).model = annotation
    return by_predicate


def atoms(*items: Item | HeadItem) -> Iterator[Atom]:
    """Yield the atoms among items, those inside negations too."""
    for item in items:
        if isinstance(item, Atom):
            yield item
        elif isinstance(item, Negation):
            yield from (node for node in walk(item) if isinstance(node, Atom))


def texts(term: Term | None) -> tuple[str, ...] | None:
    """Return the texts of a list of texts, or None if the term is something else."""
    if not isinstance(term, ListOf):
        return None
    values = [item.value for item in term.items if isinstance(item, Constant) and isinstance(item.value, str)]
    return tuple(values) if len(values) == len(term.items) else None
