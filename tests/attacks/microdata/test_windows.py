"""Attributes with very many values in large files: tried in windows first, and found as before."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tacita.attacks.microdata import derivation
from tacita.attacks.microdata.derivation import derivations
from tacita.attacks.microdata.lessons import Clue, Target
from tacita.attacks.microdata.windows import rows_in_windows

N = 45_000


def _target(truth: NDArray[np.int64], share: float = 0.04) -> Target:
    hidden = np.random.default_rng(5).random(N) < share
    return Target("band", truth, hidden, ~hidden)


def _clue(values: NDArray[np.int64]) -> Clue:
    codes = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return Clue("number", codes, codes)


def test_a_window_has_all_records_of_its_values() -> None:
    values = np.random.default_rng(1).integers(0, 20_000, N)
    clue = _clue(values)
    rows = rows_in_windows(clue)
    assert rows is not None and 0.9 * 16_000 < len(rows) < 1.1 * 16_000
    inside = np.isin(clue.groups, clue.groups[rows])
    assert np.flatnonzero(inside).tolist() == rows.tolist()


@pytest.mark.parametrize("few", [N, 3_000], ids=["everywhere", "in a part of its values"])
def test_what_an_attribute_determines_is_found(few: int) -> None:
    """By the order of a number without repeated values, and by equal values of one that has some."""
    random = np.random.default_rng(2)
    number = random.permutation(N)
    band = np.where(number < few, number // 300, random.integers(0, 9, N))
    (derived,) = derivations([_clue(number)], [_target(band)])
    assert derived.by == "neighbours" and derived.right > 0.8 * derived.hidden * few / N
    street = random.integers(0, 9_000, N)
    (derived,) = derivations([_clue(street)], [_target(street * 7_919 % 11)])
    assert derived.by == "same value" and derived.right > 0.9 * derived.hidden


def test_an_attribute_that_tells_nothing_is_looked_at_in_windows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    monkeypatch.setattr(derivation, "_best", lambda *_: pytest.fail("all records were looked at"))
    clues = [_clue(random.permutation(N)), _clue(random.integers(0, 9_000, N))]
    assert derivations(clues, [_target(random.integers(0, 90, N))]) == ()
