"""Attackers let loose on one scene."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacita.attacks.microdata import catalogue
from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.choosing.defaults import default_attackers
from tacita.progress import Progress, Step, silent

_SEEDS = 2**32
"""Attackers take their seed to libraries that know no larger one."""


@dataclass(frozen=True, slots=True)
class Attacks:
    """How far attackers got, and who could not attack."""

    done: tuple[Attacked, ...]
    unable: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def attacked(
    scene: Scene, names: Sequence[str] = (), *, paired: bool | None = None, seed: int = 0, progress: Progress = silent
) -> Attacks:
    """Return how far the named attackers get, or those that fit the scene.

    >>> from tacita.model.records import Numbers, Records
    >>> import numpy as np
    >>> people = Records({"age": Numbers.of([20, 30, 40, 50])})
    >>> [found] = attacked(Scene(people, people, np.arange(4), ("age",)), ["distance-linkage"]).done
    >>> found.success
    1.0
    """
    paired = scene.origin is not None if paired is None else paired
    asked = tuple(names) or default_attackers(scene, paired=paired)
    found: list[Attacked] = []
    unable: list[str] = []
    notes: list[str] = []
    for place, name in enumerate(asked):
        progress(Step(f"attacking: {name}", place, len(asked)))
        attacker = catalogue.seeded(name, seed % _SEEDS)
        if lacking := attacker.lacks(scene):
            notes.append(f"{name} could not attack: {'; '.join(lacking)}")
            unable.append(name)
            continue
        found.append(attacker.attack(scene, progress))
    return Attacks(tuple(found), tuple(unable), tuple(notes))
