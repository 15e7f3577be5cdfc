"""The smallest suppressions that let a record stand on its own: what a fair choice is made from.

Under maybe-match a null repairs others too, and that can be gamed: a record that is blanked nearly everywhere looks
like everybody, and everybody is "safe" while each stays as recognisable as before. So a record is given no null that
it does not need itself: of all sets of cells whose suppression makes it safe without leaning on the nulls of others,
only the smallest are considered, and larger ones only where they cost less and hold none of the smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations as sets_of
from typing import NamedTuple

from tacita.cycle.suppression.look_alikes import LookAlikes
from tacita.cycle.suppression.requirement import Requirement

_MOST_CELLS = 4
"""Records that need more cells are left to be repaired step by step."""
_MOST_SETS = 5_000
_MOST_ASKED = 100_000
"""Questions about single records, where they cannot be asked about all at once."""


class CellSet(NamedTuple):
    """What may be known of a record, and what the suppression of the rest costs."""

    pattern: int
    cells: int
    cost: float


class Costs:
    """What the suppression of a cell costs, and which cells must not be touched."""

    def __init__(
        self,
        importance: Sequence[float],
        kept: Sequence[int] | None = None,
        times: Sequence[Sequence[int]] | None = None,
    ) -> None:
        """Begin with the importance of each attribute, untouchable attributes of each record as bits, and how many
        cells are suppressed with one of a record (households)."""
        self.importance, self._kept, self._times = tuple(importance), kept, times
        self._everything = (1 << len(self.importance)) - 1
        self.are_even = times is None and len(set(self.importance)) <= 1
        """Whether every cell costs the same, so that fewer cells are always cheaper."""

    def of(self, record: int, suppressed: int) -> float:
        """Return the cost of suppressing the attributes of a set in a record."""
        if self.are_even:
            return self.importance[0] * suppressed.bit_count()
        times = self._times[record] if self._times is not None else None
        return sum(
            weight * (times[place] if times is not None else 1)
            for place, weight in enumerate(self.importance)
            if suppressed >> place & 1
        )

    def prices(self, record: int) -> list[float]:
        """Return what each cell of a record costs.

        >>> Costs([1.0, 2.0], times=[[1, 1], [3, 1]]).prices(1)
        [3.0, 2.0]
        """
        if self._times is None:
            return list(self.importance)
        return [weight * times for weight, times in zip(self.importance, self._times[record], strict=True)]

    def allowed(self, record: int) -> int:
        """Return the attributes of a record that may be suppressed."""
        return self._everything & ~self._kept[record] if self._kept is not None else self._everything


def smallest(
    alike: LookAlikes, requirement: Requirement, costs: Costs, records: Sequence[int]
) -> dict[int, list[CellSet]]:
    """Return for each record the patterns in which it is safe on its own, smallest first.

    A record that needs more than a few cells has none.
    """
    cell_sets: dict[int, list[CellSet]] = {record: [] for record in records}
    size_of: dict[int, int] = {}
    tried = questions = 0
    for size in range(1, min(alike.attributes, _MOST_CELLS) + 1):
        open_ = [r for r in records if r not in size_of or (not costs.are_even and size <= size_of[r] + 1)]
        if not open_:
            break
        for cells in sets_of(range(alike.attributes), size):
            tried += 1
            questions += 0 if alike.are_complete else len(open_)
            if tried > _MOST_SETS or questions > _MOST_ASKED:
                return _cheapest_first(cell_sets)
            _try(alike, requirement, costs, open_, sum(1 << c for c in cells), cell_sets)
        for record in open_:
            if cell_sets[record]:
                size_of.setdefault(record, size)
    return _cheapest_first(cell_sets)


def _try(
    alike: LookAlikes,
    requirement: Requirement,
    costs: Costs,
    records: Sequence[int],
    suppressed: int,
    cell_sets: dict[int, list[CellSet]],
) -> None:
    if requirement.k is not None and alike.are_complete:
        # Nobody has nulls, so all are asked at once.
        enough = (alike.complete_in(alike.full & ~suppressed) >= requirement.k).tolist()
        records, is_known_enough = [record for record in records if enough[record]], True
    else:
        is_known_enough = False
    cells, new = suppressed.bit_count(), dict[tuple[int, float], CellSet]()
    for record in records:
        known = alike.known[record]
        if suppressed & ~(known & costs.allowed(record)):
            continue
        pattern = known & ~suppressed
        candidates = cell_sets[record]
        if candidates and candidates[0].cells < cells and any(pattern & c.pattern == pattern for c in candidates):
            continue  # it holds a smaller set that is enough
        if is_known_enough or requirement.is_met_alone(alike.if_known(record, pattern)):
            cost = costs.of(record, suppressed)
            candidate = new.get((pattern, cost))
            if candidate is None:
                candidate = new[pattern, cost] = CellSet(pattern, cells, cost)
            candidates.append(candidate)


def _cheapest_first(cell_sets: dict[int, list[CellSet]]) -> dict[int, list[CellSet]]:
    for record, candidates in cell_sets.items():
        if candidates and candidates[-1].cells > candidates[0].cells:  # smaller sets were found first
            fewest = candidates[0].cells
            cheapest = min(c.cost for c in candidates if c.cells == fewest)
            cell_sets[record] = [c for c in candidates if c.cells == fewest or c.cost < cheapest]
    return cell_sets
