"""Truncation: values that begin alike become one, whatever their type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacita as tc
from tacita.errors import UsageError
from tacita.masking.catalogue import METHODS
from tacita.masking.coding.truncation import Truncation
from tacita.masking.contract import breaches
from tacita.model.records import Categories, Numbers, Records

NOBODY = np.random.default_rng(0)
CODES = ["A011", "A012", "B", None, "B2"]


def shortened(values: list[Any], **given: Any) -> list[Any]:
    column = Truncation(("code",), **given).treated(Records({"code": Categories.of(values)}), NOBODY).records["code"]
    assert isinstance(column, Categories)
    return [None if code < 0 else column.values[code] for code in column.codes]


def test_values_that_begin_alike_become_one() -> None:
    assert shortened(CODES, keep=1) == ["A", "A", "B", None, "B"]
    assert shortened(CODES, keep=2, fill="*") == ["A0**", "A0**", "B", None, "B2"]
    assert shortened(CODES, keep=4) == CODES


def test_codes_that_are_numbers_become_texts_only_where_something_is_cut_off() -> None:
    assert shortened([5311, 5312, 10], keep=2) == ["53", "53", "10"]
    assert shortened([53, 10], keep=2) == [53, 10]


def test_the_contract_is_kept() -> None:
    records = Records({"code": Categories.of(CODES * 3), "wage": Numbers.of(np.arange(15.0))})
    assert breaches(Truncation(("code",), keep=1), records) == []


@pytest.mark.parametrize(
    ("given", "fault"),
    [({"keep": 0}, "below 1"), ({"fill": "**"}, "more than one character"), ({"kept": 1}, "did you mean 'keep'")],
)
def test_wrong_parameters(given: dict[str, Any], fault: str) -> None:
    with pytest.raises(UsageError, match=fault):
        METHODS.make("truncation", {"attributes": ["code"], **given})


def test_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match="'wage' holds numbers"):
        Truncation(("wage",)).treated(Records({"wage": Numbers.of([1.0])}), NOBODY)


@pytest.mark.slow
def test_a_recipe_can_name_it() -> None:
    recipe = tc.Recipe((tc.RecipeStep("truncation", {"attributes": ["nace"], "keep": 1}),), seed=1)
    data = tc.read(pa.table({"nace": ["A011", "A012", "B05"], "staff": [1, 2, 3]}), name="firms")
    assert tc.mask(data, recipe).data.to_arrow()["nace"].to_pylist() == ["A", "A", "B"]
