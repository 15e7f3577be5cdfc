"""How many pairs of records are alike on every set of attributes: the pattern of each pair, counted.

There is no sampling and no index. All pairs are compared, and each pattern, the set of attributes on which two records
are alike, is counted. The pairs that are alike on X are those whose pattern contains X, and the violations of X -> A
are the pairs alike on X less those alike on X and A.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.discovery.masks import Masks
from tacita.dependencies.discovery.search import SLICE, Effort
from tacita.errors import InputError

if TYPE_CHECKING:
    from tacita.dependencies.discovery.comparing import ComparedTable
    from tacita.dependencies.discovery.kernels.pairs import AlikeTables

_DENSE = 20
"""Up to so many attributes every pattern has a place in an array; beyond, patterns that occur are kept in a table."""
_PER_STEP = 4
"""Comparisons of a pair that take as long as one step of other loops: many are made at a time."""
MOST_PATTERNS = 1 << 25
"""Different patterns that are kept: about a gigabyte."""
MOST_COMPARISONS = 1_000_000_000_000
"""Pairs of records times attributes: beyond, comparing all takes more than some minutes."""

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PairPatterns:
    """The patterns that occur, and how many pairs have each."""

    masks: Masks
    counts: Counts
    sums: Counts | None = None
    """How many pairs are alike on each set of attributes, if all sets have a place."""

    def pairs_alike(self, sets: Masks) -> Counts:
        """Return how many pairs are alike on each of some sets of attributes."""
        if self.sums is not None:
            return self.sums[sets]
        from tacita.dependencies.discovery.kernels.pairs import containing

        totals, begin = np.zeros(len(sets), np.int64), 0
        while begin < len(sets):
            begin = containing(self.masks, self.counts, sets, begin, SLICE, totals)
        return totals

    def violations(self, lefts: Masks, rights: NDArray[np.int64]) -> Counts:
        """Return how many pairs violate each dependency."""
        both = lefts | (np.uint64(1) << rights.astype(np.uint64))
        return self.pairs_alike(lefts) - self.pairs_alike(both)


def alike_tables(table: ComparedTable) -> AlikeTables:
    """Return which codes are alike, as arrays for compiled loops."""
    from tacita.dependencies.discovery.kernels.pairs import AlikeTables

    at = np.concatenate([[0], np.cumsum(table.counts + 1)]).astype(np.int64)
    low, high = np.zeros(at[-1], np.int32), np.zeros(at[-1], np.int32)
    link_begins, row_begins = np.zeros(at[-1] + 1, np.int64), np.zeros(at[-1] + 1, np.int64)
    is_linked = np.array([one is not None and not one.is_ranges for one in table.neighbours], np.bool_)
    order = np.zeros((len(table.names), table.records if is_linked.any() else 0), np.int32)
    links: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
    length = 0
    for place, alike in enumerate(table.neighbours):
        begin, count = at[place], int(table.counts[place])
        own = np.arange(count)
        low[begin : begin + count] = own if alike is None else alike.first
        high[begin : begin + count] = own if alike is None else alike.last
        if alike is None or alike.begins is None or alike.links is None:
            continue
        link_begins[begin : begin + count + 1] = length + alike.begins
        links.append(alike.links.astype(np.int32))
        length += len(alike.links)
        order[place] = np.argsort(table.codes[place], kind="stable")
        row_begins[begin : begin + count + 1] = np.searchsorted(table.codes[place][order[place]], np.arange(count + 1))
    return AlikeTables(at, low, high, is_linked, link_begins, np.concatenate(links), row_begins, order)


def pair_patterns(table: ComparedTable, tables: AlikeTables, effort: Effort) -> PairPatterns:
    """Return the patterns of all pairs of records; raise if there are too many pairs."""
    attributes, records = len(table.names), table.records
    comparisons = table.pairs() * max(attributes, 1)
    if comparisons > MOST_COMPARISONS:
        raise InputError(
            f"{records:,} records of {attributes} attributes are too many to compare all pairs",
            do="look at fewer attributes or at a sample of the records, or compare by equality",
        )
    effort.doing = "comparing all pairs of records"
    step = max(1, SLICE * _PER_STEP // max(1, records * attributes))
    if attributes <= _DENSE:
        return _dense(table, tables, step, effort)
    return _sparse(table, tables, step, effort)


def _dense(table: ComparedTable, tables: AlikeTables, step: int, effort: Effort) -> PairPatterns:
    from tacita.dependencies.discovery.kernels.pairs import count_dense

    counts = np.zeros(1 << len(table.names), np.int64)
    for begin in range(0, table.records, step):
        count_dense(table.codes, tables, begin, min(begin + step, table.records), counts)
        effort.report(begin, table.records)
    sums = counts.copy()
    for attribute in range(len(table.names)):
        without = sums.reshape(-1, 2, 1 << attribute)
        without[:, 0] += without[:, 1]
    masks = np.flatnonzero(counts)
    return PairPatterns(masks.astype(np.uint64), counts[masks], sums)


def _sparse(table: ComparedTable, tables: AlikeTables, step: int, effort: Effort) -> PairPatterns:
    from tacita.dependencies.discovery.kernels.pairs import count_sparse, enter_counts

    size = 1 << max(16, (4 * table.records).bit_length())
    keys, counts, used = np.zeros(size, np.uint64), np.zeros(size, np.int64), np.zeros(1, np.int64)
    begin = 0
    while begin < table.records:
        end = min(begin + step, table.records)
        reached = count_sparse(table.codes, tables, begin, end, keys, counts, used)
        if reached < end:
            masks, numbers = keys[counts > 0], counts[counts > 0]
            size *= 4
            if size > 2 * MOST_PATTERNS:
                raise InputError(
                    f"{len(table.names)} attributes are too many to compare by distances: pairs of records are alike "
                    f"in more than {len(masks):,} ways",
                    do="look at fewer attributes (--attributes, --leave-out), or compare by equality",
                )
            keys, counts, used = np.zeros(size, np.uint64), np.zeros(size, np.int64), np.zeros(1, np.int64)
            enter_counts(masks, numbers, keys, counts, used)
        begin = reached
        effort.report(begin, table.records)
    order = np.argsort(keys[counts > 0], kind="stable")
    return PairPatterns(keys[counts > 0][order], counts[counts > 0][order])
