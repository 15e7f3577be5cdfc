"""What came of a protection, for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tacita.errors import counted, printable
from tacita.model.table import Status, Table
from tacita.tables.protect.protected import Protected, ProtectedTable, percent
from tacita.tables.protect.protected_json import cost_share
from tacita.tables.protect.violation import ReportedViolation, told

if TYPE_CHECKING:
    from rich.console import RenderableType

_SHOWN = 5


def protected_text(protected: Protected) -> list[RenderableType]:
    """Return what rich can print."""
    from rich.text import Text

    parts: list[RenderableType] = [
        Text(printable(protected.title), style="bold"),
        Text(verdict(protected), style="bold green" if protected.passed else "bold red"),
    ]
    for each in protected.tables:
        parts += [Text(""), *(Text(printable(line)) for line in _lines(each))]
    violations = [told(each.case, one) for each in protected.tables for one in each.audit.violations]
    if violations:
        parts += [Text(""), *violation_lines(violations)]
    notes = [n for each in protected.tables for n in (*each.case.notes, *each.notes, *each.audit.notes)]
    parts += [Text("")] if notes else []
    parts += [Text(printable(f"Note: {note}")) for note in dict.fromkeys(notes)]
    return parts


def verdict(protected: Protected) -> str:
    """Return the answer in a sentence."""
    if protected.passed:
        return "Protected: the independent attacker comes too near to no sensitive cell."
    wrong = sum(len(each.audit.violations) for each in protected.tables)
    return f"Not protected: the independent attacker breaks {counted(wrong, 'protection level')}."


def violation_lines(violations: list[ReportedViolation], most: int = _SHOWN) -> list[RenderableType]:
    """Return attacks step by step, on the first some cells; an attack that tells the same again is told once."""
    from rich.text import Text

    cells: dict[tuple[str, str], dict[tuple[str, tuple[str, ...]], None]] = {}
    for each in violations:
        cells.setdefault((each.table, each.name), {})[each.sentence, each.steps] = None
    lines: list[str] = []
    for attacks in list(cells.values())[:most]:
        said: set[str] = set()
        for sentence, steps in attacks:
            if sentence not in said:
                lines += [sentence, *(f"  {step}" for step in steps)]
            said.add(sentence)
    if len(cells) > most:
        lines.append(f"And {counted(len(cells) - most, 'cell')} more; --json names them all.")
    return [Text(printable(line)) for line in lines]


def _lines(each: ProtectedTable) -> list[str]:
    lines = [f"{named(each.table)}: {counted(len(each.table), 'cell')}, by {each.method.replace('_', ' ')}"]
    for rule, count in each.case.counts_of_rules.items():
        lines.append(f"  {count:>6,}  sensitive by {rule}")
    if each.withheld.any():
        secondary, forced = each.count(Status.SECONDARY), each.count(Status.FORCED)
        share = cost_share(each)
        cost = f", {percent(share)} of all cells by cost" if share is not None and secondary else ""
        lines.append(f"  {secondary:>6,}  withheld to protect them{cost}{_proof(each)}")
        if forced:
            lines.append(f"  {forced:>6,}  withheld because the specification says so")
    lines.append(f"  {int((~each.withheld).sum()):>6,}  published")
    return lines


def named(table: Table) -> str:
    """Return a table with what is summed in it."""
    return table.name if table.response in table.name else f"{table.name}, {table.response}"


def _proof(each: ProtectedTable) -> str:
    gap = each.figures.get("gap")
    if not isinstance(gap, int | float) or math.isnan(gap):
        return ""
    if gap <= 1e-6:
        return "; none cheaper exists"
    return f"; the cheapest costs up to {percent(gap)} less" if gap < 1e9 else ""
