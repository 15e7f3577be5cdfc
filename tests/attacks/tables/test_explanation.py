"""An attack told step by step: with the figures in it for the house, and without any for everybody else."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.attacks.tables.table_audit import audit
from tacita.model.table import Dimension, Knowledge, Levels, table_of_leaves


@pytest.mark.parametrize("codes", [("10-49", "50+"), ("a(", "b("), (")", "("), ("= 731", "731")])
def test_the_outline_has_no_figure_whatever_the_codes_look_like(codes: tuple[str, str]) -> None:
    size, region = Dimension.flat("size", codes), Dimension.flat("region", ["N", "S"])
    table = table_of_leaves("t", (size, region), np.array([[739.0, 41], [57, 83]]))
    pattern = np.isin(table.values, (739.0, 41, 57, 83))
    cell = int(np.flatnonzero(table.values == 739)[0])
    found = audit(table, pattern, Levels.of(len(table), np.array([cell]), 500, 500), Knowledge.of(len(table)))
    assert found.violations
    for each in found.violations:
        assert len(each.outline) == len(each.steps) > 1
        told = " ".join(each.outline).replace("[1]", "").replace("[2]", "")
        for name in sorted(map(table.cell_name, range(len(table))), key=len, reverse=True):
            told = told.replace(f"({name})", "")
        assert not set(told) & set("123456789")
    assert any("…" in step for each in found.violations for step in each.outline)


def test_zero_is_no_secret_and_stands_in_the_outline() -> None:
    table = table_of_leaves("t", (Dimension.flat("size", ["s", "l"]),), [3.0, 4])
    found = audit(table, table.values < 7, Levels.of(3, np.array([1]), 3, 9), Knowledge.of(3))
    assert found.violations[0].outline == (
        "[1] (size=s) + (size=l) = … (from (size=Total) less what is published)",
        "at least 0: (size=l)",
        "so (size=s) is at most …",
    )
