"""Random rounding, cell by cell: quick, but sums are not kept."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Table
from tacita.tables.rounding.rounded import Rounded, multiples, require_base, rounded
from tacita.tables.usable import require_usable


def round_randomly(table: Table, base: float, *, seed: int, per_cell: bool = True) -> Rounded:
    """Return each value rounded to one of its two multiples at random, so that its expectation is the value.

    A value ``q b + r`` becomes ``(q + 1) b`` with probability ``r / b``, otherwise ``q b`` (Nargundkar and Saveland
    1972); multiples stay. With `per_cell` the draw is a keyed hash of what the cell is (its response and the codes that
    are no totals): the same cell is then rounded the same way in every table that shows it, and asking twice tells
    nothing new. Otherwise each call draws afresh. The seed is a secret.

    >>> from tacita.model.table import Dimension, Equations
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> codes = np.arange(3, dtype=np.int32).reshape(-1, 1)
    >>> table = Table("people", (sex,), codes, np.array([9.0, 4, 5]), Equations.of([(0, (1, 2))]), is_count=True)
    >>> bool(np.isin(round_randomly(table, 5, seed=3).values, (0, 5, 10)).all())
    True
    """
    require_base(table, base)
    require_usable(table, whole=table.is_count, nonnegative=table.is_count)
    whole, left = multiples(table.values, base)
    draws = _draws_by_cell(table, seed) if per_cell else np.random.default_rng(seed).random(len(table))
    values = (whole + (draws < left)) * base
    notes = ["sums of rounded values need not add up: every cell is rounded on its own"]
    if not per_cell:
        notes.append("the same cell may be rounded otherwise in another table: publish each cell once")
    return rounded(table, values, base, additive=False, reach=base, notes=tuple(notes))


def _draws_by_cell(table: Table, seed: int) -> NDArray[np.float64]:
    """Return a uniform number for each cell that depends on the seed and on what the cell is, and on nothing else."""
    start = hashlib.blake2b(key=str(seed).encode()[:64], digest_size=8)
    start.update(repr(table.response).encode())
    order = sorted(range(len(table.dimensions)), key=lambda d: table.dimensions[d].name)
    # A total says the same as leaving the dimension out, so that tables with more dimensions agree on shared cells.
    words = [
        [
            b"" if at == 0 and len(each.codes) > 1 else repr((each.name, code)).encode()
            for at, code in enumerate(each.codes)
        ]
        for each in table.dimensions
    ]
    digests = bytearray()
    for codes in table.codes.tolist():
        each = start.copy()
        each.update(b"".join(words[d][codes[d]] for d in order))
        digests += each.digest()
    drawn = np.frombuffer(bytes(digests), dtype="<u8") >> np.uint64(11)
    return np.asarray(drawn.astype(np.float64) * 2.0**-53)
