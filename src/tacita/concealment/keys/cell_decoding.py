"""Bytes as cells again: every byte is checked, and what `cell_encoding` did not make is not well-formed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tacita.concealment.keys.cell_encoding import (
    BLOCK,
    END_OF_CONTENT,
    IS_MISSING,
    IS_SPELLED,
    NUMPY_TYPES,
    SIZES,
    TYPE_BITS,
    CellType,
    between,
)
from tacita.errors import InputError, counted

if TYPE_CHECKING:
    import pyarrow as pa

_AT_ONCE = 2**24
"""Bytes that are laid out as one matrix."""
_MOST_DIGITS = 38


@dataclass(frozen=True, slots=True, eq=False)
class DecodedCells:
    """Values and spellings of cells; both null where a cell is not well-formed."""

    values: pa.Array
    as_written: pa.StringArray
    is_well_formed: NDArray[np.bool_]

    def __repr__(self) -> str:
        return f"<DecodedCells: {len(self.values):,}>"


def decode_cells(cells: Sequence[bytes]) -> DecodedCells:
    """Return the values and spellings of cells that `encode_cells` made, in one Arrow type.

    Raises `InputError` if a cell is not well-formed, or if the cells are of several types.

    >>> from tacita.concealment.keys.cell_encoding import encode_cells
    >>> decoded = decode_cells(encode_cells([123, None], ["00123", "NA"]))
    >>> decoded.values.to_pylist(), decoded.as_written.to_pylist()
    ([123, None], ['00123', 'NA'])
    """
    decoded = decode_leniently(cells)
    if wrong := int((~decoded.is_well_formed).sum()):
        raise InputError(f"{counted(wrong, 'cell')} not well-formed", do="check where the bytes come from")
    return decoded


def decode_leniently(cells: Sequence[bytes]) -> DecodedCells:
    """Return the values and spellings of cells, and which of them are well-formed; empty bytes are not.

    Raises `InputError` if the cells are of several types: one array cannot hold them.
    """
    import pyarrow as pa

    type_, arrow_type = _common_type(cells)
    parts = [_decoded(matrix, lengths, type_, arrow_type) for matrix, lengths in _matrices(cells)]
    return DecodedCells(
        pa.concat_arrays([part.values for part in parts]),
        pa.concat_arrays([part.as_written for part in parts]),
        np.concatenate([part.is_well_formed for part in parts]),
    )


def _common_type(cells: Sequence[bytes]) -> tuple[CellType, pa.DataType]:
    """Return the one type that the tags of cells name, besides cells of an attribute without any type."""
    import pyarrow as pa

    types = {cell[0] & TYPE_BITS for cell in cells if cell} & set(CellType) - {CellType.NOTHING}
    forms = set()
    if types == {CellType.DECIMAL}:
        forms = {cell[1:3] for cell in cells if len(cell) > 2 and cell[0] & TYPE_BITS == CellType.DECIMAL}
        forms = {form for form in forms if 1 <= form[0] <= _MOST_DIGITS}
    if len(types) > 1 or len(forms) > 1:
        raise InputError("the cells are of several types", do="open the cells of each type on their own")
    arrow_types = {
        CellType.TEXT: pa.string(),
        CellType.INTEGER: pa.int64(),
        CellType.NUMBER: pa.float64(),
        CellType.BOOLEAN: pa.bool_(),
        CellType.DATE: pa.date32(),
        CellType.TIMESTAMP: pa.timestamp("us"),
    }
    for form in forms:
        arrow_types[CellType.DECIMAL] = pa.decimal128(form[0], int.from_bytes(form[1:], signed=True))
    type_ = CellType(types.pop()) if types else CellType.NOTHING
    return (type_, arrow_types[type_]) if type_ in arrow_types else (CellType.NOTHING, pa.null())


def _matrices(cells: Sequence[bytes]) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64]]]:
    """Yield cells as rows of matrices, shorter ones followed by zeros, and their lengths; at least one matrix."""
    lengths = np.fromiter(map(len, cells), np.int64, len(cells))
    width = max(int(lengths.max(initial=0)), 2 * BLOCK)  # room for a value of any type
    rows = max(1, _AT_ONCE // width)
    for start in range(0, max(1, len(cells)), rows):
        part = cells[start : start + rows]
        flat = b"".join(cell if len(cell) == width else cell.ljust(width, b"\0") for cell in part)
        yield np.frombuffer(flat, np.uint8).reshape(-1, width), lengths[start : start + rows]


def _decoded(
    cells: NDArray[np.uint8], lengths: NDArray[np.int64], type_: CellType, arrow_type: pa.DataType
) -> DecodedCells:
    rows, width = np.arange(len(cells)), cells.shape[1]
    end = width - 1 - np.argmax(cells[:, ::-1] != 0, axis=1)
    tag = cells[:, 0]
    kind, missing, spelled = tag & TYPE_BITS, (tag & IS_MISSING) != 0, (tag & IS_SPELLED) != 0
    good = (lengths > 0) & (lengths % BLOCK == 0) & (cells[rows, end] == END_OF_CONTENT)
    good &= ((kind == type_) & (lengths > type_.room)) | (kind == CellType.NOTHING)
    good &= missing | (kind != CellType.NOTHING)
    start = np.where(kind == type_, type_.header, 1)
    size = np.where(missing, 0, SIZES.get(type_, 0))
    if type_ is CellType.TEXT:
        both = spelled & ~missing
        start = start + 4 * both
        size = np.where(missing, 0, end - start)
        size[both] = np.ascontiguousarray(cells[both, 1:5]).view("<u4")[:, 0]
    if type_ is CellType.DECIMAL:
        precision, scale = arrow_type.precision, arrow_type.scale % 256
        good &= (kind != type_) | ((cells[:, 1] == precision) & (cells[:, 2] == scale))
    if type_ is CellType.BOOLEAN:
        good &= missing | (cells[:, 1] <= 1)
    stop = start + size
    good &= np.where(spelled, stop <= end, stop == end)
    values = _values(cells, start, stop, good & ~missing, type_, arrow_type)
    as_written = _texts(cells, stop, end, good & spelled)
    good &= _is_valid(values) & _is_valid(as_written)
    return DecodedCells(_where(good, values), _where(good, as_written), good)


def _values(
    cells: NDArray[np.uint8],
    start: NDArray[np.int64],
    stop: NDArray[np.int64],
    present: NDArray[np.bool_],
    type_: CellType,
    arrow_type: pa.DataType,
) -> pa.Array:
    """Return the values of cells, null where a cell has none."""
    import pyarrow as pa

    if type_ is CellType.NOTHING:
        return pa.nulls(len(cells))
    if type_ is CellType.TEXT:
        return _texts(cells, start, stop, present)
    flat = np.ascontiguousarray(cells[:, type_.header : type_.header + SIZES[type_]])
    if type_ is CellType.DECIMAL:
        return pa.Array.from_buffers(arrow_type, len(cells), [_bitmap(present), pa.py_buffer(flat)])
    numbers = flat.view(NUMPY_TYPES[type_])[:, 0]
    if type_ is CellType.BOOLEAN:
        return pa.array(numbers == 1, mask=~present)
    return pa.Array.from_buffers(arrow_type, len(cells), [_bitmap(present), pa.py_buffer(_native(numbers))])


def _native(numbers: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return numbers in the byte order of the machine, which is that of Arrow."""
    return numbers.astype(numbers.dtype.newbyteorder("="), copy=False)


def _bitmap(present: NDArray[np.bool_]) -> pa.Buffer:
    import pyarrow as pa

    return pa.py_buffer(np.packbits(present, bitorder="little"))


def _texts(
    cells: NDArray[np.uint8], start: NDArray[np.int64], stop: NDArray[np.int64], present: NDArray[np.bool_]
) -> pa.StringArray:
    """Return the texts between two places of each cell, null where there is none; their bytes are not checked."""
    import pyarrow as pa

    stop = np.where(present, stop, start)
    ends = np.concatenate([[0], np.cumsum(stop - start)]).astype(np.int32)
    flat = cells[between(start, stop, cells.shape[1])] if ends[-1] else np.empty(0, np.uint8)
    return pa.Array.from_buffers(
        pa.string(), len(cells), [_bitmap(present), pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(flat))]
    )


def _is_valid(array: pa.Array) -> NDArray[np.bool_]:
    """Return where the bytes of an array are a value: text in UTF-8, a decimal with at most its digits."""
    import pyarrow as pa

    def is_valid(part: pa.Array) -> bool:
        try:
            part.validate(full=True)
        except pa.ArrowInvalid:
            return False
        return True

    if is_valid(array):
        return np.ones(len(array), bool)
    return np.array([is_valid(array[at : at + 1]) for at in range(len(array))], bool)


def _where(good: NDArray[np.bool_], array: pa.Array) -> pa.Array:
    """Return an array with nulls in all other places."""
    import pyarrow as pa

    return array if good.all() else array.take(pa.array(np.arange(len(array)), mask=~good))
