"""Epochs of versioned predicates, and the choice of one binding per key.

While the rest of a program runs, only the newest version of each key is a fact. Then the version rules fire once. What
is taken, of all matches of all version rules: in the order of the rules, and for each rule by ``@route(order = ...)``,
one match per key. The order is a variable of the rule or a list of them, sorted by value, the largest first after a
``-``; without it, or with the name of a strategy that only the reasoner knows, it is the order in which the facts came
in: written facts first, as written, then inputs, as given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.oracles.rules.aggregation import bindings
from tests.oracles.rules.chase import Chase, Versions
from tests.oracles.rules.clauses import Clause, body_predicates
from tests.oracles.rules.expressions import Binding
from tests.oracles.rules.matching import Database, all_names
from tests.oracles.rules.strata import reached
from tests.oracles.rules.values import Key, Row, rank, row_key

from tacita.errors import ReasoningError, RuleError
from tacita.rules.logic.program import Annotation, Program
from tacita.rules.logic.terms import Atom, Constant, ListOf, SetOf, Term, Variable


def version_keys(program: Program, clauses: Sequence[Clause]) -> dict[str, tuple[int, ...]]:
    """Return for each versioned predicate that a rule changes the positions of its key.

    The names of a key are columns that ``@model``, ``@input`` or ``@output`` names, or else variables at one place each
    in the heads of the version rules.
    """
    keys = {}
    predicates = [directive.text(0) or "" for directive in program.directives("versioned")]
    late = version_rules(clauses, predicates)
    if any(len(clause.rule.head) > 1 for clause in late):
        raise RuleError("a version rule with several conclusions")
    for directive, predicate in zip(program.directives("versioned"), predicates, strict=True):
        wanted = texts(directive.option("key"))
        atoms = [clause.head[0] for clause in late if clause.head[0].predicate == predicate]
        if not atoms:
            continue
        declared = program.directives("model", "input", "output")
        columns = [[text.partition(":")[0] for text in texts(d.arguments[1])] for d in declared if _names(d, predicate)]
        found = next((names for names in columns if set(wanted) <= set(names)), None)
        if found is not None:
            keys[predicate] = tuple(found.index(name) for name in wanted)
            continue
        places = [_places(atoms, name) for name in wanted]
        if not all(places):
            raise RuleError(f"no atom of {predicate} has the key {', '.join(wanted)}")
        keys[predicate] = tuple(min(some) for some in places)
    return keys


def _places(atoms: Sequence[Atom], name: str) -> set[int]:
    """Return the places at which all atoms that have a variable have it."""
    used = [{i for i, term in enumerate(atom.arguments) if term == Variable(name)} for atom in atoms]
    return set.intersection(*(some for some in used if some)) if any(used) else set()


def _names(directive: Annotation, predicate: str) -> bool:
    return directive.text(0) == predicate and len(directive.arguments) > 1


def texts(term: Term | None) -> list[str]:
    """Return the texts of a list, a set or a single text in an annotation."""
    if isinstance(term, ListOf | SetOf):
        return [text for item in term.items for text in texts(item)]
    if isinstance(term, Variable):
        return [term.name]
    return [term.value] if isinstance(term, Constant) and isinstance(term.value, str) else []


def version_rules(clauses: Sequence[Clause], versioned: Sequence[str]) -> list[Clause]:
    """Return the rules that make a new version of something that they depend on."""
    after = reached((source, a.predicate) for c in clauses for source, _ in body_predicates(c) for a in c.head)
    return [
        clause
        for clause in clauses
        if any(
            atom.predicate in versioned
            and any(s == atom.predicate or s in after.get(atom.predicate, ()) for s, _ in body_predicates(clause))
            for atom in clause.head
        )
    ]


def last_epoch(chase: Chase, rules: Sequence[Clause], given: Database) -> tuple[Database, int]:
    """Return the facts of the last epoch, in which no version rule fires, and its number."""
    for epoch in range(chase.limit):
        facts = chase.run(given)
        _refuse_doubles(chase, facts)
        fired = _new_versions(chase, rules, facts)
        if not fired:
            return facts, epoch
        newest = {predicate: dict(rows) for predicate, rows in chase.versions.newest.items()}
        for predicate, row in fired:
            newest.setdefault(predicate, {})[chase.versions.key_of(predicate, row)] = row
        chase = replace(chase, versions=Versions(chase.versions.keys, newest))
    raise ReasoningError(f"versions still change after {chase.limit} epochs", where=rules[-1].name)


def _refuse_doubles(chase: Chase, facts: Database) -> None:
    for predicate in chase.versions.keys:
        rows = facts.get(predicate, {}).values()
        if len({chase.versions.key_of(predicate, row) for row in rows}) < len(rows):
            raise ReasoningError(f"more than one fact for one key of {predicate}")


def _new_versions(chase: Chase, rules: Sequence[Clause], facts: Database) -> list[tuple[str, Row]]:
    """Return at most one new version per key."""
    taken: dict[tuple[str, Key], Row] = {}
    for clause in rules:
        route = clause.rule.annotation("route")
        if route is not None and texts(route.option("scope")):
            raise RuleError("the reference knows no scope of a route", where=clause.name)
        chosen: set[Key] = set()
        for binding in _routed(clause, route, bindings(clause, facts, chase.expressions)):
            # No test whether the head holds already: VSet[A := Z] always does, with the old value for Z.
            new = [
                (predicate, row)
                for predicate, row in chase.heads(clause, clause.head, chase.with_nulls(clause, binding))
                if row_key(row) not in facts.get(predicate, {})
            ]
            at = _choice(route, binding)
            if not new or (at is not None and at in chosen):
                continue
            if any((predicate, chase.versions.key_of(predicate, row)) in taken for predicate, row in new):
                continue
            if at is not None:
                chosen.add(at)
            taken |= {(predicate, chase.versions.key_of(predicate, row)): row for predicate, row in new}
            if route is not None and texts(route.option("step")) == ["one"]:
                break
    return [(predicate, row) for (predicate, _), row in taken.items()]


def _choice(route: Annotation | None, binding: Binding) -> Key | None:
    """Return what a route chooses one binding per."""
    names = texts(route.option("choose_one_per")) if route is not None else []
    return row_key(tuple(binding[name] for name in names)) if names else None


def _routed(clause: Clause, route: Annotation | None, found: list[Binding]) -> list[Binding]:
    """Return the matches of a version rule in the order in which they are tried."""
    by = texts(route.option("order")) if route is not None else []
    if not by or not {name.removeprefix("-") for name in by} <= all_names(*clause.rule.body):
        return found
    for name in reversed(by):
        found = sorted(found, key=lambda b: rank(b[name.removeprefix("-")]), reverse=name.startswith("-"))
    return found
