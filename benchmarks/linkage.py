"""Linkage of 50,000 released records to 50,000 people: by distance, by probability, and a bare k-d tree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import best, python, timed
from tacita.attacks.microdata.attacker import Scene
from tacita.attacks.microdata.linkage.distance import DistanceLinkage
from tacita.attacks.microdata.linkage.probabilistic import ProbabilisticLinkage
from tacita.model.records import Categories, Numbers, Records

Line = tuple[str, str, str, str, str]
PEOPLE = 50_000

ONE = """
import sys
from benchmarks.linkage import scene
from tacita.attacks.microdata.catalogue import ATTACKERS
ATTACKERS.make({name!r}, {{}}).attack(scene({numbers}, {labels}, 0.1))
"""


def scene(numbers: int, labels: int, noise: float, people: int = PEOPLE) -> Scene:
    """People, and a file in which numbers got noise and a tenth of the labels was drawn anew."""
    random = np.random.default_rng(1)
    values, codes = random.normal(size=(people, numbers)), random.integers(0, 10, (people, labels))
    moved = np.where(random.random(codes.shape) < 0.1, random.integers(0, 10, codes.shape), codes)
    files = [
        Records(
            {f"x{i}": Numbers(x) for i, x in enumerate(matrix.T)}
            | {f"c{i}": Categories(c.astype(np.int32), tuple("abcdefghij")) for i, c in enumerate(labelled.T)}
        )
        for matrix, labelled in ((values, codes), (values + noise * random.normal(size=values.shape), moved))
    ]
    return Scene(files[0], files[1], np.arange(people), files[0].names)


def linkage(_: Path) -> Iterator[Line]:
    """Each way to link, on numbers + labels: CPU seconds, what they find, and the ratio between them."""
    from scipy.spatial import cKDTree

    for noise in (0.1, 0.3):
        for numbers, labels in ((5, 0), (3, 3)):
            attacked = scene(numbers, labels, noise)
            DistanceLinkage().attack(scene(numbers, labels, noise, 100))  # compiled, or read from the cache
            near, quick = timed(lambda attacked=attacked: DistanceLinkage().attack(attacked))
            likely, slow = timed(lambda attacked=attacked: ProbabilisticLinkage().attack(attacked))
            what = f"50k, {numbers} + {labels}, noise {noise}"
            one, two = (
                f"{cpu:6.2f} s CPU, {100 * found.success:.1f} % found" for found, cpu in ((likely, slow), (near, quick))
            )
            yield f"splink / distance: {what}", one, two, f"{slow / quick:.1f}", "under 30 s"
            if not labels:
                names = attacked.original.names
                tree = cKDTree(attacked.original.matrix(names))
                _, bare = timed(
                    lambda tree=tree, attacked=attacked, names=names: tree.query(attacked.released.matrix(names))
                )
                yield f"distance / k-d tree: {what}", two, f"{bare:6.2f} s CPU", f"{quick / bare:.1f}", ""


def memory(_: Path) -> Iterator[Line]:
    """The peak of memory of each, in a process of its own: a matrix of all distances would take 20 GB."""
    for name in ("distance-linkage", "probabilistic-linkage"):
        used = best(python(ONE.format(name=name, numbers=3, labels=3)), 1)
        yield f"{name} 50k to 50k, mixed", str(used), "", "", "under 2000 MB"
