"""Stata, SPSS and SAS files that pyreadstat wrote, read by us, against what pyreadstat itself says of them."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from tacita.errors import InputError, UsageError
from tacita.files.statistical import library
from tacita.files.statistical.display import doubt_of, shape_of
from tacita.files.statistical.frame import Frame, FrameColumn, Tags
from tacita.files.statistical.moments import numbers_of, values_of
from tacita.files.statistical.packages import Package, Shape, kind_of
from tacita.model.attribute import Kind
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType

Load = Callable[..., Microdata]


def rows(microdata: Microdata) -> list[dict[str, Any]]:
    return [row for batch in microdata.relation.batches() for row in batch.to_pylist()]


def written(microdata: Microdata, name: str) -> list[str | None]:
    """The source's own spellings of a column's cells."""
    relation = microdata.relation
    companion = microdata.column(name).as_written
    assert companion is not None
    found = relation.engine.run(exp.select(exp.alias_(exp.column(companion), "w")).from_(relation.source()))
    return [row["w"] for row in found]


def types(microdata: Microdata) -> dict[str, ColumnType]:
    return {column.name: column.type for column in microdata.columns}


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    frame = pd.DataFrame(
        {
            "sex": [1.0, 2.0, 9.0, np.nan],
            "age": [33.0, 98.0, 41.5, 99.0],
            "region": ["01", "NA", "", "  x"],
            "debt": [-1.0, -7.0, 5.0, 1e6],
        }
    )
    pyreadstat.write_sav(
        frame,
        tmp_path / "survey.sav",
        file_label="a survey",
        column_labels={"sex": "Sex of the respondent"},
        variable_value_labels={"sex": {1.0: "man", 2.0: "woman", 9.0: "no answer"}, "region": {"NA": "not asked"}},
        missing_ranges={
            "sex": [9],
            "age": [{"lo": 90, "hi": 99}, -1],
            "region": ["NA"],
            "debt": [{"lo": -1.7976931348623155e308, "hi": -1}],
        },
        variable_measure={"sex": "nominal", "age": "ordinal", "debt": "scale"},
        note="interviewers were trained",
    )
    return tmp_path / "survey.sav"


def test_spss_values_labels_and_missings(load: Load, survey: Path) -> None:
    data = load(survey)
    assert rows(data) == [
        {"sex": 1, "age": 33.0, "region": "01", "debt": None},
        {"sex": 2, "age": None, "region": None, "debt": None},
        {"sex": None, "age": 41.5, "region": "", "debt": 5},
        {"sex": None, "age": None, "region": "  x", "debt": 1_000_000},
    ]
    assert written(data, "sex") == [None, None, "9", None]
    assert written(data, "age") == [None, "98", None, "99"]
    assert written(data, "region") == [None, "NA", None, None]
    assert written(data, "debt") == ["-1", "-7", None, None]
    assert data.dictionary.description == "a survey"
    sex, age, region, debt = data.dictionary
    assert (sex.description, sex.kind, sex.format) == ("Sex of the respondent", Kind.CATEGORICAL, "F8.2")
    assert dict(sex.labels) == {"1": "man", "2": "woman", "9": "no answer"}
    assert (sex.missing, age.missing, region.missing, debt.missing) == (("9",), ("90..99", "-1"), ("NA",), ("..-1",))
    assert dict(region.labels) == {"NA": "not asked"}
    assert (age.kind, debt.kind) == (Kind.ORDINAL, None)
    assert data.source.details == (("encoding", "UTF-8"), ("notes", "1 line in the file, not kept"))
    assert [reading.reason for reading in data.readings] == [
        "whole numbers (F8.2), stored as double, all are whole",
        "numbers (F8.2)",
        "text, as the file says (A3)",
        "whole numbers (F8.2), stored as double, all are whole",
    ]


def test_a_column_without_a_coded_cell_has_no_companion(load: Load, tmp_path: Path) -> None:
    pyreadstat.write_sav(pd.DataFrame({"a": [1.0, 2.0]}), tmp_path / "a.sav", missing_ranges={"a": [9]})
    data = load(tmp_path / "a.sav")
    assert data.column("a").as_written is None
    assert data.attribute("a").missing == ("9",)


def test_stata_tags_types_and_texts(load: Load, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "income": [1.5, "a", None, "z"],
            "job": pd.Series([1, "b", None, 3], dtype=object),
            "code": ["007", " x ", "", None],
            "long": ["y" * 3000, "", "y", "y" * 2045],
            "big": [2.0**40, 1, 2, 3],
        }
    )
    pyreadstat.write_dta(
        frame.rename(columns={"long": "story"}),
        tmp_path / "a.dta",
        missing_user_values={"income": ["a", "z"], "job": ["b", "c"]},
        variable_value_labels={"job": {1: "farmer", "b": "refused", "c": "unknown"}},
    )
    data = load(tmp_path / "a.dta")
    assert types(data) == {
        "income": ColumnType.NUMBER,
        "job": ColumnType.INTEGER,
        "code": ColumnType.TEXT,
        "story": ColumnType.TEXT,
        "big": ColumnType.INTEGER,
    }
    assert [row["income"] for row in rows(data)] == [1.5, None, None, None]
    assert written(data, "income") == [None, ".a", None, ".z"]
    assert written(data, "job") == [None, ".b", None, None]
    assert [row["code"] for row in rows(data)] == ["007", " x ", None, None]
    assert [len(row["story"] or "") for row in rows(data)] == [3000, 0, 1, 2045]
    assert dict(data.attribute("job").labels) == {"1": "farmer", ".b": "refused", ".c": "unknown"}
    assert data.attribute("job").missing == (".b", ".c")
    assert data.attribute("income").missing == (".a", ".z")
    assert [r.reason for r in data.readings[:2]] == ["numbers (%10.0g)", "whole numbers (%12.0g), as the file says"]


def test_sas_dates_tags_and_formats_that_hide_a_date(load: Load, tmp_path: Path, sas7bdat: Callable[..., Path]) -> None:
    path = sas7bdat(
        tmp_path / "a.sas7bdat",
        [
            ("id", False, "BEST12", "Identifier"),
            ("born", False, "YEAR4", ""),
            ("met", False, "DTDATE9", ""),
            ("at", False, "TIME8", ""),
            ("nace", True, "", ""),
        ],
        [(1.0, 0.0, 86_400.5, 27 * 3600.0, "0130"), ("A", 21_916.0, None, -60.5, ""), ("_", None, None, None, "b")],
    )
    data = load(path)
    assert rows(data) == [
        {"id": 1, "born": dt.date(1960, 1, 1), "met": dt.datetime(1960, 1, 2, 0, 0, 0, 500_000), "at": "27:00:00"}
        | {"nace": "0130"},
        {"id": None, "born": dt.date(2020, 1, 2), "met": None, "at": "-00:01:00.5", "nace": None},
        {"id": None, "born": None, "met": None, "at": None, "nace": "b"},
    ]
    assert written(data, "id") == [None, ".A", "._"]
    assert data.attribute("id").missing == (".A", "._")
    assert data.dictionary.description == "a survey"
    assert data.readings[1].doubtful
    assert data.readings[1].reason == (
        "dates (YEAR4); the format YEAR4 shows only a part of each date; the cells hold whole dates"
    )


def test_transport_files_are_read_with_their_tags(load: Load, tmp_path: Path) -> None:
    columns = [FrameColumn("A", nw.Float64()), FrameColumn("B", nw.String(), 4)]
    frame = Frame(columns, [(1.5, "x"), ("C", None), ("_", "y"), (None, "")], 4)
    library.write_rows(frame, tmp_path / "a.xpt", kind_of(".xpt"), version=5, missing_user_values={"A": Tags("C_")})
    data = load(tmp_path / "a.xpt")
    assert rows(data) == [{"A": 1.5, "B": "x"}, {"A": None, "B": None}, {"A": None, "B": "y"}, {"A": None, "B": None}]
    assert written(data, "A") == [None, ".C", "._", None]


# -- dates ------------------------------------------------------------------------------------------------------------

DAYS = st.dates(dt.date(1600, 1, 1), dt.date(9999, 12, 31))
MOMENTS = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)).map(lambda m: m.replace(microsecond=0))
WRITERS = {".sav": pyreadstat.write_sav, ".dta": pyreadstat.write_dta, ".xpt": pyreadstat.write_xport}


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(days=st.lists(st.none() | DAYS, min_size=1, max_size=6), moments=st.lists(st.none() | MOMENTS, max_size=6))
@pytest.mark.parametrize("ending", [".sav", ".dta", ".xpt"])
def test_dates_and_moments_are_those_that_were_written(
    load: Load, ending: str, days: list[dt.date | None], moments: list[dt.datetime | None]
) -> None:
    length = max(len(days), len(moments), 2)
    days = [dt.date(2000, 2, 29), *days, *[None] * length][:length]
    moments = [dt.datetime(1999, 12, 31, 23, 59, 59), *moments, *[None] * length][:length]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{ending}"
        frame = pd.DataFrame({"D": pd.Series(days, dtype=object), "M": pd.Series(moments, dtype=object)})
        WRITERS[ending](frame, path)
        data = load(path)
    assert types(data) == {"D": ColumnType.DATE, "M": ColumnType.TIMESTAMP}
    assert [row["D"] for row in rows(data)] == days
    assert [row["M"] for row in rows(data)] == moments


@pytest.mark.parametrize(
    ("form", "number", "day"),
    [
        # Periods since 1960, counted by hand: March 2010 is 50 * 12 + 2 = 602, and so on.
        ("%tm", 602, dt.date(2010, 3, 1)),
        ("%tq", 200, dt.date(2010, 1, 1)),
        ("%th", 101, dt.date(2010, 7, 1)),
        ("%tw", 2600, dt.date(2010, 1, 1)),
        ("%tw", 2651, dt.date(2010, 12, 24)),
        ("%td", 18282, dt.date(2010, 1, 20)),
        ("%tm", -1, dt.date(1959, 12, 1)),
    ],
)
def test_periods_of_stata_are_their_first_day(form: str, number: int, day: dt.date) -> None:
    shape = shape_of(Package.STATA, form)
    values = values_of(shape, Package.STATA, np.array([float(number), np.nan]))
    assert values is not None
    assert values.to_pylist() == [day, None]
    assert numbers_of(shape, Package.STATA, values).tolist()[0] == number


@given(
    shape=st.sampled_from(sorted(set(Shape) - {Shape.NUMBER, Shape.CLOCK})),
    package=st.sampled_from(sorted(Package)),
    day=st.integers(-100_000, 100_000),
)
def test_numbers_and_dates_are_inverse(shape: Shape, package: Package, day: int) -> None:
    units = package.units_of_a_day if shape is Shape.DAY else 1
    numbers = np.array([day * units / (40 if shape.is_period else 1), np.nan]).round()
    values = values_of(shape, package, numbers)
    assert values is not None
    assert np.array_equal(numbers_of(shape, package, values), numbers, equal_nan=True)


@given(micros=st.integers(-(10**12), 10**12), package=st.sampled_from([Package.SPSS, Package.SAS]))
def test_times_of_day_and_durations_are_inverse(micros: int, package: Package) -> None:
    numbers = np.array([micros / 1e6])
    values = values_of(Shape.CLOCK, package, numbers)
    assert values is not None
    assert numbers_of(Shape.CLOCK, package, values).round(6).tolist() == numbers.round(6).tolist()


@pytest.mark.parametrize(
    ("package", "form", "shape"),
    [
        (Package.SPSS, "MOYR8", Shape.DAY),
        (Package.SPSS, "YMDHMS20", Shape.MOMENT),
        (Package.SPSS, "DTIME10.2", Shape.CLOCK),
        (Package.SPSS, "DOLLAR8.2", Shape.NUMBER),
        (Package.STATA, "%-td", Shape.DAY),
        (Package.STATA, "%tdD_m_Y", Shape.DAY),
        (Package.STATA, "%d", Shape.DAY),
        (Package.STATA, "%tcHH:MM", Shape.CLOCK),
        (Package.STATA, "%tcCCYY-NN-DD_HH:MM", Shape.MOMENT),
        (Package.STATA, "%tC", Shape.NUMBER),
        (Package.STATA, "%9.0g", Shape.NUMBER),
        (Package.SAS, "E8601DA10", Shape.DAY),
        (Package.SAS, "YYMMDDN8", Shape.DAY),
        (Package.SAS, "DATETIME22.3", Shape.MOMENT),
        (Package.SAS, "DATE", Shape.DAY),
        (Package.SAS, "DATEFMT", Shape.NUMBER),
        (Package.SAS, "", Shape.NUMBER),
    ],
)
def test_what_a_format_means(package: Package, form: str, shape: Shape) -> None:
    assert shape_of(package, form) is shape


def test_counts_of_leap_seconds_are_left_alone_and_told() -> None:
    assert doubt_of(Package.STATA, "%tC") == (
        "Stata's %tC counts leap seconds or business days; the numbers are left as they are"
    )


def test_dates_with_hours_are_moments_and_impossible_dates_numbers(load: Load, tmp_path: Path) -> None:
    frame = pd.DataFrame({"d": [13_797_302_400.0, 13_797_302_460.0], "far": [1e15, 2.0], "t": [1.0, np.nan]})
    pyreadstat.write_sav(frame, tmp_path / "a.sav", variable_format={"d": "DATE11", "far": "ADATE10", "t": "TIME8"})
    data = load(tmp_path / "a.sav")
    assert rows(data)[1] == {"d": dt.datetime(2020, 1, 2, 0, 1), "far": 2, "t": None}
    assert [(r.type, r.reason, r.doubtful) for r in data.readings] == [
        (ColumnType.TIMESTAMP, "moments: the format (DATE11) says dates, but not all numbers are that", False),
        (
            ColumnType.INTEGER,
            "whole numbers (ADATE10), stored as double, all are whole; "
            "the format (ADATE10) says dates, but not all numbers are that",
            True,
        ),
        (ColumnType.TEXT, "times of day or durations, as text (TIME8)", False),
    ]


def test_codes_of_a_date_column_are_dates(load: Load, tmp_path: Path) -> None:
    frame = pd.DataFrame({"d": [13_797_302_400.0, 10_010_390_400.0]})
    pyreadstat.write_sav(
        frame,
        tmp_path / "a.sav",
        variable_format={"d": "DATE11"},
        missing_ranges={"d": [10_010_390_400.0]},
        variable_value_labels={"d": {10_010_390_400.0: "unknown"}},
    )
    data = load(tmp_path / "a.sav")
    assert [row["d"] for row in rows(data)] == [dt.date(2020, 1, 2), None]
    assert written(data, "d") == [None, "1900-01-01"]
    assert dict(data.attribute("d").labels) == {"1900-01-01": "unknown"}
    assert data.attribute("d").missing == ("1900-01-01",)


# -- chunks -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "_ROWS_AT_ONCE", 7)


@pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta", ".xpt"])
@pytest.mark.usefixtures("small_chunks")
def test_what_only_the_last_chunk_shows_counts_for_the_whole(load: Load, tmp_path: Path, ending: str) -> None:
    height = 40
    frame = pd.DataFrame(
        {
            "WHOLE": np.arange(height, dtype=float),
            "BROKEN": [*np.arange(height - 1, dtype=float), 0.5],
            "TEXT": [f"{i:03}" for i in range(height)],
        }
    )
    path = tmp_path / f"a{ending}"
    if ending in {".sav", ".zsav"}:
        pyreadstat.write_sav(frame, path, compress=ending == ".zsav", missing_ranges={"WHOLE": [height - 1]})
    else:
        WRITERS[ending](frame, path)
    data = load(path)
    assert types(data) == {"WHOLE": ColumnType.INTEGER, "BROKEN": ColumnType.NUMBER, "TEXT": ColumnType.TEXT}
    assert data.relation.count() == height
    assert [row["TEXT"] for row in rows(data)] == frame["TEXT"].tolist()
    assert [row["BROKEN"] for row in rows(data)] == frame["BROKEN"].tolist()
    if ending in {".sav", ".zsav"}:
        assert written(data, "WHOLE") == [*[None] * (height - 1), "39"]


@pytest.mark.usefixtures("small_chunks")
def test_a_date_that_is_none_in_the_last_chunk_makes_the_file_be_read_again(load: Load, tmp_path: Path) -> None:
    frame = pd.DataFrame({"d": [*np.arange(30, dtype=float), 0.5], "n": np.arange(31, dtype=float)})
    pyreadstat.write_dta(frame, tmp_path / "a.dta", variable_format={"d": "%td"})
    data = load(tmp_path / "a.dta")
    assert types(data) == {"d": ColumnType.NUMBER, "n": ColumnType.INTEGER}
    assert [row["d"] for row in rows(data)] == frame["d"].tolist()
    assert data.readings[0].doubtful


@pytest.mark.usefixtures("small_chunks")
def test_a_file_cut_off_after_some_chunks_is_told_as_such(load: Load, tmp_path: Path) -> None:
    pyreadstat.write_sav(pd.DataFrame({"a": np.arange(100, dtype=float)}), tmp_path / "a.sav")
    path = tmp_path / "a.sav"
    path.write_bytes(path.read_bytes()[:-80])
    with pytest.raises(InputError) as error:
        load(path)
    assert str(error.value) == (
        f"{path}: has fewer rows than its header says: it is cut off\n  what to do: fetch or export it again"
    )


# -- faults -----------------------------------------------------------------------------------------------------------


def faulty(load: Load, path: Path, content: bytes, **options: Any) -> str:
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        load(path, **options)
    text = str(error.value)
    assert text.startswith(f"{path}: ")
    return text.removeprefix(f"{path}: ").replace("\n  what to do: ", " | ")


AGAIN = " | fetch or export it again"


@pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta", ".xpt", ".sas7bdat"])
def test_an_empty_file(load: Load, tmp_path: Path, ending: str) -> None:
    assert faulty(load, tmp_path / f"a{ending}", b"") == "is empty" + AGAIN


@pytest.mark.parametrize(
    ("ending", "said"),
    [
        (".sav", "is damaged, or is not a file of SPSS"),
        (".dta", "is not a file of Stata, or of a version that is not known here"),
        (".xpt", "is damaged, or is not a file of SAS"),
        (".sas7bdat", "is damaged, or is not a file of SAS"),
    ],
)
def test_text_under_the_name_of_a_package(load: Load, tmp_path: Path, ending: str, said: str) -> None:
    assert faulty(load, tmp_path / f"a{ending}", b"a;b\nsecret;1\n" * 200) == said + AGAIN


def test_a_file_of_another_kind_is_named(load: Load, tmp_path: Path, survey: Path) -> None:
    assert faulty(load, tmp_path / "a.dta", survey.read_bytes()) == (
        "is an SPSS file, not one of Stata | give it the ending .sav"
    )
    assert faulty(load, tmp_path / "a.xpt", b"PK\x03\x04" + b"x" * 500) == (
        "is a zip archive or a workbook, not one of SAS | give it the ending .xlsx"
    )
    assert faulty(load, tmp_path / "a.sav", b"\x1f\x8b" + b"x" * 500) == (
        "is compressed with gzip, not one of SPSS | unpack it first"
    )


def test_a_transport_file_that_is_cut_off_between_records(load: Load, tmp_path: Path) -> None:
    pyreadstat.write_xport(pd.DataFrame({"A": [1.0, 2.0]}), tmp_path / "b.xpt")
    content = (tmp_path / "b.xpt").read_bytes()[:-75]
    assert faulty(load, tmp_path / "a.xpt", content) == (
        "ends too early: it is cut off (transport files have records of 80 bytes)" + AGAIN
    )


def test_any_beginning_of_a_file_is_refused_or_read_but_never_a_traceback(load: Load, survey: Path) -> None:
    content = survey.read_bytes()
    for length in range(1, len(content), 37):
        survey.write_bytes(content[:length])
        with pytest.raises(InputError, match=r"cut off|damaged"):
            load(survey)


def test_labels_that_point_nowhere_do_not_end_the_process(load: Load, survey: Path) -> None:
    content = survey.read_bytes()
    uses = content.index(b"\4\0\0\0\1\0\0\0\1\0\0\0")
    damaged = content[: uses + 8] + b"\x99\0\0\0" + content[uses + 12 :]
    assert faulty(load, survey, damaged) == ("is damaged: value labels point to a column that it does not have" + AGAIN)


@pytest.fixture
def latin(tmp_path: Path) -> Path:
    """An SPSS file that says it is UTF-8, with text in Latin-1."""
    frame = pd.DataFrame({"town": ["Köln", "Bonn"], "kind": ["xä", "y"]})
    path = tmp_path / "latin.sav"
    pyreadstat.write_sav(frame, path, variable_value_labels={"kind": {"xä": "label"}})
    path.write_bytes(path.read_bytes().replace("ö".encode(), b"\xf6 ").replace("ä".encode(), b"\xe4 "))
    return path


def test_the_wrong_encoding_is_told_without_the_text(load: Load, latin: Path) -> None:
    assert faulty(load, latin, latin.read_bytes()) == (
        "its value labels are not in the encoding that it names (UTF-8)"
        " | say how its text is encoded, for example --encoding cp1252"
    )
    plain = latin.with_name("plain.sav")
    pyreadstat.write_sav(pd.DataFrame({"town": ["Köln", "Bonn"]}), plain)
    content = plain.read_bytes().replace("ö".encode(), b"\xf6 ")
    assert faulty(load, plain, content) == (
        "its text is not in the encoding that it names | say how its text is encoded, for example --encoding cp1252"
    )


def test_the_right_encoding_can_be_told(load: Load, latin: Path) -> None:
    data = load(latin, encoding="latin1")
    assert rows(data)[0] == {"town": "Kö ln", "kind": "xä"}
    assert dict(data.attribute("kind").labels) == {"xä": "label"}


def test_an_encoding_that_nobody_knows(load: Load, survey: Path) -> None:
    assert faulty(load, survey, survey.read_bytes(), encoding="klingon") == (
        "no encoding 'klingon' is known | use a name such as utf-8, cp1252 or latin1"
    )


def test_types_that_the_user_told(load: Load, survey: Path) -> None:
    data = load(survey, types={"sex": ColumnType.TEXT})
    assert [row["sex"] for row in rows(data)] == ["1", "2", None, None]
    assert data.readings[0].reason == (
        "as you said (in the source: whole numbers (F8.2), stored as double, all are whole)"
    )
    assert written(data, "sex") == [None, None, "9", None]
    with pytest.raises(InputError) as error:
        load(survey, types={"age": ColumnType.INTEGER})
    assert str(error.value) == (
        f"{survey}: column 'age' was to be read as integer, but 1 value is no integer (row 3)\n"
        "  what to do: mend these rows, or read the column as text (--as)"
    )
    with pytest.raises(UsageError, match="--as names 'sx', which is no column; did you mean 'sex'"):
        load(survey, types={"sx": ColumnType.TEXT})


def test_a_file_without_rows(load: Load, tmp_path: Path) -> None:
    pyreadstat.write_sav(
        pd.DataFrame({"a": pd.Series([], dtype=float), "s": pd.Series([], dtype=str)}), tmp_path / "a.sav"
    )
    data = load(tmp_path / "a.sav")
    assert rows(data) == []
    assert types(data) == {"a": ColumnType.NUMBER, "s": ColumnType.TEXT}
    assert data.readings[0].reason == "numbers (F8.2), all missing"


def test_arrow_types_are_those_of_the_shapes() -> None:
    values = values_of(Shape.MOMENT, Package.STATA, np.array([np.nan]))
    assert values is not None
    assert values.type == pa.timestamp("us")
    assert values_of(Shape.DAY, Package.SAS, np.array([np.inf])) is None
