"""Ways to name the unusual target. They disagree, so a promise has to say against which of them it is made.

The first three are those of the literature: by Kullback-Leibler distance, by exposure (distance times the share of the
target), by Bayes factor. The others belong to an observer who has read the policy: the gate keeps somebody else at the
top, holds records back, or makes a target fit too well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, xlogy
from scipy.stats import chi2

from tacita.attacks.observer.observation import Figures, Observation
from tacita.errors import UsageError, did_you_mean

_NOT_SEEN = -np.inf


def distance(seen: Observation) -> Figures:
    """Return the distance of each target's values to the baseline, in bits."""
    totals = np.maximum(seen.totals, 1)[:, None]
    shares = seen.counts / totals
    return np.asarray((xlogy(shares, shares) - xlogy(shares, seen.baseline)).sum(axis=1) / np.log(2))


def exposure(seen: Observation) -> Figures:
    """Return the distance of each target times its share of all records."""
    return np.asarray(distance(seen) * seen.totals / max(int(seen.counts.sum()), 1))


def bayes_factor(seen: Observation, concentration: float | None = None) -> Figures:
    """Return the log Bayes factor of each target: a Dirichlet prior around the baseline, against the baseline."""
    k = concentration or 2.0 * (len(seen.baseline) - 1)
    alpha = k * seen.baseline
    marginal = gammaln(alpha + seen.counts).sum(axis=1) - gammaln(alpha).sum()
    marginal += gammaln(k) - gammaln(k + seen.totals)
    return np.asarray(marginal - xlogy(seen.counts, seen.baseline).sum(axis=1))


def second_distance(seen: Observation) -> Figures:
    """Return the distances with the largest one left out: the gate lets somebody else be the first."""
    distances = _seen_only(seen, distance(seen))
    distances[int(np.argmax(distances))] = _NOT_SEEN
    return distances


def fewest(seen: Observation) -> Figures:
    """Return how few records were released: an unusual target is held back."""
    return -seen.totals.astype(np.float64)


def smallest_share(seen: Observation) -> Figures:
    """Return how small a share of each target was released; for observers who know the sizes."""
    assert seen.sizes is not None, "who does not know the sizes does not know the shares"
    return np.asarray(-seen.totals / np.maximum(seen.sizes, 1))


def too_close(seen: Observation) -> Figures:
    """Return how unlikely it is that a target drawn from the baseline fits it as well: chance does not fit so well."""
    statistic = 2 * np.log(2) * seen.totals * distance(seen)
    return np.asarray(-chi2.cdf(statistic, len(seen.baseline) - 1))


OBSERVERS: dict[str, Callable[[Observation], Figures]] = {
    "distance": distance,
    "exposure": exposure,
    "bayes-factor": bayes_factor,
    "second-distance": second_distance,
    "fewest-records": fewest,
    "smallest-share": smallest_share,
    "too-close": too_close,
}
"""The ways by name; each gives a figure for each target, and names the target with the largest one."""
NEEDS_SIZES = frozenset({"smallest-share"})


@dataclass(frozen=True, slots=True)
class Naming:
    """Whom an observer names, and how clearly."""

    observer: str
    target: str
    score: float
    runner_up: str
    runner_up_score: float
    chance: float
    """How often a guess among the targets that were seen would be right."""


def name_targets(seen: Observation, observers: Iterable[str] | None = None) -> tuple[Naming, ...]:
    """Return whom each observer names; those that need sizes are left out if these are not known.

    >>> seen = Observation(("L1", "L2", "L3"), np.array([[5, 5], [9, 1], [6, 4]]), np.array([0.5, 0.5]))
    >>> [(one.observer, one.target) for one in name_targets(seen, ["distance", "second-distance", "too-close"])]
    [('distance', 'L2'), ('second-distance', 'L3'), ('too-close', 'L1')]
    """
    names = list(OBSERVERS) if observers is None else list(observers)
    if unknown := [name for name in names if name not in OBSERVERS]:
        raise UsageError(
            f"no observer '{unknown[0]}'{did_you_mean(unknown[0], OBSERVERS)}", do=f"use {', '.join(OBSERVERS)}"
        )
    present = int((seen.totals > 0).sum())
    if present < 2:
        return ()
    namings = []
    for name in names:
        if name in NEEDS_SIZES and seen.sizes is None:
            continue
        scores = _seen_only(seen, OBSERVERS[name](seen))
        first, second = (int(place) for place in np.argsort(-scores, kind="stable")[:2])
        namings.append(
            Naming(
                name,
                seen.targets[first],
                float(scores[first]),
                seen.targets[second],
                float(scores[second]),
                1 / present,
            )
        )
    return tuple(namings)


def _seen_only(seen: Observation, scores: Figures) -> Figures:
    """Return scores with those of targets without records put last."""
    return np.where(seen.totals > 0, scores, _NOT_SEEN)
