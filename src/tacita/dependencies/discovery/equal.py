"""Dependencies between attributes that are compared by equality: their errors and what they tell, by partitions.

Within a group of records that are equal on X, all values but the most frequent one must go: the number of those records
is g3 exactly. The pairs of a group with different values are g1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.dependency import ErrorMeasure
from tacita.dependencies.discovery.comparing import modes_of
from tacita.dependencies.discovery.levels import Verdicts, level_wise
from tacita.dependencies.discovery.masks import Masks, Pairs, Places, moved
from tacita.dependencies.discovery.search import SLICE, Effort, Minimal

if TYPE_CHECKING:
    from tacita.dependencies.discovery.comparing import Codes, ComparedTable, Numbers

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class DependencyFacts:
    """What each dependency tells, as arrays."""

    support: Counts
    """Records that are alike on the left with another one."""
    gain: NDArray[np.float64]
    witness: Counts
    """Places of two records that are alike on both sides, two for each dependency; -1 if there are none."""


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """What the partitions say of pairs, in the order in which they were given."""

    deletions: Counts
    violations: Counts
    correct: Counts
    witness: Counts
    support: Counts


def tolerant_dependencies(
    table: ComparedTable, measure: ErrorMeasure, allowed: int, largest: int | None, effort: Effort
) -> Minimal:
    """Return the minimal dependencies with at most so many deleted records (g3) or violating pairs (g1)."""
    order = np.argsort(-table.counts, kind="stable")
    codes, counts = np.ascontiguousarray(table.codes[order]), table.counts[order]
    modes = np.zeros(len(counts), np.int64)

    def judge(lefts: Masks, rights: Places) -> Verdicts | None:
        judged = _judged(codes, counts, modes, lefts, rights, effort)
        if judged is None:
            return None
        errors = judged.deletions if measure is ErrorMeasure.G3 else judged.violations
        return Verdicts(errors, errors, errors <= allowed, np.zeros(len(errors), np.bool_))

    minimal = level_wise(len(counts), judge, largest, effort)
    lefts, rights = moved(minimal.lefts, order), order[minimal.rights]
    return Minimal(lefts, rights, minimal.bound, minimal.low, minimal.high, minimal.is_undecided)


def equal_facts(table: ComparedTable, minimal: Minimal, effort: Effort) -> DependencyFacts:
    """Return support, gain and a witness of dependencies.

    A record is predicted by the most frequent value among the other records that are equal on the left, the smallest of
    several, and by the mode if there are none. Gain is (accuracy - mode) / (1 - mode), and 0 if all values are equal.
    """
    modes = modes_of(table)
    tells = np.array([np.count_nonzero(line == mode) for line, mode in zip(table.codes, modes, strict=True)], np.int64)
    order = np.argsort(-table.counts, kind="stable")
    back = np.argsort(order)
    effort.doing = "measuring what each dependency tells"
    judged = _judged(
        np.ascontiguousarray(table.codes[order]),
        table.counts[order],
        modes[order],
        moved(minimal.lefts, back),
        back[minimal.rights],
        Effort(progress=effort.progress, work=0, doing=effort.doing),
        is_bounded=False,
    )
    assert judged is not None, "nothing bounds it"
    rest = table.records - tells[minimal.rights]
    gain = np.where(rest > 0, judged.correct / np.maximum(rest, 1), 0.0)
    return DependencyFacts(judged.support, gain, judged.witness)


def _judged(
    codes: Codes,
    counts: Numbers,
    modes: Numbers,
    lefts: Masks,
    rights: Places,
    effort: Effort,
    *,
    is_bounded: bool = True,
) -> _Judged | None:
    """Return what the partitions say of pairs, or None if that is too much work; attributes come by their values."""
    from tacita.dependencies.discovery.kernels.partitions import bench, judge

    pairs = Pairs.of(lefts, rights)
    number = len(pairs.rights)
    tools = bench(codes.shape[1], pairs.largest, int(counts.max(initial=0)))
    deletions, violations, correct = (np.zeros(number, np.int64) for _ in range(3))
    witness = np.full((number, 2), -1, np.int64)
    support = np.zeros(len(pairs.lefts), np.int64)
    begin = 0
    while begin < len(pairs.lefts):
        if is_bounded and effort.is_spent:
            return None
        begin, done = judge(
            codes,
            pairs.lefts,
            pairs.begins,
            pairs.rights,
            modes,
            begin,
            SLICE,
            tools,
            deletions,
            violations,
            correct,
            witness,
            support,
        )
        effort.spent += done
        effort.report(begin, len(pairs.lefts))
    return _Judged(
        pairs.put_back(deletions),
        pairs.put_back(violations),
        pairs.put_back(correct),
        pairs.put_back(witness),
        pairs.put_back(support[pairs.left_of]),
    )
