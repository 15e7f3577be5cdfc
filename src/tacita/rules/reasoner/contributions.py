"""Aggregates inside recursion: contributions are gathered round by round, and only groups that got one are looked at.

The table of contributions holds group, contributors and value of every match seen so far. A group's value is formed of
the extreme value of each contributor, so it only ever moves one way, and a threshold that was passed stays passed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.errors import ReasoningError
from tacita.rules.logic.terms import Aggregate, Term, Variable, aggregates
from tacita.rules.logic.types import INTEGER
from tacita.rules.reasoner.cells import both, null_safe
from tacita.rules.reasoner.derivations import Derivation
from tacita.rules.reasoner.groups import Gathered
from tacita.rules.reasoner.layout import ROUND, Layout, sql_type
from tacita.rules.reasoner.sql import ascending, everything, found_in, named
from tacita.rules.reasoner.tables import union

if TYPE_CHECKING:
    from tacita.rules.reasoner.run import Run


class Contributions:
    """The contributions to the aggregates of one rule in a recursion."""

    def __init__(self, run: Run, derivation: Derivation) -> None:
        self._run = run
        self.derivation = derivation
        self.table = run.engine.new_table()
        self.gathered = derivation.gathered()
        self._round = 0
        self._exists = False
        self._has_news = False
        self._answer: dict[str, exp.Select] = {}
        self._gathering: dict[str, exp.Query] = {}

    def forget(self) -> None:
        """Begin again: facts have changed."""
        self._exists = False
        self._run.engine.forget(self.table)

    def touched(self, deltas: Sequence[Mapping[int, str]], predicate: str) -> Iterable[exp.Query]:
        """Take the contributions of the last round in; return what the groups that got one say now."""
        if self._round != self._run.round:
            self._has_news = self._take(deltas)
            self._round = self._run.round
        if not self._has_news:
            return []
        if predicate not in self._answer:
            self._answer[predicate] = self._select(predicate)
        return [self._answer[predicate].copy()]

    def _select(self, predicate: str) -> exp.Select:
        keys = [column.name for column in self.gathered.group_cells()]
        same = both(*(_same(self.gathered, k, exp.column(k, table="k"), exp.column(k, table="t")) for k in keys))
        group = found_in(named(f"{self.table}_n", "t"))
        names = [exp.column(name, table="k") for name in self.gathered.names]
        live = exp.select(*names).from_(named(self.table, "k")).where(exp.Exists(this=group.where(same)))
        [atom] = [a for a in self.derivation.heads if a.predicate == predicate][:1]
        return self.derivation.select(atom, source=live.subquery("m"))

    def _take(self, deltas: Sequence[Mapping[int, str]]) -> bool:
        engine = self._run.engine
        for tables in deltas:
            unknown = self.derivation.gathered(tables).unknown
            self._run.refuse_unknown(self.derivation, unknown)
        names = self.gathered.names
        selects = union([self.derivation.gathered(tables).select for tables in deltas])
        stamp = exp.alias_(exp.Cast(this=exp.Literal.number(self._run.round), to=sql_type(INTEGER)), ROUND)
        rows = exp.select(*names).distinct().from_(selects.subquery("f"))
        plan = exp.select(*(exp.column(n, table="n") for n in names), stamp).from_(rows.subquery("n"))
        if self._exists:
            same = both(*(_same(self.gathered, n, exp.column(n, table="o"), exp.column(n, table="n")) for n in names))
            found = found_in(named(self.table, "o"))
            plan = plan.where(exp.Not(this=exp.Exists(this=found.where(same))))
        news = engine.replace(f"{self.table}_n", plan)
        if not news:
            return False
        self._refuse_sign()
        taken = everything(f"{self.table}_n")
        if self._exists:
            engine.append(self.table, taken)
        else:
            engine.replace(self.table, taken)
            self._exists = True
        return True

    def _refuse_sign(self) -> None:
        """Refuse values with which a sum could fall, or a product rise: the recursion would not be monotone."""
        for aggregate in self.gathered.grouping.aggregates:
            if aggregate.function not in {"msum", "mprod"} or aggregate.value is None:
                continue
            value = exp.column(self.gathered.cells[aggregate.value].value.name)
            wrong: exp.Expr = exp.LT(this=value, expression=exp.Literal.number(0))
            if aggregate.function == "mprod":
                wrong = exp.Or(this=wrong, expression=exp.GT(this=value.copy(), expression=exp.Literal.number(1)))
            plan = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(f"{self.table}_n").where(wrong)
            number = int(self._run.engine.run(plan)[0]["n"])
            if number:
                allowed = "negative" if aggregate.function == "msum" else "outside [0, 1]"
                raise ReasoningError(
                    f"rule {self.derivation.rule.name} is recursive, and {number:,} of the values of its "
                    f"{aggregate.function} are {allowed}",
                    where=str(self.derivation.rule.origin),
                    do="filter them, or take the aggregate out of the recursion: the result would depend on the order",
                )


def _same(gathered: Gathered, name: str, a: exp.Expr, b: exp.Expr) -> exp.Expr:
    nullable = {
        column
        for cell in gathered.cells.values()
        if cell.label is not None
        for column in (cell.value.name, cell.label.name)
    }
    return (
        null_safe(a, b)
        if name in nullable or any(c.row for c in gathered.cells.values())
        else exp.EQ(this=a, expression=b)
    )


@dataclass(frozen=True, slots=True)
class Extreme:
    """A position of a recursive predicate that an aggregate computes: only its extreme value is a fact in the end."""

    position: int
    is_smallest: bool
    is_set: bool = False

    def _measured(self, column: exp.Expr) -> exp.Expr:
        return exp.Anonymous(this="len", expressions=[column]) if self.is_set else column

    def beaten(self, layout: Layout) -> exp.Expr:
        """Return when an old fact ``o`` makes a new one ``n`` useless."""
        own = set(layout.position_columns(self.position))
        rest = [name for name in layout.columns() if name not in own]
        same = [null_safe(exp.column(name, table="o"), exp.column(name, table="n")) for name in rest]
        old, new = (self._measured(exp.column(f"c{self.position}", table=t)) for t in ("o", "n"))
        node = exp.LTE if self.is_smallest else exp.GTE
        return both(*same, node(this=old, expression=new))

    def final(self, layout: Layout) -> exp.Select:
        """Return the facts with the extreme value of each group."""
        own = set(layout.position_columns(self.position))
        rest = [name for name in layout.columns() if name not in own]
        measured = self._measured(exp.column(f"c{self.position}"))
        order = exp.Ordered(this=measured, desc=not self.is_smallest, nulls_first=False)
        window = exp.Window(
            this=exp.RowNumber(),
            partition_by=[exp.column(name) for name in rest],
            order=exp.Order(expressions=[order, ascending(exp.column(ROUND))]),
        )
        names = [*layout.columns(), ROUND]
        ranked = exp.select(*names, exp.alias_(window, "rank_")).from_(named(layout.table))
        best = exp.EQ(this=exp.column("rank_"), expression=exp.Literal.number(1))
        return exp.select(*names).from_(ranked.subquery("k")).where(best)


def extremes(derivations: Sequence[Derivation], inside: Collection[str]) -> dict[str, Extreme]:
    """Return the predicates of a recursion with a position that an aggregate of that recursion computes."""
    found: dict[str, Extreme] = {}
    for derivation in derivations:
        if derivation.grouping is None or not any(a.predicate in inside for a in derivation.atoms):
            continue
        for atom in derivation.heads:
            for position, argument in enumerate(atom.arguments):
                aggregate = _aggregate_of(derivation, argument)
                if aggregate is not None:
                    smallest = aggregate.function in {"mmin", "mprod"}
                    found[atom.predicate] = Extreme(position, smallest, aggregate.function == "munion")
    return found


def _aggregate_of(derivation: Derivation, argument: Term) -> Aggregate | None:
    inside = aggregates(argument)
    if inside:
        return inside[0]
    if isinstance(argument, Variable) and argument.name in derivation.schedule.aggregated:
        for step in derivation.schedule.after:
            variable, term = getattr(step, "variable", None), getattr(step, "term", None)
            if variable is not None and variable.name == argument.name and term is not None:
                return _aggregate_of(derivation, term)
    return None
