"""Who has which key: what sealing and opening ask of a collection of keys, and keys that are derived, not stored."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacita.concealment.keys.ciphers import Confidential
from tacita.concealment.keys.master_key import MasterKey
from tacita.errors import InputError, UsageError, counted, raise_alone

if TYPE_CHECKING:
    import pyarrow as pa

_LONGEST_ID = 200


class PersonKeys(Protocol):
    """Keys of persons of one data set: a `KeyStore`, `DerivedKeys` or an `ExportedKey`."""

    @property
    def data_set(self) -> str:
        """The id of the data set; every token is bound to it."""

    def keys_of(self, persons: Sequence[str]) -> list[bytes | None]:
        """Return the key of each person; None where there is none, as after an erasure."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DerivedKeys(Confidential):
    """Keys derived from the master key by HKDF-SHA256; nothing is stored, and **nobody can be erased**.

    Whoever has the master key can derive the key of any person again, for ever. To let a person's values be forgotten,
    use a `KeyStore`.

    >>> keys = DerivedKeys(MasterKey(secrets.token_bytes(64)), "survey")
    >>> keys.keys_of(["P1"]) == keys.keys_of(["P1"]), keys.keys_of(["P1"]) == keys.keys_of(["P2"])
    (True, False)
    """

    master: MasterKey
    data_set: str

    def __post_init__(self) -> None:
        check_data_set_id(self.data_set)

    @property
    def master_check(self) -> bytes:
        """The check value of the master key, for manifests."""
        return self.master.check

    def keys_of(self, persons: Sequence[str]) -> list[bytes | None]:
        """Return the key of each person."""
        return [self.master.derive(self.data_set, b"person key 1", person) for person in persons]


def make_data_set_id() -> str:
    """Return a new id for a data set: 32 random hexadecimal digits."""
    return secrets.token_hex(16)


def check_data_set_id(data_set: str) -> None:
    """Raise `UsageError` if a text cannot be the id of a data set."""
    if not 1 <= len(data_set) <= _LONGEST_ID or not data_set.isprintable():
        raise UsageError(
            f"the id of the data set is empty, longer than {_LONGEST_ID} characters or not printable",
            do="use an id of make_data_set_id(), or a short name",
        )


def as_texts(values: pa.Array | pa.ChunkedArray | Iterable[str | int], noun: str) -> pa.StringArray:
    """Return persons or row ids as an array of texts, one chunk; whole numbers are written in decimal.

    Raises `InputError` with counts if some are missing or empty, or if they are neither text nor whole numbers.

    >>> as_texts([7, 12], "row id").to_pylist()
    ['7', '12']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    array = one_array(values, noun)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    is_text = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
    if not (is_text or pa.types.is_integer(array.type) or not len(array)):
        raise InputError(
            f"the {noun}s are neither text nor whole numbers ({array.type})", do=f"give every {noun} as text"
        )
    texts = array.cast(pa.string())
    empty = texts.null_count + (pc.sum(pc.equal(texts, "")).as_py() or 0)
    if empty:
        raise InputError(
            f"{counted(empty, 'record')} without a {noun}", do=f"name an attribute that gives every record a {noun}"
        )
    return texts


def one_array(values: Any, noun: str) -> pa.Array:
    """Return values as one Arrow array; faults of Arrow, which quote values, are not passed on."""
    import pyarrow as pa

    if isinstance(values, pa.ChunkedArray):
        return values.combine_chunks()
    if isinstance(values, pa.Array):
        return values
    try:
        return pa.array(list(values))
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        raise_alone(InputError(f"the {noun}s are not of one type", do=f"give every {noun} as text"))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PersonGroups(Confidential):
    """Rows by person, each person with their key: one cipher serves all cells of a person."""

    order: NDArray[np.int64]
    """All rows; those of a person stand together."""
    _ends: tuple[int, ...]
    _persons: tuple[bytes, ...]
    _keys: tuple[bytes | None, ...]

    @classmethod
    def of(cls, persons: pa.StringArray, keys: PersonKeys) -> PersonGroups:
        """Return the rows of each person, from the person of each row."""
        encoded = persons.dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        distinct = encoded.dictionary.to_pylist()
        ends = np.cumsum(np.bincount(codes, minlength=len(distinct)))
        return cls(
            np.argsort(codes, kind="stable"),
            tuple(ends.tolist()),
            tuple(person.encode() for person in distinct),
            tuple(keys.keys_of(distinct)),
        )

    @property
    def without_key(self) -> int:
        """The number of persons who have no key."""
        return sum(key is None for key in self._keys)

    @property
    def places(self) -> NDArray[np.int64]:
        """Where each row stands in `order`."""
        places = np.empty_like(self.order)
        places[self.order] = np.arange(len(self.order))
        return places

    def together(self, array: pa.Array) -> pa.Array:
        """Return an array of all rows in the order in which the rows of a person stand together."""
        import pyarrow as pa

        return array.take(pa.array(self.order))

    def apart(self, array: pa.Array) -> pa.Array:
        """Return what `together` was given."""
        import pyarrow as pa

        return array.take(pa.array(self.places))

    def __iter__(self) -> Iterator[tuple[bytes, bytes | None, slice]]:
        """Yield each person, their key, and where their rows stand in `order`."""
        for person, key, start, end in zip(self._persons, self._keys, (0, *self._ends), self._ends, strict=False):
            yield person, key, slice(start, end)
