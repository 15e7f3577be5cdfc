"""Writing: the old file or the new one, never a part; and no confidential leftovers after the next run."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tacita.cli.main import run
from tacita.errors import OutputError, TacitaError
from tacita.files.atomic import atomic, write_text
from tacita.release.kinds.tables.cells import explain_cells
from tacita.release.verify import verify
from tacita.settings import Settings
from tacita.workspace import journalled, sweep


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(state=tmp_path / "state")


def leftovers(folder: Path) -> list[str]:
    return [p.name for p in folder.iterdir() if p.name.startswith(".tacita-")]


def bytes_left(folder: Path) -> int:
    sizes = [0]
    for name in leftovers(folder):
        with contextlib.suppress(FileNotFoundError):
            sizes.append((folder / name).stat().st_size)
    return max(sizes)


def test_a_new_file_appears_whole(tmp_path: Path, settings: Settings) -> None:
    write_text(tmp_path / "a.txt", "new", force=False, settings=settings)
    assert (tmp_path / "a.txt").read_text() == "new"
    assert not leftovers(tmp_path)
    assert not list((tmp_path / "state" / "unfinished").iterdir())


def test_an_existing_file_is_not_replaced_unless_forced(tmp_path: Path, settings: Settings) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    target.chmod(0o640)
    with pytest.raises(OutputError) as caught:
        write_text(target, "new", force=False, settings=settings)
    assert caught.value.found == "exists already"
    assert target.read_text() == "old"
    write_text(target, "new", force=True, settings=settings)
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o640


def test_a_failure_inside_leaves_the_old_file(tmp_path: Path, settings: Settings) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def fail() -> None:
        with atomic(target, force=True, settings=settings) as partial:
            partial.write_text("half")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        fail()
    assert target.read_text() == "old"
    assert not leftovers(tmp_path)


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path, settings: Settings) -> None:
    target = tmp_path / "a.txt"

    def race() -> None:
        with atomic(target, force=False, settings=settings) as partial:
            partial.write_text("ours")
            target.write_text("theirs")

    with pytest.raises(OutputError, match="exists already"):
        race()
    assert target.read_text() == "theirs"


@pytest.mark.parametrize("name", ["no-such-folder/a.txt", "."])
def test_impossible_targets(tmp_path: Path, settings: Settings, name: str) -> None:
    with pytest.raises(OutputError):
        write_text(tmp_path / name, "x", force=True, settings=settings)


KILLED = """
import sys
from pathlib import Path
from tacita.files.atomic import atomic
with atomic(Path(sys.argv[1]), force=True) as partial:
    partial.write_text("half of a confidential file")
    print("writing", flush=True)
    sys.stdin.read()
"""


def test_a_kill_leaves_the_old_file_and_the_next_run_cleans_up(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")
    state = Path(os.environ["TACITA_STATE"])
    command = [sys.executable, "-c", KILLED, str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        assert sweep(state) == 0, "what a living process writes must not be swept"
        assert leftovers(tmp_path)
        process.kill()
    assert target.read_text() == "old"
    assert leftovers(tmp_path), "the kill came too late: the test proves nothing"
    assert sweep(state) == 1
    assert not leftovers(tmp_path)


def killed(folder: Path, state: Path) -> Path:
    """What a killed run leaves: a partial folder, its entry in the journal, and locks that nobody holds."""
    partial = folder / ".tacita-0123456789ab.partial"
    partial.mkdir()
    (partial / "half.csv").write_text("half of a confidential file")
    for journal in ("unfinished", "replacing"):
        (state / journal).mkdir(parents=True)
        (state / journal / "0123456789abcdef.lock").touch()
    (state / "unfinished" / "fedcba9876543210").write_text(str(partial))
    return partial


@pytest.mark.parametrize(
    "command", ["version", "measures", "verify none", "table explain none --cell a=b", "describe x"]
)
def test_every_command_sweeps(tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    state = Path(os.environ["TACITA_STATE"])
    partial = killed(tmp_path, state)
    run(command.split())
    capsys.readouterr()
    assert not partial.exists()
    assert [each.name for each in state.rglob("*") if each.is_file()] == []


@pytest.mark.parametrize("call", [verify, lambda release: explain_cells(release, {})])
def test_opening_a_release_in_python_sweeps(tmp_path: Path, call: Callable[[Path], object]) -> None:
    partial = killed(tmp_path, Path(os.environ["TACITA_STATE"]))
    with contextlib.suppress(TacitaError):
        call(tmp_path / "none")
    assert not partial.exists()


def test_a_lock_that_is_held_stays(tmp_path: Path) -> None:
    state = tmp_path / "state"
    with journalled(tmp_path / ".tacita-1.partial", state):
        (entry,) = (each for each in (state / "unfinished").iterdir() if each.suffix != ".lock")
        entry.unlink()  # as in the moment between the lock and the entry
        sweep(state)
        assert entry.with_suffix(".lock").exists()


def test_the_journal_never_removes_what_is_not_ours(tmp_path: Path) -> None:
    precious = tmp_path / "precious.csv"
    precious.write_text("data")
    journal = tmp_path / "state" / "unfinished"
    journal.mkdir(parents=True)
    (journal / "abc").write_text(str(precious))
    assert sweep(tmp_path / "state") == 0
    assert precious.read_text() == "data"
    assert not (journal / "abc").exists()


@pytest.mark.slow
@pytest.mark.parametrize("written", [1, 500_000])
def test_killing_the_real_command_while_it_writes(tacita, tmp_path: Path, written: int) -> None:
    target = tmp_path / "firms.csv"
    target.write_text("old")
    command = [str(Path(sys.executable).with_name("tacita")), "generate", "R100A4W", "--out", str(target), "--force"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and bytes_left(tmp_path) < written:
            time.sleep(0.001)
        process.kill()
    lines = target.read_text().count("\n")
    assert lines in (0, 100_001), f"a part of the file was left: {lines} lines"
    assert tacita("describe", "no-such-file.csv").returncode == 3  # the next run, whatever it does
    assert tacita("generate", "figure-1").returncode == 0
    assert not leftovers(tmp_path)


def full_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))


@pytest.mark.parametrize(
    "ending", ["csv", *(pytest.param(e, marks=pytest.mark.slow) for e in ("parquet", "xlsx", "sav", "arrow"))]
)
def test_a_full_disk_leaves_nothing(installed_tacita, tmp_path: Path, ending: str) -> None:
    done = installed_tacita("generate", "R100A4W", "--out", f"firms.{ending}", preexec_fn=full_disk)
    assert done.returncode == 4, done.stderr
    assert "the disk is full" in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_unfinished_files_are_private(tmp_path: Path, settings: Settings) -> None:
    with atomic(tmp_path / "a.txt", force=False, settings=settings) as partial:
        assert partial.stat().st_mode & 0o777 == 0o600
        partial.write_text("x")
    assert (tmp_path / "a.txt").stat().st_mode & 0o400


def test_a_link_is_followed(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text(tmp_path / "link.txt", "new", force=True, settings=settings)
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_an_absent_folder_is_swept_when_it_is_back(tmp_path: Path) -> None:
    journal = tmp_path / "state" / "unfinished"
    journal.mkdir(parents=True)
    share = tmp_path / "share"
    (journal / "abc").write_text(str(share / ".tacita-0123456789ab.partial"))
    assert sweep(tmp_path / "state") == 0
    share.mkdir()
    (share / ".tacita-0123456789ab.partial").write_text("secret")
    assert sweep(tmp_path / "state") == 1
    assert not list(share.iterdir())
