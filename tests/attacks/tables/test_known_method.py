"""Attackers who know the method and its settings: against adjustment, published intervals and noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.attacks.tables.made import flat
from tests.tables.grids import grid

from tacita.attacks.tables.adjusted_values import audit_adjusted
from tacita.attacks.tables.noise import take_noise
from tacita.attacks.tables.published_intervals import attack_intervals
from tacita.attacks.tables.rounded_table import audit_perturbed
from tacita.attacks.tables.system.possible_tables import Span
from tacita.model.table import Knowledge, Levels, Table
from tacita.tables.adjustment.adjust import adjust
from tacita.tables.adjustment.distances import Chance
from tacita.tables.cell_key.perturbation_table import design
from tacita.tables.intervals.placement import LEAST
from tacita.tables.intervals.publication import publish_intervals


def firms(seed: int, size: int = 8) -> tuple[Table, Levels, Knowledge]:
    draw = np.random.default_rng(seed)
    table = flat(np.floor(draw.lognormal(6, 1, (size, size))) + 1)
    inner = np.flatnonzero((table.codes > 0).all(axis=1))
    levels = Levels.of(len(table), np.sort(draw.choice(inner, size, replace=False)), 0, 0)
    distance = np.where(levels.sensitive, 0.15 * table.values, 0.0)
    return table, replace(levels, lower=distance, upper=distance), Knowledge.of(len(table))


def test_cells_that_moved_by_their_level_are_found_by_dividing() -> None:
    table, levels, knowledge = firms(1)
    moved = adjust(table, levels, knowledge).values
    verdict = audit_adjusted(table, moved, levels, knowledge, 1.0)
    assert [one.what for one in verdict.violations] == ["promise"]
    assert verdict.figures["recovered"] >= 6
    sensitive = levels.sensitive
    guesses = np.array([moved[sensitive] / 1.15, moved[sensitive] / 0.85])
    assert (np.abs(guesses / table.values[sensitive] - 1).min(axis=0) < 0.01).sum() >= 6


@pytest.mark.slow
def test_drawn_amounts_leave_a_guess_to_chance() -> None:
    recovered, chance, cells, hits = 0, 0.0, 0, 0
    for seed in range(10):
        table, levels, knowledge = firms(seed)
        moved = adjust(table, levels, knowledge, chance=Chance(seed + 100)).values
        verdict = audit_adjusted(table, moved, levels, knowledge, 1.0)
        assert verdict.passed
        recovered += verdict.figures["recovered"]
        chance += verdict.figures["by_chance"]
        sensitive = levels.sensitive
        cells += int(sensitive.sum())
        hits += int((np.abs(moved / 1.225 / table.values - 1) < 0.01)[sensitive].sum())
        true, low, high = table.values[sensitive], verdict.intervals.lower, verdict.intervals.upper
        assert ((high - low)[sensitive] > 0.3 * np.minimum(true, moved[sensitive])).all()
    # The best divisor is chosen with hindsight for each table; one that is fixed beforehand finds one in ten at most.
    assert recovered < 3 * chance
    assert hits < 0.1 * cells


def test_a_direction_that_bounds_and_known_totals_give_away_is_told() -> None:
    table = flat(np.array([[90.0, 20], [40, 50]]))
    levels = Levels.of(9, np.array([4]), 13.5, 13.5)
    knowledge = Knowledge.of(9).knowing((table.codes == 0).any(axis=1))
    change = np.zeros(9)
    change[[4, 5, 7, 8]] = -16, 16, 16, -16
    published = table.values + change
    assert audit_adjusted(table, published, levels, knowledge, 1.0).passed
    # Had the cell gone up to 74, the other one of its row would be more than 40.
    upper = knowledge.upper.copy()
    upper[5] = 40
    verdict = audit_adjusted(table, published, levels, replace(knowledge, upper=upper), 1.0)
    assert [(one.cell, one.what) for one in verdict.violations] == [(4, "sliding")]
    assert verdict.intervals.lower[4] >= 70


def test_more_decimals_than_the_data_are_told() -> None:
    table, levels, knowledge = firms(3, 4)
    moved = adjust(table, levels, knowledge, chance=Chance(1)).values
    finer = moved.copy()
    finer[table.codes[:, 1] == 0] += 0.5
    finer[table.codes[:, 1] == 1] += 0.5
    assert audit_adjusted(table, moved, levels, knowledge, 1.0).passed
    verdict = audit_adjusted(table, finer, levels, knowledge, 1.0)
    assert any("more decimals" in one.steps[0] for one in verdict.violations)


def test_intervals_with_ends_at_the_levels_give_values_away_and_drawn_ones_do_not() -> None:
    wide, hits, cells = [], 0, 0
    for seed in range(4):
        table, levels, knowledge = firms(seed, 6)
        for ends in ("exact", "round"):
            given = publish_intervals(table, levels, knowledge, ends=ends)
            violations, _ = attack_intervals(table, Span(given.lower, given.upper), levels, knowledge)
            assert violations, ends
        drawn = publish_intervals(table, levels, knowledge, seed=seed + 9)
        again = publish_intervals(table, levels, knowledge, seed=seed + 9)
        assert (drawn.lower == again.lower).all()
        assert (drawn.upper == np.rint(drawn.upper)).all()
        violations, figures = attack_intervals(table, Span(drawn.lower, drawn.upper), levels, knowledge, LEAST)
        assert violations == ()
        wide += ((drawn.upper - drawn.lower) / np.maximum(2 * levels.lower, 1))[levels.sensitive].tolist()
        middle = (drawn.lower + drawn.upper) / 2
        hits += int((np.abs(middle / table.values - 1) < 0.01)[levels.sensitive].sum())
        cells += figures["recovered"]
    assert min(wide) >= LEAST
    assert max(wide) > 1.3 * min(wide)
    assert hits <= 4


def test_small_counts_come_out_of_the_noise_where_many_totals_show_them() -> None:
    draw = np.random.default_rng(2)
    noise = design(3, 1.0)
    shares = {}
    for dimensions in (2, 6):
        table = grid(draw.poisson(3, (8, 8) if dimensions == 2 else (2,) * dimensions))
        small = np.flatnonzero((table.values > 0) & (table.values < 3))
        published = table.values + noise.changes(table.values.astype(np.int64), draw.random(len(table)))
        bounds = Span(np.maximum(published - 3, 0), published + 3)
        taken = take_noise(table, published, bounds, Levels.of(len(table), small, 1, 1))
        shares[dimensions] = taken.recovered / taken.cells
        assert taken.by_themselves < 0.6 * taken.cells
        assert taken.protects == (dimensions == 2)
    assert shares[2] < 0.6 < 0.9 <= shares[6]


def test_a_published_count_above_zero_stands_for_somebody() -> None:
    table = flat(np.array([[1, 7], [6, 4]]), is_count=True)
    published = table.values + np.array([2.0, -1, 1, -1, 1, 0, 1, -1, 0])
    knowledge = Knowledge.of(9, integer=True)
    plain = audit_perturbed(table, published, 3, Levels.none(9), knowledge)
    zeros = audit_perturbed(table, published, 3, Levels.none(9), knowledge, zeros_stay=True)
    assert plain.intervals.lower[4] == 0
    assert zeros.intervals.lower[4] == 1


def test_noise_that_all_figures_together_undo_does_not_pass() -> None:
    table = flat(np.tile([1.0, 2, 2, 1, 30], (5, 1)), is_count=True)
    small = np.flatnonzero((table.values > 0) & (table.values < 3))
    published = table.values.copy()
    published[0] += 1
    knowledge = Knowledge.of(len(table), integer=True)
    verdict = audit_perturbed(table, published, 3, Levels.of(len(table), small, 1, 1), knowledge)
    assert [one.what for one in verdict.violations] == ["perturbation"]
    assert verdict.figures["recovered"] == len(small)
