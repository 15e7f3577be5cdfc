"""The attacker's intervals: printed examples, and the plain linear programme one cell at a time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array
from tests.attacks.tables.made import flat, hidden, number

from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.errors import InputError
from tacita.model.table import Dimension, Knowledge, Levels, Table, table_of_leaves

THREE = np.array([[20, 50, 10], [8, 19, 22], [17, 32, 12]])
"""The 3 x 3 table of document 002 as its totals say it must be."""


def starred() -> tuple[Table, np.ndarray, int]:
    table = flat(THREE)
    pattern = hidden(table, *((f"x{row}", f"y{column}") for row in (2, 3) for column in (1, 3)))
    return table, pattern, number(table, "x2", "y3")


def test_printed_interval_of_three_by_three():
    table, pattern, cell = starred()
    found = audit(table, pattern, Levels.none(len(table)), Knowledge.of(len(table)))
    assert (found.intervals.lower[cell], found.intervals.upper[cell]) == (5, 30)
    assert found.intervals.exact[cell]
    assert np.isnan(found.intervals.lower[~pattern]).all()


def test_printed_interval_with_external_bounds():
    table, pattern, cell = starred()
    found = audit(table, pattern, Levels.none(len(table)), Knowledge.of(len(table)).within(table.values, 0.5))
    assert (found.intervals.lower[cell], found.intervals.upper[cell]) == (18, 26)


def plain(table: Table, pattern: np.ndarray, knowledge: Knowledge, cell: int) -> tuple[float, float]:
    """The same interval without any thought: the whole table in one linear programme."""
    equations = table.equations
    matrix = csr_array((equations.coefficients, equations.cells, equations.starts), shape=(len(equations), len(table)))
    free = pattern & ~knowledge.known
    bounds = np.column_stack(
        (np.where(free, knowledge.lower, table.values), np.where(free, knowledge.upper, table.values))
    )
    ends = []
    for sign in (1, -1):
        wish = np.zeros(len(table))
        wish[cell] = sign
        answer = linprog(wish, A_eq=matrix, b_eq=np.zeros(len(equations)), bounds=bounds)
        assert answer.status in {0, 3}
        ends.append(sign * answer.fun if answer.status == 0 else -sign * np.inf)
    return ends[0], ends[1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_same_as_plain_linear_programmes(seed):
    draw = np.random.default_rng(seed)
    shape = draw.integers(2, 5, size=draw.integers(2, 4))
    table = flat(np.round(draw.exponential(100, shape), 1) * (draw.random(shape) < 0.8))
    pattern = draw.random(len(table)) < draw.uniform(0.2, 0.7)
    knowledge = Knowledge.of(len(table))
    if seed % 3 == 1:
        knowledge = knowledge.within(table.values, 0.5)
    if seed % 3 == 2:
        knowledge.known[draw.integers(0, len(table), 4)] = True
    found = audit(table, pattern, Levels.none(len(table)), knowledge)
    for cell in np.flatnonzero(pattern & ~knowledge.known):
        expected = plain(table, pattern, knowledge, cell)
        assert (found.intervals.lower[cell], found.intervals.upper[cell]) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_levels_alone_give_the_same_verdict_as_exact_intervals(seed):
    draw = np.random.default_rng(100 + seed)
    table = flat(np.round(draw.exponential(50, (6, 7))))
    pattern = draw.random(len(table)) < 0.4
    sensitive = pattern & (draw.random(len(table)) < 0.5)
    reach = 0.4 * table.values * sensitive
    levels = Levels(
        sensitive, reach, reach, 2.5 * reach, np.where(sensitive, 0, -1).astype(np.int16), ("given",), 0 * reach
    )
    exact = audit(table, pattern, levels, Knowledge.of(len(table)), options=AuditOptions(exact=True))
    quick = audit(table, pattern, levels, Knowledge.of(len(table)), options=AuditOptions(exact=False))
    assert {(each.cell, each.what) for each in exact.violations} == {
        (each.cell, each.what) for each in quick.violations
    }
    expected = {
        (int(cell), what)
        for cell in np.flatnonzero(sensitive)
        for low, high in [plain(table, pattern, Knowledge.of(len(table)), cell)]
        for what, missed in (
            ("lower", low > table.values[cell] - reach[cell] + 1e-4),
            ("upper", high < table.values[cell] + reach[cell] - 1e-4),
            ("sliding", high - low < 2.5 * reach[cell] - 1e-4 or (reach[cell] == 0 and high - low < 1e-6)),
        )
        if missed
    }
    assert {(each.cell, each.what) for each in exact.violations} == expected
    assert expected or seed


def test_nothing_suppressed_and_everything_suppressed():
    table = flat(THREE)
    nobody = Levels.none(len(table))
    assert audit(table, np.zeros(len(table), bool), nobody, Knowledge.of(len(table))).passed
    everything = audit(table, np.ones(len(table), bool), nobody, Knowledge.of(len(table)))
    assert (everything.intervals.lower == 0).all()
    assert np.isinf(everything.intervals.upper).all()


def test_a_sensitive_cell_that_is_published_is_a_violation():
    table, pattern, _ = starred()
    shown = number(table, "x1", "y1")
    found = audit(table, pattern, Levels.of(len(table), np.array([shown]), 1, 1), Knowledge.of(len(table)))
    assert [(each.cell, each.what) for each in found.violations] == [(shown, "published")]


def test_a_pattern_of_another_length_is_refused():
    table, pattern, _ = starred()
    with pytest.raises(InputError, match="covers 15 cells, the table has 16"):
        audit(table, pattern[:-1], Levels.none(16), Knowledge.of(16))
    with pytest.raises(InputError, match="levels cover 15 cells"):
        audit(table, pattern, Levels.none(15), Knowledge.of(16))


def test_bounds_that_exclude_the_true_value_are_refused_by_name_without_the_value():
    table, pattern, cell = starred()
    knowledge = Knowledge.of(len(table))
    knowledge.upper[cell] = 21
    with pytest.raises(InputError, match=r"exclude the true value: \(x=x2, y=y3\)") as refusal:
        audit(table, pattern, Levels.none(len(table)), knowledge)
    assert "22" not in str(refusal.value)


def test_a_table_that_does_not_add_up_is_refused():
    table, pattern, _ = starred()
    table.values[number(table, "x1", "Total")] += 7
    with pytest.raises(InputError, match=r"do not add up: \(x=Total, y=Total\), \(x=x1, y=Total\)"):
        audit(table, pattern, Levels.none(len(table)), Knowledge.of(len(table)))


def test_small_cells_beside_very_large_ones_keep_their_intervals():
    """A sum of 30 is a tiny share of the largest sum, and leaves its cells room all the same."""
    large = 9e10
    inner = np.array([[8.0, 22, 0, 0], [17, 12, 0, 0], [0, 0, large, 8e10], [0, 0, 7e10, 6e10]])
    table = table_of_leaves("t", (Dimension.flat("a", "1234"), Dimension.flat("b", "ABCD")), inner)
    withheld = (table.values > 0) & (table.codes > 0).all(axis=1)
    small = np.flatnonzero(withheld & (table.values < 100))
    result = audit(table, withheld, Levels.of(len(table), small[1:2], 20, 0), Knowledge.of(len(table)))
    assert result.intervals.lower[small] == pytest.approx([0, 5, 0, 4], abs=1e-3)
    assert result.intervals.upper[small] == pytest.approx([25, 30, 25, 29], abs=1e-3)
    assert [violation.what for violation in result.violations] == ["lower"]
