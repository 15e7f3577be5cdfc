"""From a specification to protected tables that passed the independent audit."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, replace
from os import PathLike

import numpy as np

from tacita.errors import InputError, UsageError, counted, listed
from tacita.progress import Progress, silent
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.cases import cases_of, open_specification
from tacita.tables.protect.catalogue import WAYS
from tacita.tables.protect.protected import Protected
from tacita.tables.specification.fields import keys_of
from tacita.tables.specification.specification import ProtectPlan, TableSpecification


def protect_table(
    specification: TableSpecification | str | PathLike[str],
    *,
    method: str | None = None,
    seconds: float | None = None,
    gap: float | None = None,
    cost: str | None = None,
    seed: int | None = None,
    progress: Progress = silent,
) -> Protected:
    """Build the tables of a specification, find what is sensitive, protect it, and audit the result.

    What is given here goes before what the specification says. `passed` of the result tells whether the independent
    attacker finds every level kept; nothing else can be written.

    >>> import tempfile
    >>> from tacita.tables.example import write_example
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     protected = protect_table(write_example(folder), seconds=5)
    >>> protected.passed, int(protected.tables[0].withheld.sum())
    (True, 18)
    """
    opened = open_specification(specification)
    plan = planned(opened.protect, method, seconds, gap, cost, seed)
    opened = replace(opened, protect=plan)
    cases = cases_of(opened, progress)
    for case in cases:
        _require_truth(case)
    # Several responses share the time.
    share = replace(opened, protect=replace(plan, time=plan.time / max(len(cases), 1)))
    way = WAYS.make(plan.method, plan.options)
    with _stop_early(plan.method):
        tables = tuple(way.protect(case, share, progress) for case in cases)
    settings = {
        "protect": asdict(plan),
        "sensitivity": opened.sensitivity.to_dict(),
        "attacker": asdict(opened.attacker),
    }
    return Protected(title_of(opened, cases), tables, text_of(specification), settings, opened)


def _stop_early(method: str) -> AbstractContextManager[object]:
    """Return what keeps the first Ctrl-C from ending searches for a pattern with nothing, and their audits.

    The searches that are left know of it, and end with a safe pattern; a second one ends everything at once.
    """
    if not WAYS.fact(method, "stops_early"):
        return nullcontext()
    from tacita.interruption import stop_on_interrupt

    return stop_on_interrupt()


def _require_truth(case: TableCase) -> None:
    unknown = np.flatnonzero(np.isnan(case.table.values)).tolist()
    if unknown:
        cells = listed([f"({case.table.cell_name(cell)})" for cell in unknown], 5)
        raise InputError(
            f"{counted(len(unknown), 'cell')} without a true value: {cells}",
            where=f"table '{case.table.name}'",
            do="give true values, and a status column for what was withheld; without them tables can only be audited",
        )


def title_of(specification: TableSpecification, cases: Sequence[TableCase]) -> str:
    """Return what the tables are called together."""
    return specification.title or ", ".join(dict.fromkeys(case.table.name for case in cases))


def text_of(specification: TableSpecification | str | PathLike[str]) -> str:
    """Return the text of a specification that was read from a file."""
    from pathlib import Path

    return "" if isinstance(specification, TableSpecification) else Path(specification).read_text(encoding="utf-8-sig")


def planned(
    plan: ProtectPlan,
    method: str | None = None,
    seconds: float | None = None,
    gap: float | None = None,
    cost: str | None = None,
    seed: int | None = None,
) -> ProtectPlan:
    """Return a plan with what is said besides the specification; settings of a method that is not used are left out."""
    if seconds is not None and not 0 <= seconds < float("inf"):
        raise UsageError(f"the time is {seconds:g} seconds", do="give seconds from 0 up")
    if gap is not None and not 0 <= gap < float("inf"):
        raise UsageError(f"the gap is {gap:g}", do="give a share from 0 up, such as 0.05")
    if method is not None and method != plan.method:
        plan = replace(plan, options={})  # they are settings of the method that is not used
    elif unknown := [name for name in plan.options if name not in keys_of(WAYS.named(plan.method))]:
        raise UsageError(
            f"no setting '{unknown[0]}' of this method",
            where=f"[protect.{plan.method}]",
            do="take it out",
        )
    given = {"method": method, "time": seconds, "gap": gap, "cost": cost, "seed": seed}
    return replace(plan, **{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
