"""Ctrl-C ends a command in the middle of a query, and where nothing listens, with nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

_IN_A_QUERY = """
import os, signal, sys, threading
from tacita import interruption
from tacita.engines.duckdb.engine import DuckDBEngine

real = DuckDBEngine._execute, DuckDBEngine.run

def endless(self, *arguments, **options):
    # The query that a command would run does not end by itself: who comes back was interrupted.
    def press():
        while not (queries := interruption._watcher()._queries):
            pass
        connection = queries[0].connection
        class Heard:
            def interrupt(self):
                print("the query was interrupted", file=sys.stderr)
                connection.interrupt()
        queries[0].connection = Heard()
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=press, daemon=True).start()
    return real[0](self, "SELECT count(*) FROM range(10000000) AS a, range(10000000) AS b, range(10000000) AS c "
                         "WHERE a.range + b.range = c.range + 1")

setattr(DuckDBEngine, sys.argv.pop(1), endless)
from tacita.cli import main
main()
"""

_WHERE_NOTHING_LISTENS = """
import hashlib, os, signal, sys, threading
from tacita.cli import main as _, version
from tacita.cli.main import run
from tacita.engines.context import Context
from tacita.files.atomic import atomic
from tacita.settings import Settings
from pathlib import Path
import tacita.cli.main as door

def busy(*_, **__):
    with Context() as context, atomic(Path("out.csv"), force=False) as partial:
        partial.write_text("half of it")
        context.engine
        print(sorted(each.name[-8:] for each in Path(".").iterdir()), flush=True)
        threading.Thread(target=lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)  # an hour without a look at Python

door._LONGEST_FAREWELL = 0.0
door.built = lambda: busy
sys.exit(run(["version"]))
"""


def _ended(folder: Path, script: str, *arguments: str, code: int = 130) -> subprocess.CompletedProcess[str]:
    state = folder.parent / f"{folder.name}-state"
    environment = os.environ | {"TACITA_STATE": str(state), "TACITA_SPILL": str(folder)}
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "interrupted; the file that was being written is as it was before" in done.stderr
    assert not list((state / "unfinished").iterdir())
    return done


def test_in_a_query(tmp_path: Path) -> None:
    (tmp_path / "firms.csv").write_text("area,size\nNorth,1\nSouth,2\n", encoding="utf-8")
    done = _ended(tmp_path, _IN_A_QUERY, "run", "describe", "firms.csv")
    assert "the query was interrupted" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["firms.csv"]


def test_while_a_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "firms.csv").write_text("area,size\nNorth,1\nSouth,2\n", encoding="utf-8")
    done = _ended(tmp_path, _IN_A_QUERY, "_execute", "convert", "firms.csv", "other.csv")
    assert "the query was interrupted" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["firms.csv"]


def test_a_request_to_terminate(tmp_path: Path) -> None:
    (tmp_path / "firms.csv").write_text("area,size\nNorth,1\nSouth,2\n", encoding="utf-8")
    script = _IN_A_QUERY.replace("SIGINT", "SIGTERM")
    _ended(tmp_path, script, "_execute", "convert", "firms.csv", "other.csv", code=143)
    assert [each.name for each in tmp_path.iterdir()] == ["firms.csv"]


@pytest.mark.parametrize(("number", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_where_nothing_listens(tmp_path: Path, number: str, code: int) -> None:
    done = _ended(tmp_path, _WHERE_NOTHING_LISTENS.replace("SIGINT", number), code=code)
    assert "artial" in done.stdout and "spill" in done.stdout
    assert not list(tmp_path.iterdir())
