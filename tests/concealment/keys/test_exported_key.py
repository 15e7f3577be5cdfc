"""The key of one person in a file: it opens their cells and no others, and is read as strictly as the master key."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tacita.concealment.keys import (
    CellState,
    CellsToSeal,
    DerivedKeys,
    ExportedKey,
    KeyStore,
    MasterKey,
    export_key,
    open_tokens,
    read_exported_key,
    seal,
)
from tacita.errors import InputError, OutputError, UsageError

Facts = dict[str, Any]


@pytest.fixture
def path(tmp_path: Path, store: KeyStore) -> Path:
    export_key(store, "bob", ["r2", "r4"]).write(tmp_path / "bob.json")
    return tmp_path / "bob.json"


def test_the_key_opens_the_cells_of_its_person(tmp_path: Path, store: KeyStore, master: MasterKey) -> None:
    persons = ["ann", "bob", "ann", "bob"]
    for keys in (store, DerivedKeys(master, "survey")):
        tokens = seal(CellsToSeal("age", persons, ["r1", "r2", "r3", "r4"], [31, 40, None, 7]), keys)
        target = tmp_path / f"{type(keys).__name__}.json"
        export_key(keys, "bob", ["r2", "r4"]).write(target)
        assert target.stat().st_mode & 0o777 == 0o600
        own = read_exported_key(target, "survey")
        assert (own.person, own.row_ids, own.data_set) == ("bob", ("r2", "r4"), "survey")
        opened = open_tokens(tokens, persons, own)
        assert opened.values.to_pylist() == [None, 40, None, 7]
        assert opened.rows(CellState.ERASED) == ("r1", "r3")


def test_the_file_says_what_it_is(path: Path, store: KeyStore) -> None:
    facts = json.loads(path.read_text())
    (key,) = store.keys_of(["bob"])
    assert facts == {
        "name": "tacita person key",
        "format": 1,
        "data_set": "survey",
        "person": "bob",
        "row_ids": ["r2", "r4"],
        "key": base64.b64encode(key or b"").decode(),
        "key_check": store.as_table().column("key_check")[1].as_py().hex(),
    }


def test_a_key_is_not_written_over_another_file(path: Path, store: KeyStore) -> None:
    before = path.read_bytes()
    with pytest.raises(OutputError, match="exists already"):
        export_key(store, "ann", [1]).write(path)
    assert path.read_bytes() == before


def test_whoever_has_no_key_gets_none(store: KeyStore) -> None:
    with pytest.raises(UsageError, match="this person has no key here") as caught:
        export_key(store, "dan", [1])
    assert "dan" not in str(caught.value)


@pytest.mark.parametrize("row_ids", [[], pa.array([], pa.string()), ["r1", "r1"]])
def test_a_key_is_for_rows(store: KeyStore, row_ids: Any) -> None:
    with pytest.raises(UsageError, match="the key of a person"):
        export_key(store, "bob", row_ids)


def test_a_value_is_checked_where_it_is_made() -> None:
    with pytest.raises(UsageError, match="has no person; it has no row id, or an empty one; it is text") as caught:
        ExportedKey("survey", "", ("",), b"abc")
    assert "abc" not in str(caught.value)


def test_a_key_for_another_data_set_is_refused(path: Path) -> None:
    with pytest.raises(InputError, match="is a key for another data set"):
        read_exported_key(path, "census")


def test_a_key_of_a_newer_version_is_refused(path: Path) -> None:
    path.write_text(json.dumps({"name": "tacita person key", "format": 2, "secrets": []}))
    with pytest.raises(InputError, match="made by a newer Tacita"):
        read_exported_key(path, "survey")


def test_a_key_that_is_open_to_others_is_refused(path: Path) -> None:
    path.chmod(0o644)
    with pytest.raises(InputError, match="open to other users") as caught:
        read_exported_key(path, "survey")
    assert "chmod 600" in str(caught.value.do)
    with pytest.raises(InputError, match="does not exist"):
        read_exported_key(path.with_name("nothing"), "survey")
    with pytest.raises(InputError, match="is a folder"):
        read_exported_key(path.parent, "survey")


def _without(name: str) -> Callable[[Facts], Facts]:
    return lambda facts: {key: value for key, value in facts.items() if key != name}


def _with(**changes: Any) -> Callable[[Facts], Facts]:
    return lambda facts: facts | changes


def _other_spelling(facts: Facts) -> Facts:
    return facts | {"key": facts["key"][:85] + chr(ord(facts["key"][85]) + 1) + "=="}


def _other_key(facts: Facts) -> Facts:
    key = bytearray(base64.b64decode(facts["key"]))
    key[5] ^= 1
    return facts | {"key": base64.b64encode(key).decode()}


@pytest.mark.parametrize(
    "change",
    [
        *[_without(name) for name in ("name", "format", "data_set", "person", "row_ids", "key", "key_check")],
        _with(more=1),
        _with(name="another key"),
        _with(format=0),
        _with(format=True),
        _with(format="1"),
        _with(data_set=""),
        _with(data_set=7),
        _with(person=""),
        _with(person="\ud800"),
        _with(row_ids=[]),
        _with(row_ids=["r2", "r2"]),
        _with(row_ids=["r2", ""]),
        _with(row_ids=["r2", 4]),
        _with(row_ids="r2"),
        _with(key="AAAA"),
        _with(key="A" * 87 + "="),
        _with(key="é"),
        _with(key_check="00" * 8),
        _with(key_check="xy"),
        _with(key_check=""),
        _other_key,
        _other_spelling,
        lambda facts: facts | {"key": facts["key"][:9] + "!" + facts["key"][9:]},
        lambda facts: facts | {"key_check": facts["key_check"] + " "},
        lambda facts: facts | {"key_check": "é" + facts["key_check"][1:]},
        list,
        lambda facts: facts["key"],
    ],
)
def test_what_was_changed_is_refused_and_not_shown(path: Path, change: Callable[[Facts], Any]) -> None:
    facts = json.loads(path.read_text())
    path.write_text(json.dumps(change(facts)))
    _require_refused(path, facts["key"])


def test_what_is_no_json_is_refused_and_not_shown(path: Path) -> None:
    text = path.read_text()
    key = json.loads(text)["key"]
    twice = text.replace('"key":', '"key": "",\n "key":')
    for content in (text[:-3], "", "[" * 100_000, text + "x", twice, "\ufeff" + text):
        path.write_text(content)
        _require_refused(path, key)
    path.write_bytes(text.encode() + b"\xff")
    _require_refused(path, key)


def _require_refused(path: Path, key: str) -> None:
    with pytest.raises(InputError, match="is not the whole key of a person") as caught:
        read_exported_key(path, "survey")
    assert caught.value.where == str(path)
    assert caught.value.__context__ is None
    assert key not in str(caught.value)
    assert "bob" not in caught.value.found
