"""Synthesis by a normal copula: correlations of what lies behind, and distributions as they were."""

from __future__ import annotations

import numpy as np
import pytest
from tests.masking.synthetic.samples import people

from tacita.masking.synthetic.copula import SyntheticCopula
from tacita.masking.synthetic.latent import Latent, correlations, drawn_behind, valid
from tacita.model.records import Categories, Numbers, Records


@pytest.fixture(scope="module")
def records() -> Records:
    return people()


@pytest.fixture(scope="module")
def synthetic(records: Records) -> Records:
    return SyntheticCopula(records=10_000).treated(records, np.random.default_rng(11)).records


def normal_pair(correlation: float, count: int = 60_000) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(8)
    one = draw.standard_normal(count)
    return one, correlation * one + np.sqrt(1 - correlation**2) * draw.standard_normal(count)


@pytest.mark.parametrize("correlation", [-0.9, 0.0, 0.5])
@pytest.mark.parametrize("cuts", [([0.0], [0.0]), ([1.3], [-0.5, 0.2, 1.0]), ([0.0], None), (None, None)])
def test_what_lies_behind_is_found(correlation: float, cuts: tuple[list[float] | None, list[float] | None]) -> None:
    """For two values each this is the tetrachoric correlation: phi = 2 / pi arcsin(r) for medians."""
    seen = []
    for values, cut in zip(normal_pair(correlation), cuts, strict=True):
        codes = np.argsort(np.argsort(values)) if cut is None else np.digitize(values, cut)
        seen.append(Latent.of(codes.astype(np.int64)))
    assert abs(correlations(seen)[0, 1] - correlation) < 0.03
    if cuts == ([0.0], [0.0]):
        phi = np.corrcoef(seen[0].codes, seen[1].codes)[0, 1]
        assert abs(phi - 2 / np.pi * np.arcsin(correlation)) < 0.02


def test_correlations_use_the_pairs_that_are_present() -> None:
    one, two = normal_pair(0.6, 20_000)
    codes = [np.argsort(np.argsort(each)).astype(np.int64) for each in (one, two)]
    codes[0][::3] = -1
    held = codes[0] >= 0
    codes[0][held] = np.argsort(np.argsort(codes[0][held]))
    assert abs(correlations([Latent.of(each) for each in codes])[0, 1] - 0.6) < 0.03


def test_a_matrix_becomes_valid() -> None:
    wrong = np.array([[1.0, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]])
    found = valid(wrong)
    assert np.linalg.eigvalsh(found).min() > -1e-12 and np.allclose(np.diag(found), 1)
    assert valid(np.eye(3)) is not None and np.array_equal(valid(np.eye(3)), np.eye(3))


def test_variables_behind_records_lie_between_thresholds_and_correlate() -> None:
    one, two = normal_pair(0.8, 20_000)
    latents = [Latent.of((each > 0).astype(np.int64)) for each in (one, two)]
    found = drawn_behind(latents, np.array([[1.0, 0.8], [0.8, 1.0]]), np.random.default_rng(1))
    for drawn, latent in zip(found, latents, strict=True):
        assert np.array_equal(latent.value(drawn), latent.codes)
        assert abs(drawn.mean()) < 0.03 and abs(drawn.std() - 1) < 0.03
    assert abs(np.corrcoef(found)[0, 1] - 0.8) < 0.02


def test_distributions_are_near(records: Records, synthetic: Records) -> None:
    for name in ("age", "income", "wealth"):
        own, new = (each.numbers(name).values for each in (records, synthetic))
        own, new = own[~np.isnan(own)], new[~np.isnan(new)]
        grid = np.quantile(own, np.linspace(0.02, 0.98, 25))
        assert np.abs((own[:, None] <= grid).mean(axis=0) - (new[:, None] <= grid).mean(axis=0)).max() < 0.03
    for name in ("job", "school"):
        own, new = (each.categories(name).counts / len(each) for each in (records, synthetic))
        assert np.abs(own - new).max() < 0.03
        assert synthetic.categories(name).values == records.categories(name).values


def test_dependence_between_all_kinds_is_near(records: Records, synthetic: Records) -> None:
    own, new = (np.corrcoef(each.matrix(["age", "income"]).T)[0, 1] for each in (records, synthetic))
    assert abs(own - new) < 0.04
    for name in ("job", "school"):
        averages = []
        for each in (records, synthetic):
            codes, income = each.categories(name).codes, each.numbers("income").values
            averages.append([income[codes == code].mean() for code in range(len(each.categories(name).values))])
        assert np.corrcoef(averages)[0, 1] > 0.97
        assert np.abs(np.subtract(*averages)).max() < 150


def test_missing_values_are_where_they_belong(records: Records, synthetic: Records) -> None:
    for name in records.names:
        assert abs(records[name].missing.mean() - synthetic[name].missing.mean()) < 0.02
    rates = []
    for each in (records, synthetic):
        old = each.numbers("age").values > 62
        rates.append(each["wealth"].missing[old].mean() / each["wealth"].missing[~old].mean())
    assert rates[0] > 3 and rates[1] > 2


def test_no_value_of_one_respondent_is_released(records: Records, synthetic: Records) -> None:
    assert not np.isin(synthetic.numbers("income").values, records.numbers("income").values).any()
    own, new = (each.numbers("wealth").values for each in (records, synthetic))
    assert np.nanmax(new) <= np.sort(own[~np.isnan(own)])[-3:].mean() + 1e-9
    assert synthetic.numbers("age").is_whole
    assert np.array_equal(synthetic.numbers("age").values, np.rint(synthetic.numbers("age").values))


def test_partial_synthesis_leaves_all_else(records: Records) -> None:
    found = SyntheticCopula(("income", "wealth", "job")).treated(records, np.random.default_rng(1))
    assert found.origin is not None and np.array_equal(found.origin, np.arange(len(records)))
    for name in ("age", "school"):
        assert found.records[name] is records[name]
    for name in ("income", "wealth", "job"):
        assert np.array_equal(found.records[name].missing, records[name].missing)
    age = records.numbers("age").values
    own, new = (np.corrcoef(age, each.numbers("income").values)[0, 1] for each in (records, found.records))
    assert abs(own - new) < 0.04
    averages = []
    for each in (records, found.records):
        school, income = records.categories("school").codes, each.numbers("income").values
        averages.append([income[school == code].mean() for code in range(3)])
    assert np.abs(np.subtract(*averages)).max() < 100


def test_columns_that_are_the_same_stay_nearly_so() -> None:
    draw = np.random.default_rng(3)
    x = draw.normal(0, 1, 500)
    sex = draw.integers(0, 2, 500)
    records = Records(
        {
            "x": Numbers.of(x),
            "twice": Numbers.of(2 * x),
            "sex": Categories.of(sex.tolist()),
            "again": Categories.of(sex.tolist()),
        }
    )
    found = SyntheticCopula().treated(records, np.random.default_rng(1)).records
    assert np.corrcoef(found.matrix(["x", "twice"]).T)[0, 1] > 0.99
    assert np.mean(found.categories("sex").codes == found.categories("again").codes) > 0.97
