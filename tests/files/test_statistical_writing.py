"""Read, write, read again is the identity on data, labels and missings; what a package cannot hold is told."""

from __future__ import annotations

import datetime as dt
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyreadstat._readstat_parser import parser_entry_point

from tacita.engines.duckdb.engine import DuckDBEngine
from tacita.errors import OutputError
from tacita.files.contract import WriteOptions
from tacita.files.formats import format_of
from tacita.files.statistical import write
from tacita.model.attribute import Attribute
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata, Source

Load = Callable[..., Microdata]
PARSERS = {".sav": "sav/zsav", ".zsav": "sav/zsav", ".dta": "dta", ".xpt": "xport"}


def told_by_pyreadstat(path: Path) -> tuple[dict[str, list[Any]], dict[str, Any]]:
    """Everything that pyreadstat says of a file, dates as numbers."""
    values, found = parser_entry_point(
        str(path),
        parser_format=PARSERS[path.suffix],
        user_missing=True,
        disable_datetime_conversion=True,
        output_format="dict",
    )
    said = ("column_names", "column_names_to_labels", "variable_value_labels", "missing_ranges", "missing_user_values")
    return dict(values), {name: getattr(found, name) for name in (*said, "original_variable_types", "file_label")}


def written(microdata: Microdata, path: Path) -> tuple[str, ...]:
    """Write to a name without an ending, as the front door does."""
    partial = path.with_name("out.partial")
    losses = write(microdata, partial, WriteOptions(), ending=path.suffix)
    partial.rename(path)
    return losses


def again(load: Load, path: Path) -> tuple[str, ...]:
    """Check that reading and writing changes nothing; return the losses that were told."""
    copy = path.with_name(f"copy{path.suffix}")
    first = load(path)
    losses = written(first, copy)
    (values, said), (new_values, new_said) = told_by_pyreadstat(path), told_by_pyreadstat(copy)
    assert new_values == values
    assert new_said == said
    second = load(copy)
    assert [b.to_pylist() for b in second.relation.batches()] == [b.to_pylist() for b in first.relation.batches()]
    assert second.dictionary.attributes == first.dictionary.attributes
    assert second.dictionary.description == first.dictionary.description
    return losses


@pytest.fixture
def made(engine: DuckDBEngine) -> Callable[..., Microdata]:
    """Microdata from a table, with some attributes known better."""

    def make(table: pa.Table, *known: Attribute, source: str = "test", description: str = "") -> Microdata:
        relation = engine.adopt(table.to_batches(), table.schema)
        by_name = {attribute.name: attribute for attribute in known}
        attributes = tuple(by_name.get(name, Attribute(name)) for name in table.column_names)
        return Microdata(relation, Dictionary("data", attributes, description), Source("test", source))

    return make


# -- identity ---------------------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
FLOATS = st.floats(-1e70, 1e70).filter(lambda x: x == 0 or abs(x) > 1e-70)
WHOLE = st.integers(-(2**31) + 1, 2**31 - 101)
CODES = st.integers(-9, 9).map(float)
MOMENTS = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)).map(
    lambda moment: moment.replace(microsecond=0)
)
LABELS = st.dictionaries(CODES, st.text("abcäöü ", min_size=1, max_size=12).map(str.strip).filter(bool), max_size=4)


def column(cells: st.SearchStrategy[Any], height: int = 4) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.none() | cells, min_size=height, max_size=height)


@st.composite
def spans(draw: st.DrawFn) -> list[Any]:
    """Missings that SPSS can declare: three codes, or a range and a code."""
    codes = draw(st.lists(CODES, max_size=3, unique=True))
    if draw(st.booleans()):
        return codes
    low, high = sorted(draw(st.lists(st.integers(-9, 9), min_size=2, max_size=2, unique=True)))
    ends = (
        -1.7976931348623155e308 if draw(st.booleans()) else low,
        1.7976931348623157e308 if draw(st.booleans()) else high,
    )
    return [{"lo": ends[0], "hi": ends[1]}, *codes[:1]]


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    codes=column(CODES),
    numbers=column(FLOATS),
    texts=column(TEXTS),
    days=column(st.dates(dt.date(1600, 1, 1), dt.date(2200, 1, 1))),
    moments=column(MOMENTS),
    missing=spans(),
    labels=LABELS,
)
@pytest.mark.parametrize("ending", [".sav", ".zsav"])
def test_spss_is_kept(load: Load, ending: str, codes: Any, numbers: Any, texts: Any, days: Any, **rest: Any) -> None:
    frame = pd.DataFrame({"codes": np.array(codes, dtype=float), "numbers": np.array(numbers, dtype=float)})
    frame["texts"] = pd.Series([text or "" for text in texts], dtype=str)
    frame["days"] = pd.Series([dt.date(2000, 1, 1), *days[1:]], dtype=object)
    frame["moments"] = pd.Series([dt.datetime(2000, 1, 1), *rest["moments"][1:]], dtype=object)
    missing_texts = [text for text in (texts[0], "NA") if text and len(text.encode()) <= 8][:3]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{ending}"
        pyreadstat.write_sav(
            frame,
            path,
            file_label="a file",
            column_labels={"codes": "Codes ä"},
            compress=ending == ".zsav",
            variable_value_labels={"codes": rest["labels"], "texts": {"NA": "none"}} if rest["labels"] else None,
            missing_ranges={"codes": rest["missing"], "texts": missing_texts} if rest["missing"] else None,
            variable_format={"numbers": "F12.4", "days": "ADATE10"},
        )
        assert again(load, path) == ()


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    codes=column(WHOLE | st.sampled_from("abz")),
    numbers=column(FLOATS | st.sampled_from("az")),
    texts=column(TEXTS),
    months=column(st.integers(-1000, 1000)),
    moments=column(MOMENTS),
    labels=LABELS,
)
def test_stata_is_kept(load: Load, codes: Any, numbers: Any, texts: Any, **rest: Any) -> None:
    frame = pd.DataFrame({"codes": pd.Series([7, *codes[1:]], dtype=object)})
    frame["numbers"] = pd.Series([0.5, *numbers[1:]], dtype=object)
    frame["texts"] = pd.Series([text or "" for text in texts], dtype=str)
    frame["months"] = pd.Series([1, *rest["months"][1:]], dtype=object).fillna(5).astype("int32")
    frame["moments"] = pd.Series([dt.datetime(2000, 1, 1), *rest["moments"][1:]], dtype=object)
    labels = {int(code): label for code, label in rest["labels"].items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.dta"
        pyreadstat.write_dta(
            frame,
            path,
            version=14,
            file_label="a file",
            column_labels={"codes": "Codes ä"},
            variable_value_labels={"codes": {**labels, "a": "refused", "c": "does not occur"}},
            missing_user_values={"codes": ["a", "b", "c", "z"], "numbers": ["a", "z"]},
            variable_format={"months": "%tm", "numbers": "%10.3f", "codes": "%12.0g"},
        )
        assert again(load, path) == ()


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    numbers=column(FLOATS),
    texts=column(st.text("abc 019", max_size=8)),
    days=column(st.dates(dt.date(1600, 1, 1), dt.date(2200, 1, 1))),
    moments=column(MOMENTS),
    version=st.sampled_from([5, 8]),
)
def test_transport_is_kept(load: Load, numbers: Any, texts: Any, days: Any, moments: Any, version: Any) -> None:
    frame = pd.DataFrame({"NUMBERS": np.array(numbers, dtype=float)})
    frame["TEXTS"] = pd.Series([text or "" for text in texts], dtype=str)
    frame["DAYS"] = pd.Series([dt.date(2000, 1, 1), *days[1:]], dtype=object)
    frame["MOMENTS"] = pd.Series([dt.datetime(2000, 1, 1), *moments[1:]], dtype=object)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.xpt"
        labels = {"NUMBERS": "Numbers " + ("x" * 60 if version == 8 else "")}
        formats = {"NUMBERS": "BEST12", "DAYS": "MMDDYY10", "MOMENTS": "DATETIME22.3"}
        pyreadstat.write_xport(
            frame, path, file_label="a file", column_labels=labels, file_format_version=version, variable_format=formats
        )
        losses = again(load, path)
        assert [sentence[:40] for sentence in losses] == ["SAS transport is written in version 8, f"] * (version == 8)


def test_tags_of_transport_files_are_kept(made: Callable[..., Microdata], load: Load, tmp_path: Path) -> None:
    data = made(pa.table({"A": [1.5, None, None], "t": ["x", "y", "z"], "Aw": [None, ".B", "._"]}))
    value, text, companion = data.relation.columns
    data = replace(
        data,
        relation=data.relation.renamed([replace(value, as_written=companion.physical), text]),  # type: ignore[attr-defined]
        dictionary=Dictionary("data", (Attribute("A", missing=(".B", "._")), Attribute("t"))),
    )
    assert written(data, tmp_path / "a.xpt") == ()
    assert told_by_pyreadstat(tmp_path / "a.xpt")[0] == {"A": [1.5, "B", "_"], "t": ["x", "y", "z"]}
    again(load, tmp_path / "a.xpt")


def test_texts_longer_than_rows_are_kept(load: Load, tmp_path: Path) -> None:
    frame = pd.DataFrame({"s": ["ä" * 9000, "", "x" * 300, "x" * 300], "n": [1.0, 2.0, 3.0, np.nan]})
    pyreadstat.write_dta(frame, tmp_path / "a.dta", version=14)
    pyreadstat.write_sav(frame, tmp_path / "a.sav", variable_value_labels={"s": {"x" * 300: "long"}})
    assert again(load, tmp_path / "a.dta") == ()
    assert again(load, tmp_path / "a.sav") == ()


def test_no_rows_are_kept(load: Load, tmp_path: Path) -> None:
    frame = pd.DataFrame({"A": pd.Series([], dtype=float), "S": pd.Series([], dtype=str)})
    for ending, make in {
        ".sav": pyreadstat.write_sav,
        ".dta": pyreadstat.write_dta,
        ".xpt": pyreadstat.write_xport,
    }.items():
        make(frame, tmp_path / f"a{ending}")
        path = tmp_path / f"a{ending}"
        written(load(path), tmp_path / f"b{ending}")
        assert told_by_pyreadstat(tmp_path / f"b{ending}")[0] == {"A": [], "S": []}


def test_readers_that_share_no_code_with_our_writer(made: Callable[..., Microdata], tmp_path: Path) -> None:
    """pandas has its own readers of Stata and SAS transport files."""
    table = pa.table(
        {
            "N": [1, 2_000_000, None],
            "X": [0.1, -1e70, None],
            "D": [dt.date(1950, 1, 31), dt.date(2024, 2, 29), None],
            "M": [dt.datetime(2020, 1, 2, 3, 4, 5), dt.datetime(1950, 1, 1), None],
            "T": ["007", "ä b", "z"],
        }
    )
    data = made(table, Attribute("N", labels={"1": "one"}, description="A number"))
    written(data, tmp_path / "a.dta")
    with pd.io.stata.StataReader(tmp_path / "a.dta") as reader:
        frame = reader.read(convert_categoricals=False)
        assert reader.variable_labels()["N"] == "A number"
        assert list(reader.value_labels().values()) == [{1: "one"}]
    assert frame["N"].tolist()[:2] == [1, 2_000_000]
    assert frame["X"].tolist()[:2] == [0.1, -1e70]
    assert frame["D"].dt.date.tolist()[:2] == table["D"].to_pylist()[:2]
    assert frame["M"].dt.to_pydatetime().tolist()[:2] == table["M"].to_pylist()[:2]
    assert frame["T"].tolist() == ["007", "ä b", "z"]
    assert frame.iloc[2, :4].isna().all()
    written(data, tmp_path / "a.xpt")
    frame = pd.read_sas(tmp_path / "a.xpt", format="xport", encoding="utf-8")
    assert frame["N"].tolist()[:2] == [1, 2_000_000]
    assert frame["X"].tolist()[:2] == [0.1, -1e70]
    assert frame["D"].tolist()[:2] == [-3622, 23435]  # days since 1960
    assert frame["T"].tolist()[:2] == ["007", "ä b"]
    assert frame.iloc[2, :4].isna().all()


@pytest.mark.slow
def test_neither_pandas_nor_polars_is_needed(tmp_path: Path) -> None:
    frame = pd.DataFrame({"A": [1.0, np.nan], "S": ["x", "y"]})
    pyreadstat.write_sav(frame, tmp_path / "a.sav", variable_value_labels={"A": {1.0: "one"}})
    script = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name in {"pandas", "polars"}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
from pathlib import Path
from tacita.engines.duckdb.engine import DuckDBEngine
from tacita.files.read import read
from tacita.files.write import write
with DuckDBEngine() as engine:
    for ending in ("zsav", "dta", "xpt", "sav"):
        write(read(Path("a.sav"), engine), Path("b." + ending))
        assert read(Path("b." + ending), engine).relation.count() == 2
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# -- from one package to another --------------------------------------------------------------------------------------


@pytest.fixture
def spss(load: Load, tmp_path: Path) -> Microdata:
    frame = pd.DataFrame(
        {
            "sex": [1.0, 2.0, 8.0, 9.0],
            "age": [33.0, 95.0, 41.5, np.nan],
            "region": ["01", "NA", "", "ä"],
            "half": [1.5, 2.5, 1.5, 1.5],
        }
    )
    pyreadstat.write_sav(
        frame,
        tmp_path / "survey.sav",
        file_label="a survey",
        column_labels={"sex": "Sex"},
        variable_value_labels={
            "sex": {1.0: "man", 2.0: "woman", 9.0: "no answer"},
            "region": {"01": "north"},
            "half": {1.5: "one and a half"},
        },
        missing_ranges={"sex": [9, 8], "age": [{"lo": 90, "hi": 99}], "region": ["NA"]},
        variable_format={"sex": "F3.0", "age": "DOLLAR8.2"},
    )
    return load(tmp_path / "survey.sav")


def test_codes_of_spss_become_tags_of_stata_with_their_labels(spss: Microdata, tmp_path: Path) -> None:
    assert written(spss, tmp_path / "a.dta") == (
        "Stata has missing codes of its own: 9 as .a, 8 as .b in 'sex', codes of a declared range as .a in 'age'",
        "Stata has no counterpart to the display formats of age",
        "Stata has no missing codes for text: those of region became empty text",
        "Stata cannot hold the value labels of 01 in 'region', 1.5 in 'half'",
        "Stata takes empty text for missing, also in region",
    )
    values, said = told_by_pyreadstat(tmp_path / "a.dta")
    assert values == {
        "sex": [1, 2, "b", "a"],
        "age": [33.0, "a", 41.5, None],
        "region": ["01", "", "", "ä"],
        "half": [1.5, 2.5, 1.5, 1.5],
    }
    assert said["variable_value_labels"] == {
        "sex": {1: "man", 2: "woman", "a": "no answer", "b": "8"},
        "age": {"a": "95"},
    }
    assert said["column_names_to_labels"]["sex"] == "Sex"
    assert said["original_variable_types"]["sex"] == "%3.0f"
    assert said["file_label"] == "a survey"


def test_what_transport_files_lose(spss: Microdata, tmp_path: Path) -> None:
    assert written(spss, tmp_path / "a.xpt") == (
        "SAS has missing codes of its own: 9 as .A, 8 as .B in 'sex', codes of a declared range as .A in 'age'",
        "SAS has no counterpart to the display formats of age",
        "SAS has no missing codes for text: those of region became empty text",
        "SAS transport files hold no value labels, as for sex, region, half",
        "SAS takes empty text for missing, also in region",
        "SAS transport files do not name their encoding: UTF-8 is written for region",
    )
    assert told_by_pyreadstat(tmp_path / "a.xpt")[0]["sex"] == [1.0, 2.0, "B", "A"]


def test_tags_of_stata_are_lost_in_spss_and_told(load: Load, tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, "a", None], "s": ["x ", "", "y"]})
    pyreadstat.write_dta(
        frame, tmp_path / "a.dta", missing_user_values={"a": ["a"]}, variable_value_labels={"a": {"a": "refused"}}
    )
    assert written(load(tmp_path / "a.dta"), tmp_path / "a.sav") == (
        "SPSS declares at most three codes of a column missing, or a range and a code, and no tags: "
        ".a of 'a' became plain missing values",
        "SPSS cannot hold the value labels of .a in 'a'",
        "SPSS has no missing text, so empty text is written for missing values of s",
        "SPSS does not keep blanks at the end of a text, as in s",
    )
    values, said = told_by_pyreadstat(tmp_path / "a.sav")
    assert values["a"] == [1.0, None, None]
    assert said["original_variable_types"]["a"] == "F8.0"


def test_more_codes_than_spss_declares_never_become_values(
    made: Callable[..., Microdata], engine: DuckDBEngine, tmp_path: Path
) -> None:
    table = pa.table({"a": pa.array([1, None, None], pa.int64()), "aw": [None, "95", "98"]})
    relation = engine.adopt(table.to_batches(), table.schema)
    value, companion = relation.columns
    data = Microdata(
        relation.renamed([replace(value, as_written=companion.physical)]),
        Dictionary("d", (Attribute("a", missing=("99", "98", "97", "95")),)),
        Source("x", "test"),
    )
    assert written(data, tmp_path / "a.sav") == (
        "SPSS declares at most three codes of a column missing, or a range and a code, and no tags: "
        "95 of 'a' became plain missing values",
    )
    assert told_by_pyreadstat(tmp_path / "a.sav")[0] == {"a": [1.0, None, 98.0]}


def test_types_of_ours_that_no_package_has(made: Callable[..., Microdata], tmp_path: Path) -> None:
    table = pa.table(
        {
            "b": [True, None, False],
            "t": pa.array([dt.datetime(2020, 1, 2, 3, 4, 5, 678_901)] * 3, pa.timestamp("us", "Europe/Rome")),
            "d": pa.array([None, 1, 2], pa.decimal128(20, 2)),
            "clock": ["08:30:00", None, "23:59:59.5"],
        }
    )
    data = made(table, Attribute("clock", format="TIME8"))
    assert written(data, tmp_path / "a.sav") == (
        "SPSS has no truth values, so 1 and 0 are written for b",
        "SPSS knows no time zones, so UTC is written for t",
        "SPSS holds moments to about two microseconds, so these are rounded: t",
        "SPSS holds 15 digits of a number, so these may be rounded: d",
    )
    frame, _ = pyreadstat.read_sav(tmp_path / "a.sav", output_format="dict")
    assert frame["b"] == [1.0, None, 0.0]
    assert frame["t"][0].replace(microsecond=0) == dt.datetime(2020, 1, 2, 3, 4, 5)
    assert frame["d"] == [None, 1.0, 2.0]
    assert frame["clock"] == [dt.time(8, 30), None, dt.time(23, 59, 59, 500_000)]


def test_labels_that_are_too_long_are_cut_and_told(made: Callable[..., Microdata], tmp_path: Path) -> None:
    data = made(
        pa.table({"a": [1, 2]}),
        Attribute("a", description="ä" * 200, labels={"1": "ö" * 100}),
        description="d" * 100,
    )
    assert written(data, tmp_path / "a.sav") == (
        "labels that are too long for SPSS are cut: the label of 'a', the file's own label, a value label of 'a'",
    )
    _, said = told_by_pyreadstat(tmp_path / "a.sav")
    assert (said["column_names_to_labels"], said["file_label"]) == ({"a": "ä" * 128}, "d" * 64)
    assert said["variable_value_labels"] == {"a": {1.0: "ö" * 60}}


@pytest.mark.slow
def test_from_spss_to_stata_on_the_command_line(
    spss: Microdata, tmp_path: Path, tacita: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = tacita("convert", spss.source.name, "survey.dta")
    assert done.returncode == 0
    assert "9 as .a, 8 as .b in 'sex'" in done.stdout
    assert told_by_pyreadstat(tmp_path / "survey.dta")[0]["sex"] == [1, 2, "b", "a"]
    described = tacita("describe", "survey.dta")
    assert described.stdout.startswith("survey  4 tuples, 4 attributes  (Stata")
    refused = tacita("convert", "survey.dta", "survey.sas7bdat")
    assert (refused.returncode, "can be read, not written" in refused.stderr) == (2, True)


# -- what is refused --------------------------------------------------------------------------------------------------


def refused(data: Microdata, path: Path) -> str:
    with pytest.raises(OutputError) as error:
        written(data, path)
    assert not path.exists()
    return str(error.value)


def test_everything_that_does_not_fit_is_said_at_once(made: Callable[..., Microdata], tmp_path: Path) -> None:
    table = pa.table(
        {"firm name": ["x\0y"], "Id": [2**60], "id": ["x" * 40_000], "to": [1.0], "big": [float("inf")], "é": ["x"]}
    )
    assert refused(made(table), tmp_path / "a.sav") == (
        "4 faults:\n"
        "  - column 'firm_name': 1 text with a null character\n"
        "  - column 'Id': whole numbers above 2^53, which would lose digits\n"
        "  - column 'id_2': a text of 40,000 bytes, where SPSS takes 32,767\n"
        "  - column 'big': numbers that are infinite or larger than SPSS can hold (1.8e+308)\n"
        "  what to do: remove the null characters; read such columns as text (--as), or write CSV; "
        "shorten these texts, or write Parquet or CSV; correct these values, or write CSV or Parquet"
    )


@pytest.mark.parametrize(
    ("ending", "names", "fitting"),
    [
        (
            ".dta",
            ["a" * 32, "Größe", "_n", "str5", "long", "a" * 33, "1a", "a.b"],
            ["a" * 32, "Größe", "n", "str5_2", "long_2", "a" * 30 + "_2", "v1a", "a_b"],
        ),
        (
            ".xpt",
            ["a" * 32, "A_1", "Größe", "a" * 33, "1a", "a.b"],
            ["a" * 32, "A_1", "Gro_e", "a" * 30 + "_2", "v1a", "a_b"],
        ),
        (
            ".sav",
            ["a.b", "Größe", "v@#$", "_a", "a.", "WITH", "A.B"],
            ["a.b", "Größe", "v@#$", "a", "a_2", "WITH_2", "A_B"],
        ),
    ],
)
def test_a_name_that_is_not_allowed_becomes_a_label(
    made: Callable[..., Microdata], tmp_path: Path, ending: str, names: Sequence[str], fitting: Sequence[str]
) -> None:
    notes = written(made(pa.table({name: [1.0] for name in names})), tmp_path / f"b{ending}")
    told = told_by_pyreadstat(tmp_path / f"b{ending}")[1]
    assert told["column_names"] == list(fitting)
    changed = {new: old for old, new in zip(names, fitting, strict=True) if old != new}
    assert {name: label for name, label in told["column_names_to_labels"].items() if label} == changed
    assert "does not allow some names, which are written otherwise" in notes[0]
    assert all(f"{old} is {new}" in notes[0] for new, old in list(changed.items())[:3])


def test_numbers_at_the_limits(made: Callable[..., Microdata], tmp_path: Path) -> None:
    whole = pa.table({"a": [2_147_483_620, -2_147_483_647], "b": [2_147_483_621, 2**53]})
    written(made(whole), tmp_path / "a.dta")
    assert told_by_pyreadstat(tmp_path / "a.dta")[0] == {
        "a": [2_147_483_620, -2_147_483_647],
        "b": [2147483621.0, 2.0**53],
    }
    large = made(pa.table({"a": [1e80], "b": [1e-80]}))
    assert "numbers that are infinite or larger than SAS can hold (7.2e+75)" in refused(large, tmp_path / "a.xpt")
    small = made(pa.table({"b": [1e-80]}))
    assert written(small, tmp_path / "a.xpt") == ("SAS transport files hold no numbers as near to zero as in b",)


def test_a_full_disk(made: Callable[..., Microdata]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    data = made(pa.table({"a": list(range(10_000))}))
    for ending in (".sav", ".dta", ".xpt"):
        with pytest.raises(OutputError, match="the disk is full or the folder does not allow it"):
            write(data, Path("/dev/full"), WriteOptions(), ending=ending)


@pytest.mark.parametrize("ending", [".sav", ".zsav", ".dta", ".xpt"])
def test_a_disk_that_fills_up_on_the_way(made: Callable[..., Microdata], tmp_path: Path, ending: str) -> None:
    data = made(pa.table({f"a{i}": np.random.default_rng(i).random(20_000) for i in range(3)}))
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(OutputError, match="the disk is full or the folder does not allow it"):
            write(data, tmp_path / "a.partial", WriteOptions(), ending=ending)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_an_empty_row_at_the_end_of_a_transport_file(made: Callable[..., Microdata], tmp_path: Path) -> None:
    assert refused(made(pa.table({"a": ["x", None]})), tmp_path / "a.xpt") == (
        "the last row is empty, which a SAS transport file of text alone cannot tell from padding\n"
        "  what to do: leave empty rows out, or add a column of numbers"
    )
    written(made(pa.table({"a": ["x", None], "n": [1.0, None]})), tmp_path / "a.xpt")


def test_formats_of_the_registry_have_these_modules() -> None:
    for ending in PARSERS:
        assert format_of(Path(f"a{ending}")).load().write is write
