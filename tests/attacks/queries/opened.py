"""People whom a test invents, and databases of them: without protection, and opened under a policy."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

import tacita as tc
from tacita.api.querying import Database, open_for_questions, parse_query_policy
from tacita.errors import QueryRefused
from tacita.queries.cube.cube import Cube
from tacita.queries.cube.version import read_version
from tacita.queries.figures import true_figure
from tacita.queries.language.parse import parse_question

AGES = ("young", "middle", "old")
JOBS = ("clerk", "nurse", "smith", "judge", "pilot")


def write_people(folder: Path, number: int = 120, seed: int = 1, name: str = "staff") -> list[dict[str, Any]]:
    """Write people to a file; one judge is young, and nobody is a young pilot."""
    draw = np.random.default_rng(seed)
    people = [
        {
            "id": place,
            "age": AGES[place % 3],
            "job": JOBS[int(draw.integers(0, 3))] if place else "judge",
            "salary": int(np.exp(draw.normal(10.5, 0.4))),
            "ill": int(draw.random() < 0.5),
        }
        for place in range(number)
    ]
    for place in range(1, number, 9):
        people[place]["job"] = "judge" if people[place]["age"] != "young" else "pilot"
    for person in people:
        if (person["age"], person["job"]) == ("young", "pilot"):
            person["job"] = "clerk"
    lines = [",".join(people[0]), *(",".join(map(str, person.values())) for person in people)]
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return people


_RULES_OF = {"camouflage": "counts_are_confidential = false", "private": ""}


def policy_text(more: str = "", rules: str = "minimum = 5", *, ids: int = 0, top: str = "") -> str:
    """Return a policy of staff by age, job and, if there are so many, by number."""
    identifiers = [str(one) for one in range(ids)]
    if rules == "minimum = 5":  # where counts are exact or everything is paid for, this rule would have no effect
        rules = next((other for mode, other in _RULES_OF.items() if mode in top), rules)
    by_id = f'[[filter]]\nattribute = "id"\nvalues = {identifiers}\n'.replace("'", '"') if ids else ""
    return f"""
name = "staff"
{top}
{by_id}
[[filter]]
attribute = "age"
values = ["young", "middle", "old"]
[[filter]]
attribute = "job"
values = ["clerk", "nurse", "smith", "judge", "pilot"]
[[measure]]
attribute = "salary"
lower = 0
upper = 200000
[[measure]]
attribute = "ill"
lower = 0
upper = 1
[rules]
{rules}
{more}
"""


def opened(folder: Path, policy: str, name: str = "staff", key: str = "") -> Path:
    """Open the file of `write_people` under a policy, and return the folder."""
    data = tc.read(folder / f"{name}.csv")
    # The key of noise is drawn at the opening: here it is the same in every run, so that no test depends on chance.
    with mock.patch("secrets.token_bytes", random.Random(key + policy).randbytes):
        return open_for_questions(data, parse_query_policy(policy), folder / f"{name}.opened").folder


def asker(database: Database, analyst: str = "eve", **price: Any) -> Callable[[str], Mapping[str, Any]]:
    """Return what an attacker has of a database."""
    return lambda sql: database.sql(sql, analyst=analyst, **price).to_dict()


def unprotected(cube: Cube, least: int) -> Callable[[str], Mapping[str, Any]]:
    """Return a database that refuses sets of fewer records than the least, and of all but fewer; nothing else."""

    def ask(sql: str) -> Mapping[str, Any]:
        question = parse_question(sql, cube)
        cells = cube.cells_of(question)
        size = int(cube.n[cells].sum())
        if not least <= size <= cube.records - least:
            raise QueryRefused("too few records", do="ask for more")
        return answered(true_figure(question.aggregates[0], cube, cells))

    return ask


def cube_of(folder: Path) -> Cube:
    """Return the cube of an opened folder."""
    return read_version(folder).cube


def noisy_sums(
    secrets: NDArray[np.bool_], noise: Callable[[float], float], error: float | None = None
) -> Callable[[str], Mapping[str, Any]]:
    """Return a database of bits by number whose sums have noise and no other protection."""

    def ask(sql: str) -> Mapping[str, Any]:
        chosen = [int(one) for one in re.findall(r"'(\d+)'", sql)]
        return answered(noise(float(secrets[chosen].sum())), error)

    return ask


def answered(value: Fraction | float | None, error: float | None = None) -> Mapping[str, Any]:
    """Return an answer of one figure as JSON values."""
    figure = {"value": None if value is None else str(float(value)), "error": None if error is None else str(error)}
    return {"status": "answered", "rows": [{"group": [], "figures": [figure]}], "cost": {}, "repeated": False}
