"""Tables from microdata against the slow way, in every combination of weights and contributors."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
from tests.tables.build.naive import naive, tree

import tacita as tc
from tacita.tables.build.from_microdata import build
from tacita.tables.build.layout import Layout


def microdata(rows):
    return tc.read(pa.table({name: [row[name] for row in rows] for name in rows[0]})).microdata


def random_rows(seed: int, number: int = 60):
    draw = random.Random(seed)
    return [
        {
            "a": f"a{draw.randrange(5)}",
            "b": f"b{draw.randrange(4)}",
            "x": round(draw.expovariate(0.01), 2),
            "w": draw.choice([1.0, 1.5, 2.25]),
            "who": draw.choice(["k1", "k2", "k3", "k4", "k5", None]),
        }
        for _ in range(number)
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("contributor", [None, "who"])
@pytest.mark.parametrize("response", [None, "x"])
def test_every_cell_is_that_of_the_slow_way(seed: int, weight, contributor, response) -> None:
    rows = random_rows(seed)
    dimensions = (tree("a", 5), tree("b", 4))
    layout = Layout("t", dimensions, response, weight, contributor, largest=3)
    table = build(microdata(rows), [layout])
    expected = naive(rows, dimensions, response=response, weight=weight, contributor=contributor)
    assert len(table) == len(expected)
    assert table.contributions is not None and table.counts is not None
    for cell in range(len(table)):
        slow = expected[table.cell_codes(cell)]
        assert table.values[cell] == pytest.approx(slow.value, abs=1e-6)
        assert table.counts[cell] == slow.contributors
        if response or contributor:
            assert np.round(table.contributions.largest[cell], 6).tolist() == slow.largest(3)
            ours = table.contributions.largest[cell] * table.contributions.weights[cell]
            assert ours.sum() <= table.values[cell] + 1e-6
    assert np.abs(table.equations.residuals(table.values)).max() < 1e-6
    assert table.is_count == (response is None and weight is None)
