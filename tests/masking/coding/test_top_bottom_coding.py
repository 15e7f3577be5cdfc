"""Top and bottom coding: sdcMicro's figures, bounds from the data, and replacements that tell no single value."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacita.errors import InputError, TacitaError
from tacita.masking.catalogue import METHODS
from tacita.masking.coding.top_bottom_coding import TopBottomCoding
from tacita.masking.contract import breaches
from tacita.masking.within import treated_within
from tacita.model.records import Categories, Numbers, Records

NOBODY = np.random.default_rng(0)


def coded(method: TopBottomCoding, values: Any, *, is_whole: bool = False) -> list[float]:
    records = Records({"x": Numbers.of(values, is_whole=is_whole)})
    return method.treated(records, NOBODY).records.numbers("x").values.tolist()


def test_sdcmicro_income(shared: Path) -> None:
    told = json.loads((shared / "sdcmicro" / "topbot_testdata_income.json").read_text())
    with (shared / "data" / "sdcmicro" / "testdata.csv").open() as file:
        income = Records({"income": Numbers.of([float(row["income"]) for row in csv.DictReader(file)])})
    for end in ("top", "bottom"):
        given = {end: told[end]["value"], f"{end}_replacement": told[end]["replacement"]}
        found = TopBottomCoding(("income",), **given).treated(income, NOBODY)
        assert found.figures[f"coded at the {end} of income"] == told[end]["n"]
        assert found.records.numbers("income").values.sum() == pytest.approx(told[end]["sum_after"], rel=1e-12)


@pytest.mark.parametrize("by", ["value", "quantile", "fences"])
@pytest.mark.parametrize("replacement", ["bound", "mean", "median"])
def test_contract(by: str, replacement: str) -> None:
    bounds = {"value": (60, 5), "quantile": (0.9, 0.1), "fences": (0.3, 0.3)}[by]
    method: Any = TopBottomCoding(("x",), by, bounds[0], bounds[1], replacement)  # type: ignore[arg-type]
    values = np.random.default_rng(1).gamma(2, 20, 300)
    values[::17] = np.nan
    others = Categories(np.zeros(300, dtype=np.int32), ("here",))
    assert breaches(method, Records({"x": Numbers(values), "y": others})) == []


def test_values_at_the_bound_stay_and_missing_ones_too() -> None:
    assert coded(TopBottomCoding(("x",), top=5, bottom=2), [1, 2, 3, 5, 6]) == [2, 2, 3, 5, 5]
    assert np.isnan(coded(TopBottomCoding(("x",), top=5), [None, 7])[0])
    assert coded(TopBottomCoding(("x",), top=5), [np.inf, -np.inf]) == [5, -np.inf]


def test_a_quantile_is_a_value_within_and_tells_no_coded_one() -> None:
    values = [*range(1, 100), 5000.0]
    found = coded(TopBottomCoding(("x",), "quantile", top=0.985, bottom=0.015), values)
    assert (max(found), min(found)) == (98, 3)
    assert coded(TopBottomCoding(("x",), "quantile", top=1.0, bottom=0.0), values) == values


def test_fences_are_tukeys() -> None:
    values = [1.0, 2, 3, 4, 5, 6, 7, 8, 100]
    first, third = np.quantile(values, [0.25, 0.75])
    assert coded(TopBottomCoding(("x",), "fences", top=1.5, bottom=1.5), values)[-1] == third + 1.5 * (third - first)
    assert coded(TopBottomCoding(("x",), "fences", top=1.3), values, is_whole=True)[-1] == np.floor(7 + 1.3 * 4)
    assert coded(TopBottomCoding(("x",), "fences", top=1.5), [4, 4, 4]) == [4, 4, 4]


def test_the_mean_keeps_the_total_and_the_median_is_that_of_the_coded() -> None:
    values = [1.0, 2, 10, 20, 60]
    assert sum(coded(TopBottomCoding(("x",), top=9, replacement="mean"), values)) == sum(values)
    assert coded(TopBottomCoding(("x",), top=9, replacement="median"), values)[2:] == [20, 20, 20]


def test_a_mean_of_one_or_two_records_is_refused() -> None:
    with pytest.raises(InputError, match="fewer than 3") as caught:
        coded(TopBottomCoding(("x",), top=9, replacement="mean"), [1, 2, 4321, 8765])
    assert "4321" not in str(caught.value) and caught.value.do
    assert coded(TopBottomCoding(("x",), top=9, replacement="mean"), [1, 2]) == [1, 2]


def test_within_strata_each_has_its_bound() -> None:
    area = Categories.of(["n"] * 5 + ["s"] * 5)
    records = Records({"x": Numbers.of([*range(5), *range(100, 105)]), "area": area})
    found = treated_within(TopBottomCoding(("x",), "quantile", top=0.5), records, ["area"], NOBODY).records
    assert found.numbers("x").values.tolist() == [0, 1, 2, 2, 2, 100, 101, 102, 102, 102]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"top": np.nan},
        {"top": 1, "bottom": 1},
        {"by": "quantile", "top": 99},
        {"by": "fences", "top": -1},
        {"top": 1, "attributes": []},
        {"top": 1, "top_replacement": np.inf},
        {"by": "median", "top": 1},
    ],
)
def test_wrong_parameters(given: dict[str, Any]) -> None:
    with pytest.raises(TacitaError) as caught:
        METHODS.make("top-bottom-coding", {"attributes": ["x"]} | given)
    assert caught.value.do


def test_wrong_data() -> None:
    with pytest.raises(InputError, match="infinite"):
        coded(TopBottomCoding(("x",), "quantile", top=0.9), [1, np.inf])
    with pytest.raises(InputError, match="is not a number"):
        TopBottomCoding(("x",), top=1).treated(Records({"x": Categories.of(["a"])}), NOBODY)
    assert np.isnan(coded(TopBottomCoding(("x",), "fences", top=1), [None, None])).all()
