"""Workbooks: made by openpyxl or by hand and read by us; written by us and read by openpyxl."""

from __future__ import annotations

import datetime as dt
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.engines.duckdb.engine import DuckDBEngine
from tacita.errors import InputError, OutputError
from tacita.files.contract import WriteOptions
from tacita.files.excel import write, writing
from tacita.model.attribute import Attribute
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata, Source
from tacita.model.relation import Column, ColumnType

Load = Callable[..., Microdata]
Made = Callable[..., Microdata]


def rows(data: Microdata) -> list[dict[str, Any]]:
    return [row for batch in data.relation.batches() for row in batch.to_pylist()]


def book(path: Path, *lines: list[Any], at: tuple[int, int] = (1, 1), **sheets: list[list[Any]]) -> Path:
    workbook = openpyxl.Workbook()
    workbook.active.title = "first"
    for name, content in {"first": list(lines), **sheets}.items():
        sheet = workbook[name] if name in workbook.sheetnames else workbook.create_sheet(name)
        for i, line in enumerate(content):
            for j, cell in enumerate(line):
                if cell is not None:
                    sheet.cell(at[0] + i, at[1] + j, cell)
                    if isinstance(cell, str) and cell.startswith("#"):
                        sheet.cell(at[0] + i, at[1] + j).data_type = "e"
    workbook.save(path)
    return path


@pytest.fixture
def made(engine: DuckDBEngine) -> Made:
    def make(table: pa.Table, *known: Attribute, columns: list[Column] | None = None, name: str = "data") -> Microdata:
        relation = engine.adopt(table.to_batches(), table.schema)
        relation = relation.renamed(columns) if columns else relation
        by_name = {attribute.name: attribute for attribute in known}
        attributes = tuple(by_name.get(c.name, Attribute(c.name)) for c in relation.columns)
        return Microdata(relation, Dictionary(name, attributes), Source("test", "test"))

    return make


def written(data: Microdata, path: Path) -> tuple[str, ...]:
    partial = path.with_name("out.partial")
    losses = write(data, partial, WriteOptions(), ending=".xlsx")
    partial.rename(path)
    return losses


# -- reading ----------------------------------------------------------------------------------------------------------


def test_cells_keep_what_they_are(load: Load, tmp_path: Path) -> None:
    day, moment = dt.date(2020, 1, 2), dt.datetime(2020, 1, 2, 3, 4, 5)
    path = book(
        tmp_path / "a.xlsx",
        ["code", "n", "x", "day", "moment", "time", "long", "yes", "nothing"],
        ["00123", 1, 1.5, day, moment, dt.time(8, 30), dt.timedelta(hours=30), True, None],
        ["7", 2, 2, None, day, None, dt.timedelta(minutes=5), False, None],
        [None, None, None, dt.date(1950, 5, 5), None, dt.time(23, 59, 59), None, None, None],
    )
    data = load(path)
    assert [(r.name, r.type, r.reason, r.doubtful) for r in data.readings] == [
        ("code", ColumnType.TEXT, "text", False),
        ("n", ColumnType.INTEGER, "numbers, all whole", False),
        ("x", ColumnType.NUMBER, "numbers", False),
        ("day", ColumnType.DATE, "dates", False),
        ("moment", ColumnType.TIMESTAMP, "dates with times", False),
        ("time", ColumnType.TEXT, "times of day or durations, as text", False),
        ("long", ColumnType.TEXT, "times of day or durations, as text", False),
        ("yes", ColumnType.BOOLEAN, "truth values", False),
        ("nothing", ColumnType.TEXT, "no values", False),
    ]
    assert rows(data) == [
        {"code": "00123", "n": 1, "x": 1.5, "day": day, "moment": moment, "time": "08:30:00"}
        | {"long": "30:00:00", "yes": True, "nothing": None},
        {"code": "7", "n": 2, "x": 2.0, "day": None, "moment": dt.datetime(2020, 1, 2), "time": None}
        | {"long": "00:05:00", "yes": False, "nothing": None},
        {"code": None, "n": None, "x": None, "day": dt.date(1950, 5, 5), "moment": None, "time": "23:59:59"}
        | {"long": None, "yes": None, "nothing": None},
    ]
    assert data.source.details == (("sheet", "first"),)


def test_mixed_columns_are_text_and_doubtful(load: Load, tmp_path: Path) -> None:
    path = book(
        tmp_path / "a.xlsx",
        ["both", "digits", "dates", "bad"],
        [1, "12", dt.date(2020, 1, 2), 1],
        ["x", 13, "soon", "#DIV/0!"],
        [2.5, 14, 3, "#N/A"],
    )
    data = load(path)
    assert [(r.type, r.reason, r.doubtful) for r in data.readings] == [
        (ColumnType.TEXT, "mixed: numbers, text in one column", True),
        (ColumnType.TEXT, "mixed: numbers, some written as text", True),
        (ColumnType.TEXT, "mixed: dates, numbers, text in one column", True),
        (
            ColumnType.INTEGER,
            "numbers, all whole; 2 cells with an error such as #DIV/0!, taken as missing",
            True,
        ),
    ]
    assert [row["both"] for row in rows(data)] == ["1", "x", "2.5"]
    assert [row["digits"] for row in rows(data)] == ["12", "13", "14"]
    assert [row["bad"] for row in rows(data)] == [1, None, None]


def test_numbers_with_markers_are_numbers_and_the_markers_are_kept(load: Load, made: Made, tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", ["a", "b"], [1, "x"], ["NA", "refused"], [2.5, "y"], ["refused", None])
    data = load(path, missing=("refused",))
    assert rows(data) == [
        {"a": 1.0, "b": "x"},
        {"a": None, "b": None},
        {"a": 2.5, "b": "y"},
        {"a": None, "b": None},
    ]
    assert data.readings[0].reason == "numbers; 2 marked as missing"
    assert written(data, tmp_path / "b.xlsx") == ("codes of missing values are written as text: a, b",)
    sheet = openpyxl.load_workbook(tmp_path / "b.xlsx").active
    assert [[cell.value for cell in line] for line in sheet.rows] == [
        ["a", "b"],
        [1, "x"],
        ["NA", "refused"],
        [2.5, "y"],
        ["refused", None],
    ]


def test_types_told_by_the_user(load: Load, tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", ["plz"], [1000], [2000])
    assert [row["plz"] for row in rows(load(path, types={"plz": ColumnType.TEXT}))] == ["1000", "2000"]


def test_sheets_by_name_by_number_or_the_first(load: Load, tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", ["a"], [1], firms=[["b"], [2]], **{"2020": [["c"], [3]]})
    assert load(path).source.details == (
        ("sheet", "first"),
        ("other sheets", "firms, 2020 (choose one with --sheet)"),
    )
    assert rows(load(path, sheet="firms")) == [{"b": 2}]
    assert rows(load(path, sheet="2")) == [{"b": 2}]
    assert rows(load(path, sheet="2020")) == [{"c": 3}]
    with pytest.raises(InputError) as error:
        load(path, sheet="firm")
    assert str(error.value) == (
        f"{path}: no sheet 'firm'; did you mean 'firms'?\n  what to do: give --sheet with one of: first, firms, 2020"
    )
    with pytest.raises(InputError, match="no sheet '0'"):
        load(path, sheet="0")


def test_a_header_with_faults_is_told_by_address(load: Load, tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", ["a", None, "a", "b_1", "b", "a"], [1, 2, 3, 4, 5, 6], at=(3, 2))
    with pytest.raises(InputError) as error:
        load(path)
    assert str(error.value) == (
        f"{path}, sheet 'first': 2 faults:\n"
        "  - no name in the header cells C3\n"
        "  - the name 'a' stands in B3, D3, G3\n"
        "  what to do: give every column a name of its own, or say --no-header if the first row is data"
    )


def test_headers_that_only_look_repeated(load: Load, tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", ["a", "a_1", 2020, " b ", dt.date(2020, 1, 2)], [1, 2, 3, 4, 5])
    assert rows(load(path)) == [{"a": 1, "a_1": 2, "2020": 3, "b": 4, "2020-01-02": 5}]


def test_a_table_that_does_not_begin_in_the_corner(load: Load, tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", ["a", "b"], [1, "x"], [None, None], [2, "y"], [None, None], at=(4, 3))
    assert rows(load(path)) == [{"a": 1, "b": "x"}, {"a": None, "b": None}, {"a": 2, "b": "y"}]


def test_without_a_header(load: Load, tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", [1, "x"], [2, "y"])
    assert rows(load(path, header=False)) == [{"column1": 1, "column2": "x"}, {"column1": 2, "column2": "y"}]


def test_a_header_alone_and_nothing_at_all(load: Load, tmp_path: Path) -> None:
    data = load(book(tmp_path / "a.xlsx", ["a", "b"]))
    assert (rows(data), [c.name for c in data.columns]) == ([], ["a", "b"])
    with pytest.raises(InputError) as error:
        load(book(tmp_path / "b.xlsx"))
    assert str(error.value) == (
        f"{tmp_path / 'b.xlsx'}: the sheet 'first' is empty\n  what to do: choose another one with --sheet"
    )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.xlsx", b"", "is empty"),
        ("a.xlsx", b"a;b\nsecret;2\n", "is damaged, or is not a workbook of this kind"),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "is damaged, or is not a workbook of this kind"),
        ("a.ods", b"PK\x03\x04" + b"\0" * 600, "is damaged, or is not a workbook of this kind"),
        ("a.xlsb", b"PK\x03\x04" + b"\0" * 600, "is damaged, or is not a workbook of this kind"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is protected by a password, or is an old Excel file"),
    ],
)
def test_files_that_are_no_workbooks(load: Load, tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as error:
        load(tmp_path / name)
    assert error.value.found == said
    assert error.value.where == str(tmp_path / name)


def test_a_workbook_that_is_cut_off(load: Load, tmp_path: Path) -> None:
    path = book(tmp_path / "a.xlsx", ["a"], [1])
    content = path.read_bytes()
    for length in range(10, len(content), 499):
        path.write_bytes(content[:length])
        with pytest.raises(InputError):
            load(path)


def test_open_document_and_macro_workbooks(load: Load, tmp_path: Path) -> None:
    cells = (
        '<table:table-row><table:table-cell office:value-type="string"><text:p>a</text:p></table:table-cell>'
        '<table:table-cell office:value-type="string"><text:p>b</text:p></table:table-cell></table:table-row>'
        '<table:table-row><table:table-cell office:value-type="float" office:value="1.5"/>'
        '<table:table-cell office:value-type="string"><text:p>007</text:p></table:table-cell></table:table-row>'
    )
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {spaces}><office:body><office:spreadsheet>'
        f'<table:table table:name="s">{cells}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with zipfile.ZipFile(tmp_path / "a.ods", "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    assert rows(load(tmp_path / "a.ods")) == [{"a": 1.5, "b": "007"}]
    book(tmp_path / "b.xlsx", ["a"], [1]).rename(tmp_path / "b.xlsm")
    assert rows(load(tmp_path / "b.xlsm")) == [{"a": 1}]


# -- writing ----------------------------------------------------------------------------------------------------------


def test_what_openpyxl_finds_in_what_we_write(made: Made, tmp_path: Path) -> None:
    data = made(
        pa.table(
            {
                "code": ["00123", "=1+1", None],
                "n": [1, 2, None],
                "x": [0.1, float("nan"), float("inf")],
                "day": [dt.date(2020, 1, 2), None, None],
                "moment": [dt.datetime(2020, 1, 2, 3, 4, 5, 678_000), None, None],
                "yes": [True, False, None],
                "link": ["http://example.org", "@x", ""],
            }
        ),
        name="a/b: survey*",
    )
    assert written(data, tmp_path / "a.xlsx") == (
        "Excel has no infinite numbers, so their cells are empty: x",
        "Excel does not tell empty text from no text: link",
        "Excel does not keep rows without any value at the end: 1 row",
    )
    workbook = openpyxl.load_workbook(tmp_path / "a.xlsx")
    assert workbook.sheetnames == ["ab survey"]
    found = [[(cell.value, cell.data_type) for cell in line] for line in workbook.active.rows]
    assert found[1] == [
        ("00123", "s"),
        (1, "n"),
        (0.1, "n"),
        (dt.datetime(2020, 1, 2), "d"),
        (dt.datetime(2020, 1, 2, 3, 4, 5, 678_000), "d"),
        (True, "b"),
        ("http://example.org", "s"),
    ]
    assert found[2] == [("=1+1", "s"), (2, "n"), (None, "n"), (None, "n"), (None, "n"), (False, "b"), ("@x", "s")]
    assert len(found) == 3
    assert workbook.active._hyperlinks == []


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    texts=st.lists(
        st.none()
        | st.text(st.characters(exclude_categories=["Cs", "Cn"], exclude_characters="\r"), min_size=1, max_size=20),
        min_size=3,
        max_size=3,
    ),
    numbers=st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3),
    wholes=st.lists(st.none() | st.integers(-(10**15) + 1, 10**15 - 1), min_size=3, max_size=3),
    days=st.lists(st.none() | st.dates(dt.date(1900, 3, 1), dt.date(9999, 12, 31)), min_size=3, max_size=3),
)
def test_what_we_write_we_read(
    load: Load, engine: DuckDBEngine, texts: Any, numbers: Any, wholes: Any, days: Any
) -> None:
    table = pa.table(
        {
            "t": pa.array(["x", *texts], pa.string()),
            "x": pa.array([0.5, *numbers], pa.float64()),
            "n": pa.array([1, *wholes], pa.int64()),
            "d": pa.array([dt.date(2000, 2, 29), *days], pa.date32()),
        }
    )
    relation = engine.adopt(table.to_batches(), table.schema)
    names = [Attribute(name) for name in table.column_names]
    data = Microdata(relation, Dictionary("d", tuple(names)), Source("x", "x"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.xlsx"
        assert not [loss for loss in written(data, path) if "at the end" not in loss]
        again = load(path)
    found = rows(again)
    height = len(found)
    # Excel has no rows without a cell at the end.
    assert all(cell is None for row in table.slice(height).to_pylist() for cell in row.values())
    expected = table.slice(0, height).to_pylist()
    for row in expected:  # 17 digits are what xlsxwriter writes, and a double has no more
        row["x"] = None if row["x"] is None else float(f"{row['x']:.16G}")
    assert found == expected


def test_what_excel_cannot_count_is_written_as_text(made: Made, tmp_path: Path) -> None:
    data = made(
        pa.table(
            {
                "id": [10**15, 1],
                "born": [dt.date(1899, 12, 31), dt.date(2000, 1, 1)],
                "met": [dt.datetime(2020, 1, 1, 0, 0, 0, 1), None],
                "zoned": pa.array([dt.datetime(2020, 1, 1), None], pa.timestamp("us", "UTC")),
            }
        ),
        Attribute("id", description="Identifier"),
    )
    assert written(data, tmp_path / "a.xlsx") == (
        "Excel keeps 15 digits of a number, so longer ones are written as text: id",
        "Excel has no days before 1 March 1900, so these dates are written as text: born",
        "Excel keeps milliseconds, so these moments are rounded: met",
        "Excel knows no time zones, so UTC is written: zoned",
        "Excel has no place for labels of columns and values: id",
    )
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx").active
    assert [sheet["A2"].value, sheet["B2"].value, sheet["A3"].value] == ["1000000000000000", "1899-12-31", "1"]


def test_limits_are_told_before_anything_is_written(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "_ROWS", 3)
    monkeypatch.setattr(writing, "_COLUMNS", 1)
    data = made(pa.table({"a": ["x" * 32_767, "😀" * 16_384, "x"], "b": [1, 2, 3]}))
    with pytest.raises(OutputError) as error:
        written(data, tmp_path / "a.xlsx")
    assert str(error.value) == (
        "3 faults:\n"
        "  - 3 rows and a header, where a sheet has 3 rows\n"
        "  - 2 columns, where a sheet has 1\n"
        "  - column 'a': 1 text longer than the 32,767 characters of a cell (the longest has 32,768)\n"
        "  what to do: write Parquet or CSV instead, or leave out rows or columns"
    )
    assert list(tmp_path.glob("*.xlsx")) == []


def test_nothing_of_the_data_stays_beside_the_workbook(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setenv("TACITA_SPILL", str(spill))
    seen: list[str] = []
    real = writing._write

    def watched(*arguments: Any) -> int:
        last = real(*arguments)
        seen.extend(path.name for path in spill.iterdir())
        return last

    monkeypatch.setattr(writing, "_write", watched)
    written(made(pa.table({"a": ["secret"] * 1000})), tmp_path / "a.xlsx")
    assert len(seen) == 1
    assert list(spill.iterdir()) == []


@pytest.mark.slow
def test_a_workbook_on_the_command_line(tacita: Callable[..., Any], tmp_path: Path) -> None:
    book(tmp_path / "a.xlsx", ["zip", "n"], ["01067", 1], ["80331", 2], other=[["x"], ["y"]])
    described = tacita("describe", "a.xlsx")
    assert described.stdout.startswith("a  2 tuples, 2 attributes  (Excel")
    assert tacita("convert", "a.xlsx", "b.xlsx").returncode == 0
    sheet = openpyxl.load_workbook(tmp_path / "b.xlsx").active
    assert [cell.value for cell in sheet[2]] == ["01067", 1]
    assert "no sheet 'none'" in tacita("describe", "a.xlsx", "--sheet", "none").stderr
