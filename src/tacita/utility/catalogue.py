"""The measures of loss that a recipe can name; `contract` says what one of one's own has to keep to."""

from __future__ import annotations

from tacita.catalogue import Catalogue
from tacita.utility.loss import FACTS, Loss

LOSSES: Catalogue[Loss] = Catalogue(
    "loss",
    "tacita.utility",
    {
        "probabilistic": "continuous.probabilistic:Probabilistic",
        "bounded-distance": "continuous.bounded_distance:BoundedDistance",
        "contingency-tables": "categorical.contingency_tables:ContingencyTables",
        "matrices": "continuous.matrices:Matrices",
        "il1s": "continuous.scaled_distance:ScaledDistance",
        "direct-comparison": "categorical.direct_comparison:DirectComparison",
        "data": "continuous.data:Data",
        "eigenvalues": "continuous.eigenvalues:Eigenvalues",
        "entropy": "categorical.entropy:Entropy",
        "hellinger": "distributions.class_distances:Hellinger",
        "information-gain": "categorical.information_gain:InformationGain",
        "jensen-shannon": "distributions.class_distances:JensenShannon",
        "kolmogorov-smirnov": "distributions.kolmogorov_smirnov:KolmogorovSmirnov",
        "propensity": "distributions.propensity:Propensity",
        "regression": "analyses.regression:Regression",
        "robust-eigenvalues": "continuous.robust_eigenvalues:RobustEigenvalues",
        "total-variation": "distributions.class_distances:TotalVariation",
        "wasserstein": "distributions.wasserstein:Wasserstein",
    },
    FACTS,
)
"""Measures of what a change of the records costs, in the order in which they are shown."""

enter = LOSSES.enter
