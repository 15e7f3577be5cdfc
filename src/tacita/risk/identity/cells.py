"""The cells of a crossing of attributes, and which of them have too few records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacita.engines.arrow import renumbered
from tacita.risk.combinations import NULL, Codes
from tacita.risk.identity.partitions import condensed, projected
from tacita.risk.null_semantics import Nulls

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Cells:
    """Combinations, made ready to be counted by any of their attributes.

    A null is a value (missing as category); or it is part of no cell, and counts in none (standard) or in each cell
    that the record may lie in (maybe-match; a share of a match counts as one, and alpha = 0 as standard).
    """

    columns: tuple[Array, ...]
    sizes: tuple[int, ...]
    counts: Array
    nulls: tuple[Array, ...]
    """Where each attribute is null."""
    may_match: bool

    @classmethod
    def of(cls, codes: Codes, nulls: Nulls) -> Cells:
        """Return combinations as arrays that can be crossed."""
        import numpy as np

        columns = [codes.codes[:, place].astype(np.int64) for place in range(codes.codes.shape[1])]
        sizes = codes.sizes
        if nulls.are_values:
            columns, sizes = [column - NULL for column in columns], tuple(size + 1 for size in sizes)
        where = tuple(column == NULL for column in columns)
        return cls(tuple(columns), sizes, codes.counts, where, not nulls.are_strict)

    def unsafe(self, key: Sequence[int], most: int) -> tuple[int, Array]:
        """Return how many cells of a key have at most so many records, and whether each combination lies in one."""
        import numpy as np

        incomplete = np.logical_or.reduce([self.nulls[attribute] for attribute in key])
        rows = np.flatnonzero(~incomplete)
        bound = 1
        for attribute in key:
            bound *= self.sizes[attribute]
        numbers, bound = condensed(projected(self.columns, self.sizes, key, rows), bound)
        records = np.bincount(numbers, weights=self.counts[rows], minlength=bound)
        few = (records > 0) & (records <= most)
        if self.may_match and few.any() and incomplete.any():
            one = np.zeros(bound, dtype=np.int64)
            one[numbers] = rows
            cells = np.flatnonzero(few)
            more = self._that_may_lie(key, one[cells], np.flatnonzero(incomplete))
            few[cells] = records[cells] + more <= most
        lies = np.zeros(len(self.counts), dtype=bool)
        lies[rows] = few[numbers]
        return int(few.sum()), lies

    def _that_may_lie(self, key: Sequence[int], cells: Array, incomplete: Array) -> Array:
        """Return how many incomplete records may lie in each cell, of which one combination is given."""
        import numpy as np

        hidden = np.zeros(len(incomplete), dtype=np.int64)
        for bit, attribute in enumerate(key):
            hidden |= self.nulls[attribute][incomplete].astype(np.int64) << bit
        records = np.zeros(len(cells))
        for pattern in np.unique(hidden).tolist():
            others = incomplete[hidden == pattern]
            known = [attribute for bit, attribute in enumerate(key) if not pattern >> bit & 1]
            numbers, bound = renumbered(projected(self.columns, self.sizes, known, np.concatenate([cells, others])))
            alike = np.bincount(numbers[len(cells) :], weights=self.counts[others], minlength=bound)
            records += alike[numbers[: len(cells)]]
        return records
