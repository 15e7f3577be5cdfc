"""What an observer sees: released records counted by target and value, the public baseline, perhaps more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError

Counts = NDArray[np.int64]
Figures = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Observation:
    """Counts of records by target (rows) and value (columns); the baseline is public.

    >>> seen = Observation.of_records([("L1", "old"), ("L1", "old"), ("L2", "young")], {"old": 0.5, "young": 0.5})
    >>> seen.targets, seen.counts.tolist()
    (('L1', 'L2'), [[2, 0], [0, 1]])
    """

    targets: tuple[str, ...]
    counts: Counts = field(repr=False)
    baseline: Figures = field(repr=False)
    sizes: Counts | None = field(default=None, repr=False)
    """How many records each target has in all, if the observer knows it."""

    def __post_init__(self) -> None:
        if self.counts.shape != (len(self.targets), len(self.baseline)):
            raise UsageError("the counts do not fit the targets and values", do="give a row for each target")
        if not (self.baseline > 0).all():
            raise UsageError("the baseline has a share of 0", do="give the baseline that is published")

    @classmethod
    def of_records(
        cls,
        records: Iterable[tuple[str, str]],
        baseline: Mapping[str, float],
        targets: Sequence[str] | None = None,
        sizes: Sequence[int] | None = None,
    ) -> Observation:
        """Return what is seen of records, given as pairs of target and value; unknown values do not count.

        Targets are those given, or whatever targets the records name.
        """
        values = {value: place for place, value in enumerate(baseline)}
        places = {target: place for place, target in enumerate(targets or ())}
        seen = []
        for target, value in records:
            if value in values and (targets is None or target in places):
                seen.append((places.setdefault(target, len(places)), values[value]))
        counts = np.zeros((len(places), len(values)), dtype=np.int64)
        if seen:
            np.add.at(counts, tuple(np.array(seen).T), 1)
        shares = np.array(list(baseline.values()), dtype=np.float64)
        known = None if sizes is None else np.array(sizes, dtype=np.int64)
        return cls(tuple(places), counts, shares / shares.sum(), known)

    @property
    def totals(self) -> Counts:
        """Records of each target."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.int64)
