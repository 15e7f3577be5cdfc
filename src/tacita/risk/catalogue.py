"""The measures of risk that can be named; `contract` says what a measure of one's own has to keep to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tacita.catalogue import Catalogue
from tacita.errors import UsageError
from tacita.knowledge.programs import ENDING, ProgramText
from tacita.parameters import fit
from tacita.risk.measure import FACTS, Measure


class _Measures(Catalogue[Measure]):
    """The measures, whose threshold is checked when they are made."""

    def make(self, name: str, parameters: Mapping[str, Any] | None = None, *, where: str = "") -> Measure:
        """Return a measure by its name, or the rule program of that file or name as one.

        >>> MEASURES.make("k-anonymity", {"k": 5})
        KAnonymity(k=5, threshold=0.5)
        """
        measure = Catalogue.make(self, name, parameters, where=where)
        if not 0 <= measure.threshold <= 1:
            raise UsageError(
                f"threshold of {name} is {measure.threshold:g}", do="a risk is from 0 to 1, and so is its threshold"
            )
        return measure


def _by_rules(name: str, parameters: Mapping[str, Any]) -> Measure | None:
    from tacita.knowledge import programs

    if not name.endswith(ENDING) and name not in programs.names():
        return None
    from tacita.risk.ruled import Ruled

    of_rules = dict(parameters)
    ours = {"threshold": of_rules.pop("threshold")} if "threshold" in of_rules else {}
    return Ruled(ProgramText.of(name), of_rules, fit(_Threshold, name, ours, typed=True).threshold)


@dataclass(frozen=True, slots=True)
class _Threshold:
    """What a rule program takes beside its own parameters."""

    threshold: float = 0.5


MEASURES = _Measures(
    "measure",
    "tacita.risk",
    {
        "k-anonymity": "identity.k_anonymity:KAnonymity",
        "reidentification": "identity.reidentification:Reidentification",
        "individual-risk": "identity.individual_risk:IndividualRisk",
        "suda": "identity.suda:Suda",
        "keys": "identity.keys:Keys",
        "l-diversity": "attribute.l_diversity:LDiversity",
        "t-closeness": "attribute.t_closeness:TCloseness",
        "alpha-k": "attribute.alpha_k:AlphaK",
        "beta-likeness": "attribute.beta_likeness:BetaLikeness",
        "delta-disclosure": "attribute.delta_disclosure:DeltaDisclosure",
        "k-map": "population.k_map:KMap",
        "delta-presence": "population.delta_presence:DeltaPresence",
        "file-risk": "population.file_risk:FileRisk",
        "population-uniqueness": "population.population_uniqueness:PopulationUniqueness",
        "log-linear": "population.log_linear:LogLinear",
        "interval-disclosure": "continuous.interval_disclosure:IntervalDisclosure",
    },
    FACTS,
    typed=True,
    program=_by_rules,
    advice=f"use one of: {{names}}; or a rule program, such as ./my_measure{ENDING}",
)
"""Ways to say how risky records are."""

measure = MEASURES.make
enter = MEASURES.enter
