"""Values of Python and of numpy as Arrow arrays, and back.

pyarrow's own ways (`pyarrow.array`, `to_numpy`) import pandas where it is installed, to ask whether a list is one of
its series: a third of a second before the first fact. Short lists of texts and numbers, and columns of numbers, are
laid out here as they lie in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, np.dtype[Any]]

_SHORT = 100_000
_KINDS = {"int64": "int64", "int32": "int32", "uint64": "uint64", "float64": "double"}


def array(values: Sequence[Any], type_: pa.DataType) -> pa.Array:
    """Return values, None among them, as an Arrow array.

    >>> import pyarrow as pa
    >>> array(["a", None, "bc"], pa.string()).to_pylist(), array([1, None], pa.int64()).to_pylist()
    (['a', None, 'bc'], [1, None])
    """
    import numpy as np
    import pyarrow as pa

    kinds = {pa.int64(): np.int64, pa.int32(): np.int32, pa.float64(): np.float64}
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


def equal(column: pa.ChunkedArray, value: str | int) -> pa.ChunkedArray:
    """Return where a column has a value; to compare with a value of Python, pyarrow would import pandas.

    >>> import pyarrow as pa
    >>> equal(pa.chunked_array([["a", "b"], ["a"]]), "a").to_pylist()
    [True, False, True]
    """
    import pyarrow.compute as pc

    return pc.equal(column, array([value], column.type)[0])


def as_numpy(column: pa.Array | pa.ChunkedArray) -> Array:
    """Return a column of numbers without nulls as an array.

    >>> import pyarrow as pa
    >>> as_numpy(pa.chunked_array([[1.5], [2.5, 3.5]])[1:]).tolist()
    [2.5, 3.5]
    """
    import numpy as np
    import pyarrow as pa

    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_decimal(whole.type) and whole.type.scale > 0:  # a literal such as 1.0
        whole = whole.cast(pa.float64())
    kind = {named: ours for ours, named in _KINDS.items()}.get(str(whole.type))
    if kind is None or whole.null_count:
        converted: Array = whole.to_numpy(zero_copy_only=False)
        return converted
    values = np.frombuffer(whole.buffers()[1], dtype=kind) if len(whole) else np.empty(0, dtype=kind)
    return values[whole.offset : whole.offset + len(whole)]


def renumbered(numbers: Array) -> tuple[Array, int]:
    """Return numbers counted from 0 in order of appearance, and how many different ones there are.

    >>> import numpy as np
    >>> renumbered(np.array([7, 3, 7]))
    (array([0, 1, 0]), 2)
    """
    coded = as_arrow(numbers).dictionary_encode()
    return as_numpy(coded.indices).astype("int64"), len(coded.dictionary)


def as_codes(indices: pa.Array, null: int) -> Array:
    """Return the indices of a dictionary-coded column as an array, a code of its own for null.

    >>> import pyarrow as pa
    >>> as_codes(pa.array(["a", None, "b"]).dictionary_encode().indices, -1).tolist()
    [0, -1, 1]
    """
    import numpy as np

    if not len(indices):
        return np.empty(0, dtype=np.int32)
    valid, buffer = indices.buffers()
    codes = np.frombuffer(buffer, dtype=np.int32)[indices.offset : indices.offset + len(indices)].copy()
    if valid is not None:
        bits = np.unpackbits(np.frombuffer(valid, dtype=np.uint8), bitorder="little")
        codes[bits[indices.offset : indices.offset + len(indices)] == 0] = null
    return codes


def as_arrow(values: Array | pa.Array, known: Array | None = None) -> pa.Array:
    """Return an array as a column, null where it is not `known`; a column as it is.

    >>> import numpy as np
    >>> as_arrow(np.array([1, 2]), known=np.array([True, False])).to_pylist()
    [1, None]
    """
    import numpy as np
    import pyarrow as pa

    if isinstance(values, pa.Array):
        return values
    kind = _KINDS.get(str(values.dtype))
    if kind is None:
        return pa.array(values, mask=None if known is None else ~known)
    valid = None if known is None else pa.py_buffer(np.packbits(known, bitorder="little"))
    buffer = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(pa.type_for_alias(kind), len(values), [valid, buffer])
