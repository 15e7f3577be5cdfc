"""DuckDB against the naive reference: every plan means what the plain Python says, on generated data."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp
from tests.oracles import engine as naive

from tacita.describe import profile as profiles
from tacita.engines.duckdb import DuckDBEngine
from tacita.engines.plans import frequencies, profile, weights
from tacita.engines.protocol import Relation
from tacita.model.relation import ColumnType

many = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
texts = st.one_of(st.none(), st.sampled_from(["a", "b", "", "ä", "'", "NULL", "A"]), st.text(max_size=3))
whole = st.one_of(st.none(), st.integers(-5, 5))
numbers = st.one_of(st.none(), st.floats(allow_nan=False, width=32), st.just(math.nan))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBEngine]:
    from tacita.settings import Settings

    folder = tmp_path_factory.mktemp("engine")
    with DuckDBEngine(Settings(state=folder / "state", spill=folder)) as engine:
        yield engine


def adopted(engine: DuckDBEngine, **columns: pa.Array) -> Relation:
    table = pa.table(columns)
    return engine.adopt(table.to_batches(), table.schema)


@pytest.mark.slow
@many
@given(rows=st.lists(st.tuples(texts, whole), min_size=1, max_size=30))
def test_frequencies(engine: DuckDBEngine, rows: list[tuple[str | None, int | None]]) -> None:
    relation = adopted(
        engine, x=pa.array([r[0] for r in rows], pa.string()), y=pa.array([r[1] for r in rows], pa.int64())
    )
    coded = engine.encode(relation, ["x", "y"])
    for where in (relation, coded):
        found = {(r["c0"], r["c1"]): r["n"] for r in engine.run(frequencies.frequencies(where, ["x", "y"]))}
        assert found == naive.frequencies(rows)
        assert engine.run(frequencies.sample_uniques(where, ["x", "y"]))[0] == naive.sample_uniques(rows)


@pytest.mark.slow
@many
@given(values=st.lists(texts, max_size=40))
def test_value_summary(engine: DuckDBEngine, values: list[str | None]) -> None:
    relation = adopted(engine, x=pa.array(values, pa.string()))
    nothing = {"rows": 0, "missing": 0, "distinct": 0, "singles": 0, "n_log_n": 0}
    found = next(iter(engine.run(profile.value_summaries(relation, relation.columns))), nothing)
    expected = naive.value_summary(values)
    assert {name: found[name] for name in ("rows", "missing", "distinct", "singles")} == {
        name: expected[name] for name in ("rows", "missing", "distinct", "singles")
    }
    assert found["n_log_n"] == pytest.approx(expected["n_log_n"])


@pytest.mark.slow
@many
@given(values=st.lists(numbers, min_size=1, max_size=40))
def test_numbers(engine: DuckDBEngine, values: list[float | None]) -> None:
    relation = adopted(engine, x=pa.array(values, pa.float64()))
    found = engine.run(profile.number_summaries(relation, relation.columns))[0]
    for name, expected in naive.number_summary(values).items():
        assert found[f"{name}_0"] == (None if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-6))
    quantiles = [naive.quantile(values, share) for share in profile.QUANTILES]
    assert found["quantiles_0"] == (None if None in quantiles else quantiles)
    bins = engine.run(profile.histogram(relation, relation.columns[0], -2.5, 3.5, 4))
    assert {r["bin"]: r["n"] for r in bins} == naive.histogram(values, -2.5, 3.5, 4)


@pytest.mark.slow
@many
@given(values=st.lists(numbers, min_size=1, max_size=40), sampled=st.integers(0, 40))
def test_quantiles_of_long_tables(engine: DuckDBEngine, values: list[float | None], sampled: int) -> None:
    """Also where the sample is empty or leads astray."""
    relation = adopted(engine, x=pa.array(values, pa.float64()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(profiles, "_SAMPLED", sampled)
        figures = profiles._long_number_figures(relation, relation.columns[0])
    quantiles = [naive.quantile(values, share) for share in profile.QUANTILES]
    assert figures["quantiles"] == (None if None in quantiles else quantiles)


@pytest.mark.slow
@many
@given(values=st.lists(numbers, min_size=1, max_size=30), scanned=st.booleans())
def test_faulty_weights(engine: DuckDBEngine, tmp_path: Path, values: list[float | None], scanned: bool) -> None:
    """Also over a Parquet file, whose statistics leave NaN out and mislead comparisons."""
    relation = adopted(engine, w=pa.array(values, pa.float64()))
    if scanned:
        pq.write_table(pa.table({"w": pa.array(values, pa.float64())}), tmp_path / "w.parquet")
        relation = engine.scan_parquet([tmp_path / "w.parquet"])
    counted, first = weights.faulty_weights(relation, relation.columns[0], limit=100)
    expected = naive.faulty_weights(values)
    assert [r["row"] for r in engine.run(first)] == [row for row, _ in expected]
    assert {r["fault"]: r["n"] for r in engine.run(counted)} == {
        fault: sum(f == fault for _, f in expected) for _, fault in expected
    }


def test_summaries_of_several_columns_do_not_mix(engine: DuckDBEngine) -> None:
    relation = adopted(engine, x=pa.array([1, 1, None]), y=pa.array(["b", "a", "c"]), z=pa.array([2.5, None, None]))
    rows = {r["k"]: r for r in engine.run(profile.value_summaries(relation, relation.columns))}
    assert [(rows[k]["missing"], rows[k]["distinct"], rows[k]["singles"]) for k in range(3)] == [
        (1, 1, 0),
        (0, 3, 3),
        (2, 1, 1),
    ]
    assert (rows[1]["least"], rows[1]["greatest"], rows[1]["longest"]) == ("a", "c", 1)
    numbers = engine.run(profile.number_summaries(relation, [relation.columns[0], relation.columns[2]]))[0]
    assert (numbers["least_0"], numbers["greatest_0"], numbers["least_1"], numbers["mean_1"]) == (1, 1, 2.5, 2.5)


@pytest.mark.parametrize("together", [False, True])
def test_most_frequent_breaks_ties_by_text(engine: DuckDBEngine, together: bool) -> None:
    relation = adopted(engine, x=pa.array([10, 9, 9, 10, 2, None]), y=pa.array(["b", "b", "a", None, None, None]))
    columns = relation.columns if together else relation.columns[:1]
    rows = engine.run(profile.most_frequent(relation, columns, 2))
    expected = [(0, "10", 2), (0, "9", 2)] + ([(1, "b", 2), (1, "a", 1)] if together else [])
    assert [(r["k"], r["v"], r["n"]) for r in rows] == expected


def test_names_that_differ_only_in_case_stay_apart(engine: DuckDBEngine) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array(["x"])], names=["Area", "area"])
    relation = engine.adopt(table.to_batches(), table.schema)
    assert [c.name for c in relation.columns] == ["Area", "area"]
    assert next(relation.batches()).to_pylist() == [{"Area": 1, "area": "x"}]


def test_text_is_coded_as_an_enumeration(engine: DuckDBEngine) -> None:
    relation = adopted(engine, x=pa.array(["b", "a", None, "b"]), y=pa.array([1, 2, 3, 4]))
    coded = engine.encode(relation, ["x"])
    assert [c.name for c in coded.columns] == ["x"]
    assert coded.columns[0].is_coded
    assert "ENUM" in engine.run(exp.select("typeof(c0) AS t").from_(coded.source()))[0]["t"]
    assert next(coded.batches())["x"].to_pylist() == ["b", "a", None, "b"]


def test_plans_can_be_said_in_another_dialect(engine: DuckDBEngine) -> None:
    relation = adopted(engine, x=pa.array(["a"]))
    assert frequencies.frequencies(relation, ["x"]).sql("spark") == (
        f"SELECT c0, COUNT(*) AS n FROM {relation.table} GROUP BY c0"
    )


def test_types_of_arrow_columns(engine: DuckDBEngine) -> None:
    import datetime as dt
    import decimal

    relation = adopted(
        engine,
        a=pa.array([True]),
        b=pa.array([dt.date(2020, 1, 2)]),
        c=pa.array([dt.datetime(2020, 1, 2, 3)]),
        d=pa.array([decimal.Decimal("1.50")]),
        e=pa.array(["x"]).dictionary_encode(),
        f=pa.array([dt.time(3, 4)]),
        g=pa.nulls(1),
    )
    assert [c.type for c in relation.columns] == [
        ColumnType.BOOLEAN,
        ColumnType.DATE,
        ColumnType.TIMESTAMP,
        ColumnType.NUMBER,
        ColumnType.TEXT,
        ColumnType.TEXT,
        ColumnType.TEXT,
    ]


def test_nested_columns_are_refused_by_name(engine: DuckDBEngine) -> None:
    from tacita.errors import InputError

    with pytest.raises(InputError, match="column 'x' holds"):
        adopted(engine, x=pa.array([[1, 2]]))
