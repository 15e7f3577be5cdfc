"""Tables from files of cells: every way in which they are written, and everything that can be wrong with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacita as tc
from tacita.engines.context import Context
from tacita.errors import InputError
from tacita.model.table import Dimension, Status, Table
from tacita.tables.build.additivity import gaps
from tacita.tables.build.cells.cells_file import CellColumns, read_cells
from tacita.tables.build.cells.from_cells import from_cells
from tacita.tables.build.given import GivenTable

# The example of document 002, as SEEDS.md mends it.
ROWS = {"I": (20, 50, 10, 80), "II": (8, 19, 22, 49), "III": (17, 32, 12, 61), "Total": (45, 101, 44, 190)}
ACTIVITY = Dimension.flat("activity", ["I", "II", "III"])
REGION = Dimension.flat("region", ["A", "B", "C"])
STARRED = {("II", "A"), ("II", "C"), ("III", "A"), ("III", "C")}


def lines(change=None, *, without=()) -> list[list[object]]:
    cells = {(a, r): v for a, row in ROWS.items() for r, v in zip((*"ABC", "Total"), row, strict=True)}
    cells |= change or {}
    return [[a, r, v] for (a, r), v in cells.items() if (a, r) not in without]


def given(rows, *, names=("activity", "region", "value"), columns=None, tables=None, **options) -> GivenTable:
    source = pa.table({name: [row[at] for row in rows] for at, name in enumerate(names)})
    return of(source, columns or CellColumns(value="value"), tables, **options)


def of(source, columns, tables=None, *, kind="", markers=(), **options) -> GivenTable:
    raw = read_cells(
        source,
        {"activity": "activity", "region": "region"},
        columns,
        Context.shared().engine,
        kind=kind,
        markers=markers,
    )
    return from_cells(raw, tables or [("t", (ACTIVITY, REGION))], **options)


def value(table: Table, *codes: str) -> float:
    return next(float(table.values[cell]) for cell in range(len(table)) if table.cell_codes(cell) == codes)


def test_the_example_of_document_002() -> None:
    found = given(lines())
    assert len(found.table) == 16 and len(found.table.equations) == 8
    assert found.has_true_values and found.status is None and not found.notes
    assert np.abs(found.table.equations.residuals(found.table.values)).max() == 0


@pytest.mark.parametrize("marker", ["x", "c", ":", "*", "", "NA"])
def test_markers_in_the_value_column(tmp_path: Path, marker: str) -> None:
    rows = [[a, r, marker if (a, r) in STARRED else v] for a, r, v in lines()]
    file = tmp_path / "published.csv"
    file.write_text("activity,region,value\n" + "".join(f"{a},{r},{v}\n" for a, r, v in rows))
    found = of(file, CellColumns(value="value"))
    assert {found.table.cell_codes(int(c)) for c in np.flatnonzero(found.suppressed)} == STARRED
    assert not found.has_true_values and np.isnan(found.table.values).sum() == 4
    assert any("4 cells taken as suppressed" in note for note in found.notes)


def test_a_dash_is_zero_and_other_words_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "published.csv"
    file.write_text("activity,region,value\nI,A,-\nI,Total,-\n")
    assert of(file, CellColumns(value="value")).table.values.tolist() == [0, 0, 0, 0]
    file.write_text("activity,region,value\nI,A,hidden\nI,Total,5\n")
    with pytest.raises(InputError, match="row 1: the value is not a number or a known marker"):
        of(file, CellColumns(value="value"))
    found = of(file, CellColumns(value="value"), markers=["hidden"])
    assert found.status is not None and (found.status == Status.PRIMARY).sum() == 1


def test_statuses_levels_bounds_costs_and_contributions() -> None:
    rows = [
        [
            a,
            r,
            v,
            {("II", "C"): "u", ("II", "A"): "x", ("I", "Total"): "z"}.get((a, r), "s"),
            3,
            2.0,
            4.0,
            1.0,
            0,
            99,
            v / 2,
        ]
        for a, r, v in lines()
    ]
    names = ("activity", "region", "v", "st", "n", "lpl", "upl", "c", "lo", "up", "max1")
    columns = CellColumns("v", "n", "st", None, None, "lo", None, "c", "lpl", "upl", None, ("max1",))
    found = given(rows, names=names, columns=columns)
    assert found.status is not None and found.levels is not None and found.costs is not None
    assert np.bincount(found.status).tolist() == [13, 1, 1, 0, 1]
    cell = int(np.flatnonzero(found.status == Status.PRIMARY)[0])
    assert found.table.cell_name(cell) == "activity=II, region=C"
    assert found.levels.lower[cell] == 2 and found.levels.upper[cell] == 4
    assert found.levels.sensitive.sum() == 1 and found.levels.lower.sum() == 2
    assert found.table.counts is not None and found.table.contributions is not None
    assert found.table.contributions.largest[cell].tolist() == [11]
    with pytest.raises(InputError, match=r"the upper bound excludes the value of: activity=Total, region=Total"):
        given(rows, names=names, columns=CellColumns("v", upper="up"))


def test_amounts_with_largest_contributions_are_not_taken_for_counts() -> None:
    """Small amounts, or some below zero: nothing in the figures says that they are not counts."""
    rows = [[*row, 1] for row in lines()]
    for negative in (False, True):
        with pytest.raises(InputError, match="table of frequencies; say what is summed: response"):
            given(
                rows,
                names=("activity", "region", "v", "max1"),
                columns=CellColumns("v", largest=("max1",)),
                is_count=True,
                negative=negative,
            )


def test_totals_that_are_left_out_are_computed() -> None:
    inner = [row for row in lines() if "Total" not in row[:2]]
    found = given(inner, is_count=True)
    assert len(found.table) == 16 and value(found.table, "Total", "Total") == 190
    assert value(found.table, "II", "Total") == 49
    assert "7 totals that the file leaves out computed" in found.notes[0]
    some = given(lines(without=[("Total", "B"), ("II", "Total")]))
    assert value(some.table, "Total", "B") == 101 and len(some.table) == 16


def test_a_total_over_a_suppressed_cell_is_an_unknown_too() -> None:
    rows = [[a, r, None if (a, r) in STARRED else v] for a, r, v in lines(without=[("II", "Total"), ("I", "Total")])]
    found = given(rows)
    table = found.table
    assert found.status is not None and len(table) == 16
    status = {table.cell_codes(cell): int(found.status[cell]) for cell in range(len(table))}
    assert status["I", "Total"] == Status.PUBLISHED and status["II", "Total"] == Status.FORCED
    assert value(table, "I", "Total") == 80 and np.isnan(value(table, "II", "Total"))


def test_a_margin_that_fails_is_named_with_its_size() -> None:
    with pytest.raises(InputError) as told:
        given(lines({("II", "B"): 29}))
    text = str(told.value)
    assert "the parts of activity=II, region=Total exceed it by 10 (over region)" in text
    assert "the parts of activity=Total, region=B exceed it by 10 (over activity)" in text
    assert "decimals = 0" in text
    rows = [[*row, "s"] for row in lines({("II", "B"): 29})]
    with pytest.raises(InputError, match=r"activity=II, region=Total exceed it by 10 \(over region\)"):
        given(rows, names=("activity", "region", "v", "st"), columns=CellColumns("v", status="st"))


def test_what_a_left_out_cell_would_be_is_not_told() -> None:
    with pytest.raises(InputError) as told:
        given(lines(without=[("II", "B")]), is_count=True)
    assert "39 %" in str(told.value) and "by 19 (" not in str(told.value)
    with pytest.raises(InputError) as told:
        given(lines({("II", "B"): 0}), is_count=True)
    assert "39 %" in str(told.value) and "by 19 (" not in str(told.value)


def test_values_in_thousands() -> None:
    rows = [["I", "A", 1000], ["I", "B", 2000], ["I", "C", 1000], ["I", "Total", 5000]]
    with pytest.raises(InputError, match="does not add up"):
        given(rows, is_count=False)
    assert value(given(rows, is_count=False, decimals=-3).table, "I", "Total") == 4000


def test_of_unpublished_cells_only_a_share_is_told() -> None:
    rows = [[a, r, v, "u" if (a, r) in STARRED else "s"] for a, r, v in lines({("II", "A"): 18.25})]
    with pytest.raises(InputError) as told:
        given(rows, names=("activity", "region", "v", "st"), columns=CellColumns("v", status="st"))
    text = str(told.value)
    assert "%" in text and "10.25" not in text and "18.25" not in text


def test_rounded_values_are_no_fault_and_are_made_to_add_up() -> None:
    rows = [["I", "A", 1.3], ["I", "B", 1.3], ["I", "C", 1.3], ["I", "Total", 4.0]]
    found = given(rows)
    assert value(found.table, "I", "Total") == pytest.approx(3.9)
    assert any("by rounding" in note for note in found.notes)
    with pytest.raises(InputError, match="does not add up"):
        given([["I", "A", 1.3], ["I", "B", 1.3], ["I", "C", 1.3], ["I", "Total", 4.2]])
    whole = [["I", "A", 33], ["I", "B", 33], ["I", "C", 33], ["I", "Total", 100]]
    assert given(whole, is_count=False, decimals=0).has_true_values
    with pytest.raises(InputError, match=r"fall short of it by 1 \(over region\); if values are rounded, say how"):
        given(whole, is_count=False)
    with pytest.raises(InputError, match=r"fall short of it by 1 \("):
        given(whole, is_count=True)


def test_floating_point_is_no_fault() -> None:
    table = given([["I", "A", 0.1], ["I", "B", 0.2], ["I", "Total", 0.3]]).table
    assert gaps(table) == ()


def test_everything_wrong_is_told_together() -> None:
    rows = [["I", "A", 1.0], ["I", "A", 2.0], ["IV", "A", 3.0], ["I", "C", -4.0], ["I", "B", float("inf")]]
    with pytest.raises(InputError) as told:
        given(rows)
    text = str(told.value)
    assert "dimension 'activity': 1 cell with codes it does not have: 'IV'" in text
    assert "negative values: (activity=I, region=C)" in text
    assert "values that are not finite: (activity=I, region=B)" in text
    with pytest.raises(InputError, match=r"cells given more than once: \(activity=I, region=A\)"):
        given(rows[:2])
    assert given([["I", "C", -4.0]], negative=True).table.values.min() == -4


def test_a_cell_of_no_table_and_a_status_of_no_meaning() -> None:
    tables = [("by activity", (ACTIVITY,)), ("by region", (REGION,))]
    margins = [row for row in lines() if "Total" in row[:2]]
    found = given(margins, tables=tables)
    assert {name: int(mask.sum()) for name, mask in found.table.parts.items()} == {"by activity": 4, "by region": 4}
    with pytest.raises(InputError, match=r"cells that no table shows: \(activity=I, region=A\)"):
        given(lines(), tables=tables)
    rows = [[*row, "?"] for row in lines()]
    with pytest.raises(InputError, match=r"statuses that mean nothing: '\?'"):
        given(rows, names=("activity", "region", "v", "status"), columns=CellColumns("v"))


def test_only_x_means_sensitive_but_not_beside_u() -> None:
    rows = [[a, r, v, "x" if (a, r) in STARRED else ""] for a, r, v in lines()]
    found = given(rows, names=("activity", "region", "value", "status"), columns=CellColumns())
    assert found.status is not None and np.bincount(found.status).tolist() == [12, 4]
    assert "every suppressed cell counts as sensitive" in found.notes[0]


def test_columns_that_are_not_there_are_named() -> None:
    with pytest.raises(InputError, match=r"no column 'valeu' for the value; did you mean 'value'"):
        given(lines(), columns=CellColumns(value="valeu", count="n"))


def test_a_table_of_one_cell(tmp_path: Path) -> None:
    file = tmp_path / "one.csv"
    file.write_text("activity,region,value\nTotal,Total,7\n")
    lone = [("t", (Dimension("activity", ("Total",)), Dimension("region", ("Total",))))]
    found = of(file, CellColumns(value="value"), lone)
    assert found.table.values.tolist() == [7] and len(found.table.equations) == 0


def test_structural_business_statistics_flags(tmp_path: Path) -> None:
    flags = {("II", "C"): "B", ("II", "A"): "D", ("III", "A"): "D", ("III", "C"): "A"}
    file = tmp_path / "table.sbs"
    file.write_text(
        "".join(f"{a},{r},{'' if (a, r) in flags else v},{flags.get((a, r), 'V')}\n" for a, r, v in lines())
    )
    found = of(file, CellColumns())
    assert found.status is not None and np.bincount(found.status).tolist() == [12, 2, 2]
    levels = tmp_path / "levels.sbs"
    levels.write_text("".join(f"1,{a},1,{r},{v},V\n" for a, r, v in lines()))
    assert value(of(levels, CellColumns()).table, "II", "C") == 22


@pytest.mark.parametrize("ending", [".xlsx", ".parquet", ".tsv"])
def test_other_formats(tmp_path: Path, ending: str) -> None:
    shown = [[a, r, None if (a, r) in STARRED else float(v)] for a, r, v in lines()]
    table = pa.table({name: [row[at] for row in shown] for at, name in enumerate(("activity", "region", "value"))})
    tc.read(table).write(tmp_path / f"cells{ending}")
    found = of(tmp_path / f"cells{ending}", CellColumns(value="value"))
    assert {found.table.cell_codes(int(c)) for c in np.flatnonzero(found.suppressed)} == STARRED
    assert value(found.table, "Total", "Total") == 190


def test_frequencies_are_whole_numbers() -> None:
    with pytest.raises(InputError, match=r"frequencies that are no whole numbers: \(activity=I, region=A\)"):
        given([["I", "A", 1.5]], is_count=True)


def test_files_of_other_tools(shared: Path) -> None:
    tree = Dimension.tree(
        "sector4", {"Total": {"private": ["Agriculture", "Entertainment", "Industry"], "public": ["Governmental"]}}
    )
    geo = Dimension.tree("geo", {"Total": {"EU": ["Portugal", "Spain"], "nonEU": ["Iceland"]}})
    raw = read_cells(
        shared / "tables/gauss_magnitude1_pPercent10.csv",
        {"sector4": "sector4", "geo": "geo"},
        CellColumns(value="value"),
        Context.shared().engine,
    )
    found = from_cells(raw, [("m", (tree, geo))])
    assert raw.kind == "gauss" and found.status is not None
    assert np.bincount(found.status).tolist() == [8, 19, 9] and found.has_true_values
    assert found.table.counts is not None and found.table.counts.max() == 20


def test_frequencies_of_sdctable_are_its_frequencies_not_its_other_figures() -> None:
    rows = [["I", "A", 2, 20, "u"], ["I", "B", 3, 50, "s"], ["I", "Total", 5, 70, "s"]]
    source = pa.table(
        {name: [row[at] for row in rows] for at, name in enumerate(("activity", "region", "Freq", "val", "sdcStatus"))}
    )
    where = {"activity": "activity", "region": "region"}
    assert read_cells(source, where, CellColumns(), Context.shared().engine, response="").values.tolist() == [2, 3, 5]
    assert read_cells(source, where, CellColumns(), Context.shared().engine).values.tolist() == [20, 50, 70]
