"""Prediction of hidden values: what can be learnt is, what cannot is not, and the choice is honest."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from tacita.attacks.dependencies.concealed_file import ConcealedFile
from tacita.attacks.dependencies.importance import importance
from tacita.attacks.dependencies.prediction import PeoplePart, PredictionOptions, predict, task_of
from tacita.errors import InputError
from tacita.model.records import Categories, Numbers, Records

_N = 6_000


def _labels(codes: np.ndarray) -> Categories:  # type: ignore[type-arg]
    return Categories(codes.astype(np.int32), tuple(f"v{code}" for code in range(int(codes.max()) + 1)))


def _people(seed: int = 1) -> tuple[Records, np.random.Generator]:
    """People with a cause, a consequence that follows it in 4 of 5 cases, a number near the cause, and noise."""
    random = np.random.default_rng(seed)
    cause, noise = random.integers(0, 4, _N), random.integers(0, 5, _N)
    consequence = np.where(random.random(_N) < 0.8, (cause + 1) % 4, random.integers(0, 4, _N))
    columns = {
        "cause": _labels(cause),
        "noise": _labels(noise),
        "consequence": _labels(consequence),
        "number": Numbers.of(cause * 10 + random.normal(0, 1, _N)),
    }
    return Records(columns), random


def _hiding(random: np.random.Generator, share: float = 0.25) -> np.ndarray:  # type: ignore[type-arg]
    return random.random(_N) < share


@pytest.mark.slow
def test_a_noisy_function_is_guessed_as_well_as_it_can_be() -> None:
    """Right in 0.8 + 0.2 / 4 of the cases; the mode in about 1/4: a gain of 0.8."""
    truth, random = _people()
    mask = {"consequence": _hiding(random)}
    score = predict(ConcealedFile(truth, mask, mask)).of("consequence")
    assert score.gain is not None
    assert score.gain.lower < 0.8 < score.gain.upper
    assert score.accuracy.value == pytest.approx(0.85, abs=0.03)
    assert score.baseline.value == pytest.approx(0.25, abs=0.03)
    assert score.people == int(mask["consequence"].sum()) == score.hidden


def test_noise_gives_no_gain() -> None:
    truth, random = _people(2)
    mask = {"noise": _hiding(random)}
    score = predict(ConcealedFile(truth, mask, mask)).of("noise")
    assert score.gain is not None
    assert score.gain.value < 0.03
    assert score.gain.lower == 0.0


@pytest.mark.slow
def test_numbers_count_in_classes_or_within_a_distance() -> None:
    truth, random = _people(3)
    mask = {"number": _hiding(random)}
    file = ConcealedFile(truth, mask, mask)
    classes = predict(file).of("number")
    assert classes.baseline.value == pytest.approx(1 / 6, abs=0.03)
    assert classes.accuracy.value > 0.55  # the four causes, of which two lie across the borders of classes
    within = predict(file, options=PredictionOptions(within={"number": 3})).of("number")
    assert within.accuracy.value > 0.97
    assert within.baseline.value == pytest.approx(0.25, abs=0.04)


def test_who_hides_another_attribute_tells_the_value() -> None:
    """Minors hide their noise, and many adults have none: the mask says who is a minor, and no value does."""
    truth, random = _people(4)
    is_minor = random.random(_N) < 0.4
    noise = truth.categories("noise")
    absent = np.where(random.random(_N) < 0.7, -1, noise.codes)
    truth = Records({"noise": noise.with_codes(absent), "age": _labels(is_minor.astype(np.int64))})
    confidential = {"age": _hiding(random)}
    score = predict(ConcealedFile(truth, {**confidential, "noise": is_minor}, confidential)).of("age")
    assert score.accuracy.value > 0.99
    at_random = predict(ConcealedFile(truth, {**confidential, "noise": _hiding(random, 0.4)}, confidential)).of("age")
    assert at_random.gain is not None
    assert at_random.gain.value < 0.03


@pytest.mark.slow
def test_what_else_is_hidden_does_not_mislead_the_model() -> None:
    """Those who hide the consequence hide its copy too; others show both. The cause still tells it in 85 %."""
    truth, random = _people(5)
    truth = truth.with_columns({"copy": truth["consequence"]})
    mask = _hiding(random)
    file = ConcealedFile(truth, {"consequence": mask, "copy": mask}, {"consequence": mask})
    assert predict(file).of("consequence").accuracy.value == pytest.approx(0.85, abs=0.03)


def test_totals_tell_that_hiding_depends_on_the_value() -> None:
    """Most who have the trait hide it, few of the others: without totals the model expects the shares shown."""
    truth, random = _people(6)
    trait = random.random(_N) < 0.3
    hint = np.where(random.random(_N) < 0.75, trait, ~trait)
    truth = Records({"trait": _labels(trait.astype(np.int64)), "hint": _labels(hint.astype(np.int64))})
    mask = {"trait": random.random(_N) < np.where(trait, 0.8, 0.15)}
    with_totals = predict(ConcealedFile(truth, mask, mask)).of("trait")
    without = predict(ConcealedFile(truth, mask, mask, totals=())).of("trait")
    assert with_totals.accuracy.value > without.accuracy.value + 0.05
    assert with_totals.accuracy.value >= with_totals.baseline.value - 0.02


def test_one_value_leaves_nothing_to_gain() -> None:
    truth, _ = _people()
    mask = {"cause": truth.categories("cause").codes == 2}
    score = predict(ConcealedFile(truth, mask, mask)).of("cause")
    assert score.baseline.value == 1.0
    assert score.accuracy.value == 1.0  # nobody shows it, and totals say that only it is left over
    assert score.gain is None


def test_work_is_bounded_and_said() -> None:
    truth, random = _people(7)
    mask = {"cause": _hiding(random)}
    report = predict(ConcealedFile(truth, mask, mask), options=PredictionOptions(training=500, people=200))
    score = report.of("cause")
    assert (score.people, score.training) == (200, 500)
    assert len(report.notes) == 2
    with pytest.raises(InputError, match="was not predicted"):
        report.of("noise")


@pytest.mark.slow
def test_values_that_hardly_repeat_are_not_learnt() -> None:
    """Two thousand names: a model keeps the frequent ones, and gains nothing."""
    truth, random = _people(13)
    truth = truth.with_columns({"name": _labels(random.integers(0, 2_000, _N))})
    mask = {"name": _hiding(random)}
    for totals in (None, ()):
        score = predict(ConcealedFile(truth, mask, mask, totals=totals)).of("name")
        assert score.accuracy.value < 0.02
        assert score.gain is not None
        assert score.gain.lower == 0.0


def test_a_distance_of_an_unknown_attribute_is_refused() -> None:
    truth, random = _people()
    mask = {"cause": _hiding(random)}
    with pytest.raises(InputError, match="did you mean 'number'"):
        predict(ConcealedFile(truth, mask, mask), options=PredictionOptions(within={"numbr": 1}))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_result() -> None:
    truth, random = _people(8)
    mask = {name: _hiding(random) for name in ("cause", "number")}
    file = ConcealedFile(truth, mask, mask)
    options = PredictionOptions(seed=5, people=300, training=800)
    assert predict(file, options=options) == predict(file, options=options)
    other = predict(file, options=PredictionOptions(seed=6, people=300, training=800))
    assert other.scores != predict(file, options=options).scores


def test_parts_share_nobody_and_stay_as_more_is_hidden() -> None:
    truth, random = _people(9)
    mask = _hiding(random)
    people = {}
    for extra in ({}, {"noise": mask}):
        file = ConcealedFile(truth, {"cause": mask, **extra}, {"cause": mask})
        for part in PeoplePart:
            people[part, bool(extra)] = set(task_of(file, "cause", PredictionOptions(part=part)).people.tolist())
    assert not people[PeoplePart.SELECTION, False] & people[PeoplePart.REPORT, False]
    both = people[PeoplePart.SELECTION, False] | people[PeoplePart.REPORT, False]
    assert both == people[PeoplePart.ALL, False] == set(np.flatnonzero(mask).tolist())
    assert all(people[part, False] == people[part, True] for part in PeoplePart)


@pytest.mark.slow
def test_the_attribute_that_matters_is_hidden_next() -> None:
    truth, random = _people(10)
    truth = truth.only(["cause", "noise", "consequence"])
    mask = _hiding(random)
    file = ConcealedFile(truth, {"consequence": mask}, {"consequence": mask})
    ranking = importance(file, "consequence")
    assert ranking.next_to_hide == "cause"
    assert ranking.ranked[0].fall > 0.4
    assert [one.matters for one in ranking.ranked] == [True, False]
    hidden = ConcealedFile(truth, {"consequence": mask, "cause": mask}, {"consequence": mask})
    again = predict(hidden, options=PredictionOptions(part=PeoplePart.REPORT)).of("consequence")
    assert again.gain is not None
    assert again.gain.value < 0.05
    assert [one.attribute for one in importance(hidden, "consequence").ranked] == ["noise"]


@pytest.mark.slow
def test_of_two_attributes_that_tell_the_same_one_is_first() -> None:
    """Neither makes the accuracy fall alone; noise must not be hidden before them."""
    truth, random = _people(11)
    mask = {"consequence": _hiding(random)}
    ranking = importance(ConcealedFile(truth, mask, mask), "consequence")
    assert {one.attribute for one in ranking.ranked[:2]} == {"cause", "number"}
    assert not ranking.ranked[0].matters
    assert ranking.ranked[0].alone > 0.8


@pytest.mark.slow
def test_importance_for_some_people_only() -> None:
    truth, random = _people(12)
    mask = {"consequence": _hiding(random)}
    file = ConcealedFile(truth, mask, mask)
    some = np.arange(_N) < _N // 2
    score = importance(file, "consequence", among=some).score
    assert score is not None
    assert 0 < score.people <= int((mask["consequence"] & some).sum())
    nobody = importance(file, "consequence", among=np.zeros(_N, dtype=bool))
    assert (nobody.score, nobody.next_to_hide) == (None, None)


def _column(values: list[str]) -> Categories | Numbers:
    try:
        return Numbers.of([float(value) for value in values])
    except ValueError:
        return Categories.of(values)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "separator", "attribute", "accuracy", "baseline"),
    [
        ("adult/adult.csv", ";", "sex", 0.80, 0.68),
        ("adult/adult.csv", ";", "marital-status", 0.69, 0.47),
        ("adult/adult.csv", ";", "salary-class", 0.82, 0.75),
        ("gdpr/london_merged.csv", ",", "t1", 0.99, 0.20),
        ("gdpr/london_merged.csv", ",", "t2", 0.98, 0.18),
    ],
)
def test_public_files_are_predicted_as_measured(
    shared: Path, file: str, separator: str, attribute: str, accuracy: float, baseline: float
) -> None:
    """Section 4 of the advice on dependencies, with a larger model: one attribute hidden by a fifth of the people."""
    with (shared / "data" / file).open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text, delimiter=separator))
    truth = Records({name: _column([row[name] for row in rows]) for name in rows[0] if name != "timestamp"})
    mask = {attribute: np.random.default_rng(7).random(len(truth)) < 0.2}
    score = predict(ConcealedFile(truth, mask, mask)).of(attribute)
    assert score.accuracy.value == pytest.approx(accuracy, abs=0.05)
    assert score.baseline.value == pytest.approx(baseline, abs=0.03)
