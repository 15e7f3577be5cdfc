"""Frequencies where values are null: the kernel under every measure that counts records.

Combinations are sorted by their pattern, the set of attributes that are known in them. A combination of pattern P meets
one of pattern Q if they agree on the attributes S known in both, so P's frequency is a sum over Q of how often its
values of S occur in Q. For each S the values are numbered once for all patterns that know them; the rest is counting.

Every semantics is the same sum with other coefficients:

- maybe-match counts every meeting as 1;
- alpha counts 1 for a meeting of two complete combinations, of an incomplete with a complete one, or of two with the
  same nulls and the same values; alpha for others; a record that is all null meets everybody;
- standard counts meetings of complete combinations only, and each incomplete record for itself, unless it is all null:
  of such a record nothing is known, and it is like everybody;
- expected (marginal) counts the probability that both have the same values, attributes taken as independent: for a
  value known on one side its share in the file, for two nulls the sum of the squared shares;
- expected (conditional) lets an incomplete record fall on the complete combinations v that agree with it, with
  probabilities P(v) as frequent as these are. A complete combination's frequency is the expected number N(v) of records
  on it. An incomplete record's is that of its own fall, 1 + sum P(v) (N(v) - P(v)): itself, and the others;
- in both, a record counts at least what it counts for certain (alpha = 0): what is safe strictly stays safe.

A population adds weights instead of ones. In the last three an incomplete record counts itself otherwise than others,
so its own weight has a factor of its own: population = own * weight + shared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tacita.progress import Progress, Step, silent
from tacita.risk.bounds import TOLERANCE
from tacita.risk.combinations import Codes
from tacita.risk.null_patterns import Matched, Patterns
from tacita.risk.null_semantics import Distribution, Nulls, Semantics

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


def matched(codes: Codes, nulls: Nulls, progress: Progress = silent) -> Matched:
    """Return how often each combination occurs, nulls counted as said."""
    patterns = Patterns.of(codes)
    if nulls.semantics is Semantics.STANDARD:
        matches = _standard(patterns)
    elif nulls.semantics is Semantics.EXPECTED and nulls.distribution is Distribution.CONDITIONAL:
        matches = _the_larger(_conditional(patterns, progress), _certain(patterns))
    elif nulls.semantics is Semantics.EXPECTED:
        matches = _the_larger(_marginal(patterns, progress), _certain(patterns))
    elif nulls.semantics is Semantics.ALPHA and nulls.alpha == 0:
        matches = _certain(patterns)
    else:
        matches = _weighed(patterns, nulls.alpha if nulls.semantics is Semantics.ALPHA else 1.0, progress)
    return patterns.in_order(matches)


Coefficient = Callable[[int, int], float]
Factor = Callable[[int, int], "Array | None"]
Agreement = Callable[[int, int], "Array"]


def _summed(
    patterns: Patterns, coefficient: Coefficient, factor: Factor, agreement: Agreement, progress: Progress
) -> tuple[Array, Array]:
    """Return the sums over all meetings of counts and of weights.

    `coefficient(p, q)` weighs the meetings of two patterns; `factor(p, s)` gives what a combination of pattern p loses
    where only the attributes s of it are compared, or None for nothing. `agreement(p, i)` says the same for one
    combination, the i-th, and all others at once.
    """
    import numpy as np

    frequency, population = np.zeros(len(patterns.counts)), np.zeros(len(patterns.counts))
    common_ones, rare = patterns.divided()
    _compare(patterns, rare, coefficient, agreement, frequency, population)
    meetings = patterns.meetings(common_ones)
    for done, (common, among) in enumerate(meetings.items()):
        progress(Step("matching nulls", done, len(meetings)))
        numbers, length = patterns.numbered(common, among)
        tables = {}
        for q in among:
            part, lost = patterns.slices[q], factor(q, common)
            counts, weights = patterns.counts[part].astype(float), patterns.weights[part]
            if lost is not None:
                counts, weights = counts * lost, weights * lost
            tables[q] = (
                np.bincount(numbers[q], weights=counts, minlength=length),
                np.bincount(numbers[q], weights=weights, minlength=length),
            )
        for p in among:
            met = [(q, coefficient(p, q)) for q in among if p & q == common]
            met = [(q, c) for q, c in met if c]
            if not met:
                continue
            part, lost = patterns.slices[p], factor(p, common)
            for target, kind in ((frequency, 0), (population, 1)):
                table = tables[met[0][0]][kind] * met[0][1]
                for q, c in met[1:]:
                    table += tables[q][kind] * c
                values = table[numbers[p]]
                target[part] += values if lost is None else values * lost
    return frequency, population


def _compare(
    patterns: Patterns,
    rare: Sequence[int],
    coefficient: Coefficient,
    agreement: Agreement,
    frequency: Array,
    population: Array,
) -> None:
    """Add the meetings of combinations with rare patterns, one after the other with all the others."""
    import numpy as np

    of_pattern, is_rare = np.empty(len(frequency), dtype=np.int64), np.zeros(len(frequency), dtype=bool)
    for place, p in enumerate(patterns.slices):
        of_pattern[patterns.slices[p]] = place
        is_rare[patterns.slices[p]] = p in set(rare)
    for p in rare:
        seen_by = np.array([coefficient(p, q) for q in patterns.slices])
        sees = np.array([coefficient(q, p) for q in patterns.slices])
        for i in range(patterns.slices[p].start, patterns.slices[p].stop):
            agreeing = agreement(p, i)
            met = np.flatnonzero(agreeing)
            weight = agreeing[met]
            here = weight * seen_by[of_pattern[met]]
            frequency[i] += float(here @ patterns.counts[met])
            population[i] += float(here @ patterns.weights[met])
            often = ~is_rare[met]
            there = weight[often] * sees[of_pattern[met[often]]]
            frequency[met[often]] += there * patterns.counts[i]
            population[met[often]] += there * patterns.weights[i]


def _weighed(patterns: Patterns, alpha: float, progress: Progress) -> Matched:
    import numpy as np

    complete = patterns.complete

    def coefficient(p: int, q: int) -> float:
        certain = p in {q, patterns.nothing} or (q == complete and p != complete)
        return 1.0 if certain else alpha

    def agreement(p: int, i: int) -> Array:
        agreeing = np.ones(len(patterns.counts), dtype=bool)
        for j in patterns.members(p):
            column = patterns.columns[j]
            agreeing &= (column == column[i]) | (column < 0)
        return agreeing.astype(np.float64)

    frequency, shared = _summed(patterns, coefficient, lambda p, s: None, agreement, progress)
    return Matched(frequency, np.zeros(len(frequency)), shared)


def _certain(patterns: Patterns) -> Matched:
    """Return the same as `_weighed` with alpha = 0: a pattern meets itself and complete combinations, no other one."""
    import numpy as np

    length, complete = len(patterns.counts), patterns.complete
    frequency, shared = np.zeros(length), np.zeros(length)
    for p, part in patterns.slices.items():
        if p == patterns.nothing:  # of which nothing is known: like everybody
            frequency[part], shared[part] = patterns.counts.sum(), patterns.weights.sum()
            continue
        among = list(dict.fromkeys(q for q in (p, complete) if q in patterns.slices))
        numbers, most = patterns.numbered(p, among)
        for target, values in ((frequency, patterns.counts), (shared, patterns.weights)):
            table = np.zeros(most)
            for q in among:
                table += np.bincount(numbers[q], weights=values[patterns.slices[q]], minlength=most)
            target[part] = table[numbers[p]]
    return Matched(frequency, np.zeros(length), shared)


def _the_larger(expected: Matched, certain: Matched) -> Matched:
    """Return for each combination the one by which it is more frequent."""
    import numpy as np

    more = certain.frequency > expected.frequency + TOLERANCE
    return Matched(
        np.where(more, certain.frequency, expected.frequency),
        np.where(more, certain.own, expected.own),
        np.where(more, certain.shared, expected.shared),
    )


def _standard(patterns: Patterns) -> Matched:
    import numpy as np

    length = len(patterns.counts)
    frequency, own, shared = np.ones(length), np.ones(length), np.zeros(length)
    part = patterns.slices.get(patterns.complete, slice(0, 0))
    frequency[part], own[part], shared[part] = patterns.counts[part], 0, patterns.weights[part]
    empty = patterns.slices.get(patterns.nothing, slice(0, 0))  # of which nothing is known: like everybody
    frequency[empty], own[empty], shared[empty] = patterns.counts.sum(), 0, patterns.weights.sum()
    return Matched(frequency, own, shared)


def _marginal(patterns: Patterns, progress: Progress) -> Matched:
    import numpy as np

    shares, squares = [], []
    for column, size in zip(patterns.columns, patterns.sizes, strict=True):
        known = column >= 0
        counts = np.bincount(column[known], weights=patterns.counts[known], minlength=max(size, 1))
        share = counts / max(counts.sum(), 1)
        shares.append(share)
        squares.append(float((share**2).sum()))

    def both_null(p: int, q: int) -> float:
        return float(np.prod([squares[j] for j in patterns.members(patterns.complete & ~(p | q))]))

    def factor(p: int, common: int) -> Array | None:
        known = patterns.members(p & ~common)
        if not known:
            return None
        part = patterns.slices[p]
        lost: Array = np.prod([shares[j][patterns.columns[j][part]] for j in known], axis=0)
        return lost

    def agreement(p: int, i: int) -> Array:
        agreeing = np.ones(len(patterns.counts))
        for j, column in enumerate(patterns.columns):
            hidden = column < 0
            if p >> j & 1:
                agreeing *= np.where(hidden, shares[j][column[i]], column == column[i])
            else:  # what both hide is in the coefficient
                agreeing *= np.where(hidden, 1.0, shares[j][column])
        return agreeing

    frequency, shared = _summed(patterns, both_null, factor, agreement, progress)
    own = np.empty(len(frequency))
    for p, part in patterns.slices.items():
        own[part] = 1 - both_null(p, p)
    return Matched(frequency + own, own, shared)


def _conditional(patterns: Patterns, progress: Progress) -> Matched:
    import numpy as np

    length, complete = len(patterns.counts), patterns.complete
    frequency, own, shared = np.ones(length), np.ones(length), np.zeros(length)
    part = patterns.slices.get(complete)
    if part is None:  # nothing is known of how values occur together: everybody stands alone
        return Matched(frequency, own, shared)
    counts = patterns.counts[part].astype(float)
    numbered = {}
    fallen, fallen_weight = counts.copy(), patterns.weights[part].copy()
    incomplete = [p for p in patterns.slices if p != complete]
    for done, q in enumerate(incomplete):
        progress(Step("matching nulls", done, len(incomplete)))
        numbers, most = patterns.numbered(q, [complete, q])
        numbered[q] = (numbers, most)
        here = np.bincount(numbers[complete], weights=counts, minlength=most)
        there = patterns.slices[q]
        share = counts / here[numbers[complete]]
        falling = np.bincount(numbers[q], weights=patterns.counts[there], minlength=most)
        fallen += share * falling[numbers[complete]]
        falling = np.bincount(numbers[q], weights=patterns.weights[there], minlength=most)
        fallen_weight += share * falling[numbers[complete]]
    frequency[part], own[part], shared[part] = fallen, 0, fallen_weight
    for q, (numbers, most) in numbered.items():
        there = patterns.slices[q]

        def at(values: Array, numbers: dict[int, Array] = numbers, most: int = most, q: int = q) -> Array:
            return np.bincount(numbers[complete], weights=values, minlength=most)[numbers[q]]

        here = at(counts)
        agreeing = here > 0
        here = np.where(agreeing, here, 1)
        squares = at(counts**2) / here**2
        frequency[there] = 1 + at(counts * fallen) / here - squares
        own[there] = 1 - squares
        shared[there] = at(counts * fallen_weight) / here
    return Matched(frequency, own, shared)
