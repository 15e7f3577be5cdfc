"""How selective the combinations of quasi-identifiers are: what makes a survey W, U or V.

A *cell* is a combination of Area, Sector, Employees and Residential Rev. Cells fall in two parts:

* the **common** cells: those to which a product-like model gives at least ``COMMON_LEAST`` probability; there
  are 189 of them, and every survey of 6,000 tuples or more fills them;
* the **selective** cells: the combinations of common values that are left, and everything in niche sectors.

A survey of ``n`` tuples draws from the mixture ``(1 - s) * common + s * selective``. The selective part is
uniform over ``s * n / m`` cells, so that each holds Poisson(``m``) tuples whatever ``n`` is: the share of
tuples that are sample uniques is ``s * exp(-m)``, and the share with a frequency under 5 is
``s * P(Poisson(m) <= 3)``. A larger survey has more niche sectors, as a larger survey publishes finer
classes. U and V move a share of the tuples of W to further selective cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tacita.generators.firm_attributes import AREAS, COMMON_SECTORS, EMPLOYEES, REVENUE
from tacita.generators.stream import random_stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

COMMON_LEAST = 0.0015
"""A common cell expects 9 of 6,000 tuples, or more."""


class Selective(NamedTuple):
    """A share of the tuples, spread so that each selective cell expects ``mean`` of them."""

    share: float
    mean: float


OWN = Selective(share=0.0065, mean=3.0)
"""The tail that a real survey has: W."""
MOVED = {"W": Selective(0.0, 1.0), "U": Selective(0.008, 1.5), "V": Selective(0.035, 1.2)}
"""What is moved out of W's cells."""

_AREA = (0.46, 0.24, 0.20, 0.10)
_SECTOR = (0.17, 0.13, 0.12, 0.11, 0.11, 0.10, 0.08, 0.07, 0.06, 0.05)
_EMPLOYEES = (0.52, 0.31, 0.17)
_REVENUE = ((0.62, 0.25, 0.09, 0.04), (0.40, 0.33, 0.17, 0.10), (0.22, 0.24, 0.26, 0.28))
_LARGE_FIRST = (1.0, 2.0, 4.0)
"""How much more often a selective cell is one of large firms."""


@dataclass(frozen=True)
class Mixture:
    """The distribution of one survey over cells; a cell is a number, which ``parts`` takes apart."""

    niches: int
    common: NDArray[np.int64]
    common_cumulative: NDArray[np.float64]
    own: NDArray[np.int64]
    moved: NDArray[np.int64]
    moved_share: float

    @classmethod
    def of_survey(cls, rows: int, distribution: str, seed: int) -> Mixture:
        """Return the mixture of a survey of that many tuples."""
        niches = -(-rows // 1_000)
        probability = _model(niches)
        common = np.flatnonzero(probability >= COMMON_LEAST)
        cumulative = np.cumsum(probability[common])
        selective = _selective_cells(niches, common, seed)
        move = MOVED[distribution]
        own = max(1, round(OWN.share * rows / OWN.mean))
        moved = max(1, round(move.share * rows / move.mean))
        return cls(
            niches,
            common,
            cumulative / cumulative[-1],
            selective[:own],
            selective[own : own + moved],
            move.share,
        )

    @property
    def cells(self) -> int:
        """The number of cells there could be."""
        return len(AREAS) * (len(COMMON_SECTORS) + self.niches) * len(EMPLOYEES) * len(REVENUE)

    def draw(self, rows: int, base: np.random.Generator, move: np.random.Generator) -> NDArray[np.int64]:
        """Return one cell per tuple: first as W, from ``base``; then some are moved, by ``move``.

        With the same two streams, W, U and V differ in the moved tuples only.
        """
        cells = self.common[np.searchsorted(self.common_cumulative, base.random(rows), side="right")]
        _put(cells, self.own, OWN.share, base)
        _put(cells, self.moved, self.moved_share, move)
        return cells

    def probability(self) -> NDArray[np.float64]:
        """Return the probability of every cell."""
        probability = np.zeros(self.cells)
        probability[self.common] = np.diff(self.common_cumulative, prepend=0.0) * (1 - OWN.share)
        probability[self.own] += OWN.share / len(self.own)
        probability *= 1 - self.moved_share
        probability[self.moved] += self.moved_share / max(1, len(self.moved))
        return probability

    def parts(self, cells: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """Return the four quasi-identifiers of cells, as codes."""
        strata, revenue = np.divmod(cells, len(REVENUE))
        places, employees = np.divmod(strata, len(EMPLOYEES))
        area, sector = np.divmod(places, len(COMMON_SECTORS) + self.niches)
        return {"Area": area, "Sector": sector, "Employees": employees, "Residential Rev.": revenue}


def _put(cells: NDArray[np.int64], chosen: NDArray[np.int64], share: float, random: np.random.Generator) -> None:
    """Move a share of the tuples, in place, to the chosen cells."""
    uniform, target = random.random((2, len(cells)))
    movers = np.flatnonzero(uniform < share)
    if movers.size:
        cells[movers] = chosen[(target[movers] * len(chosen)).astype(np.int64)]


def _model(niches: int) -> NDArray[np.float64]:
    """Return the product-like model over all cells: revenue depends on the number of employees."""
    sector = np.array(_SECTOR + (0.0,) * niches)
    model: NDArray[np.float64] = np.einsum("a,s,e,er->aser", _AREA, sector, _EMPLOYEES, _REVENUE)
    return model.ravel()


def _selective_cells(niches: int, common: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Return the cells outside the common ones in random order, those of large firms rather first."""
    shape = (len(AREAS), len(COMMON_SECTORS) + niches, len(EMPLOYEES), len(REVENUE))
    weight = np.broadcast_to(np.array(_LARGE_FIRST)[:, None], shape).ravel()
    # An exponential race: its order of arrival is a drawing without replacement in proportion to the weight.
    arrival = random_stream(seed, "selective cells", niches).exponential(size=weight.size) / weight
    arrival[common] = np.inf
    return np.argsort(arrival)[: weight.size - common.size]
