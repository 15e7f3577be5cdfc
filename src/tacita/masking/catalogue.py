"""The methods of masking that a recipe can name; `contract` says what a method of one's own has to keep to."""

from __future__ import annotations

from tacita.catalogue import Catalogue
from tacita.masking.method import Method

METHODS: Catalogue[Method] = Catalogue(
    "method",
    "tacita.masking",
    {
        "anatomy": "anatomy:Anatomy",
        "blocked-mdav": "microaggregation.blocked_mdav:BlockedMdav",
        "correlated-noise": "noise.additive:CorrelatedNoise",
        "data-shuffling": "swapping.shuffling:DataShuffling",
        "data-swapping": "swapping.data_swapping:DataSwapping",
        "differential-privacy-after-microaggregation": "noise.after_microaggregation:NoiseAfterMicroaggregation",
        "differential-privacy-noise": "noise.differential_privacy:DifferentialPrivacyNoise",
        "hybrid": "synthetic.hybrid:Hybrid",
        "individual-ranking": "microaggregation.univariate:IndividualRanking",
        "mdav": "microaggregation.mdav:Mdav",
        "mixed-microaggregation": "microaggregation.mixed:MixedMicroaggregation",
        "multiplicative-noise": "noise.multiplicative:MultiplicativeNoise",
        "noise-with-linear-transformation": "noise.linear_transformation:NoiseWithLinearTransformation",
        "noise-with-non-linear-transformation": "noise.nonlinear_transformation:NoiseWithNonLinearTransformation",
        "optimal-univariate": "microaggregation.univariate:OptimalUnivariate",
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
        "uncorrelated-noise": "noise.additive:UncorrelatedNoise",
        "v-mdav": "microaggregation.v_mdav:VMdav",
        "ward": "microaggregation.ward:Ward",
        "weight-calibration": "weights.weight_calibration:WeightCalibration",
        "weight-noise": "weights.weight_noise:WeightNoise",
    },
)
"""Methods from records to records."""

enter = METHODS.enter
