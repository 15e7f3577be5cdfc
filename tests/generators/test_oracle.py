import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tacita.generators.firms import firms
from tacita.generators.oracle import MUNICIPALITIES, oracle
from tacita.generators.stream import BLOCK, Generated

STRATUM = ["Area", "Sector", "Employees"]
CASES = [("R6A9U", 0.05), ("R6A4V", 0.3), ("R101A4U", 0.5)]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case[0])
def pair(request: pytest.FixtureRequest) -> tuple[Generated, pa.Table, pa.Table]:
    name, fraction = request.param
    survey = firms(name, seed=1, fraction=fraction)
    return survey, survey.table(), oracle(name, seed=1, fraction=fraction).table()


def test_each_stratum_is_as_large_as_its_weights_say(pair) -> None:
    _, sample, population = pair
    weights = sample.group_by(STRATUM).aggregate([("Weight", "sum")])
    counts = population.group_by(STRATUM).aggregate([([], "count_all")])
    both = weights.join(counts, keys=STRATUM, join_type="full outer")
    assert both.num_rows == weights.num_rows == counts.num_rows
    assert np.allclose(both["Weight_sum"].to_numpy(), both["count_all"].to_numpy(), atol=1e-6)


def test_every_surveyed_firm_is_there_with_the_same_values(pair) -> None:
    survey, sample, population = pair
    names = ["Id", *survey.dictionary.quasi_identifiers]
    assert sample.select(names).join(population.select(names), keys=names, join_type="inner").num_rows == survey.rows


def test_identifiers_are_unique(pair) -> None:
    _, _, population = pair
    for name in ("Id", "Tax code"):
        assert pc.count_distinct(population[name]).as_py() == population.num_rows
    assert pc.all(pc.starts_with(population["Tax code"], "ZZ")).as_py()


def test_the_position_does_not_tell_who_was_asked(pair) -> None:
    _, sample, population = pair
    asked = pc.is_in(population["Id"], sample["Id"].combine_chunks()).to_numpy()
    for block in np.array_split(asked, -(-len(asked) // BLOCK)):
        share = block.mean()
        first, second = block[: len(block) // 2].mean(), block[len(block) // 2 :].mean()
        assert abs(first - second) < 5 * np.sqrt(4 * share * (1 - share) / len(block))


def test_the_seat_lies_in_its_area(pair) -> None:
    _, _, population = pair
    seats = population.group_by(["Area", "Municipality"]).aggregate([]).to_pylist()
    assert len(seats) > 40
    assert all(row["Municipality"] in MUNICIPALITIES[row["Area"]] for row in seats)


def test_the_seat_fits_the_location() -> None:
    seats = oracle("R1A9W", seed=0).table().group_by(["Location", "Municipality"]).aggregate([]).to_pylist()
    locations = dict(zip(("Village", "Town", "City", "Large city"), range(0, 12, 3), strict=True))
    for row in seats:
        start = locations[row["Location"]]
        assert any(row["Municipality"] in towns[start : start + 3] for towns in MUNICIPALITIES.values())


def test_rows_and_dictionary() -> None:
    population = oracle("R1A5V", seed=0, fraction=0.1)
    assert population.rows == population.table().num_rows == 10_000
    assert population.dictionary.names == tuple(population.table().column_names)
    assert population.dictionary.names[:4] == ("Id", "Name", "Tax code", "Municipality")


def test_a_census_is_its_own_oracle() -> None:
    sample = firms("R1A4W", seed=0, fraction=1.0).table()
    population = oracle("R1A4W", seed=0, fraction=1.0).table()
    assert sorted(population["Id"].to_pylist()) == sorted(sample["Id"].to_pylist())


@pytest.mark.slow
def test_sample_uniques_have_about_as_many_companions_as_their_weight_says() -> None:
    """F_k is estimated by the sum of the weights: over all cells the two agree on the average."""
    survey = firms("R25A4V", seed=0)
    sample, population = survey.table(), oracle("R25A4V", seed=0).table()
    names = list(survey.dictionary.quasi_identifiers)
    estimated = sample.group_by(names).aggregate([("Weight", "sum"), ([], "count_all")])
    true = population.group_by(names).aggregate([([], "count_all")]).rename_columns([*names, "F"])
    both = estimated.join(true, keys=names, join_type="inner")
    weight, f, size = (both[name].to_numpy() for name in ("Weight_sum", "count_all", "F"))
    assert np.corrcoef(weight, size)[0, 1] > 0.98
    assert size[f == 1].mean() < 0.25 * size.mean()
    assert (size[f == 1] > 1).mean() > 0.5
