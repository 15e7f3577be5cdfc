"""The rule programs that ship with Tacita, by name: where ``@use`` looks after the program's own folder."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

ENDING = ".vada"


def names() -> tuple[str, ...]:
    """Return the names of all shipped programs, in order."""
    folder = _folder()
    if not folder.is_dir():
        return ()
    return tuple(sorted(f.name.removesuffix(ENDING) for f in folder.iterdir() if f.name.endswith(ENDING)))


def find(name: str) -> tuple[str, str] | None:
    """Return the text of a shipped program and the name of its source, or None if there is none of that name.

    >>> find("no such program") is None
    True
    """
    if name not in names():
        return None
    return (_folder() / f"{name}{ENDING}").read_text(encoding="utf-8"), f"{name}{ENDING}"


def path(name: str) -> Path | None:
    """Return where a shipped program lies, if it lies in a file of its own."""
    place = Path(str(_folder() / f"{name}{ENDING}"))
    return place if place.is_file() else None


def meaning(text: str) -> str:
    """Return the first sentence of the comment that a program begins with, for lists.

    >>> meaning("% Who controls whom.\\n% More about it.\\nA(X) -> B(X).")
    'Who controls whom.'
    """
    said: list[str] = []
    for line in text.splitlines():
        if not line.startswith("%"):
            if said or line.strip():
                break
            continue
        words = line.lstrip("%").strip()
        if not words and said:
            break
        said += [words] if words else []
        if words.endswith("."):
            break
    return " ".join(said)


def _folder() -> Traversable:
    return resources.files(__package__).joinpath("programs")
