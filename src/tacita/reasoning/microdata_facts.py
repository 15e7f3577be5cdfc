"""Microdata and its dictionary as facts: ``MicroDB``, ``Att``, ``Cat``, ``Val``, as far as a program asks for them.

Section 4.1 of the VADA-SA paper: ``Val(microDB, tuple, attribute, value)`` is one value of one tuple. Tuples are
numbered from 1 in the order of the data; a missing value is a fresh labelled null.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tacita.dataset import Dataset
from tacita.errors import InputError
from tacita.rules.logic.program import Program
from tacita.rules.logic.terms import Constant, walk
from tacita.rules.reasoner.program import arities

PREDICATES = ("MicroDB", "Att", "Cat", "Val")
_MOST_VALUES = 50_000_000


def microdata_facts(program: Program, data: Dataset) -> dict[str, list[tuple[Any, ...]]]:
    """Return the facts about microdata that a program reads."""
    read = {predicate: arity for predicate, arity in arities(program).items() if predicate in PREDICATES}
    found: dict[str, list[tuple[Any, ...]]] = {}
    if "MicroDB" in read:
        found["MicroDB"] = [(data.name,)]
    if "Att" in read:
        found["Att"] = [(data.name, a.name, a.description)[: read["Att"]] for a in data.dictionary]
    if "Cat" in read:
        spelled = _spellings(program)
        found["Cat"] = [
            (data.name, a.name, spelled.get(a.category.value, a.category.value))
            for a in data.dictionary
            if a.category is not None
        ]
    if "Val" in read:
        if data.rows * len(data.dictionary.attributes) > _MOST_VALUES:
            raise InputError(
                f"'{data.name}' has more than {_MOST_VALUES:,} values, too many for one fact each",
                do="give a part of it, or bind its table to a predicate of its own with --input",
            )
        found["Val"] = list(_values(data))
    return found


def _values(data: Dataset) -> Iterator[tuple[Any, ...]]:
    number = 0
    names = [column.name for column in data.relation.columns]
    for batch in data.batches():
        for row in zip(*(array.to_pylist() for array in batch.columns), strict=True):
            number += 1
            yield from ((data.name, number, name, value) for name, value in zip(names, row, strict=True))


def _spellings(program: Program) -> Mapping[str, str]:
    """Return how a program writes the categories: ``Quasi-identifier`` and ``quasi-identifier`` are one to a person."""
    found: dict[str, str] = {}
    for rule in program.rules:
        for item in (*rule.body, *rule.head):
            for node in walk(item):
                if isinstance(node, Constant) and isinstance(node.value, str):
                    found.setdefault(node.value.casefold(), node.value)
    return found
