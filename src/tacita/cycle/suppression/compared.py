"""Look-alikes by comparing one record with all others: for many attributes, where tables of sets would be too many.

With 20 attributes and nulls anywhere in them there are more sets of attributes than records. Then a count is one
comparison with every combination, which takes no tables and does not care how many sets there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacita.cycle.suppression.look_alikes import CodedRecords, Count, LookAlikes

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


class ComparedLookAlikes(LookAlikes):
    """Counts as `LookAlikes` does, record by record."""

    def __init__(self, safe: CodedRecords, risky: CodedRecords) -> None:
        """Begin with the records as they are; each risky record stands alone in `risky`."""
        import numpy as np

        super().__init__(safe, risky)
        self._bits = np.left_shift(np.int64(1), np.arange(self.attributes, dtype=np.int64))
        self._original = risky.codes
        self._codes = np.concatenate([risky.codes, safe.codes]).copy()
        self._counts = np.concatenate([risky.counts, safe.counts]).astype(float)
        self._weights = np.concatenate([risky.weights, safe.weights]).astype(float)
        self._patterns = (self._codes >= 0) @ self._bits

    @property
    def are_complete(self) -> bool:
        """Whether no risky record has a null; here nobody may rely on tables."""
        return False

    def if_known(self, record: int, pattern: int) -> Count:
        """Return the look-alikes that a record would have if just the attributes of a pattern were known of it."""
        met = self._met(record, pattern)
        met[record] = False
        is_complete = self._patterns == self.full
        is_same = self._patterns == pattern
        certain = met & (is_complete if pattern == self.full else is_complete | is_same)
        if pattern == 0:
            certain = met
        leaning = met & ~certain
        own = self.weight[record]
        return Count(
            float(self._counts[certain].sum()) + 1,
            float(self._counts[leaning].sum()),
            float(self._weights[certain].sum()) + own,
            float(self._weights[leaning].sum()),
        )

    def complete_now(self, alpha: float) -> tuple[list[float], list[float]] | None:
        """Return nothing: each record is asked by itself."""
        return None

    def meeting(self, record: int, pattern: int) -> Iterator[int]:
        """Yield the other risky records that meet a record of which a pattern is known."""
        met = self._met(record, pattern)[: len(self)]
        met[record] = False
        yield from met.nonzero()[0].tolist()

    def kinds_meeting(self, record: int, pattern: int) -> Iterator[int]:
        """Yield the other risky records that meet a record."""
        yield from self.meeting(record, pattern)

    def members(self, record: int, pattern: int) -> list[int]:
        """Return the risky records with the same values of a set of attributes, itself among them."""
        places = [place for place in range(self.attributes) if pattern >> place & 1]
        same = (self._original[:, places] == self._original[record, places]).all(axis=1)
        alike: list[int] = same.nonzero()[0].tolist()
        return alike

    def move(self, record: int, pattern: int, share: float | None = None) -> None:
        """Let just the attributes of a pattern be known of a record."""
        import numpy as np

        self.known[record] = pattern
        self._codes[record] = np.where(self._bits & pattern, self._original[record], -1)
        self._patterns[record] = pattern

    def _met(self, record: int, pattern: int) -> Array:
        places = [place for place in range(self.attributes) if pattern >> place & 1]
        theirs, mine = self._codes[:, places], self._original[record, places]
        met: Array = ((theirs == mine) | (theirs < 0)).all(axis=1)
        return met
