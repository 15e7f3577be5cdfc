"""Asking for less, and for more at once, so that a long proof in a large table is quick.

Less: where a recursion hands an argument down unchanged (``Control(X, Z), Own(Z, Y, W) -> Control(X, Y)`` keeps X), all
facts that the proof can need have it, and a table of these alone is made once. More: in a proof that goes back round
after round, the facts of the rounds before are asked for together with the one at hand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from tacita.rules.logic.terms import Variable
from tacita.rules.proofs.finding.goals import Goals, constant
from tacita.rules.proofs.finding.rules import Context
from tacita.rules.proofs.tree import GroundFact
from tacita.rules.reasoner.cells import both
from tacita.rules.reasoner.derivations import Derivation
from tacita.rules.reasoner.layout import ROUND
from tacita.rules.reasoner.sql import named
from tacita.rules.reasoner.terms import Terms

_LARGE = 20_000
"""From so many facts on a table of fewer is worth making."""
_AFTER = 2
"""After so many levels one by one it is taken for a long way."""
_AT_ONCE, _GROUPS_AT_ONCE = 1_000, 100
"""How many facts are asked for together at most."""
_WORTHWHILE, _A_ROUND = 3, 40
"""Over how many rounds this must reach, and how many facts a round may cost: as much as asking once more."""


class Ahead:
    """What was learned of the way that a proof takes."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._narrow: dict[tuple[str, tuple[Any, ...]], str | None] = {}
        self._levels: Counter[int] = Counter()
        self._rounds: dict[str, dict[int, int]] = {}
        self._counts: dict[str, int] = {}

    def close(self) -> None:
        """Forget the tables that were made."""
        for table in self._narrow.values():
            if table is not None:
                self._context.engine.forget(table)
        self._narrow.clear()

    # -- less ----------------------------------------------------------------------------------------------------------

    def tables(self, derivation: Derivation, facts: Sequence[GroundFact]) -> dict[str, str]:
        """Return tables to read instead of the whole ones, for a recursive rule and some goals."""
        table = self._table(derivation, facts)
        return {} if table is None else {facts[0].predicate: table}

    def _table(self, derivation: Derivation, facts: Sequence[GroundFact]) -> str | None:
        predicate = facts[0].predicate
        if not any(atom.predicate == predicate for atom in derivation.atoms):
            return None
        kept = _kept(derivation, predicate)
        values = tuple(facts[0].values[i] for i in kept)
        if not kept or any(tuple(fact.values[i] for i in kept) != values for fact in facts):
            return None
        key = predicate, (kept, values)
        if key not in self._narrow:
            self._narrow[key] = self._narrowed(predicate, kept, values) if self._count(predicate) > _LARGE else None
        return self._narrow[key]

    def _narrowed(self, predicate: str, kept: Sequence[int], values: Sequence[Any]) -> str:
        engine, layout = self._context.engine, self._context.layouts[predicate]
        cells, terms = layout.cells("t"), Terms(engine)
        same = [
            terms.matching(cells[i], constant(engine, value, layout.positions[i].type))
            for i, value in zip(kept, values, strict=True)
        ]
        table = engine.new_table()
        columns = [exp.column(name, table="t") for name in (*layout.columns(), ROUND)]
        engine.replace(table, exp.select(*columns).from_(named(layout.table, "t")).where(both(*same)))
        return table

    def _count(self, predicate: str) -> int:
        if predicate not in self._counts:
            self._counts[predicate] = self._context.result.count(predicate)
        return self._counts[predicate]

    # -- more ----------------------------------------------------------------------------------------------------------

    def goals(self, derivation: Derivation, facts: Sequence[GroundFact]) -> Goals | None:
        """Return the goals and the facts of many rounds before them, if the way is long and these are few."""
        predicate = facts[0].predicate
        if not any(atom.predicate == predicate for atom in derivation.atoms):
            return None
        self._levels[derivation.number] += 1
        if self._levels[derivation.number] <= _AFTER:
            return None
        table = self._table(derivation, facts) or self._context.layouts[predicate].table
        last = max(self._context.rounds[fact] for fact in facts)
        first = self._since(table, last, _AT_ONCE if derivation.grouping is None else _GROUPS_AT_ONCE)
        if last - first < _WORTHWHILE or any(self._context.rounds[fact] < first for fact in facts):
            return None
        return Goals.between(self._context.layouts[predicate], table, first, last)

    def _since(self, table: str, last: int, most: int) -> int:
        """Return the first round from which on there are not too many facts up to the last."""
        if table not in self._rounds:
            count = exp.alias_(exp.Count(this=exp.Star()), "n")
            plan = exp.select(ROUND, count).from_(named(table)).group_by(ROUND)
            self._rounds[table] = {row[ROUND]: row["n"] for row in self._context.engine.run(plan)}
        counts, number, first = self._rounds[table], 0, last + 1
        for round_ in range(last, 0, -1):
            number += counts.get(round_, 0)
            if number > most:
                break
            if number <= _A_ROUND * (last - round_ + 1):
                first = round_
        return first


def _kept(derivation: Derivation, predicate: str) -> tuple[int, ...]:
    """Return the arguments that a recursive rule hands down unchanged."""
    heads = [a for a in derivation.heads if a.predicate == predicate]
    bodies = [a for a in derivation.atoms if a.predicate == predicate]
    return tuple(
        i
        for i, term in enumerate(heads[0].arguments)
        if isinstance(term, Variable) and all(atom.arguments[i] == term for atom in (*heads, *bodies))
    )
