"""Where programs come from: a file, a text, or what ships with Tacita, by name; and where they find their modules.

``@use`` looks in the folder of the program first, and among the shipped programs after that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from tacita.errors import InputError, UsageError, did_you_mean

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


_NAME = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class ProgramText:
    """A program before it is parsed: its text, what messages call it, and the folder that its paths start from."""

    text: str
    source: str = "program"
    folder: Path = Path()

    @classmethod
    def of(cls, program: str | Path) -> ProgramText:
        """Return the program that is meant: the file of that path, the shipped one of that name, or the text itself.

        >>> ProgramText.of("A(X) -> B(X).").source
        'program'
        """
        if isinstance(program, Path):
            return read(program)
        if "\n" not in program and len(program) < 1000:
            if program.endswith(ENDING) or _is_file(program):
                return read(Path(program))
            if _NAME.fullmatch(program):
                return _shipped(program)
        return cls(program)

    def find(self, name: str) -> tuple[str, str] | None:
        """Return the text of a module and the name of its source: beside the program first, then the shipped one."""
        if _NAME.fullmatch(name):
            beside = self.folder / f"{name}{ENDING}"
            if beside.is_file():
                return read(beside).text, str(beside)
        return find(name)

    def modules(self) -> tuple[str, ...]:
        """Return the names of all modules that the program can use."""
        try:
            beside = [file.stem for file in self.folder.glob(f"*{ENDING}")]
        except OSError:
            beside = []
        return tuple(dict.fromkeys((*sorted(beside), *names())))


def read(path: Path) -> ProgramText:
    """Return the program in a file."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        near = sorted(p.name for p in path.parent.iterdir()) if path.parent.is_dir() else []
        raise InputError(
            f"there is no such file{did_you_mean(path.name, [n for n in near if n.endswith(ENDING)])}",
            where=str(path),
            do="check the path; 'tacita rules list' shows the programs that ship with Tacita",
        ) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InputError(f"line {line} is not UTF-8 text", where=str(path), do="save the program as UTF-8") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(path)[:200], do="check the path") from None
    return ProgramText(text, str(path), path.parent)


def _shipped(name: str) -> ProgramText:
    program = find(name)
    if program is None:
        known = names()
        raise UsageError(
            f"no program '{name}' ships with Tacita{did_you_mean(name, known)}",
            do=f"give a file ({name}{ENDING}), the text of a program, or one of: {', '.join(known) or 'none so far'}",
        )
    return ProgramText(*program)


def _is_file(program: str) -> bool:
    try:
        return Path(program).is_file()
    except (OSError, ValueError):
        return False
