"""All pairs of records: for each, the attributes on which the two are alike, counted by pattern.

For a record, the attributes are compared one after the other with a block of later records, which a compiler turns into
comparisons of many records at a time. Few texts are alike: there, the records that have a neighbour are marked.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

_BLOCK = 4096
_MIX = np.uint64(0x9E3779B97F4A7C15)


class AlikeTables(NamedTuple):
    """Which codes are alike. Entries of an attribute begin at `at`: one for each code and one behind the last."""

    at: Any
    low: Any
    high: Any
    """The range of codes that a code is alike with; its own if the neighbours are links."""
    is_linked: Any
    """By attribute, whether neighbours are links."""
    link_begins: Any
    links: Any
    row_begins: Any
    """Where the records of a code begin in the order of the attribute."""
    order: Any
    """For attributes with links: the records by code; a line for each attribute."""


@njit(cache=True, nogil=True)
def _compare(codes: Any, tables: AlikeTables, record: int, begin: int, masks: Any) -> None:
    """Write into `masks` on which attributes a record is alike with the records from `begin` on."""
    masks[:] = np.uint64(0)
    end = begin + len(masks)
    for attribute in range(codes.shape[0]):
        bit = np.uint64(1) << np.uint64(attribute)
        entry = tables.at[attribute] + codes[attribute, record]
        if tables.is_linked[attribute]:
            for link in range(tables.link_begins[entry], tables.link_begins[entry + 1]):
                other = tables.at[attribute] + tables.links[link]
                for spot in range(tables.row_begins[other], tables.row_begins[other + 1]):
                    row = tables.order[attribute, spot]
                    if begin <= row < end:
                        masks[row - begin] |= bit
        else:
            low = tables.low[entry]
            span = np.uint32(tables.high[entry] - low)
            column = codes[attribute, begin:end]
            for spot in range(len(masks)):
                masks[spot] |= bit if np.uint32(column[spot] - low) <= span else np.uint64(0)


@njit(cache=True, nogil=True)
def count_dense(codes: Any, tables: AlikeTables, begin: int, end: int, counts: Any) -> None:
    """Count the patterns of records from `begin` to `end` with all later ones, in an array with a place for each."""
    records = codes.shape[1]
    room = np.empty(_BLOCK, np.uint64)
    for block in range(begin + 1, records, _BLOCK):
        until = min(block + _BLOCK, records)
        for record in range(begin, min(end, until - 1)):
            first = max(block, record + 1)
            masks = room[: until - first]
            _compare(codes, tables, record, first, masks)
            for spot in range(len(masks)):
                counts[masks[spot]] += 1


@njit(cache=True, nogil=True)
def count_sparse(codes: Any, tables: AlikeTables, begin: int, end: int, keys: Any, counts: Any, used: Any) -> int:
    """Count patterns in a hash table until it is half full; return the record to go on from."""
    records = codes.shape[1]
    room = np.empty(records, np.uint64)
    last = np.uint64(len(keys) - 1)
    for record in range(begin, end):
        if used[0] + records - record > len(keys) // 2:
            return record
        masks = room[: records - record - 1]
        _compare(codes, tables, record, record + 1, masks)
        for spot in range(len(masks)):
            mask = masks[spot]
            place = ((mask * _MIX) >> np.uint64(20)) & last
            while counts[place] and keys[place] != mask:
                place = (place + np.uint64(1)) & last
            if counts[place] == 0:
                keys[place] = mask
                used[0] += 1
            counts[place] += 1
    return end


@njit(cache=True, nogil=True)
def enter_counts(masks: Any, numbers: Any, keys: Any, counts: Any, used: Any) -> None:
    """Enter patterns with their counts into a hash table that has room for them."""
    last = np.uint64(len(keys) - 1)
    for number in range(len(masks)):
        place = ((masks[number] * _MIX) >> np.uint64(20)) & last
        while counts[place] and keys[place] != masks[number]:
            place = (place + np.uint64(1)) & last
        if counts[place] == 0:
            keys[place] = masks[number]
            used[0] += 1
        counts[place] += numbers[number]


@njit(cache=True, nogil=True)
def containing(patterns: Any, counts: Any, sets: Any, begin: int, work: int, sums: Any) -> int:
    """Add up the counts of the patterns that contain each set, from `begin` on; return the set to go on from."""
    number, done = begin, 0
    while number < len(sets) and done < work:
        wanted, total = sets[number], 0
        for place in range(len(patterns)):
            if wanted & ~patterns[place] == np.uint64(0):
                total += counts[place]
        sums[number] = total
        done += len(patterns)
        number += 1
    return number
