"""Sequences of questions through the front door, against fractions: no sum about few people follows."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.long import LONG

import tacita as tc
from tacita.api.querying import Database
from tacita.errors import TacitaError
from tacita.queries.question import Statistic

SEQUENCES = range(10_000) if LONG else (0, 1, 2, 3, 74, 206)
"""The last two gave away the sum of one or two people who have records in several cells."""
GROUPINGS = ("", "", "A", "B", "A, C")
TOTALS = ("ROLLUP (A, B)", "CUBE (A, C)", "GROUPING SETS ((A), (B))", "ROLLUP (C)", "")
POLICY = """
name = "s"
{unit}
[[filter]]
attribute = "A"
[[filter]]
attribute = "B"
[[filter]]
attribute = "C"
values = ["0", "1"]
[[measure]]
attribute = "v"
lower = 0
upper = 50
[rules]
minimum = {minimum}
knows_bounds = {bounds}
"""


def rank(rows: list[list[int]]) -> int:
    left = [[Fraction(entry) for entry in row] for row in rows]
    rank = 0
    for column in range(len(left[0])):
        pivot = next((row for row in range(rank, len(left)) if left[row][column]), None)
        if pivot is None:
            continue
        left[rank], left[pivot] = left[pivot], left[rank]
        for row in range(rank + 1, len(left)):
            if left[row][column]:
                factor = left[row][column] / left[rank][column]
                left[row] = [a - factor * b for a, b in zip(left[row], left[rank], strict=True)]
        rank += 1
    return rank


def question(draw: random.Random, groupings: tuple[str, ...]) -> str:
    conditions = []
    for name, values in (("A", "ab"), ("B", "xyz"), ("C", "01")):
        if draw.random() < 0.5:
            chosen = draw.sample(values, draw.randint(1, len(values)))
            negated = "NOT " if draw.random() < 0.3 else ""
            conditions.append(f"{negated}{name} IN ({', '.join(map(repr, chosen))})")
    where = " WHERE " + draw.choice([" AND ", " OR "]).join(conditions) if conditions else ""
    what = draw.choice(["COUNT(*)", "SUM(v)", "AVG(v)", "COUNT(*), SUM(v)"])
    groups = draw.choice(groupings)
    return f"SELECT {what} FROM s{where}" + (f" GROUP BY {groups}" if groups else "")


@pytest.mark.long
@pytest.mark.parametrize(
    ("seed", "groupings"), [(one, GROUPINGS) for one in SEQUENCES] + [(one, TOTALS) for one in (1, 4)]
)
def test_no_sum_about_few_people_follows_from_all_answers(seed: int, groupings: tuple[str, ...]):
    draw = random.Random(seed)
    size = draw.randint(6, 14)
    records = [
        (f"p{draw.randrange(size)}", draw.choice("ab"), draw.choice("xyz"), draw.choice("01"), draw.randint(0, 50))
        for _ in range(size)
    ]
    unit = 'unit = "person"' if draw.random() < 0.5 else ""
    Path("s.csv").write_text("person,A,B,C,v\n" + "".join(",".join(map(str, one)) + "\n" for one in records))
    minimum, bounds = draw.choice([2, 3]), draw.choice(["true", "false"])
    Path("s.toml").write_text(POLICY.format(unit=unit, minimum=minimum, bounds=bounds))
    tc.open_for_questions(tc.read("s.csv", types={"C": "text"}), "s.toml", "s.opened")
    known: dict[str, list[list[int]]] = {"counts": [], "sums": []}
    with Database("s.opened") as database:
        cube = database._database.version.cube
        for _ in range(12):
            try:
                database.sql(question(draw, groupings), analyst=draw.choice(["ann", "bob"]))
            except TacitaError:
                continue
            recorded = database._database.answers()[-1]
            groups = dict(cube.grouped(recorded.question))
            for codes, row in zip(recorded.groups, recorded.figures, strict=True):
                for statistic, figure in zip(recorded.question.aggregates, row, strict=True):
                    if figure.is_answered:
                        cells = groups[codes].astype(int).tolist()
                        known["counts"] += [cells] if statistic.statistic is not Statistic.SUM else []
                        known["sums"] += [cells] if statistic.statistic is not Statistic.COUNT else []
    for rows in filter(None, known.values()):
        independent = rank(rows)
        for chosen in itertools.product((0, 1), repeat=len(cube)):
            few = any(chosen) and cube.contributors(np.array(chosen, bool)) < minimum
            assert not few or rank([*rows, list(chosen)]) > independent
