"""What every method must keep to, as a check that anybody can run on a method of their own.

A method gives the same again for the same seed (unless it says that it is not repeatable, as noise of differential
privacy must not be), leaves its input and all other attributes alone, keeps missing values missing and numbers numbers,
says where each record comes from, and meets bad input with an error of ours that shows no value. What a method promises
beyond that is tested beside it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tacita.errors import TacitaError
from tacita.masking.catalogue import METHODS
from tacita.masking.method import Method, Treated
from tacita.model.records import Categories, Numbers, Records, Values, same_values

_SHORTEST = 4
"""Shorter values may stand in a sentence by chance."""


def breaches(method: Method, records: Records, seed: int = 1) -> list[str]:
    """Return every way in which a method breaks the contract on some records; none, if it keeps to it."""
    return list(_breaches(method, records, seed))


def _breaches(method: Method, records: Records, seed: int) -> Iterator[str]:
    if not isinstance(method, Method):
        yield "it lacks something that a method has: name, promises, limits, is_random, attributes, treated"
        return
    if not (method.name and method.promises and method.limits):
        yield "it has no name, or does not say what it promises and what it does not"
    before = {name: _copy(column) for name, column in records.columns.items()}
    treated = method.treated(records, np.random.default_rng(seed))
    if any(not same_values(records[name], column) for name, column in before.items()):
        yield "it changes the records that it is given"
    again = method.treated(records, np.random.default_rng(seed))
    if METHODS.fact(method, "is_repeatable") and not _same(treated.records, again.records):
        yield "it does not give the same again for the same seed"
    yield from _records(method, records, treated)
    yield from _sentences(treated.notes, records)
    yield from _few(method, records)


def _records(method: Method, records: Records, treated: Treated) -> Iterator[str]:
    beside = {name for further in treated.beside.values() for name in further.names}
    if missing := set(records.names) - set(treated.records.names) - beside:
        yield f"{len(missing)} attributes are gone"
    if treated.origin is None:
        return
    origin = treated.origin
    if len(origin) != len(treated.records) or (len(origin) and (origin.min() < 0 or origin.max() >= len(records))):
        yield "its origins are not places of records"
        return
    for name in records.names:
        if name not in treated.records.columns:
            continue
        own, new = records[name].taken(origin), treated.records[name]
        if name not in method.attributes and not same_values(own, new):
            yield f"it changes '{name}', which it does not name"
        if name in method.attributes and bool(np.any(own.missing & ~new.missing)):
            yield f"it invents values of '{name}' where there are none"


def _few(method: Method, records: Records) -> Iterator[str]:
    """Give it no record, and one: a result or an error of ours."""
    for rows in (np.arange(0), np.arange(min(1, len(records)))):
        few = records.taken(rows)
        try:
            method.treated(few, np.random.default_rng(0))
        except TacitaError as error:
            yield from _sentences((str(error),), records)
            if not error.do:
                yield "it refuses few records without saying what to do"
        except Exception as error:
            yield f"it fails on {len(rows)} records with {type(error).__name__}"


def _sentences(sentences: tuple[str, ...], records: Records) -> Iterator[str]:
    for column in records.columns.values():
        if isinstance(column, Categories):
            shown = [str(v) for v in column.values if len(str(v)) >= _SHORTEST and str(v) not in records.names]
            if any(value in sentence.split() for value in shown for sentence in sentences):
                yield "a sentence of it shows a value of the data"
                return


def _same(some: Records, others: Records) -> bool:
    return some.names == others.names and all(same_values(some[name], others[name]) for name in some.names)


def _copy(column: Values) -> Values:
    if isinstance(column, Numbers):
        return Numbers(column.values.copy(), column.is_whole)
    return column.with_codes(column.codes.copy())
