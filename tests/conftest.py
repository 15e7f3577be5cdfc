"""What all tests share: the command line, the reference data of peers."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
INSTALLED = Path(sys.executable).parent
WARM = ROOT / "tests" / "warm_command"
PATIENCE = 1800  # seconds after which a command hangs, on the busiest machine
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave tests that start commands out of the fast ones: a process for each adds up."""
    if {"tacita", "installed_tacita"} & set(getattr(item, "fixturenames", ())):
        item.add_marker("slow")


@pytest.fixture(scope="session")
def warm_path() -> Iterator[Path]:
    """A folder for the path with a ``tacita`` whose imports are made already: a second less for each command."""
    if not hasattr(os, "fork"):
        yield INSTALLED
        return
    with tempfile.TemporaryDirectory(prefix="tacita-") as name:
        folder = Path(name)
        command = folder / "tacita"
        command.write_text(f"#!{sys.executable} -IS\n" + (WARM / "ask.py").read_text(encoding="utf-8"))
        command.chmod(0o755)
        door = folder / "socket"
        server = subprocess.Popen([sys.executable, str(WARM / "serve.py"), str(door)], stdin=subprocess.PIPE)
        while not door.exists():
            assert server.poll() is None, "the server of commands did not start"
            time.sleep(0.02)
        yield folder
        server.communicate(timeout=PATIENCE)


def _running(command: Path, folder: Path) -> Run:
    def run(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        options = {"cwd": folder, "capture_output": True, "text": True, "timeout": PATIENCE} | options
        return subprocess.run([str(command), *map(str, arguments)], check=False, **options)  # type: ignore[call-overload, no-any-return]

    return run


@pytest.fixture
def tacita(tmp_path: Path, warm_path: Path) -> Run:
    """The command line in an empty folder: a process of its own for each command, its imports made before."""
    return _running(warm_path / "tacita", tmp_path)


@pytest.fixture
def installed_tacita(tmp_path: Path) -> Run:
    """The command line as it is installed, in an empty folder: a new interpreter for each command."""
    return _running(INSTALLED / "tacita", tmp_path)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The reference data beside the project; tests that need it say so when it is not there."""
    folder = Path(os.environ.get("TACITA_SHARED", ROOT.parent / "shared")) / "reference"
    if not folder.is_dir():
        pytest.skip("the reference data of peers is not beside the project (../shared or TACITA_SHARED)")
    return folder
