"""The measures of loss that a recipe can name; `contract` says what one of one's own has to keep to."""

from __future__ import annotations

from tacita.catalogue import Catalogue
from tacita.utility.loss import Loss

LOSSES: Catalogue[Loss] = Catalogue(
    "loss",
    "tacita.utility",
    {
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
    },
)
"""Measures of what a change of the records costs."""

enter = LOSSES.enter
