"""The master key: 64 random bytes in a file that only its owner can read.

Whoever has it can open every token of every data set under it, so that it stays apart from releases and from the key
store. Nobody can restore it: without it, and without the exported key of a person, sealed cells are lost.
"""

from __future__ import annotations

import hmac
import secrets
import string
from dataclasses import dataclass
from pathlib import Path

from tacita.concealment.keys.ciphers import KEY_LENGTH, Confidential, derived_key, key_check
from tacita.errors import InputError, UsageError, counted
from tacita.files.private_file import private_file, read_private
from tacita.model.secret_key import weakness
from tacita.settings import Settings

_FEWEST_DIFFERENT = 32
"""Of 64 random bytes about 57 are different; fewer than 32 are so once in 10^20 keys."""
_TEXT = frozenset(string.printable.encode())
_DO = f"make a key of {KEY_LENGTH} random bytes, for example: head -c {KEY_LENGTH} /dev/urandom > master.key"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MasterKey(Confidential):
    """A master key in memory; it is compared in constant time, and shows, pickles and copies nothing of itself.

    Raises `UsageError` if the bytes cannot be 64 random bytes.

    >>> MasterKey(bytes(range(64)))
    Traceback (most recent call last):
    tacita.errors.UsageError: the master key is a row of successive characters
      what to do: make a key of 64 random bytes, ...
    >>> key = MasterKey(secrets.token_bytes(64))
    >>> key, len(key.check)
    (<MasterKey>, 8)
    """

    _secret: bytes

    def __post_init__(self) -> None:
        if (why := key_weakness(self._secret)) is not None:
            raise UsageError(f"the master key {why}", do=_DO)

    @property
    def check(self) -> bytes:
        """Eight bytes for manifests: they say whether a key is this one, and nothing else of it."""
        return key_check(self._secret, b"master")

    def fits(self, check: bytes) -> bool:
        """Return whether a check value, as it stands in a manifest, is that of this key; in constant time."""
        return hmac.compare_digest(self.check, check)

    def derive(self, data_set: str, purpose: bytes, name: str = "") -> bytes:
        """Return the 64-byte key for a purpose in a data set: HKDF-SHA256, salt = data set id, info = purpose and name.

        Purposes hold no zero byte, and one stands between purpose and name: different pairs give different keys.
        """
        info = b"tacita " + purpose + b"\0" + name.encode()
        return derived_key(self._secret, salt=data_set.encode(), info=info)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MasterKey) and hmac.compare_digest(self._secret, other._secret)

    def __hash__(self) -> int:
        return hash(self.check)


def key_weakness(key: bytes) -> str | None:
    """Return why bytes cannot be a key of 64 random bytes, in words that show nothing of them; None if they can.

    >>> key_weakness(b"5f" * 32), key_weakness(bytes(7))
    ('is text, not random bytes', 'has 7 bytes, and 64 are needed')
    """
    is_text = bool(key) and _TEXT.issuperset(key)
    if len(key) != KEY_LENGTH:
        length = f"has {counted(len(key), 'byte')}, and {KEY_LENGTH} are needed"
        return f"is text, not random bytes: it {length}" if is_text else length
    if is_text:
        return "is text, not random bytes"
    if (why := weakness(key)) is not None:
        return why
    if len(set(key)) < _FEWEST_DIFFERENT:
        return f"has fewer than {_FEWEST_DIFFERENT} different bytes"
    if any(key[part:] == key[:-part] for part in range(1, KEY_LENGTH * 3 // 4 + 1)):
        return "repeats a part of itself"
    return None


def make_master_key(path: Path, *, settings: Settings | None = None) -> MasterKey:
    """Make a master key, write it to a new file with mode 0600, and return it.

    Raises `OutputError` if the file exists already or cannot be written; a key is never replaced.
    """
    secret = secrets.token_bytes(KEY_LENGTH)
    with private_file(path, settings=settings) as partial:
        partial.write_bytes(secret)
    return MasterKey(secret)


def read_master_key(path: Path) -> MasterKey:
    """Return the master key in a file of exactly 64 bytes; hexadecimal or base64 text is refused.

    Raises `InputError` if the file is missing, is not a regular file, is open to the group or to others, or does not
    hold a key that can be random.
    """
    secret = read_private(path, "the master key")
    if (why := key_weakness(secret)) is not None:
        raise InputError(f"the master key {why}", where=str(path), do=_DO)
    return MasterKey(secret)
