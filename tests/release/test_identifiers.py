"""Identifiers: never released, or only as pseudonyms that need a key."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.release.outcomes import outcome

import tacita as tc
from tacita.errors import InputError, UsageError
from tacita.release.options import ReleaseOptions
from tacita.release.records.identifiers import check_key, key_from, pseudonym
from tacita.release.writing import write_release
from tacita.settings import Settings

KEY = b"a key of more than sixteen bytes"


def people() -> tc.Dataset:
    table = pa.table(
        {
            "id": ["ann", "bob", None, "dan"],
            "home": ["h7", "h7", "h2", None],
            "area": ["a", "a", "a", "a"],
            "number": [1.0, 2.0, 3.5, 4.0],
        }
    )
    return tc.read(table).with_roles(quasi=["area"], identifier=["id", "number"], cluster="home")


def released(tmp_path: Path, settings: Settings, **options: object) -> pa.Table:
    given = ReleaseOptions(shuffle=False, **options)  # type: ignore[arg-type]
    done = write_release(outcome(people()), tmp_path / "release", given, settings=settings)
    assert done.checked
    return pq.read_table(done.data)


def test_identifiers_and_cluster_keys_are_dropped(tmp_path: Path, settings: Settings) -> None:
    assert released(tmp_path, settings).column_names == ["area"]


def test_a_cluster_key_is_kept_or_dropped(tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(UsageError, match="home is to be dropped and to be kept"):
        released(tmp_path, settings, keep_clusters=True, drop=("home",))
    assert released(tmp_path, settings, drop=("home",)).column_names == ["area"]


def test_pseudonyms_are_those_of_hmac(tmp_path: Path, settings: Settings) -> None:
    # RFC 2104, spelt out
    block = KEY.ljust(64, b"\0")

    def expected(value: str) -> str:
        inner = hashlib.sha256(bytes(b ^ 0x36 for b in block) + value.encode()).digest()
        return hashlib.sha256(bytes(b ^ 0x5C for b in block) + inner).hexdigest()[:32]

    table = released(tmp_path, settings, pseudonymise=("id", "number"), key=KEY)
    assert table["id"].to_pylist() == [expected("ann"), expected("bob"), None, expected("dan")]
    assert table["number"].to_pylist() == [expected(each) for each in ("1", "2", "3.5", "4")]
    assert not any(KEY in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()), "a key is not stored"


def test_another_key_gives_other_pseudonyms() -> None:
    assert pseudonym("ann", KEY) != pseudonym("ann", KEY[::-1])
    assert pseudonym("ann", KEY) != pseudonym("bob", KEY)


def test_cluster_keys_are_numbered_anew(tmp_path: Path, settings: Settings) -> None:
    home = released(tmp_path, settings, keep_clusters=True)["home"].to_pylist()
    assert home[0] == home[1] != home[2]
    assert {home[0], home[2]} == {1, 2}
    assert home[3] is None


def test_numbers_of_clusters_do_not_follow_their_order() -> None:
    from tacita.release.kinds.microdata.tuples import renumber_clusters

    keys = tc.read(pa.table({"home": [f"{i:03d}" for i in range(60)]})).relation
    numbers = [row["c1"] for row in keys.engine.run(_all(renumber_clusters(keys, "home", seed=8)))]
    assert sorted(numbers) == list(range(1, 61))
    assert numbers != sorted(numbers)
    again = [row["c1"] for row in keys.engine.run(_all(renumber_clusters(keys, "home", seed=8)))]
    assert numbers == again


def _all(relation: object):  # type: ignore[no-untyped-def]
    from sqlglot import exp

    return exp.select("c0", "c1").from_(relation.source()).order_by("c0")  # type: ignore[attr-defined]


def test_keys_come_from_a_file_or_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "key").write_bytes(KEY + b"\n")
    monkeypatch.setenv("PSEUDONYM_KEY", KEY.decode())
    assert key_from(file=tmp_path / "key") == key_from(variable="PSEUDONYM_KEY") == KEY


def test_keys_that_can_be_guessed_are_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"fifteen bytes..\n")
    with pytest.raises(UsageError, match="fewer than 16 bytes") as caught:
        key_from(file=tmp_path / "key")
    assert "fifteen" not in str(caught.value)
    for weak in (b"\0" * 16, b"a" * 40, b"ab" * 20, b"0123456789abcdef", b"zyxwvutsrqponmlk", b"secret-1secret-1secr"):
        (tmp_path / "key").write_bytes(weak)
        with pytest.raises(UsageError, match="the key of the pseudonyms") as caught:
            key_from(file=tmp_path / "key")
        assert "/dev/urandom" in str(caught.value)
        with pytest.raises(UsageError):
            ReleaseOptions(pseudonymise=("id",), key=weak)
    for seed in range(200):
        random = np.random.default_rng(seed).bytes(16)
        check_key(random)
        check_key(random.hex().encode())
        check_key(base64.b64encode(random))
    with pytest.raises(InputError):
        key_from(file=tmp_path / "none")
    with pytest.raises(UsageError, match="no environment variable"):
        key_from(variable="NO_SUCH_VARIABLE_IS_SET")
    with pytest.raises(UsageError, match="twice, or not at all"):
        key_from()


def test_only_identifiers_get_pseudonyms(tmp_path: Path, settings: Settings) -> None:
    with pytest.raises(UsageError, match="area cannot be replaced by pseudonyms"):
        released(tmp_path, settings, pseudonymise=("area",), key=KEY)
    assert KEY.decode() not in repr(ReleaseOptions(pseudonymise=("id",), key=KEY))


def test_an_identifier_cannot_be_what_the_intruder_knows(tmp_path: Path, settings: Settings) -> None:
    data = people()
    made = outcome(data)
    from dataclasses import replace

    made = replace(made, claim=replace(made.claim, known=("id", "area")))
    with pytest.raises(UsageError, match="supposed to know id, which would not be released"):
        write_release(made, tmp_path / "release", settings=settings)


def test_a_cluster_key_that_is_not_there_cannot_be_kept(tmp_path: Path, settings: Settings) -> None:
    data = tc.read(pa.table({"area": ["a"] * 4, "wage": [1, 1, 2, 2]})).with_roles(quasi=["area"])
    with pytest.raises(UsageError, match="no attribute is one"):
        write_release(outcome(data), tmp_path / "release", ReleaseOptions(keep_clusters=True), settings=settings)


def test_a_key_without_an_identifier_to_replace_is_refused() -> None:
    with pytest.raises(UsageError, match="no identifier to replace"):
        ReleaseOptions(key=KEY)
