"""Judging tables as they were or would be published: by the sensitive cells, or by a pattern made elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.result import Audit
from tacita.model.table import WITHHELD, Status
from tacita.progress import Progress, silent
from tacita.tables.front.case import Case
from tacita.tables.front.cases import cases_of, opened
from tacita.tables.front.pattern import pattern_of
from tacita.tables.front.protect import title_of
from tacita.tables.front.violation import ToldViolation, told
from tacita.tables.front.ways.attacked import attacked
from tacita.tables.specification.specification import Specification


@dataclass(frozen=True, slots=True)
class AuditedTable:
    """One table, the pattern that was judged, and the verdict."""

    case: Case
    status: NDArray[np.int8]
    audit: Audit
    judged: str
    """What the pattern is: ``as given``, ``as published``, or ``sensitive cells alone``."""


@dataclass(frozen=True, slots=True)
class Audited:
    """All tables of a specification, judged."""

    title: str
    tables: tuple[AuditedTable, ...]

    @property
    def passed(self) -> bool:
        """Whether every level is kept."""
        return all(each.audit.passed for each in self.tables)

    def violations(self, *, figures: bool = False) -> list[ToldViolation]:
        """Return every level that is not kept, in shares of the value; with `figures` the steps have them."""
        return [told(each.case, one, figures=figures) for each in self.tables for one in each.audit.violations]

    def to_dict(self, *, figures: bool = False) -> dict[str, Any]:
        """Return plain values for JSON, without any figure of a table unless they are asked for."""
        return {
            "passed": self.passed,
            "title": self.title,
            "tables": [
                {
                    "name": each.case.table.name,
                    "response": each.case.table.response or None,
                    "judged": each.judged,
                    "cells": len(each.case.table),
                    "sensitive": each.audit.sensitive,
                    "withheld": int(np.isin(each.status, WITHHELD).sum()),
                    "passed": each.audit.passed,
                    "notes": [*each.case.notes, *each.audit.notes],
                }
                for each in self.tables
            ],
            "violations": [each.to_dict() for each in self.violations(figures=figures)],
        }


def audit(
    specification: Specification | str | PathLike[str],
    pattern: str | PathLike[str] | None = None,
    *,
    progress: Progress = silent,
) -> Audited:
    """Judge the tables of a specification with the cells that are withheld.

    `pattern` is a published file, or a folder with one for each table. Without it the pattern is the one that the cells
    of the specification come with; without that, too, the sensitive cells alone are withheld.
    """
    asked = opened(specification)
    cases = cases_of(asked, progress)
    tables = []
    for case in cases:
        if pattern is not None:
            status, judged = pattern_of(pattern, case, alone=len(cases) == 1), "as published"
        elif case.given is not None:
            status, judged = case.given, "as given"
        else:
            status, judged = case.primaries, "sensitive cells alone"
        withheld = np.isin(status, WITHHELD)
        verdict = attacked(case, withheld, progress)
        tables.append(AuditedTable(case, np.where(withheld, status, Status.PUBLISHED).astype(np.int8), verdict, judged))
    return Audited(title_of(asked, cases), tuple(tables))
