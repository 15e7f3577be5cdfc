"""Every method of noise keeps to the contract, and meets bad input with a sentence."""

from __future__ import annotations

import numpy as np
import pytest
from tests.masking.noise.samples import mixed

from tacita.errors import InputError, UsageError
from tacita.masking.catalogue import METHODS
from tacita.masking.contract import breaches
from tacita.masking.method import Method
from tacita.masking.within import treated_within
from tacita.model.records import Numbers, Records

NAMES = ["age", "income", "wealth", "one"]
BOUNDS = {"age": [0, 100], "income": [0, 10000], "wealth": [0, 500]}
BY_SEED: dict[str, dict[str, object]] = {
    "uncorrelated-noise": {"attributes": NAMES},
    "correlated-noise": {"attributes": NAMES},
    "noise-with-linear-transformation": {"attributes": NAMES},
    "noise-with-non-linear-transformation": {"attributes": NAMES},
    "multiplicative-noise": {"attributes": NAMES, "per_record": True},
    "robust-noise": {"attributes": NAMES},
}
PRIVATE = {
    "differential-privacy-noise": {"bounds": BOUNDS, "epsilon": 1, "missing": "shown"},
    "differential-privacy-after-microaggregation": {
        "bounds": {"age": [0, 100], "income": [0, 10000]},
        "epsilon": 1,
        "k": 5,
        "by": ["school", "wealth"],
    },
}
NOT_REPEATABLE = "it does not give the same again for the same seed"


@pytest.mark.parametrize("name", BY_SEED)
def test_methods_keep_to_the_contract(name: str) -> None:
    assert breaches(METHODS.make(name, BY_SEED[name]), mixed()) == []


def test_mixing_keeps_to_the_contract() -> None:
    assert (
        breaches(METHODS.make("orthogonal-masking", {"attributes": ["age", "income", "one"], "block": 7}), mixed())
        == []
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", PRIVATE)
def test_private_methods_keep_to_all_but_the_seed(name: str) -> None:
    assert set(breaches(METHODS.make(name, PRIVATE[name]), mixed())) <= {NOT_REPEATABLE}
    assert not METHODS.named(name).is_repeatable  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [*BY_SEED, *PRIVATE])
def test_within_strata(name: str) -> None:
    method = METHODS.make(name, {**BY_SEED, **PRIVATE}[name])
    found = treated_within(method, mixed(200), ["region"], np.random.default_rng(1))
    assert found.origin is not None and np.array_equal(found.origin, np.arange(200))


@pytest.mark.parametrize("name", BY_SEED)
def test_constants_missing_and_types(name: str) -> None:
    records = mixed()
    found = METHODS.make(name, BY_SEED[name]).treated(records, np.random.default_rng(3)).records
    for each in NAMES:
        assert np.array_equal(found[each].missing, records[each].missing)
        assert found.numbers(each).is_whole == records.numbers(each).is_whole
        changed = (found.numbers(each).values != records.numbers(each).values) & ~records[each].missing
        assert changed.any() == (each != "one" or name == "multiplicative-noise")


def test_a_constant_is_told() -> None:
    for name in set(BY_SEED) - {"multiplicative-noise"}:
        found = METHODS.make(name, BY_SEED[name]).treated(mixed(), np.random.default_rng(3))
        assert "'one' does not vary and gets no noise" in found.notes


@pytest.mark.parametrize("name", BY_SEED)
def test_infinite_values_are_refused(name: str) -> None:
    records = Records({"x": Numbers.of([1.0, np.inf, 3.0, 4.0])})
    parameters = {**BY_SEED[name], "attributes": ["x"]}
    with pytest.raises(InputError, match="1 infinite value"):
        METHODS.make(name, parameters).treated(records, np.random.default_rng(1))


def test_both_infinities_are_counted() -> None:
    records = Records({"x": Numbers.of([-np.inf, np.inf, None, 4.0])})
    with pytest.raises(InputError, match="2 infinite values"):
        METHODS.make("uncorrelated-noise", {"attributes": ["x"]}).treated(records, np.random.default_rng(1))


@pytest.mark.parametrize("name", sorted(set(BY_SEED) - {"multiplicative-noise"}))
def test_squares_that_overflow_are_refused(name: str) -> None:
    for missing in ([], [None]):
        records = Records({"x": Numbers.of([1e308, 1e308, -1e308, 1.7e308, 1e200, *missing])})
        with pytest.raises(InputError, match="too large to add up"):
            METHODS.make(name, {"attributes": ["x"]}).treated(records, np.random.default_rng(1))


@pytest.mark.parametrize("name", sorted(set(BY_SEED) - {"multiplicative-noise"}))
def test_a_single_value_is_refused(name: str) -> None:
    records = Records({"x": Numbers.of([1.0, None, None, None])})
    with pytest.raises(InputError) as error:
        METHODS.make(name, {**BY_SEED[name], "attributes": ["x"]}).treated(records, np.random.default_rng(1))
    assert error.value.do


@pytest.mark.parametrize("name", BY_SEED)
def test_names_and_amounts_are_checked(name: str) -> None:
    with pytest.raises(UsageError, match="names no attribute"):
        METHODS.make(name, {"attributes": []})
    with pytest.raises(UsageError, match="more than once"):
        METHODS.make(name, {"attributes": ["x", "x"]})
    for wrong in (0, -1.0, np.inf, np.nan):
        with pytest.raises(UsageError, match="is not above 0"):
            METHODS.make(
                name, {"attributes": ["x"], ("deviation" if name == "multiplicative-noise" else "alpha"): wrong}
            )


@pytest.mark.parametrize("name", BY_SEED)
def test_categories_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="'job' is not a number"):
        METHODS.make(name, {"attributes": ["job"]}).treated(mixed(), np.random.default_rng(1))


def test_every_method_is_in_the_catalogue() -> None:
    for name in [*BY_SEED, *PRIVATE]:
        assert METHODS.named(name).name == name
        assert isinstance(METHODS.make(name, {**BY_SEED, **PRIVATE}[name]), Method)
