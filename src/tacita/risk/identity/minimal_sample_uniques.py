"""Minimal sample uniques: the smallest sets of attributes that single out a record.

A set of attributes is a sample unique of a record if no other record has its values on them, and minimal if no part of
it is one already (Elliot, Manning, Ford 2002; Algorithm 6 of the VADA-SA paper). `knowledge/programs/suda.vada` says
the same as rules, and is what this must agree with.

The search visits sets of attributes as bit masks in the order of their numbers, so that every part of a set comes
before it. It goes down from ``{b}`` by adding bits lower than the lowest, and carries the combinations that still share
their values with another one: a record that is unique is unique on every larger set, and is dropped.
Which records are unique on a set is kept, a bit each, until its last superset was seen: a record that is alone on a set
and unique on no part of it has found a minimal sample unique. A set on which no record is left undecided is forgotten,
and so no superset of it is looked at.

A null is a value (missing as category); or it is never part of a sample unique, and matches no value (standard) or any
(maybe-match: a set is unique only if no other record can have its values; alpha and expected count as maybe-match).
Under maybe-match a record that is alone among those with known values is compared with the incomplete ones on what is
known of them; if one can be like it, it is carried on.

The number of sets grows with the binomials of the number of attributes: 129 sets of up to 3 of 9, 575 of 15.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tacita.errors import UsageError
from tacita.progress import Progress, Step, silent
from tacita.risk.combinations import NULL, Codes
from tacita.risk.identity.partitions import condensed, projected
from tacita.risk.null_semantics import Nulls

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

MOST_ATTRIBUTES = 62
"""A set of attributes is the bits of a whole number."""


@dataclass(frozen=True, slots=True)
class MinimalSampleUniques:
    """Which combinations are singled out by which sets of attributes; a combination may have several."""

    combinations: Array
    """Places of combinations in the codes, from 0."""
    masks: Array
    """The attributes of each, as bits: bit 0 is the first attribute."""

    @property
    def sizes(self) -> Array:
        """How many attributes each has."""
        import numpy as np

        sizes: Array = np.bitwise_count(self.masks).astype(np.int64)
        return sizes


def minimal_sample_uniques(
    codes: Codes, nulls: Nulls, largest: int = 0, progress: Progress = silent
) -> MinimalSampleUniques:
    """Return the minimal sample uniques of up to `largest` attributes (0: of any size).

    >>> import numpy as np, pyarrow as pa
    >>> table = np.array([[0, 0], [0, 1], [1, 0], [1, 0]], dtype=np.int32)
    >>> ones = np.ones(4, dtype=np.int64)
    >>> two = Codes(table[:3], np.array([1, 1, 2]), ones[:3], (pa.array(["a", "b"]), pa.array(["x", "y"])))
    >>> found = minimal_sample_uniques(two, Nulls())
    >>> [(int(c), f"{m:02b}") for c, m in zip(found.combinations, found.masks, strict=True)]
    [(1, '10'), (0, '11')]
    """
    import numpy as np

    attributes = codes.codes.shape[1]
    if attributes > MOST_ATTRIBUTES:
        raise UsageError(
            f"the intruder knows {attributes} attributes; sample uniques are looked for on {MOST_ATTRIBUTES} at most",
            do="name fewer attributes that the intruder knows",
        )
    search = _Search.of(codes, nulls, largest or attributes)
    everything = np.arange(len(codes.counts), dtype=np.int64)
    for bit in range(attributes):
        progress(Step("looking for minimal sample uniques", done=2**bit - 1, total=2**attributes - 1))
        search.visit(1 << bit, bit, everything, np.zeros_like(everything), 1)
    return search.result()


@dataclass(slots=True)
class _Search:
    """A run of the search. Attributes are in order of their number of values, so that those with many split first."""

    columns: list[Array]
    """The codes of each attribute; combinations that one record has come first, for only these can be unique."""
    sizes: list[int]
    once: int
    """How many combinations one record has."""
    order: Array
    """The place of each row of the columns in the codes."""
    attributes: list[int]
    """The attribute that each bit stands for."""
    has_nulls: list[bool]
    incomplete: Array
    """The rows that have a null; none unless a null may match."""
    hidden: Array
    """The attributes that are null in these, as bits."""
    largest: int
    unique: dict[int, Array]
    """The rows that are unique on each set, packed; no entry for a set on which none is undecided."""
    uniques: list[tuple[int, Array]] = field(default_factory=list)

    @classmethod
    def of(cls, codes: Codes, nulls: Nulls, largest: int) -> _Search:
        import numpy as np

        may_match = nulls.are_values or not nulls.are_strict
        # No other record can have the null of a record without others.
        as_values = nulls.are_values or (may_match and int(codes.counts.sum()) == 1)
        order = np.argsort(codes.counts != 1, kind="stable")
        once = int((codes.counts == 1).sum())
        attributes = sorted(range(codes.codes.shape[1]), key=lambda place: codes.sizes[place])
        columns = [codes.codes[order, place].astype(np.int64) for place in attributes]
        sizes = [codes.sizes[place] for place in attributes]
        if as_values:
            columns, sizes = [column - NULL for column in columns], [size + 1 for size in sizes]
        has_nulls = [bool((column == NULL).any()) for column in columns]
        hidden = np.zeros(len(order), dtype=np.int64)
        if may_match:
            for bit, column in enumerate(columns):
                hidden |= (column == NULL).astype(np.int64) << bit
        incomplete = np.flatnonzero(hidden)
        nobody = np.zeros((once + 7) // 8, dtype=np.uint8)
        return cls(
            columns, sizes, once, order, attributes, has_nulls, incomplete, hidden[incomplete], largest, {0: nobody}
        )

    def visit(self, mask: int, bit: int, rows: Array, groups: Array, count: int) -> None:
        """Look at a set and at those below it, given the groups of the rows on the set without `bit`."""
        import numpy as np

        before = self._unique_on_a_part(mask)
        if before is None:
            return
        codes = self.columns[bit][rows]
        if self.has_nulls[bit]:
            known = codes != NULL
            rows, groups, codes = rows[known], groups[known], codes[known]
        numbers, bound = condensed(groups * self.sizes[bit] + codes, count * self.sizes[bit])
        single = int(np.searchsorted(rows, self.once))
        own = numbers[:single]
        alone = np.bincount(numbers, minlength=bound)[own] == 1
        new = rows[:single][alone]
        new = new[(before[new >> 3] >> (new & 7).astype(np.uint8)) & 1 == 0]
        can_be_others = self._matched(mask, new)
        waiting, new = new[can_be_others], new[~can_be_others]
        if len(new):
            self.uniques.append((mask, new))
        if mask.bit_count() == self.largest:
            return
        wanted = np.zeros(bound, dtype=bool)
        wanted[own[~alone]] = True
        if len(waiting):
            wanted[own[np.searchsorted(rows[:single], waiting)]] = True
        if not wanted.any():
            return
        if len(new):
            decided = np.zeros(self.once, dtype=bool)
            decided[new] = True
            before = before | np.packbits(decided, bitorder="little")
        self.unique[mask] = before
        if bit == 0:
            return
        kept = wanted[numbers]
        rows, numbers = rows[kept], numbers[kept]
        renumbering = np.cumsum(wanted) - 1
        groups, count = renumbering[numbers], int(renumbering[-1]) + 1
        for lower in range(bit):
            self.visit(mask | 1 << lower, lower, rows, groups, count)

    def _unique_on_a_part(self, mask: int) -> Array | None:
        """Return the rows that are unique on a set with one attribute less; None if no row is undecided on one."""
        import numpy as np

        parts = [mask ^ 1 << bit for bit in _bits(mask)]
        uniques = [self.unique.get(part) for part in parts]
        everything = (1 << len(self.columns)) - 1
        for part in parts:
            if part and (everything ^ part).bit_length() == (mask ^ part).bit_length():  # no superset is left to come
                self.unique.pop(part, None)
        if any(one is None for one in uniques):
            return None
        rows: Array = np.bitwise_or.reduce([one for one in uniques if one is not None])
        return rows

    def _matched(self, mask: int, rows: Array) -> Array:
        """Return whether an incomplete record can have the values of each row on a set."""
        import numpy as np

        matched = np.zeros(len(rows), dtype=bool)
        if not len(rows) or not len(self.incomplete):
            return matched
        hidden = self.hidden & mask
        patterns: list[int] = np.unique(hidden[hidden != 0]).tolist()
        left = np.arange(len(rows))
        for pattern in sorted(patterns, key=int.bit_count, reverse=True):  # the less is known, the more it matches
            others = self.incomplete[hidden == pattern]
            both = np.concatenate([rows[left], others])
            numbers = projected(self.columns, self.sizes, _bits(mask & ~pattern), both)
            matches = np.isin(numbers[: len(left)], numbers[len(left) :])
            matched[left[matches]] = True
            left = left[~matches]
            if not len(left):
                break
        return matched

    def result(self) -> MinimalSampleUniques:
        """Return what was found, with places and bits as the codes have them."""
        import numpy as np

        if not self.uniques:
            none = np.zeros(0, dtype=np.int64)
            return MinimalSampleUniques(none, none)
        masks = [sum(1 << self.attributes[bit] for bit in _bits(mask)) for mask, _ in self.uniques]
        lengths = [len(rows) for _, rows in self.uniques]
        combinations = self.order[np.concatenate([rows for _, rows in self.uniques])]
        return MinimalSampleUniques(combinations, np.repeat(np.array(masks, dtype=np.int64), lengths))


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
