"""Losses on small data, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.errors import UsageError
from tacita.model.hierarchy import IntervalHierarchy, ValueHierarchy
from tacita.utility.recoding import (
    NullLoss,
    average_class_size,
    discernibility,
    granularity,
    precision_loss,
    together,
    with_shares,
)


def test_granularity_is_0_as_collected_and_1_when_nothing_is_left() -> None:
    fine, coarse = [np.full(10, 0.25), np.full(10, 0.5)], [np.ones(10), np.ones(10)]
    assert granularity(["a", "b"], fine, [4, 2]).score == 0
    assert granularity(["a", "b"], coarse, [4, 2]).score == pytest.approx(1)


def test_a_suppressed_record_counts_as_one_that_covers_the_domain() -> None:
    found = granularity(["a"], [np.array([0.25, 0.25, 0.5, 1.0])], [4], "arithmetic")
    assert found.losses[0] == pytest.approx((2.0 - 1.0) / (4 - 1.0))


def test_means_differ_and_wrong_ones_are_told() -> None:
    assert together([0.0, 0.44], "geometric") == pytest.approx(0.2)
    assert together([0.0, 0.44], "arithmetic") == pytest.approx(0.22)
    assert together([0.0, 0.44], "arithmetic", [3, 1]) == pytest.approx(0.11)
    assert together([]) == 0
    with pytest.raises(UsageError, match="did you mean 'geometric'"):
        granularity(["a"], [np.ones(1)], [2], "geometrical")  # type: ignore[arg-type]


def test_values_of_the_data_are_the_leaves_where_a_rule_has_none() -> None:
    rule = IntervalHierarchy.by_width("age", [10], star=True)
    found = with_shares(rule, [31, 35, 47])
    assert found.share("30-39", 1) == pytest.approx(2 / 3)
    listed = ValueHierarchy.from_paths("sex", [["m"], ["f"]], star=True)
    assert with_shares(listed, ["m"]) is listed


def test_nulls_against_risky_cells_and_against_all() -> None:
    found = NullLoss(suppressed=6, risky=4, quasi_identifiers=3, records=100)
    assert (found.of_risky, found.of_all) == (0.5, 0.02)
    assert NullLoss(0, 0, 3, 0).of_risky == NullLoss(0, 0, 3, 0).of_all == 0


def test_classes_by_size() -> None:
    sizes = np.array([2, 3, 5])
    assert discernibility(sizes) == 4 + 9 + 25
    assert discernibility(sizes, suppressed=2) == 38 + 2 * 12
    assert average_class_size(sizes, suppressed=2) == 3
    assert average_class_size(np.array([])) == 0
    assert precision_loss([2, 0], [4, 1], 10) == 0.25
    assert precision_loss([0], [0], 10) == 0
