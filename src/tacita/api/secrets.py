"""A secret that stands in a file of its own: a door reads it from there, never from its command line."""

from __future__ import annotations

from pathlib import Path

from tacita.errors import InputError
from tacita.files.private_file import read_private


def secret_of_file(path: Path, what: str, *, exposed: str) -> str:
    """Return the one line of a file that only its owner can read; `what` and `exposed` are for messages.

    Raises `InputError` if others can read the file (`exposed` says what to do then), or it has no line, or several.
    """
    secret = read_private(path, what, exposed=exposed).strip()
    if not secret.isascii() or not secret.decode("ascii").isprintable() or not secret:
        raise InputError(f"is not {what}", where=str(path), do="write it alone into the file, in one line")
    return secret.decode("ascii")
