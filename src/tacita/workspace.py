"""Files that may hold confidential data for a while, and the promise that none of them survives.

Everything written before it is final (the partial output beside its target, the folder where the engine spills) is
first entered in a small journal in the state folder. Each journal entry is held by a lock for as long as its process
lives. The next run, whatever it does, sweeps: an entry whose lock is free belonged to a process that was killed; what
it points to is removed, then the entry itself.

The journal holds paths, never data.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from tacita.errors import OutputError

_PARTIAL = ".partial"

_ENTRIES: dict[Path, tuple[Path, FileLock]] = {}
"""What this process has in journals now: the entry, what it points to, and the lock that is held."""


@contextlib.contextmanager
def journalled(path: Path, state: Path) -> Iterator[Path]:
    """Enter a file or folder in the journal, hand it out, and remove it at the end if it is still there."""
    journal = state / "unfinished"
    try:
        journal.mkdir(parents=True, exist_ok=True, mode=0o700)
        entry = journal / secrets.token_hex(8)
        lock = FileLock(entry.with_suffix(".lock"))
        lock.acquire()
        entry.write_text(str(path.absolute()), encoding="utf-8")
    except OSError as error:
        raise OutputError(
            f"cannot keep the journal of unfinished writes ({error.strerror})",
            where=str(state),
            do="set TACITA_STATE to a folder that you can write to",
        ) from None
    _ENTRIES[entry] = (path, lock)
    try:
        yield path
    finally:
        _remove(path)
        _close(entry, lock)
        _ENTRIES.pop(entry, None)


def abandon() -> None:
    """Remove everything unfinished of this process, which ends at once: somebody interrupted it, and it is busy."""
    for entry, (path, lock) in list(_ENTRIES.items()):
        for _ in range(3):  # other threads may still be writing to a folder
            with contextlib.suppress(OSError):
                _remove(path)
                break
        if not path.exists():
            with contextlib.suppress(OSError):
                entry.unlink()
            with contextlib.suppress(OSError):
                os.unlink(lock.lock_file)  # noqa: PTH108 - the lock gives a plain string


def sweep(state: Path) -> int:
    """Remove what killed runs left behind; return how many things were removed."""
    removed = 0
    journal = state / "unfinished"
    try:
        entries = list(journal.iterdir())
    except FileNotFoundError:
        return removed
    except OSError as error:
        raise OutputError(
            f"the journal of unfinished writes cannot be read ({error.strerror})",
            where=str(state),
            do="set TACITA_STATE to a folder of your own",
        ) from None
    for entry in entries:
        if entry.suffix == ".lock":
            continue
        lock = FileLock(entry.with_suffix(".lock"))
        with contextlib.suppress(OSError, Timeout):
            lock.acquire(timeout=0)
            target = Path(entry.read_text(encoding="utf-8"))
            if _is_ours(target) and not target.parent.is_dir():
                lock.release()  # a share that is not there now: it may come back, and so must the broom
                continue
            if _is_ours(target):
                _remove(target)
                removed += 1
            _close(entry, lock)
    remove_free_locks(journal)
    return removed


def remove_free_locks(journal: Path) -> None:
    """Remove locks that belong to no entry of a journal and are held by nobody: a kill left them."""
    for path in list(journal.glob("*.lock")):
        if any(path.with_suffix(suffix).exists() for suffix in ("", ".json")):
            continue
        # A process takes its lock before it writes its entry, so a lock without an entry may be held; and whoever
        # waits for one that goes away makes it anew.
        with contextlib.suppress(OSError, Timeout), FileLock(path, timeout=0):
            path.unlink()


def partial_beside(target: Path) -> Path:
    """Return a name for the unfinished version of a file, in the same folder so that a rename is atomic."""
    return target.with_name(f".tacita-{secrets.token_hex(6)}{_PARTIAL}")


def spill_folder(parent: Path) -> Path:
    """Return a name for a folder that the engine may spill to."""
    return parent / f".tacita-{secrets.token_hex(6)}.spill"


def _is_ours(path: Path) -> bool:
    """Never remove anything whose name we did not make, whatever the journal says."""
    return path.name.startswith(".tacita-") and path.suffix in {_PARTIAL, ".spill"}


def _remove(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _close(entry: Path, lock: FileLock) -> None:
    with contextlib.suppress(OSError):
        entry.unlink()
    lock.release()
    with contextlib.suppress(OSError):
        os.unlink(lock.lock_file)  # noqa: PTH108 - the lock gives a plain string
