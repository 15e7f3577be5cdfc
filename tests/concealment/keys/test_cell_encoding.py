"""Cells as bytes: exact round trips, one length, and nothing but what was encoded is decoded."""

from __future__ import annotations

import datetime as dt
import struct
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.concealment.keys.cells import bits, columns, naive

from tacita.concealment.keys import cell_decoding, decode_cells, encode_cells
from tacita.concealment.keys.cell_decoding import decode_leniently
from tacita.errors import InputError, UsageError


@pytest.mark.slow
@given(columns(min_size=0))
def test_values_and_spellings_come_back_exactly(column: tuple[pa.Array, pa.Array]) -> None:
    values, as_written = column
    cells = encode_cells(values, as_written)
    decoded = decode_cells(cells)
    assert bits(decoded.values) == bits(values)
    assert decoded.as_written.to_pylist() == as_written.to_pylist()
    assert not cells or decoded.values.type == values.type
    decoded.values.validate(full=True)


@pytest.mark.slow
@given(columns())
def test_cells_are_those_of_the_naive_encoder(column: tuple[pa.Array, pa.Array]) -> None:
    values, as_written = column
    cells = encode_cells(values, as_written)
    pairs = zip(values.to_pylist(), as_written.to_pylist(), strict=True)
    assert cells == [naive(value, values.type, spelling, len(cells[0])) for value, spelling in pairs]


@pytest.mark.slow
@given(columns())
def test_cells_of_an_attribute_have_one_length(column: tuple[pa.Array, pa.Array]) -> None:
    cells = encode_cells(*column)
    (length,) = {len(cell) for cell in cells}
    assert length % 16 == 0
    # Not a block more than the longest needs; a missing decimal needs as much as any other.
    assert any(0x80 in cell[-16:] for cell in cells) or (pa.types.is_decimal(column[0].type) and length == 32)


def test_the_length_does_not_tell_that_all_values_are_missing() -> None:
    for value in (7, 7.5, True, dt.date(2020, 2, 29), dt.datetime(2020, 2, 29), Decimal("7.5")):
        present = pa.array([value])
        missing = pa.nulls(1, present.type)
        assert len(encode_cells(missing)[0]) == len(encode_cells(present)[0])
        with pytest.raises(InputError, match="not well-formed"):
            decode_cells([encode_cells(missing)[0][:-16]])
    with pytest.raises(UsageError, match="the width of the cells is 16") as caught:
        encode_cells(pa.nulls(1, pa.decimal128(9, 2)), width=16)
    assert caught.value.do == "give a multiple of 16 from 32"


@pytest.mark.slow
@given(columns(), st.data())
def test_different_cells_have_different_bytes(column: tuple[pa.Array, pa.Array], data: st.DataObject) -> None:
    values, as_written = column
    cells = encode_cells(values, as_written)
    pairs = list(zip(bits(values), as_written.to_pylist(), strict=True))
    one, two = data.draw(st.sampled_from(range(len(cells)))), data.draw(st.sampled_from(range(len(cells))))
    assert (cells[one] == cells[two]) == (pairs[one] == pairs[two])


@pytest.mark.slow
@given(columns(min_size=2), st.data())
def test_parts_of_arrays_and_chunks_are_encoded_like_whole_ones(
    column: tuple[pa.Array, pa.Array], data: st.DataObject
) -> None:
    values, as_written = column
    cells = encode_cells(values, as_written)
    cut = data.draw(st.integers(1, len(values) - 1))
    width = len(cells[0])
    assert encode_cells(values[cut:], as_written[cut:], width=width) == cells[cut:]
    chunks = pa.chunked_array([values[:cut], values[cut:]]), pa.chunked_array([as_written[:cut], as_written[cut:]])
    assert encode_cells(*chunks) == cells


@pytest.mark.slow
@given(columns(), st.data())
def test_changed_cells_are_refused_or_are_other_cells(column: tuple[pa.Array, pa.Array], data: st.DataObject) -> None:
    """The encoding is onto what is decoded: whatever is accepted is encoded to the same bytes again."""
    cell = bytearray(data.draw(st.sampled_from(encode_cells(*column))))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(cell) - 1))
        cell[at] = data.draw(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF, cell[at] ^ 0x40, cell[at] ^ 0x80]))
    if data.draw(st.booleans()):
        del cell[data.draw(st.integers(0, len(cell))) :]
    _require_same_or_refused(bytes(cell))


@given(st.binary(max_size=64))
def test_any_bytes_are_refused_or_are_a_cell(content: bytes) -> None:
    _require_same_or_refused(content)
    _require_same_or_refused((bytes([1 + len(content) % 8]) + content + b"\x80").ljust(80, b"\0"))


def _require_same_or_refused(cell: bytes) -> None:
    try:
        decoded = decode_cells([cell])
    except InputError as error:
        assert error.found == "1 cell not well-formed"
        assert error.__context__ is None
    else:
        assert encode_cells(decoded.values, decoded.as_written, width=len(cell)) == [cell]


def test_wider_cells_and_cells_of_several_widths_are_decoded() -> None:
    short, wide = encode_cells(["a"], width=16), encode_cells(["b"], width=64)
    assert decode_cells([*short, *wide, *short]).values.to_pylist() == ["a", "b", "a"]


def test_many_cells_are_decoded_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_decoding, "_AT_ONCE", 50)
    values = pa.array([None, *range(20)])
    decoded = decode_cells(encode_cells(values))
    assert decoded.values.equals(values)
    assert decoded.as_written.null_count == 21


def test_missing_values_keep_their_type() -> None:
    for type_ in (pa.string(), pa.int64(), pa.bool_(), pa.timestamp("us"), pa.decimal128(9, 2), pa.null()):
        assert decode_cells(encode_cells(pa.nulls(3, type_))).values.type == type_


def test_spellings_that_restore_a_file() -> None:
    written = ["00123", "1.50", "NA", "99", "", " 7 ", "1e3", None]
    decoded = decode_cells(encode_cells([123.0, 1.5, None, None, None, 7.0, 1000.0, -0.0], written))
    assert decoded.as_written.to_pylist() == written
    assert bits(decoded.values)[-1] == struct.pack("<d", -0.0)


def test_text_may_look_like_padding_and_hold_zeros() -> None:
    texts = ["", "\0", "\x80", "a\0\0", "\0\x80\0", "é\x80", "NA"]
    assert decode_cells(encode_cells(texts)).values.to_pylist() == texts
    assert decode_cells(encode_cells(texts, texts[::-1])).as_written.to_pylist() == texts[::-1]


def test_not_a_number_keeps_its_bits() -> None:
    payload = struct.pack("<Q", 0x7FF80000DEADBEEF)
    values = pa.Array.from_buffers(pa.float64(), 1, [None, pa.py_buffer(payload)])
    decoded = decode_cells(encode_cells(values))
    assert decoded.values.buffers()[1].to_pybytes()[:8] == payload


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (pa.array([-7, None], pa.int8()), pa.array([-7, None], pa.int64())),
        (pa.array([2**63 - 1], pa.uint64()), pa.array([2**63 - 1], pa.int64())),
        (pa.array([0.1], pa.float32()), pa.array([0.10000000149011612], pa.float64())),
        (pa.array(["a", None], pa.large_string()), pa.array(["a", None])),
        (pa.array(["a", "b", "a"], pa.string_view()), pa.array(["a", "b", "a"])),
        (pa.array(["a", None, "a"]).dictionary_encode(), pa.array(["a", None, "a"])),
        (pa.array([dt.date(2020, 2, 29)], pa.date64()), pa.array([dt.date(2020, 2, 29)])),
        (pa.array([5], pa.timestamp("s")), pa.array([5_000_000], pa.timestamp("us"))),
        (pa.array([5000], pa.timestamp("ns")), pa.array([5], pa.timestamp("us"))),
    ],
)
def test_other_widths_come_back_as_the_widest(given_: pa.Array, expected: pa.Array) -> None:
    assert decode_cells(encode_cells(given_)).values.equals(expected)


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (pa.array([2**63], pa.uint64()), "values of type uint64 do not fit int64"),
        (pa.array([5001], pa.timestamp("ns")), "do not fit timestamp"),
        (pa.array([5], pa.timestamp("us", "Europe/Rome")), "cannot be sealed"),
        (pa.array([b"x"]), "values of type binary cannot be sealed"),
        (pa.array([[1]]), "cannot be sealed"),
        (pa.array([dt.time(1)]), "cannot be sealed"),
        (pa.array([Decimal(1)], pa.decimal256(40, 0)), "cannot be sealed"),
        (pa.nulls(1, pa.decimal128(5, 200)), "cannot be sealed"),
        ([1, "secret-7"], "not of one type"),
        ([2**70], "not of one type"),
        ([object()], "not of one type"),
    ],
)
def test_what_cannot_come_back_exactly_is_refused(values: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as caught:
        encode_cells(values)
    assert "secret" not in str(caught.value)
    assert "9223372036854775808" not in str(caught.value)
    assert caught.value.__context__ is None


def test_a_null_may_stand_over_bytes() -> None:
    valid, ends = pa.py_buffer(b"\x05"), pa.py_buffer(struct.pack("<4i", 0, 1, 7, 8))
    texts = pa.Array.from_buffers(pa.string(), 3, [valid, ends, pa.py_buffer(b"ahiddenb")])
    assert texts.to_pylist() == ["a", None, "b"]
    assert encode_cells(texts, texts) == encode_cells(["a", None, "b"], ["a", None, "b"])
    assert b"hidden" not in b"".join(encode_cells(texts, texts, width=32))


def test_a_decimal_of_another_form_is_malformed() -> None:
    good = encode_cells([Decimal("1.5")])
    for form in (b"\x00\x01", b"\x27\x01"):
        decoded = decode_leniently([*good, good[0][:1] + form + good[0][3:], *good])
        assert decoded.is_well_formed.tolist() == [True, False, True]
        assert decoded.values.to_pylist() == [Decimal("1.5"), None, Decimal("1.5")]


def test_spellings_must_fit() -> None:
    with pytest.raises(UsageError, match="more or fewer spellings"):
        encode_cells([1, 2], ["1"])
    with pytest.raises(UsageError, match="spellings are not text"):
        encode_cells([1], [1])


@pytest.mark.parametrize("width", [0, 8, 17, -16])
def test_a_width_is_a_multiple_of_sixteen(width: int) -> None:
    with pytest.raises(UsageError, match=f"the width of the cells is {width}"):
        encode_cells([1], width=width)


def test_cells_that_have_no_room_are_counted() -> None:
    with pytest.raises(UsageError, match="2 cells longer than the width of 16 bytes") as caught:
        encode_cells(["a" * 14, "a" * 15, "a" * 40], width=16)
    assert caught.value.do == "widen it to 48"
    assert len(encode_cells(["a" * 14], width=16)[0]) == 16


def test_cells_of_several_types_are_not_one_array() -> None:
    cells = [*encode_cells([1]), *encode_cells(["a"])]
    with pytest.raises(InputError, match="of several types"):
        decode_cells(cells)
    forms = [*encode_cells([Decimal("1.5")]), *encode_cells([Decimal("1.50")])]
    with pytest.raises(InputError, match="of several types"):
        decode_cells(forms)
    assert decode_cells([*encode_cells([1]), *encode_cells([None])]).values.to_pylist() == [1, None]


def _padded(content: bytes) -> bytes:
    return (content + b"\x80").ljust(32, b"\0")


@pytest.mark.parametrize(
    "cell",
    [
        b"",
        bytes(16),
        b"\x80" + bytes(15),
        encode_cells([1])[0][:15],
        encode_cells([1])[0] + b"\0",
        encode_cells(["abcdefghijklmn"])[0][:-1] + b"\x7f",
        _padded(b"\x00"),
        _padded(b"\x49"),
        _padded(b"\x3f"),
        _padded(b"\x01"),
        _padded(b"\x03" + bytes(7)),
        _padded(b"\x03" + bytes(9)),
        _padded(b"\x43\x00"),
        _padded(b"\x83" + bytes(7)),
        _padded(b"\x05\x02"),
        _padded(b"\x06" + bytes(8)),
        _padded(b"\x02\xff"),
        _padded(b"\x02\xed\xa0\x80"),
        _padded(b"\xc2\xff"),
        _padded(b"\x82\x09\x00\x00\x00ab"),
        _padded(b"\x82\xff\xff\xff\xffab"),
        _padded(b"\x82\x01\x00\x00"),
        _padded(b"\x82\x01\x00\x00\x00\xc3\xa9"),
        _padded(b"\x08\x00\x00" + bytes(16)),
        _padded(b"\x08\x27\x00" + bytes(16)),
        _padded(b"\x08\x02\x00" + (100).to_bytes(16, "little")),
        _padded(b"\x48"),
        _padded(b"\x48\x05"),
    ],
    ids=bytes.hex,
)
def test_malformed_cells_are_refused_and_leave_others_alone(cell: bytes) -> None:
    with pytest.raises(InputError, match="1 cell not well-formed"):
        decode_cells([cell])
    same_type = naive(None, pa.null(), "good", 16)
    decoded = decode_leniently([same_type, cell, same_type])
    assert decoded.is_well_formed.tolist() == [True, False, True]
    assert decoded.as_written.to_pylist() == ["good", None, "good"]
    assert decoded.values.null_count == 3
    decoded.values.validate(full=True)
    decoded.as_written.validate(full=True)


@pytest.mark.slow
@given(columns(min_size=2))
def test_a_malformed_cell_does_not_change_its_neighbours(column: tuple[pa.Array, pa.Array]) -> None:
    values, as_written = column
    assume(values.type != pa.null())
    cells = encode_cells(values, as_written)
    decoded = decode_leniently([b"", *cells[:1], bytes(len(cells[0])), *cells[1:]])
    assert decoded.is_well_formed.tolist() == [False, True, False, *[True] * (len(cells) - 1)]
    kept = pa.array(decoded.is_well_formed)
    assert bits(decoded.values.filter(kept)) == bits(values)
    assert decoded.as_written.filter(kept).to_pylist() == as_written.to_pylist()
