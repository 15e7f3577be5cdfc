"""Classes: the records that look alike at a node of the lattice, as arrays over distinct combinations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacita.cycle.lattice.ladders import Ladder

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

Levels = tuple[int, ...]
_LARGEST_KEY = 2**62


@dataclass(frozen=True, slots=True)
class LatticeClasses:
    """The classes of a node: their labels, how many records they have, and which sensitive values."""

    levels: Levels
    labels: tuple[Array, ...]
    """For each attribute the code of the label of each class."""
    counts: Array
    histogram: Array | None = None
    """Records by class and sensitive value, if a model looks at one."""

    def __len__(self) -> int:
        return len(self.counts)


def rolled_up(classes: LatticeClasses, levels: Levels, ladders: Sequence[Ladder]) -> LatticeClasses:
    """Return the classes of a coarser node."""
    import numpy as np

    labels = tuple(
        label if low == high else rung.climb(low, high)[label]
        for label, low, high, rung in zip(classes.labels, classes.levels, levels, ladders, strict=True)
    )
    key = keys(labels, [rung.size(level) for rung, level in zip(ladders, levels, strict=True)])
    order = np.argsort(key, kind="stable")
    ranked = key[order]
    starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1]))) if len(key) else order
    first = order[starts]
    if not len(key):
        return LatticeClasses(levels, labels, classes.counts, classes.histogram)
    histogram = None
    if classes.histogram is not None:
        histogram = np.add.reduceat(classes.histogram[order], starts, axis=0)
    counts = np.add.reduceat(classes.counts[order], starts)
    return LatticeClasses(levels, tuple(label[first] for label in labels), counts, histogram)


def keys(labels: Sequence[Array], sizes: Sequence[int]) -> Array:
    """Return one number for each combination of labels, the same for the same combination.

    Digits of a number in mixed base. Where that would not fit in 64 bits, what is there so far is numbered anew.
    """
    import numpy as np

    length = len(labels[0]) if labels else 0
    key, room = np.zeros(length, dtype=np.int64), 1
    for label, size in zip(labels, sizes, strict=True):
        if room * size > _LARGEST_KEY:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            room = int(key.max()) + 1 if length else 1
        key *= size
        key += label
        room *= size
    return key
