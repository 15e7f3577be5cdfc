"""What the tests of the ledger share: a ledger of each store, so that one suite holds for all of them."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers import postgresql

from tacita.ledger.entry import NewEntry
from tacita.ledger.ledger import Ledger
from tacita.ledger.stores.postgresql import PostgresqlStore
from tacita.ledger.stores.sqlite import SqliteStore

__all__ = ["postgresql"]


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of the test's own."""
    monkeypatch.setenv("TACITA_STATE", str(tmp_path / "state"))
    return tmp_path / "state"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite"


@pytest.fixture(params=["sqlite", "postgresql"])
def new_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Ledger]:
    """A maker of empty ledgers, in each of the databases: what is tested with it holds for all of them."""
    number = itertools.count()

    def make() -> Ledger:
        if request.param == "sqlite":
            return Ledger(SqliteStore.create(tmp_path / f"ledger{next(number)}.sqlite", "bank"))
        address: str = request.getfixturevalue("postgresql")
        return Ledger(PostgresqlStore.create(address, "bank", f"l{secrets.token_hex(8)}"))

    return make


@pytest.fixture
def ledger(new_ledger: Callable[[], Ledger]) -> Iterator[Ledger]:
    """A new ledger."""
    with new_ledger() as ledger:
        yield ledger


@pytest.fixture
def entry() -> Callable[..., NewEntry]:
    """A maker of entries."""

    def make(number: int = 1, **changes: Any) -> NewEntry:
        fields: dict[str, Any] = {
            "kind": "table release",
            "source": "a" * 64,
            "subject": "survey",
            "recipient": "university",
            "policy": "b" * 64,
            "decision": "released",
            "payload": {"number": number, "title": "Umsätze"},
        }
        return NewEntry(**(fields | changes))

    return make
