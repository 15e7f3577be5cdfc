"""No value of this room, no message and no pickle shows a key, a person or the content of a cell."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.concealment.keys.conftest import key_of

from tacita.concealment.keys import (
    CellsToSeal,
    DerivedKeys,
    ExportedKey,
    KeyStore,
    MasterKey,
    Tokens,
    decode_cells,
    encode_cells,
    export_key,
    open_tokens,
    read_exported_key,
    read_master_key,
    seal,
)
from tacita.concealment.keys.cell_encoding import CellColumn
from tacita.concealment.keys.person_keys import PersonGroups, as_texts
from tacita.errors import TacitaError

PERSON, VALUE, SPELLING = "person-4711", 987654321, "spelled-0815"


def secrets_of(store: KeyStore) -> list[str]:
    """Return everything that must not be seen, in the ways in which it could be."""
    keys = [key for key in store.keys_of(store.persons) if key is not None]
    keys += [key_of("master"), key_of("other master")]
    shown = [form for key in keys for form in (key.hex()[:16], repr(key)[2:20], str(list(key[:6]))[1:-1])]
    return [*shown, PERSON, str(VALUE), SPELLING]


@pytest.fixture
def own(master: MasterKey) -> KeyStore:
    return KeyStore.create([PERSON, "person-4712"], master, "survey")


def values_of(store: KeyStore, master: MasterKey) -> list[Any]:
    cells = CellsToSeal("age", [PERSON], ["r1"], [VALUE], [SPELLING])
    tokens = seal(cells, store)
    return [
        master,
        store,
        DerivedKeys(master, "survey"),
        export_key(store, PERSON, ["r1"]),
        PersonGroups.of(as_texts([PERSON], "person"), store),
        cells,
        tokens,
        open_tokens(tokens, [PERSON], store),
        CellColumn.of([VALUE], [SPELLING]),
        decode_cells(encode_cells([VALUE], [SPELLING])),
    ]


def test_no_value_shows_what_it_holds(own: KeyStore, master: MasterKey) -> None:
    for value in values_of(own, master):
        for shown in (repr(value), str(value), f"{value}", f"{[value]}", f"{value!a}"):
            assert not [secret for secret in secrets_of(own) if secret in shown], type(value)


def test_no_value_with_keys_is_pickled_or_copied(own: KeyStore, master: MasterKey) -> None:
    holders = (MasterKey, KeyStore, DerivedKeys, ExportedKey, PersonGroups)
    checked = [value for value in values_of(own, master) if isinstance(value, holders)]
    assert len(checked) == len(holders)
    for value in checked:
        for leak in (pickle.dumps, copy.copy, copy.deepcopy, lambda one: pickle.dumps([one])):
            with pytest.raises(TypeError, match="neither pickled nor copied"):
                leak(value)
        for field in dataclasses.fields(value):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(value, field.name, None)


def _damaged(store: KeyStore, master: MasterKey, folder: Path) -> None:
    table = store.as_table()
    persons = table.column(0).take([1, 0])
    KeyStore.from_table(table.set_column(0, table.schema.field(0), persons), master, "survey")


def _file(folder: Path, content: bytes, mode: int = 0o600) -> Path:
    path = folder / "file"
    path.write_bytes(content)
    path.chmod(mode)
    return path


def _changed_export(store: KeyStore, folder: Path) -> Path:
    export_key(store, PERSON, ["r1"]).write(folder / "own.json")
    text = (folder / "own.json").read_bytes()
    return _file(folder, text[:-5])


REFUSALS: list[Callable[[KeyStore, MasterKey, Path], object]] = [
    _damaged,
    lambda store, master, folder: MasterKey(key_of("master")[:63]),
    lambda store, master, folder: MasterKey(key_of("master")[:48] + key_of("master")[:16]),
    lambda store, master, folder: read_master_key(_file(folder, key_of("master"), 0o644)),
    lambda store, master, folder: read_master_key(_file(folder, key_of("master") + b"\n")),
    lambda store, master, folder: read_master_key(_file(folder, key_of("master").hex().encode())),
    lambda store, master, folder: read_exported_key(_changed_export(store, folder), "survey"),
    lambda store, master, folder: KeyStore.from_table(store.as_table(), master, "census"),
    lambda store, master, folder: KeyStore.from_table(store.as_table().slice(1), master, "survey"),
    lambda store, master, folder: KeyStore.from_table(store.as_table(), MasterKey(key_of("other master")), "survey"),
    lambda store, master, folder: store.without_persons([PERSON, "person-9999"]),
    lambda store, master, folder: store.with_master(master),
    lambda store, master, folder: store.with_persons([PERSON, 3]),
    lambda store, master, folder: export_key(store, "person-9999", [1]),
    lambda store, master, folder: export_key(store, PERSON, ["r1", "r1"]),
    lambda store, master, folder: seal(CellsToSeal("age", ["person-9999"], [1], [VALUE]), store),
    lambda store, master, folder: seal(CellsToSeal("age", [PERSON], [1], [VALUE], [SPELLING * 9]), store, width=16),
    lambda store, master, folder: CellsToSeal("age", [PERSON], [1], [VALUE, SPELLING]),
    lambda store, master, folder: CellsToSeal("age", [PERSON, PERSON], [1, 1], [VALUE, VALUE]),
    lambda store, master, folder: open_tokens(
        seal(CellsToSeal("age", [PERSON], ["r1"], [VALUE]), store), ["person-4712"], store
    ).require_undamaged(),
    lambda store, master, folder: open_tokens(Tokens("age", ["r1"], [b"x"]), [None], store),
    lambda store, master, folder: decode_cells([encode_cells([SPELLING])[0] + b"x"]),
]


@pytest.mark.parametrize("refused", REFUSALS, ids=range(len(REFUSALS)))
def test_no_refusal_shows_keys_persons_or_values(
    refused: Callable[[KeyStore, MasterKey, Path], object], own: KeyStore, master: MasterKey, tmp_path: Path
) -> None:
    with pytest.raises(TacitaError) as caught:
        refused(own, master, tmp_path)
    error = caught.value
    # Everything that a user or a log could see, and errors that it was made of.
    lines = [line for line in traceback.format_exception(error) if not line.lstrip().startswith("File ")]
    shown = "".join([*lines, str(error), repr(error), repr(error.args), str(error.do), repr(error.__context__)])
    forbidden = [*secrets_of(own), "person-9999", "person-4712", SPELLING]
    assert not [secret for secret in forbidden if secret in shown.replace(str(tmp_path), "")]
    assert error.__context__ is None


def test_nothing_of_a_key_is_in_the_files_that_are_not_its_own(
    own: KeyStore, master: MasterKey, tmp_path: Path
) -> None:
    own.write(tmp_path / "keys.parquet")
    content = (tmp_path / "keys.parquet").read_bytes()
    keys = [key for key in own.keys_of(own.persons) if key is not None]
    for key in [*keys, key_of("master"), master.derive("survey", b"wrapping key 1")]:
        assert key[:8] not in content
        assert key.hex()[:16].encode() not in content
