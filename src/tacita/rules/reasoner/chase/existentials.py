"""Existential rules: a restricted chase with nulls that are named by what they were made for.

A rule fires for a binding of its frontier only if nothing satisfies the head yet. The null of a rule, a variable and a
frontier is always the same one (of one epoch, where there are versions); the table of frontiers says who made it. Where
a rule's frontier holds nulls itself and the program is warded, a binding like an earlier one up to the names of its
nulls says nothing new and is left out: this is what ends a chase that would go on for ever.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.rules.logic.terms import Blank, Constant, Variable
from tacita.rules.logic.types import INTEGER, NOTHING
from tacita.rules.reasoner.plans.bodies import Body, moved
from tacita.rules.reasoner.plans.cells import Cell, any_row_of, ascending, both, everything, named, not_null, null_safe
from tacita.rules.reasoner.plans.derivations import RuleDerivation, projected
from tacita.rules.reasoner.plans.groups import head_record
from tacita.rules.reasoner.plans.layout import ROUND, cell_columns, sql_type
from tacita.rules.reasoner.plans.tables import new_facts
from tacita.rules.reasoner.plans.terms import CompiledTerms

if TYPE_CHECKING:
    from tacita.rules.reasoner.chase.run import Run


FIRST = "first_label"


class Chase:
    """The firings of one existential rule."""

    def __init__(self, run: Run, derivation: RuleDerivation) -> None:
        self._run = run
        self.derivation = derivation
        self.table = run.engine.new_table()
        """The frontiers that the rule fired for, each with the first of its labels."""
        self._seen = 0
        self.has_fired = False
        self._is_cyclic = False

    def look_again(self) -> None:
        """Look at all facts once more: an equality rule changed some of them."""
        self._seen = 0

    def fire(self, predicates: Collection[str]) -> int:
        """Fire for every frontier that has no head yet; return how many facts that gave."""
        engine, since = self._run.engine, self._seen
        if since and not any(atom.predicate in predicates for atom in self.derivation.atoms):
            return 0  # everything that it reads was complete before: it has fired for all of it
        self._is_cyclic = any(atom.predicate in predicates for atom in self.derivation.atoms)
        self._seen = self._run.round - 1
        body = self.derivation.bound()
        self._only_since(body, since, predicates)
        frontier = [body.terms.bound[v.name] for v in self.derivation.frontier]
        body.conditions.append(self._unsatisfied(body))
        names, cells = moved(frontier, "f")
        if self.has_fired and names:
            body.conditions.append(self._not_fired(frontier, names))
        columns = names or [exp.alias_(exp.Literal.number(1), "q0")]
        chosen = body.select(*columns).distinct()
        keys = [f"q{i}" for i in range(len(columns))]
        plan = self._without_lookalikes(chosen, cells, keys)
        if engine.replace(f"{self.table}_c", plan) == 0:
            engine.forget(f"{self.table}_c")
            return 0
        count = int(
            engine.run(exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(f"{self.table}_c"))[0]["n"]
        )
        labels = len(self.derivation.existentials)
        first = self._run.new_labels(count * labels, self.derivation)
        self._name(keys, first, labels)
        added = self._assert(cells)
        engine.forget(f"{self.table}_c")
        engine.forget(f"{self.table}_n")
        return added

    def _only_since(self, body: Body, since: int, predicates: Collection[str]) -> None:
        """Look only at matches with a fact that came in since the rule was asked last."""
        if not since or self.derivation.grouping is not None or not body.matched:
            return
        inside = [alias for atom, alias in body.matched if atom.predicate in predicates]
        recent = [exp.GT(this=exp.column(ROUND, table=a), expression=exp.Literal.number(since)) for a in inside]
        condition: exp.Expr = recent[0]
        for other in recent[1:]:
            condition = exp.Or(this=condition, expression=other)
        body.conditions.append(exp.paren(condition))

    def _unsatisfied(self, body: Body) -> exp.Expr:
        """Return the condition that no facts satisfy the head for this frontier."""
        terms = CompiledTerms(self._run.engine, dict(body.terms.bound), body.terms.known, body.terms.similar)
        inner = Body(self._run.engine, self._run.layouts, terms, body.aliases, is_correlated=True)
        unknown = {v.name for v in self.derivation.existentials}
        for name in unknown:
            inner.terms.bound.pop(name, None)
        for atom in self.derivation.heads:
            layout = self._run.layouts[atom.predicate]
            alias = f"h{next(inner.aliases)}"
            inner.sources.append(named(layout.table, alias))
            for argument, cell in zip(atom.arguments, layout.cells(alias), strict=True):
                term = head_record(argument)
                if isinstance(term, Blank):
                    continue
                if isinstance(term, Variable) and term.name in unknown and term.name not in inner.terms.bound:
                    inner.terms.bound[term.name] = cell
                elif not (unknown & _names(term)) or isinstance(term, Variable | Constant):
                    inner.conditions.append(inner.terms.matching(inner.terms.cell(term), cell))
                else:
                    inner.conditions.append(exp.false())  # a term around a new null is always new
        return exp.Not(this=exp.Exists(this=inner.select(exp.alias_(exp.Literal.number(1), "found"))))

    def _not_fired(self, frontier: list[Cell], names: list[exp.Expr]) -> exp.Expr:
        """Return the condition that the rule has not fired for this frontier yet."""
        terms = [term for cell in frontier for term in cell_columns(cell)]
        same = both(*(null_safe(exp.column(n.alias, table="o"), t) for n, t in zip(names, terms, strict=True)))
        return exp.Not(this=exp.Exists(this=any_row_of(named(self.table, "o")).where(same)))

    def _without_lookalikes(self, chosen: exp.Select, cells: list[Cell], keys: list[str]) -> exp.Select:
        plan = exp.select(*keys).from_(chosen.subquery("f"))
        labels = [cell.label for cell in cells if cell.label is not None]
        if not labels or not self._is_cyclic or not self._run.is_endless:
            return plan
        pattern = self._pattern(cells, "f")
        has_null = exp.paren(_any_of([not_null(label) for label in labels]))
        window = exp.Window(
            this=exp.RowNumber(),
            partition_by=[term.copy() for term in pattern],
            order=exp.Order(expressions=[ascending(exp.column(key)) for key in keys]),
        )
        first = exp.paren(
            exp.Or(
                this=exp.Not(this=has_null),
                expression=exp.EQ(this=exp.column("place_"), expression=exp.Literal.number(1)),
            )
        )
        ranked = exp.select("*", exp.alias_(window, "place_")).from_(chosen.subquery("f"))
        plan = exp.select(*keys).from_(ranked.subquery("f")).where(first)
        if self.has_fired:
            same = both(*(null_safe(a, b) for a, b in zip(self._pattern(cells, "o"), pattern, strict=True)))
            seen = any_row_of(named(self.table, "o"))
            known = exp.Exists(this=seen.where(same))
            plan = plan.where(exp.Not(this=exp.paren(exp.And(this=has_null.copy(), expression=known))))
        return plan

    def _pattern(self, cells: list[Cell], alias: str) -> list[exp.Expr]:
        """Return the frontier with its nulls numbered by their first place: equal for lookalikes."""
        terms: list[exp.Expr] = []
        labels: list[exp.Expr] = []
        for cell in cells:
            values = [exp.column(term.name, table=alias) for term in cell_columns(cell)]
            if cell.label is None:
                terms += values
                continue
            label = exp.column(cell.label.name, table=alias)
            labels.append(label)
            ifs = [
                exp.If(this=exp.EQ(this=label.copy(), expression=other.copy()), true=exp.Literal.number(i))
                for i, other in enumerate(labels)
            ]
            terms += [values[0], exp.Case(ifs=ifs)]
        return terms

    def _name(self, keys: list[str], first: int, labels: int) -> None:
        """Give every chosen frontier its labels."""
        window = exp.Window(
            this=exp.RowNumber(), order=exp.Order(expressions=[ascending(exp.column(key)) for key in keys])
        )
        number = exp.Sub(this=window, expression=exp.Literal.number(1))
        label = exp.Add(
            this=exp.Literal.number(first),
            expression=exp.Mul(this=exp.paren(number), expression=exp.Literal.number(labels)),
        )
        stamp = exp.alias_(exp.Cast(this=exp.Literal.number(self._run.round), to=sql_type(INTEGER)), ROUND)
        named = exp.alias_(exp.Cast(this=exp.paren(label), to=sql_type(INTEGER)), FIRST)
        self._run.engine.replace(f"{self.table}_n", exp.select(*keys, named, stamp).from_(f"{self.table}_c"))
        fired = everything(f"{self.table}_n")
        if self.has_fired:
            self._run.engine.append(self.table, fired)
        else:
            self._run.engine.replace(self.table, fired)
            self.has_fired = True

    def _assert(self, cells: list[Cell]) -> int:
        """Add the head facts of the chosen frontiers."""
        engine, added = self._run.engine, 0
        for atom in self.derivation.heads:
            layout = self._run.layouts[atom.predicate]
            body = Body(engine, self._run.layouts, CompiledTerms(engine))
            body.sources = [named(f"{self.table}_n", "f")]
            for variable, cell in zip(self.derivation.frontier, cells, strict=True):
                body.terms.bound[variable.name] = cell
            nulls = self.new_nulls("f")
            select = projected(body, layout, self.derivation.head_cells(body, atom, nulls))
            engine.replace(f"{layout.table}_n", new_facts(select, layout, self._run.round))
            new = engine.append(layout.table, everything(f"{layout.table}_n"))
            if new:
                engine.append(f"{layout.table}_d", everything(f"{layout.table}_n"))
            added += new
        return added

    def new_nulls(self, alias: str) -> dict[str, Cell]:
        """Return the nulls of a firing."""
        first = exp.column(FIRST, table=alias)
        return {
            v.name: Cell(NOTHING, exp.Null(), exp.Add(this=first.copy(), expression=exp.Literal.number(i)))
            for i, v in enumerate(self.derivation.existentials)
        }


def _names(term: object) -> set[str]:
    from tacita.rules.logic.terms import variables

    return {v.name for v in variables(term)}  # type: ignore[arg-type]


def _any_of(conditions: list[exp.Expr]) -> exp.Expr:
    result = conditions[0]
    for condition in conditions[1:]:
        result = exp.Or(this=result, expression=condition)
    return result
