"""Sequences of questions about a few invented records, and what each figure says: evaluated by themselves.

Nothing here is shared with what is tested: predicates are looked at record by record, figures are numbers over numbers.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Condition = tuple[Any, ...]
"""("in", attribute, values), ("not", condition), ("and" or "or", conditions)"""
VALUES = {"A": "ab", "B": "xyz", "C": "01"}
NUMBERS = ("1", "2", "4")
"""The public regressor g."""
LINEAR = ("SUM", "AVG", "REGR_SLOPE", "REGR_INTERCEPT", "RATIO")


@dataclass(frozen=True)
class Asked:
    """A question: figures as (function, measure), a condition, and attributes to group by."""

    figures: tuple[tuple[str, str], ...]
    condition: Condition
    groups: tuple[str, ...]
    analyst: str

    @property
    def text(self) -> str:
        """The question in SQL."""
        where = f" WHERE {written(self.condition)}" if self.condition else ""
        groups = f" GROUP BY {', '.join(self.groups)}" if self.groups else ""
        return f"SELECT {', '.join(_figure_text(*one) for one in self.figures)} FROM s{where}{groups}"

    def places(self, records: Sequence[dict[str, Any]]) -> dict[tuple[str, ...], list[int]]:
        """Return the places of the records of each group that has some."""
        result: dict[tuple[str, ...], list[int]] = {}
        for place, record in enumerate(records):
            if not self.condition or holds(self.condition, record):
                result.setdefault(tuple(record[name] for name in self.groups), []).append(place)
        return result


@dataclass(frozen=True)
class DrawnSequence:
    """Records, a policy, and questions, all from one seed."""

    records: tuple[dict[str, Any], ...]
    bounds: dict[str, tuple[int, int]]
    """Of each measure the least and the largest value."""
    rules: dict[str, Any]
    has_units: bool
    is_alone: bool
    """Whether each analyst is judged alone."""
    functions: tuple[str, ...]
    questions: tuple[Asked, ...]

    @property
    def policy(self) -> str:
        """The policy as a file."""
        measures = "".join(
            f'[[measure]]\nattribute = "{name}"\nlower = {low}\nupper = {high}\nstatistics = '
            '["sum", "avg", "variance", "min", "max", "ratio", "slope", "intercept"]\n'
            for name, (low, high) in self.bounds.items()
        )
        rules = "".join(f"{key} = {value}\n" for key, value in self.rules.items())
        return (
            f'name = "s"\n{"unit = " + chr(34) + "person" + chr(34) if self.has_units else ""}\n'
            f'together = "{"analyst" if self.is_alone else "all"}"\n'
            '[[filter]]\nattribute = "A"\n[[filter]]\nattribute = "B"\n'
            '[[filter]]\nattribute = "C"\nvalues = ["0", "1"]\n'
            f'[[regressor]]\nattribute = "g"\nvalues = [1, 2, 4]\n{measures}[rules]\n{rules}'
        )

    @property
    def file(self) -> str:
        """The records as a file."""
        names = ("person", "A", "B", "C", "g", *self.bounds)
        return "\n".join([",".join(names), *(",".join(str(one[name]) for name in names) for one in self.records), ""])

    def person(self, place: int) -> Any:
        """Return whom a record is about."""
        return self.records[place]["person"] if self.has_units else place

    def contributors(self, places: Sequence[int]) -> int:
        """Return how many people some records are about."""
        return len({self.person(place) for place in places})

    def cells(self) -> list[list[int]]:
        """Return the records that no question can tell apart."""
        cells: dict[tuple[str, ...], list[int]] = {}
        for place, record in enumerate(self.records):
            cells.setdefault(tuple(record[name] for name in ("A", "B", "C", "g")), []).append(place)
        return list(cells.values())


def drawn_sequence(seed: int) -> DrawnSequence:
    """Return the sequence of a seed."""
    draw = random.Random(seed)
    has_two = draw.random() < 0.3
    size = draw.randint(5, 6) if has_two else draw.randint(6, 10)
    low = draw.choice([0, 0, 0, -1])
    # At most some 100,000 data sets are possible.
    top = {5: 2, 6: 2, 7: 4, 8: 3, 9: 2, 10: 2}[size] if has_two or size > 6 else 5
    bounds = {"v": (low, low + top)} | ({"w": (1, 3 if size == 5 else 2)} if has_two else {})
    people = size if draw.random() < 0.5 else max(2, size - draw.randint(1, 4))
    is_fine = draw.random() < 0.2
    records = tuple(
        {"person": f"p{draw.randrange(people)}"}
        | {name: draw.choice(values) for name, values in VALUES.items()}
        | {"g": draw.choice(NUMBERS[: 1 + is_fine])}
        | {name: draw.randint(*ends) for name, ends in bounds.items()}
        for _ in range(size)
    )
    is_simulatable = draw.random() < 0.15
    rules: dict[str, Any] = {
        "minimum": draw.choice([2, 2, 2, 2, 3, 3, 4, 5]),
        "knows_bounds": draw.choice(["true", "true", "false"]),
        "counts_are_confidential": draw.choice(["true", "false"]),
        "cell_by_cell": draw.choice(["true", "false"]),
        "simulatable": "true" if is_simulatable else "false",
    }
    if not is_simulatable and draw.random() < 0.2:
        rules["p_percent"] = draw.choice([10, 50, 100])
    if not is_simulatable and draw.random() < 0.2:
        rules["dominance"] = f"{{n = {draw.choice([1, 2])}, k = {draw.choice([60, 85])}}}"
    if draw.random() < 0.1:
        rules["overlap"] = draw.randint(1, 4)
    functions = ["COUNT", "SUM", "SUM", "AVG"]
    functions += ["REGR_SLOPE", "REGR_INTERCEPT"] if draw.random() < 0.4 else []
    functions += ["RATIO"] if has_two else []
    functions += ["VAR_POP"] if draw.random() < 0.25 else []
    functions += ["MIN", "MAX"] if draw.random() < 0.25 else []
    questions = tuple(_question(draw, functions, tuple(bounds)) for _ in range(draw.randint(10, 20)))
    return DrawnSequence(
        records, bounds, rules, draw.random() < 0.5, draw.random() < 0.15, tuple(dict.fromkeys(functions)), questions
    )


def written(condition: Condition) -> str:
    """Return a condition in SQL."""
    word, *rest = condition
    if word == "in":
        return f"{rest[0]} IN ({', '.join(map(repr, rest[1]))})"
    if word == "not":
        return f"NOT ({written(rest[0])})"
    return f" {word.upper()} ".join(f"({written(one)})" for one in rest[0])


def holds(condition: Condition, record: dict[str, Any]) -> bool:
    """Return whether a record is selected."""
    word, *rest = condition
    if word == "in":
        return record[rest[0]] in rest[1]
    if word == "not":
        return not holds(rest[0], record)
    return (all if word == "and" else any)(holds(one, record) for one in rest[0])


def figures_of(
    function: str, values: dict[str, Ints], measure: str, places: Sequence[int], numbers: Sequence[int]
) -> tuple[Ints, Ints]:
    """Return a figure for each data set, as numerators and denominators; 0 below: there is none."""
    many = len(next(iter(values.values())))
    one = np.ones(many, np.int64)
    n = len(places)
    if function == "COUNT":
        return n * one, one
    chosen = values[measure][:, list(places)]
    if not n:
        return 0 * one, (function == "SUM") * one
    total = chosen.sum(axis=1)
    if function in {"MIN", "MAX"}:
        return (chosen.min(axis=1) if function == "MIN" else chosen.max(axis=1)), one
    if function == "RATIO":
        return total, values["w"][:, list(places)].sum(axis=1)
    if function in {"SUM", "AVG"}:
        return total, one if function == "SUM" else n * one
    if function == "VAR_POP":
        return n * (chosen**2).sum(axis=1) - total**2, n * n * one
    x = np.array([numbers[place] for place in places], np.int64)
    spread = n * int((x**2).sum()) - int(x.sum()) ** 2
    products = chosen @ x
    if function == "REGR_SLOPE":
        return n * products - int(x.sum()) * total, spread * one
    return int((x**2).sum()) * total - int(x.sum()) * products, spread * one


def row_of(
    function: str,
    figure: Fraction,
    measure: str,
    cells: Sequence[Sequence[int]],
    places: Sequence[int],
    numbers: Sequence[int],
    measures: Sequence[str],
) -> list[Fraction] | None:
    """Return the linear equation that a figure is, over the sums of each measure by cells; None if it is none."""
    result = [Fraction(0)] * (len(cells) * len(measures))
    inside = [at for at, cell in enumerate(cells) if cell[0] in places]
    first = measures.index(measure) * len(cells) if measure else 0
    n, x = len(places), sum(numbers[place] for place in places)
    xx = sum(numbers[place] ** 2 for place in places)
    for at in inside:
        here = numbers[cells[at][0]]
        if function in {"SUM", "AVG", "RATIO"}:
            result[first + at] += 1
        elif function == "REGR_SLOPE":
            result[first + at] += n * here - x
        elif function == "REGR_INTERCEPT":
            result[first + at] += xx - x * here
        else:
            return None
        if function == "RATIO":
            result[measures.index("w") * len(cells) + at] -= figure
    return result


def every_data_set(sequence: DrawnSequence) -> dict[str, Ints]:
    """Return all values that records could have: a row for each data set."""
    size = len(sequence.records)
    ranges = [range(low, high + 1) for low, high in sequence.bounds.values() for _ in range(size)]
    grid = np.array(list(itertools.product(*ranges)), np.int16)
    return {name: grid[:, at * size : (at + 1) * size].astype(np.int64) for at, name in enumerate(sequence.bounds)}


def _figure_text(function: str, measure: str) -> str:
    if function == "COUNT":
        return "COUNT(*)"
    if function == "RATIO":
        return "SUM(v) / SUM(w)"
    return f"{function}({measure}, g)" if function.startswith("REGR") else f"{function}({measure})"


def _question(draw: random.Random, functions: Sequence[str], measures: Sequence[str]) -> Asked:
    condition = _condition(draw, 2)
    groups = draw.choice(["", "", "", "A", "B", "AC", "g"])
    chosen = []
    for _ in range(draw.choice([1, 1, 1, 2])):
        function = draw.choice(functions)
        measure = "" if function == "COUNT" else "v" if function == "RATIO" else draw.choice(measures)
        chosen.append((function, measure))
    return Asked(tuple(dict.fromkeys(chosen)), condition, tuple(groups), draw.choice(["ann", "bob"]))


def _condition(draw: random.Random, depth: int) -> Condition:
    kind = draw.random()
    if depth == 2 and kind < 0.15:
        return ()
    if depth and kind < 0.55:
        return (draw.choice(["and", "or"]), tuple(_condition(draw, depth - 1) for _ in range(draw.randint(2, 3))))
    if depth and kind < 0.7:
        return ("not", _condition(draw, depth - 1))
    name = draw.choice("ABBC")
    return ("in", name, tuple(draw.sample(VALUES[name], draw.randint(1, len(VALUES[name]) - 1))))
