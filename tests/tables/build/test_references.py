"""Reference data of sdcTable and GaussSuppression: the same cells, the same figures."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from tacita.engines.context import Context
from tacita.model.table import Table
from tacita.tables.build.from_specification import gather
from tacita.tables.build.given import GivenTable
from tacita.tables.specification.reading import parse_specification


def gathered(folder: Path, text: str) -> tuple[GivenTable, ...]:
    return gather(parse_specification(text, folder=folder), Context.shared().engine)


def of_z(shared: Path, name: str, dimensions: list[str], source: str) -> GivenTable:
    hierarchies = "".join(f'[dimension.{each}]\nhierarchy = "{name}_dimlist_{each}.csv"\n' for each in dimensions)
    text = f"[data]\n{source}\n{hierarchies}[[table]]\ndimensions = {dimensions}\n"
    return gathered(shared / "data/tables", text)[0]


def figures(table: Table) -> dict[tuple[str, ...], float]:
    return {table.cell_codes(cell): float(table.values[cell]) for cell in range(len(table))}


@pytest.mark.parametrize(
    ("name", "dimensions", "cells"),
    [
        ("z1", ["region", "hovedint"], 45),
        ("z2", ["region", "hovedint"], 90),
        ("z3", ["region", "hovedint", "mnd"], 1200),
    ],
)
def test_frequencies_are_those_of_sdctable(shared: Path, name: str, dimensions: list[str], cells: int) -> None:
    counted = of_z(shared, name, dimensions, f'microdata = "{name}.csv"\nfrequency = "ant"').table
    completed = of_z(shared, name, dimensions, f'cells = "{name}.csv"\nvalue = "ant"\ncount = "ant"')
    given = of_z(shared, name, dimensions, f'cells = "../../tables/sdcTable_ssb_{name}_freq_OPT.csv"')
    with (shared / f"tables/sdcTable_ssb_{name}_freq_OPT.csv").open() as file:
        expected = {tuple(row[each] for each in dimensions): float(row["Freq"]) for row in csv.DictReader(file)}
    assert len(expected) == cells
    assert figures(counted) == figures(completed.table) == figures(given.table) == expected
    assert counted.is_count and completed.table.is_count
    assert len(counted.equations) == len(given.table.equations)
    assert given.status is not None
    if name == "z3":
        assert np.bincount(given.status).tolist() == [817, 239, 144]


def test_alternative_levels_from_columns(shared: Path) -> None:
    text = """
    [data]
    microdata = "magnitude1.csv"
    contributor = "company"
    empty = false
    [dimension.sector4]
    columns = ["sector2", "sector4"]
    [dimension.geo]
    columns = ["eu", "geo"]
    [[table]]
    dimensions = ["sector4", "geo"]
    response = "value"
    """
    (given,) = gathered(shared / "data/tables", text.replace("\n    ", "\n"))
    table = given.table
    with (shared / "tables/gauss_magnitude1_fewContr2.csv").open() as file:
        rows = {(row["sector4"], row["geo"]): row for row in csv.DictReader(file)}
    assert len(table) == len(rows) == 36 and table.counts is not None
    for cell in range(len(table)):
        row = rows[table.cell_codes(cell)]
        assert table.values[cell] == float(row["value"])
        assert table.counts[cell] == int(row["nAll"])


def test_signed_sums_of_gausssuppression(shared: Path) -> None:
    text = """
    [data]
    microdata = "sprt_emp.csv"
    [dimension.age]
    hierarchy = "sprt_emp_ageHier.csv"
    [dimension.geo]
    hierarchy = "sprt_emp_geoHier.csv"
    [[table]]
    dimensions = ["age", "geo", "year"]
    response = "ths_per"
    """
    (given,) = gathered(shared / "data/tables", text.replace("\n    ", "\n"))
    found = figures(given.table)
    assert found["Y15-64", "Europe", "2014"] == 222.3
    assert found["Y15-64", "EU", "2014"] == 219.0 and found["Y15-64", "nonEU", "2014"] == 3.3
    assert found["Y15-29", "nonEU", "2016"] == found["Y15-29", "Iceland", "2016"] == 1.9
    assert np.abs(given.table.equations.residuals(given.table.values)).max() < 1e-9


def test_microdata_of_sdctable(shared: Path) -> None:
    text = """
    [data]
    microdata = "microdata1.csv"
    [dimension.region]
    total = "total"
    [dimension.gender]
    total = "total"
    [[table]]
    dimensions = ["region", "gender"]
    response = "val"
    """
    (given,) = gathered(shared / "data/tables", text.replace("\n    ", "\n"))
    with (shared / "tables/sdcTable_microdata1_p30_OPT.csv").open() as file:
        rows = {(row["region"], row["gender"]): row for row in csv.DictReader(file)}
    assert given.table.counts is not None and len(rows) == 15
    assert figures(given.table) == {codes: float(row["val"]) for codes, row in rows.items()}
    counts = {given.table.cell_codes(cell): int(n) for cell, n in enumerate(given.table.counts)}
    assert counts == {codes: int(row["Freq"]) for codes, row in rows.items()}


@pytest.mark.parametrize(
    ("file", "coarse", "other", "cells"), [("d2.csv", "county", "k_group", 100), ("d2s.csv", "county", "size", 60)]
)
def test_linked_tables_share_what_they_share(
    shared: Path, tmp_path: Path, file: str, coarse: str, other: str, cells: int
) -> None:
    with (shared / "data/tables" / file).open() as lines:
        rows = list(csv.DictReader(lines))
    tree, kinds = ({row[name]: [] for row in rows} for name in (coarse, other))
    for row in {row["region"]: row for row in rows}.values():
        tree[row[coarse]].append(row["region"])
        kinds[row[other]].append(row["region"])
    nested = "{ Total = { " + ", ".join(f'"{up}" = {below}' for up, below in tree.items()) + " } }"
    pairs = [("Total", up) for up in kinds] + [(up, code) for up, below in kinds.items() for code in below]
    (tmp_path / "kinds.csv").write_text("parent,child\n" + "".join(f"{up},{code}\n" for up, code in pairs))
    text = (
        f'[data]\nmicrodata = "{shared / "data/tables" / file}"\nfrequency = "freq"\n'
        f"[dimension.region]\ntree = {nested}\n"
        '[[table]]\nname = "by county"\ndimensions = ["region", "main_income"]\n'
        '[[table]]\nname = "by kind"\ndimensions = ["region", "main_income"]\n'
        'hierarchy = { region = "kinds.csv" }\n'
    )
    (given,) = gathered(tmp_path, text)
    table = given.table
    assert len(table) == cells
    leaves = len({row["region"] for row in rows})
    assert int((table.parts["by county"] & table.parts["by kind"]).sum()) == 5 * (leaves + 1)
    found = figures(table)
    for up, below in kinds.items():
        for income in ("Total", "other", "wages"):
            assert found[up, income] == sum(found[code, income] for code in below)
    assert np.abs(table.equations.residuals(table.values)).max() == 0
