"""Linked tables as one system: shared dimensions, and which codes of each a table shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import HierarchyError, faults_text, listed
from tacita.model.table import Dimension, Sum

_MOST_KEYS = 2**62


@dataclass(frozen=True, slots=True)
class System:
    """The dimensions of linked tables, each joined over all of them, and what each table shows of them.

    `shown[t][d]` are the places of the codes of dimension d that table t shows: those of its own hierarchy, or the
    total alone where the table does not have the dimension. `sums[t][d]` are the sums of table t. A cell is known by
    its key, the number that its codes make when written as digits.
    """

    names: tuple[str, ...]
    dimensions: tuple[Dimension, ...]
    shown: tuple[tuple[NDArray[np.int64], ...], ...]
    sums: tuple[tuple[tuple[Sum, ...], ...], ...]
    radix: tuple[int, ...]

    def key(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the keys of cells from their codes."""
        return codes @ np.array(self.radix, np.int64)

    def codes(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the codes of cells from their keys."""
        sizes = [len(dimension.codes) for dimension in self.dimensions]
        columns = [keys // weight % size for weight, size in zip(self.radix, sizes, strict=True)]
        return np.stack(columns, axis=1).astype(np.int32) if columns else np.zeros((len(keys), 0), np.int32)

    def cross_product(self, table: int) -> NDArray[np.int64]:
        """Return the keys of all combinations of codes that a table shows, in order."""
        keys = np.zeros(1, np.int64)
        for places, weight in zip(self.shown[table], self.radix, strict=True):
            keys = (keys[:, None] + places[None, :] * weight).ravel()
        return np.sort(keys)

    def size(self, table: int) -> int:
        """Return how many combinations of codes a table shows."""
        return int(np.prod([len(places) for places in self.shown[table]], dtype=object))


def linked(tables: Sequence[tuple[str, Sequence[Dimension]]]) -> System:
    """Return the system of named tables with their dimensions; the same variable is one dimension in all of them.

    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> both = linked([("a", [sex, Dimension.flat("age", ["young", "old"])]), ("b", [sex])])
    >>> [each.name for each in both.dimensions], [places.tolist() for places in both.shown[1]]
    (['sex', 'age'], [[0, 1, 2], [0]])
    """
    joined: dict[str, Dimension] = {}
    for _, dimensions in tables:
        for dimension in dimensions:
            joined[dimension.name] = (
                _joined(joined[dimension.name], dimension) if dimension.name in joined else dimension
            )
    everything = tuple(joined.values())
    _check_cover(everything)
    shown, sums = [], []
    for _, dimensions in tables:
        own = {dimension.name: dimension for dimension in dimensions}
        shown.append(
            tuple(
                np.sort(np.array([whole.position(code) for code in own[name].codes], np.int64))
                if name in own
                else np.zeros(1, np.int64)
                for name, whole in joined.items()
            )
        )
        sums.append(tuple(own[name].sums if name in own else () for name in joined))
    radix, size = [], 1
    for dimension in reversed(everything):
        radix.append(size)
        size *= len(dimension.codes)
    if size > _MOST_KEYS:
        raise HierarchyError(
            "the dimensions together have more combinations than can be numbered",
            do="build tables of fewer dimensions, or of coarser codes",
        )
    return System(tuple(name for name, _ in tables), everything, tuple(shown), tuple(sums), tuple(reversed(radix)))


def _joined(first: Dimension, second: Dimension) -> Dimension:
    if first == second:
        return first
    if first.total != second.total:
        raise HierarchyError(
            f"two tables call the total '{first.total}' and '{second.total}'",
            where=f"dimension '{first.name}'",
            do="give both the same total",
        )
    return first.joined(second)


def _check_cover(dimensions: Sequence[Dimension]) -> None:
    """Raise if a sum does not hold exactly the leaves of its total: alternative hierarchies must agree on them."""
    faults = []
    for dimension in dimensions:
        under = dimension.leaves_under()
        for total in dimension.sums:
            covered = [leaf for part in total.parts for leaf in under[part]]
            lacking = sorted(under[total.total].symmetric_difference(covered))
            if lacking:
                parts = f"the sum of '{total.total}' from {listed([repr(part) for part in total.parts], 3)}"
                faults.append(
                    f"dimension '{dimension.name}': {parts} does not hold the same codes as another of its sums; "
                    f"they differ in {listed([repr(code) for code in lacking], 5)}"
                )
            elif len(set(covered)) < len(covered):
                twice = [repr(code) for code in sorted({leaf for leaf in covered if covered.count(leaf) > 1})]
                faults.append(f"dimension '{dimension.name}': '{total.total}' would count {listed(twice, 5)} twice")
    if faults:
        raise HierarchyError(
            faults_text(faults), do="let every hierarchy of a variable have the same leaves, each once"
        )
