"""python -m experiments, as a person calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


def experiments(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "experiments", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_one_figure_of_a_quick_run(tmp_path: Path) -> None:
    done = experiments(tmp_path, "vada-sa", "--quick", "--only", "c", "--out", "found", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {point["figure"] for point in told["points"]} == {"c"}
    assert sorted(told["files"]) == sorted(each.name for each in (tmp_path / "found").iterdir())
    assert told["anchors"][0]["ours"] == "not run"


def test_it_says_at_once_what_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "other.txt").write_text("x")
    done = experiments(tmp_path, "vada-sa", "--out", "found", "--force")
    assert done.returncode == 4
    assert "no folder of experiments" in done.stderr
    done = experiments(tmp_path, "vada-sa", "--out", "other", "--only", "h")
    assert done.returncode == 2
    assert "Figure 7 has no part 'h'" in done.stderr
    assert not (tmp_path / "other").exists()
