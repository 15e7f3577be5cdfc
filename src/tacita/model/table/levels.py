"""What protectors and attackers exchange about cells: status, protection levels, knowledge, movements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Status(IntEnum):
    """The state of a cell in a pattern of suppression; the numbers are stored in arrays of int8."""

    PUBLISHED = 0
    PRIMARY = 1
    """Suppressed because it is sensitive itself."""
    SECONDARY = 2
    """Suppressed so that a sensitive cell cannot be recalculated."""
    FORCED = 3
    """Suppressed because the user said so; it needs no protection of its own."""
    KEPT = 4
    """Published because the user said so, or because it is known anyway; it may not be suppressed."""


WITHHELD = (Status.PRIMARY, Status.SECONDARY, Status.FORCED)
"""The states of cells that are not published, for whatever reason."""


@dataclass(frozen=True, slots=True)
class SensitivityReason:
    """Why a rule finds a cell sensitive, as a sentence with a gap for how much.

    `wording` may hold ``{excess}`` and ``{reached}``, the latter being `limit` minus the excess. It holds no figure of
    the cell besides.

    >>> SensitivityReason("within {reached} %, 10 % are required", 10).sentence(6)
    'within 4 %, 10 % are required'
    """

    wording: str
    limit: float = 0.0

    def sentence(self, excess: float) -> str:
        """Return the sentence for one cell, figures cut to two digits."""
        return self.wording.format(excess=f"{excess:.2g}", reached=f"{max(self.limit - excess, 0):.2g}")


@dataclass(frozen=True, slots=True, repr=False)
class InsiderLevels:
    """What contributors must not learn of cells that they contribute to: levels that replace those of the cell.

    Row r says that, for what `contributor[r]` knows, the interval of sensitive cell `cell[r]` must reach down by
    `lower[r]`, up by `upper[r]`, and be `sliding[r]` wide; all zero: nothing is asked. None is above the level of the
    cell. Rows are in the order of the cells, then of the contributors, each pair once.
    """

    cell: NDArray[np.int64]
    contributor: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    sliding: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.cell)

    def only(self, rows: NDArray[np.bool_]) -> InsiderLevels:
        """Return some of the rows."""
        return InsiderLevels(
            self.cell[rows], self.contributor[rows], self.lower[rows], self.upper[rows], self.sliding[rows]
        )


@dataclass(frozen=True, slots=True, repr=False)
class Levels:
    """The sensitive cells with their protection levels, as distances from the true value.

    The attacker's interval of sensitive cell c must reach down to ``value - lower[c]``, up to ``value + upper[c]``, and
    be at least ``sliding[c]`` wide. `rule[c]` is a number in `rules` (-1: not sensitive); `excess[c]` tells by how much
    the rule is broken, in the rule's own measure (see the rule), and never holds a contribution. `reasons` has one
    sentence for each of `rules`, or is empty.

    The levels hold against everybody. A contributor who alone stands behind some cell knows more than the public, and
    of a cell to which it contributes it must not learn what others gave: where `against` lists the pair, these levels
    count instead. Of cells that are all its own, nothing is asked (`Knowledge.owners`).
    """

    sensitive: NDArray[np.bool_]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    sliding: NDArray[np.float64]
    rule: NDArray[np.int16]
    rules: tuple[str, ...]
    excess: NDArray[np.float64]
    reasons: tuple[SensitivityReason, ...] = ()
    against: InsiderLevels | None = None

    @classmethod
    def none(cls, cells: int) -> Levels:
        """Return levels under which nothing is sensitive."""
        zero = np.zeros(cells)
        return cls(np.zeros(cells, bool), zero, zero, zero, np.full(cells, -1, np.int16), (), zero)

    @classmethod
    def of(
        cls,
        cells: int,
        sensitive: NDArray[np.int64],
        lower: float,
        upper: float,
        rule: str = "given",
        sliding: float = 0,
    ) -> Levels:
        """Return the same levels for each of some cells (numbers); for tests and simple calls."""
        mask = np.zeros(cells, bool)
        mask[sensitive] = True
        return cls(
            mask,
            np.where(mask, lower, 0.0),
            np.where(mask, upper, 0.0),
            np.where(mask, sliding, 0.0),
            np.where(mask, 0, -1).astype(np.int16),
            (rule,),
            np.zeros(cells),
        )


@dataclass(frozen=True, slots=True, repr=False)
class Knowledge:
    """External bounds on every cell, cells known exactly, whether values are whole numbers, and who owns which cell.

    ``lower[c] <= value[c] <= upper[c]`` holds for the true value of each cell (`upper` may be infinite). A cell in
    `known` is known exactly, whether published here or not (an earlier publication, another table). `owners[c]` is the
    contributor who alone stands behind cell c (-1: nobody, or several): that contributor knows the cell exactly, and
    attacks as a coalition of one. `integer` says that every cell is a whole number.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    known: NDArray[np.bool_]
    owners: NDArray[np.int64]
    integer: bool = False

    @classmethod
    def of(cls, cells: int, *, integer: bool = False) -> Knowledge:
        """Return the least knowledge: no cell is negative."""
        return cls(
            np.zeros(cells), np.full(cells, np.inf), np.zeros(cells, bool), np.full(cells, -1, np.int64), integer
        )

    def knowing(self, cells: NDArray[np.bool_]) -> Knowledge:
        """Return the knowledge of an attacker who also knows some cells exactly."""
        return replace(self, known=self.known | cells)

    def within(self, values: NDArray[np.float64], share: float) -> Knowledge:
        """Return the knowledge of an attacker who also knows every cell to within a share of its value."""
        reach = share * np.abs(values)
        return replace(self, lower=np.maximum(self.lower, values - reach), upper=np.minimum(self.upper, values + reach))


class Movement(NamedTuple):
    """Some cells, and by how much each is moved; every sum stays as it is.

    Whoever finds a movement, it proves how far its cells may be from their true values; it is as good as its
    arithmetic, which anybody can check. Internal: it tells true values.
    """

    cells: NDArray[np.int64]
    delta: NDArray[np.float64]
