"""Microdata as arrays, and back."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

import tacita as tc
from tacita.engines.records import microdata_of, records_of
from tacita.errors import InputError
from tacita.model.records import Categories, Numbers

TABLE = pa.table(
    {
        "id": [10, 11, 12],
        "turnover": [1.5, None, 3.5],
        "sector": ["trade", None, "mining"],
        "listed": [True, False, None],
        "day": [datetime.date(2026, 1, 2), None, datetime.date(2025, 5, 6)],
        "at": [datetime.datetime(2026, 1, 2, 3, 4, 5), None, datetime.datetime(2025, 5, 6)],
    }
)


@pytest.fixture
def firms():
    return tc.read(TABLE, name="firms").microdata


def _rows(microdata):
    return [row for batch in microdata.relation.batches() for row in batch.to_pylist()]


def test_every_type_goes_there_and_back(firms):
    records = records_of(firms)
    back = microdata_of(records, firms, np.arange(3), firms.dictionary.names)
    assert _rows(back) == TABLE.to_pylist()
    assert [c.type for c in back.columns] == [c.type for c in firms.columns]


def test_invented_records_need_no_origin(firms):
    records = records_of(firms).taken(np.array([2, 2, 0, 1]))
    back = microdata_of(records, firms, None, ())
    assert _rows(back) == [TABLE.to_pylist()[i] for i in (2, 2, 0, 1)]


def test_a_sample_keeps_what_was_not_changed(firms):
    rows = np.array([2, 0])
    records = records_of(firms).taken(rows).with_columns({"turnover": Numbers.of([7.0, None])})
    back = _rows(microdata_of(records, firms, rows, ["turnover"]))
    assert [row["id"] for row in back] == [12, 10]
    assert [row["turnover"] for row in back] == [7.0, None]


def test_whole_numbers_are_whole_again(firms):
    records = records_of(firms).with_columns({"id": Numbers.of([10.4, 10.6, None], is_whole=True)})
    assert [row["id"] for row in _rows(microdata_of(records, firms, np.arange(3), ["id"]))] == [10, 11, None]


def test_categories_that_do_not_fit_their_type_become_text(firms):
    records = records_of(firms).with_columns({"id": Categories.of(["10-19", "10-19", None])})
    back = microdata_of(records, firms, np.arange(3), ["id"])
    assert [row["id"] for row in _rows(back)] == ["10-19", "10-19", None]
    assert back.attribute("id").kind.value == "categorical"


def test_an_order_of_the_dictionary_is_kept():
    data = tc.read(pa.table({"size": ["large", "small", "large"]}), name="firms").microdata
    told = data.with_dictionary(data.dictionary.mapped(lambda a: a.with_(order=("small", "large"))))
    size = records_of(told)["size"]
    assert isinstance(size, Categories)
    assert size.values == ("small", "large")
    assert size.is_ordered


def test_numbers_too_large_for_arithmetic_are_refused():
    data = tc.read(pa.table({"id": [2**60 + 1, 3]}), name="firms").microdata
    with pytest.raises(InputError, match="2\\^53") as raised:
        records_of(data)
    assert str(2**60 + 1) not in str(raised.value)


def test_spelling_of_the_source_stays_where_nothing_changed(tmp_path):
    file = tmp_path / "firms.csv"
    file.write_text("id,price,x\n1,1.50,1\n2,2.00,2\n")
    data = tc.read(file).microdata
    records = records_of(data).with_columns({"x": Numbers.of([5, 6], is_whole=True)})
    back = microdata_of(records, data, np.arange(2), ["x"])
    tc.Dataset(back).write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "id,price,x\n1,1.50,5\n2,2.00,6\n"


@pytest.mark.slow
def test_no_records(firms):
    empty = tc.read(TABLE.slice(0, 0), name="firms").microdata
    assert len(records_of(empty)) == 0
