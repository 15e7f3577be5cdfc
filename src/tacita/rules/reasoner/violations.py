"""What equality rules and denials found wrong: reported, never dropped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.rules.reasoner.bodies import Body, moved
from tacita.rules.reasoner.cells import Cell, both, null_safe
from tacita.rules.reasoner.derivations import Derivation
from tacita.rules.reasoner.layout import ROUND
from tacita.rules.reasoner.sql import ascending, everything, found_in, named
from tacita.rules.reasoner.values import decoded

if TYPE_CHECKING:
    from tacita.rules.reasoner.run import Run


class Policy(StrEnum):
    """What happens when an equality rule or a denial fails."""

    ASK = "ask"
    """Report it; a person decides."""
    FAIL = "fail"
    """Stop: there is no result."""
    QUARANTINE = "quarantine"
    """Take the facts that clash out of the results, and report them."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class FoundMatch:
    """A match of a body: the values of its variables, some terms, and the facts that it is made of."""

    values: Mapping[str, Any]
    extra: tuple[Any, ...]
    facts: tuple[tuple[str, tuple[Any, ...]], ...]


def found_matches(run: Run, derivation: Derivation, body: Body, extra: Sequence[Cell] = ()) -> Iterator[FoundMatch]:
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
        found = [decoded(cell, row) for cell in shown]
        rest = iter(found[len(extra) + len(names) :])
        facts = tuple((atom.predicate, tuple(next(rest) for _ in own)) for atom, own in atoms)
        values = dict(zip(names, found[len(extra) :], strict=False))
        yield FoundMatch(values, tuple(found[: len(extra)]), facts)


def quarantine(run: Run, body: Body) -> None:
    """Take the facts that matches of a body are made of out of their tables, into tables beside them."""
    taken: dict[str, list[exp.Select]] = {}
    for atom, alias in body.matched:
        layout = run.layouts[atom.predicate]
        facts = [exp.alias_(exp.column(name, table=alias), name) for name in (*layout.columns(), ROUND)]
        taken.setdefault(atom.predicate, []).append(body.select(*facts).distinct())
    tables = {}
    for predicate, selects in taken.items():
        tables[predicate] = run.quarantined.setdefault(predicate, run.engine.new_table())
        for number, select in enumerate(selects):
            (run.engine.append if number else run.engine.replace)(tables[predicate], select)
    for predicate, table in tables.items():
        layout = run.layouts[predicate]
        same = [null_safe(exp.column(n, table="q"), exp.column(n, table="t")) for n in layout.columns()]
        bad = exp.Exists(this=found_in(named(table, "q")).where(both(*same)))
        kept = exp.select(*(exp.column(n, table="t") for n in (*layout.columns(), ROUND))).from_(
            named(layout.table, "t")
        )
        run.engine.replace(layout.table, kept.where(exp.Not(this=bad)))
        run.engine.replace(table, everything(table).distinct())
