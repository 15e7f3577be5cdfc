"""Sensitivity in the rule language: the rules that specify the kernels, and rules of one's own with their faults."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.tables.grids import crossed
from tests.tables.sensitivity.by_hand import cell, made, one_cell

from tacita.errors import RuleError, TacitaError
from tacita.model.table import Dimension, Table
from tacita.tables.sensitivity.assess import assess, assess_all, reason_of
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
from tacita.tables.sensitivity.rules.p_percent import PPercent
from tacita.tables.sensitivity.rules.user_rules import UserRules

REGION, SIZE = Dimension.flat("region", [f"r{at}" for at in range(12)]), Dimension.flat("size", ["s", "m", "l"])


def random_table(seed: int, *, weighted: bool, negative: bool = False) -> Table:
    draw = np.random.default_rng(seed)
    records = [
        {
            "region": f"r{draw.integers(12)}",
            "size": "sml"[draw.integers(3)],
            "x": int(draw.pareto(0.8) * 10) + 1 - (20 if negative and draw.random() < 0.4 else 0),
            "w": draw.integers(1, 4) if weighted else 1,
        }
        for _ in range(110)
    ]
    return made((REGION, SIZE), records, "x", weight="w")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("table", "p", "n", "minimum"),
    [
        (random_table(1, weighted=False), 10, 1, 3),
        (random_table(2, weighted=True), 60, 2, 4),
        (random_table(3, weighted=False, negative=True), 25, 1, 2),
    ],
)
def test_the_kernels_compute_what_the_rules_say(table: Table, p: int, n: int, minimum: int) -> None:
    rules = UserRules.of("sensitive_cells", {"p": p, "n": n, "minimum": minimum})
    close, few = assess_all(table, [PPercent(p, n), MinimumFrequency(minimum)])
    said = {each.reason.wording: each for each in assess_all(table, [rules])}
    by_rule = said["a contribution can be estimated too closely"], said["too few contributors stand behind it"]
    assert 0 < close.sensitive.sum() < len(table)
    assert 0 < few.sensitive.sum() < len(table)
    np.testing.assert_array_equal(by_rule[0].sensitive, close.sensitive)
    np.testing.assert_array_equal(by_rule[1].sensitive, few.sensitive)
    if not (table.values < 0).any() and table.contributions is not None and table.contributions.absolutes is None:
        kernel, ruled = assess(table, [PPercent(p, n), MinimumFrequency(minimum)]), assess(table, [rules])
        np.testing.assert_allclose(ruled.upper, kernel.upper)
        np.testing.assert_allclose(ruled.lower, kernel.lower)


def test_rules_of_ones_own_may_ask_for_codes_and_parts(tmp_path: Path) -> None:
    """In region r1 no category of size may hold more than nine tenths of all: a rule that no kernel has."""
    program = tmp_path / "mine.vada"
    program.write_text(
        """
        Code(I, "region", "r1"), Part(T, I), Cell(I, V, _), Cell(T, W, _), Code(T, "region", "r1"), 10 * V > 9 * W
            -> Sensitive(I, "nearly all of {r1} is here"), Protection(I, V / 2, 2 * V).
        """
    )
    table = crossed((REGION, SIZE), {("r1", "s"): 40, ("r1", "m"): 2, ("r2", "s"): 40})
    levels = assess(table, [UserRules.of(program)])
    at = cell(table, "r1", "s")
    assert np.flatnonzero(levels.sensitive).tolist() == [at]
    assert (levels.lower[at], levels.upper[at]) == (20.0, 80.0)
    assert reason_of(levels, at) == "mine.vada: nearly all of {r1} is here"


def test_without_levels_those_of_minimum_frequency_hold() -> None:
    rules = UserRules.of('Cell(I, V, N), N < 5 -> Sensitive(I, "few").\n')
    assert assess(one_cell(80.0, 20.0), [rules]).upper[0] == pytest.approx(15.0)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ('Cell(I, V, N) -> Unsafe(I, "x").\n', "no rule concludes Sensitive"),
        ("Cell(I, V, N), Y = text(V) -> Sensitive(I, Y).\n", "does not say why in a text of its own"),
        ("Cell(I, V, N) -> Sensitive(I).\n", "has 1 arguments"),
        ('Cell(I, V, N), J = I + 7 -> Sensitive(J, "x").\n', "what is no cell: cells are numbered from 1 to 1"),
        ('Cell(I, V, N) -> Sensitive(I, "x"), Protection(I, V).\n', "Protection has 2 arguments"),
        ('Cell(I, V, N), L = 0 - V -> Sensitive(I, "x"), Protection(I, L, L).\n', "no distance"),
        ('Cell(I, V, N), N < 5 -> Sensitive(I, "x").\nCell(I, V, N) -> false "never".\n', "never"),
    ],
)
def test_faults_of_rules_are_told_without_a_figure(program: str, message: str) -> None:
    with pytest.raises(TacitaError, match=message) as caught:
        assess(one_cell(8123.0, 20.0), [UserRules.of(program)])
    assert "8123" not in str(caught.value)
    assert "8143" not in str(caught.value)


def test_parameters_of_rules_are_checked() -> None:
    with pytest.raises(TacitaError, match="'q'"):
        assess(one_cell(5.0), [UserRules.of("sensitive_cells", {"q": 3})])
    with pytest.raises(RuleError):
        assess(one_cell(5.0), [UserRules.of("Cell(I, V, N -> .\n")])
