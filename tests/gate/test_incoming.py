"""Records as they arrive: streams that are cut off, rows of another width, tables that grow."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from experiments.soldiers import policy_text

from tacita.api.gate_options import IncomingOptions, RecordReading
from tacita.api.gates import open_gate, parse_policy
from tacita.errors import InputError, UsageError
from tacita.files.contract import ReadOptions
from tacita.gate.answers import Row
from tacita.gate.incoming.places import RecordSource
from tacita.gate.incoming.stream import RecordStream
from tacita.gate.policy.cells import cells_of

NAMES = ("id", "age", "location")


@contextmanager
def stream(text: bytes) -> Iterator[RecordStream]:
    """A stream that ends after a text."""
    reading, writing = os.pipe()
    os.write(writing, text)
    os.close(writing)
    try:
        yield RecordStream(reading, NAMES)
    finally:
        os.close(reading)


def read(text: bytes) -> tuple[list[Row | None], bool]:
    with stream(text) as records:
        return [row for batch in records.batches(2) for row in batch], records.is_cut_off


@pytest.mark.parametrize(
    "end",
    [b'{"id": "9", "age": "20', b'{"id": "99", "age": "20-24", "location": "L1"}'],
)
def test_a_last_line_without_an_end_is_never_a_record(end: bytes) -> None:
    """Even a line that looks whole may be cut off: 9 may have been 99."""
    whole = b'{"id": 1, "age": "20-24", "location": "L1"}\n'
    assert read(whole) == ([("1", "20-24", "L1")], False)
    assert read(whole + end) == ([("1", "20-24", "L1")], True)


@pytest.mark.parametrize("end", [b"2,20-24,L", b'4,"20-24\n,L1\n'])
def test_a_csv_stream_that_is_cut_off(end: bytes) -> None:
    assert read(b"id,age,location\n1,20-24,L1\n" + end) == ([("1", "20-24", "L1")], True)


def test_rows_of_another_width_or_encoding_are_not_records() -> None:
    rows, _ = read(b"\xef\xbb\xbflocation,id,age\nL1,1,20-24\n2,20-24\n3,20-24,L1,x\n\xff4,20-24,L1\n\nL2,5,25-29\n")
    assert rows == [("1", "20-24", "L1"), None, None, None, ("5", "25-29", "L2")]


def test_a_stream_without_an_attribute() -> None:
    with pytest.raises(InputError, match="did you mean 'aeg'"):
        read(b"id,aeg,location\n1,20-24,L1\n")


@pytest.mark.slow
def test_a_table_is_polled_and_its_new_records_read(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "army.db") as database:
        database.execute("CREATE TABLE soldiers (id TEXT, age TEXT, location TEXT)")
        database.execute("INSERT INTO soldiers VALUES ('1', '20-24', 'L1')")
    name = f"sqlite:///{tmp_path / 'army.db'}"
    batches = IncomingOptions(table="soldiers", follow=True, every=0.05).source(name).batches(NAMES, 10)
    assert next(batches) == [("1", "20-24", "L1")]
    with sqlite3.connect(tmp_path / "army.db") as database:
        database.execute("INSERT INTO soldiers VALUES ('2', '25-29', 'L2')")
    assert next(batches) == [("2", "25-29", "L2")]


@pytest.mark.parametrize(
    ("options", "source"),
    [
        (IncomingOptions(every=1.0), "a.csv"),
        (IncomingOptions(follow=True), "-"),
        (IncomingOptions(encoding="cp1252"), "-"),
        (RecordReading(delimiter=";"), "sqlite:///a.db"),
        (RecordReading(table="soldiers"), "a.csv"),
        (RecordReading(query="SELECT 1"), "-"),
    ],
)
def test_options_that_would_change_nothing_are_refused(options: RecordReading, source: str) -> None:
    with pytest.raises(UsageError):
        options.check(source)


def test_records_of_python_are_read_as_those_of_a_stream() -> None:
    """A cell that is no single value would have another spelling through each door."""
    import numpy as np

    cells = [1, np.int64(1), np.float32(1), 1.0, "1", " 1 ", Decimal("1.00")]
    assert {cells_of({"id": cell}, ("id",)) for cell in cells} == {("1",)}
    no_values = (None, float("nan"), np.float32("nan"), Decimal("NaN"), "")
    assert {cells_of({"id": cell}, ("id",)) for cell in no_values} == {("",)}
    no_records = [5, "1", ["1"], {"id": [1]}, {"id": b"1"}, {"id": {"a": 1}}, {"id": np.array([1])}]
    assert {cells_of(record, ("id",)) for record in no_records} == {None}


def test_rows_of_another_width_are_not_offered() -> None:
    with open_gate(parse_policy(policy_text()), trial=True) as gate, pytest.raises(UsageError, match="3 cells"):
        gate.offer_rows([("1", "20-24")])


def test_a_file_that_grows_is_read_when_it_has_settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever follows a folder looks while others write: 'L1' may be the beginning of 'L10'."""
    text = "id,age,location\n1,20-24,L10\n2,25-29,L20\n"
    versions = [text[:26], text[:35], text, text]
    (tmp_path / "a.csv").write_text(versions.pop(0))

    def write_more(*_: object) -> None:
        if versions:
            (tmp_path / "a.csv").write_text(versions.pop(0))

    monkeypatch.setattr(RecordSource, "_wait", write_more)
    source = RecordSource(str(tmp_path), ReadOptions(), follow=True)
    batches = source.batches(NAMES, 10, lambda: False)
    assert next(batches) == [("1", "20-24", "L10"), ("2", "25-29", "L20")]
    assert not versions
