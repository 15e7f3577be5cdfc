"""Tables and files as facts: large numbers, headers that name a column twice, the settings of the embedded engine."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita as tc
from tacita.engines import duckdb
from tacita.engines.duckdb import DuckDBEngine
from tacita.errors import InputError
from tacita.settings import Settings

LARGE = pa.table({"x": pa.array([1, 2**63 + 5], pa.uint64()), "y": ["a", "b"]})


@pytest.mark.slow
def test_whole_numbers_that_do_not_fit_are_refused(tmp_path):
    pq.write_table(LARGE, tmp_path / "large.parquet")
    for given in (LARGE, tmp_path / "large.parquet"):
        with pytest.raises(InputError, match="column 'x' has whole numbers too large for 64 bits"):
            tc.reason("P(X, Y) -> Q(X).", {"P": given})
        with pytest.raises(InputError, match="too large for 64 bits"):
            tc.reason('@input("P", ["x:integer", "y"]). P(X, Y) -> Q(X).', {"P": given})
        with tc.reason('@input("P", ["x:number", "y"]). P(X, Y) -> Q(X).', {"P": given}) as found:
            assert found["Q"] == [(1.0,), (float(2**63),)]
    with tc.reason("P(X, Y) -> Q(X).", {"P": LARGE.slice(0, 1)}) as found:
        assert found["Q"] == [(1,)]


def test_whole_numbers_of_microdata_that_do_not_fit_are_refused():
    data = tc.read(LARGE, name="db").with_categories({"x": "quasi-identifier", "y": "quasi-identifier"})
    with pytest.raises(InputError, match="column 'x' has whole numbers too large for 64 bits"):
        tc.reason('Tuple(_, I, V), X = V["x"] -> Q(I, X).', data=data)
    with pytest.raises(InputError, match="column 'x' has whole numbers too large for 64 bits"):
        tc.reason("P(X, Y) -> Q(X).", {"P": data})


def test_a_header_that_names_a_column_twice_is_no_fact(tmp_path):
    file = tmp_path / "own.csv"
    file.write_text("owner,owner,share\na,b,0.6\nc,d,0.4\n")
    with pytest.raises(InputError, match="'owner' names 2 columns"):
        tc.reason("P(X, Y, W) -> Q(X, Y, W).", {"P": file})
    with pytest.raises(InputError, match="'owner' names 2 columns"):
        tc.reason('@input("P", ["owner", "company", "share"]). P(X, Y, W) -> Q(X, Y, W).', {"P": file})


def test_a_first_line_with_a_value_twice_is_data_still(tmp_path):
    file = tmp_path / "own.csv"
    file.write_text("a,a,0.5\nc,d,0.4\n")
    with tc.reason("P(X, Y, W) -> Q(X, Y, W).", {"P": file}) as found:
        assert found["Q"] == [("a", "a", 0.5), ("c", "d", 0.4)]
    file.write_text("a,a\nc,d\n")
    with tc.reason("P(X, Y) -> Q(X, Y).", {"P": file}) as found:
        assert found["Q"] == [("a", "a"), ("c", "d")]


def test_settings_hold_for_the_embedded_engine(tmp_path, monkeypatch):
    opened: list[Settings | None] = []

    class Watched(DuckDBEngine):
        """An embedded engine that says what it was opened with."""

        def __init__(self, settings: Settings | None = None) -> None:
            opened.append(settings)
            super().__init__(settings)

    monkeypatch.setattr(duckdb, "DuckDBEngine", Watched)
    (tmp_path / "p.csv").write_text("x,y\n1,2\n3,4\n")
    rules = '@input("P", ["x", "y"]). P(X, Y) -> Q(X, Y).'
    target = tmp_path / "q.csv"
    with tc.reason(rules, {"P": tmp_path / "p.csv"}, outputs={"Q": target}, memory="300MB", threads=1) as found:
        assert found["Q"] == [(1, 2), (3, 4)]
    assert [(settings.memory, settings.threads) for settings in opened if settings] == [("300MB", 1)]
