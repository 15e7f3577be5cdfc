"""Keys that sign checkpoints: Ed25519, in the form of signed notes (c2sp.org/signed-note), as transparency logs use it.

The private key is a PEM file of its owner. The public one is a line of text, ``NAME+HASH+KEY``, which may go anywhere:
with it anybody can check that a checkpoint comes from the holder of the private key.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from tacita.errors import InputError, UsageError, raise_alone
from tacita.files.private_file import private_file, read_private
from tacita.settings import Settings

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_ED25519 = b"\x01"
_WHAT = "the signing key"


def check_key_name(name: str) -> None:
    """Raise if a name cannot stand in a signature line."""
    if not name or not name.isprintable() or any(c.isspace() or c == "+" for c in name) or len(name) > 200:
        raise UsageError(
            "the name of a ledger must be one word without '+', of at most 200 characters",
            do="use letters, digits, dots and hyphens, such as bank-of-example",
        )


@dataclass(frozen=True, slots=True)
class VerifyingKey:
    """A public key with the name of the ledger that it belongs to.

    >>> key = VerifyingKey("bank", bytes(32))
    >>> VerifyingKey.from_text(str(key)) == key
    True
    """

    name: str
    key: bytes = field(repr=False)

    def __post_init__(self) -> None:
        check_key_name(self.name)

    def __str__(self) -> str:
        return f"{self.name}+{self.hash.hex()}+{base64.b64encode(_ED25519 + self.key).decode()}"

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the key that a line of text stands for; raise if it is not one."""
        name, _, rest = text.strip().partition("+")
        digits, _, encoded = rest.partition("+")
        try:
            raw = base64.b64decode(encoded, validate=True)
        except ValueError:
            raw = b""
        if len(raw) == 33 and raw[:1] == _ED25519 and name:
            key = cls(name, raw[1:])
            if key.hash.hex() == digits:
                return key
        raise InputError(
            "the public key is not in the form NAME+HASH+KEY, or its hash is wrong",
            do="copy the line that 'tacita ledger init' printed",
        )

    @property
    def hash(self) -> bytes:
        """The four bytes by which a signature names its key."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.key).digest()[:4]

    def verifies(self, text: str, signature: bytes) -> bool:
        """Return whether a signature of a text was made with the private key."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(self.key).verify(signature, text.encode())
        except (InvalidSignature, ValueError):
            return False
        return True


class SigningKey:
    """A private key. It has no repr of its bytes, and leaves no copy of them."""

    __slots__ = ("_key", "verifying")

    def __init__(self, key: Ed25519PrivateKey, name: str) -> None:
        self._key = key
        self.verifying = VerifyingKey(name, key.public_key().public_bytes_raw())

    def __repr__(self) -> str:
        return f"<SigningKey of '{self.verifying.name}'>"

    @classmethod
    def create(cls, path: Path, name: str, *, settings: Settings | None = None) -> SigningKey:
        """Make a new key in a file that only its owner can read; raise if the file exists."""
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

        check_key_name(name)
        key = Ed25519PrivateKey.generate()
        with private_file(path, settings=settings) as partial:
            partial.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return cls(key, name)

    @classmethod
    def read(cls, path: Path, name: str) -> SigningKey:
        """Return the key of a file, such as OpenSSL makes too; raise if others can read the file."""
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        text = read_private(path, _WHAT)
        try:
            key = load_pem_private_key(text, None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PrivateKey):
            raise_alone(
                InputError(
                    "is not an Ed25519 key in PEM without a pass phrase",
                    where=str(path),
                    do="make one: openssl genpkey -algorithm ed25519",
                )
            )
        return cls(key, name)

    def sign(self, text: str) -> bytes:
        """Return the signature of a text."""
        return self._key.sign(text.encode())
