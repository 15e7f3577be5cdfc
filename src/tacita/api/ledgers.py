"""Ledgers: make one, look into it, verify it, purge payloads, prove entries. Releases append by themselves.

Without a settings file that is named, the ledger is that of the working folder: its settings file stands there or in a
folder above, or the setting `ledger` (TACITA_LEDGER) names it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tacita.errors import InputError, TacitaError, UsageError, listed
from tacita.files.atomic import check_target, write_text
from tacita.ledger.checkpoint import LedgerCheckpoint
from tacita.ledger.corrections import released_folder, releases_that_never_left, withdraw, write_note
from tacita.ledger.entry import PURGE, Entry
from tacita.ledger.exporting import write_export
from tacita.ledger.ledger import Ledger, accept_older_copy
from tacita.ledger.proof import EntryProof
from tacita.ledger.results import (
    AppendedEntry,
    LedgerExport,
    LedgerLog,
    NewCheckpoint,
    NewLedger,
    ProofVerification,
    ShownEntry,
)
from tacita.ledger.seen import SeenState, remember_place
from tacita.ledger.settings_file import (
    FILE,
    LedgerSettings,
    find_ledger_settings,
    is_address,
    read_ledger_settings,
)
from tacita.ledger.signing import SigningKey, VerifyingKey, check_key_name
from tacita.ledger.stores.sqlite import SqliteStore
from tacita.ledger.stores.store import SCHEMA, EntryQuery, LedgerStore
from tacita.ledger.verification import Evidence, LedgerVerification
from tacita.options import option
from tacita.progress import Progress, silent
from tacita.settings import Settings

__all__ = [
    "SCHEMA",
    "LedgerPlan",
    "LogOptions",
    "checkpoint",
    "export",
    "init",
    "log",
    "note",
    "prove",
    "purge",
    "restore",
    "show",
    "verify",
    "verify_proof",
    "withdraw_release",
]
LEDGER = "tacita-ledger.sqlite"
_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerPlan:
    """How a new ledger is kept."""

    name: str = option("ledger", help="What the organisation calls it: one word, such as bank-of-example.")
    file: Path | None = option(None, help="The SQLite file; default: tacita-ledger.sqlite beside the settings file.")
    database: str | None = option(
        None, metavar="URL", help="A PostgreSQL database instead: postgresql://USER@HOST/DATABASE, without a password."
    )
    schema: str = option(SCHEMA, help="The schema of the database that is made for the ledger.")
    signing_key: Path | None = option(
        None, help="File of the Ed25519 key that signs checkpoints; made if it is not there."
    )
    instead_of: tuple[str, ...] = option(
        (), metavar="ID", help="The id of a ledger of a folder above that this one replaces; may be repeated."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions:
    """Which entries to list."""

    kind: tuple[str, ...] = option((), help="Kinds of entries, such as 'table release'; may be repeated.")
    subject: str | None = option(None, help="Entries of one source.")
    recipient: tuple[str, ...] = option((), help="Entries of recipients; 'public' is everybody; may be repeated.")
    after: int = option(0, least=0, help="Entries after this one.")
    last: int = option(50, least=1, help="How many to list: the last ones.")


def init(folder: Path | str = ".", plan: LedgerPlan | None = None, *, settings: Settings | None = None) -> NewLedger:
    """Make a ledger and its settings file in a folder.

    Raises `OutputError` if there is one, and `UsageError` if a folder above has another ledger.
    """
    folder, plan = Path(folder).resolve(), plan or LedgerPlan()
    path = folder / FILE
    check_key_name(plan.name)
    check_target(path, force=False)
    if plan.file is not None and plan.database is not None:
        raise UsageError("both a file and a database are given", do="give --file or --database")
    above = find_ledger_settings(folder, settings)
    if above is not None and above.id not in plan.instead_of:
        raise UsageError(
            f"what is released here is recorded in another ledger: {above.path}",
            do=f"use that one; for a ledger of its own add --instead-of {above.id}",
        )
    if plan.database is not None and not is_address(plan.database):
        raise UsageError(
            "the address of the database is not postgresql://USER@HOST/DATABASE without a password",
            do="leave the password out, and keep it in ~/.pgpass",
        )
    file = (plan.file or folder / LEDGER).resolve() if plan.database is None else None
    key = _key(plan, settings)
    if file is None:
        assert plan.database is not None
        from tacita.ledger.stores.postgresql import PostgresqlStore

        store: LedgerStore = PostgresqlStore.create(plan.database, plan.name, plan.schema)
    else:
        store = SqliteStore.create(file, plan.name, settings=settings)
    id_, place = store.identity.id, store.place
    store.close()
    given = LedgerSettings(
        path,
        plan.name,
        id_,
        file,
        plan.database,
        plan.schema,
        None if plan.signing_key is None else plan.signing_key.resolve(),
        None if key is None else key.verifying,
        plan.instead_of,
    )
    try:
        write_text(path, given.to_toml(), force=False, settings=settings)
        remember_place(path, id_, settings)
    except TacitaError:
        if file is not None:
            file.unlink()  # it is empty, and nothing names it
        raise
    return NewLedger(read_ledger_settings(path), place)


def log(
    options: LogOptions | None = None, settings_file: Path | None = None, *, settings: Settings | None = None
) -> LedgerLog:
    """Return the last entries of those that are asked for."""
    options = options or LogOptions()
    with opened_ledger(settings_file, settings) as (given, ledger):
        recipients = [given.recipients.named(name) for name in options.recipient] if options.recipient else None
        among = None if recipients is None else tuple(recipients)
        query = EntryQuery(options.after, None, options.kind, options.subject, among)
        matching, entries = ledger.last_entries(query, options.last)
        folders = {entry.sequence: folder for entry in entries if (folder := _folder(ledger, entry))}
        withdrawn = releases_that_never_left(ledger)
        size = ledger.head.size
        return LedgerLog(given.name, ledger.place, given.path.parent, size, matching, entries, folders, withdrawn)


def show(
    sequence: int,
    settings_file: Path | None = None,
    *,
    with_payload: bool = False,
    settings: Settings | None = None,
) -> ShownEntry:
    """Return one entry and what has become of it; the payload is shown only `with_payload`, since it is internal."""
    with opened_ledger(settings_file, settings) as (_, ledger):
        entry = ledger.entry(sequence)
        payload = ledger.payload(entry)
        return ShownEntry(
            entry,
            payload,
            _purged_by(ledger, sequence) if payload is None else None,
            releases_that_never_left(ledger).get(sequence),
            _folder(ledger, entry),
            released_folder(ledger, entry) is not None,
            with_payload,
        )


def verify(
    settings_file: Path | None = None,
    checkpoints: Sequence[Path] = (),
    public_key: str | None = None,
    *,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> LedgerVerification:
    """Recompute every hash, and compare the ledger with its checkpoints and with those that are given.

    A checkpoint is a file with its text, the internal folder of a release, or an export.
    """
    with opened_ledger(settings_file, settings) as (given, ledger):
        key = given.public_key if public_key is None else VerifyingKey.from_text(public_key)
        evidence = Evidence([(str(path), _checkpoint_in(path)) for path in checkpoints], key)
        return ledger.verify(evidence, progress=progress)


def verify_proof(proof: Path, public_key: str | None = None) -> ProofVerification:
    """Check the proof of one entry; it needs no ledger."""
    try:
        text = proof.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError("cannot be read", where=str(proof), do="name the file of a proof") from None
    given = EntryProof.from_text_file(text, str(proof))
    key = None if public_key is None else VerifyingKey.from_text(public_key)
    return ProofVerification(given.entry, given.checkpoint, tuple(given.faults(key)), key is not None)


def export(
    out: Path,
    settings_file: Path | None = None,
    *,
    with_payloads: bool = False,
    force: bool = False,
    settings: Settings | None = None,
) -> LedgerExport:
    """Write all entries and a checkpoint as lines of JSON, which anybody can verify without Tacita."""
    with opened_ledger(settings_file, settings) as (given, ledger):
        check_target(out, force=force)
        state = ledger.checkpoint(given.key())
        write_export(ledger, out, state, with_payloads=with_payloads, force=force, settings=settings)
        return LedgerExport(out, state, with_payloads)


def purge(
    sequences: Sequence[int], why: str, settings_file: Path | None = None, *, settings: Settings | None = None
) -> AppendedEntry:
    """Delete payloads for ever, and record it; the chain stays whole. Backups keep what they have."""
    with opened_ledger(settings_file, settings) as (_, ledger):
        entry = ledger.purge(sequences, why)
        numbers = listed(sorted(set(sequences)))
        word = "payload" if len(set(sequences)) == 1 else "payloads"
        return AppendedEntry(entry, f"Purged the {word} of entry {numbers}; recorded as entry {entry.sequence}.")


def checkpoint(
    out: Path | None = None,
    settings_file: Path | None = None,
    *,
    force: bool = False,
    settings: Settings | None = None,
) -> NewCheckpoint:
    """Return the state of the ledger as a checkpoint, signed if the settings name a key; `out` keeps it in a file."""
    with opened_ledger(settings_file, settings) as (given, ledger):
        if out is not None:
            check_target(out, force=force)
        state = ledger.checkpoint(given.key())
        if out is not None:
            write_text(out, state.note, force=force, settings=settings)
        return NewCheckpoint(state, out)


def prove(
    sequence: int,
    out: Path | None = None,
    settings_file: Path | None = None,
    *,
    force: bool = False,
    settings: Settings | None = None,
) -> EntryProof:
    """Return the proof that an entry is in the ledger, without the others; `out` keeps it in a file."""
    with opened_ledger(settings_file, settings) as (given, ledger):
        ledger.entry(sequence)
        if out is not None:
            check_target(out, force=force)
        proof = ledger.prove(sequence, ledger.checkpoint(given.key()))
        if out is not None:
            write_text(out, proof.to_text_file(), force=force, settings=settings)
        return proof


def withdraw_release(
    sequence: int,
    why: str,
    settings_file: Path | None = None,
    *,
    never_left: bool = False,
    settings: Settings | None = None,
) -> AppendedEntry:
    """Record that a release was withdrawn; with `never_left`, that nobody received it, so that it no longer counts."""
    with opened_ledger(settings_file, settings) as (_, ledger):
        entry = withdraw(ledger, sequence, why, never_left=never_left)
        effect = "it no longer counts" if never_left else "it counts as before, since somebody may have received it"
        sentence = f"Entry {sequence} is withdrawn; {effect}. Recorded as entry {entry.sequence}."
        return AppendedEntry(entry, sentence)


def note(
    text: str,
    settings_file: Path | None = None,
    *,
    subject: str = "",
    recipient: str | None = None,
    settings: Settings | None = None,
) -> AppendedEntry:
    """Record something in words, such as an output that left by another way."""
    with opened_ledger(settings_file, settings) as (given, ledger):
        if subject and subject not in given.sources:
            raise UsageError(
                "the subject is not a source of the settings file", do="add [sources.NAME], or leave it out"
            )
        entry = write_note(ledger, text, subject=subject, recipient=given.recipients.named(recipient))
        return AppendedEntry(entry, f"Noted as entry {entry.sequence}.")


def restore(why: str, settings_file: Path | None = None, *, settings: Settings | None = None) -> AppendedEntry:
    """Accept an older copy of a ledger whose latest one is lost, and record which entries are missing."""
    given = _settings_of(settings_file, settings)
    store = given.store()
    try:
        entry = accept_older_copy(store, SeenState(given.id, settings), why)
    finally:
        store.close()
    sentence = f"The older copy is the ledger from now on; the loss is recorded as entry {entry.sequence}."
    return AppendedEntry(entry, sentence)


def _settings_of(settings_file: Path | None, settings: Settings | None) -> LedgerSettings:
    if settings_file is not None:
        return read_ledger_settings(settings_file)
    given = find_ledger_settings(Path.cwd(), settings)
    if given is None:
        raise UsageError(
            "there is no ledger for this folder", do="make one with 'tacita ledger init', or name its settings file"
        )
    return given


@contextmanager
def opened_ledger(settings_file: Path | None, settings: Settings | None) -> Iterator[tuple[LedgerSettings, Ledger]]:
    """Hand out the ledger of a settings file, or of the working folder, with its settings."""
    given = _settings_of(settings_file, settings)
    with given.open(settings) as ledger:
        yield given, ledger


def _key(plan: LedgerPlan, settings: Settings | None) -> SigningKey | None:
    if plan.signing_key is None:
        return None
    if plan.signing_key.exists():
        return SigningKey.read(plan.signing_key, plan.name)
    return SigningKey.create(plan.signing_key, plan.name, settings=settings)


def _folder(ledger: Ledger, entry: Entry) -> str | None:
    payload = ledger.payload(entry)
    folder = None if payload is None else payload.get("folder")
    return folder if isinstance(folder, str) else None


def _purged_by(ledger: Ledger, sequence: int) -> int | None:
    for entry in ledger.entries(kinds=(PURGE,), after=sequence):
        payload = ledger.payload(entry)
        if payload is not None and sequence in payload["sequences"]:
            return entry.sequence
    return None


def _checkpoint_in(path: Path) -> LedgerCheckpoint:
    """Return the checkpoint of a file: its text, the manifest of a release, or the last line of an export."""
    file = path / _MANIFEST if path.is_dir() else path
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError("cannot be read", where=str(path), do="name a checkpoint") from None
    for part in (text, text.rstrip("\n").rpartition("\n")[2]):
        try:
            given = json.loads(part)
        except (ValueError, RecursionError):
            continue
        place = given.get("ledger", given) if isinstance(given, dict) else {}
        if isinstance(place, dict) and isinstance(place.get("checkpoint"), str):
            text = place["checkpoint"]
            break
    return LedgerCheckpoint.from_note(text, str(path))
