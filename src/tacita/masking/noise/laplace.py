"""Laplace noise from opendp, on whole numbers: what differential privacy needs, and no arithmetic that could spoil it.

A value between its bounds is put on a grid of 2^32 steps. Whole numbers have exact sums and exact sensitivities, and
opendp's discrete Laplace distribution is exact as well; floating-point noise has holes that tell the value (I. Mironov,
On significance of the least significant bits for differential privacy, CCS 2012). The noise is drawn from the secure
source of opendp and cannot be repeated: a seed would be a key to the data.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted, listed
from tacita.progress import Progress, Step, silent

STEPS = 2**32
_AT_ONCE = 50_000

Bounds = tuple[float, float]
Whole = NDArray[np.int64]


def with_laplace_noise(
    values: Whole, sensitivity: int, epsilon: float, progress: Progress = silent, doing: str = ""
) -> Whole:
    """Return whole numbers with noise that makes them epsilon-differentially private.

    `sensitivity` is the most by which the sum of absolute differences of all values together can change when one record
    changes.
    """
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    scale = sensitivity / epsilon
    measurement: Any = dp.m.make_laplace(*space, scale=scale)
    while measurement.map(sensitivity) > epsilon:  # rounding must not spend more than there is
        scale = math.nextafter(scale, math.inf)
        measurement = dp.m.make_laplace(*space, scale=scale)
    # The noise of the values is independent: in parts the result is distributed as it would be at once.
    scaled = np.empty(len(values), dtype=np.int64)
    for start in range(0, len(values), _AT_ONCE):
        progress(Step(doing, start, len(values)))
        scaled[start : start + _AT_ONCE] = measurement(values[start : start + _AT_ONCE].tolist())
    return scaled


def on_the_grid(values: NDArray[np.float64], bounds: Bounds) -> Whole:
    """Return values, moved to the bounds where they lie beyond, as whole numbers from 0 to 2^32.

    >>> on_the_grid(np.array([-5.0, 50.0, 1000.0]), (0, 100)).tolist()
    [0, 2147483648, 4294967296]
    """
    lower, upper = bounds
    share = (np.clip(values, lower, upper) - lower) / (upper - lower)
    return np.rint(np.clip(share, 0, 1) * STEPS).astype(np.int64)


def off_the_grid(values: NDArray[np.float64], bounds: Bounds) -> NDArray[np.float64]:
    """Return numbers of steps as values again."""
    lower, upper = bounds
    return lower + values / STEPS * (upper - lower)


def checked_bounds(bounds: Mapping[str, Bounds], method: str) -> Mapping[str, Bounds]:
    """Return bounds as they are kept in a method, or raise."""
    if not bounds:
        raise UsageError(
            f"'{method}' has no bounds", do="give bounds for each attribute: bounds = { income = [0, 9000] }"
        )
    wrong = [name for name, (low, high) in bounds.items() if not (low < high and math.isfinite(high - low))]
    if wrong:
        raise UsageError(
            f"the bounds of {listed(wrong)} are no interval", do="give a finite lower bound below a finite upper bound"
        )
    return MappingProxyType({name: (float(low), float(high)) for name, (low, high) in bounds.items()})


def epsilon_of_each(epsilon: float, shares: Mapping[str, float] | None, names: Sequence[str]) -> dict[str, float]:
    """Return the part of epsilon that each attribute gets: equal ones, or in proportion to `shares`.

    The parts never add up to more than epsilon.

    >>> epsilon_of_each(1.0, {"income": 3, "age": 1}, ["income", "age"])
    {'income': 0.75, 'age': 0.25}
    """
    if not 1e-6 <= epsilon <= 1e6:
        raise UsageError(
            "'epsilon' is not between 1e-6, which leaves only noise, and 1e6, which leaves none",
            do="give an epsilon such as 1.0",
        )
    given = dict.fromkeys(names, 1.0) if shares is None else {name: float(share) for name, share in shares.items()}
    if set(given) != set(names) or not all(math.isfinite(share) and share > 0 for share in given.values()):
        raise UsageError(
            "'shares' are not a number above 0 for each attribute", do="give each attribute of 'bounds' one"
        )
    whole = math.fsum(given.values())
    parts = {name: epsilon * given[name] / whole for name in names}
    while math.fsum(parts.values()) > epsilon:  # rounding must not spend more than there is
        parts = {name: math.nextafter(part, 0) for name, part in parts.items()}
    return parts


def refused(missing: int, name: str) -> InputError:
    """Return the error for missing values, whose places differential privacy would not cover."""
    return InputError(
        f"'{name}' has {counted(missing, 'missing value')}, and noise does not hide which values are missing",
        do="fill them in first, or say missing = 'shown' if it may be known whose values are missing",
    )
