"""People who hide attributes without having asked for it, so that those who did are not found out.

A decoy takes over the whole policy of somebody else: a decoy whose value followed from the rest of the record would be
told apart, and the others with it. Who becomes a decoy depends on the seed and on the name of the person alone, so that
a second release of the same persons with the same seed has the same decoys: with others, those who hide in both
releases would be those who asked for it. Where persons come and go, the decoys of the earlier release are taken first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.hiding.known_totals import LEAST_VALUES, HiderShortfall, shortfalls
from tacita.errors import UsageError, faults_text

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecoyTurns:
    """The order in which persons are taken as decoys: random, and the same for the same seed and names."""

    of_record: Codes = field(repr=False)
    """The person of each record, as a number from 0."""
    turn: Codes = field(repr=False)
    """The turn of each person."""

    @classmethod
    def of(
        cls, of_record: Codes, names: Sequence[str], seed: int, use: str, earlier: frozenset[str] = frozenset()
    ) -> DecoyTurns:
        """Return the turns of persons for one use of the seed.

        >>> one, two = (DecoyTurns.of(np.arange(n), [*"abcd"][:n], 7, "decoys").turn for n in (3, 4))
        >>> np.argsort(one).tolist() == [person for person in np.argsort(two).tolist() if person < 3]
        True
        """
        key = hashlib.blake2b(f"tacita {use} {seed}".encode()).digest()
        marks = [
            (name not in earlier, hashlib.blake2b(name.encode(), key=key, digest_size=16).digest()) for name in names
        ]
        turn = np.empty(len(marks), dtype=np.int64)
        turn[sorted(range(len(marks)), key=marks.__getitem__)] = np.arange(len(marks))
        return cls(of_record, turn)

    def first(self, among: NDArray[np.bool_]) -> int | None:
        """Return the person whose turn it is among those of some records; None if there is nobody."""
        persons = self.of_record[among]
        return int(persons[np.argmin(self.turn[persons])]) if len(persons) else None

    def share(self, among: NDArray[np.bool_], share: float) -> Codes:
        """Return a share of the persons of some records, those whose turn comes first."""
        persons = np.unique(self.of_record[among])
        return persons[np.argsort(self.turn[persons])[: int(np.ceil(share * len(persons)))]]


def cover_selected(of_record: Codes, turns: DecoyTurns, selected: Sequence[int], share: float) -> Codes:
    """Return the policies of records where a share of the persons whom nothing selects takes over each selected policy.

    Persons whose policy is not the empty one, 0, keep it.
    """
    changed = of_record.copy()
    for policy in selected:
        taken = turns.share(_idle(changed, turns.of_record), share)
        changed[np.isin(turns.of_record, taken)] = policy
    return changed


def with_decoys(
    group_of: Codes,
    hidden_by: Sequence[frozenset[str]],
    codes: Mapping[str, Codes],
    turns: DecoyTurns,
    least: Mapping[str, int],
) -> Codes:
    """Return the groups of records with decoys, so that each attribute is hidden by enough people and in two values.

    `hidden_by` has the attributes that each group hides; group 0 hides none, and decoys come from it. `least` says how
    many people have to hide an attribute. Raise if there are too few.
    """
    changed = group_of.copy()
    while True:
        short = shortfalls(codes, hidden_cells(hidden_by, changed), turns.of_record, least)
        if not short:
            return changed
        one = short[0]
        groups = [place for place, names in enumerate(hidden_by) if one.attribute in names]
        group = max(groups, key=lambda place: (int((changed == place).sum()), -place))
        decoy = turns.first(_fit(one, changed, codes[one.attribute], hidden_by, turns.of_record))
        if decoy is None:
            refuse_shortfalls(short, least[one.attribute], "there is nobody left who could hide it, too")
        changed[turns.of_record == decoy] = group


def hidden_cells(hidden_by: Sequence[frozenset[str]], group_of: Codes) -> dict[str, NDArray[np.bool_]]:
    """Return which records hide an attribute, for each that some group hides."""
    names = sorted(frozenset[str]().union(*hidden_by))
    return {name: np.array([name in one for one in hidden_by], dtype=bool)[group_of] for name in names}


def _fit(
    short: HiderShortfall, group_of: Codes, values: Codes, hidden_by: Sequence[frozenset[str]], persons: Codes
) -> NDArray[np.bool_]:
    """Return the records of persons who may become a decoy: with another value, if that is what is missing."""
    idle = _idle(group_of, persons)
    hidden = np.array([short.attribute in one for one in hidden_by], dtype=bool)[group_of]
    if short.values < LEAST_VALUES and hidden.any():
        idle &= values != values[np.argmax(hidden)]
    return idle


def _idle(group_of: Codes, persons: Codes) -> NDArray[np.bool_]:
    """Return the records of persons who hide nothing in any of their records."""
    busy = np.zeros(int(persons.max(initial=-1)) + 1, dtype=bool)
    busy[persons[group_of != 0]] = True
    return ~busy[persons]


def refuse_shortfalls(short: Sequence[HiderShortfall], least: int, why: str) -> None:
    """Raise: a known total would tell what is hidden."""
    raise UsageError(
        faults_text(
            [f"{one.in_words}, and a known total would tell it{f'; {why}' if one.exist else ''}" for one in short]
        ),
        do=f"let {least:,} people hide each such attribute, lower --least-hiders, or leave the attribute out (--drop)",
    )
