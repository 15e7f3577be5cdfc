"""What answers disclose, in the form in which releases are judged together: sums over the cells of a frozen version.

The folder of the version has the records behind the cells, as the internal folder of a table has (`POPULATION_FILE`).
So a table or a file that leaves later is judged with every exact answer. Noise and intervals tell no sum; the counts
beside intervals of camouflage, and by which averages in it are divided, are exact, and disclosed as such. That the
policy calls no count confidential does not matter: a table may have withheld one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.ledger.disclosures import (
    CONTRIBUTOR_COLUMN,
    CUBE_CELLS,
    PERSON_COLUMN,
    ROW_COLUMN,
    DisclosedCell,
    DisclosedDimension,
    DisclosedPopulation,
    DisclosedTable,
    Disclosures,
)
from tacita.queries.audit.judge import AuditRequest, ToldSum
from tacita.queries.cube.cube import COUNT, Cube
from tacita.queries.figures import figure_text
from tacita.queries.question import Mask, codes_told_apart

if TYPE_CHECKING:
    import pyarrow as pa

_CELL, _IN_QUESTION, _PART = "cell", "in question", "part"
MOST_CELLS = 20_000
"""Cells of a cube that answers list; of larger ones nothing is written, and later releases are refused."""


def population_table(cube: Cube, persons: Sequence[str | None] | None) -> pa.Table:
    """Return the records behind the cells, in the order of the source; `persons` are their hashes in that order."""
    import pyarrow as pa

    assert cube.rows is not None
    order = np.argsort(cube.rows, kind="stable")
    order = order[cube.rows[order] > 0]  # records of earlier versions only are not of this source
    cell_of = np.repeat(np.arange(len(cube)), cube.n)[order]
    columns: dict[str, Any] = {ROW_COLUMN: pa.array(cube.rows[order])}
    if persons is not None:
        columns[PERSON_COLUMN] = pa.array(list(persons), pa.string())
    if cube.policy.unit and cube.units is not None:
        columns[CONTRIBUTOR_COLUMN] = pa.array(cube.units[order])
    columns["d0"] = pa.array([str(cell) for cell in cell_of.tolist()], pa.string())
    for at, measure in enumerate(cube.policy.measures):
        # Divided by a power of ten, a whole number is what the same decimal number is when it is read from a file.
        columns[f"m{at}"] = pa.array(cube.values[measure.name][order] / 10.0**measure.decimals)
    return pa.table(columns)


def disclosed_population(cube: Cube, facts: Mapping[str, Any]) -> DisclosedPopulation:
    """Return what the ledger says of that file; `facts` are its hash and the key of persons."""
    measures = tuple(measure.name for measure in cube.policy.measures)
    key, attributes = tuple(facts["person_key"]), tuple(one.name for one in cube.attributes)
    return DisclosedPopulation(cube.records, (_CELL,), measures, facts["sha256"], key, attributes)


def told_exactly(cube: Cube, request: AuditRequest) -> AuditRequest:
    """Return the part of a request that is told without noise: all of exact answers, counts of modes that give them."""
    policy = cube.policy
    return request if policy.has_exact_figures or policy.has_exact_counts else AuditRequest((), request.number)


def answer_disclosures(
    cube: Cube, population: DisclosedPopulation | None, sums: Sequence[ToldSum], number: int
) -> Disclosures | None:
    """Return what exact sums disclose; None if that cannot be said in this form."""
    if not (cube.policy.has_exact_figures or cube.policy.has_exact_counts):
        return Disclosures(notes=("figures have noise: nothing follows from them with certainty",))
    if population is None or len(cube) > MOST_CELLS or any(one.power == 0 for one in sums):
        return None
    by_measure: dict[str, list[ToldSum]] = {}
    for one in sums:
        if one.power == 1 and not one.extreme and one.cells.any():
            by_measure.setdefault(one.measure, []).append(one)
    tables = [
        _table(cube, population, some, f"question {number}" if at == 0 else f"question {number}, figure {at + 1}")
        for at, some in enumerate(by_measure.values())
    ]
    others = sum(one.power != 1 or bool(one.extreme) for one in sums)
    notes = ("variances and extremes are not judged together with releases",) if others else ()
    return Disclosures(tuple(tables), population=population, notes=notes)


def _table(cube: Cube, population: DisclosedPopulation, sums: Sequence[ToldSum], name: str) -> DisclosedTable:
    """Return the sums of one measure as the cells of a table: each is a code, and lists cells of the cube."""
    measure, standing = sums[0].measure, cube.standing(sums[0].measure)
    masks = {one.cells.tobytes(): (cube.present & one.cells[standing], one.value) for one in sums}
    codes = {_IN_QUESTION if at == 1 else f"{_IN_QUESTION}, {at}": one for at, one in enumerate(masks.values(), 1)}
    cells = {code: _listed(mask) for code, (mask, _) in codes.items()}
    unit = Fraction(1) if measure == COUNT else Fraction(cube.policy.measure(measure).unit)
    values = {code: figure_text(unit * value) for code, (_, value) in codes.items()}
    low = Decimal(0) if measure == COUNT else cube.policy.measure(measure).lower
    published = [DisclosedCell((code,), value, value) for code, value in values.items()]
    # Of the parts nothing is said. They say what the question tells apart: all records have to be in one of them, and
    # what it does not tell apart must not look as if anybody could know it.
    for part, mask in enumerate(_parts(cube, sums), 1):
        cells[f"{_PART} {part}"] = _listed(mask)
        published.append(DisclosedCell((f"{_PART} {part}",), None, None))
    return DisclosedTable(
        name,
        measure,
        (DisclosedDimension(_CELL, f"{CUBE_CELLS}{population.sha256[:16]}", cells),),
        tuple(published),
        method="answer",
        is_whole=unit == 1,
        is_nonnegative=low >= 0,
    )


def _listed(cells: Mask) -> tuple[str, ...]:
    return tuple(str(cell) for cell in np.flatnonzero(cells).tolist())


def _parts(cube: Cube, sums: Sequence[ToldSum]) -> Iterator[Mask]:
    """Yield the cells that the conditions of some sums do not tell apart."""
    sizes = {one.name: len(one.labels) for one in cube.attributes}
    classes = codes_told_apart((one.where for one in sums), sizes)
    present = np.flatnonzero(cube.present)
    codes = np.stack(
        [np.zeros(len(present), np.int32), *(own[cube.codes[name][present]] for name, own in classes.items())]
    )
    _, part_of = np.unique(codes, axis=1, return_inverse=True)
    for part in range(int(part_of.max(initial=-1)) + 1):
        mask = np.zeros(len(cube), np.bool_)
        mask[present[part_of.reshape(-1) == part]] = True
        yield mask
