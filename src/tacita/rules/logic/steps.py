"""The steps in which a body is used, in the order that `binding` finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tacita.rules.logic.terms import Atom, Condition, Item, Negation, Term, Variable


@dataclass(frozen=True, slots=True)
class Match:
    """Look the atom up; its arguments are variables, blanks, constants, parameters, or a last `Pack` of a variable."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Assign:
    """Give a variable the value of a term; without a value the match fails."""

    variable: Variable
    term: Term


@dataclass(frozen=True, slots=True)
class Enumerate:
    """Let a variable run through the members of a collection."""

    variable: Variable
    collection: Term


@dataclass(frozen=True, slots=True)
class Test:
    """Go on only if the condition holds; all its variables are bound."""

    __test__ = False  # not a test case, whatever pytest thinks of the name
    condition: Condition


@dataclass(frozen=True, slots=True)
class Absent:
    """Go on only if there is no match of what is negated, given the shared variables."""

    negation: Negation
    inside: Schedule
    """The negated items in their own order, with `shared` bound; every other variable in them is local to them."""
    shared: tuple[str, ...]


Step: TypeAlias = Match | Assign | Enumerate | Test | Absent


@dataclass(frozen=True, slots=True)
class Unbound:
    """A variable that an item needs and that nothing gives a value."""

    variable: Variable
    item: Item


@dataclass(frozen=True, slots=True)
class Schedule:
    """Items in an order in which they can be used."""

    before: tuple[Step, ...] = ()
    """What makes the matches that aggregates are formed from; everything, if there is no aggregate."""
    after: tuple[Step, ...] = ()
    """What needs the value of an aggregate, once per group."""
    unbound: tuple[Unbound, ...] = ()
    bound: frozenset[str] = frozenset()
    """Every variable with a value at the end."""
    aggregated: frozenset[str] = frozenset()
    """Those of them that were computed from an aggregate."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps."""
        return self.before + self.after
