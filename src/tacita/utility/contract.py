"""What every measure of loss must keep to, as a check that anybody can run on a measure of their own.

A file that did not change lost nothing. A measure gives the same again, leaves its input alone, does not care in which
order records stand (pairs may only move together), tells losses that are not negative, leaves out an attribute that is
not there, meets bad input with an error of ours, and shows no value.

>>> from tacita.utility.continuous.matrices import Matrices
>>> breaches(Matrices(), Records({"x": Numbers.of([1, 2, 4]), "y": Numbers.of([3, 1, 2])}))
[]
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from tacita.errors import TacitaError
from tacita.model.records import Categories, Numbers, Records, Values
from tacita.utility.loss import Loss, Lost

_CLOSE = 1e-6
"""Sums in another order may differ in their last digits, and what is derived from them by more."""
_SHORTEST = 4
"""Shorter values may stand in a sentence by chance."""


def breaches(measure: Loss, records: Records) -> list[str]:
    """Return every way in which a measure breaks the contract on some records; none, if it keeps to it.

    Give it records of all kinds, with missing values; principal components need eigenvalues that differ.
    """
    return list(_breaches(measure, records))


def _breaches(measure: Loss, records: Records) -> Iterator[str]:
    if not isinstance(measure, Loss):
        yield "it lacks something that a measure of loss has: name, needs_pairs, lost"
        return
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", measure.name):
        yield "its name is not in lower case with hyphens"
    names = records.names
    changed = _moved(records)
    copies = [{name: _numbers(column).copy() for name, column in file.columns.items()} for file in (records, changed)]
    same, lost = measure.lost(records, records, names), measure.lost(records, changed, names)
    for given, kept in zip((records, changed), copies, strict=True):
        if any(not np.array_equal(_numbers(given[name]), old, equal_nan=True) for name, old in kept.items()):
            yield "it changes the records that it is given"
    if not lost.figures or lost.measure != measure.name:
        yield "it tells no figure, or another name than its own"
        return
    if abs(same.figure) > _CLOSE:
        yield "a file that did not change has lost something"
    if lost.figure < 0:
        yield "it tells a negative loss"
    if not _alike(lost.figures, measure.lost(records, changed, names).figures, 0.0):
        yield "it does not give the same again"
    yield from _order(measure, records, changed, lost)
    yield from _bad_input(measure, records)
    for file in (same, lost):
        if _shows_a_value((*file.notes, *file.figures, *file.attributes), records):
            yield "a sentence of it shows a value of the data"


def _order(measure: Loss, records: Records, changed: Records, lost: Lost) -> Iterator[str]:
    order = np.random.default_rng(3).permutation(len(records))
    first = records.taken(order) if measure.needs_pairs else records
    again = measure.lost(first, changed.taken(order), records.names)
    if not _alike(lost.figures, again.figures, _CLOSE):
        yield "it cares for the order of records"


def _bad_input(measure: Loss, records: Records) -> Iterator[str]:
    """Give it no record, one, files of different size, an attribute that is not there, and none at all."""
    none, one = records.taken(np.arange(0)), records.taken(np.arange(min(1, len(records))))
    fewer = records.taken(np.arange(len(records) // 2))
    for before, after, names, what in (
        (none, none, records.names, "no records"),
        (one, one, records.names, "one record"),
        (records, fewer, records.names, "files of different size"),
        (records, records, ("no such attribute", *records.names), "an attribute that is not there"),
        (records, records, (), "no attribute"),
    ):
        refused = False
        try:
            measure.lost(before, after, names)
        except TacitaError as error:
            refused = True
            if not error.do:
                yield f"it refuses {what} without saying what to do"
            if _shows_a_value((str(error),), records):
                yield f"its error for {what} shows a value of the data"
        except Exception as error:
            yield f"it fails on {what} with {type(error).__name__}"
        if what == "files of different size" and refused != measure.needs_pairs:
            yield "it compares in pairs what has none" if measure.needs_pairs else "it refuses files of different size"
        if what.startswith("an attribute") and refused:
            yield "it does not leave out an attribute that is not there"


def _moved(records: Records) -> Records:
    """Return the records with the values of each attribute moved on by some places, other ones for each."""
    rows = np.arange(len(records))
    return Records(
        {name: column.taken(np.roll(rows, 1 + i)) for i, (name, column) in enumerate(records.columns.items())}
    )


def _numbers(column: Values) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.asarray(column.values if isinstance(column, Numbers) else column.codes, dtype=np.float64)


def _alike(some: Mapping[str, float], others: Mapping[str, float], within: float) -> bool:
    return list(some) == list(others) and all(
        np.isclose(some[key], others[key], rtol=within, atol=within, equal_nan=True) for key in some
    )


def _shows_a_value(sentences: tuple[str, ...], records: Records) -> bool:
    for column in records.columns.values():
        if isinstance(column, Categories):
            shown = {str(v) for v in column.values if len(str(v)) >= _SHORTEST and str(v) not in records.names}
            if any(word in shown for sentence in sentences for word in re.findall(r"[\w.-]+", sentence)):
                return True
    return False
