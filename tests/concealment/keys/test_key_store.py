"""The key store: round trips, what is refused when it is opened, erasure, rotation; and keys that are derived."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from hypothesis import given
from hypothesis import strategies as st

from tacita.concealment.keys import CellsToSeal, DerivedKeys, KeyStore, MasterKey, make_data_set_id, open_tokens, seal
from tacita.concealment.keys.ciphers import key_check
from tacita.errors import InputError, OutputError, TacitaError, UsageError

PERSONS = ["ann", "bob", "cyd"]
MASTER = MasterKey(hashlib.sha512(b"master").digest())


def facts_of(table: pa.Table) -> dict[str, object]:
    return dict(json.loads(table.schema.metadata[b"tacita_key_store"]))


def with_facts(table: pa.Table, **changes: object) -> pa.Table:
    facts = facts_of(table) | changes
    return table.replace_schema_metadata({b"tacita_key_store": json.dumps(facts)})


def with_column(table: pa.Table, name: str, change: Callable[[list[bytes]], list[bytes]]) -> pa.Table:
    at = table.schema.get_field_index(name)
    field = table.schema.field(at)
    return table.set_column(at, field, pa.array(change(table.column(at).to_pylist()), field.type))


def flipped(cell: bytes, at: int = 0) -> bytes:
    return cell[:at] + bytes([cell[at] ^ 1]) + cell[at + 1 :]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), max_size=20))
def test_every_person_has_one_key_and_gets_it_back(persons: list[str]) -> None:
    store = KeyStore.create(persons, MASTER, "survey")
    assert set(store.persons) == set(persons)
    keys = store.keys_of(store.persons)
    assert all(key is not None and len(key) == 64 for key in keys)
    assert len(set(keys)) == len(keys)
    again = KeyStore.from_table(store.as_table(), MASTER, "survey")
    assert again.persons == store.persons
    assert again.keys_of(store.persons) == keys


def test_a_store_is_written_and_read_again(tmp_path: Path, store: KeyStore, master: MasterKey) -> None:
    store.write(tmp_path / "keys.parquet")
    assert (tmp_path / "keys.parquet").stat().st_mode & 0o777 == 0o600
    again = KeyStore.read(tmp_path / "keys.parquet", master, "survey")
    assert again.persons == ("ann", "bob", "cyd")
    assert again.keys_of(PERSONS) == store.keys_of(PERSONS)
    assert again.master_check == master.check
    again.write(tmp_path / "again.parquet")
    assert (tmp_path / "again.parquet").read_bytes() == (tmp_path / "keys.parquet").read_bytes()


def test_what_is_written_is_what_the_format_says(store: KeyStore, master: MasterKey) -> None:
    table = store.as_table()
    assert table.column_names == ["person", "wrapped_key", "key_check"]
    assert facts_of(table) | {"entries_code": ""} == {
        "format": 1,
        "data_set": "survey",
        "master_key_check": master.check.hex(),
        "entries_code": "",
    }
    cipher = AESSIV(master.derive("survey", b"wrapping key 1"))
    for row in table.to_pylist():
        items = [b"tacita key store 1", b"survey", row["person"].encode()]
        key = cipher.decrypt(row["wrapped_key"], items)
        assert [key] == store.keys_of([row["person"]])
        assert key_check(key, b"person") == row["key_check"]


def test_a_store_is_replaced_only_on_request(tmp_path: Path, store: KeyStore, master: MasterKey) -> None:
    path = tmp_path / "keys.parquet"
    store.write(path)
    path.chmod(0o644)
    smaller = store.without_persons(["bob"])
    with pytest.raises(OutputError, match="exists already"):
        smaller.write(path)
    assert len(KeyStore.read(path, master, "survey")) == 3
    smaller.write(path, force=True)
    assert len(KeyStore.read(path, master, "survey")) == 2
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in tmp_path.iterdir()] == ["keys.parquet"]


def test_persons_may_be_whole_numbers_and_come_several_times(master: MasterKey) -> None:
    store = KeyStore.create(pa.chunked_array([[7, 12], [7]]), master, "survey")
    assert store.persons == ("12", "7")
    assert "7" in store
    coded = KeyStore.create(pa.array(["ann", "ann"]).dictionary_encode(), master, "survey")
    assert coded.persons == ("ann",)


def test_a_store_may_be_empty(tmp_path: Path, master: MasterKey) -> None:
    KeyStore.create([], master, "survey").write(tmp_path / "keys.parquet")
    assert len(KeyStore.read(tmp_path / "keys.parquet", master, "survey")) == 0


@pytest.mark.parametrize(
    ("persons", "problem"),
    [
        (["ann", None, None], "2 records without a person"),
        (["ann", ""], "1 record without a person"),
        ([1.5, 2.5], "neither text nor whole numbers"),
        ([True], "neither text nor whole numbers"),
        (["ann", 7], "not of one type"),
        (["ann", "\ud800"], "not of one type"),
    ],
)
def test_persons_must_be_there(master: MasterKey, persons: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        KeyStore.create(persons, master, "survey")
    assert "ann" not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("data_set", ["", "x" * 201, "a\nb", "\ud800"])
def test_a_data_set_needs_an_id(master: MasterKey, data_set: str) -> None:
    with pytest.raises(UsageError, match="the id of the data set"):
        KeyStore.create(["ann"], master, data_set)
    with pytest.raises(UsageError, match="the id of the data set"):
        DerivedKeys(master, data_set)


def test_ids_of_data_sets_are_random() -> None:
    ids = {make_data_set_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in ids)


def test_a_store_of_a_newer_version_is_refused(store: KeyStore, master: MasterKey) -> None:
    table = with_facts(store.as_table(), format=2).select(["person"])
    with pytest.raises(InputError, match="made by a newer Tacita"):
        KeyStore.from_table(table, master, "survey")


def test_the_store_of_another_data_set_is_refused(store: KeyStore, master: MasterKey) -> None:
    with pytest.raises(InputError, match="is the key store of another data set"):
        KeyStore.from_table(store.as_table(), master, "census")
    with pytest.raises(InputError, match="3 damaged entries"):  # whose name alone was changed
        KeyStore.from_table(with_facts(store.as_table(), data_set="census"), master, "census")


def test_another_master_key_is_refused(store: KeyStore, other_master: MasterKey) -> None:
    with pytest.raises(InputError, match="is not the key of this store"):
        KeyStore.from_table(store.as_table(), other_master, "survey")
    renamed = with_facts(store.as_table(), master_key_check=other_master.check.hex())
    with pytest.raises(InputError, match="3 damaged entries"):
        KeyStore.from_table(renamed, other_master, "survey")


@pytest.mark.parametrize(
    ("column", "change", "count"),
    [
        ("wrapped_key", lambda keys: [flipped(keys[0]), *keys[1:]], 1),
        ("wrapped_key", lambda keys: [flipped(keys[0], 79), flipped(keys[1], 16), keys[2]], 2),
        ("wrapped_key", lambda keys: [keys[1], keys[0], keys[2]], 2),
        ("person", lambda persons: ["ann", "bob", "dan"], 1),
        ("person", lambda persons: ["bob", "ann", "cyd"], 2),
        ("key_check", lambda checks: [checks[0], flipped(checks[1]), checks[2]], 1),
    ],
)
def test_damaged_entries_are_counted_and_not_named(
    store: KeyStore, master: MasterKey, column: str, change: Callable[[list[bytes]], list[bytes]], count: int
) -> None:
    with pytest.raises(InputError, match=f"has {count} damaged entr") as caught:
        KeyStore.from_table(with_column(store.as_table(), column, change), master, "survey")
    assert not any(person in str(caught.value) for person in [*PERSONS, "dan"])
    assert caught.value.__context__ is None


def test_a_person_that_is_no_text_is_a_damaged_entry(store: KeyStore, master: MasterKey) -> None:
    table = store.as_table()
    persons = pa.Array.from_buffers(
        pa.string(), 3, [None, pa.py_buffer(b"".join(n.to_bytes(4, "little") for n in (0, 3, 6, 9))),
                         pa.py_buffer(b"ann\xff\xfe\xfdcyd")]
    )  # fmt: skip
    with pytest.raises(InputError, match="has 1 damaged entry"):
        KeyStore.from_table(table.set_column(0, table.schema.field(0), persons), master, "survey")


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([0, 2], "more or fewer entries"),
        ([], "more or fewer entries"),
        ([0, 1, 2, 1], "1 repeated entry"),
        ([2, 1, 0], "more or fewer entries"),
    ],
)
def test_entries_that_are_gone_or_come_again_are_noticed(
    store: KeyStore, master: MasterKey, rows: list[int], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        KeyStore.from_table(store.as_table().take(pa.array(rows, pa.int64())), master, "survey")


def test_an_entry_of_an_older_store_cannot_be_put_back(store: KeyStore, master: MasterKey) -> None:
    erased = store.without_persons(["bob"]).as_table()
    put_back = store.as_table().replace_schema_metadata(erased.schema.metadata)
    with pytest.raises(InputError, match="more or fewer entries"):
        KeyStore.from_table(put_back, master, "survey")


def test_what_is_no_key_store_is_refused(tmp_path: Path, store: KeyStore, master: MasterKey) -> None:
    table = store.as_table()
    wrong = {
        "plain": table.replace_schema_metadata(None),
        "list": table.replace_schema_metadata({b"tacita_key_store": b"[1]"}),
        "no json": table.replace_schema_metadata({b"tacita_key_store": b"{"}),
        "deep": table.replace_schema_metadata({b"tacita_key_store": b"[" * 100_000}),
        "old": with_facts(table, format=0),
        "text": with_facts(table, format="1"),
        "no hex": with_facts(table, entries_code="xy"),
        "number": with_facts(table, master_key_check=5),
        "columns": table.select(["person", "key_check"]),
        "null": table.set_column(0, table.schema.field(0), pa.array(["ann", None, "cyd"])),
    }
    for name, one in wrong.items():
        with pytest.raises(InputError, match="is not a key store"):
            KeyStore.from_table(one, master, "survey", where=name)
    pq.write_table(pa.table({"x": [1]}), tmp_path / "other.parquet")
    (tmp_path / "text.parquet").write_text("ann")
    store.write(tmp_path / "whole.parquet")
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "whole.parquet").read_bytes()[:-20])
    for name in ("other", "text", "cut"):
        with pytest.raises(InputError, match="is not a key store") as caught:
            KeyStore.read(tmp_path / f"{name}.parquet", master, "survey")
        assert caught.value.where == str(tmp_path / f"{name}.parquet")
    with pytest.raises(InputError, match="does not exist"):
        KeyStore.read(tmp_path / "nothing.parquet", master, "survey")
    with pytest.raises(InputError, match="is not a key store"):
        KeyStore.read(tmp_path, master, "survey")


def test_a_changed_byte_in_the_file_is_never_accepted(tmp_path: Path, store: KeyStore, master: MasterKey) -> None:
    """Somewhere in a Parquet file are bytes that nobody reads; all others are noticed, and the keys stay right."""
    path = tmp_path / "keys.parquet"
    store.write(path)
    whole = path.read_bytes()
    refused = 0
    for at in range(0, len(whole), 7):
        path.write_bytes(flipped(whole, at))
        try:
            again = KeyStore.read(path, master, "survey")
        except InputError:
            refused += 1
        else:
            assert again.persons == store.persons
            assert again.keys_of(PERSONS) == store.keys_of(PERSONS)
    assert refused > len(whole) / 7 / 3


def test_persons_are_added_and_others_keep_their_keys(store: KeyStore) -> None:
    more = store.with_persons(["bob", "dan", "abe"])
    assert more.persons == ("abe", "ann", "bob", "cyd", "dan")
    assert more.keys_of(PERSONS) == store.keys_of(PERSONS)
    assert len(store) == 3


def test_an_erased_person_has_no_key(store: KeyStore, master: MasterKey) -> None:
    erased = store.without_persons(["bob", "bob"])
    assert erased.keys_of(PERSONS)[1] is None
    assert erased.persons == ("ann", "cyd")
    assert "bob" in store
    (bob,) = store.keys_of(["bob"])
    assert erased.with_persons(["bob"]).keys_of(["bob"]) != [bob]
    table = erased.as_table()
    assert KeyStore.from_table(table, master, "survey").persons == ("ann", "cyd")


def test_unknown_persons_are_not_erased_and_not_named(store: KeyStore) -> None:
    with pytest.raises(UsageError, match="2 of 3 persons to erase have no key") as caught:
        store.without_persons(["bob", "dan", "eve"])
    assert not any(person in str(caught.value) for person in ("bob", "dan", "eve"))


def test_a_rotated_store_opens_with_the_new_key_only(
    tmp_path: Path, store: KeyStore, master: MasterKey, other_master: MasterKey
) -> None:
    tokens = seal(CellsToSeal("age", PERSONS, [1, 2, 3], [31, 40, None]), store)
    store.with_master(other_master).write(tmp_path / "keys.parquet")
    with pytest.raises(InputError, match="is not the key of this store"):
        KeyStore.read(tmp_path / "keys.parquet", master, "survey")
    rotated = KeyStore.read(tmp_path / "keys.parquet", other_master, "survey")
    assert rotated.keys_of(PERSONS) == store.keys_of(PERSONS)
    assert open_tokens(tokens, PERSONS, rotated).values.to_pylist() == [31, 40, None]
    wrapped = set(store.as_table().column("wrapped_key").to_pylist())
    assert wrapped.isdisjoint(rotated.as_table().column("wrapped_key").to_pylist())


def test_a_rotation_needs_a_new_key(store: KeyStore, master: MasterKey) -> None:
    with pytest.raises(UsageError, match="is the old one"):
        store.with_master(master)


def test_derived_keys_depend_on_master_data_set_and_person(master: MasterKey, other_master: MasterKey) -> None:
    keys = DerivedKeys(master, "survey")
    (ann,) = keys.keys_of(["ann"])
    assert ann is not None
    assert len(ann) == 64
    assert keys.keys_of(["bob", "ann"])[1] == ann
    assert keys.master_check == master.check
    others = [
        *keys.keys_of(["bob", "an", "annn"]),
        *DerivedKeys(master, "surveya").keys_of(["nn", "ann"]),
        *DerivedKeys(other_master, "survey").keys_of(["ann"]),
        master.derive("survey", b"wrapping key 1"),
        master.derive("survey", b"code of entries 1"),
    ]
    assert ann not in others
    assert len(set(others)) == len(others)


def test_errors_have_exit_codes(store: KeyStore, master: MasterKey) -> None:
    with pytest.raises(TacitaError) as caught:
        KeyStore.from_table(store.as_table(), master, "census")
    assert caught.value.exit_code == 3
