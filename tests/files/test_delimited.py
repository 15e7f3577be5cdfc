"""Delimited text: every column gets the type it really has, says why, and can be written back as it was."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacita.engines.duckdb import DuckDBEngine
from tacita.errors import InputError, UsageError
from tacita.files.column_types import EITHER_WAY
from tacita.files.contract import ReadOptions, WriteOptions
from tacita.files.read import read
from tacita.files.write import write
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType
from tacita.settings import Settings


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DuckDBEngine]:
    folder = tmp_path_factory.mktemp("engine")
    with DuckDBEngine(Settings(state=folder / "state", spill=folder)) as engine:
        yield engine


@pytest.fixture
def load(engine: DuckDBEngine, tmp_path: Path):
    def load(text: str | bytes, name: str = "f.csv", **options: object) -> Microdata:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read(path, engine, ReadOptions(**options))

    return load


def values(microdata: Microdata, name: str) -> list[object]:
    return [v for batch in microdata.relation.batches() for v in batch[name].to_pylist()]


def reading(microdata: Microdata, name: str) -> tuple[str, str, bool]:
    found = next(r for r in microdata.readings if r.name == name)
    return found.type.value, found.reason, found.doubtful


THREE_DECIMALS = "numbers with three decimals; say --thousands . if the point groups digits"
GROUPED = "digits in groups of three: say --decimal or --thousands if they are numbers"


@pytest.mark.parametrize(
    ("cells", "type_", "reason", "doubtful"),
    [
        (["1", "-2", "30"], "integer", "whole numbers, every row checked", False),
        (["1.5", "2", "-.25", "1e3"], "number", "numbers, every row checked", False),
        (["1", "NA", "3"], "integer", "whole numbers, every row checked; 1 marked as missing", False),
        (["00123", "20121"], "text", "digits with leading zeros: a code", False),
        (["1", "2", "x"], "text", "text", False),
        (["2020-01-31", "2021-12-01"], "date", "dates, every row checked", False),
        (["31/01/2020", "01/12/2021"], "date", "dates, day first, every row checked", False),
        (["01/31/2020", "12/01/2021"], "date", "dates, month first, every row checked", False),
        (["31.01.2020", "01.12.2021"], "date", "dates, day first, every row checked", False),
        (["01/02/2020", "03/04/2021"], "text", EITHER_WAY, True),
        (["1.234", "5.678"], "number", THREE_DECIMALS + ", every row checked", True),
        (["2020-01-31 10:20:30"], "timestamp", "moments in time, every row checked", False),
        (["1234567890123456789"], "text", "more than 15 digits: a code", False),
        (
            ["1,234", "5,678"],
            "text",
            "digits in groups of three: say --decimal or --thousands if they are numbers",
            True,
        ),
        (["50-200", "1000+"], "text", "text", False),
    ],
)
def test_what_a_column_is_taken_for(load, cells: list[str], type_: str, reason: str, doubtful: bool) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([["x", "y"], *([cell, "q"] for cell in cells)])
    assert reading(load(text.getvalue()), "x") == (type_, reason, doubtful)


def test_digits_under_a_code_name_stay_text(load) -> None:
    found = load("IndustryCode,n\n4520,1\n4711,2\n")
    assert reading(found, "IndustryCode") == ("text", "digits under a name that means a code", True)
    assert values(found, "IndustryCode") == ["4520", "4711"]


def test_a_late_surprise_changes_the_type(load) -> None:
    rows = "\n".join(["1,1,1,2020-01-01"] * 2000)
    found = load(f"a,b,c,d\n{rows}\n1.5,007,x,never\n")
    assert [c.type.value for c in found.columns] == ["number", "text", "text", "text"]
    assert reading(found, "b") == ("text", "digits with leading zeros: a code", False)
    assert reading(found, "c") == ("text", "mixed: 1 value is no number (row 2001)", True)
    assert reading(found, "d") == ("text", "mixed: 1 value is no date (row 2001)", True)
    assert values(found, "a")[-1] == 1.5
    assert values(found, "b")[-1] == "007"


def test_whole_numbers_are_never_rounded_out_of_decimals(load) -> None:
    found = load("a\n" + "1\n" * 600 + "2.5\n")
    assert values(found, "a")[-1] == 2.5


def test_decimal_comma_and_thousands(load) -> None:
    found = load("a;b\n1.234,50;x\n12,5;y\n-3;z\n")
    assert values(found, "a") == [1234.5, 12.5, -3.0]
    assert dict(found.source.details)["decimal"] == ","
    assert dict(found.source.details)["thousands"] == "."


def test_thousands_must_stand_in_their_places(load) -> None:
    found = load('a,b\n"1,234.5",x\n"1,2,3",y\n')
    assert reading(found, "a")[0] == "text"


def test_told_decimal(load) -> None:
    assert values(load('a,b\n"1,234",x\n', decimal=","), "a") == [1.234]
    assert values(load('a,b\n"1,234",x\n', thousands=","), "a") == [1234.0]


def test_told_types(load) -> None:
    found = load("zip,when,n\n1,01/02/2020,1\n", types={"zip": ColumnType.INTEGER, "n": ColumnType.TEXT})
    assert [c.type for c in found.columns] == [ColumnType.INTEGER, ColumnType.TEXT, ColumnType.TEXT]
    with pytest.raises(InputError) as caught:
        load("a,b\n1,x\nsecret,y\n", types={"a": ColumnType.NUMBER})
    assert caught.value.found == "column 'a' was to be read as number, but 1 value is no number (row 2)"
    assert "secret" not in str(caught.value)
    with pytest.raises(UsageError, match="--as names 'zop', which is no column; did you mean 'zip'"):
        load("zip,b\n1,x\n", types={"zop": ColumnType.TEXT})


def test_missing_values(load) -> None:
    found = load('a,b,c\n1,x,NA\n,"",NaN\n3,-,2\n', missing=("-",))
    assert values(found, "a") == [1, None, 3]
    assert values(found, "b") == ["x", None, None]
    assert values(found, "c") == [None, None, 2]


def test_missing_codes_that_could_be_values(load, tmp_path: Path) -> None:
    text = "a,b\n1,x\n99,y\nn.a.,z\n"
    found = load(text, missing=("99", "n.a."))
    assert reading(found, "a")[0] == "integer"
    assert values(found, "a") == [1, None, None]
    write(found, tmp_path / "out.csv", WriteOptions())
    assert (tmp_path / "out.csv").read_text() == text


def test_dates_that_could_be_either_way_round(load) -> None:
    text = "d\n01/02/2020\n03/04/2021\n"
    assert values(load(text, dates="day-first"), "d") == [dt.date(2020, 2, 1), dt.date(2021, 4, 3)]
    assert values(load(text, dates="month-first"), "d") == [dt.date(2020, 1, 2), dt.date(2021, 3, 4)]
    assert values(load(text, dates="day-first", types={"d": ColumnType.DATE}), "d")[0] == dt.date(2020, 2, 1)
    assert reading(load("d\n31/01/2020\n", dates="month-first"), "d")[0] == "text"
    with pytest.raises(UsageError, match="the order of day and month cannot be told"):
        load(text, types={"d": ColumnType.DATE})


def test_told_thousands_imply_the_decimal_sign(load) -> None:
    assert values(load("a;b\n1.234;x\n5.678,5;y\n", thousands="."), "a") == [1234.0, 5678.5]


def test_namibia_is_not_missing(load) -> None:
    assert values(load("country\nNA\nIT\n"), "country") == ["NA", "IT"]


def test_infinite_numbers_stay_visible(load) -> None:
    assert values(load("w\n1.5\ninf\n-inf\n"), "w") == [1.5, float("inf"), float("-inf")]


def test_dates_have_values(load) -> None:
    found = load("d,t\n31/01/2020,31-01-2020 10:20\n01/12/2021,01-12-2021 23:59\n")
    assert values(found, "d") == [dt.date(2020, 1, 31), dt.date(2021, 12, 1)]
    assert values(found, "t") == [dt.datetime(2020, 1, 31, 10, 20), dt.datetime(2021, 12, 1, 23, 59)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "latin-1"])
def test_encodings_give_the_same_text(load, encoding: str) -> None:
    found = load("città;n\nForlì;1\nBärn;2\n".encode(encoding))
    assert values(found, "città") == ["Forlì", "Bärn"]


def test_an_encoding_that_must_be_told(load) -> None:
    text = "miasto;n\nŁódź;1\n".encode("cp1250")
    assert values(load(text, encoding="cp1250"), "miasto") == ["Łódź"]


def test_quoted_line_breaks_in_another_encoding(load) -> None:
    found = load('a;b\n"Straße\nMünchen";1\n"x;y";2\n'.encode("cp1252"))
    assert values(found, "a") == ["Straße\nMünchen", "x;y"]


def test_ragged_rows_in_another_encoding(load) -> None:
    with pytest.raises(InputError) as caught:
        load("a;b\né;1\nsecret\nx;2;3\n".encode("cp1252"))
    assert caught.value.found.startswith("2 faults:")
    assert "secret" not in str(caught.value)


def test_names_are_kept_as_they_are(load) -> None:
    found = load('select,SELECT,"quo""te",naïve,"a,b"\n1,2,3,4,5\n')
    assert [c.name for c in found.columns] == ["select", "SELECT", 'quo"te', "naïve", "a,b"]
    assert values(found, "SELECT") == [2]


SPELLINGS = """id,amount,when,zip,flag,empty
007,"1.234,50",31/01/2020,00184,NA,
12,"0,5",01/12/2021,20121,x,
3,"+7,0",15/06/2022,99999,y,
"""


def test_untouched_cells_are_written_as_they_were(load, tmp_path: Path) -> None:
    write(load(SPELLINGS), tmp_path / "out.csv", WriteOptions())
    assert (tmp_path / "out.csv").read_text() == SPELLINGS


def test_the_delimiter_of_the_source_is_kept(load, tmp_path: Path) -> None:
    text = "a;b\n1,5;x\n2,5;y\n"
    found = load(text)
    write(found, tmp_path / "out.csv", WriteOptions())
    assert (tmp_path / "out.csv").read_text() == text
    write(found, tmp_path / "out.tsv", WriteOptions())
    assert (tmp_path / "out.tsv").read_text() == text.replace(";", "\t")


cells = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r", exclude_categories=["Cs"]), max_size=8)
printed = st.one_of(
    cells, st.integers().map(str), st.floats().map(repr), st.sampled_from(["NA", "-0", "1e5", "007", "+1"])
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(printed, printed), min_size=1, max_size=12))
def test_reading_and_writing_changes_no_cell(engine: DuckDBEngine, tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("a", "b", "c"), *((*row, "q") for row in rows)])
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(text.getvalue().encode())
    write(
        read(source, engine, ReadOptions(delimiter=",", quote='"', encoding="utf-8")), target, WriteOptions(force=True)
    )
    back = list(csv.reader(io.StringIO(target.read_bytes().decode(), newline="")))
    assert back == [["a", "b", "c"], *([*row, "q"] for row in rows)]


def test_a_column_that_begins_with_missing_values(load) -> None:
    found = load("a,b\n" + ",x\n" * 1200 + "1.5,y\n2,z\n")
    assert reading(found, "a")[0] == "number"


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_every_encoding_is_parsed_alike(load, encoding: str) -> None:
    assert values(load('"a\nb";c\n1;é\n2;è\n'.encode(encoding)), "a\nb") == [1, 2]
    assert values(load("a\né\n\nè\n".encode(encoding)), "a") == ["é", None, "è"]
    with pytest.raises(InputError, match="a quote is opened and not closed"):
        load('a;b\né;1\n2;"secret\n3;4\n'.encode(encoding))


@pytest.mark.parametrize("cell", ["1_0", " 7 ", "0x1F"])
def test_what_engines_cast_and_people_would_not(load, cell: str) -> None:
    rows = "1.5\n" * 700
    assert reading(load(f"a\n{rows}{cell}\n"), "a")[:1] == ("text",)


def test_a_moment_among_dates_is_not_cut(load) -> None:
    found = load("d\n" + "2024-01-05\n" * 700 + "2024-01-05 23:59:59\n")
    assert reading(found, "d")[0] == "text"


def test_codes_with_a_point_stay_text(load) -> None:
    found = load("nace,n\n10.20,1\n10.2,2\n")
    assert values(found, "nace") == ["10.20", "10.2"]


def test_one_missing_spelling_as_a_word(load) -> None:
    assert values(load("a,b\nN,1\nNA,2\n", missing="NA"), "a") == ["N", None]


@pytest.mark.parametrize(
    "options",
    [{"decimal": "x"}, {"decimal": ""}, {"delimiter": "\n"}, {"delimiter": '"', "quote": '"'}, {"encoding": "rot13"}],
)
def test_impossible_layouts(load, options: dict[str, str]) -> None:
    with pytest.raises((UsageError, InputError)):
        load("a,b\n1,2\n", **options)


def test_old_line_ends(load) -> None:
    assert values(load("a;b\r1;x\r2;y\r"), "b") == ["x", "y"]


def test_our_errors_carry_no_context_with_values(load) -> None:
    with pytest.raises(InputError) as caught:
        load("a,b\n1,2\nsecret\n")
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_a_line_end_inside_the_header_does_not_lose_the_rows(tmp_path: Path) -> None:
    """DuckDB would take the line feed in the name for the line end of the file, and read nothing."""
    (tmp_path / "x.csv").write_bytes(b'a,"lin\nea",c\r\nx,y,z\r\nx,y,q\r\n')
    with pytest.raises(InputError, match="cannot be told apart"):
        read(tmp_path / "x.csv", DuckDBEngine())
    (tmp_path / "y.csv").write_bytes(b'a,"lin\nea",c\nx,y,z\nx,y,q\n')
    assert read(tmp_path / "y.csv", DuckDBEngine()).relation.count() == 2
