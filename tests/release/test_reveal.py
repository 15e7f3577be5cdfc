"""Hidden cells come back exactly, to whoever has the key and to nobody else."""

from __future__ import annotations

import datetime as dt
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import tacita as tc
from tacita.api.concealing import ConcealedOptions, conceal_to
from tacita.api.dataset import Dataset
from tacita.errors import InputError, TacitaError, UsageError

N = 60
TYPES: dict[str, list[Any]] = {
    "whole": [None if i % 7 == 0 else (-1) ** i * i * 10**14 for i in range(N)],
    "real": [None if i % 9 == 0 else (i + 0.1) * 10.0 ** (i % 40 - 20) for i in range(N)],
    "truth": [None if i % 11 == 0 else i % 3 == 0 for i in range(N)],
    "day": [None if i % 8 == 0 else dt.date(1899 + i, 12, 1 + i % 28) for i in range(N)],
    "moment": [dt.datetime(2020, 1, 1, 0, 0, i, i * 7) for i in range(N)],
    "text": ["" if i % 6 == 0 else f" ü{i % 5}\t;\"'" for i in range(N)],
    "code": [f"0{i % 4}" for i in range(N)],
}
HIDERS = tuple(range(0, N, 2))


def policies(folder: Path, names: str = ";".join(TYPES)) -> str:
    lines = [f"P{i:02d},{names}" for i in HIDERS]
    (folder / "p.csv").write_text("\n".join(["person,confidential", *lines]) + "\n")
    return str(folder / "p.csv")


def plan(folder: Path, names: str = ";".join(TYPES), **more: Any) -> tc.ConcealPlan:
    return tc.ConcealPlan(policies=(policies(folder, names),), seed=4, allow_derivable=True, **more)


def people() -> pa.Table:
    return pa.table({"person": [f"P{i:02d}" for i in range(N)], "other": [i % 2 for i in range(N)], **TYPES})


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "key.bin"
    tc.make_key(path)
    return path


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory, key: Path) -> Path:
    """A release as Parquet, whose hidden cells are of every type."""
    folder = tmp_path_factory.mktemp("released")
    pq.write_table(people(), folder / "d.parquet")
    conceal_to(folder / "rel", tc.read(folder / "d.parquet"), plan(folder), ConcealedOptions(key=key))
    return folder / "rel"


@pytest.fixture
def copy(released: Path, tmp_path: Path) -> Path:
    """A release that a test may damage."""
    for name in ("rel", "rel.internal"):
        shutil.copytree(released.with_name(name), tmp_path / name)
    return tmp_path / "rel"


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"fresh": True}, {"derive_keys": True}, {"in_cells": True}], ids=str)
@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_every_type_and_every_null_come_back(ending: str, options: dict[str, Any], tmp_path: Path, key: Path) -> None:
    pq.write_table(people(), tmp_path / "d.parquet")
    source = tmp_path / f"d{ending}"
    if ending == ".csv":
        tc.read(tmp_path / "d.parquet").convert(source)
    conceal_to(tmp_path / "rel", tc.read(source), plan(tmp_path), ConcealedOptions(key=key, **options))
    done = tc.reveal(tmp_path / "rel", key, tmp_path / f"back{ending}")
    assert done.revealed == len(HIDERS) * len(TYPES)
    if ending == ".csv":
        whole = pyarrow.csv.ParseOptions(newlines_in_values=True)
        texts = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(people().column_names, pa.string()))
        before, after = (
            pyarrow.csv.read_csv(p, parse_options=whole, convert_options=texts) for p in (source, tmp_path / "back.csv")
        )
        assert after.equals(before.select(after.column_names))
    else:
        after = pq.read_table(tmp_path / "back.parquet")
        assert after.column_names == ["other", *TYPES]
        for name, values in TYPES.items():
            assert after.column(name).to_pylist() == values, name
            assert after.schema.field(name).type.id == people().schema.field(name).type.id, name


def labelled(folder: Path) -> Dataset:
    data = tc.read(people().select(["person", "other", "code"]))
    values = {"code": {f"0{i}": f"label {i}" for i in range(4)}}
    dictionary = data.dictionary.mapped(lambda a: a.with_(labels=values.get(a.name, {})))
    tc.Dataset(data.microdata.with_dictionary(dictionary)).convert(folder / "s.sav")
    return tc.read(folder / "s.sav")


@pytest.mark.slow
def test_labels_of_hidden_values_come_back(tmp_path: Path, key: Path) -> None:
    data = labelled(tmp_path)
    conceal_to(tmp_path / "rel", data, plan(tmp_path, "code"), ConcealedOptions(key=key))
    tc.reveal(tmp_path / "rel", key, tmp_path / "back.sav")
    back = tc.read(tmp_path / "back.sav")
    assert back.dictionary["code"].labels == data.dictionary["code"].labels
    assert back.to_arrow().column("code").to_pylist() == TYPES["code"]


@pytest.mark.slow
def test_a_wrong_key_says_so_and_writes_nothing(released: Path, tmp_path: Path) -> None:
    tc.make_key(tmp_path / "other.bin")
    with pytest.raises(InputError, match="the master key is not the key of this store"):
        tc.reveal(released, tmp_path / "other.bin", tmp_path / "back.csv")
    assert not (tmp_path / "back.csv").exists()


def test_a_wrong_key_of_derived_keys_says_so(tmp_path: Path, key: Path) -> None:
    data = tc.read(people().select(["person", "other", "code"]))
    options = ConcealedOptions(key=key, derive_keys=True)
    conceal_to(tmp_path / "rel", data, plan(tmp_path, "code"), options)
    tc.make_key(tmp_path / "other.bin")
    with pytest.raises(InputError, match="is not the master key of this release"):
        tc.reveal(tmp_path / "rel", tmp_path / "other.bin", tmp_path / "back.csv")
    with pytest.raises(UsageError, match="there is no store"):
        tc.erase_persons(tmp_path / "rel", key, ["P00"])


def swap_tokens(table: pa.Table) -> pa.Table:
    """Exchange two tokens of one attribute."""
    names = table.column("attribute").to_pylist()
    one, two = [i for i, name in enumerate(names) if name == "code"][:2]
    tokens = table.column("token").to_pylist()
    tokens[one], tokens[two] = tokens[two], tokens[one]
    return table.set_column(2, "token", pa.array(tokens, pa.binary()))


def change(table: pa.Table, how: Callable[[bytes], bytes | None]) -> pa.Table:
    tokens = table.column("token").to_pylist()
    return table.set_column(2, "token", pa.array([how(tokens[0]), *tokens[1:]], pa.binary()))


DAMAGES: dict[str, tuple[Callable[[pa.Table], pa.Table], int]] = {
    "swapped between records": (swap_tokens, 2),
    "cut": (lambda table: change(table, lambda token: token[:-1]), 1),
    "cut by a block": (lambda table: change(table, lambda token: token[:-16]), 1),
    "one bit": (lambda table: change(table, lambda token: token[:-1] + bytes([token[-1] ^ 1])), 1),
    "emptied": (lambda table: change(table, lambda token: b""), 1),
    "taken away": (lambda table: change(table, lambda token: None), 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_tokens_are_refused(damage: str, copy: Path, key: Path, tmp_path: Path) -> None:
    edit, damaged = DAMAGES[damage]
    table = edit(pq.read_table(copy / "tokens.parquet"))
    pq.write_table(table, copy / "tokens.parquet")
    with pytest.raises(TacitaError, match=r"damaged or moved"):
        tc.reveal(copy, key, tmp_path / "back.parquet")
    assert not (tmp_path / "back.parquet").exists()
    done = tc.reveal(copy, key, tmp_path / "back.parquet", skip_damaged=True)
    assert (done.damaged, done.revealed) == (damaged, len(HIDERS) * len(TYPES) - damaged)
    assert not tc.verify(copy).holds


@pytest.mark.slow
def test_a_token_of_another_attribute_or_release_does_not_open(copy: Path, key: Path, tmp_path: Path) -> None:
    table = pq.read_table(copy / "tokens.parquet")
    names = table.column("attribute").to_pylist()
    moved = ["code" if name == "truth" else "truth" if name == "code" else name for name in names]
    pq.write_table(table.set_column(1, "attribute", pa.array(moved)), copy / "tokens.parquet")
    done = tc.reveal(copy, key, tmp_path / "back.parquet", skip_damaged=True)
    assert done.damaged == 2 * len(HIDERS)
    other = tmp_path / "other"
    other.mkdir()
    conceal_to(other / "rel", tc.read(people()), plan(other), ConcealedOptions(key=key))
    shutil.copy(other / "rel" / "tokens.parquet", copy / "tokens.parquet")
    done = tc.reveal(copy, key, tmp_path / "again.parquet", skip_damaged=True)
    assert done.revealed == 0


@pytest.mark.slow
def test_a_key_store_of_another_data_set_is_refused(copy: Path, key: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    conceal_to(other / "rel", tc.read(people()), plan(other), ConcealedOptions(key=key))
    shutil.copy(other / "rel.internal" / "keys.parquet", copy.with_name("rel.internal") / "keys.parquet")
    with pytest.raises(InputError, match="another data set"):
        tc.reveal(copy, key, tmp_path / "back.parquet")


def test_an_erased_person_stays_hidden_and_the_others_come_back(copy: Path, key: Path, tmp_path: Path) -> None:
    before = (copy / "tokens.parquet").read_bytes()
    assert tc.erase_persons(copy, key, ["P00", "P04"]).persons == len(HIDERS) - 2
    done = tc.reveal(copy, key, tmp_path / "back.parquet")
    assert (done.erased, done.revealed) == (2 * len(TYPES), (len(HIDERS) - 2) * len(TYPES))
    back = pq.read_table(tmp_path / "back.parquet")
    assert back.column("moment").to_pylist()[0] is None
    assert back.column("moment").to_pylist()[2] == TYPES["moment"][2]
    assert (copy / "tokens.parquet").read_bytes() == before
    assert tc.verify(copy).holds, "erasing leaves the release as it was"
    with pytest.raises(UsageError, match="no key in this store"):
        tc.erase_persons(copy, key, ["P00"])


def test_a_new_master_key_opens_and_the_old_one_does_not(copy: Path, key: Path, tmp_path: Path) -> None:
    tc.make_key(tmp_path / "new.bin")
    tc.rotate_key(copy, key, tmp_path / "new.bin")
    with pytest.raises(InputError, match="not the key of this store"):
        tc.reveal(copy, key, tmp_path / "back.parquet")
    assert tc.reveal(copy, tmp_path / "new.bin", tmp_path / "back.parquet").revealed == len(HIDERS) * len(TYPES)


def test_a_person_sees_their_own_record_without_the_internal_folder(copy: Path, key: Path, tmp_path: Path) -> None:
    tc.export_person(copy, key, "P02", tmp_path / "own.json")
    shutil.rmtree(copy.with_name("rel.internal"))
    done = tc.reveal(copy, tmp_path / "own.json", tmp_path / "own.parquet")
    assert (done.records, done.revealed) == (1, len(TYPES))
    (record,) = pq.read_table(tmp_path / "own.parquet").to_pylist()
    assert {name: record[name] for name in TYPES} == {name: values[2] for name, values in TYPES.items()}
    with pytest.raises(InputError, match="internal folder"):
        tc.reveal(copy, key, tmp_path / "back.parquet")


@pytest.mark.slow
def test_the_same_keys_again_give_the_same_tokens_and_fresh_ones_do_not(tmp_path: Path, key: Path) -> None:
    data = tc.read(people().select(["person", "other", "code"]))
    given = {"one": {}, "two": {"keys_of": tmp_path / "one"}, "three": {"keys_of": tmp_path / "one", "fresh": True}}
    tokens = []
    for name, more in given.items():
        conceal_to(tmp_path / name, data, plan(tmp_path, "code"), ConcealedOptions(key=key, **more))
        tokens.append(pq.read_table(tmp_path / name / "tokens.parquet").column("token").to_pylist())
    assert tokens[0] == tokens[1]
    assert not {*tokens[0]} & {*tokens[2]}


@pytest.mark.parametrize("derived", [False, True])
def test_another_master_key_than_that_of_the_keys_is_refused_before_the_search(
    derived: bool, tmp_path: Path, key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tc.read(people().select(["person", "other", "code"]))
    conceal_to(tmp_path / "one", data, plan(tmp_path, "code"), ConcealedOptions(key=key, derive_keys=derived))
    tc.make_key(tmp_path / "other.bin")
    monkeypatch.setattr("tacita.api.concealing.conceal", lambda *_, **__: pytest.fail("the search began"))
    again = ConcealedOptions(key=tmp_path / "other.bin", keys_of=tmp_path / "one")
    with pytest.raises(InputError, match="master key"):
        conceal_to(tmp_path / "two", data, plan(tmp_path, "code"), again)
    assert not (tmp_path / "two").exists()


@pytest.mark.slow
def test_tokens_of_an_earlier_release_are_refused(tmp_path: Path, key: Path) -> None:
    """Under the same keys they open, and would give old values."""
    table = people().select(["person", "other", "code"])
    conceal_to(tmp_path / "old", tc.read(table), plan(tmp_path, "code"), ConcealedOptions(key=key))
    new = table.set_column(2, "code", pa.array(["05", *table.column("code").to_pylist()[1:]]))
    again = ConcealedOptions(key=key, keys_of=tmp_path / "old")
    conceal_to(tmp_path / "new", tc.read(new), plan(tmp_path, "code"), again)
    shutil.copy(tmp_path / "old" / "tokens.parquet", tmp_path / "new" / "tokens.parquet")
    with pytest.raises(InputError, match=r"tokens\.parquet is not the file that was released"):
        tc.reveal(tmp_path / "new", key, tmp_path / "back.parquet")
    assert not (tmp_path / "back.parquet").exists()
    done = tc.reveal(tmp_path / "new", key, tmp_path / "back.parquet", skip_damaged=True)
    assert "values may be old" in done.notes[0] and done.damaged == 0
    assert pq.read_table(tmp_path / "back.parquet").column("code")[0].as_py() == "00"


@pytest.mark.parametrize("file", ["data.parquet", "tokens.parquet"])
def test_records_or_tokens_that_were_taken_away_are_noticed(file: str, copy: Path, key: Path, tmp_path: Path) -> None:
    pq.write_table(pq.read_table(copy / file).slice(1), copy / file)
    tc.export_person(copy, key, "P02", tmp_path / "own.json")
    for given in (key, tmp_path / "own.json"):
        with pytest.raises(InputError, match="is not the file that was released"):
            tc.reveal(copy, given, tmp_path / "back.parquet")


def test_a_type_that_cannot_be_sealed_is_named_with_its_attribute(tmp_path: Path, key: Path) -> None:
    moments = pa.array(TYPES["moment"], pa.timestamp("us", "UTC"))
    pq.write_table(people().select(["person", "other"]).append_column("moment", moments), tmp_path / "d.parquet")
    options = ConcealedOptions(key=key)
    with pytest.raises(InputError, match=r"'moment' has values of type timestamp") as refused:
        conceal_to(tmp_path / "rel", tc.read(tmp_path / "d.parquet"), plan(tmp_path, "moment"), options)
    assert refused.value.do == "read it as text: --as moment=text" and not (tmp_path / "rel").exists()


@pytest.mark.parametrize("hide_as", ["null", "empty"])
def test_what_has_no_tokens_cannot_be_revealed(hide_as: str, tmp_path: Path, key: Path) -> None:
    data = tc.read(people().select(["person", "other", "code"]))
    conceal_to(tmp_path / "rel", data, plan(tmp_path, "code"), ConcealedOptions(hide_as=hide_as))
    with pytest.raises(UsageError, match="have no tokens"):
        tc.reveal(tmp_path / "rel", key, tmp_path / "back.csv")
    assert tc.verify(tmp_path / "rel").holds
    assert (tmp_path / "rel" / "hidden.parquet").exists() == (hide_as == "null")


def test_each_hidden_cell_says_why(tmp_path: Path, key: Path) -> None:
    table = (
        people().select(["person", "other", "code"]).append_column("zone", pa.array([f"z{i % 8}" for i in range(N)]))
    )
    conceal_to(tmp_path / "rel", tc.read(table), plan(tmp_path, "code"), ConcealedOptions(key=key))
    why = tc.explain(tmp_path / "rel", 3, of_source=True).to_dict()
    assert why["hidden"] == [
        {
            "attribute": "code",
            "confidential": True,
            "because": "code is hidden because this person wants it confidential.",
        },
        {
            "attribute": "zone",
            "confidential": False,
            "because": "zone is hidden because zone determines code, which this person wants confidential.",
        },
    ]
    assert tc.explain(tmp_path / "rel", 2, of_source=True).to_dict()["hidden"] == []
    assert len(tc.explain(tmp_path / "rel").to_dict()["records"]) == len(HIDERS)


def test_a_cell_that_shows_again_is_noticed(copy: Path) -> None:
    table = pq.read_table(copy / "data.parquet")
    values = table.column("code").to_pylist()
    row = values.index(None)
    values[row] = "00"
    place = table.column_names.index("code")
    pq.write_table(table.set_column(place, "code", pa.array(values)), copy / "data.parquet")
    faults = json.dumps(tc.verify(copy).to_dict())
    assert "data.parquet" in faults
