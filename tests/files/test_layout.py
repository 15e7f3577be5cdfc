"""How text files are laid out: found from their beginning, or told, or refused in clear words."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tacita.errors import InputError
from tacita.files.contract import ReadOptions
from tacita.files.layout import find_layout


def laid(tmp_path: Path, content: str | bytes, options: ReadOptions | None = None, name: str = "f.csv"):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return find_layout(path, options or ReadOptions())


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2\n3,5;4\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("a\n1\n2\n", ","),
        ('a,b\n"x;y;z",2\n"x;y;z",2\n', ","),
        ("a,b,c\n1,2\n1,2,3,4\n1,2,3\n", ","),
    ],
)
def test_delimiters(tmp_path: Path, content: str, delimiter: str) -> None:
    assert laid(tmp_path, content).delimiter == delimiter


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("a,b\nx,1\n", "utf-8"),
        ("\ufeffa,b\nè,1\n", "utf-8"),
        ("a,b\nè,1\n".encode("utf-16"), "utf-16"),
        ("a,b\nè,1\n".encode("utf-16-le"), "utf-16-le"),
        ("a,b\nCaffè €,1\n".encode("cp1252"), "cp1252"),
    ],
)
def test_encodings(tmp_path: Path, content: str | bytes, encoding: str) -> None:
    found = laid(tmp_path, content)
    assert found.encoding == encoding
    assert found.names == ("a", "b")


def test_a_character_cut_at_the_end_of_the_sample_is_no_fault(tmp_path: Path) -> None:
    text = "a,b\n" + "è,1\n" * 300_000  # the sample ends inside an è for one of the two alignments
    assert laid(tmp_path, text).encoding == "utf-8"
    assert laid(tmp_path, "x" + text).encoding == "utf-8"


def test_gzip(tmp_path: Path) -> None:
    assert laid(tmp_path, gzip.compress(b"a;b\n1;2\n"), name="f.csv.gz").names == ("a", "b")


def test_what_is_told_is_not_looked_for(tmp_path: Path) -> None:
    options = ReadOptions(delimiter="|", quote="", encoding="latin-1", header=False)
    found = laid(tmp_path, 'a,"b|c\n1,2|3\n', options)
    assert (found.delimiter, found.quote, found.encoding) == ("|", "", "latin-1")
    assert found.names == ("column1", "column2")
    assert found.rows == (('a,"b', "c"), ("1,2", "3"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"  \n \n", "the file is empty"),
        (b"a,b\n", "the file has a header and no rows"),
        (b"a,b,a\n1,2,3\n", "'a' names 2 columns: 1, 3"),
        (b"a,,c\n1,2,3\n", "column 2 has no name"),
        (bytes(range(256)) * 20, "holds binary data, not text"),
        (b"PK\x03\x04rest", "looks like a ZIP archive or an Excel workbook, not like text"),
        (b"PAR1rest", "looks like a Parquet file, not like text"),
    ],
)
def test_faults(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        laid(tmp_path, content)
    assert caught.value.found == message
    assert caught.value.do


def test_wrong_encoding_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is not utf-8 text \(byte 4\)"):
        laid(tmp_path, "a,b\nè,1\n".encode("latin-1"), ReadOptions(encoding="utf-8"))
    with pytest.raises(InputError, match="no encoding 'klingon' is known"):
        laid(tmp_path, "a,b\n1,2\n", ReadOptions(encoding="klingon"))
