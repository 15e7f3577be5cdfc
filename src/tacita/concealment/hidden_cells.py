"""Which cells are hidden: records are in groups of equal policies, and each group hides the same attributes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.hiding.choice import HidingChoice

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class HiddenCells:
    """Which cells are hidden: records are in groups, and those of a group hide the same attributes."""

    groups: tuple[HidingChoice, ...]
    """What each group hides; the first hides nothing."""
    of_record: Codes = field(repr=False)
    is_decoy: Mask = field(repr=False)
    """Which records hide something without their person having asked for it."""

    def hidden(self, attribute: str) -> Mask:
        """Return which records hide an attribute."""
        return np.array([attribute in one.hidden for one in self.groups], dtype=bool)[self.of_record]

    def confidential(self, attribute: str) -> Mask:
        """Return which records hide an attribute because it is confidential; decoys count as if they had asked."""
        return np.array([attribute in one.confidential for one in self.groups], dtype=bool)[self.of_record]

    def masks(self) -> dict[str, Mask]:
        """Return which records hide an attribute, for each attribute that some record hides."""
        names = dict.fromkeys(name for one in self.groups for name in (*one.confidential, *one.extra))
        masks = {name: self.hidden(name) for name in names}
        return {name: mask for name, mask in masks.items() if mask.any()}

    @property
    def cells(self) -> int:
        """The number of hidden cells."""
        return sum(int(mask.sum()) for mask in self.masks().values())

    @property
    def records(self) -> int:
        """The number of records with a hidden cell."""
        hides = np.array([bool(one.hidden) for one in self.groups], dtype=bool)
        return int(hides[self.of_record].sum())
