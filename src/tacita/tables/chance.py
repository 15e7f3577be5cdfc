"""What is left to chance cell by cell: numbers drawn from a secret seed and from what a cell is, and nothing else.

The same cell gets the same number in every table that shows it, whatever else is there: asking twice with the same seed
tells nothing new, and nothing can be averaged away.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Table


def uniform_by_cell(table: Table, seed: int, purpose: str = "") -> NDArray[np.float64]:
    """Return a number in [0, 1) for each cell; other purposes have other numbers.

    >>> from tacita.model.table import Dimension, table_of_leaves
    >>> table = table_of_leaves("pay", [Dimension.flat("sex", ["f", "m"])], [4, 5])
    >>> bool((uniform_by_cell(table, 3, "margin") == uniform_by_cell(table, 3, "margin")).all())
    True
    >>> bool((uniform_by_cell(table, 3, "margin") == uniform_by_cell(table, 3, "toll")).any())
    False
    """
    start = hashlib.blake2b(key=str(seed).encode()[:64], digest_size=8)
    start.update(repr(table.response).encode())
    if purpose:
        start.update(repr(("", purpose)).encode())
    order = sorted(range(len(table.dimensions)), key=lambda d: table.dimensions[d].name)
    # A total says the same as leaving the dimension out, so that tables with more dimensions agree on shared cells.
    words = [
        [
            b"" if at == 0 and len(one.codes) > 1 else repr((one.name, code)).encode()
            for at, code in enumerate(one.codes)
        ]
        for one in table.dimensions
    ]
    digests = bytearray()
    for codes in table.codes.tolist():
        one = start.copy()
        one.update(b"".join(words[d][codes[d]] for d in order))
        digests += one.digest()
    drawn = np.frombuffer(bytes(digests), dtype="<u8") >> np.uint64(11)
    return np.asarray(drawn.astype(np.float64) * 2.0**-53)
