"""Where facts that no rule derived come from: an input, or a line of the program."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from tacita.rules.logic.program import Fact
from tacita.rules.logic.terms import Constant, Unpack
from tacita.rules.proofs.finding.rules import Context
from tacita.rules.proofs.finding.trail import read
from tacita.rules.proofs.tree import GroundFact
from tacita.rules.reasoner.bodies import moved
from tacita.rules.reasoner.terms import Terms

INPUT = "input"


class Givens:
    """The facts that a program states, by their values."""

    def __init__(self, context: Context) -> None:
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
        columns, cells = moved([Terms(self._context.engine).cell(a) for a in arguments], "m")
        rows = read(self._context.engine, exp.select(*columns), {str(i): cell for i, cell in enumerate(cells)})
        return tuple(rows[0].values())
