"""The attackers that can be named; one of your own is entered with `enter`, and is then like any other."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from tacita.attacks.microdata.attacker import Attacker
from tacita.errors import UsageError, did_you_mean, listed
from tacita.parameters import built

_HOMES: dict[str, str] = {
    "attribute-inference": "inference.attribute:AttributeInference",
    "deviation-interval": "interval.deviation:DeviationInterval",
    "distance-linkage": "linkage.distance:DistanceLinkage",
    "linkability": "linkage.linkability:Linkability",
    "membership-inference": "inference.membership:MembershipInference",
    "probabilistic-linkage": "linkage.probabilistic:ProbabilisticLinkage",
    "rank-interval": "interval.rank:RankInterval",
    "replicated-uniques": "inference.replicated_uniques:ReplicatedUniques",
    "singling-out": "inference.singling_out:SinglingOut",
}
"""The module and class of each attacker, which is imported when it is used."""

THREAT_NAMES = ("identity", "attribute", "membership")
"""What an attacker can aim at: finding the record of a person, learning a value, telling who is in the data."""

_ENTERED: dict[str, type[Attacker]] = {}


def names() -> tuple[str, ...]:
    """Return the names of all attackers."""
    return tuple(sorted({*_HOMES, *_ENTERED}))


def enter(attacker: type[Attacker]) -> None:
    """Let an attacker of one's own be named; see `contract` for what it has to keep to."""
    threat = getattr(attacker, "threat", THREAT_NAMES[0])
    if threat not in THREAT_NAMES:
        raise UsageError(
            f"the attacker '{attacker.name}' has an unknown threat{did_you_mean(str(threat), THREAT_NAMES)}",
            do=f"set its class attribute threat to one of: {listed(THREAT_NAMES)}",
        )
    _ENTERED[attacker.name] = attacker


def is_entered(name: str) -> bool:
    """Return whether an attacker is one that was entered."""
    return name in _ENTERED


def named(name: str) -> type[Attacker]:
    """Return the class of an attacker, or raise with the nearest name.

    >>> named("distance-linkage").name
    'distance-linkage'
    """
    if name in _ENTERED:
        return _ENTERED[name]
    if name not in _HOMES:
        raise UsageError(f"no attacker '{name}'{did_you_mean(name, names())}", do=f"use one of: {listed(names(), 99)}")
    module, _, member = _HOMES[name].partition(":")
    found: type[Attacker] = getattr(importlib.import_module(f"tacita.attacks.microdata.{module}"), member)
    return found


def is_by_holdout(name: str) -> bool:
    """Return whether the control of an attacker are records that were not in the data.

    >>> is_by_holdout("singling-out"), is_by_holdout("distance-linkage")
    (True, False)
    """
    return bool(getattr(named(name), "by_holdout", False))


def made(name: str, parameters: Mapping[str, object], *, where: str = "") -> Attacker:
    """Return an attacker with parameters; all faults are told together.

    >>> made("rank-interval", {"width": 0.1})
    RankInterval(width=0.1, attributes=())
    """
    return built(named(name), name, parameters, where=where)


def seeded(name: str, seed: int) -> Attacker:
    """Return an attacker as it comes, with a seed if it draws anything at random.

    >>> seeded("deviation-interval", 7).seed, seeded("distance-linkage", 7).name
    (7, 'distance-linkage')
    """
    fields = getattr(named(name), "__dataclass_fields__", {})
    return made(name, {"seed": seed} if "seed" in fields else {})
