"""Where a search for proofs looks: tables narrowed to what can matter, facts in quarantine, facts that were given.

Less is asked for where a recursion hands an argument down unchanged (``Control(X, Z), Own(Z, Y, W) -> Control(X, Y)``
keeps X): all facts that the proof can need have it, and a table of these alone is made once. More is asked for at once
in a proof that goes back round after round: the facts of the rounds before come together with the one at hand. Facts
that a violation took out of the results lie in tables beside the others, and are reasons still.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from tacita.rules.logic.program import Fact
from tacita.rules.logic.terms import Constant, Unpack, Variable
from tacita.rules.proofs.finding.goals import Goals, constant
from tacita.rules.proofs.finding.rules import ProofContext
from tacita.rules.proofs.finding.trail import read
from tacita.rules.proofs.tree import GroundFact
from tacita.rules.reasoner.plans.bodies import moved
from tacita.rules.reasoner.plans.cells import both, named
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.layout import ROUND
from tacita.rules.reasoner.plans.tables import union
from tacita.rules.reasoner.plans.terms import CompiledTerms

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

    def __init__(self, context: ProofContext) -> None:
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

    def tables(self, derivation: RuleDerivation, facts: Sequence[GroundFact]) -> dict[str, str]:
        """Return tables to read instead of the whole ones, for a recursive rule and some goals."""
        table = self._table(derivation, facts)
        return {} if table is None else {facts[0].predicate: table}

    def _table(self, derivation: RuleDerivation, facts: Sequence[GroundFact]) -> str | None:
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
        cells, terms = layout.cells("t"), CompiledTerms(engine)
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

    def goals(self, derivation: RuleDerivation, facts: Sequence[GroundFact]) -> Goals | None:
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


def _kept(derivation: RuleDerivation, predicate: str) -> tuple[int, ...]:
    """Return the arguments that a recursive rule hands down unchanged."""
    heads = [a for a in derivation.heads if a.predicate == predicate]
    bodies = [a for a in derivation.atoms if a.predicate == predicate]
    return tuple(
        i
        for i, term in enumerate(heads[0].arguments)
        if isinstance(term, Variable) and all(atom.arguments[i] == term for atom in (*heads, *bodies))
    )


def with_quarantined(context: ProofContext) -> ProofContext:
    """Return a context in which the facts that were taken out are there too; it shares what is known of rounds."""
    taken = context.result.run.quarantined
    layouts = dict(context.layouts)
    for predicate, table in taken.items():
        layout = layouts[predicate]
        columns = (*layout.columns(), ROUND)
        both = [exp.select(*columns).from_(named(one)) for one in (layout.table, table)]
        whole = context.engine.new_table()
        context.engine.define(whole, union(both))
        layouts[predicate] = replace(layout, table=whole)
    return replace(context, others=layouts)


def forget(context: ProofContext) -> None:
    """Forget what `with_quarantined` made."""
    for predicate in context.result.run.quarantined:
        context.engine.forget(context.layouts[predicate].table)


INPUT = "input"


class Givens:
    """The facts that a program states, by their values."""

    def __init__(self, context: ProofContext) -> None:
        self._context = context
        self._found: dict[str, dict[tuple[Any, ...], str]] = {}
        self._facts: dict[str, list[Fact]] | None = None

    def where(self, fact: GroundFact) -> str:
        """Return where a fact that was given stands."""
        if self._facts is None:
            self._facts = {}
            for one in self._context.result.prepared.program.facts:
                self._facts.setdefault(one.atom.predicate, []).append(one)
        if fact.predicate not in self._found:
            stated = self._facts.get(fact.predicate, [])
            self._found[fact.predicate] = {self._values(one): str(one.origin) for one in reversed(stated)}
        return self._found[fact.predicate].get(fact.values, INPUT)

    def _values(self, fact: Fact) -> tuple[Any, ...]:
        arguments = [a.record if isinstance(a, Unpack) else a for a in fact.atom.arguments]
        if all(isinstance(a, Constant) for a in arguments):
            return tuple(a.value for a in arguments if isinstance(a, Constant))
        columns, cells = moved([CompiledTerms(self._context.engine).cell(a) for a in arguments], "m")
        rows = read(self._context.engine, exp.select(*columns), {str(i): cell for i, cell in enumerate(cells)})
        return tuple(rows[0].values())
