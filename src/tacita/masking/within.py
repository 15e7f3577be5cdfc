"""A method within strata: each stratum is treated by itself, as if it were the file."""

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
    """Return records treated by a method, each stratum of `by` for itself and with randomness of its own.

    A stratum on which the method cannot work, such as one of fewer than k records, is an error: treating it together
    with another would break what a stratum is for, and leaving it out would leave it unprotected.
    """
    if not by:
        return method.treated(records, random, progress)
    if clash := set(by) & set(method.attributes):
        raise UsageError(f"{listed(sorted(clash))} would be changed and makes the strata", do="name other strata")
    parts = strata(records, by)
    sources = random.spawn(len(parts))
    found: list[Treated] = []
    for place, (rows, source) in enumerate(zip(parts, sources, strict=True)):
        progress(Step(f"{method.name} within {listed(by)}", place, len(parts)))
        try:
            found.append(method.treated(records.taken(rows), source, silent))
        except TacitaError as error:
            raise InputError(
                f"{error.found} (in a stratum of {len(rows)} records, one of {len(parts)})",
                where=f"{method.name} within {listed(by)}",
                do=error.do or "use fewer or coarser strata",
            ) from None
    return _together(records, parts, found)


def _together(records: Records, parts: Sequence[NDArray[np.int64]], found: Sequence[Treated]) -> Treated:
    if any(each.beside for each in found):
        raise UsageError("a method that releases further tables cannot be used within strata", do="leave 'within' out")
    known = [each.origin for each in found]
    origin = None
    if all(each is not None for each in known):
        origin = np.concatenate([rows[own] for rows, own in zip(parts, known, strict=True) if own is not None])
    order = np.arange(sum(len(each.records) for each in found)) if origin is None else np.argsort(origin, kind="stable")
    joined = {name: joined_values([each.records[name] for each in found]) for name in found[0].records.names}
    made = [each.groups for each in found]
    groups = None
    if all(each is not None for each in made):
        shift = np.cumsum([0, *(int(g.max()) + 1 if g is not None and len(g) else 0 for g in made)])
        groups = np.concatenate([g + s for g, s in zip(made, shift, strict=False) if g is not None])[order]
    notes = tuple(dict.fromkeys(note for each in found for note in each.notes))
    return Treated(
        Records(joined).taken(order), None if origin is None else origin[order], groups, _figures(found), notes=notes
    )


def joined_values(columns: Sequence[Values]) -> Values:
    """Return columns of one attribute, one after the other; categories keep one list of values."""
    first = columns[0]
    if isinstance(first, Numbers):
        kept = [each for each in columns if isinstance(each, Numbers)]
        return Numbers(np.concatenate([each.values for each in kept]), all(each.is_whole for each in kept))
    alike = [each for each in columns if isinstance(each, Categories)]
    values = list(dict.fromkeys(value for each in alike for value in each.values))
    place = {value: code for code, value in enumerate(values)}
    codes = [np.array([*(place[v] for v in each.values), -1], dtype=np.int32)[each.codes] for each in alike]
    ordered = first.is_ordered and all(each.values == first.values for each in alike)
    return Categories(np.concatenate(codes), tuple(values), ordered, first.hierarchy)


def _figures(found: Sequence[Treated]) -> dict[str, float]:
    """Return sums of squares added up, and their ratio; of other figures nothing can be said for all strata."""
    summed = {name: sum(each.figures.get(name, 0.0) for each in found) for name in ("SSE", "SST")}
    if not all("SSE" in each.figures for each in found):
        return {}
    return {**summed, "SSE/SST": summed["SSE"] / summed["SST"] if summed["SST"] else 0.0}
