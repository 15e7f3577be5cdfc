"""Rules on tables as they are built from microdata: contributors, weights, requests, consents, holdings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.tables.sensitivity.by_hand import cell, made, rows_of

import tacita as tc
from tacita.errors import InputError
from tacita.model.table import Dimension, Table
from tacita.tables.build.microdata.from_microdata import build
from tacita.tables.build.microdata.layout import MicrodataLayout
from tacita.tables.recoding.merge import neighbours
from tacita.tables.recoding.recoded import recoded
from tacita.tables.sensitivity.assess import assess
from tacita.tables.sensitivity.contributors import owners
from tacita.tables.sensitivity.rules.dominance import Dominance
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
from tacita.tables.sensitivity.rules.p_percent import PPercent
from tacita.tables.sensitivity.rules.request import Request

SIZE = Dimension.flat("size", ["small", "medium", "large"])
FIRMS = {
    "size": ["small", "small", "small", "medium", "medium", "medium", "large", "large"],
    "firm": ["a", "b", "c", "a", "d", "e", "f", "g"],
    "group": ["A", "A", "C", "A", "D", "E", "F", "G"],
    "turnover": [40, 40, 20, 90, 30, 6, 50, 50],
    "asked": [0, 0, 0, 1, 0, 0, 0, 0],
}


def built(**layout: Any) -> Table:
    return build(tc.read(pa.table(FIRMS), name="firms").microdata, [MicrodataLayout("firms", (SIZE,), **layout)])


def sensitive(table: Table, *rules: Any) -> set[str]:
    found = assess(table, rules).sensitive
    return {table.cell_codes(int(at))[0] for at in np.flatnonzero(found)}


def test_built_tables_and_tables_by_hand_are_equally_sensitive(shared: Path) -> None:
    rows = rows_of(shared / "data/tables/magnitude1.csv")
    sector = Dimension.flat("sector4", sorted({row["sector4"] for row in rows}))
    geo = Dimension.flat("geo", sorted({row["geo"] for row in rows}))
    microdata = tc.read(shared / "data/tables/magnitude1.csv").microdata
    one = build(microdata, [MicrodataLayout("m", (sector, geo), response="value", contributor="company")])
    other = made((sector, geo), rows, "value", holder="company")
    to = [cell(other, *one.cell_codes(at)) for at in range(len(one))]
    for rule in (PPercent(10), Dominance(1, 80), MinimumFrequency(3)):
        mine, theirs = assess(one, [rule]), assess(other, [rule])
        np.testing.assert_array_equal(mine.sensitive, theirs.sensitive[to])
        np.testing.assert_allclose(mine.upper, theirs.upper[to])


def test_requests_and_consents_of_the_data() -> None:
    assert sensitive(built(response="turnover", contributor="firm", request="asked"), Request(70)) == {"medium"}
    rule = PPercent(10)
    assert sensitive(built(response="turnover", contributor="firm"), rule) == {"medium", "large"}
    assert sensitive(built(response="turnover", contributor="firm", waivers=("a",)), rule) == {"large"}


def test_rules_are_asked_of_enterprises_and_of_holdings() -> None:
    """Three small enterprises, two of one group: too few as holdings only."""
    rule = MinimumFrequency(3)
    assert sensitive(built(response="turnover", contributor="firm"), rule) == {"large"}
    both = built(response="turnover", contributor="firm", holding="group")
    assert sensitive(both, rule) == {"small", "large"}
    levels = assess(both, [rule])
    assert levels.rules == ("minimum frequency (3)", "minimum frequency (3) of holdings")


def test_frequency_tables_of_records() -> None:
    table = built()
    assert sensitive(table, MinimumFrequency(3)) == {"large"}
    with pytest.raises(InputError, match="a frequency table has none"):
        assess(table, [PPercent(10)])
    merged = recoded(table, neighbours(SIZE, "medium", "large"))
    assert sensitive(merged, MinimumFrequency(3)) == set()
    assert merged.values.tolist() == [8, 3, 5]
    assert (owners(merged) == -1).all()
