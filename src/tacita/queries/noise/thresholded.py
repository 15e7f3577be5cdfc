"""Labels that the data decide on: a label is released only if its noisy count reaches a threshold.

Counts of all labels that occur get noise, and those that stay below the threshold are left out (Rogers 2023). One
person has records of at most `records_per_unit` labels, and changes counts by that many in all. Labels that only this
person has are released with a probability of at most delta. What is asked of the released labels afterwards is paid by
itself: the labels are public by then, and the prices add up.

opendp 0.16 releases counts that reach a threshold, and accounts for those above it (its issue 2922): delta is taken
from its account of a threshold that is lower by one.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from tacita.errors import QueryRefused
from tacita.queries.cube.cube import Cube, label_order
from tacita.queries.mechanism import DELTA_UNIT
from tacita.queries.noise.measurements import EPSILON, budget_of, scale_of, wider
from tacita.queries.noise.parts import LARGEST
from tacita.queries.question import Mask

Codes = tuple[int, ...]


def check_threshold(currency: str, records: int, share: int) -> None:
    """Raise if counts could not reach the threshold: this depends on the price alone."""
    if _beyond(scale_of(currency, records, share), records) >= LARGEST:
        raise QueryRefused("the threshold would be beyond every count", do="offer more")


def threshold_measurement(currency: str, records: int, share: int, delta: int) -> tuple[Any, int]:
    """Return the noise for a map of counts, and its threshold: the least one that costs no more than it may."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    budget, most = budget_of(share), Fraction(delta, DELTA_UNIT)
    scale = scale_of(currency, records, share)
    counts = dp.map_domain(dp.atom_domain(T="String"), dp.atom_domain(T="i64"))
    distance = dp.absolute_distance(T="i64")
    is_pure = currency == EPSILON
    space = counts, (dp.l01inf_distance(distance) if is_pure else dp.l02inf_distance(distance))
    make: Any = dp.m.make_laplace_threshold if is_pure else dp.m.make_gaussian_threshold
    change = (records, records, records)
    """Labels whose counts one person changes, by how much in all (by either norm), and the count of one label."""

    def account(threshold: int) -> tuple[float, float]:
        cost, chance = make(*space, scale=scale, threshold=threshold - 1).map(change)
        return cost, chance

    while account(_beyond(scale, records))[0] > budget:
        scale = wider(scale)
    threshold = _least(lambda one: Fraction(account(one)[1]) <= most, records + 1, _beyond(scale, records))
    return make(*space, scale=scale, threshold=threshold), threshold


def _beyond(scale: float, records: int) -> int:
    """Return a threshold that is larger than any that is needed: delta is far below its unit there."""
    return records + math.ceil(50 * max(scale, 1.0) * (1 + math.log(records)))


def _least(holds: Any, below: int, above: int) -> int:
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    return above


class OccurringLabels:
    """The combinations of codes that occur among some cells: which ones, is a fact of the data."""

    def __init__(self, cube: Cube, names: tuple[str, ...], selected: Mask) -> None:
        self._cube, self._names = cube, names
        codes = np.stack([cube.codes[name][selected] for name in names], axis=1)
        different, which = np.unique(codes, axis=0, return_inverse=True)
        self._place: dict[Codes, int] = {tuple(one): place for place, one in enumerate(different.tolist())}
        self._of_cell = np.full(len(cube), -1, np.int64)
        self._of_cell[selected] = which.reshape(-1)
        self._counts = np.zeros(len(different), np.int64)
        np.add.at(self._counts, which.reshape(-1), cube.n[selected])

    def released(self, measurement: Any) -> dict[Codes, int]:
        """Return the combinations that reach a threshold, in the order of their labels, with their noisy counts.

        Codes would not do as an order: those of labels that came with a later version are the last, so that the order
        told which labels somebody had before.
        """
        keys = {",".join(map(str, codes)): codes for codes in sorted(self._place, key=self._order)}
        noisy = measurement(dict(zip(keys, self._counts.tolist(), strict=True)))
        return {codes: int(noisy[key]) for key, codes in keys.items() if key in noisy}

    def _order(self, codes: Codes) -> tuple[object, ...]:
        unlisted = self._cube.policy.unlisted
        return tuple(
            label_order(self._cube.attribute(name).labels[code]) if name in unlisted else code
            for name, code in zip(self._names, codes, strict=True)
        )

    def cells(self, codes: Codes) -> Mask:
        """Return the cells of a combination."""
        return np.asarray(self._of_cell == self._place[codes])
