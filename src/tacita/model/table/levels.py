"""What must stay unknown: the sensitive cells, and how far an attacker's interval must reach around each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SensitivityReason:
    """Why a rule finds a cell sensitive, as a sentence with a gap for how much.

    `wording` may hold ``{excess}`` and ``{reached}``, the latter being `limit` minus the excess. It holds no figure of
    the cell besides.

    >>> SensitivityReason("within {reached} %, 10 % are required", 10).told(6)
    'within 4 %, 10 % are required'
    """

    wording: str
    limit: float = 0.0

    def told(self, excess: float) -> str:
        """Return the sentence for one cell, figures cut to two digits."""
        return self.wording.format(excess=f"{excess:.2g}", reached=f"{max(self.limit - excess, 0):.2g}")


@dataclass(frozen=True, slots=True)
class Levels:
    """The sensitive cells with their protection levels, as distances from the true value.

    The attacker's interval of sensitive cell c must reach down to ``value - lower[c]``, up to ``value + upper[c]``, and
    be at least ``sliding[c]`` wide. `rule[c]` is a number in `rules` (-1: not sensitive); `excess[c]` tells by how much
    the rule is broken, in the rule's own measure (see the rule), and never holds a contribution. `reasons` has one
    sentence for each of `rules`, or is empty.
    """

    sensitive: NDArray[np.bool_]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    sliding: NDArray[np.float64]
    rule: NDArray[np.int16]
    rules: tuple[str, ...]
    excess: NDArray[np.float64]
    reasons: tuple[SensitivityReason, ...] = ()

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
