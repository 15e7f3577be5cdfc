"""Contributors who know their own cells, tried one by one with plain linear programmes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.attacks.tables.made import flat, hidden, number
from tests.attacks.tables.test_table_intervals import plain

from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.model.table import Contributions, InsiderLevels, Knowledge, Levels, Table


def expected(table: Table, pattern: np.ndarray, levels: Levels, knowledge: Knowledge) -> set[tuple[int, int, str]]:
    """Every (owner, cell, level) that fails with the owner's cells known; -1 is everybody."""
    found = set()
    everybody = {
        (cell, what) for _, cell, what in failing(-1, np.zeros(len(table), bool), table, pattern, levels, knowledge)
    }
    for owner in np.unique(knowledge.owners[pattern & (knowledge.owners >= 0)]):
        mine = pattern & (knowledge.owners == owner)
        found |= {each for each in failing(owner, mine, table, pattern, levels, knowledge) if each[1:] not in everybody}
    return found | {(-1, cell, what) for cell, what in everybody}


def failing(owner, mine, table, pattern, levels, knowledge):
    known = replace(knowledge, known=knowledge.known | mine)
    for cell in np.flatnonzero(levels.sensitive & pattern & ~mine):
        low, high = plain(table, pattern, known, cell)
        lower, upper, sliding = levels.lower[cell], levels.upper[cell], levels.sliding[cell]
        rows = np.flatnonzero((levels.against.cell == cell) & (levels.against.contributor == owner))
        if len(rows):
            lower, upper, sliding = (
                each[rows[0]] for each in (levels.against.lower, levels.against.upper, levels.against.sliding)
            )
        if low > table.values[cell] - lower + 1e-5:
            yield int(owner), int(cell), "lower"
        if high < table.values[cell] + upper - 1e-5:
            yield int(owner), int(cell), "upper"
        if high - low < sliding - 1e-5:
            yield int(owner), int(cell), "sliding"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_same_as_trying_every_owner(seed):
    draw = np.random.default_rng(seed)
    shape = (4, 5) if seed % 2 else (3, 3, 3)
    table = flat(np.round(draw.exponential(30, shape)) + 1)
    pattern = draw.random(len(table)) < (0.45 if seed % 2 else 0.5)
    sensitive = pattern & (draw.random(len(table)) < 0.5)
    reach = 0.25 * table.values * sensitive
    sliding = np.where(draw.random(len(table)) < 0.3, 3 * reach, 0.0)
    levels = Levels(sensitive, reach, reach, sliding, np.where(sensitive, 0, -1).astype(np.int16), ("g",), 0 * reach)
    owners = np.where(pattern & (draw.random(len(table)) < 0.4), draw.integers(0, 5, len(table)), -1)
    knowledge = replace(Knowledge.of(len(table)), owners=owners)
    # Contributors to sensitive cells besides their own: of some nothing is asked, of others half of the levels.
    cell, who = np.nonzero(sensitive[:, None] & (draw.random((len(table), 5)) < 0.4) & (owners[:, None] != range(5)))
    share = draw.choice([0.0, 0.5], len(cell))
    less = [share * level[cell] for level in (reach, reach, sliding)]
    levels = replace(levels, against=InsiderLevels(cell, who, *less))
    found = audit(table, pattern, levels, knowledge, options=AuditOptions(unions=False, exact=bool(seed % 3)))
    names = {"everybody": -1}
    for owner in np.unique(owners[owners >= 0]):
        first = int(np.flatnonzero((owners == owner) & pattern)[0])
        names |= {
            f"the contributor of ({table.cell_name(int(cell))})": int(owner)
            for cell in np.flatnonzero((owners == owner) & pattern)
        }
        assert first >= 0
    theirs = expected(table, pattern, levels, knowledge)
    everybody = {(cell, what) for owner, cell, what in theirs if owner == -1}
    ours = {(names[each.attacker], each.cell, each.what) for each in found.violations}
    assert {each for each in ours if each[0] == -1 or each[1:] not in everybody} == theirs
    for each in found.violations:
        if each.attacker != "everybody":
            known = replace(knowledge, known=pattern & (owners == names[each.attacker]))
            low, high = plain(table, pattern, known, each.cell)
            reached = {"lower": low, "upper": high, "sliding": high - low}[each.what]
            assert each.reached == pytest.approx(reached, abs=1e-6)


def two_by_two() -> tuple[Table, np.ndarray]:
    table = flat(np.array([[20.0, 50, 10], [8, 19, 22], [17, 32, 12]]))
    return table, hidden(table, *((f"x{row}", f"y{column}") for row in (2, 3) for column in (1, 3)))


def test_single_contributors_of_one_row_know_each_other():
    table, pattern = two_by_two()
    mine, theirs = number(table, "x2", "y1"), number(table, "x2", "y3")
    knowledge = Knowledge.of(len(table))
    knowledge.owners[[mine, theirs]] = 7, 8
    levels = Levels.of(len(table), np.array([theirs]), lower=2, upper=2)
    assert audit(table, pattern, levels, knowledge, options=AuditOptions(coalitions=False, unions=False)).passed
    found = audit(table, pattern, levels, knowledge)
    attacks = [each for each in found.violations if each.what in {"lower", "upper"}]
    assert {(each.cell, each.attacker, each.reached) for each in attacks} == {
        (theirs, "the contributor of (x=x2, y=y1)", 22.0)
    }
    assert any("knows the own part" in step for step in attacks[0].steps)
    assert any(each.what == "union" for each in found.violations)
    assert "7" not in {word for each in found.violations for word in each.attacker.split()}


def test_an_owner_of_the_target_itself_is_no_attacker_of_it():
    table, pattern = two_by_two()
    cell = number(table, "x2", "y3")
    knowledge = Knowledge.of(len(table))
    knowledge.owners[cell] = 3
    assert audit(table, pattern, Levels.of(len(table), np.array([cell]), lower=2, upper=2), knowledge).passed


def test_one_of_several_contributors_knows_a_lower_bound():
    table, pattern = two_by_two()
    cell, other = number(table, "x2", "y3"), number(table, "x3", "y3")
    count = len(table)
    largest, holders = np.zeros((count, 1)), np.full((count, 1), -1)
    largest[other], holders[other] = 11.0, 5  # of 12: the cell cannot be less, so 22 is at most 23
    counts = np.full(count, 4)
    table = replace(table, contributions=Contributions(largest, holders, np.ones((count, 1)), counts, table.values))
    levels = Levels.of(count, np.array([cell]), lower=3, upper=3)
    knowledge = Knowledge.of(count)
    assert audit(table, pattern, levels, knowledge, options=AuditOptions(unions=False)).passed
    found = audit(table, pattern, levels, knowledge, options=AuditOptions(unions=False, contributors=True)).violations
    assert [(each.cell, each.attacker, each.what, each.reached) for each in found] == [
        (cell, "a contributor to (x=x3, y=y3)", "upper", pytest.approx(23))
    ]
