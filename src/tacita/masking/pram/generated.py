"""PRAM with a matrix that is generated: every value stays with at least a given probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError
from tacita.masking.method import Treated
from tacita.masking.pram.application import applied
from tacita.masking.pram.transitions import Transitions
from tacita.masking.preconditions import each_named_once
from tacita.model.records import Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class GeneratedPram:
    """PRAM whose matrix has a diagonal drawn between a minimum and 1, and the rest of each row spread evenly.

    ``P[k, k]`` is uniform on ``[minimum_diagonal, 1]``, ``P[k, l] = (1 - P[k, k]) / (L - 1)`` for the L values of the
    attribute. With ``same_diagonal`` every value stays with exactly the minimum. It is the first stage of `pram` in
    sdcMicro (its ``pd``); margins are not kept, see `invariant` for that.

    >>> from tacita.model.records import Categories
    >>> firms = Records({"area": Categories.of(["north", "south", "south"])})
    >>> method = GeneratedPram(("area",), publish_matrix=True)
    >>> method.treated(firms, np.random.default_rng(1)).beside["pram area"]
    <Records: 4 of 3 attributes>
    """

    name: ClassVar[str] = "pram-generated"
    promises: ClassVar[str] = "Each value stays with at least the minimum diagonal, independently of all other records."
    limits: ClassVar[str] = (
        "A drawn diagonal may be near 1 and then hardly protects that value; tables of the release are biased until "
        "they are corrected, rare values most."
    )
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    minimum_diagonal: float = 0.8
    same_diagonal: bool = False
    """Whether all values stay with exactly the minimum, instead of a probability drawn above it."""
    publish_matrix: bool = False
    """Whether the matrices are released beside the records, as tables ``pram ATTRIBUTE``."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        checked_diagonal(self.minimum_diagonal)

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with the attributes changed."""
        return applied(
            records,
            self.attributes,
            lambda _, column: Transitions(
                column.values, spread(len(column.values), self.minimum_diagonal, random, same=self.same_diagonal)
            ),
            random,
            progress,
            publish_matrix=self.publish_matrix,
        )


def checked_diagonal(minimum: float) -> None:
    """Raise if a minimum diagonal is no probability."""
    if not 0 <= minimum <= 1:
        raise UsageError("the minimum diagonal is no probability", do="give a number from 0 to 1, such as 0.8")


def spread(count: int, minimum: float, random: np.random.Generator, *, same: bool = False) -> NDArray[np.float64]:
    """Return a matrix with a diagonal of at least a minimum, and the rest of each row spread evenly."""
    if count < 2:
        return np.eye(count)
    stays = np.full(count, minimum) if same else random.uniform(minimum, 1, count)
    matrix = np.repeat((1 - stays)[:, None] / (count - 1), count, axis=1)
    np.fill_diagonal(matrix, stays)
    return matrix
