"""Opening: tokens of an attribute become values again, and what does not open is reported by its place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacita.concealment.keys.cell_decoding import decode_leniently
from tacita.concealment.keys.ciphers import Ciphers
from tacita.concealment.keys.person_keys import PersonGroups, PersonKeys, as_texts
from tacita.concealment.keys.tokens import Tokens, place_begin, place_of_tag, require_length, with_length
from tacita.errors import InputError, counted, listed, printable

if TYPE_CHECKING:
    import pyarrow as pa


class CellState(IntEnum):
    """What became of a token."""

    OPENED = 0
    DAMAGED = 1
    """It does not open with the key of its person at its place: changed, cut, moved, of another data set or key."""
    ERASED = 2
    """There is no key of the person: it was erased, or there never was one."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenedCells:
    """Values and spellings of opened tokens, null where a token did not open, and what became of each token."""

    attribute: str
    row_ids: pa.StringArray
    values: pa.Array
    as_written: pa.StringArray
    states: NDArray[np.uint8]
    """A `CellState` for each token."""

    def count(self, state: CellState) -> int:
        """Return the number of tokens in a state."""
        return int((self.states == state).sum())

    def rows(self, state: CellState) -> tuple[str, ...]:
        """Return the row ids of the tokens in a state."""
        import pyarrow as pa

        return tuple(self.row_ids.filter(pa.array(self.states == state)).to_pylist())

    def require_undamaged(self) -> None:
        """Raise `InputError` with the number and the row ids of damaged tokens; erased cells are not damaged."""
        damaged, erased = self.count(CellState.DAMAGED), self.count(CellState.ERASED)
        if not damaged:
            return
        all_of_them = damaged == len(self) - erased
        raise InputError(
            f"{damaged:,} of {counted(len(self) - erased, 'token')} damaged: row ids "
            + listed([printable(row) for row in self.rows(CellState.DAMAGED)]),
            where=f"attribute '{self.attribute}'",
            do="check that keys, persons and tokens belong together"
            if all_of_them
            else "restore the tokens from the release; the others were opened",
        )

    def __len__(self) -> int:
        return len(self.row_ids)

    def __repr__(self) -> str:
        counts = ", ".join(f"{self.count(state):,} {state.name.lower()}" for state in CellState)
        return f"<OpenedCells of '{self.attribute}': {counts}>"


def open_tokens(tokens: Tokens, persons: Any, keys: PersonKeys, *, ciphers: Ciphers | None = None) -> OpenedCells:
    """Return the values of tokens, and which tokens are damaged or belong to erased persons; the caller decides.

    `persons` has the person of each token, as text or whole numbers. `ciphers` are those of earlier attributes of the
    same persons.

    Raises `InputError` if persons are missing, or if the tokens hold values of several types.

    >>> import secrets
    >>> from tacita.concealment.keys import CellsToSeal, KeyStore, MasterKey, seal
    >>> keys = KeyStore.create(["ann", "bob"], MasterKey(secrets.token_bytes(64)), "survey")
    >>> tokens = seal(CellsToSeal("age", ["ann", "bob"], ["r1", "r2"], [31, 40]), keys)
    >>> opened = open_tokens(tokens, ["ann", "bob"], keys.without_persons(["bob"]))
    >>> opened, opened.values.to_pylist()
    (<OpenedCells of 'age': 1 opened, 0 damaged, 1 erased>, [31, None])
    >>> open_tokens(tokens, ["bob", "ann"], keys).rows(CellState.DAMAGED)
    ('r1', 'r2')
    """
    import pyarrow as pa
    from cryptography.exceptions import InvalidTag

    persons = as_texts(persons, "person")
    require_length("persons", len(persons), len(tokens), tokens.attribute)
    begin = place_begin(keys.data_set, tokens.attribute)
    groups = PersonGroups.of(persons, keys)
    row_ids = groups.together(tokens.row_ids.cast(pa.binary())).to_pylist()
    sealed = groups.together(tokens.tokens.fill_null(b"")).to_pylist()
    encoded = [b""] * len(sealed)
    states = np.full(len(sealed), CellState.DAMAGED, np.uint8)
    ciphers = Ciphers() if ciphers is None else ciphers
    for person, key, rows in groups:
        if key is None:
            states[rows] = CellState.ERASED
            continue
        decrypt, of_person = ciphers.of(key).decrypt, begin + with_length(person)
        for at in range(rows.start, rows.stop):
            token = sealed[at]
            tag = place_of_tag(token)
            if tag is None:
                continue
            items = [of_person + row_ids[at]]
            if tag > 1:
                items.append(token[1:tag])
            try:
                encoded[at] = decrypt(token[tag:], items)
            except InvalidTag:  # stays damaged
                continue
    decoded = decode_leniently(encoded)
    states[decoded.is_well_formed] = CellState.OPENED
    values, as_written = groups.apart(decoded.values), groups.apart(decoded.as_written)
    return OpenedCells(tokens.attribute, tokens.row_ids, values, as_written, states[groups.places])
