"""Figure 12: what each attribute of Health tells of the status, before and after cells are hidden.

The information gain of an attribute Y on the target X is H(X) - H(X | Y), in bits. Each person keeps one attribute
confidential, drawn at random; what else is hidden is the smallest choice by exact dependencies. As in the paper all
hidden cells of an attribute are one value. For the target this is done in both ways: records whose status is hidden
are left out, or their status is one more class. A value that occurs once tells the status of its record, so that the
gain of an attribute with many values is large by construction.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from experiments.gdpr.hiding import Dependencies
from experiments.gdpr.points import InformationGain
from tacita.dependencies.hiding.choice import choose

if TYPE_CHECKING:
    import pyarrow as pa

TARGET = "Status"

Codes = NDArray[np.int64]


def information_gains(table: pa.Table, given: Dependencies, seed: int) -> Iterator[InformationGain]:
    """Yield the gain of each attribute but the target."""
    names = given.attributes
    codes = {name: _codes(table[name]) for name in names}
    hidden = np.array([[name in _hidden(one, given) for name in names] for one in names])
    random = np.random.default_rng([seed, len(names)])
    is_hidden = hidden[random.integers(0, len(names), table.num_rows)]  # a line for each record
    after = {name: np.where(is_hidden[:, place], -1, codes[name]) for place, name in enumerate(names)}
    shown = after[TARGET] >= 0
    for place, name in enumerate(names):
        if name != TARGET:
            yield InformationGain(
                name,
                information_gain(codes[TARGET], codes[name]),
                information_gain(after[TARGET][shown], after[name][shown]),
                information_gain(after[TARGET], after[name]),
                float(is_hidden[:, place].mean()),
            )


def information_gain(target: Codes, by: Codes) -> float:
    """Return H(target) - H(target | by) in bits.

    >>> information_gain(np.array([0, 0, 1, 1]), np.array([5, 5, 6, 6]))
    1.0
    >>> information_gain(np.array([0, 1, 0, 1]), np.array([5, 5, 6, 6]))
    0.0
    """
    pairs = np.unique(by, return_inverse=True)[1] * (int(target.max() - target.min()) + 1) + target - target.min()
    return _entropy(target) + _entropy(by) - _entropy(pairs)


def _entropy(codes: Codes) -> float:
    shares = np.unique(codes, return_counts=True)[1] / len(codes)
    return float(-(shares * np.log2(shares)).sum())


def _hidden(name: str, given: Dependencies) -> frozenset[str]:
    return choose([name], given.attributes, given.counted).hidden


def _codes(column: pa.ChunkedArray) -> Codes:
    import pyarrow as pa

    encoded = column.combine_chunks()
    encoded = encoded.dictionary_encode()
    return np.asarray(encoded.indices.fill_null(pa.scalar(len(encoded.dictionary), pa.int32())), dtype=np.int64)
