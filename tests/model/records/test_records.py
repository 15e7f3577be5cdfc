"""Records as arrays."""

import numpy as np
import pytest

from tacita.errors import InputError
from tacita.model.records import Categories, Numbers, Records, strata


def test_columns_have_one_length():
    with pytest.raises(InputError, match="different numbers"):
        Records({"a": Numbers.of([1]), "b": Numbers.of([1, 2])})


def test_an_unknown_attribute_is_named_with_the_nearest():
    with pytest.raises(InputError, match="did you mean 'sector'"):
        Records({"sector": Categories.of(["a"])})["sectro"]


def test_numbers_and_categories_are_views_of_each_other():
    records = Records({"rooms": Numbers.of([3, 1, None, 3], is_whole=True)})
    rooms = records.categories("rooms")
    assert rooms.values == (1, 3)
    assert rooms.codes.tolist() == [1, 0, -1, 1]
    back = Records({"rooms": rooms}).numbers("rooms")
    assert back.is_whole
    assert np.array_equal(back.values, records.numbers("rooms").values, equal_nan=True)


def test_text_is_no_number_and_the_message_shows_no_value():
    with pytest.raises(InputError) as raised:
        Records({"sector": Categories.of(["mining"])}).numbers("sector")
    assert "mining" not in str(raised.value)


def test_columns_cannot_be_changed_in_place():
    column = Numbers.of([1, 2])
    with pytest.raises(ValueError, match="read-only"):
        column.values[0] = 5


def test_strata_hold_every_record_once_and_missing_is_a_stratum():
    records = Records({"a": Categories.of(["x", None, "y", "x"]), "b": Numbers.of([1, 1, 1, 2])})
    parts = strata(records, ["a", "b"])
    assert [part.tolist() for part in parts] == [[0], [1], [2], [3]]
    assert [part.tolist() for part in strata(records, ["a"])] == [[0, 3], [1], [2]]
    assert [part.tolist() for part in strata(records, [])] == [[0, 1, 2, 3]]


def test_nothing_of_the_data_is_printed():
    records = Records({"sector": Categories.of(["mining"]), "x": Numbers.of([42.0])})
    assert "mining" not in repr(records) + repr(records["sector"])
    assert "42" not in repr(records) + repr(records["x"])
