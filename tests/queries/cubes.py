"""Small cubes of records that a test invents, and the same records as tables of an engine, to compare with."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from tacita.queries.cube.cube import Cube, CubeAttribute
from tacita.queries.policy.policy import DeclaredJoin, FilterAttribute, QueryMeasure, QueryPolicy
from tacita.queries.question import Statistic

Record = Mapping[str, Any]

POLICY = QueryPolicy(
    name="emp",
    filters=(
        FilterAttribute("age", cuts=(Decimal(18), Decimal(30), Decimal(45), Decimal("62.5"))),
        FilterAttribute("sex"),
        FilterAttribute("year"),
        FilterAttribute("size class", joined="firms"),
    ),
    measures=(
        QueryMeasure("salary", Decimal(0), Decimal(100_000), decimals=2, statistics=tuple(Statistic)),
        QueryMeasure(
            "debt", Decimal(0), Decimal(1_000), statistics=(Statistic.SUM, Statistic.AVERAGE, Statistic.RATIO)
        ),
        QueryMeasure("hours", Decimal(0), Decimal(100)),
    ),
    regressors=(FilterAttribute("grade"),),
    joins=(DeclaredJoin("firms", Path("firms.csv"), "firm"),),
    unit=("person",),
)
AGES = (None, 17, 18, 29.5, 30, 44, 45, 62, 62.5, 90)
SEXES = (None, "f", "m", "men's", "not said")
YEARS = (None, 2018, 2019, 2020, 2021, 2022, 2023)
SIZES = (None, "large", "small")
GRADES = (1.0, 2.5, 10.0)


def records(seed: int, number: int = 60, *, missing: bool = True) -> list[dict[str, Any]]:
    """Return records drawn at random, with values missing or not."""
    draw = random.Random(seed)

    def one_of(values: Sequence[Any]) -> Any:
        return draw.choice(values if missing else values[1:])

    return [
        {
            "person": f"p{place // 2}",
            "age": one_of(AGES),
            "sex": one_of(SEXES),
            "year": one_of(YEARS),
            "size class": one_of(SIZES),
            "grade": draw.choice(GRADES),
            "salary": draw.randrange(0, 10_000_000),
            "debt": draw.randrange(0, 1_000),
            "hours": draw.randrange(0, 60),
        }
        for place in range(number)
    ]


def cube_of(rows: Sequence[Record], policy: QueryPolicy = POLICY) -> Cube:
    """Return the cube of some records: naively, one record after the other."""
    declared = (*policy.filters, *(one for one in policy.regressors if one not in policy.filters))
    attributes = tuple(_attribute(one, rows) for one in declared)
    coded = [
        tuple(_code(filter_, one, row[one.name]) for filter_, one in zip(declared, attributes, strict=True))
        for row in rows
    ]
    order = sorted(range(len(rows)), key=lambda place: coded[place])
    cells = [(cell, list(members)) for cell, members in itertools.groupby(order, key=lambda place: coded[place])]
    first = policy.measures[0].name if policy.measures else ""
    members = [place for _, some in cells for place in sorted(some, key=lambda p: -rows[p].get(first, 0))]
    sizes = [len(some) for _, some in cells]
    units = None
    if policy.unit:
        people = [tuple(row[name] for name in policy.unit) for row in rows]
        numbers = {person: number for number, person in enumerate(dict.fromkeys(people))}
        units = np.array([numbers[people[place]] for place in members], np.int64)
    return Cube(
        policy,
        attributes,
        {one.name: np.array([cell[n] for cell, _ in cells], np.int32) for n, one in enumerate(attributes)},
        np.array(sizes, np.int64),
        np.array([0, *itertools.accumulate(sizes)], np.int64),
        {one.name: np.array([rows[p][one.name] for p in members], np.int64) for one in policy.measures},
        units,
    )


def cell_codes(row: Record, cube: Cube) -> dict[str, int]:
    """Return the codes of one record."""
    declared = {one.name: one for one in (*cube.policy.regressors, *cube.policy.filters)}
    return {one.name: _code(declared[one.name], one, row[one.name]) for one in cube.attributes}


def _attribute(declared: FilterAttribute, rows: Sequence[Record]) -> CubeAttribute:
    values = {row[declared.name] for row in rows}
    missing = [""] if None in values else []
    known = sorted(value for value in values if value is not None)
    if declared.cuts:
        ends = zip(declared.cuts, declared.cuts[1:], strict=False)
        between = [f"{low} to below {high}" for low, high in ends]
        return CubeAttribute(
            declared.name, (f"below {declared.cuts[0]}", *between, f"{declared.cuts[-1]} or more", *missing)
        )
    labels = declared.values or tuple(str(value) for value in known)
    is_number = known and all(isinstance(value, float) for value in known)
    return CubeAttribute(declared.name, (*labels, *missing), np.array(known) if is_number and not missing else None)


def _code(declared: FilterAttribute, attribute: CubeAttribute, value: Any) -> int:
    if value is None:
        return attribute.labels.index("")
    if declared.cuts:
        return sum(cut <= Decimal(repr(value)) for cut in declared.cuts)
    return attribute.labels.index(str(value))
