"""Noise that is the same whenever the same records are asked about, however the question is written.

The generator is started by a keyed hash of the set of cells and of what is asked. Whoever has the key can take the
noise off; the key lies in the folder of the frozen version, and nowhere else.
"""

from __future__ import annotations

import hmac

import numpy as np

from tacita.queries.question import Mask


def generator_for(secret: bytes, cells: Mask, what: str) -> np.random.Generator:
    """Return the generator of one figure over some cells.

    >>> one, two = (generator_for(b"k" * 32, np.array([True, False]), what) for what in ("sum", "count"))
    >>> float(one.normal()) == float(two.normal())
    False
    """
    message = len(cells).to_bytes(8, "big") + np.packbits(cells).tobytes() + what.encode()
    digest = hmac.digest(secret, message, "sha256")
    return np.random.Generator(np.random.Philox(key=np.frombuffer(digest[:16], np.uint64)))
