"""Tables built on Spark are those built on DuckDB: the plans are the same."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from tacita.engines.duckdb import DuckDBEngine
from tacita.engines.spark import SparkEngine
from tacita.files.read import read
from tacita.model.table import Dimension
from tacita.tables.build.microdata.from_microdata import build
from tacita.tables.build.microdata.layout import MicrodataLayout

AREAS = Dimension.tree("area", {"Total": {"N": ["n0", "n1"], "S": ["s0"]}})
SIZES = Dimension.flat("size", ["0", "1", "2"])


@pytest.mark.parametrize("contributor", [None, "who"])
def test_a_table_is_the_same_on_both_engines(spark: SparkEngine, duckdb: DuckDBEngine, contributor: str | None) -> None:
    draw = random.Random(3)
    data = pa.table(
        {
            "area": [draw.choice(AREAS.leaves) for _ in range(80)],
            "size": [draw.randrange(3) for _ in range(80)],
            "x": [round(draw.expovariate(0.01), 2) for _ in range(80)],
            "w": [draw.choice([1.0, 1.5]) for _ in range(80)],
            "who": [draw.choice(["k1", "k2", "k3", None]) for _ in range(80)],
            "asked": [draw.choice(["0", "1"]) for _ in range(80)],
        }
    )
    layout = MicrodataLayout("t", (AREAS, SIZES), "x", "w", contributor, "asked")
    one, other = (build(read(data, engine), [layout]) for engine in (spark, duckdb))
    assert one.values.tolist() == other.values.tolist()
    assert one.contributions is not None and other.contributions is not None
    assert one.contributions.counts.tolist() == other.contributions.counts.tolist()
    assert one.contributions.largest.tolist() == other.contributions.largest.tolist()
    assert one.contributions.requested is not None and other.contributions.requested is not None
    assert np.array_equal(one.contributions.requested, other.contributions.requested)
