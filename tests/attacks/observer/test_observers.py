"""Observers: their figures against the paper's and against scipy, whom they name, what they find behind gates."""

from __future__ import annotations

import numpy as np
import pytest
from experiments.soldiers import AGES, BASELINE, COUNTS, LOCATIONS, policy_text, soldiers
from scipy.stats import dirichlet_multinomial, entropy, multinomial

from tacita.attacks.observer.observation import Observation
from tacita.attacks.observer.observers import OBSERVERS, bayes_factor, distance, exposure, name_targets
from tacita.errors import UsageError
from tacita.gate.gate import Gate
from tacita.gate.policy.policy_file import parse_policy

EVERYTHING = Observation(LOCATIONS, COUNTS, BASELINE, COUNTS.sum(axis=1))


def test_the_figures_of_the_paper() -> None:
    assert distance(EVERYTHING) == pytest.approx([0.0473, 0.3588, 0.0140, 0.0074, 0.0109], abs=5e-5)
    assert exposure(EVERYTHING) == pytest.approx([0.0096, 0.0466, 0.0023, 0.0015, 0.0033], abs=5e-5)


def test_figures_agree_with_scipy() -> None:
    for row, figure, factor in zip(COUNTS, distance(EVERYTHING), bayes_factor(EVERYTHING), strict=True):
        assert figure == pytest.approx(entropy(row / row.sum(), BASELINE, base=2))
        expected = dirichlet_multinomial.logpmf(row, 18 * BASELINE, row.sum()) - multinomial.logpmf(
            row, row.sum(), BASELINE
        )
        assert factor == pytest.approx(expected, abs=1e-6)


def test_without_a_gate_everybody_names_the_headquarters() -> None:
    named = {one.observer: one.target for one in name_targets(EVERYTHING)}
    assert {named[name] for name in ("distance", "exposure", "bayes-factor")} == {"L2"}
    assert named["second-distance"] == "L1"


def test_records_are_counted() -> None:
    seen = Observation.of_records(
        ((location, age) for _, age, location in soldiers(1)), dict(zip(AGES, BASELINE, strict=True)), LOCATIONS
    )
    assert (seen.counts == COUNTS).all()
    assert Observation.of_records([("L9", "<18"), ("L1", "never")], {"<18": 1.0}, LOCATIONS).counts.sum() == 0


def test_who_knows_no_sizes_sees_no_shares() -> None:
    unknown = Observation(LOCATIONS, COUNTS, BASELINE)
    assert "smallest-share" not in [one.observer for one in name_targets(unknown)]
    assert {one.observer for one in name_targets(EVERYTHING)} == set(OBSERVERS)


def test_targets_without_records_are_not_named() -> None:
    counts = COUNTS.copy()
    counts[[0, 2, 3]] = 0
    assert {one.target for one in name_targets(Observation(LOCATIONS, counts, BASELINE))} <= {"L2", "L5"}
    counts[4] = 0
    assert name_targets(Observation(LOCATIONS, counts, BASELINE)) == ()


def test_what_cannot_be_observed_is_refused() -> None:
    with pytest.raises(UsageError, match="did you mean 'distance'"):
        name_targets(EVERYTHING, ["distnce"])
    with pytest.raises(UsageError, match="do not fit"):
        Observation(LOCATIONS, COUNTS[:3], BASELINE)
    with pytest.raises(UsageError, match="share of 0"):
        Observation(LOCATIONS, COUNTS, np.where(BASELINE < 0.01, 0, BASELINE))


def seen_behind(text: str, seed: int, *, with_holds: bool = False) -> Observation:
    gate = Gate(parse_policy(text))
    gate.offer(soldiers(seed))
    counts = np.array(gate.judges[0].picture.counts)
    if with_holds:
        for record in gate.held_records.values():
            counts[record.codes[0], record.codes[1]] += 1
    return Observation(LOCATIONS, counts, BASELINE, COUNTS.sum(axis=1))


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["definition-5", "martingale"])
def test_rules_that_limit_a_figure_do_not_hide_the_headquarters(rule: str) -> None:
    """Definition 5 bounds the exposure and the martingale the evidence: the distance names L2 all the same."""
    text = policy_text(rule, "{records = 50}" if rule == "definition-5" else "")
    for seed in range(4):
        named = {one.observer: one.target for one in name_targets(seen_behind(text, seed))}
        assert named["distance"] == "L2"


@pytest.mark.slow
def test_holds_that_observers_learn_of_undo_the_gate() -> None:
    """Who sees holds too sees everything that was asked for."""
    named = {one.observer: one.target for one in name_targets(seen_behind(policy_text(), 1, with_holds=True))}
    assert {named[name] for name in ("distance", "exposure", "bayes-factor")} == {"L2"}


@pytest.mark.slow
def test_known_sizes_tell_who_is_held_back_unless_shares_are_level() -> None:
    sizes = ", ".join(f"{name} = {size}" for name, size in zip(LOCATIONS, COUNTS.sum(axis=1), strict=True))
    level = policy_text(
        more=f"slack = 0.02\nsizes = {{{sizes}}}", observer='gathers = "all"\nholds = "silent"\nsizes = "known"'
    )
    apart = []
    for text in (policy_text(), level):
        seen = seen_behind(text, 1)
        shares = seen.totals / COUNTS.sum(axis=1)
        apart.append(shares.max() - shares.min())
    assert apart[0] > 0.4
    assert apart[1] <= 0.02 + 1e-9
