"""Tokens: what stands for a sealed cell, as bytes and as text.

A token is one byte that says its form, for fresh tokens a nonce of 16 bytes, and AES-SIV of the encoded cell under the
key of the person. Its associated data say where the cell belongs: format, data set, attribute, person and row id, and
for fresh tokens the nonce as a second item (RFC 5297, section 3). A token opens with its key at its own place,
and nowhere else.

The parts of the place are one item, since each item costs a MAC of its own. Each part but the last is preceded by its
length, so that ("ab", "c") and ("a", "bc") are different places. No part is empty.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacita.concealment.keys.cell_encoding import BLOCK
from tacita.concealment.keys.ciphers import TAG_LENGTH
from tacita.concealment.keys.person_keys import as_texts, one_array
from tacita.errors import InputError, UsageError, counted

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
STABLE, FRESH = b"\x01", b"\x02"
"""The forms of tokens: without a nonce, and with one."""
NONCE_LENGTH = 16
_CANONICAL = (
    r"\A(?:[A-Za-z0-9_-]{4})*"
    r"(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?\z"
)
"""Base64url as we write it: without padding, and without bits that are cut off (RFC 4648, section 3.5)."""


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """Tokens of one attribute with their row ids: what may be released.

    `tokens` are raw bytes; `as_text` and `from_text` give them as base64url without padding. A token that is null, or
    whose text is not base64url, is reported as damaged when it is opened.

    Raises `InputError` if row ids are missing or come again, with counts.
    """

    attribute: str
    row_ids: Any
    tokens: Any

    def __post_init__(self) -> None:
        import pyarrow as pa

        tokens = one_array(self.tokens, "token")
        is_bytes = pa.types.is_binary(tokens.type) or pa.types.is_large_binary(tokens.type)
        if not (is_bytes or tokens.null_count == len(tokens)):
            raise UsageError(f"the tokens are not bytes ({tokens.type})", do="use Tokens.from_text for tokens as text")
        object.__setattr__(self, "row_ids", row_ids_of(self.row_ids, self.attribute))
        object.__setattr__(self, "tokens", tokens.cast(pa.binary()))
        require_length("tokens", len(tokens), len(self), self.attribute)

    @classmethod
    def from_text(cls, attribute: str, row_ids: Any, texts: Any) -> Tokens:
        """Return tokens that are given as base64url.

        >>> Tokens.from_text("zip", ["r1", "r2"], ["AQID", "not base64!"]).tokens.to_pylist()
        [b'\\x01\\x02\\x03', None]
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        array = one_array(texts, "token")
        is_text = pa.types.is_string(array.type) or pa.types.is_large_string(array.type)
        if not (is_text or array.null_count == len(array)):
            raise UsageError(f"the tokens are not text ({array.type})", do="give the tokens as text in base64url")
        array = array.cast(pa.string())
        array = pc.if_else(pc.match_substring_regex(array, _CANONICAL), array, None)
        decode = base64.urlsafe_b64decode
        tokens = [None if text is None else decode(text + "=" * (-len(text) % 4)) for text in array.to_pylist()]
        return cls(attribute, row_ids, pa.array(tokens, pa.binary()))

    def as_text(self) -> pa.StringArray:
        """Return the tokens as base64url without padding."""
        import pyarrow as pa

        encode = base64.urlsafe_b64encode
        texts = [None if token is None else encode(token).rstrip(b"=") for token in self.tokens.to_pylist()]
        return pa.array(texts, pa.binary()).cast(pa.string())

    @property
    def width(self) -> int | None:
        """The length of the cell in the first token, for the next release of the attribute; None if there is none."""
        first = (self.tokens[0].as_py() or b"") if len(self) else b""
        return None if (tag := place_of_tag(first)) is None else len(first) - tag - TAG_LENGTH

    def __len__(self) -> int:
        return len(self.row_ids)

    def __repr__(self) -> str:
        return f"<Tokens of '{self.attribute}': {len(self):,}>"


def place_of_tag(token: bytes) -> int | None:
    """Return where AES-SIV begins in a token, behind its form and its nonce; None if it cannot be a token.

    >>> [place_of_tag(token) for token in (STABLE + bytes(32), FRESH + bytes(48))]
    [1, 17]
    >>> [place_of_tag(token) for token in (STABLE + bytes(33), STABLE + bytes(16), bytes(33), b"")]
    [None, None, None, None]
    """
    place = 1 if token[:1] == STABLE else 1 + NONCE_LENGTH
    sealed = len(token) - place - TAG_LENGTH
    return place if token[:1] in {STABLE, FRESH} and sealed >= BLOCK and sealed % BLOCK == 0 else None


def place_begin(data_set: str, attribute: str) -> bytes:
    """Return what the places of all cells of an attribute begin with; the person follows (`with_length`), then the row
    id."""
    parts = (b"tacita token %d" % FORMAT, data_set.encode(), attribute.encode())
    return b"".join(with_length(part) for part in parts)


def with_length(part: bytes) -> bytes:
    """Return a part of a place behind its length, so that it is clear where it ends.

    >>> with_length(b"ann")
    b'\\x00\\x00\\x00\\x03ann'
    """
    return len(part).to_bytes(4, "big") + part


def row_ids_of(row_ids: Any, attribute: str) -> pa.StringArray:
    """Return row ids as texts; raise if there is no attribute, or if a row id is missing or comes again.

    Two cells at one place would be sealed alike: it could be seen whether they are equal, and they could be swapped.
    """
    import pyarrow.compute as pc

    if not attribute:
        raise UsageError("the attribute of the cells has no name", do="name the attribute")
    texts = as_texts(row_ids, "row id")
    if repeated := len(texts) - pc.count_distinct(texts).as_py():
        raise InputError(
            f"{counted(repeated, 'record')} with the row id of an earlier one",
            where=f"attribute '{attribute}'",
            do="give each record a row id of its own",
        )
    return texts


def require_length(noun: str, length: int, rows: int, attribute: str) -> None:
    """Raise `UsageError` unless there is one of something for each row id."""
    if length != rows:
        raise UsageError(
            f"there are {length:,} {noun} for {counted(rows, 'row id')}",
            where=f"attribute '{attribute}'",
            do="give one for each row id",
        )
