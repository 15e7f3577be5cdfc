"""Numbers near the ends of what a computer can hold: attackers go on without warnings, and find what there is."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from tacita.attacks.microdata.lessons import Clue
from tacita.attacks.microdata.relations.numbers import NumericTarget, ReleasedNumbers
from tacita.attacks.microdata.relations.search import IntruderView, search_derivations

N = 300
_HIDDEN = np.arange(N) % 9 == 0


@pytest.mark.parametrize("extreme", [1e300, 1.7e308, 5e-324, -1e300, -5e-324])
@pytest.mark.parametrize("where", ["attribute", "target", "both"])
def test_extreme_numbers_give_no_warning_and_hide_nothing(extreme: float, where: str) -> None:
    random = np.random.default_rng(4)
    wage, bonus = random.integers(900, 9000, N).astype(float), random.integers(1, 999, N).astype(float)
    total = wage + bonus
    if where != "target":
        bonus[5::150], total[7::150] = extreme, extreme
    if where != "attribute":
        wage[3::150] = extreme
    groups = np.arange(N) % 4
    numbers = [
        ReleasedNumbers("total", total),
        ReleasedNumbers("bonus", bonus),
        ReleasedNumbers("far", total * 0 + extreme),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search = search_derivations(
            IntruderView(
                (), [Clue("group", groups)], (), None, [NumericTarget("wage", wage, _HIDDEN, ~_HIDDEN, True)], numbers
            )
        )
    assert any(set(one.attributes) == {"total", "bonus"} for one in search.derivations)
