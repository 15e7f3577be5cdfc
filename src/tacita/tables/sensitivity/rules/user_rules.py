"""Sensitivity rules of one's own, written in the rule language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.errors import RuleError
from tacita.knowledge.programs import ProgramText
from tacita.model.table import SensitivityReason, Table
from tacita.tables.sensitivity.cell_facts import facts_of
from tacita.tables.sensitivity.finding import SensitivityFinding
from tacita.tables.sensitivity.rules.minimum_frequency import usual_distances

if TYPE_CHECKING:
    from tacita.reasoning.conclusions import ProgramResult
    from tacita.rules.logic.program import Program

SENSITIVE, PROTECTION = "Sensitive", "Protection"
_FORM = (
    'conclude Sensitive(I, "why") for the number I of a cell, and if you like Protection(I, Lower, Upper): distances '
    "from 0 upwards"
)


@dataclass(frozen=True, slots=True)
class UserRules:
    """The cells that a rule program concludes to be sensitive.

    The program reads facts about the cells (see `cell_facts`) and concludes ``Sensitive(cell, why)``, and optionally
    ``Protection(cell, lower, upper)``, distances from the value; the largest counts. Cells without it get the levels of
    minimum frequency. `why` must be a text that stands in the rule: one that is put together from facts could show a
    contribution, and is refused. `sensitive_cells` ships with Tacita and says the p % rule this way.

    >>> UserRules.of("sensitive_cells", {"p": 15}).name
    'sensitive_cells.vada'
    """

    program: ProgramText
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    range: float = 0.15

    @classmethod
    def of(cls, program: str | Path, parameters: Mapping[str, Any] | None = None) -> UserRules:
        """Return the rules of a file, of a text, or of a program that ships with Tacita."""
        return cls(ProgramText.of(program), MappingProxyType(dict(parameters or {})))

    @property
    def name(self) -> str:
        """The name of the program's file."""
        return Path(self.program.source).name

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return one finding for each reason that the program gives."""
        told, levels = self._concluded(table)
        lower, upper = usual_distances(table, self.range, 1.0)
        largest: dict[int, tuple[float, float]] = {}
        for cell, down, up in levels:
            before = largest.get(cell, (0.0, 0.0))
            largest[cell] = max(before[0], down), max(before[1], up)
        for cell, pair in largest.items():
            lower[cell], upper[cell] = pair
        nothing = np.zeros(len(table))
        findings = []
        for why in sorted({why for _, why in told}):
            mask = np.zeros(len(table), bool)
            mask[[cell for cell, each in told if each == why]] = True
            reason = SensitivityReason(why.replace("{", "{{").replace("}", "}}"))
            asked = np.where(mask, lower, 0.0), np.where(mask, upper, 0.0)
            findings.append(SensitivityFinding(self.name, reason, mask, *asked, nothing, nothing))
        return tuple(findings)

    def _concluded(self, table: Table) -> tuple[list[tuple[int, str]], list[tuple[int, float, float]]]:
        from tacita.engines.context import Context
        from tacita.reasoning.columns import wanted
        from tacita.reasoning.parameters import check_parameters
        from tacita.reasoning.run import Job

        facts = facts_of(table)
        linked = Job(self.program, dict(facts), {}, dict(self.parameters)).prepared().program
        self._check_reasons(linked)
        known = wanted(linked)
        given = {predicate: rows for predicate, rows in facts.items() if predicate in known}
        job = Job(self.program, dict(given), {}, dict(self.parameters)).checked()
        check_parameters(job.parameters, job.known_parameters, self.name)
        job.outputs.clear()  # an assessment writes no files
        with Context() as context:
            found = job.run(context)
            if found.violations:
                first = found.violations[0]
                raise RuleError(
                    f"rule {first.rule} refuses the table: {first.text}", where=self.name, do="see the rule"
                )
            sensitive = [
                (self._cell(table, number, SENSITIVE), str(why)) for number, why in self._facts(found, SENSITIVE, 2)
            ]
            levels = [
                (self._cell(table, number, PROTECTION), self._distance(down), self._distance(up))
                for number, down, up in self._facts(found, PROTECTION, 3)
            ]
        return sensitive, levels

    def _check_reasons(self, program: Program) -> None:
        """Raise unless each rule that finds a cell sensitive says why in a text of its own."""
        from tacita.rules.logic.terms import Atom, Constant

        heads = [atom for rule in program.rules for atom in rule.head if isinstance(atom, Atom)]
        heads = [atom for atom in (*heads, *(fact.atom for fact in program.facts)) if atom.predicate == SENSITIVE]
        if not heads:
            raise RuleError(f"no rule concludes {SENSITIVE}", where=self.name, do=_FORM)
        for atom in heads:
            if len(atom.arguments) != 2:
                raise RuleError(f"{SENSITIVE} has {len(atom.arguments)} arguments", where=self.name, do=_FORM)
            why = atom.arguments[1]
            if not isinstance(why, Constant) or not isinstance(why.value, str):
                raise RuleError(
                    f"a rule for {SENSITIVE} does not say why in a text of its own",
                    where=self.name,
                    do="write the reason in quotes in the head of the rule: a computed one could show a contribution",
                )

    def _facts(self, found: ProgramResult, predicate: str, arity: int) -> list[tuple[Any, ...]]:
        if predicate not in found.predicates:
            return []
        rows = found.facts(predicate)
        if rows and len(rows[0]) != arity:
            raise RuleError(f"{predicate} has {len(rows[0])} arguments", where=self.name, do=_FORM)
        return rows

    def _distance(self, level: Any) -> float:
        if isinstance(level, bool) or not isinstance(level, int | float) or not 0 <= level < np.inf:
            raise RuleError(f"a level of {PROTECTION} is no distance", where=self.name, do=_FORM)
        return float(level)

    def _cell(self, table: Table, number: Any, predicate: str) -> int:
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(table):
            raise RuleError(
                f"{predicate} is concluded for what is no cell: cells are numbered from 1 to {len(table):,}",
                where=self.name,
                do="conclude it for the cell I of Cell(I, V, N)",
            )
        return number - 1
