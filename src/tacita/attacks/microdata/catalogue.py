"""The attackers that can be named; `contract` says what an attacker of one's own has to keep to."""

from __future__ import annotations

from tacita.attacks.microdata.attacker import FACTS, THREATS, Attacker
from tacita.catalogue import Catalogue
from tacita.errors import UsageError, did_you_mean, listed


class _Attackers(Catalogue[Attacker]):
    """The attackers, whose threat is checked when they are entered."""

    def enter(self, entry: type[Attacker]) -> None:
        """Let an attacker of one's own be named, if its threat is one that is known."""
        threat = getattr(entry, "threat", self.facts["threat"])
        if threat not in THREATS:
            raise UsageError(
                f"the attacker '{entry.name}' has an unknown threat{did_you_mean(str(threat), THREATS)}",
                do=f"set its class attribute threat to one of: {listed(list(THREATS))}",
            )
        Catalogue.enter(self, entry)

    def seeded(self, name: str, seed: int) -> Attacker:
        """Return an attacker as it comes, with a seed if it draws anything at random.

        >>> ATTACKERS.seeded("deviation-interval", 7).seed, ATTACKERS.seeded("distance-linkage", 7).name
        (7, 'distance-linkage')
        """
        takes_seed = any(parameter.name == "seed" for parameter in self.parameters(name))
        return self.make(name, {"seed": seed} if takes_seed else {})


ATTACKERS = _Attackers(
    "attacker",
    "tacita.attacks.microdata",
    {
        "distance-linkage": "linkage.distance:DistanceLinkage",
        "probabilistic-linkage": "linkage.probabilistic:ProbabilisticLinkage",
        "rank-interval": "interval.rank:RankInterval",
        "deviation-interval": "interval.deviation:DeviationInterval",
        "attribute-inference": "inference.attribute:AttributeInference",
        "membership-inference": "inference.membership:MembershipInference",
        "replicated-uniques": "inference.replicated_uniques:ReplicatedUniques",
        "singling-out": "inference.singling_out:SinglingOut",
        "linkability": "linkage.linkability:Linkability",
    },
    FACTS,
)
"""Intruders who attack released microdata, in the order in which they attack."""

enter = ATTACKERS.enter
