"""A method within strata: each part is treated by itself, as if it were the file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, TacitaError, UsageError, listed
from tacita.masking.method import Method, Treated
from tacita.model.records import Categories, Numbers, Records, Values, strata
from tacita.progress import Progress, Step, silent


def treated_within(
    method: Method, records: Records, by: Sequence[str], random: np.random.Generator, progress: Progress = silent
) -> Treated:
    """Return records treated by a method, each part of `by` for itself and with randomness of its own.

    A part on which the method cannot work, such as one of fewer than k records, is an error: treating it together
    with another would break what a part is for, and leaving it out would leave it unprotected.
    """
    if not by:
        return method.treated(records, random, progress)
    if clash := set(by) & set(method.attributes):
        raise UsageError(f"{listed(sorted(clash))} would be changed and makes the strata", do="name other strata")
    parts = strata(records, by)
    sources = random.spawn(len(parts))
    parts_treated: list[Treated] = []
    for place, (rows, source) in enumerate(zip(parts, sources, strict=True)):
        progress(Step(f"{method.name} within {listed(by)}", place, len(parts)))
        try:
            parts_treated.append(method.treated(records.taken(rows), source, silent))
        except TacitaError as error:
            raise InputError(
                f"{error.found} (in a part of {len(rows)} records, one of {len(parts)})",
                where=f"{method.name} within {listed(by)}",
                do=error.do or "use fewer or coarser strata",
            ) from None
    return _together(records, parts, parts_treated)


def _together(records: Records, parts: Sequence[NDArray[np.int64]], strata: Sequence[Treated]) -> Treated:
    if any(part.beside for part in strata):
        raise UsageError("a method that releases further tables cannot be used within strata", do="leave 'within' out")
    known = [part.origin for part in strata]
    origin = None
    if all(part is not None for part in known):
        origin = np.concatenate([rows[own] for rows, own in zip(parts, known, strict=True) if own is not None])
    count = sum(len(part.records) for part in strata)
    order = np.arange(count) if origin is None else np.argsort(origin, kind="stable")
    joined = {name: joined_values([part.records[name] for part in strata]) for name in strata[0].records.names}
    groups_made = [part.groups for part in strata]
    groups = None
    if all(part is not None for part in groups_made):
        shift = np.cumsum([0, *(int(g.max()) + 1 if g is not None and len(g) else 0 for g in groups_made)])
        groups = np.concatenate([g + s for g, s in zip(groups_made, shift, strict=False) if g is not None])[order]
    notes = tuple(dict.fromkeys(note for part in strata for note in part.notes))
    return Treated(
        Records(joined).taken(order), None if origin is None else origin[order], groups, _figures(strata), notes=notes
    )


def joined_values(columns: Sequence[Values]) -> Values:
    """Return columns of one attribute, one after the other; categories keep one list of values."""
    first = columns[0]
    if isinstance(first, Numbers):
        kept = [column for column in columns if isinstance(column, Numbers)]
        return Numbers(np.concatenate([column.values for column in kept]), all(column.is_whole for column in kept))
    alike = [column for column in columns if isinstance(column, Categories)]
    values = list(dict.fromkeys(value for column in alike for value in column.values))
    place = {value: code for code, value in enumerate(values)}
    codes = [np.array([*(place[v] for v in column.values), -1], dtype=np.int32)[column.codes] for column in alike]
    ordered = first.is_ordered and all(column.values == first.values for column in alike)
    return Categories(np.concatenate(codes), tuple(values), ordered, first.hierarchy)


def _figures(strata: Sequence[Treated]) -> dict[str, float]:
    """Return sums of squares added up, and their ratio; of other figures nothing can be said for all strata."""
    summed = {name: sum(part.figures.get(name, 0.0) for part in strata) for name in ("SSE", "SST")}
    if not all("SSE" in part.figures for part in strata):
        return {}
    return {**summed, "SSE/SST": summed["SSE"] / summed["SST"] if summed["SST"] else 0.0}
