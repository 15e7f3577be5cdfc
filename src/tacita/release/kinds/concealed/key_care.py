"""Care of the keys of a release: erase persons, change the master key, give a person the key to their own cells.

The key store is in the internal folder. Erasing a person deletes the entry: the person's cells cannot be opened again,
unless a copy of the store survives somewhere. A new master key wraps the keys of persons anew; tokens stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tacita.concealment.keys import KeyStore, MasterKey, export_key, read_master_key
from tacita.errors import InputError, UsageError, counted
from tacita.model.result import Result
from tacita.release.kinds.concealed.reveal import keys_of, opened_with_tokens
from tacita.release.kinds.concealed.sealed import KEYS
from tacita.release.opening import OpenedRelease


@dataclass(frozen=True, slots=True, repr=False)
class KeyCare(Result):
    """What was done with keys."""

    done: str
    """In a sentence, without a name."""
    persons: int
    """How many persons have a key afterwards."""
    file: Path | None = None
    """The file that was written."""

    def _in_short(self) -> str:
        return self.done


def erase_persons(release: Path, key: Path, persons: Sequence[str], internal: Path | None = None) -> KeyCare:
    """Delete the keys of persons: their hidden cells in this release can never be opened again."""
    opened, store = _store(release, key, internal)
    if not persons:
        raise UsageError("nobody is named", do="name persons with --person ID, or --persons FILE with one in each line")
    left = store.without_persons(persons)
    left.write(opened.internal / KEYS, force=True)
    gone = counted(len(store) - len(left), "person")
    return KeyCare(f"The keys of {gone} were erased; {len(left):,} are left.", len(left), opened.internal / KEYS)


def rotate_key(release: Path, key: Path, new: Path, internal: Path | None = None) -> KeyCare:
    """Wrap the keys of all persons under another master key; the old one opens nothing of this folder any more."""
    opened, store = _store(release, key, internal)
    changed = store.with_master(read_master_key(new))
    changed.write(opened.internal / KEYS, force=True)
    done = f"The keys of {counted(len(changed), 'person')} are wrapped under the new master key."
    return KeyCare(done, len(changed), opened.internal / KEYS)


def export_person(release: Path, key: Path, person: str, target: Path, internal: Path | None = None) -> KeyCare:
    """Write the key of one person to a file, with which the person's own cells can be revealed."""
    opened = opened_with_tokens(release, internal)
    keys, persons = keys_of(opened, key)
    rows = [record for record, name in persons.items() if name == person]
    if not rows:
        raise InputError("this person has no record in the release", where=str(release), do="check the identifier")
    export_key(keys, person, rows).write(target)
    done = f"The key to the cells of one person ({counted(len(rows), 'record')}) was written to {target}."
    return KeyCare(done, len(keys) if isinstance(keys, KeyStore) else 0, target)


def _store(release: Path, key: Path, internal: Path | None) -> tuple[OpenedRelease, KeyStore]:
    opened = opened_with_tokens(release, internal)
    sealed = opened.manifest.get("sealed")
    if not isinstance(sealed, dict):
        raise InputError(
            "the internal folder is not there", where=str(opened.internal), do="say where it is: --internal"
        )
    if sealed.get("derived"):
        raise UsageError(
            "the keys of this release were derived from the master key: there is no store",
            where=str(release),
            do="conceal the data again without --derive-keys",
        )
    master: MasterKey = read_master_key(key)
    return opened, KeyStore.read(opened.internal / KEYS, master, str(sealed["data_set"]))
