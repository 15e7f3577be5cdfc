"""Sensitive cells and levels that sdcTable, GaussSuppression and tau-Argus find on public data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.tables.grids import reference
from tests.tables.sensitivity.by_hand import cell, made, rows_of

from tacita.model.table import Dimension, Table
from tacita.tables.sensitivity.assess import assess
from tacita.tables.sensitivity.rule import SensitivityRule
from tacita.tables.sensitivity.rules.dominance import Dominance
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
from tacita.tables.sensitivity.rules.p_percent import PPercent

SECTOR = Dimension.tree(
    "sector4", {"Total": {"private": ["Agriculture", "Entertainment", "Industry"], "public": ["Governmental"]}}
)
GEO = Dimension.tree("geo", {"Total": {"EU": ["Portugal", "Spain"], "nonEU": ["Iceland"]}})


def magnitude1(shared: Path, sector: Dimension = SECTOR, geo: Dimension = GEO) -> Table:
    return made((sector, geo), rows_of(shared / "data/tables/magnitude1.csv"), "value", holder="company")


def primaries(shared: Path, table: Table, file: str) -> set[int]:
    found = rows_of(shared / "tables" / file)
    return {cell(table, row["sector4"], row["geo"]) for row in found if row["primary"] == "TRUE"}


@pytest.mark.parametrize(
    ("rules", "file", "many"),
    [
        ([Dominance(1, 80), Dominance(2, 99)], "gauss_magnitude1_dom_hier.csv", 13),
        ([PPercent(10)], "gauss_magnitude1_pPercent10.csv", 19),
        ([MinimumFrequency(3)], "gauss_magnitude1_fewContr2.csv", 13),
    ],
)
def test_primaries_of_gauss_suppression(shared: Path, rules: list[SensitivityRule], file: str, many: int) -> None:
    table = magnitude1(shared)
    found = set(np.flatnonzero(assess(table, rules).sensitive).tolist())
    # It does not list combinations that nobody is in, nor sums of one part twice.
    listed = {cell(table, row["sector4"], row["geo"]) for row in rows_of(shared / "tables" / file)}
    assert found & listed == primaries(shared, table, file)
    assert len(found & listed) == many


def test_primaries_of_gauss_suppression_without_hierarchies(shared: Path) -> None:
    flat = Dimension.flat("sector4", SECTOR.leaves), Dimension.flat("geo", GEO.leaves)
    table = magnitude1(shared, *flat)
    found = set(np.flatnonzero(assess(table, [Dominance(1, 80), Dominance(2, 99)]).sensitive).tolist())
    assert found == primaries(shared, table, "gauss_magnitude1_dom_geo_sector4.csv")
    assert len(found) == 9


def test_levels_of_p_percent_are_the_protection_intervals_of_gauss_suppression(shared: Path) -> None:
    table = magnitude1(shared)
    levels = assess(table, [PPercent(10)])
    told = [row for row in rows_of(shared / "tables/gauss_magnitude1_pPercent10_intervals.csv") if row["lomax_value"]]
    assert len(told) == 19
    for row in told:
        at = cell(table, row["sector4"], row["geo"])
        assert table.values[at] - levels.lower[at] == pytest.approx(float(row["lomax_value"]))
        assert table.values[at] + levels.upper[at] == pytest.approx(float(row["upmin_value"]))


@pytest.mark.parametrize(
    ("rule", "file"),
    [(PPercent(30), "sdcTable_microdata1_p30_OPT.csv"), (Dominance(2, 75), "sdcTable_microdata1_nk2_75_OPT.csv")],
)
def test_primaries_of_sdctable(shared: Path, rule: SensitivityRule, file: str) -> None:
    region = Dimension.flat("region", ["A", "B", "C", "D"], total="total")
    gender = Dimension.flat("gender", ["male", "female"], total="total")
    table = made((region, gender), rows_of(shared / "data/tables/microdata1.csv"), "val")
    expected = {
        cell(table, row["region"], row["gender"])
        for row in rows_of(shared / "tables" / file)
        if row["sdcStatus"] == "u"
    }
    assert set(np.flatnonzero(assess(table, [rule]).sensitive).tolist()) == expected
    assert len(expected) == 2


@pytest.mark.slow
def test_primaries_of_tau_argus(shared: Path) -> None:
    """Size x Region, Var2, p % (15): 9 (published by tau-Argus, see TABLES.md); it did not use the weights there."""
    folder = shared / "data/tables/tauargus"
    tree = json.loads((folder / "region2.json").read_text())
    rows = rows_of(folder / "tau_testW.csv")
    records = [{name: row[name].strip() for name in ("Size", "Region", "Var2")} for row in rows]
    sizes = Dimension.flat("Size", sorted({row["Size"] for row in records}))
    table = made((sizes, Dimension.tree("Region", tree)), records, "Var2", kept=2)
    assert assess(table, [PPercent(15)]).sensitive.sum() == 9


@pytest.mark.parametrize(("name", "minimum", "many"), [("z1", 4, 3), ("z2", 4, 8), ("z3", 3, 239)])
def test_small_counts_of_the_norwegian_tables(shared: Path, name: str, minimum: int, many: int) -> None:
    names = ["region", "hovedint", "mnd"][: 3 if name == "z3" else 2]
    table = reference(shared, name, names)
    levels = assess(table, [MinimumFrequency(minimum)])
    told = rows_of(shared / f"tables/sdcTable_ssb_{name}_freq_OPT.csv")
    expected = {cell(table, *(row[each] for each in names)) for row in told if row["sdcStatus"] == "u"}
    assert set(np.flatnonzero(levels.sensitive).tolist()) == expected
    assert len(expected) == many
    assert set(levels.lower[levels.sensitive]) == set(levels.upper[levels.sensitive]) == {1.0}
