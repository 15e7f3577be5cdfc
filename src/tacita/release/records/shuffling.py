"""The order of the tuples: a sorted file tells what its columns do not, and a known order tells who is who."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from tacita.engines.protocol import Engine, Relation

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

ORDER, CLUSTERS, WEIGHTS = 0, 1, 2
"""Each use of randomness has a stream of its own, so that turning one off does not change the others."""


def fresh_seed() -> int:
    """Return a seed that nobody can guess."""
    return secrets.randbits(128)


GUESSED = 2**48
"""Seeds below can be tried one after the other; those that are drawn have 63 bits or more."""


def seed_notes(seed: int) -> tuple[str, ...]:
    """Return the warning that a seed can be guessed, if so: a release and its order are only as secret as the seed.

    >>> len(seed_notes(7)), seed_notes(fresh_seed() | 2**60)
    (1, ())
    """
    if seed >= GUESSED:
        return ()
    return ("this seed can be guessed, and whoever has it undoes noise and order; use one only to repeat a run",)


def generator(seed: int, use: int) -> np.random.Generator:
    """Return the random numbers of one use.

    >>> generator(7, ORDER).integers(100) == generator(7, ORDER).integers(100)
    np.True_
    """
    import numpy as np

    return np.random.Generator(np.random.PCG64DXSM(np.random.SeedSequence(seed, spawn_key=(use,))))


def shuffled(records: int, seed: int) -> Array:
    """Return the number of the source's record, from 1, that stands in each place of the release.

    Every order is as probable as any other, as far as 128 bits of a seed go.

    >>> sorted(shuffled(4, seed=1).tolist())
    [1, 2, 3, 4]
    """
    return generator(seed, ORDER).permutation(records) + 1


def as_relation(engine: Engine, **columns: Array) -> Relation:
    """Return arrays as a relation with the columns ``c0``, ``c1``, ... in their order."""
    import pyarrow as pa

    from tacita.risk.arrays import as_arrow

    batch = pa.RecordBatch.from_arrays([as_arrow(values) for values in columns.values()], names=list(columns))
    return engine.adopt([batch], batch.schema)
