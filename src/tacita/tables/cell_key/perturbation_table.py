"""The perturbation table of the cell key method: how a count changes, with what probability, at the highest entropy.

For each count i the change v has the distribution of the largest entropy among those with

    E v = 0 (no bias),  E v^2 = V (the noise),  -D <= v <= D,  i + v >= 0,  i + v not in 1..js,

optionally with a given probability of no change, and, as long as no change is possible at all, with p(v) not falling
from the lowest change up to none (larger changes are not more likely than smaller ones). From ``D`` on (``D + js + 1``
with a threshold) the distributions are all the same. Zero stays zero.

Source: Fraser and Wooton, "A proposed method for confidentialising tabular output to protect against differencing"
(2005); Giessing, "Computational issues in the design of transition probabilities and disclosure risk estimation for
additive noise" (2016).

The maximum is found in the dual: p is of the exponential family over the constraints' left-hand sides, and the
multipliers minimise a convex function of two to a dozen variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, faults_text, listed
from tacita.model.table import Table
from tacita.tables.usable import require_usable

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PerturbationTable:
    """The distribution of the change for each count 0, 1, ..., `largest_count` and more.

    `probabilities[i, v + D]` is the probability that a count of i (or more, in the last row) changes by v.
    `relaxed` are the counts that do not have the variance asked for.
    """

    maximum: int
    variance: float
    smallest: int
    probabilities: Reals
    relaxed: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        sums = self.probabilities.sum(axis=1)
        below = [i for i, row in enumerate(self.probabilities) if (row[: max(self.maximum - i, 0)] > 0).any()]
        if self.probabilities.shape[1] != 2 * self.maximum + 1 or below or np.abs(sums - 1).max() > 1e-9:
            raise UsageError(
                "the rows are no distributions over changes that leave every count at zero or more",
                where="perturbation table",
                do="give each count probabilities that sum to one",
            )

    @property
    def largest_count(self) -> int:
        """The count from which on all distributions are the same."""
        return len(self.probabilities) - 1

    def changes(self, counts: NDArray[np.int64], shares: Reals) -> NDArray[np.int64]:
        """Return the change of each count, looked up by the cell's key as a share of one.

        The keys in [0, p(-D)) mean the change -D, those in the next p(-D + 1) mean -D + 1, and so on.

        >>> design(3, 1.0).changes(np.array([0, 1, 1, 50]), np.array([0.5, 0.3, 0.95, 0.999])).tolist()
        [0, -1, 2, 3]
        """
        rows = np.minimum(counts, self.largest_count)
        ends = np.cumsum(self.probabilities, axis=1)
        ends[:, -1] = 1.0
        # The last change that can happen takes the keys that rounding errors would leave to impossible ones.
        last = self.probabilities.shape[1] - 1 - np.argmax(self.probabilities[:, ::-1] > 0, axis=1)
        places = (shares[:, None] >= ends[rows]).sum(axis=1)
        return np.asarray(np.minimum(places, last[rows]) - self.maximum, np.int64)


def design(
    maximum: int,
    variance: float,
    *,
    smallest: int = 0,
    stay: float | Mapping[int, float] | None = None,
    monotone: bool = True,
    relax: bool = False,
) -> PerturbationTable:
    """Return the perturbation table of the highest entropy for a maximum change D and a variance V.

    `smallest` is js, the largest positive count that may never be published. `stay` is the probability of no change,
    for all counts or for some. Combinations that no distribution meets are refused, all of them at once; with `relax`
    the counts concerned have neither the variance nor the probability of no change, and are named in the result.

    >>> table = design(3, 1.0)
    >>> table.probabilities[1].round(6).tolist()
    [0.0, 0.0, 0.369882, 0.369882, 0.17106, 0.068704, 0.020471]
    >>> design(1, 2.0)
    Traceback (most recent call last):
    tacita.errors.UsageError: perturbation table: no distribution with mean 0 and variance 2 on changes -1..1...
    """
    _require(maximum, variance, smallest, stay)
    last = maximum + (smallest + 1 if smallest else 0)
    rows = np.zeros((last + 1, 2 * maximum + 1))
    rows[0, maximum] = 1.0
    faults, relaxed = [], []
    for count in range(1, last + 1):
        chance = stay.get(count) if isinstance(stay, Mapping) else stay
        changes = np.array([v for v in range(-maximum, maximum + 1) if count + v == 0 or count + v > smallest])
        solution = _largest_entropy(changes, variance, chance, monotone)
        if solution is None and relax:
            solution = _largest_entropy(changes, None, None, monotone)
            relaxed.append(count)
        if solution is None:
            faults.append(_fault(count, changes, variance, chance, monotone))
        else:
            rows[count, solution[0] + maximum] = solution[1]
    if faults:
        raise UsageError(
            faults_text(faults),
            where="perturbation table",
            do="choose a variance nearer to what the maximum change allows, a larger maximum, a smaller threshold or "
            "another probability of no change; or let these counts have another variance (relax)",
        )
    return PerturbationTable(maximum, variance, smallest, rows, tuple(relaxed))


def _require(maximum: int, variance: float, smallest: int, stay: float | Mapping[int, float] | None) -> None:
    faults = []
    if maximum < 1:
        faults.append(f"the maximum change is {maximum}, not 1 or more")
    if not variance > 0 or not np.isfinite(variance):
        faults.append(f"the variance is {variance}, not a number above 0")
    if smallest < 0 or smallest >= maximum:
        faults.append(f"the threshold is {smallest}, not in 0..{maximum - 1}")
    given = stay.values() if isinstance(stay, Mapping) else () if stay is None else (stay,)
    faults.extend(f"the probability of no change is {value}, not in [0, 1)" for value in given if not 0 <= value < 1)
    if faults:
        raise UsageError(faults_text(faults), where="perturbation table", do="mend the parameters")


def _fault(count: int, changes: NDArray[np.int64], variance: float, stay: float | None, monotone: bool) -> str:
    holes = "" if len(changes) == changes[-1] - changes[0] + 1 else " without those below the threshold"
    also = "" if stay is None else f" and probability {stay:g} of no change"
    rising = ", not falling up to no change," if monotone else ""
    return (
        f"no distribution with mean 0 and variance {variance:g} on changes {changes[0]}..{changes[-1]}{holes}"
        f"{rising}{also} exists for a count of {count}"
    )


def _largest_entropy(
    changes: NDArray[np.int64], variance: float | None, stay: float | None, monotone: bool
) -> tuple[NDArray[np.int64], Reals] | None:
    """Return the distribution of the largest entropy over the changes, or None when none meets the constraints."""
    from scipy.optimize import linprog

    if stay == 0:
        changes = changes[changes != 0]
    v = changes.astype(np.float64)
    equal, targets = [v], [0.0]
    if variance is not None:
        equal.append(v**2)
        targets.append(variance)
    if stay and (changes == 0).any():
        equal.append((changes == 0).astype(np.float64))
        targets.append(stay)
    upto = np.flatnonzero(changes <= 0) if monotone and (changes == 0).any() else np.zeros(0, np.int64)
    rising = np.zeros((max(len(upto) - 1, 0), len(v)))
    for row, place in enumerate(upto[:-1]):
        rising[row, place], rising[row, place + 1] = -1.0, 1.0
    # The exponential family gives every change a chance: ask for a distribution that does.
    least = linprog(
        np.append(np.zeros(len(v)), -1.0),
        A_ub=np.vstack(
            (np.column_stack((-rising, np.zeros(len(rising)))), np.column_stack((-np.eye(len(v)), np.ones(len(v)))))
        ),
        b_ub=np.zeros(len(rising) + len(v)),
        A_eq=np.column_stack((np.vstack((np.ones(len(v)), *equal)), np.zeros(len(equal) + 1))),
        b_eq=np.array((1.0, *targets)),
    )
    if least.status != 0 or -least.fun < 1e-9:
        return None
    return changes, _exponential(np.array(equal), np.array(targets), rising)


def _exponential(equal: Reals, targets: Reals, rising: Reals) -> Reals:
    """Return p proportional to exp(multipliers . constraints) that meets them: the minimum of the convex dual.

    Inequalities have multipliers at or above zero. The bounded minimum is found roughly, then Newton's method on the
    equalities and the inequalities that bind makes it exact; of those, the ones that should not bind are let go.
    """
    from scipy.optimize import minimize

    constraints = np.vstack((equal, rising))
    aims = np.concatenate((targets, np.zeros(len(rising))))

    def family(multipliers: Reals, used: Reals) -> Reals:
        exponents = multipliers @ used
        weights = np.exp(exponents - exponents.max())
        return np.asarray(weights / weights.sum())

    def dual(multipliers: Reals) -> tuple[float, Reals]:
        exponents = multipliers @ constraints
        top = exponents.max()
        weights = np.exp(exponents - top)
        value = top + np.log(weights.sum()) - multipliers @ aims
        return float(value), np.asarray(constraints @ (weights / weights.sum()) - aims)

    bounds = [(None, None)] * len(equal) + [(0.0, None)] * len(rising)
    rough = minimize(
        dual, np.zeros(len(aims)), jac=True, bounds=bounds, method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 50000, "ftol": 1e-16, "gtol": 1e-11},
    ).x  # fmt: skip
    binding = np.concatenate((np.ones(len(equal), bool), rough[len(equal) :] > 1e-7))
    while True:
        used, aim, multipliers = constraints[binding], aims[binding], rough[binding]
        for _ in range(60):
            p = family(multipliers, used)
            off = used @ p - aim
            if np.abs(off).max() < 1e-14:
                break
            spread = (used * p) @ used.T - np.outer(used @ p, used @ p)
            multipliers = multipliers - np.linalg.lstsq(spread, off, rcond=None)[0]
        slack = rising @ p
        missed = np.flatnonzero((slack < -1e-12) & ~binding[len(equal) :])
        if not len(missed):
            return p
        binding[len(equal) + missed] = True


@dataclass(frozen=True, slots=True)
class Perturbed:
    """Counts with noise: `largest` and `total` are the largest and the summed absolute change. No key is in here."""

    values: NDArray[np.float64]
    largest: float
    total: float
    notes: tuple[str, ...]


def perturb(table: Table, keys: NDArray[np.uint64], design: PerturbationTable) -> Perturbed:
    """Return a table of counts with the noise that each cell's key stands for.

    The same records have the same noise in every table (their cell key is the same), so that averaging or differencing
    many tables gains nothing. Sums do not add up exactly: each cell is as near to the truth as its own noise.

    >>> from tacita.model.table import Dimension, Equations
    >>> from tacita.tables.cell_key.perturbation_table import design
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> codes = np.arange(3, dtype=np.int32).reshape(-1, 1)
    >>> table = Table("people", (sex,), codes, np.array([9.0, 4, 5]), Equations.of([(0, (1, 2))]), is_count=True)
    >>> perturb(table, np.array([0, 2**62, 2**63 + 2**62], np.uint64), design(3, 1.0)).values.tolist()
    [6.0, 3.0, 6.0]
    """
    if not table.is_count:
        raise UsageError(
            "cell keys are for tables of counts",
            where=f"table '{table.name}'",
            do="use suppression, adjustment or controlled rounding for magnitudes",
        )
    require_usable(table, whole=True, nonnegative=True)
    if len(keys) != len(table):
        raise InputError(
            f"{len(keys):,} cell keys for {len(table):,} cells", where=f"table '{table.name}'", do="give one per cell"
        )
    shares = (keys >> np.uint64(11)).astype(np.float64) * 2.0**-53
    changes = design.changes(table.values.astype(np.int64), shares)
    notes = ["sums of perturbed counts need not add up: every cell has its own noise"]
    if design.relaxed:
        notes.append(f"counts of {listed(design.relaxed)} have another variance than the others")
    return Perturbed(
        table.values + changes, float(np.abs(changes).max(initial=0)), float(np.abs(changes).sum()), tuple(notes)
    )
