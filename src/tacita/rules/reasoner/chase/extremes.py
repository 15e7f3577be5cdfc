"""Values of aggregates as arguments of recursive predicates: which are final, and which only passed by.

While the recursion runs, a value of an aggregate grows (or shrinks), and each step of it stands in the table of the
predicate. A new value that an old fact beats is of no use to any rule, since rules may only ask whether a value has
come far enough; so it is dropped. In the end the table is put together anew, of what was said otherwise (by inputs, by
the program, by rules that aggregate nothing there) and of the final value of each group of each aggregating rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.rules.logic.binding import Assign
from tacita.rules.logic.terms import Aggregate, Atom, Term, Variable
from tacita.rules.logic.types import ANY, INTEGER, RecordType, Scalar, SetType
from tacita.rules.reasoner.plans.cells import any_row_of, as_type, both, everything, named, null_safe
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.layout import ROUND, FactLayout, sql_type
from tacita.rules.reasoner.plans.tables import AT_ONCE, columns, empty, in_round, new_facts, union

if TYPE_CHECKING:
    from tacita.engines.protocol import Engine
    from tacita.rules.reasoner.chase.run import Run


_SMALLEST = {"mmin", "mprod"}


@dataclass(frozen=True, slots=True)
class Extreme:
    """A position of a recursive predicate that an aggregate computes: there smaller, or larger, values are better."""

    position: int
    is_smallest: bool

    def beats(self, engine: Engine, layout: FactLayout) -> exp.Expr | None:
        """Return when the value of an old fact ``o`` is as good as that of a new one ``n``; None if nobody can tell."""
        type_ = layout.positions[self.position].type
        old, new = (exp.column(f"c{self.position}", table=alias) for alias in ("o", "n"))
        if isinstance(type_, SetType | RecordType):
            return engine.function("is_subset" if isinstance(type_, SetType) else "is_part", new, old)
        if not isinstance(type_, Scalar):
            return None
        node = exp.LTE if self.is_smallest else exp.GTE
        if type_ != ANY:
            return node(this=old, expression=new)
        numbers = node(
            this=engine.function("number_any", old.copy()), expression=engine.function("number_any", new.copy())
        )
        return exp.func("coalesce", numbers, node(this=old, expression=new))


def extremes(derivations: Iterable[RuleDerivation], inside: Collection[str]) -> dict[str, tuple[Extreme, ...]]:
    """Return the predicates of a recursion with positions that an aggregate of that recursion computes."""
    by_predicate: dict[str, dict[Extreme, None]] = {}
    for derivation, atom in _computed(derivations, inside):
        own = by_predicate.setdefault(atom.predicate, {})
        own.update(dict.fromkeys(_of(derivation, atom)))
    return {predicate: tuple(own) for predicate, own in by_predicate.items()}


def _computed(derivations: Iterable[RuleDerivation], inside: Collection[str]) -> Iterator[tuple[RuleDerivation, Atom]]:
    """Yield the head atoms that hold the value of an aggregate over the recursion itself."""
    for derivation in derivations:
        if derivation.grouping is not None and any(a.predicate in inside for a in derivation.atoms):
            yield from ((derivation, atom) for atom in derivation.heads if _of(derivation, atom))


def _of(derivation: RuleDerivation, atom: Atom) -> list[Extreme]:
    aggregates = ((at, _aggregate_of(derivation, term)) for at, term in enumerate(atom.arguments))
    return [Extreme(at, aggregate.function in _SMALLEST) for at, aggregate in aggregates if aggregate is not None]


def _aggregate_of(derivation: RuleDerivation, term: Term) -> Aggregate | None:
    if isinstance(term, Variable) and term.name in derivation.schedule.aggregated:
        steps = (step for step in derivation.schedule.after if isinstance(step, Assign))
        return next((_aggregate_of(derivation, s.term) for s in steps if s.variable.name == term.name), None)
    return term if isinstance(term, Aggregate) else None


def final_values(
    run: Run, derivations: Sequence[RuleDerivation], inside: Collection[str], *, are_all: bool
) -> dict[str, FinalValues]:
    """Return the predicates of a recursion that hold values of aggregates over it, ready to sort the final ones out.

    `are_all` says that nothing but these rules adds or changes facts while the recursion runs.
    """
    heads: dict[str, list[tuple[RuleDerivation, Atom]]] = {}
    for derivation, atom in _computed(derivations, inside):
        heads.setdefault(atom.predicate, []).append((derivation, atom))
    better = extremes(derivations, inside)
    recursive = [d for d in derivations if any(a.predicate in inside for a in d.atoms)]
    said = Counter(atom.predicate for derivation in recursive for atom in derivation.heads)
    return {
        predicate: FinalValues(
            run, run.layouts[predicate], own, better[predicate], is_alone=are_all and said[predicate] == len(own)
        )
        for predicate, own in heads.items()
    }


@dataclass(slots=True, repr=False)
class FinalValues:
    """The values of aggregates in one predicate of a recursion."""

    run: Run
    layout: FactLayout
    heads: list[tuple[RuleDerivation, Atom]]
    extremes: tuple[Extreme, ...]
    is_alone: bool
    """Whether only aggregates add facts while the recursion runs: then the round of a fact tells where it is from."""
    began: int = 0
    passing: FactLayout = field(init=False)
    """The table of the facts that are there only because an aggregate once had that value."""

    def __post_init__(self) -> None:
        self.passing = replace(self.layout, predicate=f"{self.layout.predicate} ", table=f"{self.layout.table}_a")

    def begin(self) -> None:
        """Begin with no value of any aggregate."""
        self.began = self.run.round
        if self.is_alone:
            return
        self.run.engine.replace(self.passing.table, empty(self.layout))
        # What equality rules merge must be merged there, too.
        self.run.layouts[self.passing.predicate] = self.passing
        self.run.filled.add(self.passing.predicate)

    def computes(self, derivation: RuleDerivation, atom: Atom) -> bool:
        """Return whether what a rule says in a head atom is the value of an aggregate over the recursion."""
        return any(d is derivation and a is atom for d, a in self.heads)

    def take(self, values: Sequence[exp.Query], others: Sequence[exp.Query], number: int) -> int:
        """Let the table of new facts hold what is new of the values of aggregates and of what other rules say."""
        engine, table = self.run.engine, self.layout.table
        said, new = f"{table}_s", f"{table}_n"
        added = 0
        if self.is_alone and 0 < len(values) <= AT_ONCE:
            return engine.replace(new, new_facts(union(values), self.layout, number, self._beaten()))
        engine.replace(new, empty(self.layout))
        if others:
            engine.replace(said, in_round(union(others[:AT_ONCE]), self.layout, number))
            for some in _batches(others[AT_ONCE:]):
                engine.append(said, in_round(union(some), self.layout, number))
            added += engine.append(new, new_facts(everything(said), self.layout, number))
            engine.replace(self.passing.table, self._without(self.passing.table, said))
        for some in _batches(values):
            new_values = engine.replace(said, new_facts(union(some), self.layout, number, self._beaten()))
            if new_values and added:
                new_values = engine.replace(said, self._without(said, new))
            if new_values and not self.is_alone:
                engine.append(self.passing.table, everything(said))
            if new_values:
                added += engine.append(new, everything(said))
        engine.forget(said)
        return added

    def finish(self) -> None:
        """Leave what was said otherwise and the final value of each group of each rule."""
        run, layout = self.run, self.layout
        engine, kept = run.engine, f"{layout.table}_k"
        until = exp.LTE(this=exp.column(ROUND), expression=exp.Literal.number(self.began))
        engine.replace(
            kept,
            everything(layout.table).where(until) if self.is_alone else self._without(layout.table, self.passing.table),
        )
        for derivation, atom in self.heads:
            if derivation.number not in run.contributions:
                continue
            for select in run.contributions[derivation.number].final(atom):
                final = f"{layout.table}_s"
                engine.replace(final, new_facts(select, replace(layout, table=kept), run.round))
                engine.append(kept, self._with_round(final))
                engine.forget(final)
        engine.replace(layout.table, everything(kept))
        for table in (kept, self.passing.table):
            engine.forget(table)
        run.layouts.pop(self.passing.predicate, None)
        run.filled.discard(self.passing.predicate)

    def _beaten(self) -> exp.Expr | None:
        """Return when an old fact ``o`` makes a new one ``n`` useless: it is as good in every position."""
        own = {name for extreme in self.extremes for name in self.layout.position_columns(extreme.position)}
        beats = [extreme.beats(self.run.engine, self.layout) for extreme in self.extremes]
        known = [condition for condition in beats if condition is not None]
        is_mixed = len({extreme.position for extreme in self.extremes}) < len(self.extremes)
        if is_mixed or len(known) < len(beats):
            return None
        rest = [name for name in self.layout.columns() if name not in own]
        return both(*(null_safe(exp.column(name, table="o"), exp.column(name, table="n")) for name in rest), *known)

    def _same(self, a: str, b: str) -> exp.Expr:
        names = self.layout.columns()
        return both(*(null_safe(exp.column(name, table=a), exp.column(name, table=b)) for name in names))

    def _without(self, table: str, other: str) -> exp.Select:
        """Return the facts of a table that another one does not hold."""
        there = exp.Exists(this=any_row_of(named(other, "o")).where(self._same("o", "n")))
        round_ = exp.column(ROUND, table="n")
        return exp.select(*columns(self.layout, "n"), round_).from_(named(table, "n")).where(exp.Not(this=there))

    def _with_round(self, table: str) -> exp.Select:
        """Return facts with the round in which they came in first; this one for those that were of no use before."""
        first = exp.func("coalesce", exp.column(ROUND, table="o"), exp.column(ROUND, table="n"))
        stamp = exp.alias_(as_type(first, sql_type(INTEGER)), ROUND)
        query = exp.select(*columns(self.layout, "n"), stamp).from_(named(table, "n"))
        return query.join(named(self.layout.table, "o"), on=self._same("o", "n"), join_type="left")


def _batches(selects: Sequence[exp.Query]) -> list[Sequence[exp.Query]]:
    return [selects[start : start + AT_ONCE] for start in range(0, len(selects), AT_ONCE)]
