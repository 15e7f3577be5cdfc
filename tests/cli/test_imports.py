"""What a command imports: the rooms that it needs and no other, and no heavy library before its turn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tacita.workspace import journalled

pytestmark = pytest.mark.slow

_SCRIPT = """
import contextlib, io, json, sys
from tacita.cli.main import run
with contextlib.redirect_stdout(io.StringIO()):
    code = run(sys.argv[1:])
ours = [name for name in sys.modules if name.startswith("tacita.")]
rooms = sorted({name.split(".")[1] for name in ours if name.count(".") > 1})
print(json.dumps([code, rooms, len(ours), sorted({name.split(".")[0] for name in sys.modules})]))
"""

HEAVY = {
    "altair",
    "highspy",
    "numba",
    "openpyxl",
    "pandas",
    "polars",
    "pygls",
    "pyreadstat",
    "pyspark",
    "scipy",
    "sklearn",
    "splink",
    "sqlalchemy",
    "xlsxwriter",
}

READING = {"api", "cli", "describe", "engines", "files", "knowledge", "model", "toml", "views"}
ASSESSING = {"assess", "risk"}
RELEASING = {"attacks", "cycle", "ledger", "masking", "release", "utility"}
"""Which of the attackers, ways of masking and losses a release needs is said by its own imports."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = "".join(f"{i},{'NS'[i % 2]},{i % 3},{i % 5}\n" for i in range(60))
    (tmp_path / "firms.csv").write_text("no,area,sector,size\n" + rows, encoding="utf-8")
    lone = "".join(f"{'NS'[i % 2]},{i % 3}\n" for i in range(60)) + "N,9\n"
    (tmp_path / "lone.csv").write_text("area,sector\n" + lone, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "rooms", "most", "libraries"),
    [
        ("--version", {"cli", "toml"}, 60, {"duckdb", "numpy", "pyarrow", "rich", "sqlglot"}),
        (
            "measures --json",
            {"api", "cli", "toml", "risk", "knowledge", "engines", "model", "views"},
            150,
            {"duckdb", "pyarrow"},
        ),
        ("convert firms.csv firms.parquet", READING, 150, set()),
        ("describe firms.csv", READING, 160, set()),
        ("categorize firms.csv", READING, 170, set()),
        ("assess firms.csv --quasi area,sector", READING | ASSESSING, 230, set()),
        (
            "anonymize firms.csv --quasi area,sector --identifier no -k 2 --out out",
            READING | ASSESSING | RELEASING,
            310,
            set(),
        ),
        ("anonymize firms.csv -k 2", READING | ASSESSING | RELEASING, 310, set()),
        ("anonymize lone.csv --quasi area,sector -k 2 --out out", READING | ASSESSING | RELEASING, 312, set()),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) else "",
)
def test_a_command_imports_what_it_needs(
    folder: Path, command: str, rooms: set[str], most: int, libraries: set[str]
) -> None:
    started = [sys.executable, "-c", _SCRIPT, *command.split()]
    done = subprocess.run(started, cwd=folder, capture_output=True, text=True, check=True)
    code, imported, number, packages = json.loads(done.stdout)
    assert code == 0, done.stderr
    assert set(imported) <= rooms
    assert number <= most
    # Pandas, too: pyarrow imports it by itself where it makes an array, or compares one with a value of Python.
    assert not set(packages) & (HEAVY | libraries)


def test_the_first_page_comes_at_once_beside_a_command_that_writes(tmp_path: Path) -> None:
    state = tmp_path / "state"
    started = [sys.executable, "-c", _SCRIPT, "--version"]
    with journalled(tmp_path / ".tacita-1.partial", state):
        done = subprocess.run(
            started, env={**os.environ, "TACITA_STATE": str(state)}, capture_output=True, text=True, check=True
        )
        assert list((state / "unfinished").iterdir())
    code, imported, _, packages = json.loads(done.stdout)
    assert (code, imported) == (0, ["cli", "toml"])
    assert not set(packages) & (HEAVY | {"duckdb", "numpy", "pyarrow", "sqlglot"})
