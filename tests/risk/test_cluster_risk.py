"""Households and linked records: sdcMicro's hierarchical risk, links by rules, and what cannot be clustered."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pyarrow as pa
import pytest
from tests.risk.samples import column, microdata

import tacita as tc
from tacita.reasoning.links import related
from tacita.risk.cluster_risk import ClusterRisk
from tacita.risk.identity.individual_risk import IndividualRisk, RiskEstimate
from tacita.risk.identity.reidentification import Reidentification
from tacita.risk.sample import Sample

KV7 = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
FIVE = ["urbrur", "roof", "walls", "water", "sex"]


@pytest.mark.parametrize(("known", "file"), [(FIVE, "hier"), (KV7, "kv7_hier")])
def test_household_risk_is_sdcmicros(shared: Path, known: list[str], file: str) -> None:
    data = tc.read(shared / "data/sdcmicro/testdata.csv")
    data = data.with_roles(quasi=known, weight="sampling_weight", cluster="ori_hid")
    found = ClusterRisk(IndividualRisk(RiskEstimate.APPROXIMATE)).risks(Sample.of(data.microdata, known))
    with (shared / "sdcmicro" / f"measure_risk_testdata_{file}.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert column(found, "own") == pytest.approx([float(row["risk"]) for row in rows], rel=1e-9)
    assert column(found, "risk") == pytest.approx([float(row["hier_risk"]) for row in rows], rel=1e-9)
    scalars = "measure_risk_testdata_hier_global.json" if file == "hier" else "measure_risk_testdata_scalars.json"
    told = json.loads((shared / "sdcmicro" / scalars).read_text())["fast" if file == "hier" else "kv7_hier"]
    assert sum(column(found, "risk")) == pytest.approx(told["hier_risk_ER"], rel=1e-9)
    assert sum(column(found, "own")) == pytest.approx(told["global_risk_ER"], rel=1e-9)


def test_members_a_certain_one_and_one_without_a_household() -> None:
    rows = [
        {"a": "x", "home": "h1", "w": 1.0},
        {"a": "y", "home": "h1", "w": 10.0},
        {"a": "z", "home": None, "w": 4.0},
        {"a": "u", "home": "h2", "w": 2.0},
        {"a": "v", "home": "h2", "w": 4.0},
    ]
    data = microdata(rows, quasi=["a"], weight="w", cluster="home")
    found = ClusterRisk(Reidentification()).risks(Sample.of(data.microdata))
    assert column(found, "risk") == pytest.approx([1, 1, 0.25, 1 - 0.5 * 0.75, 1 - 0.5 * 0.75])
    assert column(found, "members") == [2, 2, 1, 2, 2]


def firms() -> tc.Dataset:
    rows = [{"id": name, "area": name, "w": weight} for name, weight in zip("abcde", [2.0, 4, 5, 10, 20], strict=True)]
    return microdata(rows, quasi=["area"], identifier=["id"], weight="w")


@pytest.mark.slow
def test_links_by_rules() -> None:
    """a controls b, which controls c; d and e are in no relation."""
    own = [("a", "b", 0.6), ("b", "c", 0.55), ("d", "e", 0.2)]
    data = firms()
    links = related("company_groups", data.microdata, {"Own": own})
    found = ClusterRisk(Reidentification(), links, "group").risks(Sample.of(data.microdata))
    group = 1 - (1 - 1 / 2) * (1 - 1 / 4) * (1 - 1 / 5)
    assert column(found, "risk") == pytest.approx([group, group, group, 0.1, 0.05])
    assert column(found, "members") == [3, 3, 3, 1, 1]


def test_a_link_holds_both_ways_once_and_no_further() -> None:
    data = firms()
    engine = data.relation.engine
    batch = pa.RecordBatch.from_pydict({"one": ["a", "a", "b", "c"], "other": ["b", "b", "c", "c"]})
    links = engine.adopt([batch], batch.schema)
    found = ClusterRisk(Reidentification(), links, "link").risks(Sample.of(data.microdata))
    assert column(found, "members") == [2, 3, 2, 1, 1]
    assert column(found, "risk")[0] == pytest.approx(1 - 0.5 * 0.75)


def test_a_cluster_is_never_less_risky_than_a_member(shared: Path) -> None:
    data = tc.generate("households", seed=3, rows=2000)
    sample = Sample.of(data.microdata)
    found = ClusterRisk(IndividualRisk()).risks(sample)
    assert all(own <= risk <= 1 for own, risk in zip(column(found, "own"), column(found, "risk"), strict=True))
    assert math.isfinite(sum(column(found, "risk")))


def test_what_is_missing_is_said() -> None:
    data = microdata([{"a": "x"}], quasi=["a"])
    assert "cluster" in ClusterRisk(IndividualRisk()).lacks(Sample.of(data.microdata))[0]
    links = firms().relation
    assert "identifier" in ClusterRisk(IndividualRisk(), links).lacks(Sample.of(data.microdata))[0]
