"""Aggregates inside recursion: contributions are gathered round by round, and only groups that got one are looked at.

The table of contributions holds group, contributors and value of every match seen so far. A group's value is formed of
the extreme value of each contributor, so it only ever moves one way, and a threshold that was passed stays passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.errors import ReasoningError
from tacita.rules.logic.terms import Atom, Term, Variable
from tacita.rules.logic.types import INTEGER
from tacita.rules.reasoner.plans.cells import any_row_of, both, everything, named, null_safe
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.groups import Gathered, doubled, maybe_groups, records
from tacita.rules.reasoner.plans.keys import determined
from tacita.rules.reasoner.plans.layout import ROUND, sql_type
from tacita.rules.reasoner.plans.tables import union

if TYPE_CHECKING:
    from tacita.rules.reasoner.chase.run import Run


class RecursiveContributions:
    """The contributions to the aggregates of one rule in a recursion."""

    def __init__(self, run: Run, derivation: RuleDerivation) -> None:
        self._run = run
        self.derivation = derivation
        self.table = run.engine.new_table()
        self.gathered = derivation.gathered()
        self._round = 0
        self._exists = False
        self._has_news = False
        self._answer: dict[Atom, exp.Select] = {}

    def forget(self) -> None:
        """Begin again: facts have changed."""
        self._exists = False
        self._run.engine.forget(self.table)

    def take_round(self, deltas: Sequence[Mapping[int, str]], atom: Atom) -> Iterable[exp.Query]:
        """Take the contributions of the last round in; return what the groups that got one say now in a head atom."""
        if self._round != self._run.round:
            self._has_news = self._take(deltas)
            self._round = self._run.round
        if not self._has_news:
            return []
        if atom not in self._answer:
            self._answer[atom] = self._select(atom)
        return [self._answer[atom].copy()]

    def final(self, atom: Atom) -> Iterable[exp.Query]:
        """Return what all groups say in a head atom: once nothing is new any more, the final values."""
        if not self._exists:
            return []
        return [self.derivation.select(atom, source=self._everybody())]

    def _everybody(self) -> exp.Expr:
        names = [exp.column(name, table="k") for name in self.gathered.names]
        return exp.select(*names).from_(named(self.table, "k")).subquery("m")

    def _select(self, atom: Atom) -> exp.Select:
        keys = [column.name for column in self.gathered.group_cells()]
        same = both(*(_same(self.gathered, k, exp.column(k, table="k"), exp.column(k, table="t")) for k in keys))
        group = any_row_of(named(f"{self.table}_n", "t"))
        names = [exp.column(name, table="k") for name in self.gathered.names]
        live = exp.select(*names).from_(named(self.table, "k")).where(exp.Exists(this=group.where(same)))
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
            known = any_row_of(named(self.table, "o"))
            plan = plan.where(exp.Not(this=exp.Exists(this=known.where(same))))
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
        refuse_doubled(self.derivation, self._everybody())
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


def refuse_doubled(derivation: RuleDerivation, source: exp.Expr | None = None) -> None:
    """Refuse to make records in which an attribute would have two values; `source` is a table of gathered matches."""
    gathered = derivation.gathered()
    for pair in records(gathered):
        if source is None and _tells_apart(derivation, pair.first):
            continue
        reading = source if source is not None else gathered.select.subquery("m")
        reading = maybe_groups(gathered, reading) if derivation.is_maybe else reading
        number = int(derivation.engine.run(doubled(gathered, reading, pair))[0]["n"])
        if number:
            raise ReasoningError(
                f"rule {derivation.rule.name} makes records, and in {number:,} of its groups an attribute would have "
                "two values",
                where=str(derivation.rule.origin),
                do="name in the head what tells the values apart, or choose one of them by a rule before",
            )


def _tells_apart(derivation: RuleDerivation, name: Term) -> bool:
    """Whether a group and the name of an attribute determine the match, so that there is one value at most."""
    assert derivation.grouping is not None
    known = {term.name for term in (*derivation.grouping.group, name) if isinstance(term, Variable)}
    return determined(derivation.schedule.before, known, derivation.keys) is not None


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
