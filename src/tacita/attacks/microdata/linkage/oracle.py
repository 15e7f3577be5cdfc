"""Attacks with an identity oracle: a register of everyone who could be in the file, with names."""

from __future__ import annotations

import numpy as np

from tacita.attacks.microdata.attacker import Scene
from tacita.errors import InputError
from tacita.model.hierarchy import text_of
from tacita.model.records import Records


def scene_with_oracle(
    released: Records, identities: Records, oracle: Records, *, by: str, known: tuple[str, ...] = ()
) -> Scene:
    """Return the scene in which the intruder holds an identity oracle (VADA-SA paper, section 2.1).

    `identities` has the identifier `by` of each released record, in the order of these: the truth, which stays with the
    steward. The intruder knows what the oracle shares with the released file, but for the identifier, unless `known`
    says less. A released record whose identifier is not in the oracle belongs to nobody whom the intruder knows.

    >>> from tacita.model.records import Categories
    >>> register = Records({"Id": Categories.of(["a", "b", "c"]), "Area": Categories.of(["n", "s", "s"])})
    >>> asked = register.taken(np.array([2, 0]))
    >>> scene = scene_with_oracle(asked.only(["Area"]), asked, register, by="Id")
    >>> scene.origin.tolist(), scene.known
    ([2, 0], ('Area',))
    """
    if len(identities) != len(released):
        raise InputError(
            "the identities are not those of the released records", do="give one for each record, in the same order"
        )
    people, asked = oracle.categories(by), identities.categories(by)
    if int(people.missing.sum()) or int(people.counts.max(initial=0)) > 1:
        raise InputError(f"'{by}' is missing or the same for several people in the oracle", do="use an identifier")
    place = np.full(len(people.values) + 1, -1, dtype=np.int64)
    place[people.codes] = np.arange(len(people))
    code = {text_of(value): code for code, value in enumerate(people.values)}
    found = np.array([*(code.get(text_of(value), -1) for value in asked.values), -1], dtype=np.int64)
    shared = tuple(name for name in oracle.names if name != by and name in released.columns)
    return Scene(oracle, released, place[found[asked.codes]], known or shared)
