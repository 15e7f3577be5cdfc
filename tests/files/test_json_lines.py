"""JSON Lines: what is written is read back, and damaged files are refused without a value in the message."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pytest

import tacita as tc
from tacita.errors import InputError

ROWS = {
    "name": ['Ä "quoted"', None, "line\nbreak"],
    "number": [1.5, None, -2.0],
    "count": [1, 2, None],
    "flag": [True, None, False],
    "day": [dt.date(2024, 1, 31), None, dt.date(1900, 2, 28)],
    "time": [dt.datetime(2024, 1, 31, 12, 30), None, dt.datetime(2024, 1, 31, 0, 0, 1)],
}


@pytest.mark.parametrize("ending", [".jsonl", ".ndjson"])
def test_what_is_written_is_read_back(tmp_path: Path, ending: str) -> None:
    data = tc.read(pa.table(ROWS), name="people")
    data.write(tmp_path / f"people{ending}")
    back = tc.read(tmp_path / f"people{ending}")
    assert back.to_arrow().to_pydict() == data.to_arrow().to_pydict()
    assert [column.type for column in back.microdata.columns] == [column.type for column in data.microdata.columns]


def test_an_absent_key_is_a_missing_value(tmp_path: Path) -> None:
    (tmp_path / "people.jsonl").write_text('{"a": 1}\n{"a": 2, "b": "x"}\n')
    assert tc.read(tmp_path / "people.jsonl").to_arrow().to_pydict() == {"a": [1, 2], "b": [None, "x"]}


@pytest.mark.parametrize(
    "text",
    ["", "no json SECRET", '{"a": "SECRET"', '{"a": 1}\n{"a": "SECRET"}\n', '{"a": ["SECRET"]}\n', '{"a": {"b": 1}}\n'],
)
def test_damaged_files_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "people.jsonl").write_text(text)
    with pytest.raises(InputError) as raised:
        tc.read(tmp_path / "people.jsonl")
    assert "SECRET" not in str(raised.value)
    assert raised.value.do
