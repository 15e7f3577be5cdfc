"""An earlier publication beside a table: known cells, added sums, reused patterns."""

from __future__ import annotations

import numpy as np
import pytest
from tests.tables.grids import crossed

from tacita.errors import InputError
from tacita.model.table import Dimension, Equations, Knowledge, Levels, Status, Table
from tacita.tables.build.given import GivenTable
from tacita.tables.build.history import EARLIER, earlier_pattern, together_with

SEX = Dimension.flat("sex", ["f", "m"])
AREA = Dimension.tree("area", {"Total": {"N": ["n1", "n2"], "S": []}})
COARSE = Dimension.flat("area", ["N", "S"])

FINE = {("n1", "f"): 4, ("n1", "m"): 6, ("n2", "f"): 3, ("n2", "m"): 9, ("S", "f"): 5, ("S", "m"): 7}
NOW = crossed((AREA,), {("n1",): 10, ("n2",): 12, ("S",): 12}, name="now")
BEFORE = crossed((COARSE, SEX), {("N", "f"): 7, ("N", "m"): 15, ("S", "f"): 5, ("S", "m"): 7}, name="before")


def published(what: Table, hidden: set[tuple[str, ...]], *, true: bool) -> GivenTable:
    mask = np.array([what.cell_codes(cell) in hidden for cell in range(len(what))])
    values = what.values if true else np.where(mask, np.nan, what.values)
    status = np.where(mask, Status.PRIMARY, Status.PUBLISHED).astype(np.int8)
    return GivenTable(
        Table(what.name, what.dimensions, what.codes, values, what.equations, True), status, has_true_values=true
    )


def test_the_same_period_joins_cells_and_sums() -> None:
    hidden = {("N", "f"), ("N", "m"), ("S", "f"), ("S", "m")}
    both = together_with(GivenTable(NOW), published(BEFORE, hidden, true=True))
    joint = both.given.table
    assert len(joint) == 5 + 6 and joint.values[:5].tolist() == NOW.values.tolist()
    names = [joint.cell_name(cell) for cell in range(len(joint))]
    assert names[0] == "area=Total, sex=Total" and names[5] == "area=Total, sex=f"
    # Three cells are in both; the two margins of sex are known, the four inner cells are not.
    assert int(both.known.sum()) == 5
    assert both.given.status is not None
    assert np.bincount(both.given.status[5:], minlength=5).tolist() == [0, 0, 0, 4, 2]
    assert np.abs(joint.equations.residuals(joint.values)).max() == 0
    # Two sums of the new table; of the earlier one, over sex three and over area two more.
    assert len(joint.equations) == 2 + 5
    assert set(joint.parts) == {"now", EARLIER}
    assert joint.parts["now"].sum() == 5 and joint.parts[EARLIER].sum() == 9
    assert both.given.has_true_values


def test_levels_and_knowledge_grow_with_the_joint_table() -> None:
    both = together_with(GivenTable(NOW), published(BEFORE, {("N", "f"), ("N", "m")}, true=True))
    levels = both.levels(Levels.of(len(NOW), np.array([2]), 1, 2))
    assert len(levels.sensitive) == len(both.given.table) and levels.sensitive.sum() == 1
    knowledge = both.knowledge(Knowledge.of(len(NOW), integer=True))
    assert knowledge.known.tolist() == both.known.tolist() and knowledge.integer
    assert len(knowledge.lower) == len(knowledge.owners) == len(both.given.table)


def test_values_that_follow_are_filled_in_and_others_are_told() -> None:
    one = together_with(GivenTable(NOW), published(BEFORE, {("N", "f")}, true=False))
    assert one.given.has_true_values and not np.isnan(one.given.table.values).any()
    many = together_with(
        GivenTable(NOW), published(BEFORE, {("N", "f"), ("N", "m"), ("S", "f"), ("S", "m")}, true=False)
    )
    assert not many.given.has_true_values
    assert "the true values of 4 cells" in many.given.notes[-1]


def test_a_revised_value_is_refused_without_telling_it() -> None:
    revised = crossed((COARSE, SEX), {("N", "f"): 8, ("N", "m"): 15, ("S", "f"): 5, ("S", "m"): 7}, name="before")
    with pytest.raises(InputError) as told:
        together_with(GivenTable(NOW), published(revised, set(), true=True))
    assert "2 cells published earlier with another value: area=Total, area=N" in str(told.value)
    assert "23" not in str(told.value) and "22" not in str(told.value)


def test_an_earlier_period_gives_its_pattern_and_bounds() -> None:
    last = crossed((AREA,), {("n1",): 8, ("n2",): 40, ("S",): 12}, name="last")
    found = earlier_pattern(NOW, published(last, {("n1",), ("S",)}, true=False), within=0.5)
    codes = [NOW.cell_codes(cell)[0] for cell in range(len(NOW))]
    assert dict(zip(codes, found.status.tolist(), strict=True)) == {"Total": 0, "N": 0, "n1": 1, "n2": 0, "S": 1}
    at = {code: cell for cell, code in enumerate(codes)}
    assert found.lower[at["Total"]] == 30 and found.upper[at["Total"]] == 90
    assert found.lower[at["n1"]] == -np.inf and found.upper[at["n1"]] == np.inf
    assert found.lower[at["n2"]] == 12  # it fell from 40: the bound of 20 would exclude what is true
    assert "2 cells changed by more than 50 % since then" in found.notes


def test_an_earlier_period_with_other_codes_and_dimensions() -> None:
    other = Dimension.flat("area", ["S", "W"])
    last = crossed((other, SEX), {("S", "f"): 5, ("S", "m"): 6, ("W", "f"): 1, ("W", "m"): 2}, name="last")
    found = earlier_pattern(NOW, published(last, {("S", "Total"), ("S", "f")}, true=True), within=1.0)
    codes = [NOW.cell_codes(cell)[0] for cell in range(len(NOW))]
    assert found.status[codes.index("S")] == Status.PRIMARY and found.status.sum() == 1
    assert found.upper[codes.index("Total")] == 34 and found.upper[codes.index("N")] == np.inf
    assert "2 cells of the earlier period are in the table" in found.notes


def test_a_table_that_is_the_same_twice_adds_nothing() -> None:
    both = together_with(GivenTable(NOW), published(NOW, set(), true=True))
    assert len(both.given.table) == len(NOW) and both.known.all()
    assert isinstance(both.given.table.equations, Equations) and len(both.given.table.equations) == len(NOW.equations)
