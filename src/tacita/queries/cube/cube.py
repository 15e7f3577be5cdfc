"""The cube: one cell for each combination of codes that has a record. Questions, rules and audits see nothing else.

Values are whole numbers of the last decimal that the policy declares, so that sums are exact and the same on every
machine.

If the data had earlier versions, their records are in the cube as well (`history`). It is then seen from one version:
codes are those of this version, and only cells that it has are ever selected.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacita.errors import QueryRefused
from tacita.queries.cube.history import RecordHistory
from tacita.queries.policy.policy import QueryPolicy
from tacita.queries.question import ALL, DataQuestion, Mask

Ints = NDArray[np.int64]
MOST_GROUPS = 2_000
_MOST_MARKS = 2 * 10**8
"""Groups times the cells that the policy allows: how many cells the data have is theirs to know."""
COUNT = ""
"""The measure that counts records."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CubeAttribute:
    """An attribute of the cube: its codes in their order."""

    name: str
    labels: tuple[str, ...]
    """How codes are written in answers; a missing value has a code of its own."""
    numbers: NDArray[np.float64] | None = None
    """Of a public regressor: the number of each code."""


@dataclass(frozen=True, eq=False, repr=False)
class Cube:
    """A frozen version of a data set, by cells. Nothing of it is handed out."""

    policy: QueryPolicy
    attributes: tuple[CubeAttribute, ...]
    codes: Mapping[str, NDArray[np.int32]]
    """Of each attribute the code of each cell, -1 where the version does not have it. Without a history, the codes of
    all attributes together are different for any two cells."""
    n: Ints
    """Records in each cell."""
    starts: Ints
    """Where the records of each cell begin in `values` and `units`; one more at the end."""
    values: Mapping[str, Ints] = field(default_factory=dict)
    """Of each measure the value of each record, by cells."""
    units: Ints | None = None
    """Of each record the number of whom it is about; None: each record is somebody."""
    rows: Ints | None = None
    """Of each record its number in the source, from 1 on; None if nobody knows. 0: it is not in this version."""
    history: RecordHistory | None = None
    """What is known of versions; None if the policy has no key, so that there is one version only."""
    version: int = 1
    """The number of the version that it is seen from."""

    def __repr__(self) -> str:
        return f"<Cube of '{self.policy.name}': {len(self.n):,} cells>"

    def __len__(self) -> int:
        return len(self.n)

    @property
    def records(self) -> int:
        """How many records the version has."""
        return int(self.n[self.present].sum())

    @property
    def all_records(self) -> int:
        """How many records there are in all versions; one whose measures changed counts for each of its values."""
        return int(self.starts[-1])

    @cached_property
    def present(self) -> Mask:
        """The cells whose records the version has."""
        if self.history is None:
            return np.ones(len(self), np.bool_)
        return self.history.versions[self.version - 1].present

    def same_values(self, measure: str, cells: Mask) -> Mask:
        """Return the cells that stand for some cells of one version where a measure is concerned.

        These are the same in all versions that have the same records with the same values; for counts (the empty
        measure) values do not matter. Sums and contributors are those of the cells themselves.
        """
        if self.history is None or not self.history.changes:
            return cells
        result = np.zeros(len(self), np.bool_)
        result[self.standing(measure)[cells]] = True
        return result

    def standing(self, measure: str) -> Ints:
        """Return for each cell the one that stands for it where a measure is concerned."""
        return np.arange(len(self), dtype=np.int64) if self.history is None else self.history.same[measure]

    def revised(self, measure: str) -> Mask:
        """Return the cells of records that had several values of a measure over all versions."""
        if self.history is None:
            return np.zeros(len(self), np.bool_)
        record, value = self.history.same[COUNT], self.history.same[measure]
        several = np.unique(record[value != value[record]])
        return np.asarray(np.isin(record, several))

    def seen_from(self, version: int) -> Cube:
        """Return the cube as an earlier version sees it: its codes, its labels, its records."""
        return self if version == self.version else self._views[version]

    @cached_property
    def _views(self) -> dict[int, Cube]:
        views = {}
        for number, seen in enumerate(self.history.versions if self.history else (), 1):
            attributes = tuple(replace(one, labels=one.labels[: seen.labels[one.name]]) for one in self.attributes)
            views[number] = replace(self, attributes=attributes, codes=seen.codes, rows=None, version=number)
        return views

    def attribute(self, name: str) -> CubeAttribute:
        """Return an attribute, which the language has checked."""
        return next(one for one in self.attributes if one.name == name)

    @cached_property
    def sums(self) -> dict[str, Ints]:
        """Of each measure its sum in each cell; the empty name counts."""
        return {COUNT: self.n} | {name: _by_cell(values, self.starts) for name, values in self.values.items()}

    def squares(self, measure: str) -> tuple[int, ...]:
        """Return the sum of squares in each cell, as Python's whole numbers: they may be large."""
        return self._squares[measure]

    @cached_property
    def _squares(self) -> dict[str, tuple[int, ...]]:
        result = {}
        for name, values in self.values.items():
            is_small = int(np.abs(values).max(initial=0)) ** 2 * len(values) < 2**62
            exact = values**2 if is_small else values.astype(object) ** 2
            result[name] = tuple(int(exact[a:b].sum()) for a, b in itertools.pairwise(self.starts.tolist()))
        return result

    def records_of(self, cells: Mask) -> Ints:
        """Return the places of the records of some cells in `values`."""
        chosen = np.flatnonzero(cells)
        sizes = self.n[chosen]
        first = np.repeat(self.starts[chosen] - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
        return np.asarray(first + np.arange(int(sizes.sum())), np.int64)

    def contributors(self, cells: Mask) -> int:
        """Return how many people records of some cells are about."""
        if self.units is None:
            return int(self.n[cells].sum())
        return len(np.unique(self.units[self.records_of(cells)]))

    def contributions(self, cells: Mask, measure: str) -> Ints:
        """Return what each person adds to the sum of a measure over some cells, the largest first."""
        places = self.records_of(cells)
        values = self.values[measure][places]
        if self.units is not None:
            _, whose = np.unique(self.units[places], return_inverse=True)
            total = np.zeros(int(whose.max(initial=-1)) + 1, np.int64)
            np.add.at(total, whose, values)
            values = total
        return np.sort(values)[::-1]

    def cells_of(self, question: DataQuestion) -> Mask:
        """Return the cells of the records that a question is about."""
        return np.asarray(question.predicate.cells(self.codes, len(self)) & self.present)

    def grouped(self, question: DataQuestion) -> list[tuple[tuple[int, ...], Mask]]:
        """Return the codes of each group of a question, in their order, with its cells.

        All combinations of codes are groups, also those that nobody has: which groups there are tells nothing. The code
        of an attribute that is not in a grouping set is `ALL`. Raises `QueryRefused` if there are too many groups.
        """
        selected = self.cells_of(question)
        if self.policy.unlisted.intersection(question.groups):
            return [((ALL,) * len(question.groups), selected)]  # one group stands for labels that are confidential
        sizes = {name: len(self.attribute(name).labels) for name in question.groups}
        levels = question.levels or (question.groups,)
        number = sum(math.prod(sizes[name] for name in level) for level in levels)
        if number > min(MOST_GROUPS, _MOST_MARKS // self.policy.limits.cells):
            raise QueryRefused(
                f"there would be {number:,} groups",
                do="group by fewer attributes, or ask for a part at a time with WHERE",
            )
        groups = []
        for level in levels:
            ranges = [range(sizes[name]) if name in level else (ALL,) for name in question.groups]
            for combination in itertools.product(*ranges):
                cells = selected.copy()
                for name, code in zip(question.groups, combination, strict=True):
                    if code != ALL:
                        cells &= self.codes[name] == code
                groups.append((combination, cells))
        return groups


def _by_cell(values: Ints, starts: Ints) -> Ints:
    total = np.concatenate([[0], np.cumsum(values)])
    return np.asarray(total[starts[1:]] - total[starts[:-1]], np.int64)


def label_order(label: str) -> tuple[int, float, str]:
    """Return by what labels are sorted that are not declared: numbers first, then texts, a missing value last."""
    if not label:
        return 2, 0.0, label
    try:
        number = float(label)
    except ValueError:
        return 1, 0.0, label
    return (0, number, label) if np.isfinite(number) else (1, 0.0, label)
