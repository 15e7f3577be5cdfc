"""Granularity: the hyper-rows of the document that defines it, and the table that it calls very sensitive."""

from __future__ import annotations

import pytest
from tests.tables.grids import crossed
from tests.tables.recoding.research import research

from tacita.errors import InputError
from tacita.model.table import Dimension
from tacita.tables.recoding.granularity import HyperRow, granularity

AGES = ("5-19", "20-34", "35-50", "50-65", "66+")
POPULATION = (50, 1500, 900, 450, 100)
"""As the row that the document calls normal, fifty times."""


def statisticians(*counts: int) -> HyperRow:
    occupation, age = Dimension.flat("occupation", ["statistician", "other"]), Dimension.flat("age", AGES)
    rows = {"statistician": counts, "other": POPULATION}
    cells = {(who, when): n for who, all_ in rows.items() for when, n in zip(AGES, all_, strict=True)}
    found = granularity(crossed((occupation, age), cells))
    return next(row for row in found.rows if row.fixed == (("occupation", "statistician"),))


@pytest.mark.parametrize(
    ("counts", "index", "pattern"),
    [((1, 3, 4, 1, 1), 60, "proportional"), ((0, 1, 1, 21, 1), 75, "odd"), ((1, 30, 1, 9, 1), 60, "dispersed")],
)
def test_the_granulated_rows_of_the_document(counts: tuple[int, ...], index: float, pattern: str) -> None:
    row = statisticians(*counts)
    assert row.index == index
    assert pattern in row.patterns


def test_the_normal_row_of_the_document_shows_no_pattern() -> None:
    row = statisticians(1, 30, 18, 9, 2)
    assert row.index == 20
    assert row.patterns == ()


def test_each_pattern_by_itself() -> None:
    assert statisticians(1, 3, 4, 1, 1).patterns == ("proportional",)
    assert statisticians(2, 1, 9, 21, 3).patterns == ("odd",)
    # One isolated unit where the population has few as well.
    assert statisticians(0, 0, 5, 1, 5).patterns == ("dispersed",)
    assert statisticians(0, 0, 4, 1, 5).patterns == ()


def test_the_research_table_is_critical_in_four_rows() -> None:
    found = granularity(research())
    assert len(found.rows) == 18 + 7 + 2
    critical = {dict(row.fixed).popitem()[1]: row.index for row in found.critical}
    assert critical == {
        "500-999": pytest.approx(500 / 7),
        ">=1000": 50,
        "Energy and construction": 50,
        "Other services": 50,
    }
    assert set(found.critical) < set(found.conspicuous)


def test_rows_of_three_dimensions_and_missing_cells() -> None:
    """A row may fix one dimension only, and a cell that is missing is an empty neighbour."""
    three = [Dimension.flat(name, ["1", "2", "3"]) for name in "abc"]
    table = crossed(three, {("1", "1", "1"): 6, ("1", "1", "2"): 1, ("1", "1", "3"): 6, ("2", "2", "2"): 1})
    rows = {(row.dimension, row.fixed): row for row in granularity(table).rows}
    whole = rows["c", (("a", "1"), ("b", "Total"))]
    assert (whole.units, whole.occupied) == (1, 3)
    assert whole.dispersed
    assert rows["c", (("a", "2"), ("b", "2"))].index == 100


def test_an_empty_table_has_no_rows_and_bad_levels_are_refused() -> None:
    assert granularity(crossed([Dimension.flat("a", ["1"])], {})).rows == ()
    assert granularity(crossed([Dimension.flat("a", ["1"])], {("1",): 1})).rows[0].index == 100
    for wrong in ({"critical": 0}, {"critical": 101}, {"unexpected": 1}, {"high": 1}):
        with pytest.raises(InputError):
            granularity(research(), **wrong)  # type: ignore[arg-type]
