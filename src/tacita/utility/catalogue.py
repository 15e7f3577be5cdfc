"""The measures of loss that a recipe can name, and how its keys become a measure.

A measure of one's own is entered with `enter`, and is then a measure like any other.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from tacita.errors import UsageError, did_you_mean, listed
from tacita.parameters import built
from tacita.utility.loss import Loss

_HOMES: dict[str, str] = {
    "bounded-distance": "continuous.bounded_distance:BoundedDistance",
    "contingency-tables": "categorical.contingency_tables:ContingencyTables",
    "data": "continuous.data:Data",
    "direct-comparison": "categorical.direct_comparison:DirectComparison",
    "eigenvalues": "continuous.eigenvalues:Eigenvalues",
    "entropy": "categorical.entropy:Entropy",
    "hellinger": "distributions.hellinger:Hellinger",
    "il1s": "continuous.scaled_distance:ScaledDistance",
    "information-gain": "categorical.information_gain:InformationGain",
    "jensen-shannon": "distributions.jensen_shannon:JensenShannon",
    "kolmogorov-smirnov": "distributions.kolmogorov_smirnov:KolmogorovSmirnov",
    "matrices": "continuous.matrices:Matrices",
    "probabilistic": "continuous.probabilistic:Probabilistic",
    "propensity": "distributions.propensity:Propensity",
    "regression": "analyses.regression:Regression",
    "robust-eigenvalues": "continuous.robust_eigenvalues:RobustEigenvalues",
    "total-variation": "distributions.total_variation:TotalVariation",
    "wasserstein": "distributions.wasserstein:Wasserstein",
}
"""The module and class of each measure: a measure is imported when it is used."""

_ENTERED: dict[str, type[Loss]] = {}


def names() -> tuple[str, ...]:
    """Return the names of all measures."""
    return tuple(sorted({*_HOMES, *_ENTERED}))


def enter(measure: type[Loss]) -> None:
    """Let recipes name a measure of one's own; see `utility.contract` for what it has to keep to."""
    _ENTERED[measure.name] = measure


def named(name: str) -> type[Loss]:
    """Return the class of a measure, or raise with the nearest name."""
    if name in _ENTERED:
        return _ENTERED[name]
    if name not in _HOMES:
        raise UsageError(f"no loss '{name}'{did_you_mean(name, names())}", do=f"use one of: {listed(names(), 99)}")
    module, _, member = _HOMES[name].partition(":")
    found: type[Loss] = getattr(importlib.import_module(f"tacita.utility.{module}"), member)
    return found


def made(name: str, parameters: Mapping[str, object], *, where: str = "") -> Loss:
    """Return a measure with parameters as a recipe gives them; all faults are told together.

    >>> made("matrices", {"components": 2})
    Matrices(components=2)
    """
    return built(named(name), name, parameters, where=where)
