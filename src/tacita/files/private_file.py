"""Files with keys: readable by their owner alone from the first byte, whole or not there, replaced only on request."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from tacita.errors import InputError, OutputError
from tacita.files.atomic import check_target, force_to_disk
from tacita.settings import Settings
from tacita.workspace import journalled, partial_beside, sweep

_PRIVATE = 0o600
_OTHERS = 0o077
_HAS_PERMISSIONS = os.name == "posix"
"""Windows keeps other people out by other means, which the mode of a file does not show."""


@contextlib.contextmanager
def private_file(target: Path, *, force: bool = False, settings: Settings | None = None) -> Iterator[Path]:
    """Hand out a path to write to; on success it becomes the target with mode 0600, on failure nothing changes.

    Unlike `tacita.files.atomic`, which gives a file the mode that other files have, nobody else can read this file at
    any moment. Without `force` two processes cannot replace each other's file either: the name is linked, and a link
    fails if the name is there.

    Raises `OutputError` if the target exists and `force` is not set, or cannot be written.
    """
    unfinished = (settings or Settings.from_environment()).state
    check_target(target, force=True)
    if not force and (target.exists() or target.is_symlink()):
        raise _exists(target)
    sweep(unfinished)
    final = target.resolve()
    with journalled(partial_beside(final), unfinished) as partial:
        try:
            descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PRIVATE)
            os.close(descriptor)
            partial.chmod(_PRIVATE)  # whatever the umask of the process is
            yield partial
            force_to_disk(partial)
            if force:
                partial.replace(final)
            else:
                final.hardlink_to(partial)
            force_to_disk(final.parent)
        except FileExistsError:
            raise _exists(target) from None
        except OSError as error:
            raise OutputError(
                f"cannot be written ({error.strerror})",
                where=str(target),
                do="free some space, or write to a folder of your own on a local disk",
            ) from None


def _exists(target: Path) -> OutputError:
    return OutputError(
        "exists already, and a file with keys is not replaced", where=str(target), do="choose another name"
    )


def read_private(path: Path, what: str, *, exposed: str = "make a new key if others could read it") -> bytes:
    """Return the bytes of a file with keys, if nobody but its owner can read or change it.

    `what` names the content in messages, `exposed` says what to do if others could read it. Raises `InputError` if the
    file is missing, is not a regular file, cannot be read or is open to the group or to others.
    """
    try:
        if path.is_dir():  # Windows does not open folders
            raise _unusable(path, "is a folder", f"name the file of {what}")
        # A pipe would wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(file.fileno())  # of the file that is read, whatever its name points to now
            if not stat.S_ISREG(status.st_mode):
                raise _unusable(path, "is not a regular file", f"name the file of {what}")
            if _HAS_PERMISSIONS and status.st_mode & _OTHERS:
                problem = f"{what} is open to other users (mode {status.st_mode & 0o777:04o})"
                raise _unusable(path, problem, f"chmod 600 {path}; {exposed}")
            return file.read()
    except FileNotFoundError:
        raise _unusable(path, "does not exist", f"name the file of {what}") from None
    except OSError as error:
        raise _unusable(path, f"cannot be read ({error.strerror})", "check the file and its permissions") from None


def _unusable(path: Path, problem: str, do: str) -> InputError:
    return InputError(problem, where=str(path), do=do)
