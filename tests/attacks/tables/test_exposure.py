"""Every reason that is printed is true: checked with linear programmes that share no code with the attacker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from tacita.attacks.tables.exposure import Exposure, ExposureOptions, exposures
from tacita.attacks.tables.result import EVERYBODY
from tacita.model.table import Dimension, Knowledge, Levels, Table, table_of_leaves
from tacita.tables.protect.protected import because_of
from tacita.tables.suppression.suppress import SuppressionOptions, suppress

_NEAR = 1e-5


def _case(seed: int) -> tuple[Table, Levels, Knowledge]:
    """Return a small table with sensitive cells, some with a single contributor behind them (odd seeds)."""
    draw = np.random.default_rng(seed)
    tree = Dimension.tree("a", {"T": {"x": {"x1": {}, "x2": {}}, "y": {"y1": {}, "y2": {}, "y3": {}}}})
    other = Dimension.flat("b", "klmn")
    leaves = np.round(np.exp(draw.normal(3, 1.2, (5, 4))))
    table = table_of_leaves("t", (tree, other), leaves, is_count=seed % 4 == 2)
    sensitive = (table.values > 0) & (draw.random(len(table)) < 0.12)
    level, nothing = np.where(sensitive, 0.15 * table.values, 0.0), np.zeros(len(table))
    sliding = np.where(sensitive & (draw.random(len(table)) < 0.3), 0.5 * table.values, 0.0)
    levels = Levels(sensitive, level, level, sliding, np.where(sensitive, 0, -1).astype(np.int16), ("r",), nothing)
    owners = np.where(sensitive & (draw.random(len(table)) < 0.6), draw.integers(0, 4, len(table)), -1)
    knowledge = Knowledge.of(len(table))
    return table, levels, replace(knowledge, owners=owners) if seed % 2 else knowledge


def _interval(table: Table, hidden: np.ndarray, cell: int, known: np.ndarray) -> tuple[float, float]:
    sums = table.equations
    matrix = sparse.csr_matrix((sums.coefficients, sums.cells, sums.starts), shape=(len(sums), len(table)))
    low, high = np.where(hidden, 0.0, table.values), np.where(hidden, np.inf, table.values)
    low[known] = high[known] = table.values[known]
    wish = np.zeros(len(table))
    ends = []
    for sign in (1, -1):
        wish[cell] = sign
        answer = linprog(wish, A_eq=matrix, b_eq=matrix @ table.values, bounds=np.c_[low, high], method="highs")
        ends.append(np.inf if answer.status == 3 else sign * answer.fun)
    return ends[0], ends[1]


def _exposed(table: Table, hidden: np.ndarray, levels: Levels, knowledge: Knowledge) -> dict[int, float]:
    """Return the sensitive cells that somebody else narrows too far, with the half width that everybody finds."""
    exposed = {}
    for cell in np.flatnonzero(levels.sensitive).tolist():
        value = table.values[cell]
        others = {int(who) for who in knowledge.owners[hidden] if who >= 0} - {int(knowledge.owners[cell])}
        for who in (-2, *sorted(others)):
            low, high = _interval(table, hidden, cell, np.flatnonzero(knowledge.owners == who))
            enough = 1 - _NEAR
            if (
                value - low < levels.lower[cell] * enough
                or high - value < levels.upper[cell] * enough
                or high - low < levels.sliding[cell] * enough
            ):
                exposed[cell] = (high - low) / 2 / value
                break
    return exposed


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 3, 5, 7])
def test_what_a_published_cell_discloses_is_what_another_attacker_finds(seed: int) -> None:
    table, levels, knowledge = _case(seed)
    pattern = suppress(table, levels, knowledge, SuppressionOptions(method="fast"))
    hidden = pattern.suppressed.copy()
    # Cells that are withheld for nothing: of these, the truth is that nobody needs them.
    spare = np.flatnonzero(~hidden & (table.values > 0))[:3]
    hidden[spare] = True
    secondary = np.flatnonzero(hidden & ~levels.sensitive)
    shown = pattern.movements if seed % 3 else ()
    options = ExposureOptions(unions=False)
    known = exposures(table, hidden, levels, knowledge, secondary, options, movements=shown)
    assert len(secondary) > len(spare)
    for cell in secondary.tolist():
        truth = _exposed(table, hidden & (np.arange(len(table)) != cell), levels, knowledge)
        assert known[cell].is_complete
        assert {one.cell for one in known[cell].violations} == set(truth)
        if truth and known[cell].violations[0].attacker == EVERYBODY and known[cell].share is not None:
            assert known[cell].share == pytest.approx(truth[known[cell].violations[0].cell], abs=1e-4)


def test_without_work_nothing_is_claimed_and_ties_are_still_seen() -> None:
    table, levels, knowledge = _case(0)
    pattern = suppress(table, levels, knowledge, SuppressionOptions(method="fast"))
    options = ExposureOptions(unions=False)
    everything = exposures(table, pattern.suppressed, levels, knowledge, pattern.secondary, options)
    little = replace(options, work=0.0)
    nothing = exposures(table, pattern.suppressed, levels, knowledge, pattern.secondary, little)
    assert any(not exposure.is_complete for exposure in nothing.values())
    for cell, exposure in nothing.items():
        assert {one.cell for one in exposure.violations} <= {one.cell for one in everything[cell].violations}


def test_a_sum_that_would_be_sensitive_is_a_reason() -> None:
    """Two withheld firms in a row of three: publishing the third gives the sum of the two away."""
    codes = Dimension.flat("a", "klm"), Dimension.flat("b", "xyz")
    table = table_of_leaves("t", codes, np.array([[10.0, 10, 10], [10, 10, 10], [10, 10, 10]]))
    hidden = np.zeros(len(table), bool)
    cells = {name: number for number in range(len(table)) if (name := table.cell_codes(number))}
    rows = [[cells[row, column] for column in "xyz"] for row in "kl"]
    hidden[np.ravel(rows)] = True
    levels = Levels.of(len(table), np.array(rows[0][:2]), 1, 1)
    owners = np.full(len(table), -1)
    owners[rows[0][:2]] = (3, 4)
    knowledge = replace(Knowledge.of(len(table)), owners=owners)
    known = exposures(table, hidden, levels, knowledge, np.array([rows[0][2]]), ExposureOptions(coalitions=False))
    assert [one.what for one in known[rows[0][2]].violations] == ["union"]
    assert "a sum of withheld cells could be calculated" in because_of(known[rows[0][2]])


def test_sentences_claim_no_more_than_was_confirmed() -> None:
    assert "was not confirmed" in because_of(Exposure(is_complete=False))
    assert because_of(Exposure()) == (
        "Withheld with others: published alone, it would leave every protection level kept"
    )
