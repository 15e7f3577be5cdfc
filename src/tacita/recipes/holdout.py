"""People who were not in the file: the recipe once more on a half of the records, the other half held out.

Whether a file tells something because somebody's record is in it can only be seen beside people whose is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.engines.records import microdata_of, records_of
from tacita.errors import TacitaError
from tacita.model.attribute import Category
from tacita.model.records import Records
from tacita.recipes.carry_out import MaskedMicrodata, carry_out

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Halves:
    """What the recipe makes of one half, and the records of both."""

    members: Records
    others: Records
    released: Records
    origin: Places | None
    """For each released record its place among the members; None if records are invented."""


def halves(masked: MaskedMicrodata, names: list[str], seed: int, notes: list[str]) -> Halves | None:
    """Return the recipe carried out on a random half of its records; None, with a note, if half are too few for it.

    Households stay together: a person is not outside of a file that holds the rest of the family.
    """
    dictionary = masked.original.dictionary
    hidden = {attribute.name for attribute in dictionary.of(Category.IDENTIFIER)}
    records = records_of(masked.original, [name for name in dictionary.names if name not in hidden])
    keys = [attribute.name for attribute in dictionary.of(Category.CLUSTER_KEY)]
    chosen = _half(_together(records, keys[0]) if keys else np.arange(len(records)), seed)
    one, two = np.flatnonzero(chosen), np.flatnonzero(~chosen)
    if min(len(one), len(two)) < 2:
        notes.append("there are too few records to hold a half of them out")
        return None
    half = microdata_of(records.taken(one), masked.original, one, ())
    try:
        again = carry_out(half, masked.recipe)
        there = {column.name for column in again.released.columns}
        released = records_of(again.released, [name for name in names if name in there])
        again.released.relation.engine.drop(again.released.relation)
    except TacitaError as error:
        notes.append(f"the recipe cannot be carried out on a half of the records: {error.found}")
        return None
    finally:
        half.relation.engine.drop(half.relation)
    return Halves(records.taken(one), records.taken(two), released, again.origin)


def _together(records: Records, key: str) -> Places:
    """Return the number of the cluster of each record; one without a key is a cluster of its own."""
    codes = records.categories(key).codes.astype(np.int64)
    alone = codes < 0
    return np.where(alone, int(codes.max(initial=0)) + 1 + np.cumsum(alone), codes)


def _half(clusters: Places, seed: int) -> NDArray[np.bool_]:
    """Return whether each record is in a random half of the clusters.

    >>> chosen = _half(np.array([0, 0, 1, 1, 2, 2, 3, 3]), 1)
    >>> int(chosen.sum()), bool((chosen[::2] == chosen[1::2]).all())
    (4, True)
    """
    which, place = np.unique(clusters, return_inverse=True)
    order = np.random.default_rng([seed, len(clusters)]).permutation(len(which))
    sizes = np.bincount(place.ravel(), minlength=len(which))[order]
    taken = np.zeros(len(which), dtype=bool)
    taken[order[np.cumsum(sizes) <= len(clusters) // 2]] = True
    half: NDArray[np.bool_] = taken[place.ravel()]
    return half
