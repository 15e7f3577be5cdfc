"""Where programs come from: a file, a text, or what ships with Tacita; and where they find their modules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tacita.errors import InputError, UsageError, did_you_mean
from tacita.knowledge import programs as shipped

ENDING = shipped.ENDING
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
        return shipped.find(name)

    def modules(self) -> tuple[str, ...]:
        """Return the names of all modules that the program can use."""
        try:
            beside = [file.stem for file in self.folder.glob(f"*{ENDING}")]
        except OSError:
            beside = []
        return tuple(dict.fromkeys((*sorted(beside), *shipped.names())))


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
    found = shipped.find(name)
    if found is None:
        known = shipped.names()
        raise UsageError(
            f"no program '{name}' ships with Tacita{did_you_mean(name, known)}",
            do=f"give a file ({name}{ENDING}), the text of a program, or one of: {', '.join(known) or 'none so far'}",
        )
    return ProgramText(found[0], found[1])


def _is_file(program: str) -> bool:
    try:
        return Path(program).is_file()
    except (OSError, ValueError):
        return False
