"""Losses of categories, by hand and by their properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.utility.samples import mixed

from tacita.errors import InputError, UsageError
from tacita.model.hierarchy import parse_csv
from tacita.model.records import Categories, Numbers, Records
from tacita.utility.categorical.contingency_tables import ContingencyTables
from tacita.utility.categorical.direct_comparison import DirectComparison
from tacita.utility.categorical.entropy import Entropy, entropy
from tacita.utility.categorical.information_gain import InformationGain


def _of(**columns: list[object]) -> Records:
    return Records({name: Categories.of(values) for name, values in columns.items()})  # type: ignore[arg-type]


TOWNS = parse_csv("Milano;North;Italy\nTorino;North;Italy\nRoma;Centre;Italy\nParis;Ile;France\n", "town")
"""Countries have no label in common: all of them meet at a third level."""


def _towns(values: list[str | None]) -> Categories:
    return Categories.of(values, hierarchy=TOWNS)


def test_ordinal_distance_is_the_share_of_places() -> None:
    order = ("a", "b", "c", "d", "e")
    before = Records({"s": Categories.of(["a", "a", "e", "c"], order=order)})
    after = Records({"s": Categories.of(["a", "c", "a", None], order=order)})
    found = DirectComparison().lost(before, after, ["s"]).figures
    assert found["distance"] == pytest.approx((0 + 0.5 + 1 + 1) / 4)
    assert found["changed"] == 0.75


def test_semantic_distance_is_the_level_at_which_values_meet() -> None:
    before = Records({"town": _towns(["Milano", "Milano", "Milano", "Milano", "Roma"])})
    after = Records({"town": _towns(["Milano", "Torino", "Roma", "Paris", None])})
    found = DirectComparison().lost(before, after, ["town"])
    assert found.figures["distance"] == pytest.approx((0 + 1 / 3 + 2 / 3 + 1 + 1) / 5)
    assert found.notes == ()


def test_a_generalised_label_is_as_far_as_its_level() -> None:
    before = Records({"town": _towns(["Milano", "Roma", "Paris"])})
    after = Records({"town": Categories.of(["North", "Italy", "Paris"])})
    found = DirectComparison().lost(before, after, ["town"]).figures["distance"]
    assert found == pytest.approx((1 + 2 + 0) / 3 / 3)


def test_a_value_without_a_place_in_the_taxonomy_is_told_and_not_named() -> None:
    before = Records({"town": _towns(["Milano", "Roma"])})
    after = Records({"town": Categories.of(["Atlantis", "Roma"])})
    found = DirectComparison().lost(before, after, ["town"])
    assert found.figures["distance"] == 0.5
    assert found.notes == ("some values have no place in their taxonomy, and are as far as can be: town",)


def test_tables_by_hand() -> None:
    before = _of(a=["x", "x", "y", "y"], b=["u", "v", "u", "v"])
    after = _of(a=["x", "x", "y", "y"], b=["u", "u", "v", "v"])
    found = ContingencyTables().lost(before, after, ["a", "b"]).figures
    # margins are kept; of the four cells of the crossing two lose their record and two gain one
    assert found["share moved, dimension 1"] == 0
    assert found["share moved, dimension 2"] == 0.5
    assert found["CTBIL"] == 4
    assert found["ACTBIL"] == pytest.approx(4 / (2 + 2 + 4))


def test_tables_of_files_of_different_size_compare_shares() -> None:
    before = _of(a=["x", "y"] * 10)
    after = _of(a=["x", "y"])
    found = ContingencyTables().lost(before, after, ["a"]).figures
    assert found["share moved"] == 0
    assert found["CTBIL"] == 18


def test_weights_count_and_those_of_zero_do_not() -> None:
    before = _of(a=["x", "y", "z"]).with_columns({"w": Numbers.of([1.0, 3.0, 0.0])})
    after = _of(a=["x", "x", "y"]).with_columns({"w": Numbers.of([0.5, 0.5, 3.0])})
    assert ContingencyTables(weights="w").lost(before, after, ["a"]).figures["CTBIL"] == 0
    for wrong in ([-1.0, 1, 1], [None, 1, 1], [0, 0, 0]):
        with pytest.raises(InputError, match="weight"):
            ContingencyTables(weights="w").lost(before, after.with_columns({"w": Numbers.of(wrong)}), ["a"])


def test_three_dimensions_see_what_two_do_not() -> None:
    """c = a xor b, and then its opposite: all tables of two dimensions are the same."""
    a, b = [0, 0, 1, 1] * 5, [0, 1, 0, 1] * 5
    before = _of(a=a, b=b, c=[i ^ j for i, j in zip(a, b, strict=True)])
    after = _of(a=a, b=b, c=[1 - (i ^ j) for i, j in zip(a, b, strict=True)])
    assert ContingencyTables(dimension=2).lost(before, after, ["a", "b", "c"]).figure == 0
    assert ContingencyTables(dimension=3).lost(before, after, ["a", "b", "c"]).figures["share moved, dimension 3"] == 1


def test_conditional_entropy_by_hand() -> None:
    before = _of(a=["x", "x", "y", "y", "y", "z"])
    after = _of(a=["x", "y", "y", "y", "y", "z"])
    # given y: one x, three y; otherwise certain
    bits = 4 / 6 * -(0.25 * np.log2(0.25) + 0.75 * np.log2(0.75))
    found = Entropy().lost(before, after, ["a"])
    assert found.figures["bits"] == pytest.approx(bits)
    assert found.figures["loss"] == pytest.approx(bits / entropy(np.array([2, 3, 1])))
    assert found.figures["total"] == pytest.approx(6 * bits)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_entropy_lost_lies_between_nothing_and_everything(pairs: list[tuple[int, int]]) -> None:
    found = Entropy().lost(_of(a=[one for one, _ in pairs]), _of(a=[two for _, two in pairs]), ["a"]).figures
    assert 0 <= found["loss"] <= 1
    assert 0 <= found["bits"] <= 2 + 1e-9


def test_information_gain_by_hand() -> None:
    before = _of(a=["x", "x", "y", "y"], t=["1", "1", "0", "0"])
    after = _of(a=["x", "x", "x", "y"], t=["1", "1", "0", "0"])
    # H(T) = 1; afterwards H(T | a) = 3/4 H(1/3)
    left = 1 - 0.75 * -(1 / 3 * np.log2(1 / 3) + 2 / 3 * np.log2(2 / 3))
    found = InformationGain("t").lost(before, after, ["a", "t"])
    assert found.figures["gain lost"] == pytest.approx(1 - left)
    assert found.attributes["a"] == pytest.approx({"gain lost": 1 - left, "gain before": 1, "gain after": left})


def test_information_gain_without_target_takes_pairs_and_knows_numbers() -> None:
    held = mixed()
    found = InformationGain(classes=4).lost(held, held, ["income", "spent", "votes"])
    assert list(found.attributes) == ["spent on income", "votes on income", "votes on spent"]
    assert found.attributes["spent on income"]["gain before"] > found.attributes["votes on income"]["gain before"] > 0
    broken = held.with_columns({"spent": held["spent"].taken(np.random.default_rng(1).permutation(len(held)))})
    assert InformationGain(classes=4).lost(held, broken, ["income", "spent"]).figures["gain lost"] > 0.2


def test_pretended_relations_are_a_change_too() -> None:
    before = _of(a=["x", "y", "x", "y"], t=["1", "1", "0", "0"])
    after = _of(a=["x", "x", "y", "y"], t=["1", "1", "0", "0"])
    found = InformationGain("t").lost(before, after, ["a"]).figures
    assert found == pytest.approx({"gain changed": 1, "gain lost": -1})


def test_bad_parameters() -> None:
    with pytest.raises(UsageError, match="did you mean 'votes'"):
        InformationGain("vote").lost(mixed(), mixed(), ["income"])
    with pytest.raises(UsageError, match="dimension"):
        ContingencyTables(dimension=0)
    with pytest.raises(UsageError, match="classes"):
        InformationGain(classes=1)


def test_numbers_with_many_values_are_no_categories() -> None:
    held = mixed()
    found = ContingencyTables().lost(held, held, ["income", "rooms", "area"])
    assert found.notes == ("left out, not categories: income",)
    assert set(found.attributes) == {"rooms", "area"}
