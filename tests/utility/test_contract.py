"""Every measure keeps to the contract, and the contract notices those that do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from tests.utility.samples import mixed

from tacita.errors import UsageError
from tacita.model.records import Categories, Numbers, Records
from tacita.utility.catalogue import LOSSES
from tacita.utility.contract import breaches
from tacita.utility.loss import Lost

VARIANTS: list[tuple[str, dict[str, object]]] = [
    *((name, {}) for name in LOSSES.names() if name != "regression"),
    ("data", {"standardised": True}),
    ("bounded-distance", {"standardised": True}),
    ("matrices", {"components": 2}),
    ("contingency-tables", {"dimension": 3, "weights": "weight"}),
    ("information-gain", {"target": "votes"}),
    ("hellinger", {"weights": "weight", "classes": 4}),
    ("kolmogorov-smirnov", {"weights": "weight"}),
    ("wasserstein", {"weights": "weight", "pairs": True}),
    ("propensity", {"model": "tree", "leaf": 5, "permutations": 3}),
    ("propensity", {"model": "logistic", "interactions": True}),
    ("propensity", {"model": "logistic"}),
    ("regression", {"formula": "income ~ wealth + area + C(rooms)"}),
    ("regression", {"formula": "votes ~ income + school", "kind": "logistic", "weights": "weight"}),
    ("regression", {"formula": "rooms ~ income:votes + spent", "kind": "poisson", "by": ["area"]}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameters"), VARIANTS, ids=[f"{n} {p}" for n, p in VARIANTS])
def test_a_measure_keeps_to_the_contract(name: str, parameters: dict[str, object]) -> None:
    assert breaches(LOSSES.make(name, parameters), mixed()) == []


@pytest.mark.parametrize("name", [n for n in LOSSES.names() if n != "regression"])
def test_a_measure_stands_columns_without_a_story(name: str) -> None:
    n = 12
    odd = Records(
        {
            "constant": Numbers(np.full(n, 0.1)),
            "twice": Numbers(np.arange(n) * 2.0),
            "again": Numbers(np.arange(n) * 4.0),
            "missing": Numbers(np.full(n, np.nan)),
            "infinite": Numbers(np.array([np.inf, -np.inf, *range(n - 2)])),
            "one": Categories.of(["only"] * n),
            "none": Categories.of([None] * n),
        }
    )
    measure = LOSSES.make(name, {})
    without = [each for each in odd.names if each != "missing"]  # with it no record is complete
    for names in (odd.names, without, *((each,) for each in odd.names)):
        found = measure.lost(odd, odd, names)
        assert np.isnan(found.figure) or abs(found.figure) < 1e-9
        assert not np.isnan(found.figure) or len(names) == 1


@dataclass(frozen=True)
class _Careless:
    """Tells the first value, whatever happened."""

    name: ClassVar[str] = "Careless"
    needs_pairs: ClassVar[bool] = False

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        area = after.categories("area").codes
        return Lost("Careless", {"first": float(area[0]) - float(area @ np.arange(len(area)))}, {}, ("south",))


def test_the_contract_notices_a_careless_measure() -> None:
    found = "; ".join(breaches(_Careless(), mixed()))
    for part in ("lower case", "did not change", "negative", "order of records", "no records", "shows a value"):
        assert part in found


def test_an_unknown_measure_is_told_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'hellinger'"):
        LOSSES.named("helinger")


def test_faults_of_parameters_are_told_together() -> None:
    with pytest.raises(UsageError) as fault:
        LOSSES.make("hellinger", {"clases": 3, "pairs": "yes"}, where="recipe.toml")
    assert "'classes'" in str(fault.value)
    assert "true or false" in str(fault.value)


def test_a_measure_of_ones_own_can_be_entered() -> None:
    LOSSES.enter(_Careless)
    assert "Careless" in LOSSES.names()
    assert LOSSES.make("Careless", {}) == _Careless()
    LOSSES.withdraw("Careless")
