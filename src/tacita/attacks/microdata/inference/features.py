"""Attributes as a table of numbers that a model can be trained on, the same for several files."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.model.hierarchy import text_of
from tacita.model.records import Categories, Numbers, Records

Floats = NDArray[np.float64]
_MOST_INDICATORS = 12
"""Unordered categories with more values become one column: trees split it often enough."""


def features_of(files: Sequence[Records], names: Sequence[str]) -> list[Floats]:
    """Return a matrix for each file; missing and infinite values are lower than any other, and told apart by that.

    >>> from tacita.model.records import Categories
    >>> file = Records({"sex": Categories.of(["f", "m", None])})
    >>> features_of([file], ["sex"])[0].tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    columns: list[list[Floats]] = [[] for _ in files]
    for name in names:
        if all(isinstance(file[name], Numbers) for file in files):
            parts = [file.numbers(name).values for file in files]
            known = np.concatenate([part[np.isfinite(part)] for part in parts])
            lowest = float(known.min()) - 1.0 if len(known) else 0.0
            encoded = [[np.where(np.isfinite(part), part, lowest)] for part in parts]
        else:
            encoded = _of_labels([file.categories(name) for file in files])
        for place, more in enumerate(encoded):
            columns[place] += more
    return [
        np.stack(stack, axis=1) if stack else np.zeros((len(f), 0)) for stack, f in zip(columns, files, strict=True)
    ]


def _of_labels(files: Sequence[Categories]) -> list[list[Floats]]:
    """Return an indicator for each value, or one column of codes if there are many values or these are ordered."""
    places: dict[Hashable, int] = {}
    coded = []
    for file in files:
        label_codes = [places.setdefault(text_of(value), len(places)) for value in file.values]
        coded.append(np.array([*label_codes, -1])[file.codes])
    if len(places) > _MOST_INDICATORS or all(file.is_ordered for file in files):
        return [[codes.astype(np.float64)] for codes in coded]
    return [[(codes == place).astype(np.float64) for place in range(len(places))] for codes in coded]


Codes = NDArray[np.int64]


def coded(files: Sequence[Records], names: Sequence[str]) -> list[Codes]:
    """Return the values of each file as codes from 0, the same for the same value; missing is a value."""
    columns: list[list[Codes]] = [[] for _ in files]
    for name in names:
        places: dict[Hashable, int] = {None: 0}
        for place, file in enumerate(files):
            column = file.categories(name)
            label_codes = [places.setdefault(text_of(value), len(places)) for value in column.values]
            columns[place].append(np.array([*label_codes, 0], dtype=np.int64)[column.codes])
    return [np.stack(label_codes, axis=1) for label_codes in columns]


def keys_of(files: Sequence[Codes]) -> list[Codes]:
    """Return a number for each combination, the same in all files.

    >>> [keys.tolist() for keys in keys_of([np.array([[1, 2], [0, 1]]), np.array([[1, 2]])])]
    [[1, 0], [1]]
    """
    _, keys = np.unique(np.concatenate(files), axis=0, return_inverse=True)
    return np.split(keys.ravel().astype(np.int64), np.cumsum([len(file) for file in files])[:-1])
