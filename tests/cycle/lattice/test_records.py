"""Plans on records: what is released is what the plan says, and holds when counted anew."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import tacita as tc
from tacita.cycle.lattice.combined import WAYS, Way, cheapest_plan
from tacita.cycle.lattice.models import KAnonymous
from tacita.cycle.lattice.problem import LatticeTerms, Problem
from tacita.cycle.lattice.records import cells_of_records, masked_by
from tacita.model.hierarchy import IntervalHierarchy, ValueHierarchy
from tacita.model.microdata import Microdata
from tacita.risk.sample import Sample

AREA = ValueHierarchy.from_paths(
    "area", [["a", "north", "*"], ["b", "north", "*"], ["c", "south", "*"]], ["area", "part", "any"]
)
AGE = IntervalHierarchy.by_width("age", [5, 10])
KNOWN = ["area", "age", "sex"]


def records(n: int = 60) -> Microdata:
    rows = [
        {
            "id": i,
            "age": None if i % 17 == 3 else 20 + i * i % 23,
            "area": None if i % 13 == 5 else "abc"[i * 7 % 3],
            "sex": "fm"[i % 5 % 2],
            "pay": i * 1.5,
        }
        for i in range(n)
    ]
    data = tc.read(pa.Table.from_pylist(rows), name="db").with_roles(quasi=KNOWN)
    return replace(data.microdata, hierarchies={"area": AREA, "age": AGE})


def rows_of(data: Microdata) -> list[dict[str, Any]]:
    return [row for batch in data.relation.batches() for row in batch.to_pylist()]


@pytest.mark.parametrize("way", WAYS)
def test_released_records_have_their_equals(way: Way) -> None:
    data = records()
    problem = Problem.of_sample(Sample.of(data, known=KNOWN), [KAnonymous(4)], LatticeTerms(1.0))
    plan = cheapest_plan(problem, [way])
    assert plan is not None
    found = masked_by(problem, plan)
    before, after = rows_of(data), rows_of(found.microdata)
    assert [(row["id"], row["pay"]) for row in after] == [(row["id"], row["pay"]) for row in before]
    counted = Counter(tuple(row[name] for name in KNOWN) for row in after)
    whole = {key: n for key, n in counted.items() if any(cell is not None for cell in key)}
    assert min((whole if way == "global" else counted).values()) >= 4
    changed = {
        name: [i for i, (a, b) in enumerate(zip(before, after, strict=True), 1) if str(a[name]) != str(b[name])]
        for name in KNOWN
    }
    for name, rows in changed.items():
        if name in found.whole:
            assert rows
        else:
            assert found.changed.get(name, pa.array([])).tolist() == rows
    assert all(row[name] is None for name in KNOWN for row, old in zip(after, before, strict=True) if old[name] is None)


def test_cells_name_no_value_that_was_missing() -> None:
    data = records()
    problem = Problem.of_sample(Sample.of(data, known=KNOWN), [KAnonymous(4)], LatticeTerms(1.0))
    plan = cheapest_plan(problem, ["local"])
    assert plan is not None
    missing = {i for i, row in enumerate(rows_of(data), 1) if row["area"] is None}
    assert not missing & set(cells_of_records(problem, plan.cells)["area"][0].tolist())


def test_the_same_data_give_the_same_plan_in_any_order() -> None:
    data = records()
    shuffled = tc.read(pa.Table.from_pylist(rows_of(data)[::-1]), name="db").with_roles(quasi=KNOWN).microdata
    plans = []
    for each in (data, replace(shuffled, hierarchies=data.hierarchies)):
        plan = cheapest_plan(Problem.of_sample(Sample.of(each, known=KNOWN), [KAnonymous(3)], LatticeTerms(1.0)))
        assert plan is not None
        plans.append((plan.way, plan.score, plan.cells.levels.tolist(), dict(plan.considered)))
    assert plans[0] == plans[1]
    assert plans[0][1] == min(plans[0][3].values())
