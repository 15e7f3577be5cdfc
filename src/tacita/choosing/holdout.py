"""People who were not in the file: the recipe once more on a half of the records, the other half held out.

Whether invented records tell who they were made from can only be seen beside people from whom they were not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacita.engines.records import microdata_of, records_of
from tacita.errors import TacitaError
from tacita.files.contract import engine_relation
from tacita.model.attribute import Category
from tacita.model.records import Records
from tacita.recipes.carry_out import Masked, carried_out


@dataclass(frozen=True, slots=True, eq=False)
class Halves:
    """What the recipe makes of one half, and the records of both."""

    members: Records
    others: Records
    released: Records


def halves(masked: Masked, names: list[str], seed: int, notes: list[str]) -> Halves | None:
    """Return the recipe carried out on a random half of its records; None, with a note, if half are too few for it."""
    dictionary = masked.original.dictionary
    hidden = {attribute.name for attribute in dictionary.of(Category.IDENTIFIER)}
    records = records_of(masked.original, [name for name in dictionary.names if name not in hidden])
    if len(records) < 4:
        notes.append("there are too few records to hold a half of them out")
        return None
    order = np.random.default_rng([seed, len(records)]).permutation(len(records))
    one, two = np.sort(order[: len(records) // 2]), np.sort(order[len(records) // 2 :])
    half = microdata_of(records.taken(one), masked.original, one, ())
    try:
        again = carried_out(half, masked.recipe)
        there = {column.name for column in again.released.columns}
        released = records_of(again.released, [name for name in names if name in there])
        engine_relation(again.released).engine.drop(engine_relation(again.released))
    except TacitaError as error:
        notes.append(f"the recipe cannot be carried out on a half of the records: {error.found}")
        return None
    finally:
        engine_relation(half).engine.drop(engine_relation(half))
    return Halves(records.taken(one), records.taken(two), released)
