"""Questions to several versions of random data, against fractions: no sum about few people follows, and no change.

The oracle shares no code with the audit: it looks at records, and its unknowns are the values of each record, one for
all versions in which the value is the same.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.long import LONG

import tacita as tc
from tacita.api.querying import Database
from tacita.errors import QueryRefused, UsageError
from tacita.queries.question import Both, DataQuestion, Either, Predicate, Selection, Statistic
from tacita.queries.state import RecordedAnswer

SEQUENCES = range(3_000) if LONG else range(4)
POLICY = """
name = "s"
key = "id"
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


class Row(NamedTuple):
    """A record of one version."""

    id: str
    person: str
    A: str
    B: str
    C: str
    v: int


Unknown = tuple[str, int]
"""A record and its value; for counts the value is 0."""


def next_version(draw: random.Random, rows: Sequence[Row]) -> list[Row]:
    """Return data in which few records were added, taken out, moved, and changed."""
    result = []
    for row in rows:
        change = draw.random()
        if change < 0.1:
            continue
        if change < 0.2:
            result.append(row._replace(v=draw.randint(0, 50)))
        elif change < 0.3:
            result.append(row._replace(A=draw.choice("ab"), B=draw.choice("xyz")))
        else:
            result.append(row)
    for _ in range(draw.randint(0, 3)):
        name = f"r{draw.randrange(1_000)}"
        if name not in {row.id for row in result}:
            result.append(
                Row(name, f"p{draw.randrange(14)}", *map(draw.choice, ("ab", "xyzw", "01")), draw.randint(0, 50))
            )
    return result


def question(draw: random.Random) -> str:
    conditions = []
    for name, values in (("A", "ab"), ("B", "xyz"), ("C", "01")):
        if draw.random() < 0.4:
            chosen = draw.sample(values, draw.randint(1, len(values)))
            negated = "NOT " if draw.random() < 0.3 else ""
            conditions.append(f"{negated}{name} IN ({', '.join(map(repr, chosen))})")
    where = " WHERE " + draw.choice([" AND ", " OR "]).join(conditions) if conditions else ""
    what = draw.choice(["COUNT(*)", "SUM(v)", "SUM(v)", "AVG(v)", "COUNT(*), SUM(v)"])
    groups = draw.choice(["", "", "A", "C", "B"])
    return f"SELECT {what} FROM s{where}" + (f" GROUP BY {groups}" if groups else "")


def selects(predicate: Predicate, row: Row, labels: dict[str, tuple[str, ...]]) -> bool:
    match predicate:
        case Selection(attribute, codes):
            return labels[attribute].index(getattr(row, attribute)) in codes
        case Both(parts):
            return all(selects(part, row, labels) for part in parts)
        case Either(parts):
            return any(selects(part, row, labels) for part in parts)
    raise AssertionError(predicate)


def sets_of(
    recorded: RecordedAnswer, rows: Sequence[Row], labels: dict[str, tuple[str, ...]]
) -> Iterator[tuple[str, frozenset[Unknown]]]:
    """Yield the sets of unknowns whose sums an answer says, of counts and of values."""
    asked: DataQuestion = recorded.question
    chosen = [row for row in rows if selects(asked.predicate, row, labels)]
    for codes, figures in zip(recorded.groups, recorded.figures, strict=True):
        group = {name: labels[name][code] for name, code in zip(asked.groups, codes, strict=True)}
        own = [row for row in chosen if all(getattr(row, name) == label for name, label in group.items())]
        for one, figure in zip(asked.aggregates, figures, strict=True):
            if figure.is_answered and one.statistic is not Statistic.SUM:
                yield "counts", frozenset((row.id, 0) for row in own)
            if figure.is_answered and one.statistic is not Statistic.COUNT:
                yield "values", frozenset((row.id, row.v) for row in own)
            if figure.is_answered and one.statistic is Statistic.SUM:
                assert figure.value == str(sum(row.v for row in own))


def null_space(rows: list[list[int]], size: int) -> list[list[Fraction]]:
    """Return vectors that all known sums map to 0: a sum follows if it does the same to all of them."""
    left = [[Fraction(entry) for entry in row] for row in rows]
    pivots: list[int] = []
    for column in range(size):
        at = len(pivots)
        pivot = next((row for row in range(at, len(left)) if left[row][column]), None)
        if pivot is None:
            continue
        left[at], left[pivot] = left[pivot], left[at]
        left[at] = [entry / left[at][column] for entry in left[at]]
        for row in range(len(left)):
            if row != at and left[row][column]:
                factor = left[row][column]
                left[row] = [a - factor * b for a, b in zip(left[row], left[at], strict=True)]
        pivots.append(column)
    vectors = []
    for free in set(range(size)) - set(pivots):
        vector = [Fraction(0)] * size
        vector[free] = Fraction(1)
        for at, pivot in enumerate(pivots):
            vector[pivot] = -left[at][free]
        vectors.append(vector)
    return vectors


def few_people(unknowns: list[Unknown], people: dict[Unknown, str], least: int) -> Iterator[tuple[int, ...]]:
    """Yield all sets of unknowns about fewer people than the least number."""
    names = sorted({people[one] for one in unknowns})
    for size in range(1, least):
        for chosen in itertools.combinations(names, size):
            own = [at for at, one in enumerate(unknowns) if people[one] in chosen]
            for many in range(1, len(own) + 1):
                yield from itertools.combinations(own, many)


@pytest.mark.long
@pytest.mark.parametrize("seed", SEQUENCES)
def test_no_sum_and_no_change_about_few_people_follows_over_versions(seed: int) -> None:
    draw = random.Random(seed)
    has_unit, minimum = draw.random() < 0.5, draw.choice([2, 3])
    size = draw.randint(7, 12)
    Path("s.toml").write_text(
        POLICY.format(
            unit='unit = "person"' if has_unit else "", minimum=minimum, bounds=draw.choice(["true", "false"])
        )
    )
    rows = [
        Row(f"r{at}", f"p{draw.randrange(size)}", *map(draw.choice, ("ab", "xyz", "01")), draw.randint(0, 50))
        for at in range(size)
    ]
    people: dict[Unknown, str] = {}
    known: dict[str, list[tuple[int, frozenset[Unknown]]]] = {"counts": [], "values": []}
    for version in range(1, 4):
        if version > 1:
            rows = next_version(draw, rows)
        Path("s.csv").write_text("id,person,A,B,C,v\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
        after = f"v{version - 1}" if version > 1 else None
        try:
            tc.open_for_questions(tc.read("s.csv", types={"C": "text"}), "s.toml", f"v{version}", after=after)
        except UsageError:  # no record is left of the version before
            break
        for row in rows:
            who = row.person if has_unit else row.id
            people |= {(row.id, row.v): who, (row.id, 0): who}
        with Database(f"v{version}") as database:
            labels = dict(database.description().filters)
            for _ in range(8):
                try:
                    database.sql(question(draw), analyst=draw.choice(["ann", "bob"]))
                except QueryRefused:  # nobody has one of the values
                    continue
                recorded = database._database.answers()[-1]
                for what, some in sets_of(recorded, rows, labels):
                    known[what].append((version, some))
    for what, sets in known.items():
        unknowns = sorted({one for _, some in sets for one in some})
        vectors = null_space([[int(one in some) for one in unknowns] for _, some in sets], len(unknowns))
        for few in few_people(unknowns, people, minimum):
            assert any(sum(vector[at] for at in few) for vector in vectors), (what, [unknowns[at] for at in few])
        for one, other in itertools.combinations(range(len(unknowns)), 2):
            if unknowns[one][0] == unknowns[other][0]:  # by how much a record changed
                assert any(vector[one] != vector[other] for vector in vectors), (what, unknowns[one], unknowns[other])
        for place, (version, some) in enumerate(sets):
            before = sets[:place]
            vectors = null_space([[int(one in old) for one in unknowns] for _, old in before], len(unknowns))
            row = [at for at, one in enumerate(unknowns) if one in some]
            if any(sum(vector[at] for at in row) for vector in vectors):  # otherwise it tells nothing that is new
                for other, earlier in before:
                    changed = {people[one] for one in some ^ earlier}
                    assert version == other or not changed or len(changed) >= minimum, (what, sorted(some ^ earlier))
