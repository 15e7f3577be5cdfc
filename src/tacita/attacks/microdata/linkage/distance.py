"""Linkage by distance: whoever is nearest is taken for the person behind a released record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.linkage.links import Links, scored_links, true_pairs
from tacita.attacks.microdata.nearest import Nearest, nearest, same
from tacita.attacks.microdata.score import (
    lacking,
    left_out,
    require,
)
from tacita.attacks.microdata.space import Axis, Codes, Floats, Standardised, assembled, axes_of
from tacita.errors import UsageError
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class DistanceLinkage:
    """Link each released record to the nearest original (distance-based record linkage).

    Success is the share of released records whose nearest original is their own, as in D. Pagliuca and G. Seri (1999)
    and in J. Domingo-Ferrer and V. Torra, "A quantitative comparison of disclosure control methods for microdata"
    (2001). The figures hold the same from the other side as well: an intruder starts from a person, and takes the
    released record nearest to them. The distance is that of `space`. A link among m equally near records counts 1/m.

    Each attribute is tried alone too (in files of up to 50,000 records), and the success is that of the best try: where
    most attributes are changed much, the one that is not is drowned in the distance of all, and still links records.

    Figures: `from records` (the success), `from people` (over people who have a released record) with what a guess
    finds so, `among two nearest` (the share of records whose original is the nearest or the next), the share of people
    who have no released record, and `NAME alone` for each attribute. Those from people use all attributes.

    The control is random matching, 1 / (number of people): somebody who was not in the data has no released record, and
    no link to one could be right.

    Limits: the best of several tries is a little above random matching where nothing can be found, as chance has it;
    apart from these tries all attributes weigh the same, and the distance is straight; an intruder who knows how the
    file was masked may do better. It is exact, deterministic, and needs memory for one line of distances at a time.

    >>> from tacita.model.records import Numbers, Records
    >>> firms = Records({"turnover": Numbers.of([10, 20, 40]), "staff": Numbers.of([1, 5, 3])})
    >>> DistanceLinkage().attack(Scene(firms, firms, np.arange(3), firms.names)).success
    1.0
    """

    standardised: Standardised = "together"
    """Whether numbers are standardised by the values of both files, or each file by its own: `apart` undoes a shift
    or a change of scale."""
    alone: bool = True
    """Whether each attribute is tried alone as well, and the best counts; without it the score is that of the
    literature."""
    name: ClassVar[str] = "distance-linkage"
    threat: ClassVar[str] = "identity"

    def __post_init__(self) -> None:
        if self.standardised not in ("together", "apart"):
            raise UsageError("standardised is neither together nor apart", do="use one of them")

    @staticmethod
    def by_default(scene: Scene, *, paired: bool) -> bool:
        """Return whether it attacks if nobody chose attackers."""
        return paired

    def lacks(self, scene: Scene) -> Sequence[str]:
        """Return whether records, their origin or shared attributes are missing."""
        return lacking(scene, origin=True)

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        """Return the share of released records whose nearest original is their own."""
        require(self.lacks(scene))
        axes, said = axes_of(scene.released, scene.original, scene.shared(scene.known), self.standardised)
        space = assembled(axes, (len(scene.released), len(scene.original)), said)
        rows, people = true_pairs(scene)
        near = nearest(space, progress, "nearest originals")
        distance = space.apart(rows, people)
        first = same(distance, near.distance[rows]) / near.ties[rows]
        among = first * np.minimum(near.ties[rows], 2.0) + _second(distance, near, rows)
        near = nearest(space.reversed, progress, "nearest released records")
        of_people = same(space.reversed.apart(people, rows), near.distance[people]) / near.ties[people]
        tried = links_alone(axes, rows, people) if self.alone else {}
        figures = {f"{name} alone": float(links.sum()) / len(scene.released) for name, links in tried.items()}
        notes = [*left_out(scene, scene.known), *space.notes]
        best = max(tried, key=lambda name: float(tried[name].sum()), default=None)
        if best is not None and float(tried[best].sum()) > float(first.sum()):
            first, among = tried[best], np.maximum(among, tried[best])
            notes.append(f"'{best}' alone links more records than all known attributes together")
        links = Links(first, np.bincount(people, of_people, minlength=1).astype(np.float64))
        figures = {"among two nearest": float(among.sum()) / len(scene.released)} | figures
        return scored_links(self.name, scene, links, figures, notes)


def _second(distance: Floats, near: Nearest, rows: NDArray[np.int64]) -> Floats:
    """Return the part that the true record has in the second place, where the first is taken by one other."""
    least, alone = near.distance[rows], near.ties[rows] == 1
    here = alone & ~same(distance, least) & same(distance, near.second[rows])
    part: Floats = here / np.maximum(near.second_ties[rows], 1.0)
    return part


MOST_RECORDS = 50_000
"""Records of a file up to which each attribute is tried alone."""


def links_alone(axes: Sequence[Axis], rows: NDArray[np.int64], people: NDArray[np.int64]) -> dict[str, Floats]:
    """Return for each attribute the share of the link of each released record that goes to its original.

    What is masked well in most attributes may still be recognised by a single one: a distance over all attributes
    drowns in those that were changed much. An intruder who notices that turnover was rounded, and all else swapped,
    looks at turnover alone.

    A number is linked to the nearest one, a label to the same label; a link among m equally near originals counts 1/m.
    Where the value is missing there is no link. Nothing is tried if there is but one attribute, or too many records.

    >>> some, others = np.array([1.0, 2.1, 3.5]), np.array([1.0, 2.0, 3.0])
    >>> axes = [Axis("a", (some, others)), Axis("b", (others[::-1], others))]
    >>> found = links_alone(axes, np.arange(3), np.arange(3))
    >>> found["a"].tolist(), found["b"].tolist()
    ([1.0, 1.0, 1.0], [0.0, 1.0, 0.0])
    """
    if len(axes) < 2 or max(map(_length, axes)) > MOST_RECORDS:
        return {}
    return {
        axis.name: _by_number(*axis.numbers, rows, people)
        if axis.numbers is not None
        else _by_label(*axis.levels[0], rows, people)
        for axis in axes
    }


def _length(axis: Axis) -> int:
    return max(map(len, axis.numbers if axis.numbers is not None else axis.levels[0]))


def _by_number(some: Floats, others: Floats, rows: NDArray[np.int64], people: NDArray[np.int64]) -> Floats:
    line, counts = np.unique(others[~np.isnan(others)], return_counts=True)
    if not len(line):
        return np.zeros(len(rows))
    value, true = some[rows], others[people]
    above = np.minimum(np.searchsorted(line, value, "left"), len(line) - 1)
    below = np.maximum(above - 1, 0)
    up, down = np.abs(line[above] - value), np.abs(value - line[below])
    both = _alike(up, down) & (above != below)
    least = np.minimum(up, down)
    ties = np.where(both, counts[above] + counts[below], np.where(up <= down, counts[above], counts[below]))
    links: Floats = _alike(np.abs(true - value), least) / ties  # what is missing is like nothing
    return links


def _alike(one: Floats, two: Floats) -> NDArray[np.bool_]:
    """Whether distances of standardised numbers are the same but for rounding."""
    alike: NDArray[np.bool_] = np.abs(one - two) <= 1e-12 + 1e-9 * np.minimum(one, two)
    return alike


def _by_label(some: Codes, others: Codes, rows: NDArray[np.int64], people: NDArray[np.int64]) -> Floats:
    value, true = some[rows], others[people]
    counts = np.bincount(others[others >= 0], minlength=int(max(some.max(initial=0), others.max(initial=0))) + 1)
    links: Floats = ((value == true) & (value >= 0)) / np.maximum(counts[value], 1)
    return links
