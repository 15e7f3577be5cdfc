"""The design of a model: its response and the columns that explain it, the same columns for both files."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError
from tacita.model.records import Numbers, Records
from tacita.utility.analyses.formula import Factor, Formula
from tacita.utility.columns import is_number, shared_codes

Column = NDArray[np.float64]
CONSTANT = "(constant)"
MOST = 500
"""Coefficients that a model may have."""


@dataclass(frozen=True, slots=True, eq=False)
class Design:
    """A file as a model sees it; records that are missing or infinite in any part are not usable."""

    response: Column
    columns: Mapping[str, Column]
    """A column for each coefficient. Of categories, by their place: ``region[2]`` is the second value of the file
    before, compared with the first; no value is named."""
    usable: NDArray[np.bool_]


def designs(formula: Formula, before: Records, after: Records, *, binary: bool) -> tuple[Design, Design]:
    """Return both files as a model sees them; with `binary` the response becomes 0 and 1."""
    pieces: dict[Factor, tuple[dict[str, Column], dict[str, Column]]] = {}
    for factor in dict.fromkeys(factor for term in formula.terms for factor in term):
        pieces[factor] = _pieces(factor, before, after)
    number = sum(math.prod(len(pieces[factor][0]) for factor in term) for term in formula.terms)
    if number > MOST:
        raise UsageError(
            f"the model has {number:,} coefficients, more than {MOST}", do="use attributes with fewer categories"
        )
    response = _response(formula.response, before, after, binary=binary)
    pair = []
    for which, records in enumerate((before, after)):
        columns: dict[str, Column] = {CONSTANT: np.ones(len(records))} if formula.has_constant else {}
        for term in formula.terms:
            for parts in product(*(pieces[factor][which].items() for factor in term)):
                name = ":".join(part for part, _ in parts)
                columns[name] = np.prod([column for _, column in parts], axis=0) if len(parts) > 1 else parts[0][1]
        usable = np.isfinite(response[which])
        for column in columns.values():
            usable &= np.isfinite(column)
        pair.append(Design(response[which], columns, usable))
    return pair[0], pair[1]


def _pieces(factor: Factor, before: Records, after: Records) -> tuple[dict[str, Column], dict[str, Column]]:
    """Return the columns of a factor in both files: itself, or an indicator of each category but the first."""
    name = factor.attribute
    if isinstance(before[name], Numbers) and not factor.as_categories:
        if not is_number(after, name):
            raise UsageError(
                f"'{name}' is a number before and not after", do=f"write C({name}), or leave it out of the model"
            )
        return {name: before.numbers(name).values}, {name: after.numbers(name).values}
    one, two, values = shared_codes(before, after, name)
    if len(values) > MOST:
        raise UsageError(
            f"'{name}' has {len(values):,} categories, too many for a model", do="leave it out, or recode it"
        )
    return _indicators(name, one, len(values)), _indicators(name, two, len(values))


def _indicators(name: str, codes: NDArray[np.int64], number: int) -> dict[str, Column]:
    missing = codes < 0
    return {f"{name}[{c + 1}]": np.where(missing, np.nan, (codes == c).astype(float)) for c in range(1, number)}


def _response(name: str, before: Records, after: Records, *, binary: bool) -> tuple[Column, Column]:
    if not binary:
        for records in (before, after):
            if not is_number(records, name):
                raise UsageError(f"the response '{name}' is not a number", do="name a number, or use a logistic model")
        return before.numbers(name).values, after.numbers(name).values
    one, two, values = shared_codes(before, after, name)
    if len(values) != 2:
        raise UsageError(
            f"the response '{name}' of a logistic model has {len(values)} values",
            do="name an attribute with two values",
        )
    high = _higher(values)
    return (
        np.where(one < 0, np.nan, (one == high).astype(float)),
        np.where(two < 0, np.nan, (two == high).astype(float)),
    )


def _higher(values: tuple[Hashable, ...]) -> int:
    """Return the place of the value that counts as 1: the higher number, or the second category."""
    numbers = [v for v in values if isinstance(v, int | float)]
    return int(np.argmax(numbers)) if len(numbers) == 2 else 1
