"""Random orthogonal matrix masking: records are mixed so that means and covariances stay exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.draws import standard_normal
from tacita.errors import InputError, UsageError, counted
from tacita.masking.method import Treated
from tacita.masking.noise.moments import constants, variances
from tacita.masking.preconditions import between, each_named_once, finite_columns
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent

Array = NDArray[np.float64]
_AT_ONCE = 2_000


@dataclass(frozen=True, slots=True)
class OrthogonalMasking:
    """Blocks of records, drawn at random, are multiplied by a random orthogonal matrix that keeps the vector of ones.

    T = 11'/m + B Q B' for a block of m records, where B is an orthonormal basis of what adds up to zero and Q is the
    orthogonal factor of I + strength * N, N of standard normal numbers. As T'T = I and T1 = 1, the sums of X and the
    cross-products X'X of every block stay, and with them all means, variances, covariances and linear regressions among
    the attributes, exactly up to rounding. With a strength near 0 values hardly move; with a large one all rotations
    are equally likely and a record is a mixture of its block.

    The original takes one matrix for all records, which needs the cube of their number in time; blocks take the same
    effect to files of any size. Released values are not bounded by the original ones.

    Source: D. Ting, S. Fienberg and M. Trottini, Random orthogonal matrix masking methodology for microdata release,
    International Journal of Information and Computer Security 2 (2008).

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"turnover": Numbers.of([10.0, 20.0, 60.0, 14.0])})
    >>> found = OrthogonalMasking(("turnover",), strength=0.3).treated(firms, np.random.default_rng(1)).records
    >>> masked = found.numbers("turnover").values
    >>> bool(np.isclose(masked.mean(), 26)), bool(np.isclose(masked.std(), firms.numbers("turnover").values.std()))
    (True, True)
    """

    name: ClassVar[str] = "orthogonal-masking"
    promises: ClassVar[str] = "Means, variances and covariances of the attributes are kept exactly."
    limits: ClassVar[str] = "Distributions change their form, and values beyond the range of the original may appear."
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    strength: float = 0.1
    """How far from no change the rotations are drawn."""
    block: int = 50
    """How many records are mixed with each other."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        between(self.strength, 0, math.inf, "strength")
        if not 3 <= self.block <= 500:
            raise UsageError("'block' is not between 3 and 500", do="give a number of records such as 50")

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records, mixed within blocks."""
        columns = finite_columns(records, self.attributes)
        for name, column in zip(self.attributes, columns, strict=True):
            if absent := int(np.isnan(column).sum()):
                raise InputError(
                    f"'{name}' has {counted(absent, 'missing value')}, and a mixture needs all values",
                    do="fill them in first, or use 'noise-with-linear-transformation'",
                )
        if len(records) < 3:
            raise InputError("fewer than three records cannot be mixed", do="treat more records together")
        spread = variances(columns, self.attributes)
        order = random.permutation(len(records))
        values = columns.T[order]
        size = min(self.block, len(records))
        # The last block takes what is left over, so that none is smaller than the others.
        whole = len(records) // size - 1
        for start in range(0, whole, _AT_ONCE):
            progress(Step(self.name, start, whole + 1))
            count = min(_AT_ONCE, whole - start)
            part = slice(start * size, (start + count) * size)
            mixed = _mixed(values[part].reshape(count, size, -1), self.strength, random)
            values[part] = mixed.reshape(count * size, -1)
        values[whole * size :] = _mixed(values[None, whole * size :], self.strength, random)[0]
        rotated = np.empty_like(values)
        rotated[order] = values
        return Treated.in_place(records.with_matrix(self.attributes, rotated), notes=constants(spread, self.attributes))


def _mixed(blocks: Array, strength: float, random: np.random.Generator) -> Array:
    """Return blocks (block, record, attribute) multiplied by random orthogonal matrices that keep the vector of ones.

    T X = 1 mean' + B Q B' X: the contrasts of a block are rotated, and its mean stays.
    """
    from tacita.arithmetic.orthogonal import contrasts, factored, from_contrasts, products

    count, size, _ = blocks.shape
    drawn = np.eye(size - 1) + strength * standard_normal((count, size - 1, size - 1), random)
    # The factor is unique with a positive diagonal; only then does it tend to no change as the strength tends to 0.
    turned = products(factored(drawn)[0], contrasts(blocks))
    return np.asarray(blocks.mean(axis=1, keepdims=True) + from_contrasts(turned))
