"""Indicators in SQL: which are preserved, and which queries are refused."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

import tacita as tc
from tacita.errors import InputError, TacitaError, UsageError
from tacita.model.microdata import Microdata
from tacita.utility.analyses.indicators import Indicator, preserved

ROWS = [
    {"area": "north", "Net Income": 10.0, "rooms": 2},
    {"area": "north", "Net Income": 30.0, "rooms": 3},
    {"area": "south", "Net Income": 20.0, "rooms": 3},
    {"area": "centre", "Net Income": 40.0, "rooms": None},
]


def _data(*changes: tuple[int, str, object]) -> Microdata:
    rows = [dict(row) for row in ROWS]
    for place, name, value in changes:
        rows[place][name] = value
    return tc.read(pa.Table.from_pylist(rows), name="people").microdata


MEAN = 'SELECT avg("Net Income") FROM data'


@pytest.mark.slow
def test_an_indicator_within_and_beyond_its_tolerance() -> None:
    before, after = _data(), _data((0, "Net Income", 12.0))  # the mean goes from 25 to 25.5
    [within, beyond] = preserved(before, after, [Indicator("mean", MEAN, 0.02), Indicator("mean", MEAN, 0.01)])
    assert (within.before, within.after, within.deviation) == (25.0, 25.5, pytest.approx(0.02))
    assert within.holds
    assert not beyond.holds
    assert beyond.sentence == "'mean' is not within its tolerance of 1 %: it moved by 2 %"


def test_groups_are_compared_by_their_name() -> None:
    before, after = _data(), _data((2, "Net Income", 10.0))
    sql = 'SELECT area, sum("Net Income") FROM data GROUP BY area'
    [found] = preserved(before, after, [Indicator("by area", sql, 0.1)])
    assert (found.groups, found.broken, found.before, found.after) == (3, 1, 20.0, 10.0)
    assert "south" not in found.sentence
    assert "in 1 of 3 groups" in found.sentence


def test_a_group_that_is_gone_or_new_is_broken() -> None:
    before, after = _data(), _data((2, "area", "east"))
    [found] = preserved(before, after, [Indicator("by area", "SELECT area, count(*) FROM data GROUP BY 1", 9.0)])
    assert (found.broken, math.isinf(found.deviation)) == (2, True)


def test_no_figure_and_zero() -> None:
    before, after = _data(), _data((0, "rooms", 0))
    none = Indicator("none", "SELECT avg(rooms) FROM data WHERE rooms > 99", 0.0)
    zero = Indicator("zero", "SELECT count(*) FROM data WHERE rooms = 0", 0.5)
    found = preserved(before, after, [none, zero])
    assert found[0].holds
    assert not found[1].holds
    assert "not defined" in found[1].sentence


@pytest.mark.parametrize(
    "sql",
    [
        "WITH many AS (SELECT * FROM data WHERE rooms > 2) SELECT count(*) FROM many",
        "SELECT quantile_cont(d.\"Net Income\", 0.5) FROM data AS d WHERE d.area <> 'centre'",
        "SELECT count(*) FROM data a JOIN data b ON a.rooms = b.rooms",
        "SELECT count(*) FROM (SELECT area FROM data GROUP BY area HAVING count(*) > 1) AS crowded",
        'select corr(ROOMS, "Net Income") from DATA',
    ],
)
def test_queries_that_read_the_table(sql: str) -> None:
    [found] = preserved(_data(), _data(), [Indicator("it", sql, 0.0)])
    assert found.holds
    assert not math.isnan(found.before)


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("DROP TABLE data", "not one SELECT"),
        ("SELECT 1 FROM data; DROP TABLE data", "not one SELECT"),
        ("COPY data TO 'x.csv'", "not one SELECT"),
        ("SELECT rooms INTO other FROM data", "not one SELECT"),
        ("SELECT (", "not one SELECT"),
        ("", "not one SELECT"),
        ("SELECT count(*) FROM 'secret.csv'", "another table"),
        ("SELECT count(*) FROM read_csv('secret.csv')", "another table"),
        ("SELECT count(*) FROM data, LATERAL read_csv('secret.csv')", "another table"),
        ("SELECT count(*) FROM main.data", "another table"),
        ("SELECT count(*) FROM r0", "another table"),
        ("SELECT count(*) FROM duckdb_tables()", "may not be used"),
        ("SELECT getenv('HOME') FROM data", "may not be used"),
        ("WITH data AS (SELECT 1 AS rooms) SELECT rooms FROM data", "of its own"),
        ("SELECT sum(romos) FROM data", "did you mean 'rooms'"),
    ],
)
def test_queries_that_are_refused(sql: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as fault:
        preserved(_data(), _data(), [Indicator("it", sql, 0.0)])
    assert fault.value.do


def test_what_is_no_number_or_not_one_figure() -> None:
    for sql, why in (("SELECT max(area) FROM data", "not a number"), ("SELECT rooms FROM data", "several figures")):
        with pytest.raises(UsageError, match=why):
            preserved(_data(), _data(), [Indicator("it", sql, 0.0)])


def test_what_the_engine_cannot_compute_shows_no_value() -> None:
    with pytest.raises(InputError, match="cannot be computed") as fault:
        preserved(_data(), _data(), [Indicator("it", "SELECT sum(CAST(area AS INTEGER)) FROM data", 0.0)])
    chain: BaseException | None = fault.value
    while chain is not None:
        assert "north" not in str(chain)
        chain = chain.__cause__ or chain.__context__


def test_all_queries_are_checked_before_any_runs() -> None:
    good, bad = Indicator("good", MEAN, 0.0), Indicator("bad", "DROP TABLE data", 0.0)
    with pytest.raises(TacitaError, match="'bad'"):
        preserved(_data(), _data(), [good, bad])


def test_a_tolerance_is_a_share() -> None:
    with pytest.raises(UsageError, match="tolerance"):
        Indicator("it", MEAN, -0.1)
    with pytest.raises(UsageError, match="tolerance"):
        Indicator("it", MEAN, math.nan)
