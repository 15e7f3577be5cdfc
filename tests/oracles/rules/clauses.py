"""Rules taken apart: what is matched before aggregation, what comes after it, and what the head is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.oracles.rules.matching import Absent, Part, all_names, gives, names, needs, ordered, prepared, unwrapped
from tests.oracles.rules.values import Null

from tacita.errors import RuleError, did_you_mean
from tacita.rules.logic.program import Annotation, Program, Rule
from tacita.rules.logic.terms import (
    Aggregate,
    Atom,
    Blank,
    Comparison,
    Constant,
    Denial,
    Item,
    ListOf,
    Negation,
    Node,
    Parameter,
    SetOf,
    Term,
    Variable,
    aggregates,
    rewritten,
    walk,
)


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """A rule ready to be run. Compared by identity: a rule written twice is two rules."""

    rule: Rule
    number: int
    before: tuple[Part, ...]
    """What is matched before aggregation."""
    after: tuple[Part, ...]
    """What needs the value of an aggregate."""
    aggregates: tuple[Aggregate, ...]
    head: tuple[Atom, ...]
    group: tuple[Term, ...]
    """The head terms that depend on no aggregate and on no existential variable."""
    existentials: tuple[str, ...]
    frontier: tuple[str | Aggregate, ...]
    """The variables of the body, and the aggregates, that the head speaks of."""
    has_maybe_groups: bool

    @property
    def name(self) -> str:
        """What messages call the rule."""
        return f"rule {self.rule.name}"

    @property
    def equalities(self) -> tuple[Comparison, ...]:
        """The equalities that the head demands."""
        return tuple(item for item in self.rule.head if isinstance(item, Comparison))

    @property
    def denials(self) -> tuple[Denial, ...]:
        """What the head says must never be."""
        return tuple(item for item in self.rule.head if isinstance(item, Denial))


def clauses(program: Program, parameters: Mapping[str, object] | None = None) -> list[Clause]:
    """Return the rules of a program, parameters replaced, in order."""
    ready = []
    for number, rule in enumerate(program.rules):
        values = parameter_values(program, rule.origin.source, parameters)
        is_maybe = _has_maybe_groups(program, rule)
        try:
            ready.append(_clause(_with_parameters(rule, values), number, is_maybe))
        except RuleError as error:
            raise RuleError(error.found, where=rule.name) from error
    return ready


def _clause(rule: Rule, number: int, is_maybe: bool) -> Clause:
    head = tuple(_named_blanks(item, at) for at, item in enumerate(rule.head) if isinstance(item, Atom))
    whole = prepared(rule.body, all_names(*rule.head))
    found = list(dict.fromkeys(a for item in (*rule.body, *rule.head) for a in aggregates(item)))

    # What can be had without any aggregate.
    known: set[str] = set()
    plain = [part for part in whole if not _aggregates_in(part)]
    while more := {name for part in plain for name in gives(part, known) or ()} - known:
        known |= more
    before = tuple(part for part in plain if needs(part) <= known)
    after = tuple(part for part in whole if not any(part is other for other in before))
    ordered(before, ())
    bound = set(known)
    for part in ordered(after, known):
        bound |= gives(part, bound) or set()
    if not all_names(*found) <= known:
        raise RuleError(f"no value for {', '.join(sorted(all_names(*found) - known))}")

    existentials = tuple(sorted(all_names(*head) - bound))
    hidden_inside = [name for item in rule.body if isinstance(item, Negation) for name in all_names(item)]
    if unsafe := [name for name in existentials if name in hidden_inside]:
        raise RuleError(f"no value for {', '.join(unsafe)}")
    for item in rule.head:
        if isinstance(item, Comparison) and not names(item) <= bound:
            raise RuleError("an equality of variables that the body does not know")
    terms = [term for atom in head for term in atom.arguments]
    group = tuple(term for term in terms if not aggregates(term) and names(term) <= known)
    frontier = [name for name in dict.fromkeys(n for term in terms for n in sorted(names(term))) if name in bound]
    in_head = [a for term in terms for a in aggregates(term)]
    return Clause(rule, number, before, after, tuple(found), head, group, existentials, (*frontier, *in_head), is_maybe)


def _aggregates_in(part: Part) -> tuple[Aggregate, ...]:
    return () if isinstance(part, Absent) else aggregates(part)


def _named_blanks(atom: Atom, at: int) -> Atom:
    """Return a head atom in which ``_`` is an existential variable of its own."""
    arguments = (
        Variable(f"·blank{at}.{position}") if isinstance(term, Blank) else unwrapped(term)
        for position, term in enumerate(atom.arguments)
    )
    return Atom(atom.predicate, tuple(arguments))


# -- parameters --------------------------------------------------------------------------------------------------------


def parameter_values(program: Program, source: str, given: Mapping[str, object] | None) -> dict[str, Term]:
    """Return what ``$k`` stands for in one source: the caller's value, else the default there, else any default."""
    directives = list(program.directives("param"))
    near = [d for d in directives if d.origin.source == source]
    defaults = {
        name: directive.arguments[1]
        for directive in (*directives, *near)
        if (name := directive.text(0)) is not None and len(directive.arguments) > 1
    }
    return defaults | {name: _as_term(value) for name, value in (given or {}).items()}


def _as_term(value: object) -> Term:
    if isinstance(value, list | tuple):
        return ListOf(tuple(map(_as_term, value)))
    if isinstance(value, set | frozenset):
        return SetOf(tuple(map(_as_term, value)))
    if isinstance(value, Null):
        raise RuleError("a parameter needs a known value")
    return Constant(value)  # type: ignore[arg-type]


def _with_parameters(rule: Rule, values: Mapping[str, Term]) -> Rule:
    def replaced(node: Node) -> Node:
        if not isinstance(node, Parameter):
            return node
        if node.name not in values:
            raise RuleError(f"no value for the parameter ${node.name}{did_you_mean(node.name, values)}")
        return values[node.name]

    body: tuple[Item, ...] = tuple(rewritten(item, replaced) for item in rule.body)
    head = tuple(rewritten(item, replaced) for item in rule.head)
    return Rule(body, head, rule.exists, rule.label, rule.annotations, rule.origin, rule.module)


def _has_maybe_groups(program: Program, rule: Rule) -> bool:
    """Return whether the rule, or the source that it is from, says ``@group_equality("maybe")``."""
    own = rule.annotation("group_equality")
    around: list[Annotation] = [
        d for d in program.directives("group_equality") if d.origin.source == rule.origin.source
    ]
    chosen = own or (around[-1] if around else None)
    return chosen is not None and chosen.text(0) == "maybe"


def body_predicates(clause: Clause) -> list[tuple[str, bool]]:
    """Return the predicates of a body, and whether each stands inside a negation."""
    return [(atom.predicate, is_negated) for item in clause.rule.body for atom, is_negated in _atoms(item)]


def _atoms(item: Item) -> list[tuple[Atom, bool]]:
    if isinstance(item, Negation):
        return [(atom, True) for atom in walk(item) if isinstance(atom, Atom)]
    return [(item, False)] if isinstance(item, Atom) else []
