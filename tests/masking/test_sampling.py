"""Sampling: every record with its probability, and weights that keep totals without bias."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from tacita.errors import InputError, TacitaError
from tacita.masking.catalogue import METHODS as CATALOGUE
from tacita.masking.contract import breaches
from tacita.masking.sampling import Sampling
from tacita.masking.within import treated_within
from tacita.model.records import Categories, Numbers, Records


def people(count: int = 40, *, is_whole: bool = False) -> Records:
    weights = np.arange(count, dtype=float) % 7
    area = Categories((np.arange(count) % 3 == 0).astype(np.int32), ("north", "south"))
    return Records({"x": Numbers(np.arange(count, dtype=float)), "w": Numbers(weights, is_whole), "area": area})


METHODS = [
    Sampling(share=0.3),
    Sampling(share=0.31, weight="w"),
    Sampling(size=7, weight="w"),
    Sampling(share=0.3, weight="w", proportional=True),
    Sampling(size=9, weight="w", proportional=True),
]


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_contract(method: Sampling) -> None:
    assert breaches(method, people()) == []


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_records_are_drawn_with_their_probability_and_totals_are_unbiased(method: Sampling) -> None:
    records, random, runs = people(), np.random.default_rng(4), 1200
    weights = records.numbers("w").values
    times, totals = np.zeros(len(records)), []
    for _ in range(runs):
        found = method.treated(records, random)
        assert found.origin is not None and len(set(found.origin.tolist())) == len(found.origin)
        times[found.origin] += 1
        if method.weight:
            totals.append(found.records.numbers("w").values @ (1 + found.records.numbers("x").values))
    size = method.size or (method.share or 0) * len(records)
    expected = size * (weights / weights.sum() if method.proportional else np.full(len(records), 1 / len(records)))
    assert times[expected == 0].sum() == 0
    spread = np.sqrt(runs * expected * (1 - expected))
    assert np.all(np.abs(times - runs * expected) <= 4.5 * spread)
    if method.weight:
        truth = weights @ (1 + records.numbers("x").values)
        assert abs(stats.ttest_1samp(totals, truth).statistic) < 4


@pytest.mark.slow
def test_small_strata_are_mostly_left_out_and_still_unbiased() -> None:
    records = Records({"area": Categories.of(["a", "b", "b"]), "w": Numbers.of([1, 1, 1.0])})
    random, method = np.random.default_rng(1), Sampling(share=0.25, weight="w")
    runs = [treated_within(method, records, ["area"], random).records for _ in range(1500)]
    sizes = np.array([len(run) for run in runs])
    assert abs(sizes.mean() - 0.75) < 4 * sizes.std() / np.sqrt(len(runs))
    sums = np.array([run.numbers("w").values.sum() for run in runs])
    assert abs(sums.mean() - 3) < 4 * sums.std() / np.sqrt(len(runs))
    proportional = Sampling(share=0.25, weight="w", proportional=True)
    sums = np.array([proportional.treated(records, random).records.numbers("w").values.sum() for _ in range(1500)])
    assert abs(sums.mean() - 3) < 4 * sums.std() / np.sqrt(len(sums))


def test_heavy_records_are_taken_for_sure() -> None:
    records = Records({"w": Numbers.of([1000.0, *[1.0] * 20])})
    method = Sampling(size=5, weight="w", proportional=True)
    for seed in range(20):
        found = method.treated(records, np.random.default_rng(seed))
        assert found.origin is not None and found.origin[0] == 0 and len(found.origin) == 5
        assert found.records.numbers("w").values.tolist() == pytest.approx([1000, 5, 5, 5, 5])
        assert any("1 records were drawn for sure" in note for note in found.notes)


def test_what_is_said() -> None:
    assert any("N/n" in note for note in Sampling(share=0.5).treated(people(), np.random.default_rng(1)).notes)
    found = Sampling(size=40, weight="w").treated(people(), np.random.default_rng(1))
    assert len(found.notes) == 1 and found.figures["sampling fraction"] == 1


def test_whole_weights_stay_whole() -> None:
    records = people(is_whole=True)
    found = Sampling(size=17, weight="w").treated(records, np.random.default_rng(1)).records.numbers("w")
    assert found.is_whole and np.all(found.values == np.rint(found.values))
    exact = Sampling(size=17, weight="w").treated(people(), np.random.default_rng(1)).records.numbers("w").values
    assert abs(found.values.sum() - exact.sum()) < 1


@pytest.mark.parametrize(
    "given",
    [{}, {"share": 0.1, "size": 3}, {"share": 1.0}, {"share": 0.0}, {"size": 0}, {"size": 3, "proportional": True}],
)
def test_wrong_parameters(given: dict[str, Any]) -> None:
    with pytest.raises(TacitaError) as caught:
        CATALOGUE.make("sampling", given)
    assert caught.value.do


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, -1, 2], "missing or negative"),
        ([1, None, 2], "missing or negative"),
        ([1, 0, 0], "only 1 records"),
        ([1, np.inf, 2], "infinite"),
    ],
)
def test_weights_that_cannot_be(weights: list[Any], said: str) -> None:
    method = Sampling(size=2, weight="w", proportional=True)
    with pytest.raises(InputError, match=said):
        method.treated(Records({"w": Numbers.of(weights)}), np.random.default_rng(1))


def test_a_sample_larger_than_the_file_is_refused() -> None:
    with pytest.raises(InputError, match="of 41 is wanted of 40"):
        Sampling(size=41).treated(people(), np.random.default_rng(1))
