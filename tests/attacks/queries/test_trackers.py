"""Trackers and differences: everything is learnt where only sizes are limited, nothing of an audited sequence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.attacks.queries.opened import asker, cube_of, opened, policy_text, unprotected, write_people

from tacita.api.querying import Database
from tacita.attacks.queries.differencing import difference_everybody
from tacita.attacks.queries.emptiness import probe_presence
from tacita.attacks.queries.interrogation import AskFunction, Interrogation
from tacita.attacks.queries.refusal_probe import probe_refusals
from tacita.attacks.queries.trackers import double_tracker, general_tracker, individual_tracker, track_everybody

SALARIES = "SUM(salary) FROM staff"
TARGET = "age = 'young' AND job = 'judge'"
NUMBER = 60
MODES = {
    "exact": ("", ""),
    "camouflage": ('answers = "camouflage"', ""),
    "sample": ('answers = "sample"', ""),
    "perturbed": ('answers = "perturbed"', ""),
    "private": ('answers = "private"', "[private]\ntotal = 1000"),
}


def _trackers(ask: AskFunction) -> list[float | None]:
    return [
        individual_tracker(Interrogation(ask), SALARIES, "age = 'young'", "job = 'judge'"),
        general_tracker(Interrogation(ask), SALARIES, TARGET, "age = 'old' OR job = 'clerk'"),
        double_tracker(Interrogation(ask), SALARIES, TARGET, "job = 'clerk'", "job IN ('clerk', 'nurse')"),
    ]


def _true(people: list[dict[str, Any]]) -> int:
    salaries = [one["salary"] for one in people if (one["age"], one["job"]) == ("young", "judge")]
    assert len(salaries) == 1
    return int(salaries[0])


def test_trackers_learn_a_value_where_only_sizes_are_limited(tmp_path: Path) -> None:
    people = write_people(tmp_path, NUMBER)
    ask = unprotected(cube_of(opened(tmp_path, policy_text())), 5)
    assert _trackers(ask) == [_true(people)] * 3


@pytest.mark.parametrize("mode", MODES)
def test_trackers_learn_no_value_under_a_policy(tmp_path: Path, mode: str) -> None:
    people = write_people(tmp_path, NUMBER)
    top, more = MODES[mode]
    true = _true(people)
    price = {"epsilon": 1} if mode == "private" else {}
    with Database(opened(tmp_path, policy_text(more, top=top))) as staff:
        figures = _trackers(asker(staff, **price))
    # What noise and intervals leave is not the value: a thousandth of it, or less, would be.
    assert all(figure is None or abs(figure - true) > 1e-3 * true for figure in figures)
    if mode == "exact":
        assert figures == [None] * 3


@pytest.mark.slow
def test_everybody_is_tracked_or_nobody(tmp_path: Path) -> None:
    people = write_people(tmp_path, NUMBER)
    folder = opened(tmp_path, policy_text(ids=NUMBER))
    targets = {f"id = '{one['id']}'": float(one["salary"]) for one in people[:15]}
    salaries = [one["salary"] for one in people]
    lesson = track_everybody(unprotected(cube_of(folder), 5), SALARIES, targets, "age = 'old'", salaries)
    assert (lesson.right, lesson.concluded, lesson.share) == (15, 15, 1.0)
    with Database(folder) as staff:
        protected = track_everybody(asker(staff), SALARIES, targets, "age = 'old'", salaries)
    assert (protected.concluded, protected.right) == (0, 0)
    assert protected.refusals > 0


@pytest.mark.slow
def test_differences_tell_everybody_or_nobody(tmp_path: Path) -> None:
    people = write_people(tmp_path, NUMBER)
    folder = opened(tmp_path, policy_text(ids=NUMBER))
    others = [str(one["id"]) for one in people[:20]]
    targets = {str(one["id"]): float(one["salary"]) for one in people[20:50]}
    lesson = difference_everybody(unprotected(cube_of(folder), 5), SALARIES, "id", targets, others)
    assert lesson.share == 1.0 and lesson.guessing == 0.0
    with Database(folder) as staff:
        assert difference_everybody(asker(staff), SALARIES, "id", targets, others).concluded == 0


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["perturbed", "private"])
def test_differences_of_noise_are_noise(tmp_path: Path, mode: str) -> None:
    people = write_people(tmp_path, NUMBER)
    top, more = MODES[mode]
    folder = opened(tmp_path, policy_text(more, "minimum = 5", ids=NUMBER, top=top))
    others = [str(one["id"]) for one in people[:20]]
    targets = {str(one["id"]): float(one["salary"]) for one in people[20:50]}
    price = {"epsilon": 1} if mode == "private" else {}
    with Database(folder) as staff:
        assert difference_everybody(asker(staff, **price), SALARIES, "id", targets, others).right == 0


def _presence(ask: AskFunction, people: list[dict[str, Any]]) -> Any:
    codes = {(one["age"], one["job"]) for one in people}
    combinations = {
        f"age = '{age}' AND job = '{job}'": (age, job) in codes
        for age in ("young",)
        for job in ("nurse", "judge", "pilot")
    }
    assert set(combinations.values()) == {True, False}
    return probe_presence(ask, SALARIES, "age = 'old'", combinations)


def test_private_answers_are_paid_whether_anybody_was_added_or_not(tmp_path: Path) -> None:
    people = write_people(tmp_path, NUMBER)
    with Database(opened(tmp_path, policy_text(MODES["private"][1], top=MODES["private"][0]))) as staff:
        lesson = _presence(asker(staff, epsilon="0.01"), people)
        history = staff.history().answers
    assert lesson.concluded == 3 and lesson.refusals == 0
    assert [answer.is_repeated for _, answer in history] == [False] * 4
    assert [answer.cost for _, answer in history] == [{"epsilon": "0.01"}] * 4


@pytest.mark.parametrize(("mode", "concluded"), [("sample", 3), ("perturbed", 3), ("exact", 2)])
def test_noise_of_cells_tells_that_nobody_was_added(tmp_path: Path, mode: str, concluded: int) -> None:
    """A limit that the page of attacks states: equal figures mean equal records. Exactly, few records are refused."""
    people = write_people(tmp_path, NUMBER)
    with Database(opened(tmp_path, policy_text(top=MODES[mode][0]))) as staff:
        lesson = _presence(asker(staff), people)
    assert lesson.concluded == lesson.right == concluded


def _refusals(folder: Path, rules: str, salary: int) -> Path:
    people = write_people(folder, NUMBER)
    text = (folder / "staff.csv").read_text(encoding="utf-8")
    (folder / "staff.csv").write_text(text.replace(f",{people[4]['salary']},", f",{salary},"), encoding="utf-8")
    return opened(folder, policy_text(rules=rules), key=folder.name)


@pytest.mark.parametrize(
    ("rules", "tells"),
    [("minimum = 5\ndominance = {n = 1, k = 25}", True), ("minimum = 5\nsimulatable = true", False)],
)
def test_refusals_tell_values_unless_they_are_simulatable(tmp_path: Path, rules: str, tells: bool) -> None:
    folders = []
    for name, salary in (("low", 20_000), ("high", 200_000)):
        (tmp_path / name).mkdir()
        folders.append(_refusals(tmp_path / name, rules, salary))
    questions = [
        f"SELECT {SALARIES} WHERE age = 'middle' AND job = '{job}'"
        for job in ("clerk", "nurse", "smith", "judge", "pilot")
    ]
    with Database(folders[0]) as low, Database(folders[1]) as high:
        lesson = probe_refusals(asker(low), asker(high), questions)
    assert bool(lesson.telling) is tells
    assert lesson.questions == len(questions)
