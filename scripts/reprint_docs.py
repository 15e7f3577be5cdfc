"""Write the outputs that pages show anew, after a change of what commands or examples print.

``python scripts/reprint_docs.py`` goes through all pages; names of files (``README.md docs/how-to/release.md
src/tacita/release/front.py``) restrict it. Console blocks of pages and examples (``>>>``) of pages and modules are run,
and what they print replaces what stands there. Outputs with three points stay; those that no longer hold are listed.
Look at the difference before committing it: an error message is an output, too.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "docs"))

import test_tutorial as tutorial  # noqa: E402

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def console_reprinted(text: str, name: str, folder: Path) -> str:
    """Return the text of a page with the outputs of its console blocks written anew."""
    session = tutorial.Session(folder)

    def block(fence: tutorial.re.Match[str]) -> str:
        if title := tutorial._TITLE.search(fence["rest"]):
            session.write(title[1], fence["body"])
        if fence["language"] != "console":
            return fence[0]
        lines = []
        for command in tutorial.commands(fence["body"]):
            printed = session.run(command.text)
            abridged = any(line.strip() == "..." for line in command.shown)
            if abridged and not tutorial.alike(command.shown, printed):
                sys.stderr.write(f"{name}: look at the output of: {command.text}\n")
            lines += [f"$ {command.text}", *(command.shown if abridged else printed)]
        return "\n".join([f"```console{fence['rest']}", *lines, "```"])

    return tutorial._FENCE.sub(block, text)


class Collecting(doctest.DocTestRunner):
    """Runs examples and keeps what those printed that print something else than is shown."""

    def __init__(self) -> None:
        super().__init__(verbose=False, optionflags=FLAGS)
        self.printed: list[tuple[int, doctest.Example, str]] = []

    def report_failure(self, out: object, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        """Keep an output that changed."""
        self.printed.append(((test.lineno or 0) + example.lineno, example, got))

    def report_unexpected_exception(
        self, out: object, test: doctest.DocTest, example: doctest.Example, exc_info: object
    ) -> None:
        """Say where an example fails: that is for a person to mend."""
        sys.stderr.write(f"{test.name}, line {(test.lineno or 0) + example.lineno + 1}: {exc_info[1]!r}\n")  # type: ignore[index]


def examples_reprinted(text: str, tests: list[doctest.DocTest], name: str) -> str:
    """Return a text with the outputs of its examples written anew."""
    runner = Collecting()
    for test in tests:
        runner.run(test, out=lambda _: None)
    lines = text.splitlines(keepends=True)
    for at, example, got in sorted(runner.printed, key=lambda found: -found[0]):
        if "..." in example.want:
            sys.stderr.write(f"{name}, line {at + 1}: look at the output of: {example.source}")
            continue
        first = at + example.source.count("\n")
        indent = " " * example.indent
        shown = [f"{indent}{line}\n" if line else "\n" for line in got.splitlines()]
        lines[first : first + example.want.count("\n")] = shown
    return "".join(lines)


def page_reprinted(path: Path) -> str:
    """Return a page with all outputs written anew."""
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text(encoding="utf-8")
    if "```console" in text:
        with tempfile.TemporaryDirectory() as folder:
            text = console_reprinted(text, name, Path(folder))
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, name, str(path), 0)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        return examples_reprinted(text, [test], name)


def module_reprinted(path: Path) -> str:
    """Return the source of a module with the outputs of its examples written anew."""
    parts = path.relative_to(ROOT / "src").with_suffix("").parts
    module: ModuleType = importlib.import_module(".".join(parts).removesuffix(".__init__"))
    tests = [test for test in doctest.DocTestFinder().find(module) if test.examples]
    return examples_reprinted(path.read_text(encoding="utf-8"), tests, path.name)


def main() -> None:
    """Reprint the named files, or all pages."""
    paths = [Path(name).resolve() for name in sys.argv[1:]] or [
        ROOT / "README.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    ]
    for path in paths:
        with tempfile.TemporaryDirectory() as home:
            os.environ |= {"TACITA_STATE": f"{home}/state", "TACITA_EXPERIENCE": f"{home}/experience.toml"}
            before = path.read_text(encoding="utf-8")
            after = module_reprinted(path) if path.suffix == ".py" else page_reprinted(path)
            if after != before:
                path.write_text(after, encoding="utf-8")
                sys.stderr.write(f"{path.relative_to(ROOT)}: written anew\n")


if __name__ == "__main__":
    main()
