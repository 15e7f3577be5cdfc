"""Private synthesis: what is asked of the data changes by no more than said, and all of it costs no more than epsilon.

The noise does not follow a seed: bounds are wide enough to fail by chance less than once in 10^9 runs.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import InputError, UsageError
from tacita.masking.synthetic.private import marginals
from tacita.masking.synthetic.private.marginals import SyntheticMarginals
from tacita.masking.synthetic.private.tables import SENSITIVITY, chosen, noisy
from tacita.model.hierarchy import ValueHierarchy
from tacita.model.records import Categories, Numbers, Records

ANY = np.random.default_rng(1)
FAR = 6.5
"""Standard errors that a normal variable exceeds once in 10^10."""
JOBS = ("cook", "judge", "miner")


def people(count: int, seed: int = 3) -> Records:
    """Age, job that depends on it, school that depends on the job, and a number that depends on nothing."""
    draw = np.random.default_rng(seed)
    age = draw.integers(18, 78, count)
    job = np.where(draw.random(count) < 0.8, (age - 18) // 20, draw.integers(0, 3, count))
    school = np.where(draw.random(count) < 0.9, job, draw.integers(0, 3, count))
    noise = draw.random(count)
    noise[draw.random(count) < 0.2] = np.nan
    return Records(
        {
            "age": Numbers.of(age, is_whole=True),
            "noise": Numbers.of(noise),
            "job": Categories.of([JOBS[j] for j in job]),
            "school": Categories.of([["none", "basic", "high"][s] for s in school], order=["none", "basic", "high"]),
        }
    )


def method(epsilon: float = 1.0, **more: Any) -> SyntheticMarginals:
    told: dict[str, Any] = {
        "bounds": {"age": (18, 77), "noise": (0.0, 1.0)},
        "categories": {"job": JOBS, "school": ("none", "basic", "high")},
        "may_be_missing": ("noise",),
        "bins": 12,
        **more,
    }
    return SyntheticMarginals(epsilon, **told)


class Spy:
    """Records what is asked of the data, answers without noise, and chooses as it is told."""

    def __init__(self, choices: list[int] | None = None) -> None:
        self.tables: list[np.ndarray] = []
        self.scores: list[np.ndarray] = []
        self.spent: list[float] = []
        self.choices = choices

    def noisy(self, table: np.ndarray, epsilon: float, *rest: Any) -> np.ndarray:
        self.tables.append(table.copy())
        self.spent.append(epsilon)
        return self.noise[len(self.tables) - 1] if self.noise else table.astype(float)

    noise: list[np.ndarray] | None = None

    def chosen(self, scores: np.ndarray, epsilon: float) -> int:
        self.scores.append(scores.copy())
        self.spent.append(epsilon)
        return int(np.argmax(scores)) if self.choices is None else self.choices[len(self.scores) - 1]

    def of(self, method: SyntheticMarginals, records: Records) -> Spy:
        held = marginals.noisy, marginals.chosen
        marginals.noisy, marginals.chosen = self.noisy, self.chosen  # type: ignore[assignment]
        try:
            method.treated(records, np.random.default_rng(1))
        finally:
            marginals.noisy, marginals.chosen = held
        return self


@pytest.mark.parametrize("epsilon", [0.1, 1 / 3, 1.0, 7.7])
def test_all_that_is_spent_is_epsilon(epsilon: float) -> None:
    for more in ({}, {"pairs": (("job", "school"),)}, {"pairs": ()}):
        spent = Spy().of(method(epsilon, **more), people(50)).spent
        assert Fraction(epsilon) * 99999 / 100000 < sum(map(Fraction, spent)) <= Fraction(epsilon)
    one = Spy().of(SyntheticMarginals(epsilon, categories={"job": JOBS}), people(50).only(["job"])).spent
    assert one == [epsilon]
    assert len(Spy().of(method(epsilon), people(50)).spent) == 4 + 3 + 3


ROW = st.tuples(st.integers(10, 90), st.one_of(st.none(), st.floats(-1, 2)), st.integers(0, 2), st.integers(0, 2))


def made(rows: list[tuple[int, float | None, int, int]]) -> Records:
    return Records(
        {
            "age": Numbers.of([r[0] for r in rows], is_whole=True),
            "noise": Numbers.of([r[1] for r in rows]),
            "job": Categories.of([JOBS[r[2]] for r in rows]),
            "school": Categories.of([["none", "basic", "high"][r[3]] for r in rows]),
        }
    )


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(rows=st.lists(ROW, min_size=2, max_size=15), other=ROW, data=st.data())
def test_another_record_changes_tables_and_scores_by_two_at_most(
    rows: list[Any], other: tuple[int, float | None, int, int], data: st.DataObject
) -> None:
    changed = list(rows)
    changed[data.draw(st.integers(0, len(rows) - 1))] = other
    one = Spy().of(method(), made(rows))
    choices = [int(np.argmax(scores)) for scores in one.scores]
    # The second run sees the answers of the first, as composition has it: what is asked then must change little.
    two = Spy(choices)
    two.noise = [table.astype(float) for table in one.tables]
    two.of(method(), made(changed))
    for before, after in zip(one.tables, two.tables, strict=True):
        assert before.shape == after.shape and np.abs(before - after).sum() <= SENSITIVITY
    for before, after in zip(one.scores, two.scores, strict=True):
        assert before.shape == after.shape and np.abs(before - after).max() <= SENSITIVITY


def test_the_noise_has_its_scale() -> None:
    noise = noisy(np.full((50, 100), 50), 0.5) - 50
    scale = SENSITIVITY / 0.5
    # The discrete distribution: the mean of |noise| is 2 q / (1 - q^2) with q = e^(-1 / scale).
    q = np.exp(-1 / scale)
    assert abs(np.abs(noise).mean() - 2 * q / (1 - q * q)) < FAR * scale / np.sqrt(5_000)
    assert np.array_equal(noise, np.rint(noise)) and abs(noise.mean()) < FAR * np.sqrt(2) * scale / np.sqrt(5_000)


@pytest.mark.slow
def test_a_choice_is_private_and_mostly_right() -> None:
    epsilon, times = 1.0, 1000
    one, two = (
        np.bincount([chosen(np.array(scores), epsilon) for _ in range(times)], minlength=3) / times
        for scores in ([10, 8, 8], [8, 10, 10])
    )
    error = FAR * np.sqrt(0.25 / times) * (1 + np.e)
    assert np.all(one <= np.e * two + error) and np.all(two <= np.e * one + error)
    assert one[0] > one[1] and chosen(np.array([0, 10_000, 0]), epsilon) == 1


@pytest.mark.slow
def test_the_likelihood_of_a_result_changes_by_at_most_e_to_epsilon() -> None:
    """A file of one attribute in which one record differs; the event is how many synthetic records have the value."""
    told = SyntheticMarginals(1.0, categories={"job": ("cook", "judge")}, records=200)

    def counts(first: str) -> np.ndarray:
        records = Records({"job": Categories.of([first, *(["cook", "judge"] * 10)])})
        return np.array([told.treated(records, ANY).records.categories("job").counts[0] for _ in range(400)])

    one, two = counts("cook"), counts("judge")
    for threshold in (60, 90, 100, 110, 140):
        a, b = (one > threshold).mean(), (two > threshold).mean()
        error = FAR * np.sqrt((a * (1 - a) + 7.4 * b * (1 - b)) / 400)
        assert a <= np.e * b + error and (1 - b) <= np.e * (1 - a) + error


def test_much_epsilon_gives_the_tables_of_the_tree() -> None:
    records = people(8000)
    found = method(400.0).treated(records, ANY)
    assert found.origin is None and found.figures["epsilon"] == 400
    assert np.isclose(found.figures["scale of tables of two attributes"], 2 / (400 / 9))
    kept = found.notes[0]
    assert "age and job" in kept and "job and school" in kept
    for name in ("job", "school"):
        own = dict(zip(records.categories(name).values, records.categories(name).counts, strict=True))
        new = dict(zip(found.records.categories(name).values, found.records.categories(name).counts, strict=True))
        assert max(abs(own[value] - new[value]) for value in own) < 40
    averages = []
    for each in (records, found.records):
        column = each.categories("job")
        codes = np.array([JOBS.index(str(v)) for v in column.values])[column.codes]
        averages.append([each.numbers("age").values[codes == code].mean() for code in range(3)])
    assert np.abs(np.subtract(*averages)).max() < 1
    assert abs(found.records["noise"].missing.mean() - 0.2) < 0.02


def test_types_bounds_and_domains() -> None:
    found = method(0.5, records=700).treated(people(300), ANY).records
    assert len(found) == 700
    age, noise = found.numbers("age"), found.numbers("noise").values
    assert age.is_whole and np.array_equal(age.values, np.rint(age.values))
    assert age.values.min() >= 18 and age.values.max() <= 77 and not age.missing.any()
    assert np.nanmin(noise) >= 0 and np.nanmax(noise) <= 1
    assert found.categories("job").values == JOBS
    assert found.categories("school").is_ordered


def test_less_epsilon_costs_more() -> None:
    records = people(1000).only(["job", "school"])

    def lost(epsilon: float) -> float:
        told = SyntheticMarginals(epsilon, categories={"job": JOBS, "school": ("none", "basic", "high")})
        own = np.array([dict(zip(*_counts(records), strict=True)).get(job, 0) for job in JOBS])
        away = []
        for _ in range(20):
            new = dict(zip(*_counts(told.treated(records, ANY).records), strict=True))
            away.append(np.abs(own - np.array([new.get(job, 0) for job in JOBS])).sum())
        return float(np.mean(away))

    assert lost(20.0) < 0.3 * lost(0.05)


def _counts(records: Records) -> tuple[tuple[Any, ...], list[int]]:
    column = records.categories("job")
    return column.values, column.counts.tolist()


def test_a_hierarchy_lists_categories_and_types_tell_nothing() -> None:
    hierarchy = ValueHierarchy.from_paths("code", [["1"], ["2"], ["30"]], star=True)
    records = Records({"code": Categories.of([1, 2, 2, 1, 2], hierarchy=hierarchy)})
    found = SyntheticMarginals(1.0).treated(records, ANY).records.categories("code")
    assert found.values == (1, 2, 30) and {type(value) for value in found.values} == {int}
    assert found.hierarchy is hierarchy
    halves = Records({"code": Categories.of([0.5, 1.0, 0.5])})
    values = SyntheticMarginals(1.0, categories={"code": ("0.5", "1", "2.5")}).treated(halves, ANY).records
    assert values.categories("code").values == (0.5, 1.0, 2.5)


def test_what_is_not_known_beforehand_is_refused() -> None:
    records = people(40)
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"bounds": {"age": (18, 77)}}, UsageError, "'noise' is a number without bounds"),
        ({"categories": {"job": JOBS}}, UsageError, "the categories of 'school' are not told"),
        ({"may_be_missing": ()}, InputError, "'noise' has missing values, and it was not said"),
        (
            {"categories": {"job": ("cook",), "school": ("none", "basic", "high")}},
            InputError,
            "not among its categories",
        ),
        ({"bounds": {"job": (0, 1), "age": (0, 9), "noise": (0, 1)}}, UsageError, "'job' has bounds and is no number"),
        ({"may_be_missing": ("nose", "noise")}, UsageError, "did you mean 'noise'"),
        ({"bins": 100_000}, UsageError, "cells"),
    ]
    for more, kind, told in wrong:
        with pytest.raises(kind, match=told) as error:
            method(**more).treated(records, ANY)
        assert "miner" not in str(error.value)
    with pytest.raises(InputError, match="no record"):
        method().treated(records.taken(np.arange(0)), ANY)
    assert len(method().treated(records.taken(np.arange(1)), ANY).records) == 1


def test_parameters_are_checked() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"epsilon": 0.0}, "epsilon"),
        ({"bins": 1}, "'bins' is below 2"),
        ({"records": 0}, "'records' is below 1"),
        ({"bounds": {"age": (5, 5)}}, "no interval"),
        ({"categories": {"job": ()}}, "'job' has no categories"),
        ({"categories": {"job": ("cook", "cook")}}, "one of them twice"),
        ({"pairs": (("age", "job"), ("job", "school"), ("school", "age"))}, "form a circle"),
    ]
    for more, told in wrong:
        with pytest.raises(UsageError, match=told):
            method(**more)


def test_given_pairs_are_kept_and_others_are_not() -> None:
    records = people(6000)
    found = method(400.0, pairs=(("age", "job"),)).treated(records, ANY)
    assert found.notes == ("pairs of attributes that are kept: age and job",)
    job, school = (found.records.categories(name).codes for name in ("job", "school"))
    table = np.histogram2d(job, school, bins=3)[0] / 6000
    assert np.abs(table - np.outer(table.sum(axis=1), table.sum(axis=0))).max() < 0.02
