"""What keeps the tree readable: names, sizes, depth, and nothing written twice."""

from __future__ import annotations

import ast
import importlib.util
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

SOURCE = Path(__file__).resolve().parent.parent / "src" / "tacita"
FILES = {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}

EMPTY_NAMES = {"found", "told", "held", "made", "asked", "each"}
LONGEST = 400
DEEPEST = 2
"""Folders below a room."""
SHARED = 12
"""Lines that may not stand in two places."""
MOST = 7
"""Arguments of a function of the rooms `api` and `cycle`: more of them are a value of a class."""
WIDE = {("api/reading.py", "read")}
"""The function that most people call first: its arguments are those of many readers of files."""


@cache
def _trees() -> dict[str, ast.Module]:
    """Return the syntax tree of each file: seconds of work that a process does not do unless it runs these tests."""
    return {name: ast.parse(text) for name, text in FILES.items()}


def test_public_class_names_are_unique() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for name, tree in _trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name)
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}


def test_values_are_named_for_what_they_are() -> None:
    # The first argument of an error says what was found; so does the field of the error in JSON.
    empty = [
        f"{name}:{line} {word}" for name, tree in _trees().items() if name != "errors.py" for line, word in _empty(tree)
    ]
    assert empty == []


def _empty(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in EMPTY_NAMES:
            yield node.lineno, node.id
        elif isinstance(node, ast.arg) and node.arg in EMPTY_NAMES:
            yield node.lineno, node.arg
        elif isinstance(node, ast.FunctionDef) and node.name.lstrip("_") in EMPTY_NAMES:
            yield node.lineno, node.name


def test_functions_take_few_arguments() -> None:
    wide = {
        (name, node.name)
        for name, tree in _trees().items()
        if name.startswith(("api/", "cycle/"))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and len(_arguments(node)) > MOST
    }
    assert wide == WIDE


def _arguments(function: ast.FunctionDef) -> list[str]:
    given = function.args
    names = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return [name for name in names if name not in {"self", "cls"}]


def test_a_file_is_a_chapter() -> None:
    assert {name: lines for name, text in FILES.items() if (lines := text.count("\n")) > LONGEST} == {}


def test_folders_are_shallow_and_say_what_belongs_there() -> None:
    assert [name for name in FILES if name.count("/") > DEEPEST + 1] == []
    rooms = {str(Path(name).parent) for name in FILES if "/" in name}
    assert [
        room for room in sorted(rooms) if not ast.get_docstring(_trees().get(f"{room}/__init__.py", ast.Module([], [])))
    ] == []


def test_no_two_places_share_twelve_lines() -> None:
    places: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, text in FILES.items():
        lines = list(_lines_of_code(text))
        for start in range(len(lines) - SHARED + 1):
            run = lines[start : start + SHARED]
            places[tuple(line for _, line in run)].append(f"{name}:{run[0][0]}")
    assert [homes for homes in places.values() if len(homes) > 1] == []


def _lines_of_code(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines that say something, with their numbers: no imports, comments, lone brackets."""
    is_import = False
    for number, line in enumerate(text.splitlines(), 1):
        said = " ".join(line.split())
        if is_import or re.match(r"(from|import) ", said):
            is_import = (is_import or said.endswith("(")) and ")" not in said
        elif re.search(r"\w", said) and not said.startswith("#"):
            yield number, said


def test_benchmarks_and_scripts_import_what_exists() -> None:
    """Benchmarks run code in processes of their own: what that code imports is text to every other check."""
    root = SOURCE.parent.parent
    missing = []
    for path in (*root.glob("benchmarks/*.py"), *root.glob("experiments/*.py"), *root.glob("scripts/*.py")):
        for line in re.finditer(r"from (tacita[\w.]*) import ([\w, ]+)", path.read_text(encoding="utf-8")):
            module = importlib.import_module(line[1])
            names = [name.split(" as ")[0].strip() for name in line[2].split(",")]
            missing += [f"{path.name}: {line[1]}.{name}" for name in names if name and not _has(module, name)]
    assert missing == []


def _has(module: ModuleType, name: str) -> bool:
    return hasattr(module, name) or importlib.util.find_spec(f"{module.__name__}.{name}") is not None
