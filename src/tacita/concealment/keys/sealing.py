"""Sealing: cells of an attribute become tokens, each under the key of its person."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.concealment.keys.cell_encoding import CellColumn
from tacita.concealment.keys.ciphers import TAG_LENGTH, Ciphers
from tacita.concealment.keys.person_keys import PersonGroups, PersonKeys, as_texts
from tacita.concealment.keys.tokens import (
    FRESH,
    NONCE_LENGTH,
    STABLE,
    Tokens,
    place_begin,
    require_length,
    row_ids_of,
    with_length,
)
from tacita.errors import UsageError, counted

_AT_ONCE = 2**24
"""Bytes of cells that are encoded together."""
_MOST_BYTES = 2**31 - 1
"""Bytes of text that one Arrow array can hold."""


@dataclass(frozen=True, slots=True, eq=False)
class CellsToSeal:
    """Cells of one attribute that are to be sealed: person, row id, value and, where it says more, the spelling.

    Persons and row ids are text or whole numbers. Each row id stands once; it must survive sorting, so that it must not
    be the number of the row. `values` and `as_written` are Arrow arrays or lists, as `encode_cells` takes them.

    Raises `InputError` with counts if persons or row ids are missing, or row ids come again; also if values are of a
    type that cannot be given back exactly.
    """

    attribute: str
    persons: Any
    row_ids: Any
    values: Any
    as_written: Any = None

    def __post_init__(self) -> None:
        column = CellColumn.of(self.values, self.as_written)
        object.__setattr__(self, "row_ids", row_ids_of(self.row_ids, self.attribute))
        object.__setattr__(self, "persons", as_texts(self.persons, "person"))
        object.__setattr__(self, "values", column.values)
        object.__setattr__(self, "as_written", column.as_written)
        require_length("persons", len(self.persons), len(self), self.attribute)
        require_length("values", len(self.values), len(self), self.attribute)

    def __len__(self) -> int:
        return len(self.row_ids)

    def __repr__(self) -> str:
        return f"<CellsToSeal of '{self.attribute}': {len(self):,}>"


def seal(
    cells: CellsToSeal,
    keys: PersonKeys,
    *,
    fresh: bool = False,
    width: int | None = None,
    ciphers: Ciphers | None = None,
) -> Tokens:
    """Return the tokens of cells, all of one length.

    The same cell has the same token in every release under the same keys, if the cells have the same width: whoever
    has two releases sees which cells changed. With `fresh` every token is new. `width` is the length of the encoded
    cells, a multiple of 16 (`Tokens.width` of an earlier release); by default the shortest in which all cells have
    room, which tells how long the longest cell is. `ciphers` are those of earlier attributes of the same persons.

    Raises `UsageError` if persons have no key, if cells have no room, or if the tokens do not fit one array.

    >>> from tacita.concealment.keys import KeyStore, MasterKey, open_tokens
    >>> keys = KeyStore.create(["ann", "bob"], MasterKey(secrets.token_bytes(64)), "survey")
    >>> tokens = seal(CellsToSeal("zip", ["ann", "bob"], ["r1", "r2"], [184, None], ["00184", "NA"]), keys)
    >>> [len(text) for text in tokens.as_text().to_pylist()]
    [44, 44]
    >>> opened = open_tokens(tokens, ["ann", "bob"], keys)
    >>> opened.values.to_pylist(), opened.as_written.to_pylist()
    ([184, None], ['00184', 'NA'])
    """
    import pyarrow as pa

    column = CellColumn.of(cells.values, cells.as_written)
    width = column.width() if width is None else width
    column.check_width(width)
    _require_room(cells, width)
    groups = PersonGroups.of(cells.persons, keys)
    if groups.without_key:
        raise UsageError(
            f"{counted(groups.without_key, 'person')} without a key for this data set",
            where=f"attribute '{cells.attribute}'",
            do="add the persons to the key store first",
        )
    begin = place_begin(keys.data_set, cells.attribute)
    row_ids = groups.together(cells.row_ids.cast(pa.binary())).to_pylist()
    encoded = _encoded(column, groups.order, width)
    tokens = []
    ciphers = Ciphers() if ciphers is None else ciphers
    for person, key, rows in groups:
        assert key is not None
        encrypt = ciphers.of(key).encrypt
        of_person = begin + with_length(person)
        for row_id in row_ids[rows]:
            if fresh:
                nonce = secrets.token_bytes(NONCE_LENGTH)
                tokens.append(FRESH + nonce + encrypt(next(encoded), [of_person + row_id, nonce]))
            else:
                tokens.append(STABLE + encrypt(next(encoded), [of_person + row_id]))
    return Tokens(cells.attribute, cells.row_ids, groups.apart(pa.array(tokens, pa.binary())))


def _encoded(column: CellColumn, order: NDArray[np.int64], width: int) -> Iterator[bytes]:
    """Yield the encoded cells in an order of the rows."""
    rows = max(1, _AT_ONCE // width)
    for start in range(0, len(order), rows):
        part = column.encoded(order[start : start + rows], width)
        for at in range(0, len(part), width):
            yield part[at : at + width]


def _require_room(cells: CellsToSeal, width: int) -> None:
    """Raise if all tokens together, as text, are longer than one array can be: all are as long as the longest."""
    length = 4 * (1 + NONCE_LENGTH + TAG_LENGTH + width) // 3 + 1
    if len(cells) * length > _MOST_BYTES:
        raise UsageError(
            f"{counted(len(cells), 'cell')} of {width:,} bytes, as the longest needs, are too long together",
            where=f"attribute '{cells.attribute}'",
            do=f"seal at most {max(1, _MOST_BYTES // length):,} cells at once with {width=}, or shorten the longest",
        )
