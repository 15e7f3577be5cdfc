"""Frequencies and baselines of local suppression by plain loops, from their definitions: what the cycle is tested with.

A record is a tuple of values, None for a null. Nothing here is shared with the package.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

Row = tuple[Any, ...]

# -- frequencies ------------------------------------------------------------------------------------------------------


def meets(a: Row, b: Row) -> bool:
    """Whether two records could be the same one: they agree on all that is known of both."""
    for x, y in zip(a, b, strict=True):  # noqa: SIM110 - a generator takes three times as long
        if x != y and x is not None and y is not None:
            return False
    return True


def maybe_match(rows: Sequence[Row]) -> list[float]:
    """Each record counts all that it could be."""
    return summed(rows, lambda mine, other: float(meets(mine, other)))


def standard(rows: Sequence[Row]) -> list[float]:
    """A complete record counts those equal to it, a record with a null only itself, one that is all null everybody."""
    counts = Counter(rows)
    everybody = float(len(rows))
    return [everybody if set(row) == {None} else 1.0 if None in row else float(counts[row]) for row in rows]


def alpha_match(rows: Sequence[Row], alpha: float) -> list[float]:
    """Each record counts what it surely could be as one, and what leans on the nulls of others as alpha."""

    def weight(mine: Row, other: Row) -> float:
        if not meets(mine, other):
            return 0.0
        nothing_known = all(value is None for value in mine)
        with_complete = None in mine and None not in other
        return 1.0 if mine == other or nothing_known or with_complete else alpha

    return summed(rows, weight)


def strict(rows: Sequence[Row]) -> list[float]:
    """Nobody leans on the nulls of others: alpha = 0."""
    return alpha_match(rows, 0.0)


def expected(rows: Sequence[Row]) -> list[float]:
    """A record with nulls falls on the complete ones that it could be, as often as each of their values occurs.

    Each counts at least what it counts strictly.
    """
    complete = Counter(row for row in rows if None not in row)
    falls = []
    for row in rows:
        could_be = {v: n for v, n in complete.items() if meets(row, v)}
        falls.append({v: n / sum(could_be.values()) for v, n in could_be.items()})
    on = {v: sum(fall.get(v, 0.0) for fall in falls) for v in complete}
    fallen = [
        on[row] if None not in row else 1 + sum(share * (on[v] - share) for v, share in fall.items())
        for row, fall in zip(rows, falls, strict=True)
    ]
    return [max(pair) for pair in zip(fallen, strict(rows), strict=True)]


def summed(rows: Sequence[Row], weight: Callable[[Row, Row], float]) -> list[float]:
    """Each record's sum of weights over all records, equal ones reckoned once."""
    counts = Counter(rows)
    sums = {mine: sum(weight(mine, other) * n for other, n in counts.items()) for mine in counts}
    return [sums[row] for row in rows]


SEMANTICS: dict[str, Callable[[Sequence[Row]], list[float]]] = {
    "maybe": maybe_match,
    "standard": standard,
    "strict": strict,
    "expected": expected,
}


def violators(rows: Sequence[Row], k: float, semantics: str = "maybe") -> list[int]:
    """The places, from 0, of the records whose frequency is below k."""
    return [i for i, frequency in enumerate(SEMANTICS[semantics](rows)) if frequency < k - 1e-9]


def nulls(rows: Sequence[Row]) -> int:
    """How many cells are null."""
    return sum(value is None for row in rows for value in row)


def without(row: Row, place: int) -> Row:
    """A record with one more null."""
    return (*row[:place], None, *row[place + 1 :])


# -- baselines --------------------------------------------------------------------------------------------------------


def plain_greedy(rows: Sequence[Row], k: int) -> list[Row]:
    """The plain greedy under maybe-match, which checks again after each null.

    Take the first of the records with the smallest frequency. Suppress what brings it nearest to k; among equals what
    meets most records below k; among equals the first attribute.
    """
    now = list(rows)
    frequency = maybe_match(now)
    while min(frequency, default=k) < k:
        i = frequency.index(min(frequency))
        mine = now[i]
        counts, below = Counter(now), Counter(row for row, f in zip(now, frequency, strict=True) if f < k)
        choices = []
        for j in [j for j, value in enumerate(mine) if value is not None]:
            new = without(mine, j)
            found = sum(n for row, n in counts.items() if meets(new, row))
            helped = sum(n for row, n in below.items() if meets(new, row))
            choices.append((min(found, k), helped, -j, found, new))
        if not choices:
            break
        *_, found, new = max(choices, key=lambda choice: choice[:3])
        newly_met = {row for row in counts if meets(new, row) and not meets(mine, row)}
        frequency = [f + (row in newly_met) for f, row in zip(frequency, now, strict=True)]
        now[i], frequency[i] = new, found
    return now


def sdcmicro_like(rows: Sequence[Row], k: int, importance: Sequence[int] | None = None) -> list[Row]:
    """What kAnon of sdcMicro does: passes over the violators, riskiest first, a null for each without checking again.

    The null goes to the first attribute, by importance, that lets the record meet more of the file as it is by then.
    Importance is a rank, the highest is suppressed first; unless given, that of the attribute with most values.
    """
    now, width = list(rows), len(rows[0])
    values = [len({row[j] for row in rows} - {None}) for j in range(width)]
    order = sorted(range(width), key=lambda j: (values if importance is None else importance)[j], reverse=True)
    while True:
        frequency = maybe_match(now)
        below = [i for i, f in enumerate(frequency) if f < k and any(value is not None for value in now[i])]
        if not below:
            return now
        counts = Counter(now)
        for i in sorted(below, key=lambda i: frequency[i]):
            mine = now[i]
            known = [j for j in order if mine[j] is not None]
            found = sum(n for row, n in counts.items() if meets(mine, row))
            better = (j for j in known if sum(n for row, n in counts.items() if meets(without(mine, j), row)) > found)
            now[i] = without(mine, next(better, known[0]))
            counts[mine] -= 1
            counts[now[i]] += 1
            counts += Counter()  # drops what nobody has any more
