"""What follows from answers though nobody asked for it, for the auditor: sums of few people first, with their factors.

Looked at are classes of records that no question tells apart, and what is left between two answered sets of which one
holds the other. Each is judged by the rules: one that breaks them is a fault of the audit, or not promised.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.queries.audit.explanation import SumFollows, described, multipliers
from tacita.queries.audit.partition import CellClasses
from tacita.queries.audit.published import PublishedSets
from tacita.queries.audit.set_rules import KnownSet, SetRules
from tacita.queries.cube.cube import Cube
from tacita.queries.question import Mask

Ints = NDArray[np.int64]
MOST_SUMS = 20
"""Sums that are listed, judged and explained."""
_CANDIDATES = 200
"""Sums of few records whose contributors are counted."""
_MOST_STEPS = 2 * 10**10
"""Multiplications for the overlaps of answered sets: a second or two."""
_MOST_MARKS = 3 * 10**8
"""Answered sets times cells that are looked at."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExactKnowledge:
    """What is known of a measure, or of its squares: answered sets, and the classes whose sum follows."""

    measure: str
    power: int
    classes: CellClasses
    is_known: Mask
    published: PublishedSets


@dataclass(frozen=True, slots=True)
class InferredSum:
    """A sum that nobody asked for and that follows."""

    measure: str
    """Empty: records are counted."""
    power: int
    records: int
    contributors: int
    multipliers: tuple[tuple[int, str], ...]
    """The numbers of answers with their factors; none: it takes too many to be read."""
    broken: tuple[str, ...]
    """What the rules say against it."""
    selection: str = ""
    """Which records, by their labels, where that takes few words."""


@dataclass(frozen=True, slots=True)
class InferredSums:
    """Those of the fewest contributors, and how many there are."""

    sums: tuple[InferredSum, ...] = ()
    count: int = 0
    is_complete: bool = True
    """Whether differences of answered sets were looked at, too."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Candidate:
    cells: Mask
    records: int
    factors: tuple[tuple[int, str], ...] = ()


@dataclass(slots=True, eq=False, repr=False)
class _Candidates:
    """Different sets of cells, none of them asked for. Mutable: `add` changes it."""

    published: PublishedSets
    by_cells: dict[bytes, _Candidate] = field(default_factory=dict)

    def add(self, one: _Candidate) -> None:
        """Take in a set unless it was asked for or is there."""
        if not self.published.has(one.cells):
            self.by_cells.setdefault(np.packbits(one.cells).tobytes(), one)


def inferred_sums(cube: Cube, rules: SetRules, knowledge: ExactKnowledge) -> InferredSums:
    """Return sums that follow and were not asked for, those of the fewest contributors first."""
    candidates = _Candidates(knowledge.published)
    classes, is_known = knowledge.classes, knowledge.is_known
    is_complete = _are_few(cube, knowledge)
    if is_complete:
        masks = knowledge.published.masks(np.arange(len(knowledge.published)))
        rows = classes.rows(list(masks))
        for one in _differences(cube, knowledge, masks, rows):
            candidates.add(one)
        is_known = is_known & ~rows[rows.sum(axis=1) == 1].any(axis=0)
    known = np.flatnonzero(is_known)
    records = np.bincount(classes.of_cell, cube.n, classes.count).astype(np.int64)[known]
    for at in np.argsort(records, kind="stable")[:_CANDIDATES].tolist():
        candidates.add(_Candidate(classes.cells([int(known[at])]), int(records[at])))
    few = sorted(candidates.by_cells.values(), key=lambda one: one.records)[:_CANDIDATES]
    ordered = sorted(((cube.contributors(one.cells), one.records, at) for at, one in enumerate(few)))[:MOST_SUMS]
    shown = [few[at] for *_, at in ordered]
    judged = rules.objections([KnownSet(one.cells, knowledge.measure, knowledge.power) for one in shown])
    sums = tuple(
        InferredSum(
            knowledge.measure,
            knowledge.power,
            one.records,
            contributors,
            one.factors or multipliers(SumFollows(knowledge.published, (), one.cells, classes)),
            tuple(f"{objection.rule}: {objection.sentence}" for objection in broken),
            described(cube, one.cells),
        )
        for one, (contributors, *_), broken in zip(shown, ordered, judged, strict=True)
    )
    return InferredSums(sums, max(len(known), len(candidates.by_cells)), is_complete)


def _are_few(cube: Cube, knowledge: ExactKnowledge) -> bool:
    """Return whether answered sets are so few that all pairs of them can be looked at."""
    many = len(knowledge.published)
    return many**2 * knowledge.classes.count <= _MOST_STEPS and many * len(cube) <= _MOST_MARKS


def _differences(cube: Cube, knowledge: ExactKnowledge, masks: Mask, rows: Mask) -> Iterator[_Candidate]:
    """Yield what is left between answered sets of which one holds the other, the smallest."""
    sizes = np.bincount(knowledge.classes.of_cell, cube.n, knowledge.classes.count)
    marks = rows.astype(np.float64)
    common = (marks * sizes) @ marks.T
    records = common.diagonal()
    left = records[:, None] - records[None, :]  # of the row without the column
    outer, inner = np.nonzero((common == records[None, :]) & (left > 0) & (records[None, :] > 0))
    order = np.argsort(left[outer, inner], kind="stable")[:_CANDIDATES]
    numbers = knowledge.published.numbers
    for first, second in zip(outer[order].tolist(), inner[order].tolist(), strict=True):
        factors = ((numbers[first], "1"), (numbers[second], "-1"))
        yield _Candidate(masks[first] & ~masks[second], int(left[first, second]), factors)
