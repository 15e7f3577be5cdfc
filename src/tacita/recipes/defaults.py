"""What is measured, who attacks and what is tried, if nobody says otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacita.attacks.microdata.attacker import Attacked, Scene
from tacita.model.records import Numbers, Records

LOSS_PARAMETERS: Mapping[str, Mapping[str, Any]] = {"bounded-distance": {"standardised": True}}
"""Parameters that let a loss be compared between attributes of different units."""

BOUNDED = ("probabilistic", "bounded-distance", "contingency-tables")
"""Losses from 0 to 1 whose mean is the information loss: of statistics, of values, and of tables."""

_OF_NUMBERS = ("probabilistic", "matrices", "il1s", "eigenvalues")
_OF_CATEGORIES = ("contingency-tables", "direct-comparison", "entropy")


def risk_of(attack: Attacked) -> float:
    """Return the part of an attack that is due to the release of these records, from 0 to 1.

    For every attacker it is (success - control) / (1 - control). Without a control, or beside one that always
    succeeds, it is the success: an upper bound.

    >>> risk_of(Attacked("mine", 0.5, 0.4, 0.6, 0.1, 90))
    0.5
    """
    return attack.success if attack.risk is None else attack.risk.value


_MOST_FOR_INFERENCE = 50_000


def default_losses(before: Records, attributes: Sequence[str], *, paired: bool) -> tuple[str, ...]:
    """Return the losses that fit the attributes: those of the information loss first."""
    numbers = any(isinstance(before[name], Numbers) for name in attributes)
    categories = any(not isinstance(before[name], Numbers) for name in attributes)
    wanted = ["probabilistic"] if numbers else []
    wanted += ["bounded-distance"] if paired else []
    wanted += ["contingency-tables"] if categories else []
    wanted += ["matrices"] if numbers else []
    wanted += ["il1s"] if numbers and paired else []
    wanted += ["direct-comparison"] if categories and paired else []
    return tuple(wanted)


def default_attackers(scene: Scene, *, paired: bool) -> tuple[str, ...]:
    """Return the attackers that fit the records."""
    numbers = any(isinstance(scene.original[name], Numbers) for name in scene.known)
    wanted = ["distance-linkage"] if paired else []
    wanted += ["rank-interval"] if paired and numbers else []
    wanted += ["attribute-inference"] if scene.secret and len(scene.released) <= _MOST_FOR_INFERENCE else []
    wanted += [] if paired else ["membership-inference", "replicated-uniques"]
    wanted += ["singling-out"] if scene.holdout is not None else []
    wanted += ["linkability"] if scene.sources is not None else []
    return tuple(wanted)


NUMBER_GRID: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "mdav": {"k": [3, 5, 10, 25]},
    "individual-ranking": {"k": [3, 10, 25]},
    "rank-swapping": {"p": [2, 5, 10, 20]},
    "correlated-noise": {"alpha": [0.01, 0.05, 0.1, 0.25]},
}
"""Methods for numbers and the values of their parameters, weak first."""
CATEGORY_GRID: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "pram-invariant": {"minimum_diagonal": [0.9, 0.8, 0.6]},
    "k-anonymity": {"k": [3, 5, 10]},
}
"""Methods for categories, weak first."""
WHOLE_GRID: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "synthetic-trees": {"minimum_leaf": [5, 20]},
    "synthetic-copula": {},
}
"""Methods that treat attributes of any kind together; tried if they are named."""
