"""The ledger of a gate: the one that is configured, or one of its own in the internal folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tacita.errors import LedgerError
from tacita.ledger.ledger import Ledger
from tacita.ledger.recipients import Recipients
from tacita.ledger.seen import SeenState
from tacita.ledger.settings_file import find_ledger_settings
from tacita.ledger.stores.sqlite import SqliteStore
from tacita.settings import Settings

OWN_LEDGER = "gate-ledger.sqlite"
NO_LEDGER = (
    "No ledger is configured: this gate keeps one of its own in the internal folder. Nothing was compared with other "
    "releases, and other gates do not see what this one releases."
)


@dataclass(frozen=True, slots=True)
class GateLedger:
    """An open ledger, and who its recipients are."""

    ledger: Ledger
    recipients: Recipients = field(default_factory=Recipients)
    is_own: bool = False
    """Whether it belongs to this gate alone."""


def make_own_ledger(internal: Path, settings: Settings | None) -> None:
    """Make the ledger of a gate in its internal folder."""
    SqliteStore.create(internal / OWN_LEDGER, "gate", settings=settings).close()


def own_ledger(internal: Path, settings: Settings | None) -> GateLedger:
    """Return the ledger in an internal folder; without it nobody knows what has left."""
    path = internal / OWN_LEDGER
    if not path.exists():
        raise LedgerError(
            "the ledger of this gate is gone: what has left before is not known",
            where=str(path),
            do="restore it from a backup: a gate that begins anew does not count what others have",
        )
    store = SqliteStore(path)
    return GateLedger(Ledger(store, SeenState(store.identity.id, settings)), is_own=True)


def configured_ledger(folder: Path, settings: Settings | None) -> GateLedger | None:
    """Return the ledger of what is released to a folder; None if none is configured."""
    configured = find_ledger_settings(folder, settings)
    if configured is None:
        return None
    return GateLedger(configured.open(settings), configured.recipients)


def ledger_of(folder: Path, internal: Path, id_: str, settings: Settings | None = None) -> GateLedger | None:
    """Return the ledger of a folder of increments; None if it cannot be reached from here.

    An empty id is that of the ledger in the internal folder.
    """
    if not id_:
        return own_ledger(internal, settings) if (internal / OWN_LEDGER).is_file() else None
    given = configured_ledger(folder.resolve().parent, settings)
    if given is None:
        return None
    if given.ledger.identity.id != id_:
        place = given.ledger.place
        given.ledger.close()
        raise LedgerError(
            "is not the ledger that has the records of this folder",
            where=place,
            do="restore the ledger that the internal manifest names",
        )
    return given
