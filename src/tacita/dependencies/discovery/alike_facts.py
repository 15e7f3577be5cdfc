"""What dependencies with distances tell: support, gain and a witness, by the records that are alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.discovery.comparing import modes_of
from tacita.dependencies.discovery.equal import DependencyFacts
from tacita.dependencies.discovery.masks import Pairs, Places
from tacita.dependencies.discovery.pair_plans import PairFinder
from tacita.dependencies.discovery.search import SLICE, Effort, Minimal

SAMPLE = 2_000
"""Records that are predicted to estimate a gain; all if there are not more."""

Counts = NDArray[np.int64]


def alike_facts(finder: PairFinder, minimal: Minimal, effort: Effort) -> DependencyFacts:
    """Return support, gain and a witness of dependencies.

    The gain is estimated by predicting the records of a sample: by the most frequent value among all other records that
    are alike on the left, the smallest of several, and by the mode if there are none. A prediction is right if it is
    alike with the value; the mode is the value that is alike with most records. Accuracy and mode are those of the
    sample.
    """
    table, pairs = finder.table, Pairs.of(minimal.lefts, minimal.rights)
    number = len(pairs.rights)
    support, gain = np.zeros(number, np.int64), np.zeros(number)
    witness = np.full((number, 2), -1, np.int64)
    sample = sampled(table.records)
    modes = modes_of(table)
    by_mode = np.array(
        [_right(finder, place, np.full(len(sample), mode), sample) for place, mode in enumerate(modes)], np.int64
    )
    is_key = finder.patterns.pairs_alike(pairs.lefts) == 0
    violations = finder.patterns.violations(pairs.lefts[pairs.left_of], pairs.rights)
    effort.doing = "measuring what each dependency tells"
    for place, left in enumerate(pairs.lefts):
        effort.report(place, len(pairs.lefts))
        if is_key[place]:
            continue
        part = slice(int(pairs.begins[place]), int(pairs.begins[place + 1]))
        rights = pairs.rights[part]
        support[part], witness[part] = _survey(finder, int(left))
        correct = _correct(finder, int(left), rights, modes[rights], sample)
        rest = len(sample) - by_mode[rights]
        gain[part] = np.where(rest > 0, (correct - by_mode[rights]) / np.maximum(rest, 1), 0.0)
        for pair in range(part.start, part.stop):
            if violations[pair]:
                both = int(left) | 1 << int(pairs.rights[pair])
                _, witness[pair] = _survey(finder, both, is_whole=False)
    return DependencyFacts(pairs.put_back(support), pairs.put_back(gain), pairs.put_back(witness))


def sampled(records: int) -> Places:
    """Return the places of the records of the sample: those whose numbers, mixed by a fixed function, are smallest.

    >>> len(sampled(10)), len(sampled(100_000))
    (10, 2000)
    """
    numbers = np.arange(records, dtype=np.uint64)
    if records <= SAMPLE:
        return numbers.astype(np.int64)
    # The finishing steps of SplitMix64 (G. Steele, D. Lea and C. Flood, OOPSLA 2014).
    numbers = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.sort(np.argsort(numbers ^ (numbers >> np.uint64(31)), kind="stable")[:SAMPLE])


def _right(finder: PairFinder, attribute: int, guesses: Places, records: Places) -> int:
    """Return how many guesses are alike with the values of records."""
    alike, codes = finder.table.neighbours[attribute], finder.table.codes[attribute][records].astype(np.int64)
    return int(np.count_nonzero(guesses == codes if alike is None else alike.pairs_alike(guesses, codes)))


def _survey(finder: PairFinder, left: int, *, is_whole: bool = True) -> tuple[int, Counts]:
    """Return how many records have a twin, and the first two records that are twins (-1 if there are none)."""
    from tacita.dependencies.discovery.kernels.neighbourhoods import survey

    plan = finder.plan(left)
    marks = finder.marks(len(plan.others.linked))
    has_twin, twin, begin = np.zeros(len(plan.order), np.uint8), np.full(2, -1, np.int64), 0
    while begin < len(plan.order) and (is_whole or twin[0] < 0):
        begin = survey(plan, begin, SLICE, marks, has_twin, twin, is_whole)
    return int(np.count_nonzero(has_twin)), np.sort(plan.order[twin]) if twin[0] >= 0 else twin


def _correct(finder: PairFinder, left: int, rights: Places, modes: Places, sample: Places) -> Counts:
    """Return how many records of the sample the others tell, for each right-hand side."""
    from tacita.dependencies.discovery.kernels.neighbourhoods import predict

    plan, table = finder.plan(left), finder.table
    places = np.flatnonzero(np.isin(plan.order, sample))
    values = np.ascontiguousarray(table.codes[rights][:, plan.order])
    scratch = np.zeros((int(table.counts[rights].max(initial=0)) + 1, 2), np.int64)
    guesses, begin = np.zeros((len(rights), len(places)), np.int64), 0
    marks = finder.marks(len(plan.others.linked))
    while begin < len(places):
        begin = predict(plan, values, modes, places, begin, SLICE, marks, scratch, guesses)
    records = plan.order[places]
    return np.array([_right(finder, int(right), guesses[line], records) for line, right in enumerate(rights)])
