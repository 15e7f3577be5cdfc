"""The master key: how its file is made, what is refused when it is read, and that it never shows itself."""

from __future__ import annotations

import base64
import copy
import hashlib
import hmac
import os
import pickle
import secrets
from pathlib import Path

import pytest

from tacita.concealment.keys.ciphers import key_check
from tacita.concealment.keys.master_key import MasterKey, key_weakness, make_master_key, read_master_key
from tacita.errors import InputError, OutputError, UsageError
from tacita.files import private_file as private
from tacita.files.private_file import private_file

KEY = hashlib.sha512(b"a key").digest()


def key_file(folder: Path, content: bytes, mode: int = 0o600) -> Path:
    path = folder / "key"
    path.write_bytes(content)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277])
def test_a_new_key_has_64_bytes_that_only_its_owner_can_read(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        key = make_master_key(tmp_path / "key")
    finally:
        os.umask(before)
    assert (tmp_path / "key").stat().st_size == 64
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "key").stat().st_nlink == 1
    assert read_master_key(tmp_path / "key") == key
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_two_keys_are_different(tmp_path: Path) -> None:
    assert make_master_key(tmp_path / "one") != make_master_key(tmp_path / "two")


def test_a_key_is_never_replaced(tmp_path: Path) -> None:
    path = key_file(tmp_path, KEY)
    with pytest.raises(OutputError, match="exists already"):
        make_master_key(path)
    assert path.read_bytes() == KEY
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    with pytest.raises(OutputError, match="exists already"):
        make_master_key(tmp_path / "link")
    assert not (tmp_path / "nothing").exists()


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "key"
    with pytest.raises(OutputError, match="exists already"), private_file(target) as partial:
        partial.write_bytes(KEY)
        target.write_bytes(b"of somebody else")
    assert target.read_bytes() == b"of somebody else"
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_nobody_else_can_read_the_file_when_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "chmod", lambda *_: None)
    before = os.umask(0)
    try:
        make_master_key(tmp_path / "key")
    finally:
        os.umask(before)
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600


def test_nobody_else_can_read_the_unfinished_file(tmp_path: Path) -> None:
    with private_file(tmp_path / "key") as partial:
        assert partial.parent == tmp_path
        assert partial.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("force", [False, True])
def test_a_failure_leaves_what_was_there(tmp_path: Path, force: bool) -> None:
    target = tmp_path / "key"
    if force:
        target.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), private_file(target, force=force) as partial:
        partial.write_bytes(KEY)
        raise ZeroDivisionError
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == ({"key": b"old"} if force else {})


def test_a_full_disk_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="No space left") as caught, private_file(tmp_path / "key"):
        raise OSError(28, "No space left on device")
    assert caught.value.exit_code == 4
    assert list(tmp_path.iterdir()) == []


def test_a_key_needs_a_folder_to_be_in(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="the folder does not exist"):
        make_master_key(tmp_path / "no" / "key")
    with pytest.raises(OutputError, match="is a folder"):
        make_master_key(tmp_path)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "has 0 bytes, and 64 are needed"),
        (KEY[:63], "has 63 bytes, and 64 are needed"),
        (KEY + b"\n", "has 65 bytes, and 64 are needed"),
        (KEY.hex().encode(), "is text, not random bytes: it has 128 bytes, and 64 are needed"),
        (base64.b64encode(KEY), "is text, not random bytes: it has 88 bytes, and 64 are needed"),
        (KEY[:32].hex().encode(), "is text, not random bytes"),
        (base64.b64encode(KEY[:48]), "is text, not random bytes"),
        (base64.b64encode(KEY[:47])[:63] + b"\n", "is text, not random bytes"),
        (bytes(64), "has fewer than 8 different bytes"),
        (b"\xff\x00" * 32, "has fewer than 8 different bytes"),
        (bytes(200 + at * at % 31 for at in range(64)), "has fewer than 32 different bytes"),
        (KEY[:32] * 2, "repeats a part of itself|has fewer than 32"),
        (KEY[:48] + KEY[:16], "repeats a part of itself"),
        (bytes(range(100, 164)), "is a row of successive characters"),
    ],
    ids=range(14),
)
def test_what_cannot_be_a_key_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    path = key_file(tmp_path, content)
    with pytest.raises(InputError, match=problem) as caught:
        read_master_key(path)
    assert caught.value.where == str(path)
    assert "head -c 64 /dev/urandom" in str(caught.value.do)
    with pytest.raises(UsageError, match=problem):
        MasterKey(content)


def test_random_keys_are_accepted() -> None:
    assert [key_weakness(secrets.token_bytes(64)) for _ in range(2000)] == [None] * 2000


@pytest.mark.parametrize("mode", [0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o666])
def test_a_key_that_is_open_to_others_is_refused(tmp_path: Path, mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    path = key_file(tmp_path, KEY, mode)
    with pytest.raises(InputError, match=f"open to other users \\(mode {mode:04o}\\)") as caught:
        read_master_key(path)
    assert "chmod 600" in str(caught.value.do)
    monkeypatch.setattr(private, "_HAS_PERMISSIONS", False)  # as on Windows
    assert read_master_key(path) == MasterKey(KEY)


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o700])
def test_a_key_that_is_its_owners_alone_is_read(tmp_path: Path, mode: int) -> None:
    assert read_master_key(key_file(tmp_path, KEY, mode)) == MasterKey(KEY)


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a folder"):
        read_master_key(tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        read_master_key(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(InputError, match="is not a regular file"):
        read_master_key(tmp_path / "pipe")
    with pytest.raises(InputError, match="cannot be read"):
        read_master_key(tmp_path / ("x" * 5000))


def test_a_link_is_judged_by_the_file_it_points_to(tmp_path: Path) -> None:
    key_file(tmp_path, KEY, 0o644)
    (tmp_path / "link").symlink_to(tmp_path / "key")
    with pytest.raises(InputError, match="open to other users"):
        read_master_key(tmp_path / "link")


def test_the_check_value_is_a_code_of_the_purpose_under_the_key() -> None:
    expected = hmac.new(KEY, b"tacita key check 1\0master", hashlib.sha256).digest()[:8]
    assert MasterKey(KEY).check == expected
    assert MasterKey(KEY).fits(expected)
    assert not MasterKey(KEY).fits(expected[:-1] + bytes([expected[-1] ^ 1]))
    assert not MasterKey(KEY).fits(expected[:7])
    assert key_check(KEY, b"person") != expected


def test_a_key_for_a_purpose_is_hkdf_with_the_data_set_as_salt() -> None:
    """RFC 5869, sections 2.2 and 2.3, by hand."""
    extracted = hmac.new("études".encode(), KEY, hashlib.sha256).digest()
    blocks, block = b"", b""
    for number in (b"\x01", b"\x02"):
        block = hmac.new(extracted, block + "tacita person key 1\0Zoë".encode() + number, hashlib.sha256).digest()
        blocks += block
    assert MasterKey(KEY).derive("études", b"person key 1", "Zoë") == blocks


def test_keys_are_equal_if_their_bytes_are() -> None:
    assert MasterKey(KEY) == MasterKey(bytes(KEY))
    assert hash(MasterKey(KEY)) == hash(MasterKey(bytes(KEY)))
    assert MasterKey(KEY) != KEY
    assert MasterKey(KEY) != MasterKey(KEY[::-1])


def test_a_key_does_not_show_itself() -> None:
    key = MasterKey(KEY)
    assert repr(key) == str(key) == f"{key}" == "<MasterKey>"
    for leak in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="neither pickled nor copied"):
            leak(key)
    with pytest.raises(AttributeError):
        key._secret = b""  # type: ignore[misc]
