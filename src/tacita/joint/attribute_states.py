"""What the columns of one attribute may show together: the code in each release that has the attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tacita.joint.evidence import Ints, PartitionColumn

Codes = NDArray[np.int32]
_MOST = 100_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AttributeStates:
    """The combinations of codes that the columns of an attribute may have.

    `codes[s, c]` is the code of state s in column c; `value[s]` numbers the true values: states that can only come of
    one and the same finest value have the same number. `of_groups[g]` is the state of each group with records.
    """

    codes: Codes
    value: Ints
    of_groups: Ints
    is_complete: bool

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of(cls, columns: Sequence[PartitionColumn], of_groups: Codes) -> AttributeStates:
        """Return the states that groups have, and those of every finest value: it is shown, coarsened or suppressed.

        `of_groups[g, c]` is the code of each group with records in each column.
        """
        meanings = [[column.may_be(label) for label in column.labels] for column in columns]
        states = {row: at for at, row in enumerate(dict.fromkeys(map(tuple, of_groups.tolist())))}
        fits = [_fitting(some) for some in meanings]
        any_value = [[code for code, meaning in enumerate(some) if meaning is None] for some in meanings]
        is_complete = True
        for value in sorted({value for fit in fits for value in fit}):
            options = [fit.get(value, []) + free for fit, free in zip(fits, any_value, strict=True)]
            if len(states) + np.prod([float(len(one)) for one in options]) > _MOST:
                is_complete = False
                break
            for row in product(*options):
                states.setdefault(row, len(states))
        numbers: dict[object, int] = {}
        value_of = [numbers.setdefault(_true_value(row, meanings), len(numbers)) for row in states]
        codes = np.array(list(states), np.int32).reshape(len(states), len(columns))
        places = np.array([states[row] for row in map(tuple, of_groups.tolist())], np.int64)
        return cls(codes, np.array(value_of, np.int64), places, is_complete)


def _fitting(meanings: Sequence[frozenset[str] | None]) -> dict[str, list[int]]:
    """Return for each finest value the codes that may stand for it."""
    fitting: dict[str, list[int]] = {}
    for code, meaning in enumerate(meanings):
        for value in meaning or ():
            fitting.setdefault(value, []).append(code)
    return fitting


def _true_value(row: tuple[int, ...], meanings: Sequence[Sequence[frozenset[str] | None]]) -> object:
    """Return the finest value that a state can come of; the state itself if there are several or none."""
    values: frozenset[str] | None = None
    for code, some in zip(row, meanings, strict=True):
        meaning = some[code]
        if meaning is not None:
            values = meaning if values is None else values & meaning
    return next(iter(values)) if values is not None and len(values) == 1 else row
