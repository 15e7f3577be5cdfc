"""Look-alikes under the strict meaning of nulls: certain matches only, counted in one flat array.

Strictly a record counts complete records that agree with it on what is known of it, and records with the same nulls
and the same values. So a count is one number for each group of each set of attributes, and a record that is changed
leaves one group of every set at most: with the numbers of its groups in one row, that is one operation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacita.cycle.suppression.look_alikes import CodedRecords, Count, LookAlikes

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_WIDTH = 64
"""Sets of attributes whose groups stand in one block."""


class StrictLookAlikes(LookAlikes):
    """Counts certain matches only: what others hide is nobody's look-alike."""

    def __init__(self, safe: CodedRecords, risky: CodedRecords) -> None:
        """Begin with the records as they are; each risky record stands alone in `risky`."""
        import numpy as np

        super().__init__(safe, risky)
        self._everybody = Count(
            float(safe.counts.sum()) + len(self), 0.0, float(safe.weights.sum()) + sum(self.weight), 0.0
        )
        self._blocks: list[Array] = []
        """The group of each record, for some sets of attributes each."""
        self._place: dict[int, tuple[int, int]] = {}
        """Set of attributes -> its block and column."""
        self._count: Array = np.zeros(0)
        self._weight: Array = np.zeros(0)
        self._size: Array = np.zeros(0, dtype=np.int64)
        """Of each group: look-alikes, what they stand for, and risky records."""
        self._groups_made = 0

    def if_known(self, record: int, pattern: int) -> Count:
        """Return the look-alikes that a record would have if just the attributes of a pattern were known of it."""
        if pattern == 0:  # of which nothing is known: it is like everybody
            return self._everybody
        group = self._group(record, pattern)
        count, weight = float(self._count[group]), float(self._weight[group])
        if self.known[record] not in {pattern, self.full}:
            count, weight = count + 1, weight + self.weight[record]
        return Count(count, 0.0, weight, 0.0)

    def companions(self, record: int, pattern: int) -> int:
        """Return how many other risky records have the same values of a set of attributes."""
        group = self._group(record, pattern)
        return int(self._size[group]) - 1

    def members(self, record: int, pattern: int) -> list[int]:
        """Return the risky records with the same values of a set of attributes, itself among them."""
        import numpy as np

        group = self._group(record, pattern)
        block, column = self._place[pattern]
        return np.flatnonzero(self._blocks[block][:, column] == group).tolist()

    def kinds_meeting(self, record: int, pattern: int) -> Iterator[int]:
        """Yield one of those that lose a look-alike if more becomes known of a record: its class."""
        for other in self.members(record, pattern):
            if other != record and self.known[other] == pattern:
                yield other
                break

    def move(self, record: int, pattern: int, share: float | None = None) -> None:
        """Let just the attributes of a pattern be known of a record."""
        before, weight = self.known[record], self.weight[record]
        if before == pattern:
            return
        for own in (before, pattern):
            self._group(record, own)  # made before anything changes
        self.known[record] = pattern
        for changed, sign in ((before, -1), (pattern, 1)):
            if changed != self.full:
                group = self._group(record, changed)
                self._count[group] += sign
                self._weight[group] += sign * weight
                continue
            for block in self._blocks:
                self._count[block[record]] += sign
                self._weight[block[record]] += sign * weight

    def _group(self, record: int, pattern: int) -> int:
        block, column = self._place.get(pattern) or self._add_pattern(pattern)
        return int(self._blocks[block][record, column])

    def _add_pattern(self, pattern: int) -> tuple[int, int]:
        """Number the groups of a set of attributes, and count them as the records are now."""
        import numpy as np

        place = len(self._place)
        if place % _WIDTH == 0:
            # What is not used yet are groups of nobody: the first number.
            self._blocks.append(np.zeros((len(self), _WIDTH), dtype=np.int32))
        block, column = divmod(place, _WIDTH)
        known = np.array(self.known, dtype=np.int64)
        numbers, length = self._numbers(pattern, self._risky.codes, [self._safe.codes])
        mine, theirs = numbers[: len(self)], numbers[len(self) :]
        count, weight = np.zeros(length), np.zeros(length)
        for others in {self.full, pattern}:
            rows = self._safe_patterns.get(others, np.arange(0))
            here = np.flatnonzero(known == others)
            for numbers_, counts, weights in (
                (theirs[rows], self._safe.counts[rows], self._safe.weights[rows]),
                (mine[here], np.ones(len(here)), self._risky.weights[here]),
            ):
                count += np.bincount(numbers_, weights=counts, minlength=length)
                weight += np.bincount(numbers_, weights=weights, minlength=length)
        start = self._room(length)
        self._count[start : start + length] = count
        self._weight[start : start + length] = weight
        self._size[start : start + length] = np.bincount(mine, minlength=length)
        self._blocks[block][:, column] = mine + start
        self._place[pattern] = (block, column)
        return block, column

    def _room(self, length: int) -> int:
        """Return where groups begin that are new; the first number is never theirs."""
        import numpy as np

        start = max(self._groups_made, 1)
        self._groups_made = start + length
        if self._groups_made > len(self._count):
            more = max(2 * len(self._count), self._groups_made) - len(self._count)
            self._count = np.concatenate([self._count, np.zeros(more)])
            self._weight = np.concatenate([self._weight, np.zeros(more)])
            self._size = np.concatenate([self._size, np.zeros(more, dtype=np.int64)])
        return start
