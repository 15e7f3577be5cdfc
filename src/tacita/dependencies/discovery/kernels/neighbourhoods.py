"""Records that are alike on a left-hand side, found by a plan, and what follows for a right-hand side.

A plan puts the records in an order in which those that can be alike stand together: `spans[begins[c] : begins[c + 1]]`
are the ranges of places in which the neighbours of the records of cell c are, they themselves among them. The other
attributes of the left-hand side are compared for blocks of such a range, many records at a time. Everything is by place
in that order. Arrays are taken out of their tuples before a loop: taking one out costs as much as many comparisons.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

_BLOCK = 1024


class AttributeLines(NamedTuple):
    """Attributes by place: codes, and which codes are alike with that of each record."""

    codes: Any
    """A line for each attribute that has ranges: the code of each record."""
    lows: Any
    widths: Any
    """The first code that a record's is alike with, and how many follow."""
    linked: Any
    """A line for each attribute that has links: the code of each record."""
    entries: Any
    """For each of these, where the entry of code 0 is in `link_begins`."""
    link_begins: Any
    links: Any


class PairPlan(NamedTuple):
    """An order of the records, and where the neighbours of each may stand."""

    order: Any
    """The record in each place."""
    cell: Any
    """By place: the number of the records that are equal on what the order is made of."""
    begins: Any
    """By cell: where its ranges begin in `spans`."""
    spans: Any
    others: AttributeLines
    """The attributes of the left-hand side that remain to be compared."""


@njit(cache=True, nogil=True)
def _mark(linked: Any, entries: Any, link_begins: Any, links: Any, place: int, value: int, marks: Any) -> None:
    """Set or remove the marks of the codes that are alike with those of a record."""
    for line in range(linked.shape[0]):
        entry = entries[line] + linked[line, place]
        for link in range(link_begins[entry], link_begins[entry + 1]):
            marks[line, links[link]] = value


@njit(cache=True, nogil=True)
def _choose(
    codes: Any, lows: Any, widths: Any, linked: Any, marks: Any, place: int, begin: int, end: int, is_chosen: Any
) -> None:
    """Unset what stands for places from `begin` to `end` that are not alike with a place on all attributes."""
    size = end - begin
    for line in range(codes.shape[0]):
        low, width = lows[line, place], widths[line, place]
        column = codes[line, begin:end]
        for spot in range(size):
            is_chosen[spot] &= np.uint32(column[spot] - low) <= width
    for line in range(linked.shape[0]):
        for spot in range(size):
            is_chosen[spot] &= marks[line, linked[line, begin + spot]]


@njit(cache=True, nogil=True)
def match(  # noqa: PLR0912 - a call inside of the loop would cost more than what it does
    plan: PairPlan, rights: AttributeLines, most: int, begin: int, work: int, marks: Any, is_free: Any, matched: Any
) -> int:
    """Match records that violate a dependency, two and two, for each right-hand side until `most` pairs are exceeded.

    No record is in two pairs, and of each pair one record has to go: `matched` is a lower bound of what has to be
    deleted. Right-hand sides with ranges come first, then those with links.
    """
    cells, begins, spans = plan.cell, plan.begins, plan.spans
    codes, lows, widths, linked = plan.others.codes, plan.others.lows, plan.others.widths, plan.others.linked
    entries, link_begins, links = plan.others.entries, plan.others.link_begins, plan.others.links
    right_codes, right_lows, right_widths = rights.codes, rights.lows, rights.widths
    right_linked, right_entries = rights.linked, rights.entries
    own, its = marks[: linked.shape[0]], marks[linked.shape[0] :]
    ranged = right_codes.shape[0]
    room = np.empty(_BLOCK, np.uint8)
    place, done = begin, 0
    while place < len(cells) and done < work and matched.min() <= most:
        wanted = 0
        for right in range(len(matched)):
            wanted += matched[right] <= most and is_free[right, place]
        cell = cells[place]
        if wanted:
            _mark(linked, entries, link_begins, links, place, 1, own)
            _mark(right_linked, right_entries, link_begins, links, place, 1, its)
        for span in range(begins[cell], begins[cell + 1] if wanted else begins[cell]):
            first = max(place + 1, spans[span, 0])
            while wanted and first < spans[span, 1]:
                end = min(first + _BLOCK, spans[span, 1])
                chosen = room[: end - first]
                chosen[:] = 1
                _choose(codes, lows, widths, linked, own, place, first, end, chosen)
                for other in range(first, end):
                    if not chosen[other - first]:
                        continue
                    for right in range(len(matched)):
                        if matched[right] > most or not is_free[right, place] or not is_free[right, other]:
                            continue
                        if right < ranged:
                            apart = np.uint32(right_codes[right, other] - right_lows[right, place])
                            if apart <= right_widths[right, place]:
                                continue
                        elif its[right - ranged, right_linked[right - ranged, other]]:
                            continue
                        is_free[right, place] = is_free[right, other] = 0
                        matched[right] += 1
                        wanted -= 1
                    if wanted == 0:
                        break
                done += end - first
                first = end
        if own.shape[0] + its.shape[0]:
            _mark(linked, entries, link_begins, links, place, 0, own)
            _mark(right_linked, right_entries, link_begins, links, place, 0, its)
        place += 1
        done += 1
    return place


@njit(cache=True, nogil=True)
def violating(
    plan: PairPlan, rights: AttributeLines, begin: int, work: int, marks: Any, ends: Any, some: Any, others: Any
) -> int:
    """Write the pairs of records that violate dependencies into `some` and `others`.

    Those of each right-hand side have their own part, and `ends` says where the next one goes.
    """
    order, cells, begins, spans = plan.order, plan.cell, plan.begins, plan.spans
    codes, lows, widths, linked = plan.others.codes, plan.others.lows, plan.others.widths, plan.others.linked
    entries, link_begins, links = plan.others.entries, plan.others.link_begins, plan.others.links
    right_codes, right_lows, right_widths = rights.codes, rights.lows, rights.widths
    right_linked, right_entries = rights.linked, rights.entries
    own, its = marks[: linked.shape[0]], marks[linked.shape[0] :]
    ranged = right_codes.shape[0]
    room = np.empty(_BLOCK, np.uint8)
    place, done = begin, 0
    while place < len(cells) and done < work:
        _mark(linked, entries, link_begins, links, place, 1, own)
        _mark(right_linked, right_entries, link_begins, links, place, 1, its)
        cell = cells[place]
        for span in range(begins[cell], begins[cell + 1]):
            first = max(place + 1, spans[span, 0])
            while first < spans[span, 1]:
                end = min(first + _BLOCK, spans[span, 1])
                chosen = room[: end - first]
                chosen[:] = 1
                _choose(codes, lows, widths, linked, own, place, first, end, chosen)
                for other in range(first, end):
                    if not chosen[other - first]:
                        continue
                    for right in range(len(ends)):
                        if right < ranged:
                            apart = np.uint32(right_codes[right, other] - right_lows[right, place])
                            is_apart = apart > right_widths[right, place]
                        else:
                            is_apart = its[right - ranged, right_linked[right - ranged, other]] == 0
                        if is_apart:
                            some[ends[right]], others[ends[right]] = order[place], order[other]
                            ends[right] += 1
                done += end - first
                first = end
        _mark(linked, entries, link_begins, links, place, 0, own)
        _mark(right_linked, right_entries, link_begins, links, place, 0, its)
        place += 1
        done += 1
    return place


@njit(cache=True, nogil=True)
def survey(plan: PairPlan, begin: int, work: int, marks: Any, has_twin: Any, twin: Any, is_whole: bool) -> int:
    """Mark places that have a twin, an other place that is alike with it; `twin` becomes the first two of them.

    If it is not `is_whole`, it ends with the first twins.
    """
    cells, begins, spans = plan.cell, plan.begins, plan.spans
    codes, lows, widths, linked = plan.others.codes, plan.others.lows, plan.others.widths, plan.others.linked
    entries, link_begins, links = plan.others.entries, plan.others.link_begins, plan.others.links
    room = np.empty(_BLOCK, np.uint8)
    place, done = begin, 0
    while place < len(cells) and done < work and (is_whole or twin[0] < 0):
        done += 1
        if not has_twin[place]:
            _mark(linked, entries, link_begins, links, place, 1, marks)
            cell = cells[place]
            for span in range(begins[cell], begins[cell + 1]):
                first = spans[span, 0]
                while not has_twin[place] and first < spans[span, 1]:
                    end = min(first + _BLOCK, spans[span, 1])
                    chosen = room[: end - first]
                    chosen[:] = 1
                    _choose(codes, lows, widths, linked, marks, place, first, end, chosen)
                    for spot in range(end - first):
                        if chosen[spot] and first + spot != place:
                            has_twin[place] = has_twin[first + spot] = 1
                            if twin[0] < 0:
                                twin[0], twin[1] = place, first + spot
                            break
                    done += end - first
                    first = end
                if has_twin[place]:
                    break
            _mark(linked, entries, link_begins, links, place, 0, marks)
        place += 1
    return place


@njit(cache=True, nogil=True)
def gather(plan: PairPlan, place: int, marks: Any, twins: Any) -> int:
    """Write the places of all twins of a place into `twins`; return how many there are."""
    spans = plan.spans
    codes, lows, widths, linked = plan.others.codes, plan.others.lows, plan.others.widths, plan.others.linked
    entries, link_begins, links = plan.others.entries, plan.others.link_begins, plan.others.links
    room = np.empty(_BLOCK, np.uint8)
    cell, count = plan.cell[place], 0
    _mark(linked, entries, link_begins, links, place, 1, marks)
    for span in range(plan.begins[cell], plan.begins[cell + 1]):
        first = spans[span, 0]
        while first < spans[span, 1]:
            end = min(first + _BLOCK, spans[span, 1])
            chosen = room[: end - first]
            chosen[:] = 1
            _choose(codes, lows, widths, linked, marks, place, first, end, chosen)
            for spot in range(end - first):
                twins[count] = first + spot
                count += chosen[spot] if first + spot != place else 0
            first = end
    _mark(linked, entries, link_begins, links, place, 0, marks)
    return count


@njit(cache=True, nogil=True)
def predict(
    plan: PairPlan,
    values: Any,
    modes: Any,
    places: Any,
    begin: int,
    work: int,
    marks: Any,
    scratch: Any,
    guesses: Any,
) -> int:
    """Predict the values of places by their twins: the most frequent one, the smallest of several, else the mode.

    `values` has a line of codes for each right-hand side, by place, and `guesses` a line of predictions. `scratch` has
    a stamp and a count for each code; its last entry holds the last stamp.
    """
    twins = np.empty(len(plan.cell) + 1, np.int64)
    tally = len(scratch) - 1
    number, done = begin, 0
    while number < len(places) and done < work:
        count = gather(plan, places[number], marks, twins)
        for target in range(len(values)):
            scratch[tally, 0] += 1
            stamp, best, guess = scratch[tally, 0], 0, modes[target]
            for twin in range(count):
                code = values[target, twins[twin]]
                if scratch[code, 0] != stamp:
                    scratch[code, 0], scratch[code, 1] = stamp, 0
                scratch[code, 1] += 1
                if scratch[code, 1] > best or (scratch[code, 1] == best and code < guess):
                    best, guess = scratch[code, 1], code
            guesses[target, number] = guess
        cell = plan.cell[places[number]]
        for span in range(plan.begins[cell], plan.begins[cell + 1]):
            done += plan.spans[span, 1] - plan.spans[span, 0]
        done += count * len(values) + 1
        number += 1
    return number
