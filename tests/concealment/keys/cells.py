"""Random cells of every type, and a naive encoder of single cells that shares no code with ours."""

from __future__ import annotations

import datetime as dt
import struct
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
_INT64 = st.integers(-(2**63), 2**63 - 1)
_EPOCH = dt.datetime(1970, 1, 1)

TYPES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.null(): st.none(),
    pa.string(): TEXT,
    pa.int64(): _INT64,
    pa.float64(): st.floats() | st.sampled_from([-0.0, float("inf"), float("-inf"), 5e-324]),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(),
    pa.timestamp("us"): st.datetimes(),
    pa.decimal128(20, 3): st.decimals(-(10**16), 10**16, places=3),
    pa.decimal128(5, -2): st.integers(-99999, 99999).map(lambda n: Decimal(n).scaleb(2)),
}


@st.composite
def columns(draw: st.DrawFn, min_size: int = 1, max_size: int = 12) -> tuple[pa.Array, pa.Array]:
    """Draw values of one type, nulls among them, and spellings, nulls among them."""
    type_ = draw(st.sampled_from(list(TYPES)))
    size = draw(st.integers(min_size, max_size))
    values = draw(st.lists(st.none() | TYPES[type_], min_size=size, max_size=size))
    spellings = draw(st.lists(st.none() | TEXT, min_size=size, max_size=size))
    return pa.array(values, type_), pa.array(spellings, pa.string())


def bits(array: pa.Array) -> list[Any]:
    """Return values such that equal means equal to the last bit, -0.0 and NaN too."""
    if pa.types.is_float64(array.type):
        return [None if cell is None else struct.pack("<d", cell) for cell in array.to_pylist()]
    return list(array.to_pylist())


def naive(value: Any, type_: pa.DataType, spelling: str | None, width: int) -> bytes:
    """Return one cell by the words of the format."""
    codes = {"null": 1, "string": 2, "int64": 3, "double": 4, "bool": 5, "date32[day]": 6, "timestamp[us]": 7}
    code = codes.get(str(type_), 8)
    form = bytes([type_.precision, type_.scale & 0xFF]) if code == 8 else b""
    tag = code | (0x40 if value is None else 0) | (0x80 if spelling is not None else 0)
    content = bytes([tag]) + form
    if value is not None:
        content += _value_bytes(value, code, type_, is_spelled=spelling is not None)
    content += b"" if spelling is None else spelling.encode()
    return (content + b"\x80").ljust(width, b"\0")


def _value_bytes(value: Any, code: int, type_: pa.DataType, *, is_spelled: bool) -> bytes:
    if code == 2:
        text: bytes = value.encode()
        return (struct.pack("<I", len(text)) if is_spelled else b"") + text
    if code == 3:
        return struct.pack("<q", value)
    if code == 4:
        return struct.pack("<d", value)
    if code == 5:
        return b"\x01" if value else b"\x00"
    if code == 6:
        return struct.pack("<i", (value - _EPOCH.date()).days)
    if code == 7:
        return struct.pack("<q", (value - _EPOCH) // dt.timedelta(microseconds=1))
    return int(value.scaleb(type_.scale)).to_bytes(16, "little", signed=True)
