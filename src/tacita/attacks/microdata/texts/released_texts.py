"""Released attributes as texts, and what all that read them share: samples of records, and whether a part may tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.lessons import CONFIDENCE, Target

_SAMPLE, _LEAST = 1_500, 20
TELLS = 0.05
"""Share of the sample that a part must tell."""


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedTexts:
    """A released attribute whose values are texts, or whole numbers that are codes."""

    name: str
    texts: Callable[[Codes], list[str | None]] = field(repr=False)
    """Gives the texts of some records; None where a cell is empty."""
    records: int
    is_code: bool = True
    """Whether the texts differ between most records."""
    of: str = ""
    """The attribute that it was made of, if it is not one itself."""

    @property
    def attribute(self) -> str:
        """The released attribute."""
        return self.of or self.name

    @property
    def sample(self) -> Codes:
        """Some records, spread over all."""
        return np.arange(0, self.records, max(1, self.records // _SAMPLE))

    def all(self) -> list[str | None]:
        """Return the texts of all records."""
        return self.texts(np.arange(self.records))

    def read_as(self, how: str, read: Callable[[str], str | None]) -> ReleasedTexts:
        """Return the same attribute with its texts read in another way."""

        def texts(rows: Codes) -> list[str | None]:
            return [None if text is None else read(text) for text in self.texts(rows)]

        return ReleasedTexts(f"{self.name} {how}", texts, self.records, self.is_code, self.attribute)


def can_be_read(targets: Sequence[Target]) -> list[Target]:
    """Return the targets of which a text may tell the value."""
    return [target for target in targets if target.hidden.any() and not target.is_continuous]


def may_tell(groups: Codes, target: Target, rows: Codes, least: int = 3) -> bool:
    """Return whether enough records of a sample are in groups that nearly agree on the target.

    `groups` has a number from 0 for each record of the sample, -1 where there is none; `least` records are a group.
    """
    truth = target.truth[rows]
    there = (groups >= 0) & (truth >= 0)
    group, value, number = groups[there], truth[there], int(truth.max(initial=0)) + 1
    if len(group) < _LEAST:
        return False
    pairs, counts = np.unique(group * number + value, return_counts=True)
    total, top = np.bincount(group), np.zeros(int(group.max()) + 1, dtype=np.int64)
    np.maximum.at(top, pairs // number, counts)
    agrees = (total >= least) & (top >= CONFIDENCE * total)
    values = np.unique((pairs % number)[(counts == top[pairs // number]) & agrees[pairs // number]])
    return len(values) > 1 and bool(total[agrees].sum() >= TELLS * len(group))
