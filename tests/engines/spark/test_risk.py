"""Measures of risk give the same on Spark as on DuckDB."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.risk.samples import CATEGORY, MAYBE, mixed, told

import tacita as tc
from tacita.api.dataset import Dataset
from tacita.engines.spark import SparkEngine
from tacita.risk.catalogue import measure
from tacita.risk.cluster_risk import ClusterRisk
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls
from tacita.risk.sample import Sample

pytestmark = pytest.mark.slow
TOLD_APART = ("individual-risk", "suda", "l-diversity", "t-closeness", "k-map", "file-risk", "household")
"""One of each kind of plan: Spark takes seconds for each; the others stand on the same ones."""


def on_spark(data: Dataset, spark: SparkEngine) -> Dataset:
    moved = tc.read(data.to_arrow(), name="db", engine=spark)
    return Dataset(moved.microdata.with_dictionary(data.dictionary))


@pytest.mark.parametrize(
    ("name", "nulls"),
    [("k-anonymity", CATEGORY), *((name, MAYBE) for name in TOLD_APART)],
)
def test_the_same_on_both_engines(spark: SparkEngine, name: str, nulls: Nulls) -> None:
    here, there = mixed(), on_spark(mixed(), spark)
    wanted: Measure = ClusterRisk(measure("individual-risk")) if name == "household" else measure(name)
    samples = [Sample.of(data.microdata, nulls=nulls) for data in (here, there)]
    if name in {"k-map", "delta-presence"}:
        populations = mixed(90).relation, on_spark(mixed(90), spark).relation
        samples = [replace(s, population=p) for s, p in zip(samples, populations, strict=True)]
    one, other = (wanted.risks(sample) for sample in samples)
    assert dict(one.figures) == pytest.approx(dict(other.figures), rel=1e-9)
    if one.records is not None:
        for mine, theirs in zip(told(one), told(other), strict=True):
            for column, value in mine.items():
                same = theirs[column] if not isinstance(value, float) else pytest.approx(theirs[column], rel=1e-9)
                assert value == same, column
