"""What all keys share: AES-SIV, derivation, the check value of a key, and that no key is ever shown.

AES-SIV (RFC 5297) with 64-byte keys is AES-256 twice, one half for the tag and one for the text. It authenticates a
list of items beside the text, needs no nonce to be safe, and reveals only whether the same text was encrypted twice
beside the same items. `cryptography` is imported when the first cipher is needed, not before.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

KEY_LENGTH = 64
CHECK_LENGTH = 8
TAG_LENGTH = 16
"""Bytes that AES-SIV adds to a text."""


class Confidential:
    """A value that holds keys or names persons: neither its text nor a pickle shows anything of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"{type(self).__name__} holds keys: it is neither pickled nor copied")


def aes_siv(key: bytes) -> AESSIV:
    """Return the cipher of a 64-byte key."""
    from cryptography.hazmat.primitives.ciphers.aead import AESSIV

    return AESSIV(key)


class Ciphers(Confidential):
    """The ciphers of keys, each made once: to make one takes longer than to encrypt a cell."""

    __slots__ = ("_by_key",)

    def __init__(self) -> None:
        self._by_key: dict[bytes, AESSIV] = {}

    def of(self, key: bytes) -> AESSIV:
        """Return the cipher of a key."""
        cipher = self._by_key.get(key)
        if cipher is None:
            cipher = self._by_key[key] = aes_siv(key)
        return cipher


def derived_key(key: bytes, *, salt: bytes, info: bytes) -> bytes:
    """Return a 64-byte key derived from another by HKDF-SHA256 (RFC 5869).

    Keys for different purposes have an `info` that begins with different labels, so that none tells another.
    """
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), KEY_LENGTH, salt, info).derive(key)


def key_check(key: bytes, purpose: bytes) -> bytes:
    """Return 8 bytes that tell two keys apart and tell nothing else of them.

    They are the first bytes of HMAC-SHA256 under the key, of a constant that names the purpose of the key.

    >>> key_check(bytes(64), b"person").hex() == key_check(bytes(64), b"master").hex()
    False
    """
    return hmac.digest(key, b"tacita key check 1\0" + purpose, "sha256")[:CHECK_LENGTH]
