"""Recipes, plans, specifications of tables and dictionaries are read alike and fail alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tacita.cycle.plan import Plan
from tacita.errors import InputError
from tacita.model.dictionary_file import load
from tacita.recipes.recipe_file import read_recipe
from tacita.tables.specification.reading import read_specification


@dataclass(frozen=True)
class Kind:
    """A kind of file: how it is read, a file that is right, and a key of it that can be misspelt."""

    read: Callable[[Path], Any]
    text: str
    key: str
    wrong: str
    """The same key with a value of a wrong type."""


KINDS = {
    "recipe": Kind(
        read_recipe, 'title = "a"\n[[step]]\nmethod = "mdav"\nattributes = ["x"]\nk = 3\n', "title", "title = 1"
    ),
    "plan": Kind(Plan.read, 'keep = ["x"]\n[importance]\nx = 2.0\n', "keep", "keep = 1"),
    "specification": Kind(
        read_specification,
        'title = "a"\n[data]\nmicrodata = "sqlite:///a.db"\n[[table]]\ndimensions = ["s"]\nresponse = "t"\n'
        "[sensitivity]\np_percent = { p = 10 }\n",
        "title",
        "title = 1",
    ),
    "dictionary": Kind(load, 'format = 1\n[attributes.a]\nkind = "text"\n', "format", 'format = "1"'),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "file.toml"


def message(kind: Kind, path: Path) -> str:
    with pytest.raises(InputError) as refused:
        kind.read(path)
    assert refused.value.exit_code == 3
    assert str(path) in str(refused.value)
    assert refused.value.do
    return str(refused.value)


def test_marks_and_line_ends_of_windows_do_not_matter(kind: Kind, path: Path) -> None:
    path.write_text(kind.text, encoding="utf-8")
    plain = kind.read(path)
    path.write_bytes(b"\xef\xbb\xbf" + kind.text.replace("\n", "\r\n").encode())
    assert kind.read(path) == plain


def test_all_faults_come_at_once_with_lines_and_the_nearest_key(kind: Kind, path: Path) -> None:
    misspelt = kind.key[:-1] + "xx"
    path.write_text(f"{kind.wrong}\n{misspelt} = 1\n" + re.sub(rf"^{kind.key} = .*\n", "", kind.text), encoding="utf-8")
    said = message(kind, path)
    assert re.search(r"2 faults:\n  - line 1: .*\n  - line 2: unknown key", said)
    assert f"unknown key '{misspelt}'; did you mean '{kind.key}'?" in said


def test_what_stands_there_twice_is_named_with_both_lines(kind: Kind, path: Path) -> None:
    path.write_text(kind.text.replace("\n", f"\n{kind.text.splitlines()[0]}\n", 1), encoding="utf-8")
    assert f"line 2: '{kind.key}' stands there twice, first on line 1" in message(kind, path)


@pytest.mark.parametrize(
    ("text", "where"),
    [("a = [1,\n", "line 1, column 1"), ("a = 1\nb = x\n", "line 2, column 5"), ('a = "x\n', "line 1, column 7")],
)
def test_what_is_no_toml_is_shown_with_its_line_and_column(kind: Kind, path: Path, text: str, where: str) -> None:
    path.write_text(text, encoding="utf-8")
    said = message(kind, path)
    assert f"{where}: this is not TOML" in said
    assert "^" in said


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'title = "citt\xe0"\n', "line 1 is not UTF-8 text"),
        (b"a = 1\0", "this is not a text file"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
    ],
)
def test_hostile_bytes_are_refused_in_a_sentence(kind: Kind, path: Path, data: bytes, words: str) -> None:
    path.write_bytes(data)
    assert words in message(kind, path)


def test_a_missing_file_and_a_folder_are_refused(kind: Kind, path: Path) -> None:
    assert "there is no such file" in message(kind, path)
    path.mkdir()
    assert "this is a folder" in message(kind, path)
