"""Every console transcript in the documentation is run again, and must print what the page shows.

A page is one session in one empty folder. A fenced block with a title is a file: it is written under that name. A
block of the language ``console`` holds commands (``$ ...``, run by bash) and what they print, errors included; a line
of three points stands for any number of lines. Read from the top, the page must work. The commands are forked from a
process that has made their imports; that the installed command does the same is seen in `tests/cli`.

`scripts/reprint_docs.py` writes the outputs of pages anew, after a change of what commands print.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SESSIONS = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if "```console" in page.read_text(encoding="utf-8")
]
QUICK = {"README.md"}
INSTALLED = Path(sys.executable).parent
_FENCE = re.compile(r"^```(?P<language>\w+)(?P<rest>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Command:
    text: str
    shown: tuple[str, ...]


def commands(body: str) -> Iterator[Command]:
    """Yield the commands of a block with the lines shown below each; a backslash continues a command."""
    lines = iter(body.splitlines())
    text: str | None = None
    shown: list[str] = []
    for line in lines:
        if line.startswith("$ "):
            if text is not None:
                yield Command(text, tuple(shown))
            text, shown = line[2:], []
            while text.endswith("\\"):
                text += "\n" + next(lines)
        elif text is None:
            raise ValueError(f"a console block begins with a line that is no command: {line!r}")
        else:
            shown.append(line)
    if text is not None:
        yield Command(text, tuple(shown))


class Session:
    """A shell of a user: one folder, the command on the path, the exit code of the last command."""

    def __init__(self, folder: Path, *path: Path) -> None:
        self.folder = folder
        self.path = os.pathsep.join(map(str, (*path, INSTALLED, os.environ["PATH"])))
        self.code = 0

    def write(self, name: str, text: str) -> None:
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def run(self, command: str) -> list[str]:
        done = subprocess.run(
            ["bash", "-c", f"(exit {self.code}); {command}"],
            cwd=self.folder,
            env={**os.environ, "PATH": self.path, "LC_ALL": "C.UTF-8"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=1800,
            check=False,
        )
        self.code = done.returncode
        return [line.rstrip() for line in done.stdout.splitlines()]


def alike(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Return whether the printed lines are those shown; a shown line of three points stands for any lines."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line.rstrip()) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def _marked(page: Path) -> object:
    name = page.relative_to(ROOT).as_posix()
    return pytest.param(page, id=name, marks=pytest.mark.slow)


@pytest.mark.parametrize("page", [_marked(page) for page in SESSIONS])
def test_a_page_shows_what_its_commands_print(page: Path, tmp_path: Path, warm_path: Path) -> None:
    session = Session(tmp_path, warm_path)
    stale = []
    for fence in _FENCE.finditer(page.read_text(encoding="utf-8")):
        if title := _TITLE.search(fence["rest"]):
            session.write(title[1], fence["body"])
        if fence["language"] != "console":
            continue
        for command in commands(fence["body"]):
            printed = session.run(command.text)
            if not alike(command.shown, printed):
                stale.append("\n".join([f"$ {command.text}", "-- printed:", *printed, "-- shown:", *command.shown]))
    assert not stale, "\n\n".join(stale)


def test_the_tutorial_and_the_readme_are_among_the_pages() -> None:
    names = {page.relative_to(ROOT).as_posix() for page in SESSIONS}
    assert names >= QUICK


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (("a", "...", "z"), ["a", "b", "c", "z"], True),
        (("a", "...", "z"), ["a", "z"], True),
        (("a", "..."), ["b"], False),
        (("a",), ["a", "b"], False),
        (("a.b",), ["axb"], False),
    ],
)
def test_three_points_stand_for_any_lines(shown: tuple[str, ...], printed: list[str], same: bool) -> None:
    assert alike(shown, printed) is same


def test_a_command_may_go_over_several_lines() -> None:
    found = list(commands("$ tacita describe a.csv \\\n    --json\n{\n$ echo $?\n0\n"))
    assert found == [Command("tacita describe a.csv \\\n    --json", ("{",)), Command("echo $?", ("0",))]
