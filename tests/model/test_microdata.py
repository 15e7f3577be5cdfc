from collections.abc import Iterator

import pytest

from tacita.errors import DictionaryError
from tacita.model.attribute import Attribute, Category
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata, Source
from tacita.model.relation import Column, ColumnType


class Nowhere:
    """A relation of columns alone."""

    def __init__(self, *columns: Column) -> None:
        self.columns = columns

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    def count(self) -> int:
        return 0

    def batches(self, rows: int = 100_000) -> Iterator[object]:
        return iter(())


AREA = Column("Area", "c0", ColumnType.TEXT)
FIRMS = Microdata(Nowhere(AREA), Dictionary("firms", (Attribute("Area"),)), Source("firms.csv", "CSV"))


def test_microdata_knows_its_columns_and_attributes():
    assert FIRMS.name == "firms"
    assert FIRMS.columns == (AREA,)
    assert FIRMS.column("Area") is AREA
    assert FIRMS.attribute("Area") == Attribute("Area")
    assert not FIRMS.dictionary_is_given


@pytest.mark.parametrize("ask", [FIRMS.column, FIRMS.attribute])
def test_an_unknown_name_gets_the_nearest(ask):
    with pytest.raises(DictionaryError, match="no attribute 'Aera' in the dictionary of 'firms'; did you mean 'Area'"):
        ask("Aera")


def test_another_dictionary_must_fit_the_columns():
    better = Dictionary("firms", (Attribute("Area", Category.QUASI_IDENTIFIER),))
    assert FIRMS.with_dictionary(better).dictionary_is_given
    assert FIRMS.with_dictionary(better, given=False).dictionary == better
    with pytest.raises(DictionaryError, match="the data has 'Area', of which the dictionary says nothing"):
        FIRMS.with_dictionary(Dictionary("firms"))


def test_which_types_can_be_added_up():
    assert [kind for kind in ColumnType if kind.is_numeric] == [ColumnType.INTEGER, ColumnType.NUMBER]
