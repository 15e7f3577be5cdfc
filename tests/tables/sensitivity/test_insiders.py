"""What contributors must not learn of cells that they share, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.tables.sensitivity.by_hand import made

from tacita.model.table import Contributions, Dimension, Equations, Table
from tacita.tables.sensitivity.assess import assess_all, combined
from tacita.tables.sensitivity.contributors import owners
from tacita.tables.sensitivity.insiders import insider_levels
from tacita.tables.sensitivity.rule import SensitivityRule
from tacita.tables.sensitivity.rules.dominance import Dominance
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
from tacita.tables.sensitivity.rules.p_percent import PPercent

REGION = Dimension.flat("region", "NS")


def firms(north: dict[str, float], south: dict[str, float]) -> Table:
    rows = [("N", *gift) for gift in north.items()] + [("S", *gift) for gift in south.items()]
    return made(
        [REGION], [dict(zip(("region", "who", "v"), row, strict=True)) for row in rows], "v", holder="who", kept=3
    )


def against(table: Table, *rules: SensitivityRule) -> dict[tuple[str, int], tuple[float, float]]:
    """The special levels by cell and number of the contributor."""
    findings = assess_all(table, rules)
    levels = combined(table, findings)
    found = insider_levels(table, levels, findings, rules, owners(table))
    assert found is not None
    assert (found.lower <= levels.lower[found.cell]).all()
    assert (found.upper <= levels.upper[found.cell]).all()
    names = [table.cell_codes(int(cell))[0] for cell in found.cell]
    pairs = zip(found.lower.tolist(), found.upper.tolist(), strict=True)
    return dict(zip(zip(names, found.contributor.tolist(), strict=True), pairs, strict=True))


def test_the_largest_is_asked_for_what_protects_the_others():
    # a is alone in N with 90; the total has 90, 8 and 1. p %: 10 % of 8 less the 1 beside it is below nothing.
    table = firms({"a": 90}, {"b": 8, "c": 1})
    assert against(table, PPercent(10)) == {("N", 0): (0, 0), ("Total", 0): (0, 0)}
    # 20 % of 8 less 1 are 0.6.
    assert against(table, PPercent(20))["Total", 0] == pytest.approx((0.6, 0.6))
    # Without a, b holds 8 of 9: 0.41 would be needed for at most 85 %.
    assert against(table, Dominance(1, 85))["Total", 0] == pytest.approx((8 / 0.85 - 9,) * 2)
    # A share of 15 % of what is not a's own, as far as a rule finds the cell sensitive.
    assert against(table, MinimumFrequency(4))["Total", 0] == pytest.approx((0.15 * 9,) * 2)
    assert against(table, MinimumFrequency(3)) == {("N", 0): (0, 0)}


def test_others_are_asked_for_the_levels_of_the_cell_as_far_as_they_reach():
    # a, who is alone in N, is the smaller one of the total: the larger is to be protected from it in full.
    assert against(firms({"a": 10}, {"b": 60}), PPercent(10)) == {
        ("N", 0): (0, 0),
        ("S", 1): (0, 0),
        ("Total", 1): (1, 1),
    }
    # A range of 90 % would reach below what a knows of its own: others have 60 of the 70.
    few = MinimumFrequency(3, range=0.9)
    assert against(firms({"a": 10}, {"b": 60}), few)["Total", 0] == (60, 63)


def test_who_gave_all_of_a_cell_is_asked_for_nothing():
    table = firms({"a": 5}, {"a": 4, "b": 0})
    assert against(table, MinimumFrequency(3)) == {("N", 0): (0, 0), ("S", 0): (0, 0), ("Total", 0): (0, 0)}


def test_cells_without_names_tell_of_contributors_by_their_sums():
    # One contributor of N, two of S: who is alone in N gave at least 90 of the total, so is the largest of it.
    size = Dimension.flat("region", "NS")
    table = Table(
        "t",
        (size,),
        np.arange(3, dtype=np.int32)[:, None],
        np.array([100.0, 90, 10]),
        Equations.of([(0, (1, 2))]),
        is_count=False,
        counts=np.array([3, 1, 2]),
    )
    assert against(table, MinimumFrequency(4)) == {("N", 1): (0, 0), ("Total", 1): pytest.approx((1.5, 1.5))}
    # Largest contributions without names: 90 of the total are more than the second largest.
    sizes = np.array([[90.0, 7], [90, 0], [7, 3]])
    holders = np.array([[-1, -1], [1, -1], [-1, -1]])
    kept = Contributions(sizes, holders, np.ones((3, 2)), np.array([3, 1, 2]), table.values)
    assert against(replace(table, contributions=kept), PPercent(100))["Total", 1] == pytest.approx((4, 4))
    # In a frequency table everybody counts as one: what remains is the others' count.
    people = replace(table, values=np.array([2.0, 1, 1]), counts=np.array([2, 1, 1]), is_count=True)
    assert against(people, MinimumFrequency(3, level=2)) == {
        ("Total", 1): (1, 2),
        ("Total", 2): (1, 2),
        ("N", 1): (0, 0),
        ("S", 2): (0, 0),
    }
