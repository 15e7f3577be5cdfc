"""The search for large tables, on tables small enough to compare and to audit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.tables.grids import PLENTY

from tacita.attacks.tables.table_audit import audit
from tacita.errors import InputError
from tacita.model.table import Dimension, Knowledge, Levels, Table, table_of_leaves
from tacita.tables.suppression import suppress as room
from tacita.tables.suppression.large.flows import Flows, reached
from tacita.tables.suppression.presolve import reduced
from tacita.tables.suppression.problem import problem_of
from tacita.tables.suppression.suppress import SuppressionOptions, suppress
from tacita.tables.suppression.suppression import Suppression


def _tree(name: str, branches: tuple[int, ...]) -> Dimension:
    def grown(code: str, rest: tuple[int, ...]) -> dict[str, object]:
        return {f"{code}.{n}": grown(f"{code}.{n}", rest[1:]) for n in range(rest[0])} if rest else {}

    return Dimension.tree(name, {"Total": grown(name, branches)})


def _counts(branches: tuple[tuple[int, ...], ...], mean: float, seed: int = 0) -> tuple[Table, Levels]:
    """Return a table of counts where 1 and 2 must stay unknown to within one."""
    dimensions = [_tree(name, each) for name, each in zip("abcd", branches, strict=False)]
    random = np.random.default_rng(seed)
    shape = [len(each.leaves) for each in dimensions]
    weights = np.ones(shape)
    for axis, size in enumerate(shape):
        weights = weights * np.exp(random.normal(0, 0.8, size)).reshape(
            [-1 if a == axis else 1 for a in range(len(shape))]
        )
    table = table_of_leaves("counts", dimensions, random.poisson(mean * weights).astype(float), is_count=True)
    return table, Levels.of(len(table), np.flatnonzero((table.values > 0) & (table.values <= 2)), 1, 1)


def _amounts(branches: tuple[tuple[int, ...], ...], share: float, seed: int = 0) -> tuple[Table, Levels]:
    """Return a table of amounts where some must stay unknown to within 15 %."""
    dimensions = [_tree(name, each) for name, each in zip("abcd", branches, strict=False)]
    random = np.random.default_rng(seed)
    leaves = np.exp(random.normal(4, 1.5, [len(each.leaves) for each in dimensions]))
    leaves[random.random(leaves.shape) < 0.2] = 0.0
    table = table_of_leaves("amounts", dimensions, leaves)
    sensitive = (table.values > 0) & (random.random(len(table)) < share)
    levels = np.where(sensitive, 0.15 * table.values, 0.0)
    nothing = np.zeros(len(table))
    rule = np.where(sensitive, 0, -1).astype(np.int16)
    return table, Levels(sensitive, levels, levels, nothing, rule, ("15 %",), nothing)


@pytest.fixture
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_LARGE_PLACES", 0)


def _passes(table: Table, levels: Levels, result: Suppression, knowledge: Knowledge | None = None) -> bool:
    known = knowledge or Knowledge.of(len(table), integer=table.is_count)
    return audit(table, result.suppressed, levels, known).passed


@pytest.mark.slow
@pytest.mark.usefixtures("all_are_large")
@pytest.mark.parametrize("seconds", [0.0, PLENTY])
def test_a_hierarchy_of_counts_is_safe_at_any_time_and_the_same_each_time(seconds: float) -> None:
    table, levels = _counts(((3, 4), (3, 3), (3,)), 0.5)
    result = suppress(table, levels, options=SuppressionOptions(seconds=seconds))
    assert _passes(table, levels, result)
    assert len(result.secondary) > 0
    assert result.bound <= result.cost
    again = suppress(table, levels, options=SuppressionOptions(seconds=seconds))
    assert np.array_equal(result.status, again.status)


@pytest.mark.usefixtures("all_are_large")
@pytest.mark.parametrize("branches", [((4, 4), (3, 3)), ((30,), (26,)), ((3, 3), (4,), (3,))])
def test_amounts_are_safe(branches: tuple[tuple[int, ...], ...]) -> None:
    table, levels = _amounts(branches, 0.06)
    result = suppress(table, levels, options=SuppressionOptions(seconds=PLENTY))
    assert _passes(table, levels, result)
    assert result.bound > 0


@pytest.mark.slow
def test_the_cost_is_near_that_of_the_exact_search(monkeypatch: pytest.MonkeyPatch) -> None:
    table, levels = _counts(((5, 4), (4, 3)), 2.0)
    exact = suppress(table, levels, options=SuppressionOptions(seconds=PLENTY))
    monkeypatch.setattr(room, "_LARGE_PLACES", 0)
    large = suppress(table, levels, options=SuppressionOptions(seconds=PLENTY))
    assert exact.cost <= large.cost <= 1.15 * exact.cost
    assert large.bound <= exact.cost + 1e-6


@pytest.mark.usefixtures("all_are_large")
def test_contributors_who_know_their_own_cell_learn_nothing() -> None:
    table, levels = _amounts(((4, 3), (4, 3)), 0.06)
    owners = np.where(levels.sensitive, np.arange(len(table)), -1).astype(np.int64)
    known = replace(Knowledge.of(len(table)), owners=owners)
    result = suppress(table, levels, known, options=SuppressionOptions(seconds=PLENTY))
    assert _passes(table, levels, result, known)


@pytest.mark.usefixtures("all_are_large")
def test_what_cannot_be_protected_is_named() -> None:
    table, levels = _amounts(((3, 3), (3,)), 0.1)
    known = Knowledge.of(len(table)).within(table.values, 0.01)
    with pytest.raises(InputError, match="cannot be protected"):
        suppress(table, levels, known, options=SuppressionOptions(seconds=PLENTY))


@pytest.mark.usefixtures("all_are_large")
@pytest.mark.parametrize("seconds", [0.0, PLENTY])
def test_amounts_with_sensitive_margins_are_safe_at_any_time(seconds: float) -> None:
    table, levels = _amounts(((3, 2), (3, 2), (2,)), 0.15)
    result = suppress(table, levels, options=SuppressionOptions(seconds=seconds))
    assert _passes(table, levels, result)


@pytest.mark.usefixtures("all_are_large")
def test_sensitive_cells_that_protect_each_other_need_nothing_else() -> None:
    dimensions = [_tree(name, (30,)) for name in "ab"]
    random = np.random.default_rng(0)
    table = table_of_leaves("flat", dimensions, random.uniform(50, 100, (30, 30)))
    inner = np.flatnonzero((table.codes > 0).all(axis=1))
    levels = Levels.of(len(table), random.choice(inner, 300, replace=False), 5, 5)
    result = suppress(table, levels, options=SuppressionOptions(seconds=PLENTY))
    assert len(result.secondary) == 0
    assert _passes(table, levels, result)


@pytest.mark.slow
def test_single_contributors_raise_the_bound_but_not_above_the_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    table, levels = _amounts(((3, 3), (4,)), 0.1, seed=3)
    owners = np.where(levels.sensitive, np.arange(len(table)) // 2, -1).astype(np.int64)
    known = replace(Knowledge.of(len(table)), owners=owners)
    exact = suppress(table, levels, known, SuppressionOptions(seconds=PLENTY))
    assert exact.is_optimal
    monkeypatch.setattr(room, "_LARGE_PLACES", 0)
    without = suppress(table, levels, options=SuppressionOptions(seconds=PLENTY))
    large = suppress(table, levels, known, SuppressionOptions(seconds=PLENTY))
    assert without.bound < large.bound <= exact.cost * (1 + 1e-9)
    assert exact.cost <= large.cost * (1 + 1e-9)
    assert large.cost <= 1.25 * exact.cost
    assert _passes(table, levels, large, known)
    again = suppress(table, levels, known, SuppressionOptions(seconds=PLENTY))
    assert np.array_equal(large.status, again.status)


def test_pieces_of_a_movement_keep_all_sums_and_have_room_both_ways() -> None:
    table, levels = _amounts(((3, 3), (3, 2)), 0.3)
    problem = reduced(problem_of(table, levels, Knowledge.of(len(table)), table.values)).problem
    room, level = np.minimum(problem.up, problem.down), np.maximum(problem.lower, problem.upper)
    places = problem.targets
    signs = np.where(np.arange(len(places)) % 2, 1.0, -1.0)
    pieces = Flows(problem).pieces(places, signs, level[places], problem.cost, room)
    for piece in pieces:
        delta = np.zeros(len(problem))
        delta[piece.places] = piece.delta
        assert np.allclose(problem.sums @ delta, 0.0, atol=1e-6)
        assert np.all(np.abs(delta) <= room * (1 + 1e-7))
    moved = [place for piece in pieces for place in piece.places.tolist()]
    assert len(set(moved)) == len(moved)
    assert len(np.concatenate([reached(piece, level) for piece in pieces])) >= len(places) / 2
