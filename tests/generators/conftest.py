"""What several tests of generated data measure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

Frequencies = Callable[[pa.Table, Sequence[str]], NDArray[np.int64]]


@pytest.fixture(scope="session")
def frequencies() -> Frequencies:
    """The frequency of each tuple on some attributes, in the order of the tuples."""

    def of_tuples(table: pa.Table, names: Sequence[str]) -> NDArray[np.int64]:
        keys = np.zeros(table.num_rows, dtype=np.int64)
        for name in names:
            column = table[name].combine_chunks().dictionary_encode()
            keys = keys * len(column.dictionary) + column.indices.to_numpy()
            keys = np.unique(keys, return_inverse=True)[1]
        return np.bincount(keys)[keys]

    return of_tuples
