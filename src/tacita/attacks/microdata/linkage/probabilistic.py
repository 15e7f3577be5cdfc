"""Linkage by probability: whoever is most likely the person behind a released record is taken for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.linkage.comparisons import AttributeComparison, comparison_of
from tacita.attacks.microdata.linkage.links import Floats, Links, scored_links, true_pairs
from tacita.attacks.microdata.linkage.splinking import WeighedPairs, weighed
from tacita.attacks.microdata.nearest import distinct
from tacita.attacks.microdata.score import (
    check_count,
    check_seed,
    lacking,
    left_out,
    require,
)
from tacita.attacks.microdata.space import Axis, assembled, axes_of
from tacita.progress import Progress, silent

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ProbabilisticLinkage:
    """Link each released record to the original that matches it with the highest weight (probabilistic record linkage).

    The model is that of I. Fellegi and A. Sunter ("A theory for record linkage", JASA 64, 1969) as splink computes it:
    the weight of a pair is the sum over attributes of log2(m/u), where m and u are the chances that two records of the
    same person, and of different people, agree as these do. u follows from the files (`comparisons`); m is estimated by
    expectation maximisation, without the truth: how far masking moved the values is learnt from the two files alone.
    Only pairs that agree in some blocking rule are weighed (`blocking`).

    Success is the share of released records whose best link is their own original; a link among m equally good ones
    counts 1/m, and a record without any candidate is not linked. Figures as for linkage by distance: `from people`
    starts from the person. `sure` is the share of records whose best link has a probability of 0.9 by the model's own
    reckoning, `sure and true` which share of these is right, `without candidate` the share of records that no rule
    pairs with anything.

    The control is random matching, as for linkage by distance.

    Limits: attributes are taken to agree independently of each other; bands of numbers are fixed, so that within a band
    nothing is nearer than anything else. Linkage by distance is often better on numbers, this on mixed data with
    errors.
    """

    pairs: int = 4_000_000
    """How many pairs of records are weighed at most."""
    seed: int = 1
    """By which pairs of long texts are drawn, to see how many nearly agree."""
    name: ClassVar[str] = "probabilistic-linkage"
    threat: ClassVar[str] = "identity"

    def __post_init__(self) -> None:
        check_count("pairs", self.pairs)
        check_seed(self.seed)

    def lacks(self, scene: Scene) -> Sequence[str]:
        """Return whether records, their origin or shared attributes are missing."""
        return lacking(scene, origin=True)

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        """Return the share of released records whose most likely original is their own."""
        require(self.lacks(scene))
        axes, notes = axes_of(scene.released, scene.original, scene.shared(scene.known))
        lengths = len(scene.released), len(scene.original)
        remarks = [*left_out(scene, scene.known), *notes]
        rows, people = true_pairs(scene)
        if not axes:
            links = Links(np.full(len(rows), 1 / lengths[1]), np.bincount(people, minlength=1) / lengths[0])
            return scored_links(self.name, scene, links, {}, remarks)
        random = np.random.default_rng(self.seed)
        comparisons = [comparison_of(axis, place, random) for place, axis in enumerate(axes)]
        space = assembled(axes, lengths)
        (first, which), (second, belongs) = distinct(space, 0), distinct(space, 1)
        narrowed = [_taken(axis, first, second) for axis in axes]
        compared = [_compared(comparison, first, second) for comparison in comparisons]
        weighed_pairs = weighed(narrowed, compared, self.pairs, progress)
        counts = np.bincount(which, minlength=len(first)), np.bincount(belongs, minlength=len(second))
        one, two = which[rows], belongs[people]
        own = _shares(weighed_pairs.one, weighed_pairs.two, weighed_pairs.weight, counts[1], (one, two), len(first))
        theirs = _shares(weighed_pairs.two, weighed_pairs.one, weighed_pairs.weight, counts[0], (two, one), len(second))
        links = Links(own, np.bincount(people, theirs, minlength=1).astype(np.float64))
        return scored_links(self.name, scene, links, _figures(weighed_pairs, which, rows, own), remarks)


def _taken(axis: Axis, first: Rows, second: Rows) -> Axis:
    numbers = axis.numbers and (axis.numbers[0][first], axis.numbers[1][second])
    return replace(axis, numbers=numbers, levels=tuple((one[first], two[second]) for one, two in axis.levels))


def _compared(comparison: AttributeComparison, first: Rows, second: Rows) -> AttributeComparison:
    columns = {name: (one[first], two[second]) for name, (one, two) in comparison.columns.items()}
    return replace(comparison, columns=columns)


def _shares(
    one: Rows, two: Rows, weight: Floats, counts: NDArray[np.int64], truth: tuple[Rows, Rows], length: int
) -> Floats:
    """Return for true pairs which share the true one has of the best links of its first record."""
    best = np.full(length, -np.inf)
    np.maximum.at(best, one, weight)
    top = weight >= best[one] - 1e-9
    ties = np.bincount(one[top], counts[two[top]], minlength=length)
    span = len(counts)
    here = np.isin(truth[0] * span + truth[1], one[top] * span + two[top])
    shares: Floats = here / np.maximum(ties[truth[0]], 1.0)
    return shares


def _figures(pairs: WeighedPairs, which: Rows, rows: Rows, own: Floats) -> dict[str, float]:
    """Return how sure the model is of its links, and with what right."""
    likely = np.zeros(int(which.max()) + 1)
    np.maximum.at(likely, pairs.one, pairs.probability)
    sure = likely[which] >= 0.9
    here = sure[rows]
    candidates = np.bincount(pairs.one, minlength=len(likely))[which]
    return {
        "sure": float(sure.mean()),
        "sure and true": float(own[here].sum()) / int(sure.sum()) if sure.any() else 0.0,
        "without candidate": float((candidates == 0).mean()),
    }
