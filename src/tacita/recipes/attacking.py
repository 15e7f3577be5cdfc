"""Attackers let loose on one scene, or on what a recipe made, with the control that each of them needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.catalogue import ATTACKERS
from tacita.errors import UsageError, listed
from tacita.progress import Progress, Step, silent
from tacita.recipes.carry_out import MaskedMicrodata
from tacita.recipes.holdout import halves
from tacita.recipes.recipe import HOLDOUT, NO_CONTROL, Judgement
from tacita.recipes.truth import control_records

UNUSED = "no attacker uses the control that is given"
_SEEDS = 2**32
"""Attackers take their seed to libraries that know no larger one."""


@dataclass(frozen=True, slots=True)
class Attacks:
    """How far attackers got, and who could not attack."""

    done: tuple[Attacked, ...]
    unable: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def attack_scene(
    scene: Scene,
    names: Sequence[str] = (),
    *,
    paired: bool | None = None,
    half: Scene | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> Attacks:
    """Return how far the named attackers get, or those that fit the scene.

    Attackers whose control are records that were not in the data attack `half` instead, if it is given: a scene with a
    hold-out.

    >>> from tacita.model.records import Numbers, Records
    >>> import numpy as np
    >>> people = Records({"age": Numbers.of([20, 30, 40, 50])})
    >>> [found] = attack_scene(Scene(people, people, np.arange(4), ("age",)), ["distance-linkage"]).done
    >>> found.success
    1.0
    """
    paired = scene.origin is not None if paired is None else paired
    wanted = tuple(names) or default_attackers(scene, paired=paired)
    if scene.sources is not None and not any(ATTACKERS.fact(name, "uses_sources") for name in wanted):
        raise UsageError("two sources are given, and linkability does not attack", do="let linkability attack as well")
    attacks: list[Attacked] = []
    unable: list[str] = []
    notes: list[str] = []
    if scene.holdout is not None and not any(ATTACKERS.fact(name, "by_holdout") for name in wanted):
        notes.append(UNUSED)
    for place, name in enumerate(wanted):
        progress(Step(f"attacking: {name}", place, len(wanted)))
        attacker = ATTACKERS.seeded(name, seed % _SEEDS)
        here = half if half is not None and ATTACKERS.fact(name, "by_holdout") else scene
        if lacking := attacker.lacks(here):
            notes.append(f"{name} could not attack: {'; '.join(lacking)}")
            unable.append(name)
            continue
        attacks.append(attacker.attack(here, progress))
    return Attacks(tuple(attacks), tuple(unable), tuple(notes))


def attack_recipe(
    masked: MaskedMicrodata,
    scene: Scene,
    judgement: Judgement,
    *,
    paired: bool,
    seed: int,
    progress: Progress = silent,
) -> Attacks:
    """Return how far attackers get with what a recipe made.

    Whoever infers, singles out or asks for members is right at times about people who were not in the data. How often
    is seen by carrying the recipe out once more on a half of the records: these attackers attack that release, and the
    other half is their control. It is done only if one of them attacks. The recipe may name a file of such records
    instead, and then they attack the release itself, or no control, and then none of them has a risk.
    """
    wanted = judgement.attackers or default_attackers(scene, paired=paired)
    beside = [name for name in wanted if ATTACKERS.fact(name, "by_holdout")]
    half, notes = scene, list[str]()
    if beside and judgement.control == HOLDOUT:
        names = list(dict.fromkeys((*scene.known, *scene.secret)))
        parts = halves(masked, names, seed, notes)
        if parts is not None:
            half = replace(
                scene, original=parts.members, released=parts.released, origin=parts.origin, holdout=parts.others
            )
            verb = "attacks" if len(beside) == 1 else "attack"
            notes.append(
                f"{listed(beside)} {verb} what the recipe makes of a half of the records; the other half is the control"
            )
    elif not beside and judgement.control not in (HOLDOUT, NO_CONTROL):
        notes.append(UNUSED)
    elif beside and judgement.control != NO_CONTROL:
        from tacita.files.read import read

        others = read(judgement.control, masked.original.relation.engine)
        half = replace(scene, holdout=control_records(masked.original, others, scene.known, scene.secret))
    attacks = attack_scene(scene, wanted, paired=paired, half=half, seed=seed, progress=progress)
    return replace(attacks, notes=(*notes, *attacks.notes))


def risk_of(attack: Attacked) -> float:
    """Return the part of an attack that is due to the release of these records, from 0 to 1.

    For every attacker it is (success - control) / (1 - control). Without a control, or beside one that always
    succeeds, it is the success: an upper bound.

    >>> risk_of(Attacked("mine", 0.5, 0.4, 0.6, 0.1, 90))
    0.5
    """
    return attack.success if attack.risk is None else attack.risk.value


def default_attackers(scene: Scene, *, paired: bool) -> tuple[str, ...]:
    """Return the attackers that fit the records."""
    return tuple(name for name in ATTACKERS.names() if ATTACKERS.fact(name, "by_default")(scene, paired=paired))
