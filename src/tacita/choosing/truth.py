"""Who is who in a file that somebody released, and the scene in which it is attacked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.attacker import Scene
from tacita.attacks.microdata.linkage.oracle import scene_with_oracle
from tacita.engines.records import records_of
from tacita.errors import UsageError, counted
from tacita.model.attribute import Category
from tacita.model.hierarchy import text_of
from tacita.model.microdata import Microdata
from tacita.model.records import Records

Places = NDArray[np.int64]


def origin_by_order(original: Microdata, released: Microdata) -> Places:
    """Return the origins of records that stand in the order of the original."""
    people, records = original.relation.count(), released.relation.count()
    if people != records:
        raise UsageError(
            f"the original has {counted(people, 'record')}, the released file {counted(records, 'record')}",
            do="name an identifier that both have (--by), or say that the records are invented (--invented)",
        )
    return np.arange(records)


def origin_by_identifier(original: Microdata, released: Microdata, by: str) -> Places:
    """Return the origins of records that still carry an identifier; -1 for those whom the original does not have."""
    people, asked = (records_of(each, [by]).categories(by) for each in (original, released))
    if int(people.missing.sum()) or int(people.counts.max(initial=0)) > 1:
        raise UsageError(f"'{by}' is missing or the same for several people", do="name an identifier of the original")
    place = {text_of(people.values[code]): row for row, code in enumerate(people.codes.tolist())}
    found = np.array([*(place.get(text_of(value), -1) for value in asked.values), -1], dtype=np.int64)
    return found[asked.codes]


def scene_of(
    original: Microdata,
    released: Microdata,
    origin: Places | None,
    *,
    known: Sequence[str] = (),
    secret: Sequence[str] = (),
    oracle: Microdata | None = None,
    by: str | None = None,
    holdout: Microdata | None = None,
) -> Scene:
    """Return the scene of a released file.

    By default the intruder knows the quasi-identifiers of the original, or if there are none every attribute that both
    files have, but for secrets, identifiers, keys and weights; and wants the sensitive attributes. With an `oracle` the
    intruder knows the people of that register, who are told from each other `by` an identifier of the original.
    """
    dictionary = original.dictionary
    names = {column.name for column in released.columns}
    kept = (Category.IDENTIFIER, Category.CLUSTER_KEY, Category.WEIGHT)
    hidden = {a.name for category in kept for a in dictionary.of(category)} | {by}
    secrets = tuple(secret) or tuple(a.name for a in dictionary.of(Category.SENSITIVE) if a.name in names)
    shared = [n for n in dictionary.names if n in names and n not in hidden]
    quasi = [n for n in dictionary.quasi_identifiers if n in shared]
    wanted = tuple(known) or tuple(quasi) or tuple(n for n in shared if n not in secrets)
    for name in (*wanted, *secrets):
        original.column(name), released.column(name)
    used = list(dict.fromkeys((*wanted, *secrets)))
    file = records_of(released, used)
    if oracle is None:
        beside = None if holdout is None else records_of(holdout, used)
        return Scene(records_of(original, used), file, origin, wanted, secrets, beside)
    if by is None or origin is None:
        raise UsageError("an oracle needs to be told who is who", do="name an identifier of both with --by")
    identities = records_of(original, [by]).taken(origin)
    there = [name for name in wanted if name in oracle.dictionary.names]
    people: Records = records_of(oracle, [by, *there])
    return scene_with_oracle(file, identities, people, by=by, known=tuple(there))
