"""Which cells of the tables of a specification tell too much, why, and which coarser tables would have fewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike

import numpy as np

from tacita.errors import counted
from tacita.model.result import Result
from tacita.progress import Progress, Step, silent
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.cases import cases_of, open_specification
from tacita.tables.protect.protect import title_of
from tacita.tables.recoding.granularity import TableGranularity, granularity
from tacita.tables.recoding.proposals import RecodingProposal, propose_recodings
from tacita.tables.sensitivity.rule import SensitivityRule
from tacita.tables.specification.specification import TableSpecification


@dataclass(frozen=True, slots=True)
class SensitiveCell:
    """A sensitive cell: its codes, the rule, and a sentence that says by how much, without any contribution."""

    codes: dict[str, str]
    rule: str
    why: str

    @property
    def name(self) -> str:
        """The cell as people say it."""
        return ", ".join(f"{name}={code}" for name, code in self.codes.items())


@dataclass(frozen=True, slots=True, repr=False)
class AssessedTable:
    """One table with what is sensitive in it, how grainy it is, and merges of codes that would help."""

    case: TableCase
    granularity: TableGranularity | None = None
    recodings: tuple[RecodingProposal, ...] = ()

    @property
    def sensitive(self) -> list[SensitiveCell]:
        """The sensitive cells, in the order of the table."""
        table, levels = self.case.table, self.case.levels
        names = [dimension.name for dimension in table.dimensions]
        return [
            SensitiveCell(
                dict(zip(names, table.cell_codes(cell), strict=True)),
                levels.rules[int(levels.rule[cell])],
                self.case.why_sensitive(cell),
            )
            for cell in np.flatnonzero(levels.sensitive).tolist()
        ]


@dataclass(frozen=True, slots=True, repr=False)
class TableAssessment(Result):
    """All tables of a specification, assessed."""

    title: str
    tables: tuple[AssessedTable, ...]

    def _in_short(self) -> str:
        cells = sum(len(table.case.table) for table in self.tables)
        sensitive = sum(int(table.case.levels.sensitive.sum()) for table in self.tables)
        return f"'{self.title}': {counted(cells, 'cell')}, {sensitive:,} sensitive"


def assess_table(
    specification: TableSpecification | str | PathLike[str], *, recodings: bool = False, progress: Progress = silent
) -> TableAssessment:
    """Find the sensitive cells of the tables of a specification; with `recodings` also merges that remove some."""
    opened = open_specification(specification)
    cases = cases_of(opened, progress)
    rules = opened.sensitivity.in_order()
    return TableAssessment(
        title_of(opened, cases), tuple(_assessed(case, rules, recodings, progress) for case in cases)
    )


def _assessed(case: TableCase, rules: Sequence[SensitivityRule], recodings: bool, progress: Progress) -> AssessedTable:
    if case.table.counts is None:
        return AssessedTable(case)
    grains = granularity(case.table)
    if not recodings or not rules:
        return AssessedTable(case, grains)
    progress(Step("trying coarser tables"))
    return AssessedTable(case, grains, propose_recodings(case.table, rules))
