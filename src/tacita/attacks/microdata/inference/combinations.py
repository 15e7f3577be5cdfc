"""Combinations of values as keys, the same for several files."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.model.hierarchy import text_of
from tacita.model.records import Records

Codes = NDArray[np.int64]


def coded(files: Sequence[Records], names: Sequence[str]) -> list[Codes]:
    """Return the values of each file as codes from 0, the same for the same value; missing is a value."""
    columns: list[list[Codes]] = [[] for _ in files]
    for name in names:
        places: dict[Hashable, int] = {None: 0}
        for place, file in enumerate(files):
            column = file.categories(name)
            held = [places.setdefault(text_of(value), len(places)) for value in column.values]
            columns[place].append(np.array([*held, 0], dtype=np.int64)[column.codes])
    return [np.stack(held, axis=1) for held in columns]


def keys_of(files: Sequence[Codes]) -> list[Codes]:
    """Return a number for each combination, the same in all files.

    >>> [keys.tolist() for keys in keys_of([np.array([[1, 2], [0, 1]]), np.array([[1, 2]])])]
    [[1, 0], [1]]
    """
    _, keys = np.unique(np.concatenate(files), axis=0, return_inverse=True)
    return np.split(keys.ravel().astype(np.int64), np.cumsum([len(file) for file in files])[:-1])
