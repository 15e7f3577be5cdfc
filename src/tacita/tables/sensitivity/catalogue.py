"""The table rules that can be named: each is a key of ``[sensitivity]``, and its fields are the keys below it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacita.catalogue import Catalogue
from tacita.tables.sensitivity.rule import SensitivityRule


def _of_program(program: str, parameters: Mapping[str, Any]) -> SensitivityRule | None:
    from tacita.knowledge import programs
    from tacita.tables.sensitivity.rules.user_rules import UserRules

    if not program.endswith(programs.ENDING) and program not in programs.names():
        return None
    return UserRules.of(program, parameters)


RULES: Catalogue[SensitivityRule] = Catalogue(
    "table rule",
    "tacita.tables.sensitivity.rules",
    {
        "minimum_frequency": "minimum_frequency:MinimumFrequency",
        "dominance": "dominance:Dominance",
        "p_percent": "p_percent:PPercent",
        "prior_posterior": "prior_posterior:PriorPosterior",
        "zeros": "zero_cells:ZeroCells",
        "request": "request:Request",
        "group_disclosure": "group_disclosure:GroupDisclosure",
        "equal_contributions": "equal_contributions:EqualContributions",
    },
    facts={"is_of_contributors": False, "short": ""},
    program=_of_program,
)
"""A cell that breaks several rules is told about by the first: those on contributors in this order, then the others."""
