"""Arrow arrays of Python values.

`pyarrow.array` imports pandas, where it is installed, to ask whether a list is one of its series: a third of a second
before the first fact. Short lists of texts and numbers, which most programs and every proposal of categories have,
are laid out here instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

_SHORT = 100_000


def array(values: Sequence[Any], type_: pa.DataType) -> pa.Array:
    """Return values, None among them, as an Arrow array.

    >>> array(["a", None, "bc"], pa.string()).to_pylist(), array([1, None], pa.int64()).to_pylist()
    (['a', None, 'bc'], [1, None])
    """
    kinds = {pa.int64(): np.int64, pa.float64(): np.float64}
    if len(values) > _SHORT or (type_ != pa.string() and type_ not in kinds):
        return pa.array(values, type_)
    known = np.array([value is not None for value in values], dtype=bool)
    valid = pa.py_buffer(np.packbits(known, bitorder="little"))
    if type_ != pa.string():
        numbers = np.array([0 if value is None else value for value in values], dtype=kinds[type_])
        return pa.Array.from_buffers(type_, len(values), [valid, pa.py_buffer(numbers)])
    texts = [b"" if value is None else value.encode() for value in values]
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    if ends[-1] >= 2**31:
        return pa.array(values, type_)
    return pa.Array.from_buffers(
        type_, len(values), [valid, pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(b"".join(texts))]
    )
