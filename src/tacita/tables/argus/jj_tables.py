"""Tables from files in the JJ format, which have no codes, and such files of tables that have them."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted, faults_text, listed
from tacita.model.table import WITHHELD, Dimension, Levels, Status, Table
from tacita.tables.argus.jj_format import JJProblem, read_jj
from tacita.tables.argus.jj_grid import grid_of
from tacita.tables.build.additivity import decimals_of, gaps
from tacita.tables.build.given import GivenTable
from tacita.tables.protect.case import TableCase
from tacita.tables.specification.specification import (
    AttackerPlan,
    DataPlan,
    ProtectPlan,
    TablePlan,
    TableSpecification,
)

INDEX, RESPONSE = "index", "value"
"""What the dimension of cells without a grid, and the values, are called."""
MOST_WITHOUT_GRID = 5_000
"""Cells of a dimension without structure; the search for patterns compares its codes in pairs."""
_MOST_TOLD = 8


def read_jj_specification(path: Path) -> TableSpecification:
    """Return the specification of a JJ file: its bounds are all that is known beforehand, its costs are the costs.

    The dimensions that its order suggests are called d1, d2 and so on; without any, cells are called by their index.
    """
    problem = read_jj(path)
    names = tuple(one.name for one in grid_of(len(problem.values), problem.equations)) or (INDEX,)
    _given(problem, path, TablePlan(path.stem, names, (RESPONSE,)))
    return TableSpecification(
        DataPlan(cells=path, format="jj"),
        {},
        (TablePlan(path.stem, names, (RESPONSE,)),),
        attacker=AttackerPlan(lower=None),
        protect=ProtectPlan(cost="cost"),
        folder=path.parent,
    )


def jj_given(specification: TableSpecification) -> GivenTable:
    """Return the table of a specification whose cells are a JJ file."""
    data, tables = specification.data, specification.tables
    assert data.cells is not None
    plain = DataPlan(cells=data.cells, format=data.format, decimals=data.decimals)
    if unused := [one.name for one in fields(data) if getattr(data, one.name) != getattr(plain, one.name)]:
        raise UsageError(
            f"{listed([repr(name) for name in unused])} in [data] is for files with columns, and a JJ file has none",
            where=str(data.cells),
            do="take it out",
        )
    if len(tables) != 1 or len(tables[0].responses) > 1 or tables[0].hierarchies or specification.dimensions:
        raise UsageError(
            "a JJ file has one table of one response, with dimensions of its own",
            where=str(data.cells),
            do="write one [[table]] without a hierarchy, and no [dimension.NAME]",
        )
    return _given(read_jj(data.cells), data.cells, tables[0], decimals=data.decimals)


def _given(problem: JJProblem, path: Path, plan: TablePlan, *, decimals: int | None = None) -> GivenTable:
    """Return the table of a problem.

    An unsafe cell without a protection level must not be known exactly, but for one unit of the last decimal.
    """
    cells, is_count = len(problem.values), not plan.responses
    dimensions, codes = _dimensions(problem, path, plan.dimensions)
    response = plan.responses[0] if plan.responses else ""
    table = Table(plan.name, dimensions, codes, problem.values, problem.equations, is_count, response)
    sensitive = problem.status == Status.PRIMARY
    distances = [problem.lower_level, problem.upper_level, problem.sliding_level]
    has_level = np.max(distances, axis=0) > 0
    notes = ["a JJ file does not say who stands behind its cells, so no contributor attacks"]
    bare, unused = sensitive & ~has_level, ~sensitive & has_level
    if bare.any():
        notes.append(f"{counted(int(bare.sum()), 'unsafe cell')} without a protection level must not be known exactly")
        distances[2] = np.where(bare, 10.0 ** -decimals_of(problem.values), distances[2])
    if unused.any():
        notes.append(f"the protection levels of {counted(int(unused.sum()), 'cell')} that are not unsafe are not used")
    lower, upper, sliding = (np.where(sensitive, distance, 0.0) for distance in distances)
    rule = np.where(sensitive, 0, -1).astype(np.int16)
    given = GivenTable(
        table,
        problem.status,
        Levels(sensitive, lower, upper, sliding, rule, ("given",), np.zeros(cells)),
        problem.costs,
        problem.lower,
        problem.upper,
        notes=tuple(notes),
    )
    whole = bool((problem.values % 1 == 0).all())
    exact = is_count or (whole and decimals is None)
    if wrong := gaps(table, decimals=decimals, exact=exact, suppressed=given.suppressed):
        faults = [f"does not add up: {gap.sentence(table)}" for gap in wrong[:_MOST_TOLD]]
        if len(wrong) > _MOST_TOLD:
            faults.append(f"and {len(wrong) - _MOST_TOLD:,} more sums fail")
        raise InputError(faults_text(faults), where=str(path), do="correct the values, or the sums")
    return given


def _dimensions(
    problem: JJProblem, path: Path, names: Sequence[str]
) -> tuple[tuple[Dimension, ...], NDArray[np.int32]]:
    """Return the dimensions under the names that a specification gives them, and the codes of the cells."""
    cells = len(problem.values)
    if tuple(names) == (INDEX,):
        if cells > MOST_WITHOUT_GRID:
            raise InputError(
                f"its {cells:,} cells are in no order that suggests dimensions; without, there can be "
                f"{MOST_WITHOUT_GRID:,} at most",
                where=str(path),
                do="give the table in another format, with its codes",
            )
        flat = Dimension.flat(INDEX, map(str, range(cells)), "all")
        return (flat,), np.arange(1, cells + 1, dtype=np.int32).reshape(-1, 1)
    grid = grid_of(cells, problem.equations)
    if len(grid) != len(names):
        raise UsageError(
            f"the order of its cells has {counted(len(grid), 'dimension')}, and {len(names)} are named",
            where=str(path),
            do=f"write dimensions = [\"{INDEX}\"], or as many names as 'tacita table import' gives",
        )
    shape = [len(one.codes) for one in grid]
    codes = np.stack(np.unravel_index(np.arange(cells), shape), axis=1).astype(np.int32)
    return tuple(replace(one, name=name) for one, name in zip(grid, names, strict=True)), codes


def cells_csv(table: Table) -> str:
    """Return which codes the cells of a file have, by their index."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([INDEX, *(dimension.name for dimension in table.dimensions)])
    writer.writerows((cell, *table.cell_codes(cell)) for cell in range(len(table)))
    return text.getvalue()


def problem_of(case: TableCase, status: NDArray[np.int8]) -> tuple[JJProblem, list[str]]:
    """Return a table with a pattern as a problem, and what the format cannot say.

    A cell without a bound gets one that is far from all values: a power of ten, a thousand times what any cell could
    reach by its level.
    """
    table, levels, knowledge = case.table, case.levels, case.knowledge
    unknown = np.flatnonzero(np.isnan(table.values)).tolist()
    if unknown:
        cells = listed([f"({table.cell_name(cell)})" for cell in unknown], 5)
        raise InputError(
            f"{counted(len(unknown), 'cell')} without a true value: {cells}",
            where=f"table '{table.name}'",
            do="give true values, and a status column for what was withheld",
        )
    notes = []
    reach = np.abs(table.values) + np.max([levels.lower, levels.upper, levels.sliding, np.ones(len(table))], axis=0)
    far = 10.0 ** (np.ceil(np.log10(reach.max())) + 3)
    open_ends = ~np.isfinite(knowledge.lower) | ~np.isfinite(knowledge.upper)
    if open_ends.any():
        notes.append(f"{counted(int(open_ends.sum()), 'cell')} without a bound got one far from all values")
    withheld = np.isin(status, WITHHELD) & ~levels.sensitive
    letters = np.where(levels.sensitive, Status.PRIMARY, np.where(withheld, Status.SECONDARY, Status.PUBLISHED))
    kept = ~levels.sensitive & ~withheld & (case.wishes == Status.KEPT)
    if case.knowledge.owners is not None and (case.knowledge.owners >= 0).any():
        notes.append("the format does not say which contributors stand alone, so they do not attack there")
    return (
        JJProblem(
            table.values,
            case.costs,
            np.where(kept, Status.KEPT, letters).astype(np.int8),
            np.where(np.isfinite(knowledge.lower), knowledge.lower, -far),
            np.where(np.isfinite(knowledge.upper), knowledge.upper, far),
            levels.lower,
            levels.upper,
            levels.sliding,
            table.equations,
        ),
        notes,
    )
