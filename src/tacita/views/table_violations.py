"""Levels that are not kept, and promises that are broken, for people."""

from __future__ import annotations

from tacita.errors import counted
from tacita.tables.protect.violation import ReportedViolation


def failure(violations: list[ReportedViolation]) -> str:
    """Return how many levels are violated; a table that is not what its method promises has none to count."""
    levels = [violation for violation in violations if not violation.is_promise]
    if not levels:
        return "the tables are not what their method promises"
    cells = len({(violation.table, violation.name) for violation in levels})
    return f"{counted(len(levels), 'protection level')} violated, of {counted(cells, 'cell')}"


def violation_lines(violations: list[ReportedViolation], most: int) -> list[str]:
    """Return attacks step by step, on the first some cells; an attack that tells the same again is told once."""
    cells: dict[tuple[str, str], dict[tuple[str, tuple[str, ...]], None]] = {}
    for violation in violations:
        steps = () if violation.is_promise else violation.steps  # a broken promise is told in its sentence
        cells.setdefault((violation.table, violation.name), {})[violation.sentence, steps] = None
    said: list[str] = []
    for attacks in list(cells.values())[:most]:
        known: set[str] = set()
        for sentence, steps in attacks:
            if sentence not in known:
                said += [sentence, *(f"  {step}" for step in steps)]
            known.add(sentence)
    if len(cells) > most:
        said.append(f"And {counted(len(cells) - most, 'cell')} more; --json names them all.")
    return said
