"""The key of one person in a file of their own, so that they can open their own cells without the store."""

from __future__ import annotations

import base64
import hmac
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.concealment.keys.ciphers import Confidential, key_check
from tacita.concealment.keys.master_key import key_weakness
from tacita.concealment.keys.person_keys import PersonKeys, as_texts, check_data_set_id
from tacita.errors import InputError, UsageError, counted
from tacita.files.private_file import private_file, read_private
from tacita.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

_NAME = "tacita person key"
FORMAT = 1
_FIELDS = {"name": str, "format": int, "data_set": str, "person": str, "row_ids": list, "key": str, "key_check": str}
_DO = "ask for the file again"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ExportedKey(Confidential):
    """The key of one person, the data set it belongs to, and the ids of the rows whose cells it opens.

    The person is part of it, since every token is bound to the person.
    """

    data_set: str
    person: str
    row_ids: tuple[str, ...]
    _key: bytes

    def __post_init__(self) -> None:
        check_data_set_id(self.data_set)
        faults = []
        if not self.person:
            faults.append("has no person")
        if not self.row_ids or not all(self.row_ids):
            faults.append("has no row id, or an empty one")
        if repeated := len(self.row_ids) - len(set(self.row_ids)):
            faults.append(f"repeats {counted(repeated, 'row id')}")
        if (why := key_weakness(self._key)) is not None:
            faults.append(why)
        if faults:
            raise UsageError(f"the key of a person {'; it '.join(faults)}", do="export it from the store")

    @property
    def check(self) -> bytes:
        """The check value of the key, as it stands beside the entry in the store."""
        return key_check(self._key, b"person")

    def keys_of(self, persons: Sequence[str]) -> list[bytes | None]:
        """Return the key for this person, and None for all others."""
        return [self._key if person == self.person else None for person in persons]

    def write(self, path: Path, *, settings: Settings | None = None) -> None:
        """Write the key to a new JSON file with mode 0600, atomically.

        Raises `OutputError` if the file exists already or cannot be written.
        """
        facts = {
            "name": _NAME,
            "format": FORMAT,
            "data_set": self.data_set,
            "person": self.person,
            "row_ids": list(self.row_ids),
            "key": base64.b64encode(self._key).decode(),
            "key_check": self.check.hex(),
        }
        with private_file(path, settings=settings) as partial:
            partial.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8", newline="\n")


def export_key(keys: PersonKeys, person: str, row_ids: pa.Array | Iterable[str | int]) -> ExportedKey:
    """Return the key of one person for their rows.

    Raises `UsageError` if the person has no key, or no row.
    """
    (key,) = keys.keys_of([person])
    if key is None:
        raise UsageError("this person has no key here", do="check the identifier; the person may have been erased")
    return ExportedKey(keys.data_set, person, tuple(as_texts(row_ids, "row id").to_pylist()), key)


def read_exported_key(path: Path, data_set: str) -> ExportedKey:
    """Return the key in a file that `ExportedKey.write` made.

    Raises `InputError` if the file is missing, is not a regular file, is open to the group or to others, was made by a
    newer Tacita, is for another data set, or is not exactly what was written.
    """
    content = read_private(path, "the key of a person")
    exported = None
    try:
        facts = json.loads(content.decode(), object_pairs_hook=_without_repetitions)
        if _is_newer(facts):
            raise InputError("was made by a newer Tacita", where=str(path), do="install that version, or a newer one")
        exported = _checked(facts)
    except (ValueError, RecursionError, UsageError):
        pass  # what they say may quote the key
    if exported is None:
        raise InputError("is not the whole key of a person", where=str(path), do=_DO)
    if exported.data_set != data_set:
        raise InputError("is a key for another data set", where=str(path), do="give the key for this data set")
    return exported


def _is_newer(facts: Any) -> bool:
    return isinstance(facts, dict) and facts.get("name") == _NAME and _is_above(facts.get("format"))


def _is_above(version: Any) -> bool:
    return isinstance(version, int) and version > FORMAT


def _without_repetitions(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def _checked(facts: Any) -> ExportedKey:
    """Return the key that a file states; raise `ValueError` or `UsageError` if it is not what was written."""
    if not isinstance(facts, dict) or facts.keys() != _FIELDS.keys():
        raise ValueError("other fields")
    if any(type(facts[name]) is not type_ for name, type_ in _FIELDS.items()):
        raise ValueError("other types")
    if facts["name"] != _NAME or facts["format"] != FORMAT or any(type(row) is not str for row in facts["row_ids"]):
        raise ValueError("another format")
    "".join([facts["data_set"], facts["person"], *facts["row_ids"]]).encode()  # fails for halves of characters
    key = base64.b64decode(facts["key"], validate=True)
    exported = ExportedKey(facts["data_set"], facts["person"], tuple(facts["row_ids"]), key)
    if base64.b64encode(key).decode() != facts["key"]:
        raise ValueError("another spelling of the key")
    if not hmac.compare_digest(exported.check.hex().encode(), facts["key_check"].encode()):
        raise ValueError("another key")
    return exported
