"""Sequences of questions through the front door, against fractions and all data sets that agree with the answers.

What is known is what is the same in all of them: no sum about few people, and nobody's value.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.long import LONG
from tests.queries.sequences import Asked, DrawnSequence, drawn_sequence, every_data_set, figures_of, row_of

import tacita as tc
from tacita.api.querying import Database
from tacita.engines.context import Context
from tacita.errors import QueryRefused

SEQUENCES = range(10_000) if LONG else (0, 17, 96, 137, 202, 283, 418, 446)
"""All but the first gave away somebody: by a variance, or an extreme that somebody has, and known bounds."""
Given = tuple[Asked, tuple[str, str], list[int], Fraction]
"""A question, one of its figures as function and measure, the records, and the figure."""


def answered(sequence: DrawnSequence, folder: str = "s.opened") -> list[Given]:
    """Return the figures that were answered, all of them looked at."""
    Path("s.csv").write_text(sequence.file)
    Path("s.toml").write_text(sequence.policy)
    data = tc.read("s.csv", types=dict.fromkeys("ABC", "text"))
    tc.open_for_questions(data, "s.toml", folder)
    result: list[Given] = []
    values = {name: np.array([[one[name] for one in sequence.records]]) for name in sequence.bounds}
    with Database(folder) as database:
        for question in sequence.questions:
            try:
                answer = database.sql(question.text, analyst=question.analyst)
            except QueryRefused:
                continue
            places = question.places(sequence.records)
            for row in answer.rows:
                for asked, figure in zip(question.figures, row.figures, strict=True):
                    if figure.is_answered:
                        some = places.get(row.group, [])
                        above, below = figures_of(asked[0], values, asked[1], some, numbers(sequence))
                        true = Fraction(int(above[0]), int(below[0]))
                        assert figure.value is not None and abs(Fraction(figure.value) - true) <= abs(true) / 10**13
                        result.append((question, asked, some, true))
    return result


def numbers(sequence: DrawnSequence) -> list[int]:
    return [int(one["g"]) for one in sequence.records]


class Equations:
    """What follows from linear equations, in fractions."""

    def __init__(self) -> None:
        self.rows: dict[int, list[Fraction]] = {}

    def left(self, row: Sequence[int | Fraction]) -> list[Fraction]:
        rest = [Fraction(one) for one in row]
        for column, known in self.rows.items():
            if rest[column]:
                factor = rest[column]
                rest = [a - factor * b for a, b in zip(rest, known, strict=True)]
        return rest

    def add(self, row: Sequence[int | Fraction]) -> None:
        rest = self.left(row)
        column = next((at for at, one in enumerate(rest) if one), None)
        if column is None:
            return
        rest = [one / rest[column] for one in rest]
        for other, known in self.rows.items():
            if known[column]:
                factor = known[column]
                self.rows[other] = [a - factor * b for a, b in zip(known, rest, strict=True)]
        self.rows[column] = rest

    def follows(self, row: Sequence[int | Fraction]) -> bool:
        return not any(self.left(row))


def few(sequence: DrawnSequence, cells: Sequence[Sequence[int]], least: int) -> Iterator[list[int]]:
    """Yield sets of cells about fewer people than some."""
    for chosen in itertools.product((0, 1), repeat=len(cells)):
        places = [place for cell, is_in in zip(cells, chosen, strict=True) if is_in for place in cell]
        if places and sequence.contributors(places) < least:
            yield list(chosen)


def linear_faults(sequence: DrawnSequence, given: Sequence[Given]) -> Iterator[str]:
    """Yield sums about few people that follow by additions and subtractions alone."""
    cells, measures = sequence.cells(), list(sequence.bounds)
    sums, counts = Equations(), Equations()
    squares = {name: Equations() for name in measures}
    for _, (function, measure), places, figure in given:
        inside = [int(cell[0] in places) for cell in cells]
        if function in {"COUNT", "AVG", "VAR_POP"}:
            counts.add(inside)
        if function == "VAR_POP":
            # With the average, which is told as well, it is a sum of squares.
            squares[measure].add(inside)
            sums.add(row_of("SUM", figure, measure, cells, places, numbers(sequence), measures) or [])
        row = None if function == "COUNT" else row_of(
            function, figure, measure, cells, places, numbers(sequence), measures
        )  # fmt: skip
        if row is not None:
            sums.add(row)
    least = int(sequence.rules["minimum"])
    for chosen in few(sequence, cells, max(3, least)):
        places = [place for cell, is_in in zip(cells, chosen, strict=True) if is_in for place in cell]
        is_few = sequence.contributors(places) < least
        for at, name in enumerate(measures):
            row = [0] * at * len(cells) + chosen + [0] * (len(measures) - 1 - at) * len(cells)
            if is_few and sums.follows(row):
                yield f"the sum of {name} over {chosen} follows"
            if squares[name].follows(chosen):
                yield f"the squares of {name} over {chosen} follow"
        if is_few and sequence.rules["counts_are_confidential"] == "true" and counts.follows(chosen):
            yield f"the number of {chosen} follows"


def agreeing(sequence: DrawnSequence, given: Sequence[Given]) -> dict[str, np.ndarray]:
    """Return all data sets within the bounds that agree with all answers."""
    values = every_data_set(sequence)
    for _, (function, measure), places, figure in given:
        above, below = figures_of(function, values, measure, places, numbers(sequence))
        stay = (below != 0) & (above * figure.denominator == below * figure.numerator)
        values = {name: rows[stay] for name, rows in values.items()}
    return values


def value_faults(sequence: DrawnSequence, given: Sequence[Given]) -> Iterator[str]:
    """Yield people whose value is the same in all data sets that agree, or nearly so where p per cent is a rule."""
    p = sequence.rules.get("p_percent")
    for name, rows in agreeing(sequence, given).items():
        low, high = sequence.bounds[name]
        for person in dict.fromkeys(sequence.person(place) for place in range(len(sequence.records))):
            places = [place for place in range(len(sequence.records)) if sequence.person(place) == person]
            true = sum(sequence.records[place][name] for place in places)
            totals = rows[:, places].sum(axis=1)
            if totals.min() == totals.max():
                yield f"{name} of {person} is known"
            # Within a variance only exact values are promised to stay unknown.
            elif p is not None and not any(function == "VAR_POP" for _, (function, _), _, _ in given):
                room = max(p / 100 * abs(true), 1)
                up, down = min(true + room, high * len(places)), max(true - room, low * len(places))
                # An extreme bounds records from one side, whoever they are; from both sides it must not.
                has_extremes = any(function in {"MIN", "MAX"} for _, (function, _), _, _ in given)
                is_close = [bool(totals.max() < up), bool(totals.min() > down)]
                if all(is_close) if has_extremes else any(is_close):
                    yield f"{name} of {person} is known to be {totals.min()} to {totals.max()}, and is {true}"


def count_faults(sequence: DrawnSequence, given: Sequence[Given]) -> Iterator[str]:
    """Yield classes of few people of which the number is the same in all that agree."""
    cells, most = sequence.cells(), len(sequence.records)
    told = [(places, len(places)) for _, (function, _), places, _ in given if function in {"COUNT", "AVG", "VAR_POP"}]
    if not told or (most + 1) ** len(cells) > 2 * 10**6:
        return
    # Cells that no question tells apart are one.
    classes: dict[tuple[bool, ...], list[int]] = {}
    for cell in cells:
        classes.setdefault(tuple(cell[0] in places for places, _ in told), []).extend(cell)
    members = list(classes.values())
    vectors = np.array(list(itertools.product(range(most + 1), repeat=len(members))), np.int16)
    for places, count in told:
        inside = [at for at, one in enumerate(members) if one[0] in places]
        vectors = vectors[vectors[:, inside].sum(axis=1) == count]
    for at, one in enumerate(members):
        known = vectors[:, at].min() == vectors[:, at].max()
        if known and sequence.contributors(one) < int(sequence.rules["minimum"]):
            yield f"the number of {one} is known"


def refusal_faults(sequence: DrawnSequence, given: Sequence[Given]) -> Iterator[str]:
    """Yield that another data set with the same answers has other refusals, under rules that look at no value."""
    values = agreeing(sequence, given)
    other = tuple(
        record | {name: int(rows[-1][place]) for name, rows in values.items()}
        for place, record in enumerate(sequence.records)
    )
    if other != sequence.records and answered(replace(sequence, records=other), "other.opened") != list(given):
        yield "the same questions of other data that agree were refused, or answered, otherwise"


def faults(sequence: DrawnSequence, given: Sequence[Given]) -> list[str]:
    result = list(linear_faults(sequence, given))
    if sequence.rules["simulatable"] == "true" and not sequence.is_alone:
        result += refusal_faults(sequence, given)
    if sequence.rules["knows_bounds"] == "true" and sequence.rules["simulatable"] == "false":
        result += value_faults(sequence, given)
        if sequence.rules["counts_are_confidential"] == "true":
            result += count_faults(sequence, given)
    return result


@pytest.fixture(autouse=True)
def engine_of_one_test() -> Iterator[None]:
    """Close the engine of a test: each has settings of its own, and thousands of engines fill the memory."""
    yield
    Context.shared().close()


@pytest.mark.long
@pytest.mark.parametrize("seed", SEQUENCES)
def test_nothing_about_few_people_follows_from_all_answers(seed: int):
    sequence = drawn_sequence(seed)
    given = answered(sequence)
    analysts = [["ann"], ["bob"]] if sequence.is_alone else [["ann", "bob"]]
    for some in analysts:
        assert faults(sequence, [one for one in given if one[0].analyst in some]) == []
