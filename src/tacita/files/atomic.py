"""Atomic writing: a reader of the target sees the old file or the new one, never a part of it.

The new content goes to a file beside the target, is forced to disk, and is renamed onto it. A kill leaves at most that
partial file, which the next run removes (see `tacita.workspace`).
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

from tacita.errors import OutputError
from tacita.files.formats import has_credentials
from tacita.settings import Settings
from tacita.workspace import journalled, partial_beside, sweep


@contextlib.contextmanager
def atomic(target: Path, *, force: bool, settings: Settings | None = None) -> Iterator[Path]:
    """Hand out a path to write to; on success it becomes the target, on failure nothing changes.

    Raises `OutputError` before anything is written if the target exists and `force` is not set.
    """
    state = (settings or Settings.from_environment()).state
    check_target(target, force=force)
    target = target.resolve()  # through a link, to the file it points to
    sweep(state)
    with journalled(partial_beside(target), state) as partial:
        try:
            # Nobody else may read it before it is finished.
            os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            yield partial
            force_to_disk(partial)
            if target.exists():
                check_target(target, force=force)
                partial.chmod(target.stat().st_mode & 0o777)
            else:
                partial.chmod(0o666 & ~_umask())
            partial.replace(target)
            force_to_disk(target.parent)
        except OSError as error:
            raise _in_our_words(error, target) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def check_target(target: Path, *, force: bool) -> None:
    """Raise if the target cannot or must not be written."""
    try:
        target.exists()
    except OSError as error:
        raise _in_our_words(error, target) from None
    if "://" in str(target) or re.match(r"\w+:/\w", str(target)) or has_credentials(str(target)):
        raise OutputError("databases are not written to", do="give the name of a file")
    if target.is_dir():
        raise OutputError("is a folder", where=str(target), do="give the name of a file")
    if target.exists() and not force:
        raise OutputError("exists already", where=str(target), do="choose another name, or add --force to replace it")
    if not target.parent.is_dir():
        raise OutputError("the folder does not exist", where=str(target.parent), do="make it first")
    if not os.access(target.parent, os.W_OK):
        raise OutputError("no permission to write in this folder", where=str(target.parent), do="choose another folder")


def write_text(target: Path, text: str, *, force: bool, settings: Settings | None = None) -> None:
    """Write a small text file atomically."""
    with atomic(target, force=force, settings=settings) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def force_to_disk(path: Path) -> None:
    """Wait until a file, or the entries of a folder, are on the disk."""
    if path.is_dir() and os.name == "nt":
        return  # Windows keeps directory entries without being asked
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _in_our_words(error: OSError, target: Path) -> OutputError:
    if error.errno in {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}:
        return OutputError("the disk is full", where=str(target.parent), do="free some space, or write elsewhere")
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return OutputError("no permission to write here", where=str(target.parent), do="choose another folder")
    return OutputError(f"cannot be written ({error.strerror})", where=str(target)[:120], do="choose another place")
