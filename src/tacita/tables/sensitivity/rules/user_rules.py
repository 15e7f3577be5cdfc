"""Sensitivity rules of one's own, written in the rule language, and the facts about a table that they read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tacita.errors import RuleError
from tacita.knowledge.programs import ProgramText
from tacita.model.table import SensitivityReason, Table
from tacita.tables.sensitivity.contributors import counts_of
from tacita.tables.sensitivity.rule import SensitivityFinding
from tacita.tables.sensitivity.rules.minimum_frequency import usual_distances

if TYPE_CHECKING:
    import pyarrow as pa

    from tacita.reasoning.conclusions import ProgramResult
    from tacita.rules.logic.program import Program


def facts_of(table: Table) -> dict[str, pa.Table]:
    """Return the facts by predicate; cells are numbered from 1.

    - ``Cell(cell, value, count)``: the value, and how many contributors there are, never weighted;
    - ``Code(cell, dimension, code)``: where the cell stands, one fact for each dimension;
    - ``Size(cell, size)``: the sum of the absolute contributions, which is the value if none is negative;
    - ``Contribution(cell, rank, contribution, weight, holder)``: the largest contributions by size, from rank 1;
    - ``Part(total, part)``: which cell is a part of the sum for which.
    """
    import pyarrow as pa

    from tacita.engines.arrow import as_arrow

    cells = np.arange(1, len(table) + 1, dtype=np.int64)
    counts = counts_of(table, "a program of rules").astype(np.int64)
    contributions = table.contributions
    size = np.abs(table.values)
    if contributions is not None:
        size = np.abs(contributions.totals) if contributions.absolutes is None else contributions.absolutes
    names = [dimension.name for dimension in table.dimensions]
    sums = table.equations
    totals = np.zeros(len(sums), np.int64)
    is_total = sums.coefficients < 0
    totals[sums.row_of[is_total]] = sums.cells[is_total] + 1
    facts = {
        "Cell": pa.table({"cell": as_arrow(cells), "value": as_arrow(table.values), "count": as_arrow(counts)}),
        "Code": pa.table(
            {
                "cell": as_arrow(np.repeat(cells, len(names))),
                "dimension": pa.array(names * len(table), pa.string()),
                "code": pa.array([code for at in range(len(table)) for code in table.cell_codes(at)], pa.string()),
            }
        ),
        "Size": pa.table({"cell": as_arrow(cells), "size": as_arrow(np.ascontiguousarray(size, np.float64))}),
        "Part": pa.table(
            {"total": as_arrow(totals[sums.row_of[~is_total]]), "part": as_arrow(sums.cells[~is_total] + 1)}
        ),
    }
    kept = contributions.largest.shape[1] if contributions is not None else 0
    there = np.zeros((len(table), 0), bool)
    largest, weights, holders = there.astype(np.float64), there.astype(np.float64), there.astype(np.int64)
    if contributions is not None:
        largest, weights, holders = np.abs(contributions.largest), contributions.weights, contributions.holders
        there = (largest > 0) | (holders >= 0)
    rank = np.broadcast_to(np.arange(1, kept + 1, dtype=np.int64), there.shape)
    facts["Contribution"] = pa.table(
        {
            "cell": as_arrow(np.broadcast_to(cells[:, None], there.shape)[there]),
            "rank": as_arrow(rank[there]),
            "contribution": as_arrow(largest[there]),
            "weight": as_arrow(weights[there]),
            "holder": as_arrow(holders[there]),
        }
    )
    return facts


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

    >>> UserRules.of("sensitive_cells", {"p": 15}).label
    'sensitive_cells.vada'
    """

    program: ProgramText
    parameters: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    range: float = 0.15

    name: ClassVar[str] = "rules"

    @classmethod
    def of(cls, program: str | Path, parameters: Mapping[str, Any] | None = None) -> UserRules:
        """Return the rules of a file, of a text, or of a program that ships with Tacita."""
        return cls(ProgramText.of(program), MappingProxyType(dict(parameters or {})))

    @property
    def label(self) -> str:
        """The name of the program's file."""
        return Path(self.program.source).name

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return one finding for each reason that the program gives."""
        concluded, levels = self._concluded(table)
        lower, upper = usual_distances(table, self.range, 1.0)
        largest: dict[int, tuple[float, float]] = {}
        for cell, down, up in levels:
            before = largest.get(cell, (0.0, 0.0))
            largest[cell] = max(before[0], down), max(before[1], up)
        for cell, pair in largest.items():
            lower[cell], upper[cell] = pair
        nothing = np.zeros(len(table))
        findings = []
        for why in sorted({why for _, why in concluded}):
            mask = np.zeros(len(table), bool)
            mask[[cell for cell, text in concluded if text == why]] = True
            reason = SensitivityReason(why.replace("{", "{{").replace("}", "}}"))
            distances = np.where(mask, lower, 0.0), np.where(mask, upper, 0.0)
            findings.append(SensitivityFinding(self.label, reason, mask, *distances, nothing, nothing))
        return tuple(findings)

    def _concluded(self, table: Table) -> tuple[list[tuple[int, str]], list[tuple[int, float, float]]]:
        from tacita.engines.context import Context
        from tacita.reasoning.columns import wanted
        from tacita.reasoning.run import Job
        from tacita.rules.typed_parameters import check_parameters

        facts = facts_of(table)
        linked = Job(self.program, dict(facts), {}, dict(self.parameters)).prepared().program
        self._check_reasons(linked)
        known = wanted(linked)
        given = {predicate: rows for predicate, rows in facts.items() if predicate in known}
        job = Job(self.program, dict(given), {}, dict(self.parameters)).checked()
        check_parameters(job.parameters, job.known_parameters, self.label)
        job.outputs.clear()  # an assessment writes no files
        with Context() as context:
            result = job.run(context)
            if result.violations:
                first = result.violations[0]
                raise RuleError(
                    f"rule {first.rule} refuses the table: {first.text}", where=self.label, do="see the rule"
                )
            sensitive = [
                (self._cell(table, number, SENSITIVE), str(why)) for number, why in self._facts(result, SENSITIVE, 2)
            ]
            levels = [
                (self._cell(table, number, PROTECTION), self._distance(down), self._distance(up))
                for number, down, up in self._facts(result, PROTECTION, 3)
            ]
        return sensitive, levels

    def _check_reasons(self, program: Program) -> None:
        """Raise unless each rule that finds a cell sensitive says why in a text of its own."""
        from tacita.rules.logic.terms import Atom, Constant

        heads = [atom for rule in program.rules for atom in rule.head if isinstance(atom, Atom)]
        heads = [atom for atom in (*heads, *(fact.atom for fact in program.facts)) if atom.predicate == SENSITIVE]
        if not heads:
            raise RuleError(f"no rule concludes {SENSITIVE}", where=self.label, do=_FORM)
        for atom in heads:
            if len(atom.arguments) != 2:
                raise RuleError(f"{SENSITIVE} has {len(atom.arguments)} arguments", where=self.label, do=_FORM)
            why = atom.arguments[1]
            if not isinstance(why, Constant) or not isinstance(why.value, str):
                raise RuleError(
                    f"a rule for {SENSITIVE} does not say why in a text of its own",
                    where=self.label,
                    do="write the reason in quotes in the head of the rule: a computed one could show a contribution",
                )

    def _facts(self, result: ProgramResult, predicate: str, arity: int) -> list[tuple[Any, ...]]:
        if predicate not in result.predicates:
            return []
        rows = result.facts(predicate)
        if rows and len(rows[0]) != arity:
            raise RuleError(f"{predicate} has {len(rows[0])} arguments", where=self.label, do=_FORM)
        return rows

    def _distance(self, level: Any) -> float:
        if isinstance(level, bool) or not isinstance(level, int | float) or not 0 <= level < np.inf:
            raise RuleError(f"a level of {PROTECTION} is no distance", where=self.label, do=_FORM)
        return float(level)

    def _cell(self, table: Table, number: Any, predicate: str) -> int:
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= len(table):
            raise RuleError(
                f"{predicate} is concluded for what is no cell: cells are numbered from 1 to {len(table):,}",
                where=self.label,
                do="conclude it for the cell I of Cell(I, V, N)",
            )
        return number - 1
