"""The methods of masking that a recipe can name; `contract` says what a method of one's own has to keep to."""

from __future__ import annotations

from tacita.catalogue import Catalogue
from tacita.masking.method import FACTS, Method

METHODS: Catalogue[Method] = Catalogue(
    "method",
    "tacita.masking",
    {
        "mdav": "microaggregation.mdav:Mdav",
        "v-mdav": "microaggregation.v_mdav:VMdav",
        "blocked-mdav": "microaggregation.blocked_mdav:BlockedMdav",
        "individual-ranking": "microaggregation.univariate:IndividualRanking",
        "mixed-microaggregation": "microaggregation.mixed:MixedMicroaggregation",
        "optimal-univariate": "microaggregation.univariate:OptimalUnivariate",
        "single-axis": "microaggregation.single_axis:SingleAxis",
        "t-close-microaggregation": "microaggregation.t_close:TCloseMicroaggregation",
        "ward": "microaggregation.ward:Ward",
        "rank-swapping": "swapping.rank_swapping:RankSwapping",
        "data-shuffling": "swapping.shuffling:DataShuffling",
        "data-swapping": "swapping.data_swapping:DataSwapping",
        "record-swapping": "swapping.record_swapping:RecordSwapping",
        "correlated-noise": "noise.additive:CorrelatedNoise",
        "uncorrelated-noise": "noise.additive:UncorrelatedNoise",
        "differential-privacy-after-microaggregation": "noise.after_microaggregation:NoiseAfterMicroaggregation",
        "differential-privacy-noise": "noise.differential_privacy:DifferentialPrivacyNoise",
        "multiplicative-noise": "noise.multiplicative:MultiplicativeNoise",
        "noise-with-linear-transformation": "noise.linear_transformation:NoiseWithLinearTransformation",
        "noise-with-non-linear-transformation": "noise.nonlinear_transformation:NoiseWithNonLinearTransformation",
        "orthogonal-masking": "noise.orthogonal:OrthogonalMasking",
        "robust-noise": "noise.robust:RobustNoise",
        "pram-invariant": "pram.invariant:InvariantPram",
        "pram": "pram.given:Pram",
        "pram-generated": "pram.generated:GeneratedPram",
        "random-rounding": "coding.random_rounding:RandomRounding",
        "rare-categories": "coding.rare_categories:RareCategories",
        "rounding": "coding.rounding:Rounding",
        "truncation": "coding.truncation:Truncation",
        "top-bottom-coding": "coding.top_bottom_coding:TopBottomCoding",
        "synthetic-trees": "synthetic.trees:SyntheticTrees",
        "synthetic-copula": "synthetic.copula:SyntheticCopula",
        "hybrid": "synthetic.hybrid:Hybrid",
        "synthetic-marginals": "synthetic.private.marginals:SyntheticMarginals",
        "weight-calibration": "weights.weight_calibration:WeightCalibration",
        "weight-noise": "weights.weight_noise:WeightNoise",
        "anatomy": "anatomy:Anatomy",
        "sampling": "sampling:Sampling",
    },
    FACTS,
)
"""Methods from records to records, in the order in which an exploration tries them."""

enter = METHODS.enter
