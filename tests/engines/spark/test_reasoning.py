"""Reasoning from Python on Spark, named as a user names it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

import tacita as tc
from tacita.engines.spark import SparkEngine

CONTROL = """\
@input("Own", ["owner", "company", "share"]).
@output("Control", ["controller", "controlled"]).
[1] Own(X, Y, W), W > 0.5 -> Control(X, Y).
[2] Control(X, Z), Own(Z, Y, W), msum(W, <Z>) > 0.5 -> Control(X, Y).
"""


def test_spark_gives_the_same(spark: SparkEngine, tmp_path: Path) -> None:
    """Files are read by the embedded engine, facts are derived on Spark, files are written by the embedded one."""
    own = pa.table({"owner": ["a", "b"], "company": ["b", "c"], "share": [0.6, 0.7]})
    tc.read(own).write(tmp_path / "o.csv")
    outputs = {"Control": tmp_path / "c.csv"}
    with tc.reason(CONTROL, {"Own": tmp_path / "o.csv"}, outputs=outputs, engine="spark") as found:
        assert found["Control"] == [("a", "b"), ("a", "c"), ("b", "c")]
        assert outputs["Control"].read_text() == "controller,controlled\na,b\na,c\nb,c\n"
