"""The forms of what is done with tables: built, assessed, protected, audited. None tells a figure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.errors import counted
from tacita.model.figures import is_bounded, saving
from tacita.model.table import WITHHELD, Status, Table
from tacita.tables.assessment import AssessedTable, TableAssessment
from tacita.tables.auditing import Audited
from tacita.tables.building import Built
from tacita.tables.protect.protected import Protected, ProtectedTable, percent
from tacita.tables.protect.violation import ReportedViolation, report_violation
from tacita.tables.recoding.granularity import TableGranularity
from tacita.tables.recoding.proposals import RecodingProposal
from tacita.views.table_violations import failure, violation_lines
from tacita.views.terminal import lines, notes
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text


_SHOWN = 5
_SHOWN_SENSITIVE = 10


class BuiltView(View[Built]):
    """The forms of tables with true values: how large they are, and no value."""

    def title(self, result: Built) -> str:
        """Return the title of the specification."""
        return result.title

    def as_dict(self, result: Built) -> dict[str, Any]:
        """Return dimensions, cells and sums of each table."""
        return {
            "title": result.title,
            "tables": [
                {
                    "name": built.table.name,
                    "response": built.table.response or None,
                    "dimensions": {dimension.name: len(dimension.codes) for dimension in built.table.dimensions},
                    "cells": len(built.table),
                    "equations": len(built.table.equations),
                    "empty": _empty(built.table),
                    "frequencies": built.table.is_count,
                    "linked": {name: int(mask.sum()) for name, mask in built.table.parts.items()},
                    "notes": list(built.notes),
                }
                for built in result.tables
            ],
        }

    def as_text(self, result: Built) -> RenderableType:
        """Return the same for people."""
        said = []
        for built in result.tables:
            table = built.table
            what = table.response or "frequencies"
            along = " x ".join(f"{dimension.name} ({len(dimension.codes)})" for dimension in table.dimensions)
            said.append(f"{table.name}: {what} by {along}")
            said.append(f"  {counted(len(table), 'cell')}, {counted(len(table.equations), 'sum')} that add up")
            said.append(f"  {counted(_empty(table), 'empty cell')}")
            if len(table.parts) > 1:
                said += [f"  {name}: {counted(int(mask.sum()), 'cell')}" for name, mask in table.parts.items()]
            said += [f"  Note: {note}" for note in built.notes]
        return _titled(result.title, lines(said))


class TableAssessmentView(View[TableAssessment]):
    """The forms of sensitive cells: the rule and by how much, and no contribution."""

    def title(self, result: TableAssessment) -> str:
        """Return the title of the specification."""
        return result.title

    def as_dict(self, result: TableAssessment) -> dict[str, Any]:
        """Return the sensitive cells of each table, how grainy it is, and merges that would help."""
        return {"title": result.title, "tables": [_assessed_dict(assessed) for assessed in result.tables]}

    def as_text(self, result: TableAssessment, show: int = _SHOWN_SENSITIVE) -> RenderableType:
        """Return so many sensitive cells of each table."""
        said: list[str] = []
        for assessed in result.tables:
            said += ["", *_assessed_lines(assessed, show)]
        return _titled(result.title, lines(said))


class ProtectedView(View[Protected]):
    """The forms of a protection: counts and shares."""

    def title(self, result: Protected) -> str:
        """Return the title of the specification."""
        return result.title

    def as_dict(self, result: Protected) -> dict[str, Any]:
        """Return what was withheld, and every level that is not kept."""
        return {
            "passed": result.passed,
            "title": result.title,
            "tables": [_protected_dict(protected) for protected in result.tables],
            "violations": [violation.to_dict() for violation in _violations(result)],
        }

    def as_text(self, result: Protected) -> RenderableType:
        """Return the verdict, what was withheld, and attacks that succeed."""
        said: list[str] = []
        for protected in result.tables:
            said += ["", *_protected_lines(protected)]
        if violations := _violations(result):
            said += ["", *violation_lines(violations, _SHOWN)]
        noted = [n for table in result.tables for n in (*table.case.notes, *table.notes, *table.audit.notes)]
        return _titled(result.title, _verdict(_sentence(result), result.passed), lines(said), notes(noted))


class AuditedView(View[Audited]):
    """The forms of an audit: figures are shares of the value, unless figures are asked for."""

    def title(self, result: Audited) -> str:
        """Return the title of the specification."""
        return result.title

    def as_dict(self, result: Audited, *, figures: bool = False) -> dict[str, Any]:
        """Return the verdict on each table, and every level that is not kept."""
        return {
            "passed": result.passed,
            "title": result.title,
            "tables": [
                {
                    "name": audited.case.table.name,
                    "response": audited.case.table.response or None,
                    "judged": audited.judged,
                    "method": audited.method,
                    "cells": len(audited.case.table),
                    "sensitive": audited.audit.sensitive,
                    "withheld": int(np.isin(audited.status, WITHHELD).sum()),
                    "passed": audited.audit.passed,
                    "notes": [*audited.case.notes, *audited.audit.notes],
                }
                for audited in result.tables
            ],
            "violations": [violation.to_dict() for violation in result.violations(figures=figures)],
        }

    def as_text(self, result: Audited, *, show: int = _SHOWN, figures: bool = False) -> RenderableType:
        """Return the verdict, and the attacks on so many cells step by step."""
        violations = result.violations(figures=figures)
        verdict = "Passed: every protection level is kept."
        if not result.passed:
            verdict = f"Not passed: {failure(violations)}."
        said, noted = [""], []
        for audited, fields in zip(result.tables, self.as_dict(result)["tables"], strict=True):
            counts = f"{counted(fields['cells'], 'cell')}, {fields['sensitive']:,} sensitive"
            counts += f", {fields['withheld']:,} withheld"
            said.append(f"{table_name(audited.case.table)}: {counts} ({audited.judged})")
            noted += fields["notes"]
        if violations and show:
            said += ["", *violation_lines(violations, show)]
        return _titled(result.title, _verdict(verdict, result.passed), lines(said), notes(noted))


def table_name(table: Table) -> str:
    """Return a table with what is summed in it."""
    return table.name if table.response in table.name else f"{table.name}, {table.response}"


def _titled(title: str, *parts: list[Text]) -> RenderableType:
    from rich.console import Group

    return Group(*lines([title], style="bold"), *(line for part in parts for line in part))


def _verdict(sentence: str, passed: bool) -> list[Text]:
    return lines([sentence], style="bold green" if passed else "bold red")


def _empty(table: Table) -> int:
    return int((table.values == 0).sum() if table.counts is None else (table.counts == 0).sum())


def _violations(protected: Protected) -> list[ReportedViolation]:
    return [
        report_violation(table.case, violation) for table in protected.tables for violation in table.audit.violations
    ]


def _assessed_lines(assessed: AssessedTable, show: int) -> list[str]:
    table = assessed.case.table
    sensitive = assessed.sensitive
    lines = [f"{table_name(table)}: {counted(len(table), 'cell')}, {len(sensitive):,} sensitive"]
    lines += [f"  {count:>6,}  by {rule}" for rule, count in assessed.case.counts_of_rules.items()]
    if not assessed.case.levels.rules:
        lines.append("  The specification has no rule in [sensitivity]: nothing is sensitive.")
    if sensitive and show:
        lines += ["", *(f"  {one.name}: {one.why}" for one in sensitive[:show])]
    if show and len(sensitive) > show:
        lines.append(f"  and {len(sensitive) - show:,} more; --json names them all")
    lines += _grain_lines(assessed, show)
    if assessed.recodings:
        lines += ["", "Coarser tables with fewer sensitive cells:", *(f"  {one}" for one in assessed.recodings)]
    lines += [f"  Note: {note}" for note in assessed.case.notes]
    return lines


def _grain_lines(assessed: AssessedTable, show: int) -> list[str]:
    grains = assessed.granularity
    if grains is None or not grains.conspicuous or not show:
        return []
    critical = len(grains.critical)
    lines = [
        "",
        f"Grainy: in {critical:,} of {counted(len(grains.rows), 'row')} half of the cells or more have one record",
    ]
    for row in sorted(grains.critical, key=lambda row: (-row.index, row.dimension))[: min(show, 3)]:
        at = ", ".join(f"{name}={code}" for name, code in row.fixed)
        lines.append(f"  along {row.dimension}{f' at {at}' if at else ''}: {row.index:.0f} %")
    return lines


def _assessed_dict(assessed: AssessedTable) -> dict[str, Any]:
    table = assessed.case.table
    return {
        "name": table.name,
        "response": table.response or None,
        "cells": len(table),
        "sensitive": int(assessed.case.levels.sensitive.sum()),
        "rules": assessed.case.counts_of_rules,
        "sensitive_cells": [{"cell": part.codes, "rule": part.rule, "why": part.why} for part in assessed.sensitive],
        "granularity": None if assessed.granularity is None else _granularity_dict(assessed.granularity),
        "recodings": [_recoding_dict(part) for part in assessed.recodings],
        "notes": list(assessed.case.notes),
    }


def _granularity_dict(grains: TableGranularity) -> dict[str, Any]:
    rows = sorted(grains.conspicuous, key=lambda row: -row.index)
    return {
        "rows": len(grains.rows),
        "critical": len(grains.critical),
        "conspicuous": [
            {
                "along": row.dimension,
                "at": dict(row.fixed),
                "index": round(row.index, 1),
                "patterns": list(row.patterns),
            }
            for row in rows
        ],
    }


def _recoding_dict(proposal: RecodingProposal) -> dict[str, Any]:
    return {
        "dimension": proposal.merge.dimension,
        "codes": list(proposal.merge.codes),
        "into": proposal.merge.into,
        "sensitive": {"before": proposal.before.sensitive, "after": proposal.after.sensitive},
        "safe": {"before": proposal.before.safe, "after": proposal.after.safe},
    }


def _sentence(protected: Protected) -> str:
    """Return the answer in a sentence."""
    if protected.passed and not all(table.case.is_judged for table in protected.tables):
        return "Not protected: nothing says which cells are sensitive."
    if protected.passed:
        return "Protected: no sensitive cell can be estimated within its protection interval."
    return f"Not protected: {failure(_violations(protected))}."


def _protected_lines(protected: ProtectedTable) -> list[str]:
    cells = counted(len(protected.table), "cell")
    lines = [f"{table_name(protected.table)}: {cells}, by {protected.method.replace('_', ' ')}"]
    for rule, count in protected.case.counts_of_rules.items():
        lines.append(f"  {count:>6,}  sensitive by {rule}")
    if protected.withheld.any():
        secondary, forced = protected.count(Status.SECONDARY), protected.count(Status.FORCED)
        share = cost_share(protected)
        cost = f", {percent(share)} of all cells by cost" if share is not None and secondary else ""
        shown = "shown as intervals" if protected.lower is not None else "withheld"
        lines.append(f"  {secondary:>6,}  {shown} to protect them{cost}{_proof(protected)}")
        if forced:
            lines.append(f"  {forced:>6,}  withheld because the specification says so")
    lines.append(f"  {int((~protected.withheld).sum()):>6,}  published")
    return lines


def _proof(protected: ProtectedTable) -> str:
    gap = protected.figures.get("gap")
    if gap is None and "gap" in protected.figures:
        gap = 1.0
    if not isinstance(gap, int | float) or math.isnan(gap):
        return ""
    if gap <= 1e-6:
        return "; none cheaper exists"
    return f"; {saving(gap)}"


def _protected_dict(protected: ProtectedTable) -> dict[str, Any]:
    figures, audit = protected.figures, protected.audit
    return {
        "name": protected.table.name,
        "response": protected.table.response or None,
        "method": protected.method,
        "cells": len(protected.table),
        "sensitive": protected.case.counts_of_rules,
        "withheld": int(protected.withheld.sum()),
        "primary": protected.count(Status.PRIMARY),
        "secondary": protected.count(Status.SECONDARY),
        "forced": protected.count(Status.FORCED),
        "cost_share": cost_share(protected),
        "gap": _rounded(_bounded(figures.get("gap"))),
        "seconds": _rounded(figures.get("seconds")),
        "audit": {"passed": audit.passed, "attacked": audit.suppressed, "notes": list(audit.notes)},
        "notes": [*protected.case.notes, *protected.notes],
    }


def cost_share(protected: ProtectedTable) -> float | None:
    """Return what is withheld to protect others as a share of what all cells would cost, to two digits.

    The cost itself may be the very value of a withheld cell.
    """
    cost, everything = protected.figures.get("cost"), float(protected.case.costs.sum())
    if cost is None or not everything > 0:
        return None
    return float(f"{float(cost) / everything:.2g}")


def _bounded(gap: Any) -> Any:
    return gap if isinstance(gap, int | float) and is_bounded(gap) else None


def _rounded(value: Any) -> float | None:
    """Return a figure of the search to four places: it may come from costs, which may be values of the table."""
    return round(float(value), 4) if isinstance(value, int | float) else None
