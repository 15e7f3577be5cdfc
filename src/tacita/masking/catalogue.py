"""The methods that a recipe can name, and how a step's keys become a method.

A method of one's own is entered with `enter`, and is then a method like any other.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from tacita.errors import UsageError, did_you_mean, listed
from tacita.masking.method import Method
from tacita.parameters import built

_HOMES: dict[str, str] = {
    "anatomy": "anatomy:Anatomy",
    "blocked-mdav": "microaggregation.blocked_mdav:BlockedMdav",
    "correlated-noise": "noise.correlated:CorrelatedNoise",
    "data-shuffling": "swapping.shuffling:DataShuffling",
    "data-swapping": "swapping.data_swapping:DataSwapping",
    "differential-privacy-after-microaggregation": "noise.after_microaggregation:NoiseAfterMicroaggregation",
    "differential-privacy-noise": "noise.differential_privacy:DifferentialPrivacyNoise",
    "hybrid": "synthetic.hybrid:Hybrid",
    "individual-ranking": "microaggregation.individual_ranking:IndividualRanking",
    "mdav": "microaggregation.mdav:Mdav",
    "mixed-microaggregation": "microaggregation.mixed:MixedMicroaggregation",
    "multiplicative-noise": "noise.multiplicative:MultiplicativeNoise",
    "noise-with-linear-transformation": "noise.linear_transformation:NoiseWithLinearTransformation",
    "noise-with-non-linear-transformation": "noise.nonlinear_transformation:NoiseWithNonLinearTransformation",
    "optimal-univariate": "microaggregation.optimal_univariate:OptimalUnivariate",
    "orthogonal-masking": "noise.orthogonal:OrthogonalMasking",
    "pram": "pram.given:Pram",
    "pram-generated": "pram.generated:GeneratedPram",
    "pram-invariant": "pram.invariant:InvariantPram",
    "random-rounding": "coding.random_rounding:RandomRounding",
    "rank-swapping": "swapping.rank_swapping:RankSwapping",
    "rare-categories": "coding.rare_categories:RareCategories",
    "record-swapping": "swapping.record_swapping:RecordSwapping",
    "robust-noise": "noise.robust:RobustNoise",
    "rounding": "coding.rounding:Rounding",
    "sampling": "sampling:Sampling",
    "single-axis": "microaggregation.single_axis:SingleAxis",
    "synthetic-copula": "synthetic.copula:SyntheticCopula",
    "synthetic-marginals": "synthetic.private.marginals:SyntheticMarginals",
    "synthetic-trees": "synthetic.trees:SyntheticTrees",
    "t-close-microaggregation": "microaggregation.t_close:TCloseMicroaggregation",
    "top-bottom-coding": "coding.top_bottom_coding:TopBottomCoding",
    "uncorrelated-noise": "noise.uncorrelated:UncorrelatedNoise",
    "v-mdav": "microaggregation.v_mdav:VMdav",
    "ward": "microaggregation.ward:Ward",
    "weight-calibration": "weights.weight_calibration:WeightCalibration",
    "weight-noise": "weights.weight_noise:WeightNoise",
}
"""The module and class of each method: a method is imported when it is used."""

_ENTERED: dict[str, type[Method]] = {}


def names() -> tuple[str, ...]:
    """Return the names of all methods."""
    return tuple(sorted({*_HOMES, *_ENTERED}))


def enter(method: type[Method]) -> None:
    """Let recipes name a method of one's own; see `masking.contract` for what it has to keep to."""
    _ENTERED[method.name] = method


def named(name: str) -> type[Method]:
    """Return the class of a method, or raise with the nearest name."""
    if name in _ENTERED:
        return _ENTERED[name]
    if name not in _HOMES:
        raise UsageError(f"no method '{name}'{did_you_mean(name, names())}", do=f"use one of: {listed(names(), 99)}")
    module, _, member = _HOMES[name].partition(":")
    found: type[Method] = getattr(importlib.import_module(f"tacita.masking.{module}"), member)
    return found


def made(name: str, parameters: Mapping[str, object], *, where: str = "") -> Method:
    """Return a method with parameters as a recipe gives them; all faults are told together."""
    return built(named(name), name, parameters, where=where)
