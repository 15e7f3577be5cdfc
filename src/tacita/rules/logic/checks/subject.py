"""A program under examination, with what several checks need worked out once."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from tacita.rules.logic.binding import Schedule, scheduled
from tacita.rules.logic.dependencies import Edge, components, edges, predicates, version_rules, versioned
from tacita.rules.logic.monotonicity import Use, uses
from tacita.rules.logic.nulls import Flow, Position, affected, flows
from tacita.rules.logic.program import Program, Rule
from tacita.rules.logic.signatures import Signature, signatures
from tacita.rules.logic.terms import Node, walk


class Subject:
    """A program, what is known beyond it, and what follows from both: worked out when first asked for."""

    def __init__(self, program: Program, known: Collection[str] = (), nullable: Collection[Position] = ()) -> None:
        self.program = program
        self.known = frozenset(known)
        self.nullable = frozenset(nullable)
        self.rules = program.rules

    @cached_property
    def schedules(self) -> tuple[Schedule, ...]:
        """The schedule of each rule."""
        return tuple(scheduled(rule.body) for rule in self.rules)

    @cached_property
    def nodes(self) -> tuple[tuple[list[Node], list[Node]], ...]:
        """Everything in the body and in the head of each rule."""
        return tuple(
            ([n for item in rule.body for n in walk(item)], [n for item in rule.head for n in walk(item)])
            for rule in self.rules
        )

    @cached_property
    def uses(self) -> tuple[tuple[Use, ...], ...]:
        """The uses of the aggregates of each rule."""
        return tuple(uses(rule, schedule) for rule, schedule in zip(self.rules, self.schedules, strict=True))

    @cached_property
    def flows(self) -> tuple[Flow, ...]:
        """What each rule does with nulls."""
        return flows(self.program, self.schedules)

    @cached_property
    def affected(self) -> frozenset[Position]:
        """The positions where a null can turn up."""
        return affected(self.flows, self.nullable)

    @cached_property
    def signatures(self) -> dict[str, Signature]:
        """What is known of each predicate."""
        return signatures(self.program)

    @cached_property
    def versioned(self) -> dict[str, tuple[str, ...]]:
        """The predicates of which only the newest version counts."""
        return versioned(self.program)

    @cached_property
    def version_rules(self) -> frozenset[int]:
        """The identities of the rules that make new versions."""
        return frozenset(id(rule) for rule in version_rules(self.program)) if self.versioned else frozenset()

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """What depends on what, new versions left out."""
        return edges(self.program, self.versioned, self.nullable, self.schedules)

    @cached_property
    def components(self) -> tuple[tuple[str, ...], ...]:
        """The strongly connected components."""
        return components(predicates(self.program), self.edges)

    @cached_property
    def home(self) -> dict[str, int]:
        """The number of the component of each predicate."""
        return {predicate: number for number, group in enumerate(self.components) for predicate in group}

    @cached_property
    def inner_edges(self) -> dict[int, list[Edge]]:
        """The edges inside each component that has some: its recursion."""
        inner: dict[int, list[Edge]] = {}
        for edge in self.edges:
            number = self.home[edge.source]
            if number == self.home[edge.target]:
                inner.setdefault(number, []).append(edge)
        return inner

    @cached_property
    def recursive_rules(self) -> dict[int, list[tuple[int, Rule]]]:
        """For each recursive component, its rules with a body predicate inside it, with their numbers."""
        numbers = {id(rule): number for number, rule in enumerate(self.rules)}
        return {
            component: [(number, self.rules[number]) for number in sorted({numbers[id(edge.rule)] for edge in inside})]
            for component, inside in self.inner_edges.items()
        }
