"""Tokens and limits: what is kept, what opens, what a clock that jumps can do."""

from __future__ import annotations

import contextlib
import hmac
import sqlite3
import stat
from pathlib import Path

import pytest

from tacita.errors import InputError, LedgerBusy, OutputError, UsageError
from tacita.service.state import ServiceState
from tacita.service.tokens import ServiceRole, TokenKind


class Clock:
    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def test_a_token_opens_until_it_expires_or_is_revoked(tmp_path: Path) -> None:
    clock = Clock()
    with ServiceState(tmp_path / "state", clock=clock) as state:
        secret, token = state.make_token("ann", ServiceRole.ANALYST, days=1)
        owner = state.owner(secret)
        assert owner is not None and (owner.name, owner.role) == ("ann", ServiceRole.ANALYST)
        clock.now += 86_399
        assert state.owner(secret) is not None
        clock.now += 1
        assert state.owner(secret) is None
        other, kept = state.make_token("ann", ServiceRole.ANALYST, None)
        assert state.owner(other) is not None
        assert state.revoke(kept.id).status(clock.now) == "revoked"
        assert state.owner(other) is None
        assert [one.status(clock.now) for one in state.tokens()] == ["expired", "revoked"]
        assert token.id != kept.id


@pytest.mark.parametrize("secret", ["", "tct_", "x" * 10_000, "\ud800", "' OR 1=1 --", "tct_" + "A" * 43])
def test_what_was_never_made_opens_nothing(tmp_path: Path, secret: str) -> None:
    with ServiceState(tmp_path / "state") as state:
        state.make_token("ann", ServiceRole.ANALYST, None)
        assert state.owner(secret) is None


def test_a_token_is_nowhere_on_the_disk_nor_in_a_repr(tmp_path: Path) -> None:
    with ServiceState(tmp_path / "state") as state:
        secret, token = state.make_token("ann", ServiceRole.HOLDER, None)
        files = [path.read_bytes() for path in (tmp_path / "state").iterdir()]
        assert len(files) >= 2
        assert not any(secret.encode() in content or secret[4:].encode() in content for content in files)
        assert secret not in repr(token) and token.digest.hex() not in repr(token)
    assert len(secret) == 4 + 43  # 32 bytes


def test_tokens_are_of_one_server(tmp_path: Path) -> None:
    with ServiceState(tmp_path / "one") as one, ServiceState(tmp_path / "two") as two:
        secret, _ = one.make_token("ann", ServiceRole.ANALYST, None)
        assert two.owner(secret) is None
        assert one.digest("form", "x") != two.digest("form", "x") != one.digest("token", "x")


def test_a_name_has_one_role_at_a_time(tmp_path: Path) -> None:
    with ServiceState(tmp_path / "state") as state:
        _, first = state.make_token("ann", ServiceRole.ANALYST, None)
        state.make_token("ann", ServiceRole.ANALYST, None)
        with pytest.raises(UsageError, match="another role"):
            state.make_token("ann", ServiceRole.AUDITOR, None)
        for token in state.tokens():
            state.revoke(token.id)
        state.make_token("ann", ServiceRole.AUDITOR, None)
        with pytest.raises(UsageError, match="no such token"):
            state.revoke(first.id + "0")


@pytest.mark.parametrize("name", ["", " ann", "a\nb", "\x1b[2J", "x" * 61])
def test_a_name_can_be_printed(tmp_path: Path, name: str) -> None:
    with ServiceState(tmp_path / "state") as state, pytest.raises(UsageError):
        state.make_token(name, ServiceRole.ANALYST, None)


def test_only_the_owner_can_look_into_the_folder(tmp_path: Path) -> None:
    ServiceState(tmp_path / "state").close()
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").iterdir()} == {0o600}
    (tmp_path / "state").chmod(0o750)
    with pytest.raises(InputError, match="others can look"):
        ServiceState(tmp_path / "state")
    (tmp_path / "state").chmod(0o700)
    (tmp_path / "state" / "server.key").chmod(0o640)
    with pytest.raises(InputError, match="others can read"):
        ServiceState(tmp_path / "state")


def test_a_state_of_something_else_is_refused(tmp_path: Path) -> None:
    ServiceState(tmp_path / "state").close()
    file = tmp_path / "state" / "service.sqlite"
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(InputError, match="newer"):
        ServiceState(tmp_path / "state")
    file.write_bytes(b"no database, but something that somebody put here" * 100)
    for more in ("-wal", "-shm"):
        Path(f"{file}{more}").unlink(missing_ok=True)
    with pytest.raises(InputError, match="cannot be used"):
        ServiceState(tmp_path / "state")
    (tmp_path / "state" / "server.key").write_bytes(b"")
    with pytest.raises(InputError, match="not the key"):
        ServiceState(tmp_path / "state")
    with pytest.raises(OutputError):
        ServiceState(tmp_path / "no" / "folder")


FORMAT_1 = (
    "CREATE TABLE tokens (id TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, created REAL NOT NULL, "
    "expires REAL, revoked REAL, digest BLOB NOT NULL UNIQUE)",
    "CREATE TABLE limits (name TEXT PRIMARY KEY, level REAL NOT NULL, at REAL NOT NULL)",
    "PRAGMA application_id = 1413567318",
    "PRAGMA user_version = 1",
)
"""What the version before sessions made."""


def in_format_1(folder: Path) -> str:
    """Make a state as that version did, with a token; return the token."""
    folder.mkdir(mode=0o700)
    (folder / "server.key").write_bytes(bytes(32))
    secret = "tct_" + "A" * 43
    digest = hmac.digest(bytes(32), f"token\0{secret}".encode(), "sha256")
    with contextlib.closing(sqlite3.connect(folder / "service.sqlite", isolation_level=None)) as connection:
        for statement in FORMAT_1:
            connection.execute(statement)
        connection.execute("INSERT INTO tokens VALUES ('ab', 'ann', 'analyst', 1, NULL, NULL, ?)", (digest,))
        connection.execute("INSERT INTO limits VALUES ('ann', 2, 1)")
    for path in folder.iterdir():
        path.chmod(0o600)
    return secret


def test_a_state_of_an_earlier_format_is_brought_up_to_date(tmp_path: Path) -> None:
    secret = in_format_1(tmp_path / "old")
    for _ in range(2):  # and stays so
        with ServiceState(tmp_path / "old") as state:
            owner = state.owner(secret)
            assert owner is not None and (owner.name, owner.kind) == ("ann", TokenKind.TOKEN)
            assert state._tokens.execute("PRAGMA user_version").fetchone() == (2,)
            assert state._tokens.execute("SELECT name, level FROM limits").fetchall() == [("ann", 2.0)]
            state.make_session("oidc:eve", ServiceRole.ANALYST, 1)
    with ServiceState(tmp_path / "new") as new, ServiceState(tmp_path / "old") as old:
        shapes = [one._tokens.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall() for one in (new, old)]
    assert shapes[0] == shapes[1]


def test_a_step_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = in_format_1(tmp_path / "old")
    with monkeypatch.context() as patch:
        patch.setattr("tacita.service.state._STEPS", ((), ("ALTER TABLE tokens ADD COLUMN kind TEXT", "NO SQL")))
        with pytest.raises(InputError):
            ServiceState(tmp_path / "old")
    with contextlib.closing(sqlite3.connect(tmp_path / "old" / "service.sqlite")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert "kind" not in str(connection.execute("SELECT sql FROM sqlite_master").fetchall())
    with ServiceState(tmp_path / "old") as state:
        assert state.owner(secret) is not None


def test_tokens_are_forced_to_the_disk(tmp_path: Path) -> None:
    with ServiceState(tmp_path / "state") as state:
        assert state._tokens.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
        assert state._tokens.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_bucket_empties_and_fills(tmp_path: Path) -> None:
    clock = Clock()
    with ServiceState(tmp_path / "state", clock=clock) as state:
        turns = [state.wait_for_turn("ann", rate=2, burst=3) for _ in range(4)]
        assert turns[:3] == [0, 0, 0] and turns[3] == 0.5
        assert state.wait_for_turn("bob", rate=2, burst=3) == 0
        clock.now += 0.5
        assert state.wait_for_turn("ann", rate=2, burst=3) == 0
        assert state.wait_for_turn("ann", rate=2, burst=3) > 0


def test_a_clock_that_jumps_fills_nothing_backwards_and_one_burst_forwards(tmp_path: Path) -> None:
    clock = Clock()
    with ServiceState(tmp_path / "state", clock=clock) as state:
        for _ in range(3):
            state.wait_for_turn("ann", rate=1, burst=3)
        clock.now -= 1e6
        assert state.wait_for_turn("ann", rate=1, burst=3) > 0
        clock.now += 1  # the clock goes on from where it was put
        assert state.wait_for_turn("ann", rate=1, burst=3) == 0
        clock.now += 1e9
        assert [state.wait_for_turn("ann", rate=1, burst=3) > 0 for _ in range(5)] == [False] * 3 + [True] * 2


def test_two_processes_share_buckets_and_revocations(tmp_path: Path) -> None:
    clock = Clock()
    with (
        ServiceState(tmp_path / "state", clock=clock) as one,
        ServiceState(tmp_path / "state", clock=clock) as two,
    ):
        secret, token = one.make_token("ann", ServiceRole.ANALYST, None)
        assert two.owner(secret) is not None
        turns = [state.wait_for_turn("ann", rate=1, burst=4) for _ in range(3) for state in (one, two)]
        assert turns.count(0) == 4
        two.revoke(token.id)
        assert one.owner(secret) is None


def test_a_locked_state_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacita.service.state._WAIT", 0.0)
    with ServiceState(tmp_path / "state") as one, ServiceState(tmp_path / "state") as two:
        with one._writing(one._tokens), pytest.raises(LedgerBusy):
            two.make_token("ann", ServiceRole.ANALYST, None)
        assert two.tokens() == []
