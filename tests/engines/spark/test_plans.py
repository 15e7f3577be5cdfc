"""Spark against the naive reference: every plan means what the plain Python says, on generated data."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp
from tests.oracles import engine as naive

from tacita.describe import profile as profiles
from tacita.engines.plans import frequencies, profile, weights
from tacita.engines.plans.terms import rows_where
from tacita.engines.protocol import Relation
from tacita.engines.spark import SparkEngine
from tacita.model.attribute import Attribute

# Few but large examples: a query on Spark costs as much for one row as for a thousand.
few = settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
texts = st.one_of(st.none(), st.sampled_from(["a", "b", "", "ä", "'", "NULL", "A"]), st.text(max_size=3))
whole = st.one_of(st.none(), st.integers(-5, 5))
numbers = st.one_of(st.none(), st.floats(allow_nan=False, width=32), st.just(math.nan))


def adopted(engine: SparkEngine, **columns: pa.Array) -> Relation:
    table = pa.table(columns)
    return engine.adopt(table.to_batches(), table.schema)


@few
@given(rows=st.lists(st.tuples(texts, whole), min_size=30, max_size=200))
def test_frequencies(spark: SparkEngine, rows: list[tuple[str | None, int | None]]) -> None:
    relation = adopted(
        spark, x=pa.array([r[0] for r in rows], pa.string()), y=pa.array([r[1] for r in rows], pa.int64())
    )
    coded = spark.encode(relation, ["x", "y"])
    found = {(r["c0"], r["c1"]): r["n"] for r in spark.run(frequencies.frequencies(coded, ["x", "y"]))}
    assert found == naive.frequencies(rows)
    assert spark.run(frequencies.sample_uniques(relation, ["x", "y"]))[0] == naive.sample_uniques(rows)
    for some in (relation, coded):
        spark.drop(some)


@few
@given(values=st.lists(texts, min_size=20, max_size=200))
def test_value_summary(spark: SparkEngine, values: list[str | None]) -> None:
    relation = adopted(spark, x=pa.array(values, pa.string()))
    found = spark.run(profile.value_summaries(relation, relation.columns))[0]
    expected = naive.value_summary(values)
    assert {name: found[name] for name in ("rows", "missing", "distinct", "singles")} == {
        name: expected[name] for name in ("rows", "missing", "distinct", "singles")
    }
    assert found["n_log_n"] == pytest.approx(expected["n_log_n"])


@few
@given(values=st.lists(numbers, min_size=1, max_size=200))
def test_numbers(spark: SparkEngine, values: list[float | None]) -> None:
    relation = adopted(spark, x=pa.array(values, pa.float64()))
    found = spark.run(profile.number_summaries(relation, relation.columns))[0]
    for name, expected in naive.number_summary(values).items():
        assert found[f"{name}_0"] == (None if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-6))
    quantiles = [naive.quantile(values, share) for share in profile.QUANTILES]
    assert found["quantiles_0"] == (None if None in quantiles else quantiles)
    bins = spark.run(profile.histogram(relation, relation.columns[0], -2.5, 3.5, 4))
    assert {r["bin"]: r["n"] for r in bins} == naive.histogram(values, -2.5, 3.5, 4)


@few
@given(values=st.lists(numbers, min_size=1, max_size=200))
def test_quantiles_of_long_tables(spark: SparkEngine, values: list[float | None]) -> None:
    relation = adopted(spark, x=pa.array(values, pa.float64()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(profiles, "_SAMPLED", 20)
        figures = profiles._long_number_figures(relation, relation.columns[0])
    quantiles = [naive.quantile(values, share) for share in profile.QUANTILES]
    assert figures["quantiles"] == (None if None in quantiles else quantiles)


def test_profiles_of_a_wide_table_are_those_of_a_long_one(spark: SparkEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {f"x{k}": pa.array([None, 0.0, -0.0, *(k * i / 3 for i in range(40))], pa.float64()) for k in range(11)}
    columns |= {f"y{k}": pa.array([None, "ä", *"abcab" * 8, "'"], pa.string()) for k in range(11)}
    relation = adopted(spark, **columns)
    wide = profiles.profiles(relation, [Attribute(name) for name in columns])
    monkeypatch.setattr(profiles, "_LONG", 0)
    for name in ("x10", "y0"):
        assert wide[name] == profiles.profiles(relation, [Attribute(name)])[name]


@few
@given(values=st.lists(numbers, min_size=30, max_size=200), scanned=st.booleans())
def test_faulty_weights(spark: SparkEngine, tmp_path: Path, values: list[float | None], scanned: bool) -> None:
    """Also over a Parquet file, whose statistics leave NaN out and mislead comparisons."""
    if scanned:
        path = tmp_path / f"{len(values)}-{abs(hash(tuple(values)))}.parquet"
        pq.write_table(pa.table({"w": pa.array(values, pa.float64())}), path)
        relation = spark.scan_parquet([path])
    else:
        relation = adopted(spark, w=pa.array(values, pa.float64()))
    counted, first = weights.faulty_weights(relation, relation.columns[0], limit=300)
    expected = naive.faulty_weights(values)
    assert [r["row"] for r in spark.run(first)] == [row for row, _ in expected]
    assert {r["fault"]: r["n"] for r in spark.run(counted)} == {
        fault: sum(f == fault for _, f in expected) for _, fault in expected
    }


def test_summaries_of_several_columns_do_not_mix(spark: SparkEngine) -> None:
    relation = adopted(spark, x=pa.array([1, 1, None]), y=pa.array(["b", "a", "c"]), z=pa.array([2.5, None, None]))
    rows = {r["k"]: r for r in spark.run(profile.value_summaries(relation, relation.columns))}
    assert [(rows[k]["missing"], rows[k]["distinct"], rows[k]["singles"]) for k in range(3)] == [
        (1, 1, 0),
        (0, 3, 3),
        (2, 1, 1),
    ]
    assert (rows[1]["least"], rows[1]["greatest"], rows[1]["longest"]) == ("a", "c", 1)
    numbers = spark.run(profile.number_summaries(relation, [relation.columns[0], relation.columns[2]]))[0]
    assert (numbers["least_0"], numbers["greatest_0"], numbers["least_1"], numbers["mean_1"]) == (1, 1, 2.5, 2.5)


@pytest.mark.parametrize("together", [False, True])
def test_most_frequent_breaks_ties_by_text(spark: SparkEngine, together: bool) -> None:
    relation = adopted(
        spark, x=pa.array([1e7, 9.5, 9.5, 1e7, 2.0, None]), y=pa.array(["b", "b", "a", None, None, None])
    )
    columns = relation.columns if together else relation.columns[:1]
    rows = spark.run(profile.most_frequent(relation, columns, 2))
    expected = [(0, "10000000.0", 2), (0, "9.5", 2)] + ([(1, "b", 2), (1, "a", 1)] if together else [])
    assert [(r["k"], r["v"], r["n"]) for r in rows] == expected


def test_rows_are_found_where_they_are(spark: SparkEngine) -> None:
    """In the order of what was adopted, however many partitions it fell into."""
    relation = adopted(spark, x=pa.array([i % 7 for i in range(1000)]))
    hit = exp.EQ(this=exp.column("c0"), expression=exp.Literal.number(3))
    assert [r["row"] for r in spark.run(rows_where(relation, hit, limit=4))] == [4, 11, 18, 25]
