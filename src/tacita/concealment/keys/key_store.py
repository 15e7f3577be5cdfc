"""The key store: a random key for each person, wrapped under the master key, in one Parquet file.

A key is wrapped by AES-SIV under a key that is derived from the master key for the data set, with (format, data set,
person) as associated data: an entry moved to another person or another store does not open. A code over all entries
(HMAC-SHA256) shows when entries were added or taken away by anyone who has no master key. An older copy of the whole
file opens: nothing in a file can say that it is not the latest.

To erase a person is to leave their entry out of the next file. The cells stay sealed for ever, if no copy survives:
backups of the store, exported keys, and disk blocks of the old file that were not overwritten yet.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tacita.concealment.keys.ciphers import (
    CHECK_LENGTH,
    KEY_LENGTH,
    TAG_LENGTH,
    Confidential,
    aes_siv,
    key_check,
)
from tacita.concealment.keys.master_key import MasterKey
from tacita.concealment.keys.person_keys import as_texts, check_data_set_id
from tacita.errors import InputError, UsageError, counted, raise_alone
from tacita.files.private_file import private_file
from tacita.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
_METADATA = b"tacita_key_store"
_WRAPPED_LENGTH = TAG_LENGTH + KEY_LENGTH
_RESTORE = "restore the store from a copy"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class KeyStore(Confidential):
    """The keys of the persons of a data set, and the master key that they are wrapped with when they are written.

    A change is a new store; the file changes when the new store is written.

    >>> store = KeyStore.create(["P1", "P2", "P1"], MasterKey(secrets.token_bytes(64)), "survey")
    >>> len(store), "P2" in store, len(store.without_persons(["P2"]))
    (2, True, 1)
    >>> store.without_persons(["P2"]).keys_of(["P1", "P2"]) == [*store.keys_of(["P1"]), None]
    True
    """

    data_set: str
    _master: MasterKey
    _keys: Mapping[str, bytes]

    @classmethod
    def create(cls, persons: pa.Array | Iterable[str | int], master: MasterKey, data_set: str) -> KeyStore:
        """Return a store with a new random key for each person; persons may come several times.

        Raises `InputError` if records have no person, and `UsageError` if the id of the data set cannot be one.
        """
        check_data_set_id(data_set)
        return cls(data_set, master, MappingProxyType({})).with_persons(persons)

    @classmethod
    def read(cls, path: Path, master: MasterKey, data_set: str) -> KeyStore:
        """Return the store in a file; see `from_table` for what is checked."""
        return cls.from_table(_parquet(path), master, data_set, where=str(path))

    @classmethod
    def from_table(cls, table: pa.Table, master: MasterKey, data_set: str, *, where: str = "key store") -> KeyStore:
        """Return the store in a table, as `as_table` gives it.

        Raises `InputError` if it is not a key store, was made by a newer Tacita, belongs to another data set or another
        master key, or if entries are damaged, were added or are gone; with counts, without persons.
        """
        facts = _facts(table, where)
        if facts["data_set"] != data_set:
            raise InputError("is the key store of another data set", where=where, do="give the store of this data set")
        if not master.fits(bytes.fromhex(facts["master_key_check"])):
            raise InputError(
                "the master key is not the key of this store",
                where=where,
                do="give the key that the store was made with, or last rotated to",
            )
        if not table.schema.equals(_schema()) or any(column.null_count for column in table.columns):
            raise InputError("is not a key store: its columns are others", where=where, do=_RESTORE)
        entries = _entries(table)
        keys = _unwrapped(zip(*entries, strict=True), master, data_set, where)
        if len(keys) < table.num_rows:
            repeated = counted(table.num_rows - len(keys), "repeated entry")
            raise InputError(f"has {repeated}", where=where, do=_RESTORE)
        if not hmac.compare_digest(bytes.fromhex(facts["entries_code"]), _entries_code(entries, master, data_set)):
            raise InputError("has more or fewer entries than were written", where=where, do=_RESTORE)
        return cls(data_set, master, MappingProxyType(keys))

    @property
    def master_check(self) -> bytes:
        """The check value of the master key, for manifests."""
        return self._master.check

    @property
    def persons(self) -> tuple[str, ...]:
        """The persons that have a key, in their order; confidential, as identifiers are."""
        return tuple(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, person: object) -> bool:
        return person in self._keys

    def keys_of(self, persons: Sequence[str]) -> list[bytes | None]:
        """Return the key of each person; None for persons who were erased or never had one."""
        return [self._keys.get(person) for person in persons]

    def with_persons(self, persons: pa.Array | Iterable[str | int]) -> KeyStore:
        """Return a store with a new random key for each person who has none; the others keep theirs.

        Tokens that were sealed for a person before an erasure stay closed when the person is added again; they are then
        reported as damaged, since a key is there and does not fit.
        """
        new = sorted(set(as_texts(persons, "person").to_pylist()) - self._keys.keys())
        random = secrets.token_bytes(KEY_LENGTH * len(new))
        keys = {person: random[KEY_LENGTH * at : KEY_LENGTH * (at + 1)] for at, person in enumerate(new)}
        return self._with_keys({**self._keys, **keys})

    def without_persons(self, persons: pa.Array | Iterable[str | int]) -> KeyStore:
        """Return a store without the keys of some persons: once the old file and its copies are gone, they are erased.

        Raises `UsageError` with a count if some of them have no key here; then nobody is erased.
        """
        erased = set(as_texts(persons, "person").to_pylist())
        if unknown := len(erased - self._keys.keys()):
            have = "has" if unknown == 1 else "have"
            raise UsageError(
                f"{unknown:,} of {counted(len(erased), 'person')} to erase {have} no key in this store",
                do="check the identifiers, and the data set; nobody was erased",
            )
        return self._with_keys({person: key for person, key in self._keys.items() if person not in erased})

    def with_master(self, master: MasterKey) -> KeyStore:
        """Return the same keys under a new master key; tokens stay as they are, and open with the rotated store.

        Raises `UsageError` if the new key is the old one.
        """
        if master == self._master:
            raise UsageError("the new master key is the old one", do="make a new key")
        return KeyStore(self.data_set, master, self._keys)

    def as_table(self) -> pa.Table:
        """Return the store as it is written: person, wrapped key, key check, by person; equal for equal keys."""
        import pyarrow as pa

        cipher = aes_siv(self._master.derive(self.data_set, b"wrapping key 1"))
        head = _associated(self.data_set)
        persons = [person.encode() for person in self._keys]
        wrapped = [
            cipher.encrypt(key, [*head, person]) for person, key in zip(persons, self._keys.values(), strict=True)
        ]
        checks = [key_check(key, b"person") for key in self._keys.values()]
        facts = {
            "format": FORMAT,
            "data_set": self.data_set,
            "master_key_check": self._master.check.hex(),
            "entries_code": _entries_code([persons, wrapped, checks], self._master, self.data_set).hex(),
        }
        schema = _schema().with_metadata({_METADATA: json.dumps(facts).encode()})
        return pa.Table.from_arrays(
            [pa.array(cells, field.type) for cells, field in zip((persons, wrapped, checks), schema, strict=True)],
            schema=schema,
        )

    def write(self, path: Path, *, force: bool = False, settings: Settings | None = None) -> None:
        """Write the store to a Parquet file with mode 0600, atomically; `force` replaces an older one.

        Raises `OutputError` if the file exists and `force` is not set, or cannot be written.
        """
        import pyarrow.parquet as pq

        table = self.as_table()
        with private_file(path, force=force, settings=settings) as partial:
            pq.write_table(table, partial, compression="none", use_dictionary=False, write_statistics=False)

    def _with_keys(self, keys: Mapping[str, bytes]) -> KeyStore:
        return KeyStore(self.data_set, self._master, MappingProxyType(dict(sorted(keys.items()))))

    def __repr__(self) -> str:
        return f"<KeyStore: {counted(len(self), 'key')}>"


def _schema() -> pa.Schema:
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("person", pa.string(), nullable=False),
            pa.field("wrapped_key", pa.binary(_WRAPPED_LENGTH), nullable=False),
            pa.field("key_check", pa.binary(CHECK_LENGTH), nullable=False),
        ]
    )


def _associated(data_set: str) -> list[bytes]:
    """Return what every wrapped key is bound to, besides its person."""
    return [b"tacita key store %d" % FORMAT, data_set.encode()]


def _entries(table: pa.Table) -> list[list[bytes]]:
    """Return persons, wrapped keys and checks; persons as bytes, since a damaged one may not be text."""
    import pyarrow as pa

    return [column.cast(pa.binary()).to_pylist() for column in table.columns]


def _entries_code(entries: Sequence[Sequence[bytes]], master: MasterKey, data_set: str) -> bytes:
    """Return the code over all entries; of an entry only the person has a length of its own, which goes before it."""
    digest = hashlib.sha256()
    for person, key, check in zip(*entries, strict=True):
        digest.update(len(person).to_bytes(8, "little") + person + key + check)
    return hmac.digest(master.derive(data_set, b"code of entries 1"), digest.digest(), "sha256")


def _unwrapped(entries: Iterator[tuple[bytes, ...]], master: MasterKey, data_set: str, where: str) -> dict[str, bytes]:
    """Return the key of each person; raise with the number of entries that do not open."""
    from cryptography.exceptions import InvalidTag

    cipher = aes_siv(master.derive(data_set, b"wrapping key 1"))
    head = _associated(data_set)
    keys: dict[str, bytes] = {}
    damaged = 0
    for person, wrapped, check in entries:
        try:
            key = cipher.decrypt(wrapped, [*head, person])
        except InvalidTag:
            damaged += 1
            continue
        damaged += not hmac.compare_digest(key_check(key, b"person"), check)
        keys[person.decode()] = key
    if damaged:
        raise_alone(InputError(f"has {counted(damaged, 'damaged entry')}", where=where, do=_RESTORE))
    return keys


def _parquet(path: Path) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path).read()
    except FileNotFoundError:
        raise InputError("the key store does not exist", where=str(path), do="name its file") from None
    except (OSError, pa.ArrowException):
        raise_alone(InputError("is not a key store: not a whole Parquet file", where=str(path), do=_RESTORE))


def _facts(table: pa.Table, where: str) -> dict[str, Any]:
    """Return what the store says of itself, checked for its form."""
    try:
        facts = json.loads((table.schema.metadata or {})[_METADATA])
        version = facts["format"]
        if isinstance(version, int) and version > FORMAT:
            raise InputError("was made by a newer Tacita", where=where, do="install that version, or a newer one")
        texts = [facts[name] for name in ("data_set", "master_key_check", "entries_code")]
        well_formed = version == FORMAT and all(isinstance(text, str) for text in texts)
        for text in texts[1:]:
            bytes.fromhex(text)
    except (KeyError, ValueError, TypeError, RecursionError):
        well_formed = False
    if not well_formed:
        raise InputError("is not a key store", where=where, do="name the file of the key store")
    return dict(facts)
