"""What equality rules and denials found wrong: reported, never dropped."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.rules.logic.terms import variables
from tacita.rules.reasoner.plans.bodies import Body, moved
from tacita.rules.reasoner.plans.cells import Cell, ascending, both, named
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.layout import ROUND
from tacita.rules.reasoner.plans.tables import is_free
from tacita.rules.reasoner.values import decoded

if TYPE_CHECKING:
    from tacita.rules.reasoner.chase.run import Run


class Policy(StrEnum):
    """What happens when an equality rule or a denial fails."""

    ASK = "ask"
    """Report it; a person decides."""
    FAIL = "fail"
    """Stop: there is no result."""
    QUARANTINE = "quarantine"
    """Take the facts that clash, and what follows from them, out of the results, and report them."""


@dataclass(frozen=True, slots=True, repr=False)
class Violation:
    """One failure: which rule, for which values of its variables."""

    rule: str
    text: str
    values: Mapping[str, object] = field(hash=False)
    """The variables of the rule's body in this match."""
    clash: tuple[object, object] | None = None
    """The two constants that an equality rule would have to make one."""
    policy: Policy = Policy.ASK
    facts: tuple[tuple[str, tuple[object, ...]], ...] = ()
    """The facts that the match is made of."""

    @property
    def key(self) -> str:
        """What tells it from other violations."""
        return repr((self.rule, self.text, self.values, self.clash, self.facts))

    def __repr__(self) -> str:
        return f"<Violation of {self.rule}>"


@dataclass(frozen=True, slots=True, repr=False)
class BodyMatch:
    """A match of a body: the values of its variables, some terms, and the facts that it is made of."""

    values: Mapping[str, Any]
    extra: tuple[Any, ...]
    facts: tuple[tuple[str, tuple[Any, ...]], ...]


def body_matches(run: Run, derivation: RuleDerivation, body: Body, extra: Sequence[Cell] = ()) -> Iterator[BodyMatch]:
    """Yield the matches of a body, in order."""
    known = [*(v.name for v in derivation.all_variables()), *sorted(derivation.schedule.aggregated)]
    names = [name for name in known if name in body.terms.bound]
    atoms = [(atom, run.layouts[atom.predicate].cells(alias)) for atom, alias in body.matched]
    cells = [*extra, *(body.terms.bound[name] for name in names), *(cell for _, own in atoms for cell in own)]
    columns, shown = moved(cells, "m")
    columns = columns or [exp.alias_(exp.Literal.number(1), "q0")]  # an aggregate without a name, of all there is
    plan = body.select(*columns).distinct()
    order = exp.select("*").from_(plan.subquery("m")).order_by(*(ascending(exp.column(c.alias)) for c in columns))
    for row in run.engine.run(order):
        match_values = [decoded(cell, row) for cell in shown]
        rest = iter(match_values[len(extra) + len(names) :])
        facts = tuple((atom.predicate, tuple(next(rest) for _ in own)) for atom, own in atoms)
        values = dict(zip(names, match_values[len(extra) :], strict=False))
        yield BodyMatch(values, tuple(match_values[: len(extra)]), facts)


def quarantine(run: Run, body: Body, names: Collection[str] = ()) -> None:
    """Put the facts that matches of a body are made of into tables beside their own, where `isolate` finds them.

    With `names`, only facts that hold one of these variables.
    """
    for atom, alias in body.matched:
        if names and not {v.name for v in variables(atom)} & set(names):
            continue
        layout = run.layouts[atom.predicate]
        facts = [exp.alias_(exp.column(name, table=alias), name) for name in (*layout.columns(), ROUND)]
        taken = body.select(*facts).distinct()
        table = run.quarantined.get(atom.predicate)
        if table is None:
            table = run.quarantined[atom.predicate] = run.engine.new_table()
            run.engine.replace(table, taken)
        else:
            run.engine.append(table, taken)


def isolate(run: Run) -> None:
    """Take what is in quarantine out of the tables of the predicates."""
    for predicate, table in run.quarantined.items():
        layout = replace(run.layouts[predicate], banned=table)
        names = layout.columns()
        earliest = exp.alias_(exp.Min(this=exp.column(ROUND)), ROUND)
        once = exp.select(*names, earliest).from_(table)
        run.engine.replace(table, once.group_by(*names) if names else once)
        kept = exp.select(*(exp.column(n, table="t") for n in (*names, ROUND))).from_(named(layout.table, "t"))
        run.engine.replace(layout.table, kept.where(is_free(layout, "t")))


def banned(run: Run, underived: Collection[str]) -> dict[str, str]:
    """Return tables of the facts in quarantine that a further pass must not derive again, by predicate.

    A derived fact with a labelled null is left out: the label means something else in another pass.
    """
    tables = {}
    for predicate, table in run.quarantined.items():
        names = run.layouts[predicate].columns()
        labels = [exp.Is(this=exp.column(n), expression=exp.Null()) for n in names if n.startswith("n")]
        plan = exp.select(*names).from_(table) if names else None
        if plan is not None and predicate not in underived and labels:
            plan = plan.where(both(*labels))
        if plan is not None:
            tables[predicate] = run.engine.new_table()
            run.engine.replace(tables[predicate], plan)
    return tables
