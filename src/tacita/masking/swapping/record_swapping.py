"""Targeted record swapping: households at risk change places with similar ones in another area."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted, listed
from tacita.masking.method import Treated
from tacita.masking.preconditions import each_named_once
from tacita.masking.swapping.households import Households, both, joint
from tacita.masking.swapping.partners import paired
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RecordSwapping:
    """Households exchange their areas, those at risk first, within the area above and with one that is similar.

    Areas are given from the widest to the narrowest. A household is at risk at a level if one of its records shares its
    quasi-identifiers with fewer than k records of the same area. From the widest level down, each household at risk
    there and not yet swapped changes places with one, drawn at random, that is in another area of this level but in the
    same area above, has as many members, and is similar. If fewer than `share` of the households have moved then,
    others follow at the narrowest level, drawn with probability in inverse proportion to how many share their
    quasi-identifiers.

    Two households are similar if their members' values of a profile's attributes are the same, up to the order of the
    members; profiles are tried in turn, so give the strictest first. Without household each record is one.

    Every area keeps its number of households of each size and of records and, if there is but one profile, all its
    counts of what that profile compares. Nothing but the areas, and attributes `carried` along with them, changes.
    Records of which an area is missing stay.

    Source: the method recommended for the 2021 European census (Eurostat, Harmonised protection of census data in the
    ESS, 2017); O. Frend, C. Abrahams, L. Groom and others, Statistical disclosure control in the 2011 UK census:
    swapping certainty for safety (2011).

    >>> from tacita.model.records import Categories
    >>> areas = Categories.of(["a1", "a1", "a1", "a2", "a2", "a2"])
    >>> people = Records({"area": areas, "job": Categories.of(["miner", "cook", "cook", "cook", "cook", "cook"])})
    >>> method = RecordSwapping(areas=("area",), quasi_identifiers=("job",), k=2, share=0)
    >>> found = method.treated(people, np.random.default_rng(1))
    >>> [areas.values[code] for code in found.records.categories("area").codes]  # the only miner is moved
    ['a2', 'a1', 'a1', 'a2', 'a1', 'a2']
    """

    name: ClassVar[str] = "record-swapping"
    promises: ClassVar[str] = (
        "Every area keeps its numbers of households and records; all but the areas stays as it is."
    )
    limits: ClassVar[str] = "Tables by area are distorted; a household at risk without a similar one elsewhere stays."
    is_random: ClassVar[bool] = True

    areas: tuple[str, ...]
    """Attributes that say where a household is, from the widest area to the narrowest."""
    quasi_identifiers: tuple[str, ...] = ()
    """What makes a record rare within its area; without them households are drawn at random."""
    household: str | None = None
    """The attribute that tells households apart."""
    similar: tuple[tuple[str, ...], ...] = ()
    """Profiles of attributes on which partners agree, the strictest first."""
    k: int = 3
    """A record is at risk if fewer than k of its area, itself included, are alike."""
    share: float = 0.05
    """The least share of households that move."""
    carried: tuple[str, ...] = ()
    """Further attributes that belong to the place and move with it."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        if not self.areas:
            raise UsageError(f"'{self.name}' names no areas", do="name them, the widest first")
        moving = set(self.attributes)
        fixed = {*self.quasi_identifiers, *(name for profile in self.similar for name in profile), self.household}
        if clash := sorted(moving & {name for name in fixed if name}):
            raise UsageError(f"{listed(clash)} moves with the area and cannot stay", do="name it in one place only")
        if self.k < 1 or not 0 <= self.share <= 1:
            raise UsageError("'k' is below 1, or 'share' is not between 0 and 1", do="give k >= 1 and 0 <= share <= 1")

    @property
    def attributes(self) -> tuple[str, ...]:
        """The areas, and what is carried along."""
        return (*self.areas, *self.carried)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records, some in other areas."""
        households = Households.of(records, self.household)
        levels = [joint(records, self.areas[: level + 1]) for level in range(len(self.areas))]
        households.check_together(records, self.attributes)
        if len(households) < 2:
            raise InputError("there are fewer than two households", do="treat more records together")
        rarity = [self._rarity(records, households, level) for level in levels]
        free = ~households.any(np.any([records[name].missing for name in self.attributes], axis=0))
        moved = np.arange(len(households))
        profiles = [households.codes(joint(records, names)) for names in (self.similar or ((),))]
        above = np.zeros(len(households), dtype=np.int64)
        for place, level in enumerate(levels):
            progress(Step(self.name, place, len(levels) + 1))
            area = level[households.first]
            wanted = np.flatnonzero((rarity[place] < self.k) & free)
            wanted = wanted[np.lexsort((random.random(len(wanted)), rarity[place][wanted]))]
            self._swap(wanted, len(wanted), above, area, profiles, free, moved, random)
            if place < len(levels) - 1:
                above = area
        progress(Step(self.name, len(levels), len(levels) + 1))
        lacking = int(np.ceil(self.share * len(households))) - int((moved != np.arange(len(moved))).sum())
        others = np.flatnonzero(free)
        # The smallest of exponential times with these rates: a draw without replacement in inverse proportion.
        others = others[
            np.argsort(
                random.exponential(size=len(others)) * np.minimum(rarity[-1][others], len(records)), kind="stable"
            )
        ]
        self._swap(others, -(-lacking // 2), above, area, profiles, free, moved, random)
        return self._result(records, households, moved, rarity[-1] < self.k)

    def _rarity(self, records: Records, households: Households, area: Places) -> NDArray[np.float64]:
        """Return how many records of its area have the rarest quasi-identifiers in each household."""
        if not self.quasi_identifiers:
            return np.full(len(households), np.inf)
        _, cells, counts = np.unique(
            both(area, joint(records, self.quasi_identifiers)), return_inverse=True, return_counts=True
        )
        return households.least(counts[cells].astype(float))

    def _swap(
        self,
        wanted: Places,
        pairs: int,
        above: Places,
        area: Places,
        profiles: Sequence[Places],
        free: NDArray[np.bool_],
        moved: Places,
        random: np.random.Generator,
    ) -> None:
        """Swap wanted households while there are pairs to make, one profile after the other; update free and moved."""
        for profile in profiles:
            if pairs <= 0:
                return
            new_pairs = paired(wanted[free[wanted]], pairs, both(above, profile), area, free, random)
            moved[new_pairs[:, 0]], moved[new_pairs[:, 1]] = new_pairs[:, 1], new_pairs[:, 0]
            pairs -= len(new_pairs)

    def _result(self, records: Records, households: Households, moved: Places, risky: NDArray[np.bool_]) -> Treated:
        source = households.first[moved][households.of_record]
        stays = moved == np.arange(len(moved))
        source[stays[households.of_record]] = np.flatnonzero(stays[households.of_record])
        changed = {name: records[name].taken(source) for name in self.attributes}
        alone = int((risky & stays).sum())
        notes = [f"{counted(alone, 'household')} at risk found no similar one and stayed"] if alone else []
        if (~stays).mean() < self.share:
            notes.append("fewer households moved than the share asks for: no others are similar to one in another area")
        figures = {
            "share of households swapped": float((~stays).mean()),
            "households at risk": float(risky.sum()),
            "households at risk that stayed": float(alone),
        }
        return Treated.in_place(records.with_columns(changed), figures=figures, notes=tuple(notes))
