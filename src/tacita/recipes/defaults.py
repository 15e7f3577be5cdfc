"""What is measured and who attacks, if nobody says otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.attacks.microdata.catalogue import ATTACKERS
from tacita.model.records import Numbers, Records
from tacita.utility.catalogue import LOSSES


def risk_of(attack: Attacked) -> float:
    """Return the part of an attack that is due to the release of these records, from 0 to 1.

    For every attacker it is (success - control) / (1 - control). Without a control, or beside one that always
    succeeds, it is the success: an upper bound.

    >>> risk_of(Attacked("mine", 0.5, 0.4, 0.6, 0.1, 90))
    0.5
    """
    return attack.success if attack.risk is None else attack.risk.value


def default_losses(before: Records, attributes: Sequence[str], *, paired: bool) -> tuple[str, ...]:
    """Return the losses that fit the attributes: those of the information loss first."""
    kinds = {"numbers" if isinstance(before[name], Numbers) else "categories" for name in attributes} | {"all"}
    return tuple(
        name
        for name in LOSSES.names()
        if LOSSES.fact(name, "by_default")
        and LOSSES.fact(name, "treats") in kinds
        and (paired or not LOSSES.named(name).needs_pairs)
    )


def default_attackers(scene: Scene, *, paired: bool) -> tuple[str, ...]:
    """Return the attackers that fit the records."""
    return tuple(name for name in ATTACKERS.names() if ATTACKERS.fact(name, "by_default")(scene, paired=paired))
