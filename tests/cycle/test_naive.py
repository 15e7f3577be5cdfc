"""The baselines of local suppression are those of the peers: nulls, and records that stay recognisable."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.cycle.naive import (
    Row,
    alpha_match,
    expected,
    maybe_match,
    nulls,
    plain_greedy,
    sdcmicro_like,
    standard,
    strict,
    violators,
)

KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def records(path: Path) -> list[Row]:
    with path.open() as lines:
        return [tuple(row[key] if row[key] != "" else None for key in KEYS) for row in csv.DictReader(lines)]


def test_frequencies_of_a_small_file() -> None:
    """Reckoned by hand."""
    rows: list[Row] = [("a", 1), ("a", 1), ("a", None), ("b", 1), (None, None)]
    assert maybe_match(rows) == [4, 4, 4, 2, 5]
    assert standard(rows) == [2, 2, 1, 1, 5]
    assert strict(rows) == [2, 2, 3, 1, 5]
    assert alpha_match(rows, 0.5) == [3, 3, 3.5, 1.5, 5]
    # the third falls on (a, 1), the last on it in two of three cases and on (b, 1) in one; it strictly looks like all
    assert expected(rows) == pytest.approx([3 + 2 / 3, 3 + 2 / 3, 3 + 2 / 3, 4 / 3, 5])
    assert violators(rows, 3) == [3]
    assert violators(rows, 3, "strict") == [0, 1, 3]


@pytest.mark.slow
@pytest.mark.parametrize(("k", "cost", "left"), [(2, 96, 71), (5, 273, 241)])
def test_plain_greedy_has_the_figures_of_the_issue(shared: Path, k: int, cost: int, left: int) -> None:
    """Nulls of a plain greedy on testdata with seven keys, and what a strict reader still sees below k."""
    done = plain_greedy(records(shared / "data/sdcmicro/testdata.csv"), k)
    assert (nulls(done), len(violators(done, k, "strict"))) == (cost, left)
    assert violators(done, k) == []


@pytest.mark.slow
def test_sdcmicro_is_repeated_cell_by_cell(shared: Path) -> None:
    """kAnon of sdcMicro 5.8.1 on testdata; `kanon_testdata_kv7_k2_data.csv` is what it gave."""
    done = sdcmicro_like(records(shared / "data/sdcmicro/testdata.csv"), 2)
    assert done == records(shared / "sdcmicro/kanon_testdata_kv7_k2_data.csv")
    assert len(violators(done, 2, "strict")) == 21


@pytest.mark.parametrize("k", [2, 3, 5])
def test_sdcmicro_suppresses_as_much_on_testdata2(shared: Path, k: int) -> None:
    told = json.loads((shared / "sdcmicro/kanon.json").read_text())[f"testdata2_kv7_k{k}"]
    done = sdcmicro_like(records(shared / "data/sdcmicro/testdata2.csv"), k, told["importance"])
    assert {key: sum(row[j] is None for row in done) for j, key in enumerate(KEYS)} == told["supps"]
    assert nulls(done) == told["total"]
