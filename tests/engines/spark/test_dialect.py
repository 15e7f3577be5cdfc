"""Plans that sqlglot or Spark could read otherwise than DuckDB: the same rows come out on both."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp, parse_one

from tacita.engines.duckdb import DuckDBEngine
from tacita.engines.protocol import Engine
from tacita.engines.spark import SparkEngine
from tacita.engines.spark.dialect import prepared, spark_sql

T = pa.table(
    {
        "x": pa.array([1, 2, 3, None, 5]),
        "y": pa.array([1, None, 3, 4, 9]),
        "s": ["a", "b", None, "ä", "a"],
        "w": [0.5, -1.5, None, 2.0, 1e10],
    }
)
B = pa.table({"x": pa.array([1, 2, None]), "y": pa.array([1, None, 4]), "s": ["a", "b", "ä"]})

PLANS = {
    "null-safe join": "SELECT a.c0, b.c1 FROM t AS a CROSS JOIN b WHERE a.c0 IS NOT DISTINCT FROM b.c0",
    "negation, null-safe": """SELECT a.c0, a.c1 FROM t AS a WHERE NOT EXISTS(SELECT 1 AS found FROM b
        WHERE b.c0 IS NOT DISTINCT FROM a.c0 AND b.c1 IS NOT DISTINCT FROM a.c1)""",
    "negation with an or": """SELECT a.c0, a.c1 FROM t AS a WHERE NOT EXISTS(SELECT 1 AS found FROM b
        WHERE b.c0 = a.c0 OR (b.c1 > a.c1 AND NOT b.c2 IS NULL))""",
    "negation over a join": """SELECT a.c0 FROM t AS a WHERE NOT EXISTS(SELECT 1 AS found FROM b CROSS JOIN t AS o
        WHERE b.c0 IS NOT DISTINCT FROM a.c0 AND b.c1 = o.c1)""",
    "negation of everything": "SELECT a.c0 FROM t AS a WHERE NOT EXISTS(SELECT 1 AS found FROM b WHERE FALSE)",
    "negation in negation": """SELECT a.c0 FROM t AS a WHERE NOT EXISTS(SELECT 1 AS found FROM b
        WHERE NOT EXISTS(SELECT 1 AS found FROM t AS o WHERE o.c0 = b.c0 AND o.c1 = a.c1))""",
    "negation in negation in negation": """SELECT a.c0 FROM t AS a WHERE NOT EXISTS(SELECT 1 AS found FROM b
        WHERE b.c0 <> a.c0 AND NOT EXISTS(SELECT 1 AS found FROM t AS o WHERE o.c1 = b.c1
        AND NOT EXISTS(SELECT 1 AS found FROM b AS p WHERE p.c0 = a.c0 AND p.c1 = b.c1)))""",
    "existence or not": "SELECT a.c0 FROM t AS a WHERE a.c0 = 3 OR EXISTS(SELECT 1 AS f FROM b WHERE b.c0 = a.c0)",
    "members": "SELECT a.c0, u.m FROM t AS a CROSS JOIN UNNEST([a.c0, a.c1, 7]) AS u(m) WHERE NOT u.m IS NULL",
    "members of members": """SELECT a.c0, v.m FROM t AS a CROSS JOIN UNNEST([a.c0, 2]) AS u(m)
        CROSS JOIN UNNEST([u.m, a.c1]) AS v(m) WHERE u.m = v.m""",
    "members alone": "SELECT u.m FROM UNNEST([3, 1, 2]) AS u(m)",
    "members in a negation": """SELECT a.c0 FROM t AS a WHERE NOT EXISTS(SELECT 1 AS found
        FROM UNNEST([a.c0, a.c1]) AS u(m) WHERE u.m = 1)""",
    "members of the outside": """SELECT a.c0 FROM t AS a WHERE NOT EXISTS(SELECT 1 AS found
        FROM b CROSS JOIN UNNEST([a.c0, a.c1]) AS u(m) WHERE u.m = b.c0)""",
    "members of the inside": """SELECT a.c0 FROM t AS a WHERE NOT EXISTS(SELECT 1 AS found
        FROM b CROSS JOIN UNNEST([b.c0, b.c1]) AS u(m) WHERE u.m = a.c0)""",
    "members of both sides": """SELECT a.c0 FROM t AS a WHERE NOT EXISTS(SELECT 1 AS found
        FROM b CROSS JOIN UNNEST([b.c0, a.c1]) AS u(m) WHERE u.m = 3)""",
    "different values": "SELECT COUNT(DISTINCT c0) AS n, COUNT(DISTINCT c2) AS m, COUNT(*) AS k FROM t",
    "one group of none": "SELECT SUM(c0) AS n FROM t WHERE c0 > 100 HAVING COUNT(*) > 0",
    "one group": "SELECT SUM(c0) AS n FROM t HAVING COUNT(*) > 0",
    "nulls come last": "SELECT c0 FROM t ORDER BY c0 LIMIT 5",
    "numbered as they come": "SELECT c0, ROW_NUMBER() OVER () AS n FROM t",
    "numbered within": "SELECT c0, ROW_NUMBER() OVER (PARTITION BY c2 ORDER BY c1) AS n FROM t",
    "division": "SELECT c0, c0 / 2 AS h, c0 // 2 AS d, c0 % 2 AS r FROM t",
    "casts that may fail": "SELECT TRY_CAST(c2 AS BIGINT) AS n, TRY_CAST(c2 AS DATE) AS d FROM t",
    "casts to text": "SELECT CAST(c3 AS TEXT) AS w, CAST(c0 AS TEXT) AS x FROM t",
    "union": "SELECT c0 FROM t UNION ALL SELECT c0 FROM b",
    "distinct": "SELECT DISTINCT c2 FROM t",
    "constants": "SELECT 'it''s' AS a, 'back\\slash \\n' AS b, '${x} %_ :p ?' AS c, '😀\t\"' AS d",
}


def rows(engine: Engine, plan: exp.Query, names: dict[str, str]) -> list[tuple[Any, ...]]:
    def renamed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Table) and node.name in names:
            node.set("alias", node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(node.name)))
            node.set("this", exp.to_identifier(names[node.name]))
        return node

    plan = plan.copy().transform(renamed)
    return [tuple(row.values()) for row in engine.run(plan)]


@pytest.fixture(scope="module")
def tables(spark: SparkEngine, duckdb: DuckDBEngine) -> dict[str, dict[str, str]]:
    return {
        engine.name: {
            "t": engine.adopt(T.to_batches(), T.schema).table,
            "b": engine.adopt(B.to_batches(), B.schema).table,
        }
        for engine in (spark, duckdb)
    }


@pytest.mark.parametrize("name", PLANS)
def test_both_engines_give_the_same_rows(
    spark: SparkEngine, duckdb: DuckDBEngine, tables: dict[str, dict[str, str]], name: str
) -> None:
    plan = parse_one(PLANS[name], dialect="duckdb")
    found = [rows(engine, plan, tables[engine.name]) for engine in (spark, duckdb)]
    if "ORDER BY c0 LIMIT" not in PLANS[name]:
        found = [sorted(some, key=repr) for some in found]
    assert found[0] == found[1]


def test_the_length_of_an_array(spark: SparkEngine, duckdb: DuckDBEngine) -> None:
    """Under DuckDB's name, which in Spark is the length of a text."""
    letters = exp.Array(expressions=[exp.Literal.string(letter) for letter in "abc"])
    plan = exp.select(exp.alias_(exp.Anonymous(this="len", expressions=[letters]), "n"))
    assert spark.run(plan) == duckdb.run(plan) == [{"n": 3}]


def test_null_safe_equality_is_a_hash_join(spark: SparkEngine, tables: dict[str, dict[str, str]]) -> None:
    """Compared with every row of the other table, a negation would be hopeless on any data worth Spark."""
    names = tables["spark"]
    plan = f"""SELECT a.c0 FROM {names["t"]} AS a WHERE NOT EXISTS(SELECT 1 FROM {names["b"]} AS b
        WHERE b.c0 IS NOT DISTINCT FROM a.c0 AND b.c1 IS NOT DISTINCT FROM a.c1)"""
    physical = spark._frame(parse_one(plan, dialect="duckdb"))._jdf.queryExecution().executedPlan().toString()
    assert "HashJoin" in physical or "SortMergeJoin" in physical
    assert "NestedLoop" not in physical


@settings(max_examples=1, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(
        st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0")), min_size=150, max_size=150
    )
)
def test_constants_arrive_as_they_are(spark: SparkEngine, texts: list[str]) -> None:
    hostile = [
        "\\",
        "\\\\",
        "'",
        "''",
        '"',
        "`",
        "\\'",
        "a\\",
        "\\u0041",
        "\\x41",
        "${env:HOME}",
        "\n\r\t\b",
        "--",
        "/*",
        ";",
    ]
    texts = [*hostile, *texts]
    plan = exp.select(*(exp.alias_(exp.Literal.string(text), f"v{i}") for i, text in enumerate(texts)))
    assert list(spark.run(plan)[0].values()) == texts


def test_a_copy_of_a_plan_is_written_anew() -> None:
    plan = exp.select("a").from_("r1")
    assert spark_sql(plan) == "SELECT a FROM r1"
    assert plan.meta
    assert spark_sql(plan.copy().where("a > 1")) == "SELECT a FROM r1 WHERE a > 1"


def test_what_can_fail_is_tried() -> None:
    """Without a word of ours sqlglot writes CAST for TRY_CAST, which stops at the first bad value."""
    plan = exp.select(exp.TryCast(this=exp.column("a"), to=exp.DataType.build("bigint"))).from_("r1")
    assert prepared(plan).sql("spark") == "SELECT TRY_CAST(a AS BIGINT) FROM r1"
