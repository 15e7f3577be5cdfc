"""Unions of suppressed cells whose sum everybody can compute."""

from __future__ import annotations

import json

import numpy as np
from tests.attacks.tables.made import flat, hidden, number

from tacita.attacks.tables.system.possible_tables import possible_tables
from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.attacks.tables.unions import known_unions
from tacita.model.table import Knowledge, Levels


def three():
    table = flat(np.array([[20.0, 50, 10], [8, 19, 22], [17, 32, 12]]))
    return table, hidden(table, *((f"x{row}", f"y{column}") for row in (2, 3) for column in (1, 3)))


def test_every_sum_with_suppressed_parts_is_a_union():
    table, pattern = three()
    found = {frozenset(each.cells.tolist()) for each in known_unions(possible_tables(table, pattern, Knowledge.of(16)))}
    a, b, c, d = (number(table, *codes) for codes in (("x2", "y1"), ("x2", "y3"), ("x3", "y1"), ("x3", "y3")))
    assert found == {frozenset(pair) for pair in ((a, b), (c, d), (a, c), (b, d))}


def test_a_suppressed_total_is_replaced_by_its_parts():
    table, _ = three()
    pattern = hidden(table, ("x2", "Total"), ("x3", "Total"), ("x2", "y1"), ("x2", "y3"))
    found = {frozenset(each.cells.tolist()) for each in known_unions(possible_tables(table, pattern, Knowledge.of(16)))}
    parts = {number(table, "x2", "y1"), number(table, "x2", "y3"), number(table, "x3", "Total")}
    assert frozenset(parts) in found


def test_one_contributor_behind_a_whole_union_is_disclosed():
    table, pattern = three()
    one, other = number(table, "x2", "y1"), number(table, "x2", "y3")
    levels = Levels.of(16, np.array([one]), lower=1, upper=1)
    knowledge = Knowledge.of(16)
    assert audit(table, pattern, levels, knowledge).passed
    knowledge.owners[[one, other]] = 4
    found = audit(table, pattern, levels, knowledge).violations
    assert [(each.what, each.needed, each.reached) for each in found] == [("union", 3.0, 1.0)]
    assert "follows from (x=x2, y=Total)" in found[0].steps[0]
    assert audit(table, pattern, levels, knowledge, options=AuditOptions(unions=False)).passed


def test_minimum_frequency_and_the_callers_rule_judge_unions():
    table, pattern = three()
    cell = number(table, "x2", "y1")
    levels = Levels.of(16, np.array([cell]), lower=1, upper=1)
    counted = flat(np.array([[9, 9, 9], [1, 9, 1], [9, 9, 9]]))
    table = type(table)(
        table.name, table.dimensions, table.codes, table.values, table.equations, False, "", counted.values.astype(int)
    )
    found = audit(table, pattern, levels, Knowledge.of(16), options=AuditOptions(minimum_frequency=3))
    assert [(each.what, each.needed, each.reached) for each in found.violations] == [("union", 3.0, 2.0)]
    asked: list[tuple[int, ...]] = []
    ruled = audit(
        table,
        pattern,
        levels,
        Knowledge.of(16),
        options=AuditOptions(union_is_sensitive=lambda cells: bool(asked.append(tuple(cells)) or len(asked) == 1)),
    )
    assert len(asked) == 2
    assert [each.what for each in ruled.violations] == ["union"]
    json.dumps(ruled.to_dict(), allow_nan=False)
