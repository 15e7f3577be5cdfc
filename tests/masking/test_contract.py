"""Every method of the catalogue keeps to the contract, on data with missing values, ties, text and whole numbers."""

import numpy as np
import pytest
from tests.masking.every_method import example

from tacita.masking.catalogue import METHODS
from tacita.masking.contract import breaches
from tacita.model.records import Categories, Numbers, Records

NUMBERS = {"attributes": ["income", "age"]}
CATEGORIES = {"attributes": ["region"]}
BOUNDS = {"income": [0.0, 200.0], "age": [0.0, 120.0]}
EXAMPLES = {
    "anatomy": {"sensitive": "region", "l": 2},
    "blocked-mdav": {**NUMBERS, "k": 3},
    "correlated-noise": NUMBERS,
    "data-shuffling": {"attributes": ["income"], "predictors": ["age"]},
    "data-swapping": CATEGORIES,
    "differential-privacy-after-microaggregation": {"epsilon": 1.0, "bounds": {"weight": [0.0, 4.0]}, "k": 5},
    "differential-privacy-noise": {"epsilon": 1.0, "bounds": BOUNDS, "missing": "shown"},
    "hybrid": {"attributes": ["income", "weight"], "k": 3},
    "individual-ranking": {**NUMBERS, "k": 3},
    "mdav": {**NUMBERS, "k": 3},
    "mixed-microaggregation": {"attributes": ["income", "region", "size"], "k": 3},
    "multiplicative-noise": NUMBERS,
    "noise-with-linear-transformation": NUMBERS,
    "noise-with-non-linear-transformation": NUMBERS,
    "optimal-univariate": {"attributes": ["income"], "k": 3},
    "orthogonal-masking": {"attributes": ["weight"]},
    "pram": {"attribute": "ill", "matrix": {"yes": {"yes": 0.9, "no": 0.1}, "no": {"yes": 0.1, "no": 0.9}}},
    "pram-generated": CATEGORIES,
    "pram-invariant": CATEGORIES,
    "random-rounding": {**NUMBERS, "base": 5.0},
    "rank-swapping": NUMBERS,
    "rare-categories": {"attributes": ["region"], "fewer_than": 20},
    "record-swapping": {"areas": ["region"], "similar": [["size"]]},
    "robust-noise": NUMBERS,
    "rounding": {**NUMBERS, "base": 5.0},
    "sampling": {"share": 0.5},
    "single-axis": {**NUMBERS, "k": 3},
    "synthetic-copula": {},
    "synthetic-marginals": {
        "epsilon": 10.0,
        "bounds": {**BOUNDS, "weight": [0.0, 4.0]},
        "categories": {"region": ["north", "south", "east"], "size": ["small", "large"], "ill": ["yes", "no"]},
        "may_be_missing": ["income", "age", "ill"],
    },
    "synthetic-trees": {},
    "t-close-microaggregation": {"attributes": ["income"], "confidential": "size", "t": 0.3, "k": 3},
    "top-bottom-coding": {"attributes": ["income"], "top": 40.0},
    "uncorrelated-noise": NUMBERS,
    "v-mdav": {**NUMBERS, "k": 3},
    "ward": {**NUMBERS, "k": 3},
    "weight-calibration": {"weight": "weight", "totals": {"region": {"north": 60.0, "south": 70.0, "east": 50.0}}},
    "weight-noise": {"weight": "weight"},
}
UNREPEATABLE = {"differential-privacy-after-microaggregation", "differential-privacy-noise", "synthetic-marginals"}
"""Their noise is drawn by opendp, and nobody may be able to repeat it."""


ALONE = {"differential-privacy-after-microaggregation": ("weight",)}
"""Other attributes would tell who is in which group, and are refused."""


@pytest.fixture(scope="module")
def people():
    random = np.random.default_rng(8)
    n = 90
    income = np.round(random.lognormal(3, 0.6, n), 1)
    age = random.integers(18, 90, n).astype(float)
    income[[4, 5, 6]] = np.nan
    age[[4, 5, 6]] = np.nan
    return Records(
        {
            "region": Categories.of(list(random.choice(["north", "south", "east"], n))),
            "size": Categories.of(list(random.choice(["small", "large"], n)), order=["small", "large"]),
            "income": Numbers(income),
            "age": Numbers(age, is_whole=True),
            "ill": Categories.of([None if i in {1, 2} else v for i, v in enumerate(random.choice(["yes", "no"], n))]),
            "weight": Numbers(random.uniform(1, 3, n)),
        }
    )


@pytest.mark.parametrize("name", METHODS.names())
def test_the_contract_is_kept(name, people):
    method = METHODS.make(name, EXAMPLES.get(name, example(name, people)))
    found = breaches(method, people.only(ALONE.get(name, people.names)))
    assert found == []
    assert METHODS.fact(name, "is_repeatable") == (name not in UNREPEATABLE)


@pytest.mark.parametrize("name", METHODS.names())
def test_what_holds_is_said_in_sentences(name):
    method = METHODS.named(name)
    for said in (method.promises, method.limits):
        assert said[0].isupper()
        assert said.endswith(".")
