"""One run of a program over the current facts: stratum by stratum, rules, then existentials, then equalities."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from tests.oracles.rules.aggregation import bindings
from tests.oracles.rules.clauses import Clause
from tests.oracles.rules.expressions import Binding, Expressions
from tests.oracles.rules.functions import NoValue
from tests.oracles.rules.matching import Database, add, names
from tests.oracles.rules.strata import Strata, Unit, units
from tests.oracles.rules.values import Key, Null, Row, Value, key, parts, rank, replaced, row_key, same

from tacita.errors import ReasoningError
from tacita.rules.logic.terms import Atom, Term, Variable


@dataclass(slots=True)
class Nulls:
    """Makes labelled nulls: one per rule, existential variable and frontier, the same one in every epoch."""

    limit: int
    last: int = 0
    made: dict[Key, Null] = field(default_factory=dict)

    def fresh(self) -> Null:
        """Return a null that nobody has."""
        self.last += 1
        return Null(self.last)

    def of(self, clause: Clause, variable: str, frontier: Key) -> Null:
        """Return the null of a rule, a variable and a frontier."""
        at = (clause.number, variable, frontier)
        if at not in self.made:
            if len(self.made) >= self.limit:
                raise ReasoningError(f"more than {self.limit} labelled nulls", where=clause.name)
            self.made[at] = self.fresh()
        return self.made[at]


@dataclass(frozen=True, slots=True)
class Versions:
    """The newest versions so far: positions of the key of each versioned predicate, and the row of each key."""

    keys: dict[str, tuple[int, ...]] = field(default_factory=dict)
    newest: dict[str, dict[Key, Row]] = field(default_factory=dict)

    def key_of(self, predicate: str, row: Row) -> Key:
        """Return the key of a version."""
        return row_key(tuple(row[position] for position in self.keys[predicate]))

    def admits(self, predicate: str, row: Row) -> bool:
        """Return whether a fact is not superseded by a newer version."""
        if predicate not in self.keys:
            return True
        newest = self.newest.get(predicate, {}).get(self.key_of(predicate, row))
        return newest is None or row_key(newest) == row_key(row)


@dataclass(frozen=True, slots=True)
class Chase:
    """A program ready to be run."""

    clauses: Sequence[Clause]
    strata: Strata
    expressions: Expressions
    nulls: Nulls
    limit: int
    versions: Versions = field(default_factory=Versions)
    banned: Mapping[str, Collection[Key]] = field(default_factory=dict)
    """Facts in quarantine, which must not be derived."""

    def run(self, given: Database) -> Database:
        """Return all facts that follow from the given ones."""
        base: Database = {}
        for predicate, rows in given.items():
            for row in rows.values():
                if self._admits(predicate, row):
                    add(base, predicate, row)
        for predicate, newest in self.versions.newest.items():
            for row in newest.values():
                add(base, predicate, row)
        for level in range(self.strata.count + 1):
            base = self._stratum(level, base)
        return base

    def _admits(self, predicate: str, row: Row) -> bool:
        return self.versions.admits(predicate, row) and row_key(row) not in self.banned.get(predicate, ())

    def _stratum(self, level: int, base: Database) -> Database:
        here = [u for u in units(self.clauses) if max(self.strata.levels[p] for p in u.predicates) == level]
        plain = [unit for unit in here if not unit.clause.existentials]
        inventing = [unit for unit in here if unit.clause.existentials]
        equal = [c for c in self.clauses if c.equalities and self.strata.of(c) <= level]
        merges = 0
        while True:
            facts = self._fixpoint(plain, base)
            if any(self._invented(unit, facts, base) for unit in inventing):
                continue  # rules without existentials first, again
            merged = self._merged(equal, facts)
            if not merged:
                return facts
            merges += 1
            if merges > self.limit:
                raise ReasoningError(f"nulls still change after {self.limit} rounds", where=equal[-1].name)
            base = substituted(base, merged)

    # -- rules without existentials ------------------------------------------------------------------------------------

    def _fixpoint(self, plain: Sequence[Unit], base: Database) -> Database:
        """Return the base and what follows from it: everything is derived anew in each round, until nothing changes.

        Nothing is carried over from one round to the next but through the rules, so that a value of an aggregate that a
        later one replaced leaves no trace, and each rule gives one value for each of its groups.
        """
        facts = base
        for _ in range(self.limit):
            following: Database = {predicate: dict(rows) for predicate, rows in base.items()}
            for unit in plain:
                is_recursive = unit.clause.number in self.strata.recursive
                for binding in bindings(unit.clause, facts, self.expressions, is_recursive):
                    for predicate, row in self.heads(unit.clause, unit.head, binding):
                        if self._admits(predicate, row):
                            add(following, predicate, row)
                if sum(map(len, following.values())) > self.limit:
                    raise ReasoningError(f"more than {self.limit} facts", where=unit.clause.name)
            if {p: rows.keys() for p, rows in following.items()} == {p: rows.keys() for p, rows in facts.items()}:
                return facts
            facts = following
        culprit = plain[-1].clause.name if plain else None
        raise ReasoningError(f"no fixpoint after {self.limit} rounds", where=culprit)

    def heads(self, clause: Clause, atoms: Sequence[Atom], binding: Binding) -> list[tuple[str, Row]]:
        """Return the facts that a match gives: none if one term of the rule's head has no value."""
        try:
            for atom in clause.head:
                self._row(atom, binding)
            return [(atom.predicate, self._row(atom, binding)) for atom in atoms]
        except NoValue:
            return []

    def _row(self, atom: Atom, binding: Binding) -> Row:
        return tuple(self.expressions.value(term, binding) for term in atom.arguments)

    # -- existentials --------------------------------------------------------------------------------------------------

    def _invented(self, unit: Unit, facts: Database, base: Database) -> bool:
        """Apply a rule with existentials where its head does not hold yet; return whether there was such a place."""
        fired = False
        clause = unit.clause
        for binding in bindings(clause, facts, self.expressions, clause.number in self.strata.recursive):
            frontier: Binding = {name: binding[name] for name in clause.frontier}
            if self.is_satisfied(unit.head, frontier, facts):
                continue
            for predicate, row in self.heads(clause, unit.head, self.with_nulls(clause, binding)):
                if self._admits(predicate, row) and add(base, predicate, row):
                    add(facts, predicate, row)
                    fired = True
        return fired

    def with_nulls(self, clause: Clause, binding: Binding) -> Binding:
        """Return a binding with a labelled null for each existential variable."""
        frontier = row_key(tuple(binding[name] for name in clause.frontier))
        return {**binding, **{name: self.nulls.of(clause, name, frontier) for name in clause.existentials}}

    def is_satisfied(self, atoms: Sequence[Atom], binding: Binding, facts: Database) -> bool:
        """Return whether head atoms hold already, for some values of the existential variables."""
        if not atoms:
            return True
        return any(
            self.is_satisfied(atoms[1:], extended, facts)
            for row in facts.get(atoms[0].predicate, {}).values()
            for extended in self._heading(atoms[0].arguments, row, binding)
        )

    def _heading(self, terms: Sequence[Term], row: Row, binding: Binding) -> list[Binding]:
        """Return the ways to give values to existential variables so that head terms are a row."""
        if len(terms) != len(row):
            return []
        found = [binding]
        for term, value in zip(terms, row, strict=True):
            found = [extended for known in found for extended in self._fits(term, value, known)]
        return found

    def _fits(self, term: Term, value: Value, binding: Binding) -> list[Binding]:
        free = sorted(names(term) - binding.keys())
        if isinstance(term, Variable) and free:
            return [{**binding, term.name: value}]
        # Inside a larger term the variable can only be something that is inside the value.
        tried = [binding]
        for name in free:
            tried = [{**known, name: part} for known in tried for part in parts(value)]
        found = []
        for known in tried:
            try:
                if same(self.expressions.value(term, known), value):
                    found.append(known)
            except NoValue:
                continue
        return found

    # -- equality rules ------------------------------------------------------------------------------------------------

    def _merged(self, clauses: Sequence[Clause], facts: Database) -> dict[Null, Value]:
        """Return what nulls turn into: the smallest constant that they must be equal to, else the smallest null."""
        classes: list[list[Value]] = []
        for clause in clauses:
            for binding in bindings(clause, facts, self.expressions):
                for equality in clause.equalities:
                    try:
                        pair = [self.expressions.value(side, binding) for side in (equality.left, equality.right)]
                    except NoValue:
                        continue
                    if not same(*pair) and any(isinstance(value, Null) for value in pair):
                        _join(classes, pair)
        merged: dict[Null, Value] = {}
        for members in classes:
            constants = sorted((m for m in members if not isinstance(m, Null)), key=rank)
            nulls = sorted(member for member in members if isinstance(member, Null))
            chosen = constants[0] if constants else nulls[0]
            merged |= {null: chosen for null in nulls if not same(null, chosen)}
        return merged


def _join(classes: list[list[Value]], pair: Sequence[Value]) -> None:
    """Put two values into one class; only nulls hold classes together, a constant may be in several."""
    nulls = {value for value in pair if isinstance(value, Null)}
    near = [members for members in classes if nulls & {m for m in members if isinstance(m, Null)}]
    together = {key(value): value for members in (*near, pair) for value in members}
    classes[:] = [members for members in classes if members not in near]
    classes.append(list(together.values()))


def substituted(database: Database, merged: dict[Null, Value]) -> Database:
    """Return the facts with nulls replaced everywhere."""
    changed: Database = {}
    for predicate, rows in database.items():
        for row in rows.values():
            add(changed, predicate, tuple(replaced(value, lambda null: merged.get(null, null)) for value in row))
    return changed
