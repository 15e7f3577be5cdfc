"""Bad input through the real command line: an exit code, what and where and what to do, no traceback, no file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def refused(done: subprocess.CompletedProcess[str], folder: Path, before: set[str], code: int = 3) -> str:
    """Check what every refusal has in common; return the message."""
    assert done.returncode == code, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "what to do:" in done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.stderr
    assert {p.name for p in folder.iterdir()} == before
    return done.stderr


DICTIONARY = 'format = 1\n[microdata]\nname = "f"\n'
AREA = DICTIONARY + '[attributes.Area]\ncategory = "quasi-identifier"\nhierarchy = "area.csv"\n'

CASES = {
    "empty": (b"", "f.csv: the file is empty"),
    "header only": (b"a,b\n", "f.csv: the file has a header and no rows"),
    "duplicate names": (b"a,b,a\n1,2,3\n", "f.csv, line 1: 'a' names 2 columns: 1, 3"),
    "empty names": (b"a,,\n1,2,3\n", "2 faults:\n  - column 2 has no name\n  - column 3 has no name"),
    "ragged": (
        b"a,b\n1,secret\nsecret\n4,5,secret\n",
        "  - line 3: 1 field where the header has 2\n  - line 4: 3 fields",
    ),
    "binary junk": (bytes(range(256)) * 50, "f.csv: holds binary data, not text"),
    "a zip": (b"PK\x03\x04" + b"\x00" * 100, "looks like a ZIP archive or an Excel workbook"),
    "an open quote": (b'a,b\n1,"secret\n2,3\n', "line 2: a quote is opened and not closed"),
    "late bytes of another encoding": (
        b"a,b\n" + b"x,1\n" * 300_000 + b"\xe8,2\n",
        "line 300002: bytes that are not UTF-8",
    ),
    # Made when it is needed: every process that collects the tests would keep it until the end.
    "a cell of 100 MB": (lambda: b"a,b\n1,2\n3," + b"x" * 100_000_000 + b"\n", "line 3: longer than 16 MB"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("command", "case"), [*(("describe", case) for case in CASES), ("convert", "ragged")])
def test_unusable_text(tacita, tmp_path: Path, case: str, command: str) -> None:
    content, message = CASES[case]
    (tmp_path / "f.csv").write_bytes(content() if callable(content) else content)
    arguments = ["describe", "f.csv"] if command == "describe" else ["convert", "f.csv", "out.parquet"]
    assert message in refused(tacita(*arguments), tmp_path, {"f.csv"})


@pytest.mark.slow
def test_wrong_encoding_told(tacita, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_bytes("a,b\nsecreté,1\n".encode("cp1252"))
    message = refused(tacita("describe", "f.csv", "--encoding", "utf-8"), tmp_path, {"f.csv"})
    assert "is not utf-8 text" in message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "fault"), [("0", "1 zero"), ("-3", "1 negative"), ("inf", "1 not finite"), ("NaN", "1 missing")]
)
def test_weights(tacita, tmp_path: Path, cell: str, fault: str) -> None:
    (tmp_path / "f.csv").write_text(f"a,w\nx,1\nx,{cell}\n")
    message = refused(tacita("describe", "f.csv", "--weight", "w"), tmp_path, {"f.csv"})
    assert f"the weight 'w' has unusable values: {fault} (first rows: 2)" in message


@pytest.mark.slow
def test_a_column_of_mixed_types_is_told_not_guessed(tacita, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("x,y\n" + "".join(f"{i},a\n" for i in range(1000)) + "secret,a\n")
    done = tacita("describe", "f.csv")
    assert done.returncode == 0
    assert "x: as text; mixed: 1 value is no number (row 1001)" in done.stdout
    message = refused(tacita("describe", "f.csv", "--as", "x=number"), tmp_path, {"f.csv"})
    assert "column 'x' was to be read as number, but 1 value is no number (row 1001)" in message


@pytest.mark.slow
def test_thousands_of_columns(tacita, tmp_path: Path) -> None:
    names = [f"v{i}x" for i in range(450)]
    row = ",".join(str(i % 3) for i in range(450))
    (tmp_path / "f.csv").write_text(",".join(names) + f"\n{row}\n{row}\n")
    done = tacita("describe", "f.csv")
    assert done.returncode == 0, done.stderr
    assert "2 tuples, 450 attributes" in done.stdout
    assert "and 390 more attributes; --json shows all" in done.stdout


@pytest.mark.slow
def test_a_folder(tacita, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    assert "d: is a folder without Parquet files" in refused(tacita("describe", "d"), tmp_path, {"d"})


def test_a_missing_file(tacita, tmp_path: Path) -> None:
    (tmp_path / "firms.csv").write_text("a\n1\n")
    message = refused(tacita("describe", "firm.csv"), tmp_path, {"firms.csv"})
    assert "firm.csv: there is no such file; did you mean 'firms.csv'?" in message


@pytest.mark.slow
def test_an_unknown_format(tacita, tmp_path: Path) -> None:
    (tmp_path / "f.doc").write_text("x")
    assert "no format is known for 'f.doc'" in refused(tacita("describe", "f.doc"), tmp_path, {"f.doc"})


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is needed to give up root's rights")
def test_no_permission(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("a\n1\n")
    (tmp_path / "f.csv").chmod(0)
    (tmp_path / "out").mkdir()
    (tmp_path / "ok.csv").write_text("a\n1\n")
    (tmp_path / "out").chmod(0o500)
    humble = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    command = [*humble, str(Path(sys.executable).with_name("tacita"))]

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)

    try:
        message = refused(run("describe", "f.csv"), tmp_path, {"f.csv", "ok.csv", "out"})
        assert "f.csv: no permission to read it" in message
        message = refused(run("convert", "ok.csv", "out/x.csv"), tmp_path, {"f.csv", "ok.csv", "out"}, code=4)
        assert "out: no permission to write in this folder" in message
        assert not list((tmp_path / "out").iterdir())
    finally:
        (tmp_path / "out").chmod(0o700)


def test_a_dictionary_that_does_not_fit(tacita, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("Area,Sector\nNorth,x\n")
    (tmp_path / "f.dictionary.toml").write_text(
        DICTIONARY + '[attributes.Secto]\ncategory = ""\n[attributes.Area]\ncategory = ""\n'
    )
    message = refused(tacita("describe", "f.csv"), tmp_path, {"f.csv", "f.dictionary.toml"})
    assert "the dictionary names 'Secto', which the data does not have; did you mean 'Sector'?" in message
    assert "the data has 'Sector', of which the dictionary says nothing" in message


@pytest.mark.slow
def test_a_dictionary_with_faults(tacita, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("Area,Sector\nNorth,x\n")
    (tmp_path / "f.dictionary.toml").write_text(
        DICTIONARY + '[attributes.Sector]\ncategory = "quazi"\n[attributes.Area]\nkindd = "text"\n'
    )
    message = refused(tacita("describe", "f.csv"), tmp_path, {"f.csv", "f.dictionary.toml"})
    assert "quazi" in message
    assert "kindd" in message


def test_a_hierarchy_with_a_hole(tacita, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("Area\nMilano\nRoma\n")
    (tmp_path / "area.csv").write_text("Milano;North;Italy\nRoma;;Italy\n")
    (tmp_path / "f.dictionary.toml").write_text(AREA)
    message = refused(tacita("describe", "f.csv"), tmp_path, {"f.csv", "area.csv", "f.dictionary.toml"})
    assert "area.csv" in message
    assert "line 2" in message


@pytest.mark.slow
def test_a_hierarchy_that_does_not_cover_the_data(tacita, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("Area\nMilano\nsecret\n")
    (tmp_path / "area.csv").write_text("Milano;North\n")
    (tmp_path / "f.dictionary.toml").write_text(AREA)
    message = refused(tacita("describe", "f.csv"), tmp_path, {"f.csv", "area.csv", "f.dictionary.toml"})
    assert "Area" in message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["describe"], "Missing argument"),
        (["describ", "f.csv"], "No such command 'describ'"),
        (["describe", "f.csv", "--quasi", "Secto"], "no attribute 'Secto'"),
        (["describe", "f.csv", "--as", "Sector"], "--as 'Sector' is not NAME=VALUE"),
        (["describe", "f.csv", "--as", "Sector=txt"], "no type 'txt' for column 'Sector'; did you mean 'text'?"),
        (["describe", "f.csv", "--memory", "lots"], "memory is 'lots'"),
        (["categorize", "f.csv", "--set", "Sector=quazi"], "no category 'quazi'"),
        (["generate", "R25A4X"], "R25A4X"),
        (["convert", "f.csv", "f.sas7bdat"], "'.sas7bdat' can be read, not written"),
    ],
)
def test_wrong_requests(tacita, tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "f.csv").write_text("Sector\nx\n")
    done = tacita(*arguments)
    assert done.returncode in (2, 3)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert {p.name for p in tmp_path.iterdir()} == {"f.csv"}


@pytest.mark.slow
def test_the_data_is_never_replaced_by_a_dictionary(tacita, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("Sector\nx\n")
    done = tacita("categorize", "f.csv", "--accept", "--out", "f.csv", "--force")
    assert done.returncode == 2
    assert (tmp_path / "f.csv").read_text() == "Sector\nx\n"


@pytest.mark.slow
def test_data_is_never_written_into_itself(tacita, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "d").mkdir()
    pq.write_table(pa.table({"a": [1]}), tmp_path / "d" / "1.parquet")
    for source in ("d", "d/*.parquet"):
        done = tacita("convert", source, "d/2.parquet")
        assert done.returncode == 4
        assert "would be a part of the data itself" in done.stderr
    assert len(list((tmp_path / "d").iterdir())) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["convert", "f.csv", "postgresql://bob:hunter2@127.0.0.1:1/db"],
        ["describe", "oracle://bob:hunter2@host/db", "--table", "x"],
        ["describe", "postgresql://bob:hunter2@127.0.0.1:1/db", "--table", "x"],
        ["categorize", "postgresql://bob:hunter2@127.0.0.1:1/db", "--table", "x"],
    ],
)
def test_passwords_are_never_shown(tacita, tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "f.csv").write_text("Sector\nx\n")
    done = tacita(*arguments)
    assert done.returncode in (2, 3, 4)
    assert "hunter2" not in done.stdout + done.stderr


@pytest.mark.slow
def test_a_dictionary_of_other_data_is_noticed(tacita, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("Sector\nx\n")
    (tmp_path / "g.dictionary.toml").write_text(DICTIONARY + '[attributes.Area]\ncategory = ""\n')
    done = tacita("convert", "f.csv", "g.parquet")
    assert done.returncode == 4
    assert "speaks of other columns" in done.stderr
