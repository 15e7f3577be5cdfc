import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tacita.errors import UsageError
from tacita.generators.catalogue import FIGURE_6
from tacita.generators.firm_attributes import sectors
from tacita.generators.firms import FirmSurvey, firms
from tacita.generators.selectivity import MOVED, OWN, Mixture
from tacita.model.attribute import Category, Kind

ALL_NINE = (
    "Area",
    "Sector",
    "Employees",
    "Residential Rev.",
    "Export Rev.",
    "Legal Form",
    "Founded",
    "Ownership",
    "Location",
)
PAGE = Path(__file__).parents[2] / "docs/explanation/generated-data.md"


@pytest.mark.parametrize("width", range(4, 10))
def test_the_name_says_rows_and_quasi_identifiers(width: int) -> None:
    survey = firms(f"R2A{width}W", seed=0)
    table = survey.table()
    assert survey.rows == table.num_rows == 2_000
    expected = ("Id", *ALL_NINE[:width], "Export to DE", "Growth 6mos", "Weight")
    assert tuple(table.column_names) == expected == survey.dictionary.names
    assert survey.dictionary.quasi_identifiers == ALL_NINE[:width]
    assert survey.dictionary.weight == "Weight"
    assert [a.name for a in survey.dictionary.of(Category.IDENTIFIER)] == ["Id"]


def test_ordinals_know_every_value_that_occurs() -> None:
    survey = firms("R6A9V", seed=0)
    table = survey.table()
    ordinals = [attribute for attribute in survey.dictionary if attribute.kind is Kind.ORDINAL]
    assert len(ordinals) == 6
    for attribute in ordinals:
        assert set(table[attribute.name].unique().to_pylist()) == set(attribute.order)


def test_sectors_have_different_names() -> None:
    assert len(set(sectors(20_500))) == 20_510


def test_ids_are_codes_that_look_random() -> None:
    ids = firms("R101A4W", seed=0).table()["Id"].to_pylist()
    assert len(set(ids)) == 101_000
    assert {len(code) for code in ids} == {7}  # the population of 2,020,000 needs seven digits
    assert sum(code.startswith("0") for code in ids) / len(ids) == pytest.approx(0.1, abs=0.01)
    assert np.corrcoef(np.arange(len(ids)), np.array(ids, dtype=int))[0, 1] == pytest.approx(0, abs=0.02)


def test_fewer_attributes_are_the_same_survey() -> None:
    nine, four = firms("R2A9U", seed=1).table(), firms("R2A4U", seed=1).table()
    assert nine.select(four.column_names).equals(four)


def test_unbalanced_surveys_differ_in_the_moved_tuples_only() -> None:
    w, u, v = (FirmSurvey.named(f"R50A4{letter}", seed=2).cells(0) for letter in "WUV")
    assert np.mean(w != u) == pytest.approx(MOVED["U"].share, abs=0.002)
    assert np.mean(w != v) == pytest.approx(MOVED["V"].share, abs=0.004)
    assert set(np.flatnonzero(w != u)) <= set(np.flatnonzero(w != v))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [6, 25])
def test_w_u_v_are_ever_more_selective(size: int, seed: int, frequencies) -> None:
    found = []
    for letter in "WUV":
        survey = firms(f"R{size}A4{letter}", seed=seed)
        found.append(frequencies(survey.table(), survey.dictionary.quasi_identifiers))
    uniques = [int((f == 1).sum()) for f in found]
    under_five = [int((f < 5).sum()) for f in found]
    assert 2 * uniques[0] < uniques[1] < 0.5 * uniques[2]
    assert 1.5 * under_five[0] < under_five[1] < 0.5 * under_five[2]


@pytest.mark.parametrize("name", ["R25A4W", "R100A4W", "R100A4U", "R100A4V", "R400A4V"])
def test_shares_follow_the_formula_at_every_size(name: str, frequencies) -> None:
    survey = firms(name, seed=4)
    f = frequencies(survey.table(), survey.dictionary.quasi_identifiers)
    parts = [OWN._replace(share=OWN.share * (1 - MOVED[name[-1]].share)), MOVED[name[-1]]]
    unique = sum(part.share * np.exp(-part.mean) for part in parts)
    # Poisson counts: five standard deviations, and the sizes of the cells themselves are random.
    assert np.mean(f == 1) == pytest.approx(unique, abs=5 * np.sqrt(unique / survey.rows))
    under_five = sum(
        part.share * np.exp(-part.mean) * (1 + part.mean + part.mean**2 / 2 + part.mean**3 / 6) for part in parts
    )
    assert np.mean(f < 5) == pytest.approx(under_five, abs=10 * np.sqrt(under_five / survey.rows))


def test_the_mixture_is_what_is_drawn() -> None:
    mixture = Mixture.of_survey(6_000, "V", seed=0)
    drawn = mixture.draw(400_000, np.random.default_rng(0), np.random.default_rng(1))
    probability = mixture.probability()
    assert probability.sum() == pytest.approx(1)
    seen = np.bincount(drawn, minlength=mixture.cells)
    assert not seen[probability == 0].any()
    likely = probability > 0
    chi_square = np.sum((seen - 400_000 * probability)[likely] ** 2 / (400_000 * probability[likely]))
    freedom = likely.sum() - 1
    assert chi_square == pytest.approx(freedom, abs=5 * np.sqrt(2 * freedom))


@pytest.mark.slow
def test_documented_figures_are_the_measured_ones(frequencies) -> None:
    printed = re.findall(r"^\| (R\d+A\dW|R\d+A\dU|R\d+A\dV) \| ([\d,]+) \| ([\d,]+) \|", PAGE.read_text(), re.M)
    assert [row[0] for row in printed] == list(FIGURE_6)
    for name, *figures in printed:
        survey = firms(name, seed=0)
        f = frequencies(survey.table(), survey.dictionary.quasi_identifiers)
        assert [int(text.replace(",", "")) for text in figures] == [(f == 1).sum(), (f < 5).sum()], name


def test_weights_sum_to_the_population() -> None:
    table = firms("R6A4V", seed=0, fraction=0.08).table()
    weights = table["Weight"].to_numpy()
    assert weights.min() >= 1
    assert weights.sum() == pytest.approx(75_000)
    strata = table.group_by(["Area", "Sector", "Employees"]).aggregate(
        [("Weight", "sum"), ("Weight", "count_distinct")]
    )
    sums = strata["Weight_sum"].to_numpy()
    assert np.allclose(sums, np.rint(sums), atol=1e-6)
    assert set(strata["Weight_count_distinct"].to_pylist()) == {1}


def test_selective_tuples_and_large_firms_have_low_weights(frequencies) -> None:
    survey = firms("R25A4V", seed=0)
    table = survey.table()
    weights = table["Weight"].to_numpy()
    f = frequencies(table, survey.dictionary.quasi_identifiers)
    assert weights[f < 5].mean() < 0.6 * weights[f >= 5].mean()
    means = dict(table.group_by("Employees").aggregate([("Weight", "mean")]).select([0, 1]).to_pandas().values)
    assert means["1000+"] < means["201-1000"] < means["50-200"]


def test_a_census_has_weight_one() -> None:
    weights = firms("R1A4W", seed=0, fraction=1.0).table()["Weight"]
    assert weights.unique().to_pylist() == [1.0]


def test_growth_has_the_long_right_tail_of_figure_1() -> None:
    growth = firms("R25A4W", seed=0).table()["Growth 6mos"].to_numpy()
    low, median, high = np.percentile(growth, [1, 50, 99])
    assert -90 <= growth.min() <= low < 0 < median < 10 < 100 < high < growth.max()
    assert high - median > 3 * (median - low)


def test_further_quasi_identifiers_depend_on_earlier_ones() -> None:
    table = firms("R25A9W", seed=0).table()
    share = pc.mean(pc.equal(table["Export Rev."], table["Residential Rev."]).cast(pa.int8())).as_py()
    assert share > 0.8
    large = table.filter(pc.equal(table["Employees"], "1000+"))["Legal Form"]
    assert pc.mean(pc.equal(large, "S.p.A.").cast(pa.int8())).as_py() > 0.98


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("R25A4X", "its distribution is 'X'; there are W, U and V"),
        ("R25A4", "its distribution is ''"),
        ("R25A3W", "asks for 3 quasi-identifiers"),
        ("R25A10W", "asks for 10 quasi-identifiers"),
        ("R0A4W", "it has no rows"),
        ("R25", "'R25' does not name a survey of firms"),
        ("R2.5A4W", "does not name a survey of firms"),
    ],
)
def test_a_wrong_name_says_what_is_wrong_and_what_to_write(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        firms(name, seed=0)
    assert "R25A4W" in (caught.value.do or "")


def test_all_faults_of_a_name_come_together() -> None:
    with pytest.raises(UsageError, match="4 faults"):
        firms("R0A3X", seed=0, fraction=1.5)
