"""Direct comparison of categories: which cells changed, and how far in the order or meaning of their values."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import listed
from tacita.model.hierarchy import Hierarchy, text_of
from tacita.model.records import Categories, Numbers, Records
from tacita.utility.columns import any_kind, check_pairs, shared_codes
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class DirectComparison:
    """The mean distance of cells, from 0 to 1, and the share of cells that changed.

    The distance of two values is (Domingo-Ferrer and Torra, "Disclosure control methods and information loss for
    microdata", 2001) 0 if they are equal; of ordered categories the places between them, divided by the most there can
    be; of categories with a taxonomy the lowest level at which both have the same label, divided by its height; and 1
    otherwise. A released label of a higher level, as generalisation leaves it, is as far as its level. A cell that
    became missing is 1 away, and so is one that was missing and is not.

    Numbers count as changed or not. A value that has no place in the taxonomy is 1 away from all others, with a note.

    >>> before = Records({"area": Categories.of(["n", "s", "s", "w"])})
    >>> after = Records({"area": Categories.of(["n", "n", None, "w"])})
    >>> DirectComparison().lost(before, after, ["area"]).figure
    0.5
    """

    name: ClassVar[str] = "direct-comparison"
    by_default: ClassVar[bool] = True
    treats: ClassVar[str] = "categories"
    needs_pairs: ClassVar[bool] = True

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the mean distance and the share of changed cells, in all and by attribute."""
        check_pairs(before, after, self.name)
        fitting = any_kind(before, after, attributes)
        single: dict[str, dict[str, float]] = {}
        strange: list[str] = []
        for name in fitting.names:
            column, other = before[name], after[name]
            if isinstance(column, Numbers) and isinstance(other, Numbers):
                same = (column.values == other.values) | (column.missing & other.missing)
                single[name] = {"distance": _mean(~same), "changed": _mean(~same)}
                continue
            one, two, values = shared_codes(before, after, name)
            changed = one != two
            far = changed.astype(float)
            if isinstance(column, Categories) and changed.any():
                pairs, where = np.unique(np.stack([one[changed], two[changed]], axis=1), axis=0, return_inverse=True)
                apart, unknown = _distances(column, values, pairs)
                far[changed] = apart[where.reshape(-1)]
                strange += [name] if unknown else []
            single[name] = {"distance": _mean(far), "changed": _mean(changed)}
        notes = fitting.notes
        if strange:
            notes = (
                *notes,
                f"some values have no place in their taxonomy, and are as far as can be: {listed(strange)}",
            )
        figures = {key: _mean([row[key] for row in single.values()]) for key in ("distance", "changed")}
        return Lost(self.name, figures, single, notes)


def _distances(
    column: Categories, values: tuple[Hashable, ...], pairs: NDArray[np.int64]
) -> tuple[NDArray[np.float64], bool]:
    """Return the distance of each pair of different codes, and whether a value has no place in the taxonomy."""
    far = np.ones(len(pairs))
    known: NDArray[np.bool_] = np.all(pairs >= 0, axis=1)
    if column.hierarchy is not None:
        distances = [
            _semantic(column.hierarchy, values[one], values[two]) if both else 1.0
            for (one, two), both in zip(pairs.tolist(), known, strict=True)
        ]
        return np.array([1.0 if distance is None else distance for distance in distances]), None in distances
    ordered = column.is_ordered & known & (pairs < len(column.values)).all(axis=1)
    if len(column.values) > 1:
        far[ordered] = np.abs(pairs[ordered, 0] - pairs[ordered, 1]) / (len(column.values) - 1)
    return far, False


def _semantic(hierarchy: Hierarchy, one: Hashable, two: Hashable) -> float | None:
    """Return the lowest level at which two values have the same label, as a share of the height; None if unknown."""
    height = hierarchy.height
    first = hierarchy.path(one)
    if first is None or not height:
        return None
    # where the topmost labels still differ, there is a level above them at which all values meet
    whole = hierarchy.share(first[-1], height)
    steps = height + (whole is not None and whole < 1)
    second = hierarchy.path(two)
    if second is not None:
        same = [level for level in range(height + 1) if first[level] == second[level]]
        return same[0] / steps if same else 1.0
    label = text_of(two)
    return first.index(label) / steps if label in first else None


def _mean(values: Sequence[float] | NDArray[np.float64] | NDArray[np.bool_]) -> float:
    return float(np.mean(values)) if len(values) else np.nan
