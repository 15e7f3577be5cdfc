"""Versions: a predicate whose facts are replaced by newer ones, epoch by epoch, until no rule wants a change.

In an epoch everything that depends on the versioned predicate is derived from its newest versions alone, completely, so
negation and aggregates over it are safe. Then the version rules fire once, as a choice: one new version per key. Then
all that depended on the old versions is forgotten and derived again. What holds in the last epoch is the result: a fact
about an older version cannot survive the version.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from tacita.rules.logic.dependencies import head_predicates
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import Access, Atom, Constant, ListOf, Term, Update, Variable, variables, walk
from tacita.rules.logic.types import INTEGER, NOTHING, RowType
from tacita.rules.reasoner.bodies import Body, moved
from tacita.rules.reasoner.cells import Cell, both, null_safe
from tacita.rules.reasoner.chase import FIRST
from tacita.rules.reasoner.derivations import Derivation, projected
from tacita.rules.reasoner.layout import ROUND, Layout, cell_columns, sql_type
from tacita.rules.reasoner.program import Prepared, key_places, text_option
from tacita.rules.reasoner.run import Run
from tacita.rules.reasoner.sql import ascending, everything, found_in, named
from tacita.rules.reasoner.strata import run_strata
from tacita.rules.reasoner.tables import columns, union
from tacita.rules.reasoner.terms import Terms


@dataclass(frozen=True, slots=True)
class Change:
    """The firings of one version rule in one epoch: a table with the values of its frontier."""

    epoch: int
    derivation: Derivation
    table: str
    count: int


@dataclass(slots=True)
class History:
    """What was changed, epoch by epoch."""

    epochs: int = 0
    changes: list[Change] = field(default_factory=list)
    older: dict[str, str] = field(default_factory=dict)
    """Tables of superseded facts by predicate, with the round in which each came in and the one that ended it."""


@dataclass(slots=True)
class Versions:
    """The loop over epochs."""

    run_: Run
    ready: Prepared
    order: Sequence[Sequence[str]]
    derivations: Sequence[Derivation]
    history: History = field(default_factory=History)

    def run(self) -> History:
        """Run epochs until no version rule fires."""
        run = self.run_
        late = {id(rule) for rule in self.ready.version_rules}
        ordinary = [d for d in self.derivations if id(d.rule) not in late]
        changing = [d for d in self.derivations if id(d.rule) in late and not d.is_empty]
        dependent = self._dependent()
        first = [c for c in self.order if not set(c) & dependent]
        rest = [c for c in self.order if set(c) & dependent]
        given = {p for c in rest for p in c if p in run.filled}
        for predicate in given:
            table = run.layouts[predicate].table
            run.engine.replace(f"{table}_b", everything(table))
        run_strata(run, first, [d for d in ordinary if not set(head_predicates(d.rule)) & dependent])
        again = [d for d in ordinary if not _only(d, dependent)]
        while True:
            self.history.epochs += 1
            if self.history.epochs > run.budget.rounds:
                run.stop(f"{run.budget.rounds:,} epochs", changing, "--max-rounds")
            self._forget(rest, given, again)
            run_strata(run, rest, again)
            if not self._change(changing):
                return self.history

    def _dependent(self) -> set[str]:
        """Return what depends on a versioned predicate, without the versioned ones themselves."""
        after: dict[str, set[str]] = {}
        for edge in self.run_.edges:
            after.setdefault(edge.source, set()).add(edge.target)
        found: set[str] = set()
        waiting = list(self.ready.versioned)
        while waiting:
            for target in after.get(waiting.pop(), ()):
                if target not in found and target not in self.ready.versioned:
                    found.add(target)
                    waiting.append(target)
        return found

    def _forget(self, rest: Sequence[Sequence[str]], given: set[str], again: Sequence[Derivation]) -> None:
        """Forget what depends on versions, and what the rules for it kept; the rest was derived once and stays."""
        run = self.run_
        run.violations.clear()
        for component in rest:
            for predicate in component:
                table = run.layouts[predicate].table
                if predicate in given:
                    run.engine.replace(table, everything(f"{table}_b"))
                else:
                    run.filled.discard(predicate)
        for derivation in again:
            if derivation.number in run.contributions:
                run.contributions.pop(derivation.number).forget()
            run.chases.pop(derivation.number, None)
            if derivation.number in run.functions:
                run.functions[derivation.number].reset()

    # -- choosing ------------------------------------------------------------------------------------------------------

    def _change(self, changing: Sequence[Derivation]) -> bool:
        """Fire the version rules once; return whether anything changed."""
        run = self.run_
        run.next_round(changing)
        by_predicate: dict[str, list[Derivation]] = {}
        for derivation in changing:
            by_predicate.setdefault(derivation.heads[0].predicate, []).append(derivation)
        changed = False
        for predicate, rules in by_predicate.items():
            changed |= self._choose(predicate, rules)
        return changed

    def _choose(self, predicate: str, rules: Sequence[Derivation]) -> bool:
        run = self.run_
        key = self._key(predicate)
        offers = [_Offer(run, derivation, predicate, key) for derivation in rules]
        offers = [offer for offer in offers if offer.make()]
        if not offers:
            return False
        if len({len(offer.parts) for offer in offers}) > 1:
            # A recoded column changes every tuple: nothing else may change one in the same epoch.
            offers = [offer for offer in offers if offer.is_whole_column]
        chosen = run.engine.new_table()
        run.engine.replace(chosen, self._chosen(offers))
        layout = run.layouts[predicate]
        fresh = f"{layout.table}_v"
        news = 0
        for place, offer in enumerate(offers):
            select = offer.fire(chosen, place)
            if select is None:
                continue
            added = run.engine.append(fresh, select) if news else run.engine.replace(fresh, select)
            news += added
            if added:
                self.history.changes.append(Change(self.history.epochs, offer.derivation, offer.fired, added))
        run.engine.forget(chosen)
        for offer in offers:
            run.engine.forget(offer.table)
        if not news:
            return False
        self._supersede(layout, key, fresh)
        run.count(news, rules)
        return True

    def _key(self, predicate: str) -> tuple[int, ...]:
        names = self.ready.versioned[predicate]
        return key_places(self.ready.program.rules, predicate, names) or tuple(range(len(names)))

    def _chosen(self, offers: Sequence[_Offer]) -> exp.Query:
        """Return which offer of which rule is taken: the first of each key in the order of the route."""
        selects = []
        width = max(offer.width for offer in offers)
        for place, offer in enumerate(offers):
            orders = [
                exp.alias_(exp.column(f"o{i}") if i < offer.width else exp.Literal.number(0), f"o{i}")
                for i in range(width)
            ]
            number = exp.alias_(exp.Literal.number(place), "rule_")
            selects.append(exp.select(number, "id_", *offer.parts, *orders).from_(offer.table))
        ordered = [ascending(exp.column(f"o{i}")) for i in range(width)]
        ordered += [ascending(exp.column("rule_")), ascending(exp.column("id_"))]
        window = exp.Window(
            this=exp.RowNumber(),
            partition_by=[exp.column(name) for name in offers[0].parts] if not offers[0].is_single else [],
            order=exp.Order(expressions=ordered),
        )
        ranked = exp.select("rule_", "id_", exp.alias_(window, "rank_")).from_(union(selects).subquery("f"))
        first = exp.EQ(this=exp.column("rank_"), expression=exp.Literal.number(1))
        return exp.select("rule_", "id_").from_(ranked.subquery("k")).where(first)

    def _supersede(self, layout: Layout, key: tuple[int, ...], fresh: str) -> None:
        """Put the new versions in the place of the old ones, which are kept for explanations only."""
        engine = self.run_.engine
        names = [name for i in key for name in layout.position_columns(i)]
        same = both(*(null_safe(exp.column(n, table="t"), exp.column(n, table="v")) for n in names))
        found = found_in(named(fresh, "v")).where(same)
        everything = [*layout.columns(), ROUND]
        terms = [exp.column(name, table="t") for name in everything]
        ended = exp.alias_(exp.Cast(this=exp.Literal.number(self.run_.round), to=sql_type(INTEGER)), "ended")
        source = named(layout.table, "t")
        old = exp.select(*terms, ended).from_(source).where(exp.Exists(this=found))
        if layout.predicate in self.history.older:
            engine.append(self.history.older[layout.predicate], old)
        else:
            self.history.older[layout.predicate] = engine.new_table()
            engine.replace(self.history.older[layout.predicate], old)
        kept = (
            exp.select(*(t.copy() for t in terms))
            .from_(source.copy())
            .where(exp.Not(this=exp.Exists(this=found.copy())))
        )
        engine.replace(layout.table, union([kept, exp.select(*everything).from_(fresh)]))
        engine.forget(fresh)


def _only(derivation: Derivation, dependent: set[str]) -> bool:
    """Whether a rule derives nothing that depends on versions."""
    heads = set(head_predicates(derivation.rule))
    return bool(heads) and not heads & dependent


class _Offer:
    """What one version rule would change: a row for each binding, with its key and its place in the order."""

    def __init__(self, run: Run, derivation: Derivation, predicate: str, key: tuple[int, ...]) -> None:
        self._run, self.derivation, self._key = run, derivation, key
        self._atom = next(a for a in derivation.heads if a.predicate == predicate)
        self._layout = run.layouts[predicate]
        route = derivation.rule.annotation("route")
        self._order = route.option("order") if route is not None else None
        self.is_whole_column = text_option(route, "scope", "") == "whole_column"
        self.is_single = text_option(route, "step", "all") == "one"
        self.table, self.fired = run.engine.new_table(), run.engine.new_table()
        self.width = 0
        self.parts: list[str] = []
        self._cells: list[Cell] = []
        self._names: list[str] = []

    def make(self) -> bool:
        """Find all bindings; return whether there are any."""
        run = self._run
        run.prepare(self.derivation)
        body = self.derivation.bound()
        heads = self.derivation.head_cells(body, self._atom)
        keys = [heads[i] for i in (self._key[:-1] if self.is_whole_column else self._key)]
        order = self._ordered(body)
        self.width = len(order)
        frontier = [body.terms.bound[v.name] for v in self.derivation.frontier]
        names, self._cells = moved(frontier, "f")
        self._names = [f"q{i}" for i in range(len(names))]
        parts = [term for cell in keys for term in cell_columns(cell)]
        self.parts = [f"k{i}" for i in range(len(parts))]
        select = body.select(
            *names,
            *(exp.alias_(term, name) for term, name in zip(parts, self.parts, strict=True)),
            *(exp.alias_(term, f"o{i}") for i, term in enumerate(order)),
        ).distinct()
        window = exp.Window(
            this=exp.RowNumber(), order=exp.Order(expressions=[ascending(exp.column(n)) for n in self._names])
        )
        return (
            run.engine.replace(self.table, exp.select("*", exp.alias_(window, "id_")).from_(select.subquery("f"))) > 0
        )

    def _ordered(self, body: Body) -> list[exp.Expr]:
        """Return what bindings are ordered by: smaller first."""
        if isinstance(self._order, ListOf):
            return [self._by_name(body, item) for item in self._order.items]
        if isinstance(self._order, Constant) and self._order.value == "most_risky_first":
            return self._rarest(body)
        return []

    def _by_name(self, body: Body, item: Term) -> exp.Expr:
        assert isinstance(item, Constant)
        name = str(item.value)
        cell = body.terms.bound[name.removeprefix("-")]
        return exp.Neg(this=exp.paren(body.terms.number(cell))) if name.startswith("-") else cell.value.copy()

    def _rarest(self, body: Body) -> list[exp.Expr]:
        """Order by how often the value to be changed occurs: the rarer, the more it gives away."""
        update = next((n for a in self._atom.arguments for n in walk(a) if isinstance(n, Update)), None)
        if update is None:
            return []
        value = body.terms.cell(Access(update.record, update.key))
        place = next(i for i, a in enumerate(self._atom.arguments) if any(n is update for n in walk(a)))
        alias = f"v{next(body.aliases)}"
        record = self._layout.cells(alias)[place]
        there = Terms(self._run.engine, {**body.terms.bound, "_other": record}).cell(
            Access(Variable("_other"), update.key)
        )
        same = body.terms.matching(Cell(there.type, there.value), Cell(value.type, value.value))
        count = exp.select(exp.Count(this=exp.Star())).from_(named(self._layout.table, alias)).where(same)
        return [exp.paren(count.subquery())]

    def fire(self, chosen: str, place: int) -> exp.Select | None:
        """Return the new versions of the chosen bindings."""
        run = self._run
        mine = exp.EQ(this=exp.column("rule_", table="c"), expression=exp.Literal.number(place))
        same = exp.EQ(this=exp.column("id_", table="c"), expression=exp.column("id_", table="t"))
        names = [exp.column(name, table="t") for name in self._names]
        picked = exp.select(*names).from_(named(self.table, "t")).join(named(chosen, "c"), on=both(same, mine))
        if self.is_whole_column:
            picked = self._widened(picked)
        count = run.engine.replace(self.fired, picked.distinct())
        if not count:
            return None
        made = len(self.derivation.existentials)
        first = run.new_labels(count * max(made, 1), self.derivation)
        window = exp.Window(
            this=exp.RowNumber(), order=exp.Order(expressions=[ascending(exp.column(n)) for n in self._names])
        )
        number = exp.Mul(
            this=exp.paren(exp.Sub(this=window, expression=exp.Literal.number(1))),
            expression=exp.Literal.number(max(made, 1)),
        )
        label = exp.Cast(
            this=exp.paren(exp.Add(this=exp.Literal.number(first), expression=number)), to=sql_type(INTEGER)
        )
        run.engine.replace(self.fired, exp.select(*self._names, exp.alias_(label, FIRST)).from_(self.fired))
        body = Body(run.engine, run.layouts, Terms(run.engine))
        body.sources = [named(self.fired, "f")]
        for variable, cell in zip(self.derivation.frontier, self._cells, strict=True):
            body.terms.bound[variable.name] = cell
        labels = {
            v.name: Cell(
                NOTHING,
                exp.Null(),
                exp.Add(this=exp.column(FIRST, table="f"), expression=exp.Literal.number(i)),
            )
            for i, v in enumerate(self.derivation.existentials)
        }
        facts = projected(body, self._layout, self.derivation.head_cells(body, self._atom, labels))
        stamp = exp.alias_(exp.Cast(this=exp.Literal.number(run.round), to=sql_type(INTEGER)), ROUND)
        return exp.select(*columns(self._layout), stamp).from_(facts.subquery("n"))

    def _widened(self, picked: exp.Select) -> exp.Select:
        """Return the bindings of all facts, whatever made one of them change: a whole column is recoded."""
        rule, run = self.derivation.rule, self._run
        key_names = {a.name for i in self._key for a in [self._atom.arguments[i]] if isinstance(a, Variable)}
        last = self._atom.arguments[self._key[-1]]
        own = {last.name} if isinstance(last, Variable) else set()
        kept = tuple(
            item
            for item in rule.body
            if not (own & {v.name for v in variables(item)})
            or (isinstance(item, Atom) and item.predicate == self._layout.predicate)
        )
        update = next((n for a in self._atom.arguments for n in walk(a) if isinstance(n, Update)), None)
        fixed = {v.name for v in variables(update.key)} if update is not None else set()
        fixed |= key_names - own
        wide = Derivation(
            run.engine,
            Rule(kept, rule.head, rule.exists, rule.label, (), rule.origin, rule.module),
            self.derivation.number,
            run.layouts,
            self.derivation.similar,
        )
        body = wide.bound()
        places = {v.name: cell for v, cell in zip(self.derivation.frontier, self._cells, strict=True)}
        conditions = []
        for name in sorted(fixed & set(places)):
            outer = body.terms.bound[name]
            inner = places[name]
            moved_inner = Cell(
                inner.type,
                exp.column(inner.value.name, table="p"),
                None if inner.label is None else exp.column(inner.label.name, table="p"),
            )
            if not isinstance(inner.type, RowType):
                conditions.append(body.terms.matching(moved_inner, outer))
        found = exp.select(exp.alias_(exp.Literal.number(1), "found")).from_(picked.subquery("p"))
        body.conditions.append(exp.Exists(this=found.where(both(*conditions))))
        names, _ = moved([body.terms.bound[v.name] for v in self.derivation.frontier], "f")
        return body.select(*names)
