"""Population uniques: estimates against populations whose truth is known, and formulas against brute force."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations as subsets
from itertools import product
from math import comb, exp, factorial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita
from tacita.engines.duckdb import DuckDBEngine
from tacita.errors import UsageError
from tacita.model.attribute import Attribute, Category
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata, Source
from tacita.risk.combinations import Codes, codes
from tacita.risk.null_semantics import Nulls
from tacita.risk.population.estimators.log_linear import LogLinearModel, fitted
from tacita.risk.population.estimators.pitman import fit, log_likelihood, pitman, staying_alone
from tacita.risk.population.estimators.slide_negative_binomial import (
    expected,
    population_classes,
    slide_negative_binomial,
)
from tacita.risk.population.estimators.spectrum import Spectrum, spectrum
from tacita.risk.population.estimators.zayatz import exactly_one, zayatz
from tacita.risk.population.log_linear import LogLinear
from tacita.risk.population.population_uniqueness import PopulationUniqueness
from tacita.risk.sample import Sample

pytestmark = pytest.mark.slow

ESTIMATORS = (zayatz, slide_negative_binomial, pitman)
Array = np.ndarray[Any, np.dtype[Any]]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBEngine]:
    from tacita.settings import Settings

    folder = tmp_path_factory.mktemp("engine")
    with DuckDBEngine(Settings(state=folder / "state", spill=folder)) as engine:
        yield engine


def spectrum_of(counts: Array) -> Spectrum:
    return Spectrum(*np.unique(counts[counts > 0], return_counts=True))


@cache
def mixture(seed: int, size: int, levels: tuple[int, ...] = (8, 6, 10, 5, 12)) -> Array:
    """A population of attributes that hang together: six latent groups, each with skewed shares of its own."""
    random = np.random.default_rng(seed)
    group = random.choice(6, size, p=random.dirichlet(np.ones(6)))
    columns = []
    for n in levels:
        shares = np.cumsum(random.dirichlet(np.full(n, 0.7), size=6), axis=1)
        columns.append((random.random(size)[:, None] > shares[group]).sum(axis=1).clip(0, n - 1))
    return np.stack(columns, axis=1)


class Drawn:
    """A sample of a population, with its truth."""

    def __init__(self, population: Array, fraction: float, seed: int) -> None:
        self.size = len(population)
        chosen = np.random.default_rng(seed).permutation(self.size)[: round(self.size * fraction)]
        cells, where = np.unique(population, axis=0, return_inverse=True)
        where = where.reshape(-1)
        self.in_population = np.bincount(where, minlength=len(cells))
        self.in_sample = np.bincount(where[chosen], minlength=len(cells))
        alone = self.in_sample == 1
        self.true_records = int((alone & (self.in_population == 1)).sum())
        self.true_uniques = int((self.in_population == 1).sum())
        self.true_matches = float((1 / self.in_population[alone]).sum())
        self.spectrum = spectrum_of(self.in_sample)
        seen = self.in_sample > 0
        if population.ndim == 2:
            counts = self.in_sample[seen]
            self.codes = Codes(cells[seen].astype(np.int32), counts, counts.astype(float), ())


# --- populations with a known truth ---


@pytest.mark.parametrize(("fraction", "off"), [(0.01, 0.3), (0.05, 0.1), (0.1, 0.1), (0.3, 0.1), (0.6, 0.12)])
def test_two_way_model_finds_the_truth_of_a_mixture(fraction: float, off: float) -> None:
    drawn = Drawn(mixture(1, 200_000), fraction, 1)
    fit_ = fitted(drawn.codes, drawn.size, LogLinearModel.TWO_WAY)
    counts = drawn.codes.counts
    assert fit_.notes == ()
    assert fit_.unique(counts).sum() == pytest.approx(drawn.true_records, rel=off)
    assert fit_.risk(counts)[counts == 1].sum() == pytest.approx(drawn.true_matches, rel=0.06)


def test_independence_sees_too_many_uniques_where_attributes_hang_together() -> None:
    drawn = Drawn(mixture(1, 200_000), 0.05, 1)
    simple, rich = (fitted(drawn.codes, drawn.size, m).unique(drawn.codes.counts).sum() for m in LogLinearModel)
    assert simple > 1.3 * drawn.true_records
    assert abs(rich - drawn.true_records) < abs(simple - drawn.true_records) / 3


def chinese_restaurant(seed: int, size: int, theta: float, alpha: float) -> Array:
    """A population drawn from Pitman's model, one member after the other."""
    random = np.random.default_rng(seed)
    chance, table = random.random(size), np.zeros(size, dtype=np.int64)
    guests: list[int] = [1]
    for i in range(1, size):
        if chance[i] < (theta + len(guests) * alpha) / (theta + i):
            table[i] = len(guests)
            guests.append(1)
            continue
        while True:  # a table with chance guests - alpha: take one by guests, refuse with alpha / guests
            found = table[random.integers(i)]
            if random.random() * guests[found] >= alpha:
                break
        table[i] = found
        guests[found] += 1
    return table[:, None]


def test_pitman_finds_the_truth_of_its_own_population() -> None:
    population = chinese_restaurant(5, 40_000, 150, 0.5)
    for fraction, off in ((0.05, 0.25), (0.1, 0.2), (0.5, 0.08)):
        drawn = Drawn(population, fraction, 3)
        found = fit(drawn.spectrum)
        assert found is not None
        assert found[1] == pytest.approx(0.5, abs=0.06)
        estimate = pitman(drawn.spectrum, drawn.size)
        assert estimate.records == pytest.approx(drawn.true_records, rel=off)
        assert estimate.population_uniques == pytest.approx(drawn.true_uniques, rel=off)


def test_slide_negative_binomial_finds_the_truth_of_its_own_population() -> None:
    sizes = 1 + np.random.default_rng(9).negative_binomial(0.6, 0.1, 30_000)
    population = np.repeat(np.arange(len(sizes)), sizes)[:, None]
    for fraction in (0.3, 0.6):
        drawn = Drawn(population, fraction, 2)
        assert population_classes(drawn.spectrum, fraction) == pytest.approx(30_000, rel=0.06)
        estimate = slide_negative_binomial(drawn.spectrum, drawn.size)
        assert estimate.records == pytest.approx(drawn.true_records, rel=0.06)
        assert estimate.population_uniques == pytest.approx(drawn.true_uniques, rel=0.06)


def test_zayatz_is_near_for_large_fractions_and_too_high_for_small_ones() -> None:
    population = mixture(1, 200_000)
    half, hundredth = Drawn(population, 0.6, 1), Drawn(population, 0.01, 1)
    assert zayatz(half.spectrum, half.size).records == pytest.approx(half.true_records, rel=0.06)
    high = zayatz(hundredth.spectrum, hundredth.size).records
    assert high is not None
    assert high > 5 * hundredth.true_records


# --- formulas against brute force ---


def test_exactly_one_is_hypergeometric() -> None:
    for size, drawn, everyone in product((1, 2, 3), (1, 2, 4), (4, 6)):
        ways = sum(len({*range(size)} & set(chosen)) == 1 for chosen in subsets(range(everyone), drawn))
        found = exactly_one(np.array([size]), drawn, everyone)[0]
        assert found == pytest.approx(ways / comb(everyone, drawn), abs=1e-12)


def partitions(n: int) -> Iterator[tuple[list[int], float]]:
    """Every way in which n members come to sit, with the sizes of classes: theta 1.3, alpha 0.4."""

    def grow(sizes: list[int], chance: float) -> Iterator[tuple[list[int], float]]:
        i = sum(sizes)
        if i == n:
            yield sizes, chance
            return
        yield from grow([*sizes, 1], chance * (1.3 + 0.4 * len(sizes)) / (1.3 + i))
        for place, size in enumerate(sizes):
            grown = [*sizes[:place], size + 1, *sizes[place + 1 :]]
            yield from grow(grown, chance * (size - 0.4) / (1.3 + i))

    yield from grow([1], 1.0)


def test_pitman_against_all_partitions() -> None:
    """The chance of staying alone, and the likelihood, from every history of six members."""
    begun: dict[bool, float] = {True: 0.0, False: 0.0}
    for sizes, chance in partitions(6):
        likelihood = exp(log_likelihood(1.3, 0.4, spectrum_of(np.array(sizes))))
        assert chance == pytest.approx(likelihood)
        begun[sizes[0] == 1] += chance
    assert begun[True] + begun[False] == pytest.approx(1)
    assert staying_alone(1.3, 0.4, 1, 6) == pytest.approx(begun[True])


def test_pitman_uniques_of_a_grown_population_against_all_partitions() -> None:
    """Given three members in classes of 2 and 1, what is expected of six: the sum over all that can follow."""
    total = uniques = kept = 0.0

    def grow(sizes: list[int], chance: float) -> None:
        nonlocal total, uniques, kept
        i = sum(sizes)
        if i == 6:
            total += chance
            uniques += chance * sizes.count(1)
            kept += chance * (sizes[1] == 1)
            return
        grow([*sizes, 1], chance * (1.3 + 0.4 * len(sizes)) / (1.3 + i))
        for place, size in enumerate(sizes):
            grow([*sizes[:place], size + 1, *sizes[place + 1 :]], chance * (size - 0.4) / (1.3 + i))

    grow([2, 1], 1.0)
    assert total == pytest.approx(1)
    alone = staying_alone(1.3, 0.4, 3, 6)
    assert kept == pytest.approx(alone)
    opened = (1.3 + 2 * 0.4) / (1.3 + 3) * staying_alone(1.3, 0.4, 4, 6)
    assert uniques == pytest.approx(alone + 3 * opened)


def test_pitman_is_near_the_limit_that_hoshino_uses() -> None:
    from scipy.special import gammaln

    drawn = Drawn(mixture(1, 200_000), 0.1, 1)
    found = fit(drawn.spectrum)
    assert found is not None
    theta, alpha = found
    limit = np.exp(gammaln(theta + 1) - gammaln(theta + alpha)) * drawn.size**alpha
    assert pitman(drawn.spectrum, drawn.size).population_uniques == pytest.approx(limit, rel=0.05)


def test_slide_negative_binomial_equations_against_sums() -> None:
    a, b, p, k = 0.7, 0.2, 0.3, 1000.0

    def chance(x: int) -> float:
        grown = 1.0
        for i in range(x):
            grown *= (a + i) * (1 - b) / (i + 1)
        return grown * b**a

    ones = sum(chance(x) * (1 + x) * p * (1 - p) ** x for x in range(500))
    twos = sum(chance(x) * comb(1 + x, 2) * p**2 * (1 - p) ** (x - 1) for x in range(1, 500))
    assert expected(a, b, k, p) == pytest.approx([k * ones, k * twos])


@pytest.mark.parametrize("count", [1, 2, 5, 40])
@pytest.mark.parametrize("mean", [0.0, 0.3, 7.0, 60.0])
def test_expected_match_against_the_sum_over_populations(count: int, mean: float) -> None:
    found = Codes(np.zeros((1, 1), np.int32), np.array([count]), np.array([float(count)]), ())
    fit_ = replace(
        fitted(found, count, LogLinearModel.INDEPENDENCE), expected=np.array([mean]), fractions=np.array([0.0])
    )
    terms = [mean**y * exp(-mean) / factorial(y) / (count + y) for y in range(160)]
    assert fit_.risk(found.counts)[0] == pytest.approx(sum(terms))


def test_two_way_fit_has_the_margins_of_the_sample() -> None:
    drawn = Drawn(mixture(4, 20_000, (3, 4, 5)), 0.2, 4)
    full = np.array(list(product(range(3), range(4), range(5))), dtype=np.int32)
    counts = np.zeros((3, 4, 5))
    counts[tuple(drawn.codes.codes.T)] = drawn.codes.counts
    everywhere = Codes(full, np.ones(60, np.int64), counts.reshape(-1) + 1e-12, ())
    table = fitted(everywhere, drawn.size, LogLinearModel.TWO_WAY).expected.reshape(3, 4, 5)
    for axis in range(3):
        assert table.sum(axis=axis) == pytest.approx(counts.sum(axis=axis) * 5, abs=0.1)
    ratios = table[1:, 1:, 1:] * table[:-1, :-1, 1:] * table[:-1, 1:, :-1] * table[1:, :-1, :-1]
    ratios /= table[:-1, :-1, :-1] * table[1:, 1:, :-1] * table[1:, :-1, 1:] * table[:-1, 1:, 1:]
    assert ratios == pytest.approx(1, abs=0.01)  # no interaction of three


# --- against ARX ---


@pytest.fixture(scope="module")
def adult(shared: Path) -> Spectrum:
    data = tacita.read(shared / "data" / "adult" / "adult.csv")
    return spectrum(Sample.of(data.microdata, [column.name for column in data.relation.columns]))


@pytest.mark.parametrize(("fraction", "share"), [(0.1, 0.3207402393466189), (0.2, 0.3577099234829125)])
def test_zayatz_on_adult_is_that_of_arx(adult: Spectrum, fraction: float, share: float) -> None:
    """ARX, TestRiskMetrics.testDecisionRule2: uniques over the population, which ARX takes as a whole number."""
    size = round(adult.records / fraction)
    assert zayatz(adult, size).population_uniques == pytest.approx(share * size, rel=1e-9)


@pytest.mark.parametrize(("fraction", "share"), [(0.1, 0.27684993883653597), (0.01, 0.1446083531167384)])
def test_pitman_on_adult_is_that_of_arx(adult: Spectrum, fraction: float, share: float) -> None:
    """ARX, the same test: theta and alpha agree, and the exact expectation is near the limit that ARX takes for it."""
    from scipy.special import gammaln

    size = adult.records / fraction
    found = fit(adult)
    assert found is not None
    theta, alpha = found
    limit = np.exp(gammaln(theta + 1) - gammaln(theta + alpha)) * size**alpha
    assert limit / size == pytest.approx(share, rel=1e-9)
    assert pitman(adult, size).population_uniques == pytest.approx(share * size, rel=0.005)


def test_slide_negative_binomial_on_adult_has_a_solution(adult: Spectrum) -> None:
    """ARX: "Unexpected convergence of SNB"."""
    estimate = slide_negative_binomial(adult, adult.records / 0.2)
    assert estimate.records is not None
    assert 0 < estimate.records < adult.of_size(1)


# --- invariants ---

spectra = st.dictionaries(st.integers(1, 12), st.integers(1, 40), min_size=1, max_size=6)


@settings(max_examples=60, deadline=None)
@given(sizes=spectra, times=st.sampled_from([1.0, 1.5, 3.0, 20.0, 1000.0]))
def test_estimates_are_between_nothing_and_the_sample_uniques(sizes: dict[int, int], times: float) -> None:
    ordered = sorted(sizes)
    found = Spectrum(np.array(ordered), np.array([sizes[size] for size in ordered]))
    for estimator in ESTIMATORS:
        estimate = estimator(found, found.records * times)
        assert estimate.exists != bool(estimate.fails)
        if estimate.records is not None and estimate.population_uniques is not None:
            assert 0 <= estimate.records <= found.of_size(1) * (1 + 1e-9)
            assert estimate.records <= estimate.population_uniques * (1 + 1e-9)
            if times == 1 or found.of_size(1) == 0:
                assert estimate.records == pytest.approx(found.of_size(1))


def test_an_estimator_without_a_solution_says_so() -> None:
    all_unique = Spectrum(np.array([1]), np.array([50]))
    assert "unique" in pitman(all_unique, 500).fails
    assert "twice" in slide_negative_binomial(all_unique, 500).fails
    assert zayatz(all_unique, 500).records == 50
    thick = Spectrum(np.array([1, 2, 3, 4, 5, 6]), np.array([50, 100, 200, 300, 300, 200]))
    assert "limit 0" in pitman(thick, 1e5).note
    unsolvable = Spectrum(np.array([1, 2, 400]), np.array([3, 300, 40]))
    assert "no solution" in slide_negative_binomial(unsolvable, 1e6).fails


# --- the measures ---


def sample_of(engine: DuckDBEngine, table: pa.Table, weight: str | None = None, nulls: Nulls | None = None) -> Sample:
    attributes = [
        Attribute(n, Category.WEIGHT if n == weight else Category.QUASI_IDENTIFIER) for n in table.column_names
    ]
    relation = engine.adopt(table.to_batches(), table.schema)
    return Sample.of(Microdata(relation, Dictionary("t", tuple(attributes)), Source("t", "test")), nulls=nulls)


def table_of(values: Array, weight: float | None = None) -> pa.Table:
    """Text, number and whole-number attributes of codes."""
    kinds = (lambda v: [f"v{x}" for x in v], lambda v: v.astype(float), lambda v: v)
    columns = {f"a{i}": pa.array(kinds[i % 3](values[:, i])) for i in range(values.shape[1])}
    return pa.table(columns | ({} if weight is None else {"w": np.full(len(values), weight)}))


def test_measure_on_a_sample_and_its_population(engine: DuckDBEngine) -> None:
    everyone = mixture(2, 20_000)
    chosen = everyone[np.random.default_rng(0).permutation(20_000)[:4_000]]
    table = table_of(everyone)
    population = engine.adopt(table.to_batches(), table.schema)
    sample = replace(sample_of(engine, table_of(chosen)), population=population)
    risks = PopulationUniqueness().risks(sample)
    cells, sizes = np.unique(everyone, axis=0, return_counts=True)
    ours, counts = np.unique(chosen, axis=0, return_counts=True)
    single = {tuple(cell) for cell in cells[sizes == 1]}
    assert risks.records is None
    assert risks.figures["counted_population_uniques"] == len(single)
    assert risks.figures["counted_records"] == sum(tuple(cell) in single for cell in ours[counts == 1])
    assert risks.figures["sampling_fraction"] == 0.2
    assert risks.figures["sample_uniques"] == (counts == 1).sum()
    assert risks.figures["log_linear_records"] == pytest.approx(risks.figures["counted_records"], rel=0.15)
    chosen_rows = [row["estimator"] for row in risks.tables["estimators"] if row["chosen"]]
    assert chosen_rows in (["zayatz"], ["slide_negative_binomial"])
    smaller = min(risks.figures["zayatz_records"], risks.figures["slide_negative_binomial_records"])
    assert risks.figures["chosen_records"] == smaller
    assert any(note.startswith("chosen: ") and "above 0.1" in note for note in risks.notes)


def test_size_from_weights_a_number_or_a_fraction_is_the_same(engine: DuckDBEngine) -> None:
    values = mixture(3, 3_000)
    by_weight = PopulationUniqueness().risks(sample_of(engine, table_of(values, 20.0), "w"))
    plain = sample_of(engine, table_of(values))
    by_size = PopulationUniqueness(population_size=60_000).risks(plain)
    by_fraction = PopulationUniqueness(sampling_fraction=0.05).risks(plain)
    assert by_weight.figures == pytest.approx(by_size.figures)
    assert by_fraction.figures == pytest.approx(by_size.figures)
    assert any(note.startswith("chosen: pitman") for note in by_size.notes)


@pytest.mark.parametrize("measure", [PopulationUniqueness, LogLinear])
def test_what_is_lacking_and_what_is_wrong(engine: DuckDBEngine, measure: Any) -> None:
    sample = sample_of(engine, table_of(mixture(3, 50)))
    assert "population_size" in measure().lacks(sample)[0]
    with pytest.raises(UsageError, match="sampling fraction"):
        measure().risks(sample)
    assert measure(sampling_fraction=0.1).lacks(sample) == []
    for wrong in ({"population_size": 0}, {"sampling_fraction": 1.5}, {"model": "two way"}):
        with pytest.raises(UsageError):
            measure(**wrong)
    with pytest.raises(UsageError, match="both"):
        measure(population_size=9, sampling_fraction=0.5)
    assert any("smaller than the sample" in note for note in measure(population_size=3).risks(sample).notes)


@pytest.mark.parametrize("measure", [PopulationUniqueness, LogLinear])
def test_no_records_and_nulls(engine: DuckDBEngine, measure: Any) -> None:
    table = table_of(mixture(3, 50))
    empty = measure(population_size=100).risks(sample_of(engine, table.slice(0, 0)))
    assert {v for n, v in empty.figures.items() if n != "population_size"} == {0.0}
    holes = table.set_column(0, "a0", pa.array([None, *table.column(0).to_pylist()[1:]]))
    found = measure(population_size=100).risks(sample_of(engine, holes, nulls=Nulls()))
    assert any("missing values" in note for note in found.notes)


def test_log_linear_of_each_record(engine: DuckDBEngine) -> None:
    sample = sample_of(engine, table_of(mixture(3, 2_000), 10.0), "w")
    measure = LogLinear()
    risks = measure.risks(sample)
    assert risks.records is not None
    table = pa.Table.from_batches(list(risks.records.batches())).sort_by("row").to_pylist()
    assert [row["row"] for row in table] == list(range(1, 2_001))
    assert list(table[0]) == ["row", "risk", "frequency", "expected", "unique"]
    assert all(0 < row["risk"] <= 1 / row["frequency"] for row in table)
    assert all((row["unique"] > 0) <= (row["frequency"] == 1) for row in table)
    assert sum(row["unique"] for row in table) == pytest.approx(risks.figures["population_uniques_in_sample"])
    for row in table[:50]:
        if row["frequency"] == 1:
            mu = row["expected"] * 0.9
            assert row["risk"] == pytest.approx((1 - exp(-mu)) / mu)
            assert row["unique"] == pytest.approx(exp(-mu))
    assert "a0" in measure.reason(sample, table[0])
    large = replace(measure, cells=100).risks(sample)
    assert any("28,800 cells" in note for note in large.notes)
    independent = replace(measure, model="independence").risks(sample)
    assert large.figures == pytest.approx(independent.figures)


def test_unequal_weights_count(engine: DuckDBEngine) -> None:
    """A record that stands for few is riskier than its twin that stands for many."""
    rows = [("a", "x", "p", 1.5), ("b", "y", "q", 100.0)] + [("a", "x", "q", 50.0), ("b", "y", "p", 50.0)] * 5
    table = pa.table({n: [row[i] for row in rows] for i, n in enumerate(["x", "y", "z", "w"])})
    risks = LogLinear(model="independence").risks(sample_of(engine, table, "w"))
    assert risks.records is not None
    found = pa.Table.from_batches(list(risks.records.batches())).sort_by("row").to_pylist()
    assert found[0]["risk"] > found[1]["risk"]


def test_why_modrisk_of_sdcmicro_is_wrong(shared: Path) -> None:
    """Figures of sdcMicro 5.8.1, modRisk(testdata2, method="IPF", formulaM=~sex+water+roof), gr1 .2735 and gr2 .4104.

    They come out if the fitted count of the sample is taken for the population's and the sum is divided by the
    occupied cells. (Its other methods also take codes that are numbers for quantities with a slope.)
    """
    printed = json.loads((shared / "sdcmicro" / "modrisk.json").read_text())["testdata2_m1_IPF"]
    data = tacita.read(shared / "data" / "sdcmicro" / "testdata2.csv").with_roles(weight="sampling_weight")
    sample = Sample.of(data.microdata, ["sex", "water", "roof"])
    found = codes(sample)
    ours = fitted(found, float(found.weights.sum()), LogLinearModel.INDEPENDENCE)
    once = found.counts == 1
    mistaken = replace(ours, expected=ours.expected / 100)  # weights are 100: lambda becomes pi lambda
    assert mistaken.unique(found.counts).sum() / len(once) == pytest.approx(printed["gr1"], abs=1e-9)
    assert mistaken.risk(found.counts)[once].sum() / len(once) == pytest.approx(printed["gr2"], abs=1e-9)
    figures = LogLinear(model="independence").risks(sample).figures
    assert figures["population_uniques_in_sample"] < 1e-6  # not 10.7 of 39
