"""Opening by the command line and from Python: what is not drawn at random is the same."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import tacita as tc

pytestmark = pytest.mark.slow

SAME = ("cells.parquet", "records.parquet", "policy.toml")


def test_both_doors_open_alike(warm_path: Path):
    command = [str(warm_path / "tacita"), "query", "open", "staff.csv", "--out", "typed", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    result = tc.open_for_questions(tc.read("staff.csv"), "policy.toml", "python").to_dict()
    assert json.loads(done.stdout) == json.loads(json.dumps(result).replace("python", "typed"))
    assert all(Path("typed", name).read_bytes() == Path("python", name).read_bytes() for name in SAME)
    assert Path("typed", "secret.key").read_bytes() != Path("python", "secret.key").read_bytes()
    assert all(path.stat().st_mode & 0o077 == 0 for path in (Path("typed"), *Path("typed").iterdir()))
