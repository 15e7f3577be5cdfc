"""Stripped partitions: groups of at least two records that are equal on some attributes, refined one by one.

Left-hand sides come in an order in which neighbours share their first attributes. A stack keeps the partition of each
prefix, so that most left-hand sides cost one refinement (Y. Huhtala et al., "TANE", The Computer Journal 42, 1999, on
stripped partitions).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit


class Bench(NamedTuple):
    """Arrays that the loops work with: partitions of the prefixes, and counters by value."""

    rows: Any
    """Records of the partition of each prefix, group after group: a row for each length of a prefix."""
    starts: Any
    """Where the groups begin, and behind the last of them where it ends."""
    groups: Any
    """How many groups each partition has."""
    path: Any
    """The attributes of the prefix."""
    depth: Any
    """The length of the prefix, in an array of one."""
    stamp: Any
    """By value: the last group in which it occurred."""
    count: Any
    first: Any
    """By value: the first record of the group that has it."""
    touched: Any
    """The values of a group, in the order in which they occur."""
    tick: Any
    """The number of the current group over all partitions, in an array of one."""


def bench(records: int, largest: int, values: int) -> Bench:
    """Return arrays for so many records, left-hand sides of up to `largest` attributes, and values of an attribute."""
    rows = np.empty((largest + 1, records), np.int32)
    rows[0] = np.arange(records)
    starts = np.zeros((largest + 1, records // 2 + 2), np.int32)
    groups = np.zeros(largest + 1, np.int64)
    if records > 1:
        starts[0, 1], groups[0] = records, 1
    return Bench(
        rows=rows,
        starts=starts,
        groups=groups,
        path=np.zeros(largest + 1, np.int64),
        depth=np.zeros(1, np.int64),
        stamp=np.zeros(values + 1, np.int64),
        count=np.zeros(values + 1, np.int32),
        first=np.zeros(values + 1, np.int32),
        touched=np.zeros(values + 1, np.int32),
        tick=np.zeros(1, np.int64),
    )


@njit(cache=True, nogil=True)
def _refine(column: Any, depth: int, bench: Bench) -> None:
    """Split the groups of a prefix by one more attribute, and leave out records that are alone."""
    rows, into = bench.rows[depth], bench.rows[depth + 1]
    starts, out = bench.starts[depth], bench.starts[depth + 1]
    stamp, count, place, touched = bench.stamp, bench.count, bench.first, bench.touched
    tick, position, groups = bench.tick[0], 0, 0
    for group in range(bench.groups[depth]):
        begin, end = starts[group], starts[group + 1]
        tick += 1
        different = 0
        for spot in range(begin, end):
            code = column[rows[spot]]
            if stamp[code] != tick:
                stamp[code] = tick
                count[code] = 0
                touched[different] = code
                different += 1
            count[code] += 1
        for number in range(different):
            code = touched[number]
            if count[code] > 1:
                place[code] = position
                out[groups] = position
                position += count[code]
                groups += 1
            else:
                place[code] = -1
        if different == end - begin:
            continue
        for spot in range(begin, end):
            code = column[rows[spot]]
            target = place[code]
            if target >= 0:
                into[target] = rows[spot]
                place[code] = target + 1
    out[groups] = position
    bench.groups[depth + 1] = groups
    bench.tick[0] = tick


@njit(cache=True, nogil=True)
def _reach(codes: Any, left: Any, bench: Bench) -> tuple[int, int]:
    """Make the partition of a left-hand side; return its length and the number of records that were touched."""
    work, shared = 1, True
    depth: Any = np.int64(0)  # for the type of a literal, all that it is given to would be compiled once more
    for attribute in range(codes.shape[0]):
        if (left >> np.uint64(attribute)) & np.uint64(1) == np.uint64(0):
            continue
        if shared and depth < bench.depth[0] and bench.path[depth] == attribute:
            depth += 1
            continue
        shared = False
        work += bench.starts[depth, bench.groups[depth]]
        _refine(codes[attribute], depth, bench)
        bench.path[depth] = attribute
        depth += 1
    bench.depth[0] = depth
    return depth, work


@njit(cache=True, nogil=True)
def verify(
    codes: Any, lefts: Any, begins: Any, rights: Any, begin: int, work: int, bench: Bench, holds: Any, agrees: Any
) -> tuple[int, int]:
    """Verify left-hand sides from `begin` on until some work is done; return the next one and the work.

    `rights[begins[i] : begins[i + 1]]` are the right-hand sides of `lefts[i]`. Where one does not hold, `agrees`
    becomes the agree set of two records that violate it.
    """
    done = 0
    number = begin
    while number < len(lefts) and done < work:
        depth, touched = _reach(codes, lefts[number], bench)
        done += touched
        rows, starts, groups = bench.rows[depth], bench.starts[depth], bench.groups[depth]
        for pair in range(begins[number], begins[number + 1]):
            column = codes[rights[pair]]
            holds[pair] = True
            for group in range(groups):
                one = rows[starts[group]]
                value = column[one]
                for spot in range(starts[group] + 1, starts[group + 1]):
                    if column[rows[spot]] != value:
                        holds[pair] = False
                        agrees[pair] = _agree(codes, one, rows[spot])
                        break
                if not holds[pair]:
                    break
                done += starts[group + 1] - starts[group]
        number += 1
    return number, done


@njit(cache=True, nogil=True)
def _agree(codes: Any, one: int, other: int) -> Any:
    """Return the attributes on which two records are equal."""
    mask = np.uint64(0)
    for attribute in range(codes.shape[0]):
        if codes[attribute, one] == codes[attribute, other]:
            mask |= np.uint64(1) << np.uint64(attribute)
    return mask


@njit(cache=True, nogil=True)
def judge(
    codes: Any,
    lefts: Any,
    begins: Any,
    rights: Any,
    modes: Any,
    begin: int,
    work: int,
    bench: Bench,
    deletions: Any,
    violations: Any,
    correct: Any,
    witness: Any,
    support: Any,
) -> tuple[int, int]:
    """Count violations of dependencies from `begin` on until some work is done; return the next one and the work.

    For each right-hand side: the fewest records to delete, the violating pairs, the records with a twin that the other
    records of their group tell correctly less those of them that the mode tells (ties go to the smallest value), and
    two records that are equal on both sides.
    """
    stamp, count, first, touched = bench.stamp, bench.count, bench.first, bench.touched
    done = 0
    number = begin
    while number < len(lefts) and done < work:
        depth, reached = _reach(codes, lefts[number], bench)
        rows, starts, groups = bench.rows[depth], bench.starts[depth], bench.groups[depth]
        support[number] = starts[groups]
        done += reached + starts[groups] * (begins[number + 1] - begins[number])
        tick = bench.tick[0]
        for pair in range(begins[number], begins[number + 1]):
            column, mode = codes[rights[pair]], modes[rights[pair]]
            deleted, violated, right = 0, 0, 0
            one, other = -1, -1
            for group in range(groups):
                begin_of_group, size = starts[group], starts[group + 1] - starts[group]
                tick += 1
                different = 0
                for spot in range(begin_of_group, begin_of_group + size):
                    code = column[rows[spot]]
                    if stamp[code] != tick:
                        stamp[code] = tick
                        count[code] = 0
                        first[code] = rows[spot]
                        touched[different] = code
                        different += 1
                    elif count[code] == 1 and (one < 0 or first[code] < one):
                        one, other = first[code], rows[spot]
                    count[code] += 1
                best, equal = touched[0], 0
                for place in range(different):
                    code = touched[place]
                    equal += count[code] * (count[code] - 1) // 2
                    if count[code] > count[best] or (count[code] == count[best] and code < best):
                        best = code
                deleted += size - count[best]
                violated += size * (size - 1) // 2 - equal
                is_told = True
                for place in range(different):
                    code = touched[place]
                    if code != best and (
                        count[code] >= count[best] or (count[code] == count[best] - 1 and code < best)
                    ):
                        is_told = False
                right += count[best] if is_told and size > 1 else 0
                if stamp[mode] == tick:
                    right -= count[mode]
            deletions[pair], violations[pair], correct[pair] = deleted, violated, right
            witness[pair, 0], witness[pair, 1] = one, other
        bench.tick[0] = tick
        number += 1
    return number, done
