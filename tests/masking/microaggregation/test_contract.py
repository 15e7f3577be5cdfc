"""What all methods of the room keep to, and how they meet bad input."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tacita.errors import InputError, TacitaError, UsageError
from tacita.masking.catalogue import METHODS
from tacita.masking.contract import breaches
from tacita.masking.method import Method
from tacita.masking.microaggregation.blocked_mdav import BlockedMdav
from tacita.masking.microaggregation.mdav import Mdav
from tacita.masking.microaggregation.v_mdav import VMdav
from tacita.masking.within import treated_within
from tacita.model.records import Numbers, Records

from .samples import groups_of, people, treated

NUMBERS = ("age", "income", "height")
TOGETHER = ["mdav", "v-mdav", "blocked-mdav", "single-axis", "ward", "mixed-microaggregation"]
APART = ["individual-ranking", "optimal-univariate"]
ALL = [*TOGETHER, *APART, "t-close-microaggregation"]


def made(name: str, attributes: tuple[str, ...] = NUMBERS, k: int = 3) -> Method:
    further = {"confidential": "colour", "t": 0.5} if name == "t-close-microaggregation" else {}
    return METHODS.make(name, {"attributes": list(attributes), "k": k, **further})


def with_missing(records: Records) -> Records:
    ages = records.numbers("age").values.copy()
    ages[::4] = np.nan
    return records.with_columns({"age": Numbers(ages, True)})


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("change", [lambda records: records, with_missing])
def test_every_method_keeps_to_the_contract(name: str, change: Callable[[Records], Records]) -> None:
    assert breaches(made(name), change(people())) == []


@pytest.mark.parametrize("name", ALL)
def test_missing_stays_missing_and_groups_do_not_mix(name: str) -> None:
    records = with_missing(people())
    found = treated(made(name), records)
    missing = records.numbers("age").missing
    assert np.array_equal(found.records.numbers("age").missing, missing)
    assert np.nanmean(found.records.numbers("age").values) == pytest.approx(np.nanmean(records.numbers("age").values))
    if name not in APART:
        assert not {*groups_of(found)[missing].tolist()} & {*groups_of(found)[~missing].tolist()}


@pytest.mark.parametrize("name", [*TOGETHER, "t-close-microaggregation"])
def test_a_pattern_of_missing_values_that_few_share_is_refused(name: str) -> None:
    ages = people().numbers("age").values.copy()
    ages[:2] = np.nan
    with pytest.raises(InputError, match="2 records lack values in 1 of 2 patterns that fewer than 3") as caught:
        treated(made(name), people().with_columns({"age": Numbers(ages)}))
    assert caught.value.do


@pytest.mark.parametrize("name", ALL)
def test_infinite_values_are_refused_by_number(name: str) -> None:
    incomes = people().numbers("income").values.copy()
    incomes[[3, 5]] = [np.inf, -np.inf]
    with pytest.raises(InputError, match="'income' is infinite in 2 records"):
        treated(made(name), people().with_columns({"income": Numbers(incomes)}))


@pytest.mark.parametrize("name", ALL)
def test_fewer_records_than_k_are_refused(name: str) -> None:
    for size in (0, 1, 2):
        with pytest.raises(InputError, match="cannot form a group of 3"):
            treated(made(name), people().taken(np.arange(size)))
    with pytest.raises(InputError, match="60 records cannot form a group of 61"):
        treated(made(name, k=61), people())


@pytest.mark.parametrize("name", ALL)
def test_constant_attributes_are_kept_and_cost_nothing(name: str) -> None:
    size = 20
    records = people(size).with_columns({"age": Numbers(np.full(size, 0.1)), "height": Numbers(np.full(size, 7.7))})
    found = treated(made(name), records)
    assert {*found.records.numbers("age").values.tolist()} == {0.1}
    assert 0 < found.figures["SSE/SST"] < 1
    alone = treated(made(name, ("age", "height")), records)
    assert alone.figures["SSE/SST"] == 0


@pytest.mark.parametrize("name", [*TOGETHER, "t-close-microaggregation"])
def test_one_value_for_every_record(name: str) -> None:
    records = people(25).with_columns({n: Numbers(np.ones(25)) for n in NUMBERS})
    assert np.bincount(groups_of(treated(made(name), records))).min() >= 3


@pytest.mark.parametrize("name", ALL)
def test_bad_parameters_are_refused(name: str) -> None:
    for attributes, k, text in ((NUMBERS, 1, "k is 1"), ((), 3, "no attribute"), (("age", "age"), 3, "twice")):
        with pytest.raises(UsageError, match=text):
            made(name, attributes, k)
    with pytest.raises(TacitaError):
        treated(made(name, ("weight",)), people())


def test_parameters_of_one_method_are_checked() -> None:
    with pytest.raises(UsageError, match="gamma"):
        VMdav(("age",), gamma=-1.0)
    with pytest.raises(UsageError, match="blocks of 5"):
        BlockedMdav(("age",), block=5)


@pytest.mark.parametrize("name", ["mdav", "individual-ranking", "ward"])
def test_values_too_large_to_square_are_refused(name: str) -> None:
    records = Records({"a": Numbers.of([1e300, -1e300, 0.0, 1.0])})
    with pytest.raises(InputError, match="too large"):
        treated(made(name, ("a",)), records)


@pytest.mark.parametrize("name", ALL)
def test_strata_are_treated_by_themselves(name: str) -> None:
    records = people(90)
    method = made(name, ("age", "income"))
    if name == "t-close-microaggregation":
        method = METHODS.make(name, {"attributes": ["age", "income"], "confidential": "height", "t": 0.5})
    found = treated_within(method, records, ["colour"], np.random.default_rng(0))
    colours = records.categories("colour").codes
    assert found.figures["SSE/SST"] > 0
    if name in TOGETHER:
        assert all(len({*colours[groups_of(found) == g].tolist()}) == 1 for g in range(groups_of(found).max() + 1))


def test_whole_numbers_stay_whole_numbers_to_be() -> None:
    assert treated(Mdav(("age",)), people()).records.numbers("age").is_whole
