"""Routes: what version rules would change, and which of it is taken.

Every match of a version rule whose head would be a new fact is an offer. Offers are looked at in the order of the rules
and, for the matches of one rule, in the order of its ``@route``. One is taken unless another was taken before it for
the same key, or, with ``choose_one_per``, by the same rule for the same values of some variables, or, with
``step = "one"``, by the same rule at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from sqlglot import exp

from tacita.errors import RuleError
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import Access, Atom, Constant, ListOf, SetOf, Term, Update, Variable, variables, walk
from tacita.rules.logic.types import INTEGER, NOTHING, RowType
from tacita.rules.reasoner.chase.existentials import FIRST
from tacita.rules.reasoner.chase.run import Run
from tacita.rules.reasoner.plans.bodies import Body, moved
from tacita.rules.reasoner.plans.cells import Cell, any_row_of, ascending, both, named, null_safe
from tacita.rules.reasoner.plans.derivations import RuleDerivation, fitted, projected
from tacita.rules.reasoner.plans.layout import ROUND, cell_columns, sql_type
from tacita.rules.reasoner.plans.tables import columns, union
from tacita.rules.reasoner.plans.terms import CompiledTerms
from tacita.rules.reasoner.program import text_option

RISKY_FIRST, LESS_SIGNIFICANT_FIRST = "most_risky_first", "less_significant_first"
CATEGORIES, WEIGHT = "Cat", "Weight"
"""The predicate that says what attributes are, and what it says of the sampling weight."""


class Offer:
    """What one version rule would change: a row for each match, with its key and its place in the order."""

    def __init__(self, run: Run, derivation: RuleDerivation, written: Rule, key: tuple[int, ...]) -> None:
        self._run, self.derivation, self._written, self.key = run, derivation, written, key
        self.atom = derivation.heads[0]
        self.layout = run.layouts[self.atom.predicate]
        route = derivation.rule.annotation("route")
        self._order = route.option("order") if route is not None else None
        self.is_whole_column = text_option(route, "scope", "") == "whole_column"
        self.is_single = text_option(route, "step", "all") == "one"
        self._choice = _texts(route.option("choose_one_per")) if route is not None else []
        self.table, self.fired = run.engine.new_table(), run.engine.new_table()
        self.falling: list[bool] = []
        """For each term of the order, whether the largest comes first."""
        self.chosen_by = 0
        """How many terms one offer is chosen per; 0 if the key says it all."""
        self.parts: list[str] = []
        self._cells: list[Cell] = []
        self._names: list[str] = []

    @property
    def place(self) -> object:
        """Where the rule was written: the rules that one was unfolded to have one order together."""
        origin = self.derivation.rule.origin
        return origin if origin.line else self.derivation.number

    def make(self) -> bool:
        """Find all matches that would change something; return whether there are any."""
        run = self._run
        run.prepare(self.derivation)
        body = self.derivation.bound()
        heads = self.derivation.head_cells(body, self.atom)
        body.conditions += [cell.is_known() for cell in heads if cell.is_partial]
        stored = [fitted(body.terms, c, p) for c, p in zip(heads, self.layout.positions, strict=True)]
        if not self.derivation.existentials:
            body.conditions.append(self._is_new(stored))
        order = self._ordered(body)
        self.falling = [is_falling for _, is_falling in order]
        choice = self._chosen(body)
        self.chosen_by = len(choice)
        frontier = [body.terms.bound[v.name] for v in self.derivation.frontier]
        names, self._cells = moved(frontier, "f")
        self._names = [f"q{i}" for i in range(len(names))]
        parts = [
            term for i in (self.key[:-1] if self.is_whole_column else self.key) for term in cell_columns(stored[i])
        ]
        self.parts = [f"k{i}" for i in range(len(parts))]
        select = body.select(
            *(names or [exp.alias_(exp.Literal.number(1), "q0")]),
            *(exp.alias_(term, name) for term, name in zip(parts, self.parts, strict=True)),
            *(exp.alias_(term, f"o{i}") for i, (term, _) in enumerate(order)),
            *(exp.alias_(term, f"c{i}") for i, term in enumerate(choice)),
        ).distinct()
        number = exp.alias_(self._numbered(), "id_")
        return run.engine.replace(self.table, exp.select("*", number).from_(select.subquery("f"))) > 0

    def _numbered(self) -> exp.Window:
        names = self._names or ["q0"]
        return exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=[ascending(exp.column(n)) for n in names]))

    def _is_new(self, stored: Sequence[Cell]) -> exp.Expr:
        """Return the condition that the head is no fact yet: the same version again is no change."""
        terms = [term for cell in stored for term in cell_columns(cell)]
        there = zip(self.layout.columns(), terms, strict=True)
        same = both(*(null_safe(exp.column(name, table="was"), term) for name, term in there))
        return exp.Not(this=exp.Exists(this=any_row_of(named(self.layout.table, "was")).where(same)))

    # -- order and choice ----------------------------------------------------------------------------------------------

    def _ordered(self, body: Body) -> list[tuple[exp.Expr, bool]]:
        """Return what matches are ordered by, and whether the largest comes first."""
        names = _texts(self._order)
        strategies = {RISKY_FIRST: self._rarest, LESS_SIGNIFICANT_FIRST: self._lightest}
        if not isinstance(self._order, ListOf) and not all(n in strategies or self._is_known(body, n) for n in names):
            return []  # the name of a strategy that somebody else may know
        order: list[tuple[exp.Expr, bool]] = []
        for name in names:
            if name in strategies:
                order += [(term, False) for term in strategies[name](body)]
                continue
            cell = self._named(body, name.removeprefix("-"))
            order += [(term, name.startswith("-")) for term in cell_columns(cell)]
        return order

    def _chosen(self, body: Body) -> list[exp.Expr]:
        """Return what one match is chosen per, if that is more than one per key."""
        key = [self.atom.arguments[i] for i in self.key]
        if all(isinstance(a, Constant) or (isinstance(a, Variable) and a.name in self._choice) for a in key):
            return []  # of one key, one is taken anyway
        return [term for name in self._choice for term in cell_columns(self._named(body, name))]

    def _is_known(self, body: Body, name: str) -> bool:
        return name.removeprefix("-") in body.terms.bound or name.removeprefix("-") in self._constants()

    def _named(self, body: Body, name: str) -> Cell:
        """Return a variable of the rule as it was written, which may be a constant by now."""
        if name in body.terms.bound:
            return body.terms.bound[name]
        constants = self._constants()
        if name in constants:
            return body.terms.cell(constants[name])
        raise RuleError(
            f"the @route of rule {self.derivation.rule.name} names {name}, which has no value there",
            where=str(self.derivation.rule.origin),
            do="name variables of the rule's body",
        )

    def _constants(self) -> dict[str, Constant]:
        """Return the variables of the rule as written for which it has constants now that it is unfolded."""
        constants: dict[str, Constant] = {}
        for old, new in zip_longest(walk(self._written.head[0]), walk(self.atom)):
            if isinstance(old, Variable) and isinstance(new, Constant):
                constants[old.name] = new
        return constants

    def updated(self) -> Update | None:
        """Return the change of a record that the rule makes, if it makes one."""
        return next((n for a in self.atom.arguments for n in walk(a) if isinstance(n, Update)), None)

    def _lightest(self, body: Body) -> list[exp.Expr]:
        """Order by the sampling weight of the record to be changed: the less it stands for, the less is lost."""
        update, layout = self.updated(), self._run.layouts.get(CATEGORIES)
        if update is None or layout is None or CATEGORIES not in self._run.filled or len(layout.positions) != 3:
            return []
        _, attribute, category = columns(layout)
        is_weight = exp.EQ(this=category, expression=exp.Literal.string(WEIGHT))
        plan = exp.select(exp.alias_(attribute, "name")).distinct().from_(named(layout.table)).where(is_weight)
        names = sorted(str(row["name"]) for row in self._run.engine.run(plan))
        record_type = body.terms.cell(update.record).type
        if isinstance(record_type, RowType):
            names = [name for name in names if name in dict(record_type.attributes)]
        cells = [body.terms.cell(Access(update.record, Constant(name))) for name in names]
        return [term for cell in cells for term in cell_columns(cell)]

    def _rarest(self, body: Body) -> list[exp.Expr]:
        """Order by how often the value to be changed occurs: the rarer, the more it gives away."""
        update = self.updated()
        if update is None:
            return []
        value = body.terms.cell(Access(update.record, update.key))
        place = next(i for i, a in enumerate(self.atom.arguments) if any(n is update for n in walk(a)))
        alias = f"v{next(body.aliases)}"
        record = self.layout.cells(alias)[place]
        there = CompiledTerms(self._run.engine, {**body.terms.bound, "_other": record}).cell(
            Access(Variable("_other"), update.key)
        )
        same = body.terms.matching(Cell(there.type, there.value), Cell(value.type, value.value))
        # Facts that differ in the first parts of the key are of another microdata DB.
        cells = self.layout.cells(alias)
        apart = [(cells[i], body.terms.cell(self.atom.arguments[i])) for i in self.key[:-1]]
        same = both(same, *(body.terms.matching(mine, other) for mine, other in apart))
        count = exp.select(exp.Count(this=exp.Star())).from_(named(self.layout.table, alias)).where(same)
        return [exp.paren(count.subquery())]

    # -- what is taken -------------------------------------------------------------------------------------------------

    def fire(self, taken: str, number: int) -> exp.Select | None:
        """Return the new versions of the matches that were taken."""
        run = self._run
        mine = exp.EQ(this=exp.column("rule_", table="c"), expression=exp.Literal.number(number))
        same = exp.EQ(this=exp.column("id_", table="c"), expression=exp.column("id_", table="t"))
        names = [exp.column(name, table="t") for name in self._names or ["q0"]]
        picked = exp.select(*names).from_(named(self.table, "t")).join(named(taken, "c"), on=both(same, mine))
        if self.is_whole_column:
            picked = self._widened(picked)
        count = run.engine.replace(self.fired, picked.distinct())
        if not count:
            run.engine.forget(self.fired)
            return None
        run.engine.replace(self.fired, self._labelled(count))
        body = Body(run.engine, run.layouts, CompiledTerms(run.engine))
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
        facts = projected(body, self.layout, self.derivation.head_cells(body, self.atom, labels))
        stamp = exp.alias_(exp.Cast(this=exp.Literal.number(run.round), to=sql_type(INTEGER)), ROUND)
        one = self._one_per_key(facts) if self.is_whole_column else facts.distinct()
        return exp.select(*columns(self.layout), stamp).from_(one.subquery("n"))

    def _labelled(self, count: int) -> exp.Select:
        """Return what the rule fires for, each with the first label of the nulls that this makes."""
        names = self._names or ["q0"]
        labels = len(self.derivation.existentials)
        label: exp.Expr = exp.Literal.number(0)  # a rule that makes no nulls needs no labels
        if labels:
            first = self._run.new_labels(count * labels, self.derivation)
            number = exp.Mul(
                this=exp.paren(exp.Sub(this=self._numbered(), expression=exp.Literal.number(1))),
                expression=exp.Literal.number(labels),
            )
            label = exp.paren(exp.Add(this=exp.Literal.number(first), expression=number))
        named_ = exp.alias_(exp.Cast(this=label, to=sql_type(INTEGER)), FIRST)
        return exp.select(*names, named_).from_(self.fired)

    def _one_per_key(self, facts: exp.Select) -> exp.Select:
        """Return one new version for each key: a value of a column may have several broader ones."""
        keys = [exp.column(name) for i in self.key for name in self.layout.position_columns(i)]
        order = exp.Order(expressions=[ascending(column) for column in columns(self.layout)])
        rank = exp.alias_(exp.Window(this=exp.RowNumber(), partition_by=keys, order=order), "rank_")
        ranked = exp.select(*columns(self.layout), rank).from_(facts.subquery("w"))
        return exp.select(*columns(self.layout)).from_(ranked.subquery("k")).where(_is_one("rank_"))

    def _widened(self, picked: exp.Select) -> exp.Select:
        """Return the matches of all facts, whatever made one of them change: a whole column is recoded."""
        rule, run = self.derivation.rule, self._run
        key_names = {a.name for i in self.key for a in [self.atom.arguments[i]] if isinstance(a, Variable)}
        last = self.atom.arguments[self.key[-1]]
        own = {last.name} if isinstance(last, Variable) else set()
        kept = tuple(
            item
            for item in rule.body
            if not (own & {v.name for v in variables(item)})
            or (isinstance(item, Atom) and item.predicate == self.layout.predicate)
        )
        update = self.updated()
        fixed = {v.name for v in variables(update.key)} if update is not None else set()
        fixed |= key_names - own
        wide = RuleDerivation(
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
        exists = exp.select(exp.alias_(exp.Literal.number(1), "found")).from_(picked.subquery("p"))
        body.conditions.append(exp.Exists(this=exists.where(both(*conditions))))
        names, _ = moved([body.terms.bound[v.name] for v in self.derivation.frontier], "f")
        return body.select(*(names or [exp.alias_(exp.Literal.number(1), "q0")]))


def take(run: Run, offers: Sequence[Offer]) -> str:
    """Choose among the offers of one predicate; return a table with the rules and numbers of those that are taken."""
    taken, waiting = run.engine.new_table(), run.engine.new_table()
    parts = offers[0].parts
    if not run.engine.replace(waiting, _in_order(offers)):
        raise AssertionError("offers without a match")
    run.engine.replace(taken, _firsts(waiting, parts))
    while any(offer.is_single or offer.chosen_by for offer in offers):
        # Who lost against one that was not taken itself gets another chance.
        if not run.engine.replace(waiting, _not_beaten(waiting, taken, parts)):
            break
        run.engine.append(taken, _firsts(waiting, parts))
    run.engine.forget(waiting)
    return taken


def _in_order(offers: Sequence[Offer]) -> exp.Query:
    """Return all offers in the order in which they are looked at: `group_`, the rule as written, then `place_`."""
    groups: dict[object, list[tuple[int, Offer]]] = {}
    for number, offer in enumerate(offers):
        groups.setdefault(offer.place, []).append((number, offer))
    selects = []
    for group, members in enumerate(groups.values()):
        first = members[0][1]
        orders, choices = len(first.falling), first.chosen_by
        own = [
            exp.select(
                exp.alias_(exp.Literal.number(number), "rule_"),
                "id_",
                *offer.parts,
                *(f"o{i}" for i in range(orders)),
                *(f"c{i}" for i in range(choices)),
            ).from_(offer.table)
            for number, offer in members
        ]
        ordered = [
            exp.Ordered(this=exp.column(f"o{i}"), desc=is_falling, nulls_first=False)
            for i, is_falling in enumerate(first.falling)
        ]
        ordered += [ascending(exp.column("rule_")), ascending(exp.column("id_"))]
        place = exp.Window(this=exp.RowNumber(), order=exp.Order(expressions=ordered))
        choice: exp.Expr = place.copy()  # each for itself
        if first.is_single:
            choice = exp.Cast(this=exp.Literal.number(0), to=sql_type(INTEGER))
        elif choices:
            by = [ascending(exp.column(f"c{i}")) for i in range(choices)]
            choice = exp.Window(this=exp.Anonymous(this="DENSE_RANK"), order=exp.Order(expressions=by))
        selects.append(
            exp.select(
                exp.alias_(exp.Literal.number(group), "group_"),
                exp.alias_(place, "place_"),
                exp.alias_(choice, "choice_"),
                "rule_",
                "id_",
                *first.parts,
            ).from_(union(own).subquery("f"))
        )
    return union(selects)


def _firsts(waiting: str, parts: Sequence[str]) -> exp.Select:
    """Return the offers before which no other one stands, neither of its key nor of its choice."""
    order = exp.Order(expressions=[ascending(exp.column("group_")), ascending(exp.column("place_"))])
    of_key = exp.Window(this=exp.RowNumber(), partition_by=[exp.column(p) for p in parts], order=order)
    chosen = [exp.column("group_"), exp.column("choice_")]
    of_choice = exp.Window(this=exp.RowNumber(), partition_by=chosen, order=order.copy())
    ranked = exp.select("*", exp.alias_(of_key, "of_key_"), exp.alias_(of_choice, "of_choice_")).from_(waiting)
    names = ["group_", "place_", "choice_", "rule_", "id_", *parts]
    return exp.select(*names).from_(ranked.subquery("k")).where(both(_is_one("of_key_"), _is_one("of_choice_")))


def _not_beaten(waiting: str, taken: str, parts: Sequence[str]) -> exp.Select:
    """Return the offers whose key and choice are still free."""
    by_key = [null_safe(exp.column(p, table="t"), exp.column(p, table="w")) for p in parts]
    by_choice = [
        exp.EQ(this=exp.column(n, table="t"), expression=exp.column(n, table="w")) for n in ("group_", "choice_")
    ]
    plan = exp.Select(expressions=[exp.Star()]).from_(named(waiting, "w"))
    for same in (by_key, by_choice):
        plan = plan.where(exp.Not(this=exp.Exists(this=any_row_of(named(taken, "t")).where(both(*same)))))
    return plan


def _is_one(name: str) -> exp.Expr:
    return exp.EQ(this=exp.column(name), expression=exp.Literal.number(1))


def _texts(term: Term | None) -> list[str]:
    """Return the texts of a list, a set or a single text in an annotation."""
    if isinstance(term, ListOf | SetOf):
        return [text for item in term.items for text in _texts(item)]
    if isinstance(term, Variable):
        return [term.name]
    return [term.value] if isinstance(term, Constant) and isinstance(term.value, str) else []
