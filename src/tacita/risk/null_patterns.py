"""Combinations of values by their pattern of nulls: which attributes are known in them, and whom they meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacita.engines.arrow import renumbered
from tacita.errors import UsageError
from tacita.risk.combinations import Codes

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_MOST = 2**62
"""Keys are numbered anew before they could grow beyond a machine's integer."""
_DEAR = 3
"""How many times a count in a table costs what a comparison of two values does."""
_MOST_HIDDEN = 62
"""A pattern is a machine's integer, a bit for each attribute that has nulls."""


@dataclass(frozen=True, slots=True)
class Matched:
    """Frequencies of combinations; the population of a record is ``own * weight + shared``."""

    frequency: Array
    own: Array
    shared: Array


@dataclass(frozen=True, slots=True)
class Patterns:
    """Combinations sorted by which of their attributes are known."""

    columns: tuple[Array, ...]
    """The codes of each attribute."""
    sizes: tuple[int, ...]
    counts: Array
    weights: Array
    order: Array
    """Where each combination stood before."""
    slices: dict[int, slice]
    """Pattern (a bit for each known attribute) -> its combinations."""
    nothing: int
    """The pattern of a record of which nothing is known."""

    @classmethod
    def of(cls, codes: Codes) -> Patterns:
        """Sort combinations by pattern. Attributes without any null are known in all of them: together they are one."""
        import numpy as np

        hidden = np.flatnonzero((codes.codes < 0).any(axis=0)) if len(codes.codes) else np.arange(0)
        if len(hidden) > _MOST_HIDDEN:
            raise UsageError(
                f"{len(hidden)} known attributes have missing values: at most {_MOST_HIDDEN} can be matched",
                do="count missing values as a category (--missing-as category), or take fewer attributes for known",
            )
        shown = [j for j in range(codes.codes.shape[1]) if j not in set(hidden.tolist())]
        together, size = _together(codes, shown)
        every = [together, *(codes.codes[:, j] for j in hidden)]
        sizes = (size, *(codes.sizes[j] for j in hidden))
        pattern = np.zeros(len(codes.codes), dtype=np.int64)
        for place, column in enumerate(every):
            pattern |= (column >= 0).astype(np.int64) << place
        order = np.argsort(pattern, kind="stable")
        numbers, starts = np.unique(pattern[order], return_index=True)
        ends = [*starts[1:], len(order)]
        slices = {int(p): slice(int(a), int(b)) for p, a, b in zip(numbers, starts, ends, strict=True)}
        columns = tuple(np.ascontiguousarray(column[order]) for column in every)
        return cls(columns, sizes, codes.counts[order], codes.weights[order], order, slices, -1 if shown else 1)

    @property
    def complete(self) -> int:
        """The pattern of combinations without a null."""
        return (1 << len(self.columns)) - 1

    def members(self, among: int) -> list[int]:
        """Return the attributes of a set, as numbers."""
        return [j for j in range(len(self.columns)) if among >> j & 1]

    def in_order(self, matches: Matched) -> Matched:
        """Return what was found in the order of the combinations."""
        import numpy as np

        back = np.empty_like(self.order)
        back[self.order] = np.arange(len(self.order))
        return Matched(matches.frequency[back], matches.own[back], matches.shared[back])

    def numbered(self, known: int, patterns: Sequence[int]) -> tuple[dict[int, Array], int]:
        """Return, by pattern, numbers of the values of the attributes `known`, and how many numbers there are."""
        import numpy as np

        keys: Array = np.zeros(sum(self.slices[p].stop - self.slices[p].start for p in patterns), dtype=np.int64)
        bound = 1
        for j in self.members(known):
            if bound * self.sizes[j] >= _MOST:
                keys, bound = renumbered(keys)
            keys *= self.sizes[j]
            keys += np.concatenate([self.columns[j][self.slices[p]] for p in patterns])
            bound *= self.sizes[j]
        if bound > 4 * len(keys) + 1024:
            keys, bound = renumbered(keys)
        by_pattern, start = {}, 0
        for p in patterns:
            length = self.slices[p].stop - self.slices[p].start
            by_pattern[p] = keys[start : start + length]
            start += length
        return by_pattern, bound

    def divided(self) -> tuple[list[int], list[int]]:
        """Return the patterns that are worth tables of their own, and those so rare that their records are compared
        one by one. A pattern costs as many counts as there are other patterns, a record as many as it has attributes.
        """
        ordered = sorted(self.slices, key=lambda p: self.slices[p].start - self.slices[p].stop)
        worth = 0
        while worth < len(ordered) and _rows(self.slices[ordered[worth]]) * len(self.columns) > _DEAR * worth:
            worth += 1
        return ordered[:worth], ordered[worth:]

    def meetings(self, among: Sequence[int]) -> dict[int, list[int]]:
        """Return every set of attributes that two patterns have in common, and the patterns that know all of it."""
        meets = {p & q for p in among for q in among}
        return {s: [p for p in among if p & s == s] for s in sorted(meets)}


def _rows(part: slice) -> int:
    return int(part.stop - part.start)


def _together(codes: Codes, places: Sequence[int]) -> tuple[Array, int]:
    """Return numbers for the values of some attributes taken together, and how many numbers there are."""
    import numpy as np

    keys: Array = np.zeros(len(codes.codes), dtype=np.int64)
    bound = 1
    for j in places:
        if bound * max(codes.sizes[j], 1) >= _MOST:
            keys, bound = renumbered(keys)
        keys = keys * max(codes.sizes[j], 1) + codes.codes[:, j]
        bound *= max(codes.sizes[j], 1)
    return renumbered(keys)
