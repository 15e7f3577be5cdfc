"""Cells as bytes and back, exactly: the value with its type, and the spelling of the source.

A cell is one tag, a value, a spelling, and padding up to the length that all cells of an attribute share, so that the
length of a token tells nothing about its value::

    tag        1 byte   type (1 to 8), + 64 if the value is missing, + 128 if a spelling follows
    form       2 bytes  of decimals only: precision and scale
    length     4 bytes  of the text, where a spelling follows it
    value               text in UTF-8; whole numbers, floating-point numbers, timestamps (microseconds since 1970):
                        8 bytes; dates (days since 1970): 4; booleans: 1; decimals: 16; little-endian.
                        A missing value has no byte
    spelling            text in UTF-8
    padding             128, then zeros (ISO/IEC 7816-4) up to a multiple of 16

The last byte that is not zero ends the content, so that no two cells have the same bytes. A missing value keeps its
type, so that an attribute without any value comes back as what it was. Numbers come back as 64-bit numbers, texts as
strings, timestamps in microseconds, whatever width the source has.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacita.concealment.keys.person_keys import one_array
from tacita.errors import InputError, UsageError, counted, raise_alone

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 16
END_OF_CONTENT = 0x80
IS_MISSING = 0x40
IS_SPELLED = 0x80
TYPE_BITS = 0x3F


class CellType(IntEnum):
    """The type of a value: the lower bits of its tag."""

    NOTHING = 1
    """An attribute of which the source knows no type; all its values are missing."""
    TEXT = 2
    INTEGER = 3
    NUMBER = 4
    BOOLEAN = 5
    DATE = 6
    TIMESTAMP = 7
    DECIMAL = 8

    @property
    def header(self) -> int:
        """How many bytes stand before the value: the tag, and the form of decimals."""
        return 3 if self is CellType.DECIMAL else 1

    @property
    def room(self) -> int:
        """How many bytes a value needs at least, with what stands before it."""
        return self.header + SIZES.get(self, 0)


SIZES = {
    CellType.INTEGER: 8,
    CellType.NUMBER: 8,
    CellType.BOOLEAN: 1,
    CellType.DATE: 4,
    CellType.TIMESTAMP: 8,
    CellType.DECIMAL: 16,
}
NUMPY_TYPES = {
    CellType.INTEGER: "<i8",
    CellType.NUMBER: "<f8",
    CellType.BOOLEAN: "u1",
    CellType.DATE: "<i4",
    CellType.TIMESTAMP: "<i8",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CellColumn:
    """Values of one attribute with their spellings, ready to become bytes."""

    type: CellType
    values: pa.Array
    as_written: pa.StringArray | None

    @classmethod
    def of(cls, values: Any, as_written: Any = None) -> CellColumn:
        """Return values and spellings as arrays of the types that are encoded.

        Raises `InputError` if there is no encoding that gives the values back exactly.
        """
        import pyarrow as pa

        type_, array = _canonical(one_array(values, "value"))
        if as_written is not None:
            as_written = one_array(as_written, "spelling")
            if len(as_written) != len(array):
                raise UsageError("there are more or fewer spellings than values", do="give null where there is none")
            if not (pa.types.is_null(as_written.type) or _is_text(as_written.type)):
                raise UsageError("the spellings are not text", do="give what stands in the source as text, or null")
            as_written = as_written.cast(pa.string())
        return cls(type_, array, as_written if as_written is not None and as_written.null_count < len(array) else None)

    def __len__(self) -> int:
        return len(self.values)

    def width(self) -> int:
        """Return the fewest bytes, a multiple of 16, in which each of the cells has room.

        There is room for a value of the type, too: the length must not tell that all values are missing.
        """
        longest = int(self._lengths().max(initial=self.type.room))
        return (longest // BLOCK + 1) * BLOCK

    def _lengths(self) -> NDArray[np.int64]:
        """Return the bytes of each cell without its padding."""
        present = ~_nulls(self.values)
        if self.type is CellType.TEXT:
            sizes = _text_lengths(self.values) + 4 * (present & _spelled(self))
        else:
            sizes = SIZES.get(self.type, 0) * present.astype(np.int64)
        spelling = np.zeros(len(self), np.int64) if self.as_written is None else _text_lengths(self.as_written)
        return np.asarray(self.type.header + sizes + spelling, np.int64)

    def check_width(self, width: int) -> None:
        """Raise `UsageError` if a width is not a multiple of 16, or if cells have no room in it."""
        if width <= self.type.room or width % BLOCK:
            least = (self.type.room // BLOCK + 1) * BLOCK
            raise UsageError(f"the width of the cells is {width}", do=f"give a multiple of {BLOCK} from {least}")
        if longer := int((self._lengths() >= width).sum()):
            raise UsageError(
                f"{counted(longer, 'cell')} longer than the width of {width} bytes", do=f"widen it to {self.width()}"
            )

    def encoded(self, rows: NDArray[np.int64], width: int) -> bytes:
        """Return the cells of some rows, one behind the other, each of the given width."""
        import pyarrow as pa

        places = pa.array(rows)
        written = None if self.as_written is None else self.as_written.take(places)
        return CellColumn(self.type, self.values.take(places), written)._laid_out(width).tobytes()

    def _laid_out(self, width: int) -> NDArray[np.uint8]:
        cells = np.zeros((len(self), width), np.uint8)
        present, spelled = ~_nulls(self.values), _spelled(self)
        cells[:, 0] = self.type + IS_MISSING * ~present + IS_SPELLED * spelled
        end = np.full(len(self), self.type.header)
        if self.type is CellType.DECIMAL:
            cells[:, 1], cells[:, 2] = self.values.type.precision, self.values.type.scale % 256
        if self.type is CellType.TEXT:
            both = present & spelled
            lengths = _text_lengths(self.values)
            cells[both, 1:5] = lengths[both].astype("<u4").view(np.uint8).reshape(-1, 4)
            end += 4 * both
            end = _put(cells, end, self.values)
        elif self.type is not CellType.NOTHING:
            size = SIZES[self.type]
            cells[present, self.type.header : self.type.header + size] = _fixed_bytes(self)[present]
            end += size * present
        if self.as_written is not None:
            end = _put(cells, end, self.as_written)
        cells[np.arange(len(self)), end] = END_OF_CONTENT
        return cells


def encode_cells(values: Any, as_written: Any = None, *, width: int | None = None) -> list[bytes]:
    """Return each value, with its spelling if there is one, as bytes of one length.

    `values` is an Arrow array or a list; `as_written` holds text, or null where the value says it all. `width` is the
    length, a multiple of 16; by default the shortest in which every cell has room.

    Raises `InputError` for types that cannot be given back exactly, and `UsageError` if the width is too small.

    >>> [cell.hex() for cell in encode_cells([123, None], ["00123", "NA"])]
    ['837b0000000000000030303132338000', 'c34e4180000000000000000000000000']
    """
    column = CellColumn.of(values, as_written)
    width = column.width() if width is None else width
    column.check_width(width)
    laid_out = column.encoded(np.arange(len(column)), width)
    return [laid_out[at : at + width] for at in range(0, len(laid_out), width)]


def _is_text(type_: pa.DataType) -> bool:
    import pyarrow as pa

    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(test(type_) for test in tests)


def _canonical(values: pa.Array) -> tuple[CellType, pa.Array]:
    """Return the type of values, and the values in the Arrow type in which they are encoded."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    given = values.type
    types = (
        (pa.types.is_null, CellType.NOTHING, pa.null()),
        (_is_text, CellType.TEXT, pa.string()),
        (pa.types.is_integer, CellType.INTEGER, pa.int64()),
        (pa.types.is_floating, CellType.NUMBER, pa.float64()),
        (pa.types.is_boolean, CellType.BOOLEAN, pa.bool_()),
        (pa.types.is_date, CellType.DATE, pa.date32()),
        (lambda t: pa.types.is_timestamp(t) and t.tz is None, CellType.TIMESTAMP, pa.timestamp("us")),
        (lambda t: pa.types.is_decimal128(t) and -128 <= t.scale < 128, CellType.DECIMAL, given),
    )
    for test, type_, arrow_type in types:
        if test(given):
            try:
                return type_, values.cast(arrow_type)
            except pa.ArrowException:
                raise_alone(
                    InputError(
                        f"values of type {given} do not fit {arrow_type}", do="convert them, or seal them as text"
                    )
                )
    raise InputError(f"values of type {given} cannot be sealed", do="convert them, or seal them as text")


def _nulls(array: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(array.is_null().to_numpy(zero_copy_only=False), bool)


def _spelled(column: CellColumn) -> NDArray[np.bool_]:
    return np.zeros(len(column), bool) if column.as_written is None else ~_nulls(column.as_written)


def _text_lengths(texts: pa.StringArray) -> NDArray[np.int64]:
    import pyarrow.compute as pc

    return np.asarray(pc.fill_null(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False), np.int64)


def _put(cells: NDArray[np.uint8], start: NDArray[np.int64], texts: pa.StringArray) -> NDArray[np.int64]:
    """Write texts into the rows of a matrix, each from its own place; return where each ends."""
    import pyarrow.compute as pc

    texts = pc.fill_null(texts, "") if texts.null_count else texts  # a null may stand over bytes
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    stop = start + np.diff(ends)
    if data is not None and len(texts):
        flat = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]
        cells[between(start, stop, cells.shape[1])] = flat
    return stop


def between(start: NDArray[np.int64], stop: NDArray[np.int64], width: int) -> NDArray[np.bool_]:
    """Return which places of each row are from `start` to before `stop`."""
    places = np.arange(width)
    return (places >= start[:, None]) & (places < stop[:, None])


def _fixed_bytes(column: CellColumn) -> NDArray[np.uint8]:
    """Return the bytes of each value of a type with one size."""
    import pyarrow as pa

    values, size = column.values, SIZES[column.type]
    if column.type is CellType.DECIMAL:
        start = values.offset * size
        return np.frombuffer(values.buffers()[1], np.uint8)[start : start + size * len(values)].reshape(-1, size)
    plain = {CellType.DATE: pa.int32(), CellType.TIMESTAMP: pa.int64(), CellType.BOOLEAN: pa.uint8()}
    numbers = values.cast(plain.get(column.type, values.type))
    numbers = numbers.fill_null(0) if numbers.null_count else numbers
    flat = numbers.to_numpy(zero_copy_only=False).astype(NUMPY_TYPES[column.type], copy=False)
    return np.ascontiguousarray(flat).view(np.uint8).reshape(-1, size)
