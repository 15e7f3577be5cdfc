"""Links between released records and people, and their score: shared by those who link by distance or by probability.

A link among m records that are equally good counts 1/m: an intruder who cannot tell them apart takes one at random.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.score import MATCHING, exact, scored

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """How much of a true link each attempt is worth, in both directions."""

    of_records: Floats
    """For each released record the share of its link that goes to its original."""
    of_people: Floats
    """For each person with released records the share of their link that goes to one of these."""


def true_pairs(scene: Scene) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the released records whose person is known to the intruder, and these persons."""
    assert scene.origin is not None
    rows = np.flatnonzero(scene.origin >= 0)
    return rows, scene.origin[rows]


def scored_links(name: str, scene: Scene, links: Links, figures: dict[str, float], notes: list[str]) -> Attacked:
    """Return the score: the share of released records that are linked to their original.

    A guess takes any of the people. A record whose person is not among these cannot be linked, and counts as an
    attempt. The control is that guess: a person who was not in the data has no released record, so that a link to one
    could never be right, and records held out would give a control of 0.
    """
    rows, people = true_pairs(scene)
    attempts, reached = len(scene.released), len(np.unique(people))
    of_people = float(links.of_people.sum())
    shown = {
        "from records": float(links.of_records.sum()) / attempts,
        "from people": of_people / reached if reached else 0.0,
        "from people, guessed": len(rows) / reached / attempts if reached else 0.0,
        "people without a released record": 1 - reached / len(scene.original),
    }
    guess = len(rows) / attempts / len(scene.original)
    found_records = float(links.of_records.sum())
    return scored(name, found_records, attempts, guess, shown | figures, notes, control=exact(guess), by=MATCHING)
