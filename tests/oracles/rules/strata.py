"""The order in which predicates are completed, found by walking all paths between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.oracles.rules.clauses import Clause, body_predicates
from tests.oracles.rules.monotone import check_monotone

from tacita.errors import RuleError
from tacita.rules.logic.terms import Atom


@dataclass(frozen=True, slots=True, eq=False)
class Unit:
    """Head atoms that are derived together: all of a rule with existentials, else one at a time."""

    clause: Clause
    head: tuple[Atom, ...]

    @property
    def predicates(self) -> list[str]:
        """The predicates that the unit derives."""
        return [atom.predicate for atom in self.head]


def units(clauses: Iterable[Clause]) -> list[Unit]:
    """Return what is derived together."""
    found = []
    for clause in clauses:
        if clause.existentials:
            found.append(Unit(clause, clause.head))
        else:
            found += [Unit(clause, (atom,)) for atom in clause.head]
    return found


@dataclass(frozen=True, slots=True)
class Strata:
    """The level of each predicate, and the rules that aggregate in a recursion."""

    levels: dict[str, int]
    recursive: frozenset[int]
    """The numbers of the rules with an aggregate in a recursion."""

    def of(self, clause: Clause) -> int:
        """Return the level at which a rule without head atoms can be applied."""
        aggregated = bool(clause.aggregates)
        return max((self.levels[p] + (negated or aggregated) for p, negated in body_predicates(clause)), default=0)

    @property
    def count(self) -> int:
        """The number of levels."""
        return max(self.levels.values(), default=0) + 1


def reached(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """Return for each predicate all predicates that depend on it, directly or through others."""
    after: dict[str, set[str]] = {}
    for source, target in pairs:
        after.setdefault(source, set()).add(target)
    changed = True
    while changed:
        changed = False
        for source, targets in after.items():
            further = set().union(targets, *(after.get(target, set()) for target in targets))
            changed = changed or further != targets
            after[source] = further
    return after


def stratified(clauses: Sequence[Clause]) -> Strata:
    """Return the strata, or raise if negation, or an aggregate that is not monotone, is in a cycle."""
    derived = units(clauses)
    edges = [
        (source, target, is_negated, unit)
        for unit in derived
        for source, is_negated in body_predicates(unit.clause)
        for target in unit.predicates
    ]
    # Head atoms with a null in common come to be together.
    together = [(a, b) for unit in derived for a in unit.predicates for b in unit.predicates if a != b]
    after = reached([(source, target) for source, target, _, _ in edges] + together)

    def in_cycle(source: str, target: str) -> bool:
        return source in after.get(target, set())

    strict: set[tuple[str, str]] = set()
    loose: set[tuple[str, str]] = set(together)
    recursive: set[int] = set()
    for source, target, is_negated, unit in edges:
        if is_negated:
            if in_cycle(source, target):
                raise RuleError(f"{target} depends on its own negation through {source}", where=unit.clause.name)
            strict.add((source, target))
        elif unit.clause.aggregates and in_cycle(source, target):
            check_monotone(unit.clause, unit.head)
            recursive.add(unit.clause.number)
            loose.add((source, target))
        elif unit.clause.aggregates:
            strict.add((source, target))
        else:
            loose.add((source, target))
    known = {name for clause in clauses for name, _ in body_predicates(clause)}
    known |= {name for unit in derived for name in unit.predicates}
    return Strata(_levels(known, strict, loose), frozenset(recursive))


def _levels(known: Iterable[str], strict: set[tuple[str, str]], loose: set[tuple[str, str]]) -> dict[str, int]:
    levels = dict.fromkeys(sorted(known), 0)
    changed = True
    while changed:
        changed = False
        for source, target in strict | loose:
            least = levels[source] + ((source, target) in strict)
            if levels[target] < least:
                levels[target] = least
                changed = True
    return levels
