"""Linkability: two sources about the same people, brought together by way of the released file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.nearest import TOLERANCE
from tacita.attacks.microdata.score import (
    check_count,
    check_seed,
    lacking,
    left_out,
    rate_of,
    require,
    scored,
    usable_holdout,
)
from tacita.attacks.microdata.space import Floats, Space, space_of
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Linkability:
    """Link what two sources hold of a person, by released records that are near to both.

    The intruder has some attributes of people in one source and others in a second one, and no attribute of both. For
    each person the `neighbours` released records nearest to the one part are sought, and those nearest to the other
    part. If a released record is among both, the file links the two. Success is the share of people who are linked: the
    linkability of M. Giomi et al., "A unified framework for quantifying privacy risk in synthetic data", PoPETs 2023,
    and of anonymeter, which measures distances by Gower's coefficient where we take that of `space`. Of records that
    are equally near as many are drawn at random as are left to take, for each source anew: in the order of the file
    both sources would take the same ones.

    The sources are `sources` of the scene. Without these what the intruder knows is dealt out to the two in turn, the
    attributes with most values first.

    The control is the same share of people of the hold-out: a common combination links anybody. The guess is the chance
    that two random sets of neighbours have a record in common.

    Limits: a link counts that the file makes possible; an intruder still has to tell it from others. Of large files
    some people are drawn.

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"turnover": Numbers.of([10, 20, 40]), "staff": Numbers.of([1, 5, 3])})
    >>> Linkability(neighbours=1).attack(Scene(firms, firms, None, firms.names)).success
    1.0
    """

    neighbours: int = 5
    people: int = 500
    """How many people are linked at most, and of the hold-out as many."""
    seed: int = 1
    name: ClassVar[str] = "linkability"
    uses_sources: ClassVar[bool] = True
    succeeds: ClassVar[str] = "links two sources for {} of the people"
    threat: ClassVar[str] = "identity"
    by_holdout: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_count("neighbours", self.neighbours)
        check_count("people", self.people)
        check_seed(self.seed)

    @staticmethod
    def by_default(scene: Scene, *, paired: bool) -> bool:
        """Return whether it attacks if nobody chose attackers."""
        return scene.sources is not None

    def lacks(self, scene: Scene) -> Sequence[str]:
        """Return whether records, or attributes of one of the sources, are missing."""
        missing = lacking(scene)
        if missing or all(_sources(scene)):
            return missing
        return ["the intruder does not know two attributes that are in both files, one for each source"]

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        """Return the share of people whose parts have a near released record in common."""
        require(self.lacks(scene))
        sources = _sources(scene)
        random = np.random.default_rng(self.seed)
        linked = self._linked(scene.original, scene.released, sources, random, progress)
        others = usable_holdout(scene, [*sources[0], *sources[1]])
        control = None
        if others is not None:
            linked_others = self._linked(others, scene.released, sources, random, progress)
            control = rate_of(int(linked_others.sum()), len(linked_others))
        notes = left_out(scene, scene.known)
        guess = _by_chance(len(scene.released), self.neighbours)
        return scored(self.name, int(linked.sum()), len(linked), guess, {}, notes, control=control)

    def _linked(
        self,
        people: Records,
        released: Records,
        sources: tuple[tuple[str, ...], tuple[str, ...]],
        random: np.random.Generator,
        progress: Progress,
    ) -> NDArray[np.bool_]:
        """Return whether each of some people is linked."""
        if len(people) > self.people:
            people = people.taken(np.sort(random.choice(len(people), self.people, replace=False)))
        spaces = [space_of(people, released, source) for source in sources]
        absent = [space.absent(np.arange(len(people))) for space in spaces]
        linked = np.zeros(len(people), dtype=bool)
        for row in range(len(people)):
            if not row % 50:
                progress(Step("linking two sources", row, len(people)))
            one, two = (
                self._nearest(_distances(space, row, missing), random)
                for space, missing in zip(spaces, absent, strict=True)
            )
            linked[row] = len(np.intersect1d(one, two)) > 0
        return linked

    def _nearest(self, distances: Floats, random: np.random.Generator) -> Rows:
        """Return the places of the nearest records, of equally near ones any."""
        wanted = min(self.neighbours, len(distances))
        edge = float(np.partition(distances, wanted - 1)[wanted - 1])
        slack = edge * TOLERANCE + TOLERANCE
        nearer = np.flatnonzero(distances < edge - slack)
        level = np.flatnonzero(np.abs(distances - edge) <= slack)
        return np.concatenate([nearer, random.choice(level, wanted - len(nearer), replace=False)])


def _sources(scene: Scene) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the attributes of the two sources that both files have."""
    if scene.sources is not None:
        return scene.shared(scene.sources[0]), scene.shared(scene.sources[1])
    known = scene.shared(scene.known)
    values = {name: len(scene.original.categories(name).values) for name in known}
    ranked = sorted(known, key=lambda name: (-values[name], known.index(name)))
    # in turn, and backwards every second time: no source gets the best of every pair
    first = {name for place, name in enumerate(ranked) if place % 4 in (0, 3)}
    return tuple(n for n in known if n in first), tuple(n for n in known if n not in first)


def _distances(space: Space, row: int, absent: tuple[Floats, Floats]) -> Floats:
    """Return the squared distances of a record of the first file to all of the second."""
    one, two = space.numbers[0][row], space.numbers[1]
    squares = np.where(np.isnan(one), 0.0, np.where(np.isnan(two), absent[0][row], (one - two) ** 2))
    some, more = space.codes[0][row], space.codes[1]
    penalties = np.where(some < 0, 0.0, np.where(more < 0, absent[1][row], space.penalties * (some != more)))
    distances: Floats = squares.sum(axis=1) + penalties.sum(axis=1)
    return distances


def _by_chance(records: int, neighbours: int) -> float:
    """Return the chance that two random sets of records have one in common.

    >>> round(_by_chance(100, 1), 4), _by_chance(9, 5)
    (0.01, 1.0)
    """
    if 2 * neighbours > records:
        return 1.0
    parts = sum(math.log1p(-neighbours / (records - place)) for place in range(neighbours))
    return -math.expm1(parts)
