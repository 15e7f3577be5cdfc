"""Tables as files: what is published is in them in full, what is withheld is in none of them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow.parquet as pq
import pytest
from tests.tables.output.shown import SECRET, SECTOR, SIZE, YEAR, external, internal, table

from tacita.errors import UsageError
from tacita.model.table import Dimension, Equations, Table
from tacita.tables.output.as_excel import write_excel
from tacita.tables.output.as_sdmx_csv import sdmx_csv
from tacita.tables.output.long import long_csv, wide_csv, write_parquet
from tacita.tables.output.part import ShownCells, TablePart, parts_of


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_long_csv_has_a_line_for_each_cell_and_an_empty_value_where_withheld() -> None:
    (part,) = external(table(SECTOR, SIZE))
    found = rows(long_csv(part))
    assert found[0] == {"sector": "Total", "size": "all", "value": "1000", "status": ""}
    assert [row["value"] for row in found if row["status"] == "x"] == ["", ""]
    assert len(found) == 15


def test_the_internal_version_says_which_is_which_and_the_external_one_does_not() -> None:
    given = table(SECTOR, SIZE)
    inside = rows(long_csv(internal(given)[0]))
    assert [row["status"] for row in inside if row["status"] != "published"] == ["primary", "secondary"]
    assert inside[5]["value"] == "777777.25"
    for text in (long_csv(external(given)[0]), wide_csv(external(given)[0]), sdmx_csv(external(given)[0])):
        assert not [word for word in ("primary", "secondary", "777777", "dominance") if word in text]


def test_wide_csv_is_the_table_as_printed() -> None:
    lines = wide_csv(external(table(SECTOR, SIZE))[0]).splitlines()
    assert lines[0] == "sector \\ size,all,<s>,l"
    assert lines[2] == "A,4000,5000,x"
    deep = wide_csv(external(table(SECTOR, SIZE, YEAR))[0]).splitlines()
    assert deep[0] == "year,sector \\ size,all,<s>,l"
    assert deep[1].startswith("Total,Total,1000,")
    assert len(deep) == 1 + 3 * 5


def test_sdmx_csv_uses_the_code_lists() -> None:
    given = table(SECTOR, SIZE)
    found = rows(sdmx_csv(external(given)[0]))
    assert list(found[0]) == [
        "STRUCTURE", "STRUCTURE_ID", "ACTION", "SECTOR", "SIZE", "OBS_VALUE", "OBS_STATUS", "CONF_STATUS",
    ]  # fmt: skip
    assert found[0]["STRUCTURE_ID"] == "TACITA:FIRMS(1.0)"
    assert {(row["OBS_STATUS"], row["CONF_STATUS"]) for row in found} == {("A", "F"), ("Q", "N")}
    inside = rows(sdmx_csv(internal(given)[0]))
    assert [row["CONF_STATUS"] for row in inside if row["CONF_STATUS"] != "F"] == ["C", "D"]


def test_excel_holds_numbers_and_marks(tmp_path: Path) -> None:
    given = table(SECTOR, SIZE)
    write_excel(external(given), tmp_path / "out.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "out.xlsx")["firms"]
    assert [cell.value for cell in sheet[3]] == ["A", 4000, 5000, "x"]
    assert sheet.cell(3, 4).fill.start_color.rgb != "00000000"
    assert not [cell for row in sheet.iter_rows() for cell in row if cell.comment]
    write_excel(internal(given), tmp_path / "in.xlsx")
    inside = openpyxl.load_workbook(tmp_path / "in.xlsx")["firms"]
    assert "dominance" in inside.cell(3, 4).comment.text


def test_parquet_holds_the_long_form_and_no_statistics(tmp_path: Path) -> None:
    write_parquet(external(table(SECTOR, SIZE))[0], tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.column("value").null_count == 2
    assert SECRET not in found.column("value").to_pylist()


def test_linked_tables_are_shown_one_by_one_with_their_own_dimensions() -> None:
    given = table(SECTOR, SIZE)
    by_sector, by_size = given.codes[:, 1] == 0, given.codes[:, 0] == 0
    linked = Table(
        "both", given.dimensions, given.codes, given.values, given.equations, False, "turnover",
        parts={"by_sector": by_sector, "by_size": by_size},
    )  # fmt: skip
    first, second = parts_of(linked, ShownCells(linked.values))
    assert [each.name for each in first.dimensions] == ["sector"]
    assert rows(long_csv(second))[0] == {"size": "all", "value": "1000", "status": ""}


def test_cells_are_written_in_the_order_of_codes_however_they_came() -> None:
    given = table(SECTOR, SIZE)
    order = np.random.default_rng(1).permutation(len(given))
    mixed = Table(
        given.name, given.dimensions, given.codes[order], given.values[order], given.equations, False, given.response
    )
    assert long_csv(external(mixed)[0]) == long_csv(external(given)[0])


def test_published_intervals_stand_in_the_place_of_values() -> None:
    (part,) = external(table(SIZE, YEAR))
    lower = np.where(part.withheld, 10.0, np.nan)
    upper = np.where(part.withheld, 25.0, np.nan)
    between = TablePart(part.name, part.dimensions, part.codes, part.values, part.response, lower, upper)
    assert "10 – 25" in wide_csv(between)
    assert [(row["lower"], row["upper"]) for row in rows(long_csv(between)) if row["status"]] == [("10", "25")] * 2


def test_a_dimension_cannot_be_called_as_a_column() -> None:
    dimension = Dimension.flat("value", ["a"])
    given = Table("t", (dimension,), np.array([[0], [1]], np.int32), np.ones(2), Equations.of([]), True)
    with pytest.raises(UsageError, match="a dimension is called 'value'"):
        long_csv(parts_of(given, ShownCells(given.values))[0])
