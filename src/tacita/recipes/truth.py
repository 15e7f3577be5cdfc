"""Who is who in a file that somebody released, and the scene in which it is attacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.attacker import Scene, scene_with_oracle
from tacita.attacks.microdata.inference.features import coded, keys_of
from tacita.attacks.microdata.score import rate_of
from tacita.engines.records import records_of
from tacita.errors import UsageError, counted, listed
from tacita.model.attribute import Category
from tacita.model.figures import share
from tacita.model.hierarchy import text_of
from tacita.model.microdata import Microdata
from tacita.model.records import Records

Places = NDArray[np.int64]

_BY_CHANCE = 0.01
"""By how much more often than expected records of a control may equal originals."""

_NOT_COMPARED = (Category.IDENTIFIER, Category.CLUSTER_KEY, Category.WEIGHT)
"""What says nothing of whether records are of one person: numbers of records, and weights, which are computed."""


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
    people, wanted = (records_of(microdata, [by]).categories(by) for microdata in (original, released))
    if int(people.missing.sum()) or int(people.counts.max(initial=0)) > 1:
        raise UsageError(f"'{by}' is missing or the same for several people", do="name an identifier of the original")
    place = {text_of(people.values[code]): row for row, code in enumerate(people.codes.tolist())}
    places = np.array([*(place.get(text_of(value), -1) for value in wanted.values), -1], dtype=np.int64)
    return places[wanted.codes]


def control_records(
    original: Microdata, control: Microdata, known: Sequence[str], secret: Sequence[str] = ()
) -> Records:
    """Return the records of a control: people like those of the original who were not in the data.

    Attributes are taken for what they are in the original. Raises if the control lacks one that is needed, or if more
    of its records are in the original as well than chance explains: what is disclosed of members would be found of the
    control too, and the risk would seem small.
    """
    wanted = list(dict.fromkeys((*known, *secret)))
    there = set(control.dictionary.names)
    if lacking := [name for name in wanted if name not in there]:
        raise UsageError(f"the control lacks {listed(lacking)}", do="give records with the attributes of the original")
    own = {attribute.name: attribute for attribute in original.dictionary if attribute.name in there}
    alike = replace(control, dictionary=control.dictionary.mapped(lambda attribute: own.get(attribute.name, attribute)))
    apart = {a.name for c in _NOT_COMPARED for a in original.dictionary.of(c)}
    shared = [name for name in own if name not in apart]
    # what attackers use, and all else beside: a changed column that no attacker reads makes nobody another person
    for names in ([name for name in wanted if name in own], shared):
        _check_apart(records_of(original, names), records_of(alike, names), names)
    return records_of(alike, wanted)


def _check_apart(original: Records, control: Records, names: Sequence[str]) -> None:
    """Raise if records of the control are originals, seen by more equal records than two samples of people have.

    A person of a hold-out equals some original as often as an original equals some other one.
    """
    if not len(original) or not len(control) or not names:
        return
    keys = keys_of(coded([original, control], names))
    twins = int((np.bincount(keys[0])[keys[0]] > 1).sum())
    equal = int(np.isin(keys[1], keys[0]).sum())
    expected = rate_of(twins, len(original))
    if rate_of(equal, len(control)).lower > expected.upper + _BY_CHANCE:
        raise UsageError(
            f"{share(equal / len(control))} of the records of the control equal a record of the original, and "
            f"chance explains {share(expected.value)}",
            do="give as control records of people who were not in the data",
        )


@dataclass(frozen=True, slots=True, repr=False)
class Intruder:
    """What an intruder has beside the released file."""

    known: Sequence[str] = ()
    """Attributes; by default the quasi-identifiers of the original, or if there are none every attribute of both files
    but for sensitive ones, identifiers, keys and weights."""
    oracle: Microdata | None = None
    """A register of people, who are told from each other `by` an identifier of the original."""
    by: str | None = None
    control: Microdata | None = None
    """Records of people who were not in the data."""
    sources: tuple[Sequence[str], Sequence[str]] | None = None
    """The attributes that the intruder has in each of two sources."""


def scene_of(original: Microdata, released: Microdata, origin: Places | None, intruder: Intruder) -> Scene:
    """Return the scene of a released file; the intruder wants to learn the sensitive attributes."""
    by, control, sources, oracle = intruder.by, intruder.control, intruder.sources, intruder.oracle
    dictionary = original.dictionary
    names = {column.name for column in released.columns}
    kept = (Category.IDENTIFIER, Category.CLUSTER_KEY, Category.WEIGHT)
    hidden = {a.name for category in kept for a in dictionary.of(category)} | {by}
    secrets = tuple(a.name for a in dictionary.of(Category.SENSITIVE) if a.name in names)
    shared = [n for n in dictionary.names if n in names and n not in hidden]
    quasi = [n for n in dictionary.quasi_identifiers if n in shared]
    named = [] if sources is None else [n for source in sources for n in source]
    wanted = tuple(intruder.known) or tuple(quasi) or tuple(n for n in shared if n not in secrets)
    wanted = tuple(dict.fromkeys((*wanted, *named)))
    for name in (*wanted, *secrets):
        original.column(name), released.column(name)
    used = list(dict.fromkeys((*wanted, *secrets)))
    file = records_of(released, used)
    if oracle is None:
        beside = None if control is None else control_records(original, control, wanted, secrets)
        apart = None if sources is None else (tuple(sources[0]), tuple(sources[1]))
        return Scene(records_of(original, used), file, origin, wanted, secrets, beside, apart)
    if control is not None or sources is not None:
        raise UsageError(
            "an oracle is given beside a control or two sources, and linkage with an oracle has no use for these",
            do="leave out the oracle, or the others",
        )
    if by is None or origin is None:
        raise UsageError("an oracle needs to be told who is who", do="name an identifier of both with --by")
    identities = records_of(original, [by]).taken(origin)
    there = [name for name in wanted if name in oracle.dictionary.names]
    people: Records = records_of(oracle, [by, *there])
    return scene_with_oracle(file, identities, people, by=by, known=tuple(there))
