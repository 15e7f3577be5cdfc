"""The printed data sets, against what their papers say of them."""

from fractions import Fraction
from itertools import combinations

import pytest

from tacita.errors import UsageError
from tacita.generators.samples import SAMPLES, sample
from tacita.model.attribute import Category

FOUR = ("Area", "Sector", "Employees", "Residential Rev.")


def rows_of(name: str) -> list[dict[str, object]]:
    return sample(name).table().to_pylist()


def frequency(rows: list[dict[str, object]], row: dict[str, object], names) -> int:
    return sum(all(other[name] == row[name] for name in names) for other in rows)


def minimal_sample_uniques(rows, row, names) -> set[frozenset[str]]:
    """Brute force: the sample uniques of which no part is one."""
    unique = {
        frozenset(some)
        for size in range(1, len(names) + 1)
        for some in combinations(names, size)
        if frequency(rows, row, some) == 1
    }
    return {some for some in unique if not any(other < some for other in unique)}


def test_figure_1_risk_of_re_identification() -> None:
    """Section 2.2: highest for tuple 15 (0.03), lowest for tuple 7 (0.003)."""
    risk = [Fraction(1, row["W"]) for row in rows_of("figure-1")]
    assert len(risk) == 20
    assert max(risk) == risk[14] == Fraction(1, 30)
    assert min(risk) == risk[6] == Fraction(1, 300)


def test_figure_1_tuple_4_is_unique_on_three_attributes() -> None:
    """Section 2.2; the paper prints 1/60 as 0.016."""
    rows = rows_of("figure-1")
    assert frequency(rows, rows[3], FOUR[:3]) == 1
    assert (rows[3]["Area"], rows[3]["Sector"], rows[3]["Employees"]) == ("North", "Textiles", "1000+")
    assert rows[3]["W"] == 60


def test_figure_1_tuple_1_is_the_only_public_service_of_the_north() -> None:
    """Section 4.2, k-anonymity."""
    rows = rows_of("figure-1")
    assert frequency(rows, rows[0], ("Area", "Sector")) == 1


def test_figure_1_tuple_20_has_two_minimal_sample_uniques() -> None:
    """Section 4.2, SUDA."""
    rows = rows_of("figure-1")
    assert minimal_sample_uniques(rows, rows[19], FOUR) == {
        frozenset({"Sector"}),
        frozenset({"Employees", "Residential Rev."}),
    }


def test_figure_1_categories() -> None:
    """Figure 1's heading; Figure 4 swaps three of them."""
    dictionary = sample("figure-1").dictionary
    assert dictionary.quasi_identifiers == (*FOUR, "Export Rev.")
    assert [a.name for a in dictionary.of(Category.NON_IDENTIFYING)] == ["Exp. to DE", "Grwth 6mos"]
    assert dictionary.weight == "W"


def test_figure_5_frequencies() -> None:
    rows = rows_of("figure-5")
    names = sample("figure-5").dictionary.quasi_identifiers
    assert [frequency(rows, row, names) for row in rows] == [1, 2, 2, 2, 2, 1, 1]
    assert [row["Id"] for row in rows if str(row["Id"]).startswith("0")] == ["099876", "097302"]


def test_patients_are_all_different() -> None:
    rows = rows_of("patients")
    names = sample("patients").dictionary.quasi_identifiers
    assert [frequency(rows, row, names) for row in rows] == [1] * 12
    assert sum(row["Age"] for row in rows) == 426


def test_patients_4_anonymous_has_a_homogeneous_third_group() -> None:
    rows = rows_of("patients-4-anonymous")
    names = sample("patients-4-anonymous").dictionary.quasi_identifiers
    groups: dict[tuple[object, ...], list[object]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row["Condition"])
    assert [len(group) for group in groups.values()] == [4, 4, 4]
    assert [len(set(group)) for group in groups.values()] == [2, 3, 1]
    assert set(groups["[30-40)", "331**", "European"]) == {"AIDS"}


def test_the_release_is_of_the_same_patients() -> None:
    for before, after in zip(rows_of("patients"), rows_of("patients-4-anonymous"), strict=True):
        assert after["Condition"] == before["Condition"]
        assert str(before["Zip code"]).startswith(str(after["Zip code"]).rstrip("*"))
        low = int(str(after["Age"])[1:3])
        assert low <= before["Age"] < low + 10


@pytest.mark.parametrize("name", SAMPLES)
def test_ordinals_know_their_values(name: str) -> None:
    table = sample(name).table()
    for attribute in sample(name).dictionary:
        if attribute.order:
            assert set(table[attribute.name].to_pylist()) <= set(attribute.order)
    assert tuple(table.column_names) == sample(name).dictionary.names


def test_an_unknown_sample() -> None:
    with pytest.raises(UsageError, match="did you mean 'figure-5'"):
        sample("figure-55")
