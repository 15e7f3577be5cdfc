"""What all tests share: a clean home, the real command line, the reference data of peers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def tacita(tmp_path: Path) -> Run:
    """The real command line, in an empty folder."""

    def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        command = [str(Path(sys.executable).with_name("tacita")), *map(str, arguments)]
        options = {"cwd": tmp_path, "capture_output": True, "text": True, "timeout": 120} | options
        return subprocess.run(command, check=False, **options)  # type: ignore[call-overload, no-any-return]

    return run


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference data beside the project; tests that need it say so when it is not there."""
    folder = Path(os.environ.get("TACITA_SHARED", ROOT.parent / "shared")) / "reference"
    if not folder.is_dir():
        pytest.skip("the reference data of peers is not beside the project (../shared or TACITA_SHARED)")
    return folder
