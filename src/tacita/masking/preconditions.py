"""What methods ask of the attributes that they name, checked in one way."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted, did_you_mean, listed
from tacita.model.records import Categories, Numbers, Records


def each_named_once(attributes: Sequence[str], method: str) -> None:
    """Raise unless a method names attributes, each of them once."""
    if not attributes:
        raise UsageError(f"'{method}' names no attribute", do="name the attributes that it should change")
    if twice := sorted({name for name in attributes if list(attributes).count(name) > 1}):
        raise UsageError(f"'{method}' names {listed(twice)} more than once", do="name each attribute once")


def between(value: float, lowest: float, highest: float, parameter: str) -> None:
    """Raise unless a parameter is finite, lies above `lowest` and not above `highest`."""
    if not (lowest < value <= highest and math.isfinite(value)):
        upper = "" if math.isinf(highest) else f" and at most {highest:g}"
        raise UsageError(f"'{parameter}' is not above {lowest:g}{upper}", do=f"give '{parameter}' such a number")


def one_of(word: str, known: Sequence[str], parameter: str) -> None:
    """Raise unless a parameter is one of the words that it may be.

    >>> one_of("others", ["other", "parent"], "into")
    Traceback (most recent call last):
    tacita.errors.UsageError: no 'into' is 'others'; did you mean 'other'?
      what to do: use one of: other, parent
    """
    if word not in known:
        raise UsageError(
            f"no '{parameter}' is '{word}'{did_you_mean(str(word), known)}", do=f"use one of: {listed(known)}"
        )


def check_measured(records: Records, names: Sequence[str], *, ordered: bool = False) -> None:
    """Raise if an attribute is categorical: a mean of codes is a code that nobody has, or that of something else.

    With `ordered` categories that have an order may be taken by their numbers: nothing is computed with them.

    >>> from tacita.model.records import Categories
    >>> check_measured(Records({"roof": Categories.of([1, 2, 9])}), ["roof"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tacita.errors.InputError: 'roof' is categorical, and this method computes with numbers
      what to do: ...
    """
    for name in names:
        column = records[name]
        if isinstance(column, Categories) and not (ordered and column.is_ordered):
            records.numbers(name)  # texts are refused as such
            kind = "ordinal" if column.is_ordered else "categorical"
            raise InputError(
                f"'{name}' is {kind}, and this method computes with numbers",
                do="use a method for categories, such as pram-invariant; if it is a number, declare it in the "
                'dictionary: kind = "continuous"',
            )


def finite_numbers(records: Records, name: str, *, is_weight: bool = False) -> Numbers:
    """Return an attribute as numbers, NaN where a value is missing; infinite ones are an error.

    Categories are an error, too; but few weights that are whole numbers look like codes and are none.
    """
    if not is_weight:
        check_measured(records, [name])
    column = records.numbers(name)
    with np.errstate(over="ignore", invalid="ignore"):
        total = column.values.sum()
    # A finite sum needs no second look, which a million values would feel.
    if not np.isfinite(total) and (infinite := int(np.isinf(column.values).sum())):
        problem = f"'{name}' has {counted(infinite, 'infinite value')}"
        raise InputError(problem, do="make them missing or code them to the largest value that is meant")
    return column


def finite_columns(records: Records, names: Sequence[str]) -> NDArray[np.float64]:
    """Return attributes as numbers, a row for each attribute, NaN where a value is missing; infinite ones are an error.

    >>> finite_columns(Records({"a": Numbers.of([1, None])}), ["a"])
    array([[ 1., nan]])
    """
    columns = np.empty((len(names), len(records)))
    for place, name in enumerate(names):
        columns[place] = finite_numbers(records, name).values
    return columns
