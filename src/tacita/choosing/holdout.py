"""People who were not in the file: the recipe once more on a half of the records, the other half held out.

Whether invented records tell who they were made from can only be seen beside people from whom they were not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.engines.records import microdata_of, records_of
from tacita.files.contract import engine_relation
from tacita.model.attribute import Category
from tacita.model.records import Records
from tacita.recipes.carry_out import Masked, carried_out


@dataclass(frozen=True, slots=True, eq=False)
class Halves:
    """What the recipe invents from one half, and the records of both."""

    members: Records
    others: Records
    invented: Records


def halves(masked: Masked, names: list[str], seed: int) -> Halves | None:
    """Return the recipe carried out on a random half of its records; None if there are too few to divide."""
    dictionary = masked.original.dictionary
    hidden = {attribute.name for attribute in dictionary.of(Category.IDENTIFIER)}
    records = records_of(masked.original, [name for name in dictionary.names if name not in hidden])
    if len(records) < 4:
        return None
    order = np.random.default_rng([seed, len(records)]).permutation(len(records))
    one, two = np.sort(order[: len(records) // 2]), np.sort(order[len(records) // 2 :])
    half = microdata_of(records.taken(one), masked.original, one, ())
    again = carried_out(half, masked.recipe)
    there = {column.name for column in again.released.columns}
    invented = records_of(again.released, [name for name in names if name in there])
    for microdata in (half, again.released):
        relation = engine_relation(microdata)
        relation.engine.drop(relation)
    return Halves(records.taken(one), records.taken(two), invented)
