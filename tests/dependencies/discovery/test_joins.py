"""Files put together: inner joins by keys of equal names, and what they cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tacita as tc
from tacita.dependencies.dependency import Discovery
from tacita.dependencies.discovery.options import DiscoveryOptions, JoinRequest
from tacita.errors import InputError, UsageError

PEOPLE = "person,town,age\n1,Ulm,30\n2,Ulm,40\n3,Rom,30\n4,,50\n"
TOWNS = "town,country,size\nUlm,DE,2\nRom,IT,9\nOslo,NO,7\n"
VISITS = "person,town,fee\n1,Rom,5\n1,Ulm,6\n2,Rom,5\n9,Rom,1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("people", PEOPLE), ("towns", TOWNS), ("visits", VISITS)):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    return tmp_path


def joined(folder: Path, *requests: tuple[str, tuple[str, ...]], **options: Any) -> Discovery:
    joins = tuple(JoinRequest(str(folder / file), keys) for file, keys in requests)
    return tc.read(folder / "people.csv").discover_dependencies(DiscoveryOptions(join=joins, **options))


def test_a_look_up(folder: Path) -> None:
    discovery = joined(folder, ("towns.csv", ("town",)))
    assert discovery.attributes == ("person", "town", "age", "country", "size")
    assert discovery.records == 3  # a missing key joins nothing, and nobody lives in Oslo
    country = {one.left: one for one in discovery.of("country")}
    assert country["town",].support == 2 and country["town",].witness == (1, 2)
    assert "'people' joined with 'towns' by town has 3 records." in discovery.notes
    assert "Numbers of records are those of the joined records." in discovery.notes


def test_a_key_is_one_after_the_join(folder: Path) -> None:
    discovery = joined(folder, ("visits.csv", ("person",)))
    assert discovery.attributes == ("person", "town", "age", "visits.town", "fee")
    assert discovery.records == 3
    # Each person is one record of the first file, and 1 is there twice after the join: a determinant, and no key.
    assert {one.left: one.is_key for one in discovery.of("age")}["person",] is False
    assert any("1 key of 'visits' occur" in note for note in discovery.notes)


def test_several_files(folder: Path) -> None:
    discovery = joined(folder, ("visits.csv", ("person",)), ("towns.csv", ("town",)))
    assert discovery.attributes == ("person", "town", "age", "visits.town", "fee", "country", "size")


def test_attributes_are_chosen_after_the_join(folder: Path) -> None:
    assert joined(folder, ("towns.csv", ("town",)), attributes=("age", "size")).attributes == ("age", "size")


def test_several_keys(folder: Path) -> None:
    assert joined(folder, ("visits.csv", ("person", "town"))).records == 1


def test_no_record_matches(folder: Path) -> None:
    (folder / "towns.csv").write_text("town,country\nOslo,NO\n", encoding="utf-8")
    with pytest.raises(InputError, match="no record of 'people' has the key"):
        joined(folder, ("towns.csv", ("town",)))


def test_keys_that_both_files_repeat(folder: Path) -> None:
    with pytest.raises(InputError, match="1 keys of 'people' and 1 keys of 'visits'"):
        joined(folder, ("visits.csv", ("town",)))


def test_a_key_that_is_not_there(folder: Path) -> None:
    with pytest.raises(UsageError, match="'towns' has no attribute 'person'"):
        joined(folder, ("towns.csv", ("person",)))
    with pytest.raises(UsageError, match="did you mean 'town'"):
        joined(folder, ("towns.csv", ("towns",)))


def test_a_key_of_another_type(folder: Path) -> None:
    (folder / "towns.csv").write_text("person,country\nx1,NO\ny2,DE\n", encoding="utf-8")
    with pytest.raises(UsageError, match="'person' is integer in 'people' and text in 'towns'"):
        joined(folder, ("towns.csv", ("person",)))


def test_a_name_that_is_taken_twice(folder: Path) -> None:
    (folder / "people.csv").write_text("person,town,visits.town\n1,Ulm,a\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"'visits\.town' is taken, too"):
        joined(folder, ("visits.csv", ("person",)))


def test_a_file_that_is_not_there(folder: Path) -> None:
    with pytest.raises(InputError):
        joined(folder, ("nowhere.csv", ("town",)))
