"""Numbers that follow from numbers and dates: sums, products, both, copies, ages; and that chance gives no formula."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tacita.attacks.microdata.derivation import DerivableValues
from tacita.attacks.microdata.relations.birth_dates import ReleasedDates, ages, days_of
from tacita.attacks.microdata.relations.copies import copies
from tacita.attacks.microdata.relations.numbers import NumericLesson, NumericTarget, ReleasedFormula, ReleasedNumbers
from tacita.attacks.microdata.relations.products import products
from tacita.attacks.microdata.relations.quadratics import quadratics
from tacita.attacks.microdata.relations.sums import sums

Numbers = NDArray[np.float64]
N = 1_000
Search = Callable[[NumericLesson, Sequence[ReleasedNumbers]], Iterator[ReleasedFormula]]


def _lesson(truth: Numbers, random: np.random.Generator, share: float = 0.1) -> NumericLesson:
    hidden = random.random(len(truth)) < share
    return NumericLesson(NumericTarget("secret", truth, hidden, ~hidden, is_suppressed=True))


def _derived(search: Search, lesson: NumericLesson, columns: dict[str, Numbers]) -> list[DerivableValues]:
    derived = [lesson.derivation(formula, 1_000) for formula in search(lesson, _released(columns))]
    return [one for one in derived if one is not None]


def _released(columns: dict[str, Numbers]) -> list[ReleasedNumbers]:
    return [ReleasedNumbers(name, values.astype(float)) for name, values in columns.items()]


def _numbers(random: np.random.Generator) -> dict[str, Numbers]:
    return {f"other {at}": random.lognormal(6, 1, N).round(2) for at in range(6)}


@pytest.mark.parametrize("parts", [1, 2, 3, 4])
@pytest.mark.parametrize("wrong", [0.0, 0.03])
def test_a_part_of_a_total(parts: int, wrong: float) -> None:
    random = np.random.default_rng(parts)
    secret = random.lognormal(7, 1, N).round(2)
    others = {f"part {at}": random.lognormal(6, 1, N).round(2) for at in range(parts)}
    total = (secret + sum(others.values())).round(2)
    total = np.where(random.random(N) < wrong, total + 100, total)
    (derived,) = _derived(sums, _lesson(secret, random), {**_numbers(random), **others, "total": total})
    assert set(derived.of) == {"total", *others} and derived.right >= 0.9 * derived.hidden
    assert derived.transcript is not None
    assert derived.transcript.rule.startswith("secret = total - ")


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda x: (x * 0.8).round(2), "secret = 1.25 other"),
        (lambda x: (x / 1.95583).round(2), "secret = 1.95583 other"),
        (lambda x: x * 12, "secret = 0.08333"),
        (lambda x: 100 - x, "secret = 100 - other"),
        (lambda x: (x - 32) * 5 / 9, "secret = 1.8 other + 32"),
    ],
)
def test_a_constant_factor(make: Callable[[Numbers], Numbers], rule: str) -> None:
    random = np.random.default_rng(1)
    secret = random.lognormal(7, 1, N).round(2)
    (derived,) = _derived(sums, _lesson(secret, random), {**_numbers(random), "other": make(secret)})
    assert derived.clue == "other" and derived.right == derived.hidden
    assert derived.transcript is not None and derived.transcript.rule.startswith(rule)


def test_digits_of_which_one_is_hardly_ever_shown() -> None:
    """The first digit in base two is 1 in most hidden records, and in ten of those that show their number."""
    random = np.random.default_rng(4)
    age = np.where(np.arange(N) < 100, random.integers(64, 90, N), random.integers(18, 64, N))
    hidden = np.arange(N) < 90
    lesson = NumericLesson(NumericTarget("age", age.astype(float), hidden, ~hidden, is_suppressed=True))
    bits = {f"bit{place}": (age >> place & 1).astype(float) for place in range(7)}
    (derived,) = _derived(sums, lesson, {**_numbers(random), **bits})
    assert set(derived.of) == set(bits) and derived.right == derived.hidden == 90


@pytest.mark.parametrize("wrong", [0.0, 0.003])
@pytest.mark.parametrize(
    ("make", "tells"),
    [
        (lambda x, a, b: {"a": a, "growth": (100 * (x - a) / a).round(3)}, {"a", "growth"}),
        (lambda x, a, b: {"a": a, "margin": ((a - x) / a).round(6)}, {"a", "margin"}),
        (lambda x, a, b: {"a": a, "share": (100 * x / (x + a)).round(3)}, {"a", "share"}),
        (lambda x, a, b: {"a": a, "b": b, "bill": a + b * x}, {"a", "b", "bill"}),
        (lambda x, a, b: {"a": a, "b": b, "bill": b * (a + x)}, {"a", "b", "bill"}),
        (lambda x, a, b: {"a": a, "b": b, "rate": ((x - a) / b).round(6)}, {"a", "b", "rate"}),
    ],
)
def test_sums_and_products_together(make: Callable[..., dict[str, Numbers]], tells: set[str], wrong: float) -> None:
    random = np.random.default_rng(6)
    secret, a, b = (random.integers(low, high, N).astype(float) for low, high in ((1, 99), (20, 500), (2, 60)))
    columns = {**_numbers(random), **make(secret, a, b)}
    last = list(columns)[-1]
    columns[last] = np.where(random.random(N) < wrong, 0, columns[last])
    (derived,) = _derived(quadratics, _lesson(secret, random), columns)
    assert set(derived.of) == tells and derived.right >= 0.95 * derived.hidden


@pytest.mark.parametrize("seed", range(3))
def test_chance_gives_no_polynomial(seed: int) -> None:
    random = np.random.default_rng(seed)
    columns = {**_numbers(random), **{f"count {at}": random.integers(1, 60, N).astype(float) for at in range(9)}}
    assert not list(quadratics(_lesson(random.integers(18, 90, N).astype(float), random), _released(columns)))


def test_an_income_that_many_do_not_have() -> None:
    """An empty cell stands for nothing earned."""
    random = np.random.default_rng(2)
    secret = random.lognormal(7, 1, N).round(2)
    rent = np.where(random.random(N) < 0.6, np.nan, random.lognormal(5, 1, N).round(2))
    total = (secret + np.nan_to_num(rent)).round(2)
    (derived,) = _derived(sums, _lesson(secret, random), {"rent": rent, "total": total})
    assert derived.right == derived.hidden


@pytest.mark.parametrize(
    ("make", "rule"),
    [
        (lambda a, b, c: (a / b**2).round(1), "secret = one / two^2"),
        (lambda a, b, c: (a * b).round(2), "secret = one two"),
        (lambda a, b, c: (a * b * c / 1000).round(4), "secret = 0.001 one two three"),
        (lambda a, b, c: (100 * a / c).round(3), "secret = 100 one / three"),
        (lambda a, b, c: (a**2).round(2), "secret = one^2"),
    ],
)
def test_products(make: Callable[..., Numbers], rule: str) -> None:
    random = np.random.default_rng(3)
    one, two, three = random.uniform(40, 120, N).round(1), random.uniform(1, 9, N).round(2), random.uniform(5, 9, N)
    secret = make(one, two, three)
    secret = np.where(random.random(N) < 0.02, secret + 17, secret)
    columns = {**_numbers(random), "one": one, "two": two, "three": three}
    (derived,) = _derived(products, _lesson(secret, random), columns)
    assert derived.transcript is not None and derived.transcript.rule == rule
    assert derived.right >= 0.9 * derived.hidden


@pytest.mark.parametrize("base", [1, 10, 100])
def test_a_rounded_copy_tells_to_within_the_rounding(base: int) -> None:
    random = np.random.default_rng(4)
    secret = random.lognormal(8, 0.7, N).round(2)
    for copy in (np.round(secret / base) * base, np.floor(secret / base) * base, np.ceil(secret / base)):
        (derived,) = _derived(copies, _lesson(secret, random), {**_numbers(random), "copy": copy})
        assert derived.clue == "copy" and derived.right >= 0.95 * derived.hidden


def test_a_copy_that_is_too_coarse_tells_nothing() -> None:
    random = np.random.default_rng(5)
    secret = random.normal(1_000, 200, N).round(2)
    assert _derived(copies, _lesson(secret, random), {"copy": np.round(secret / 400) * 400}) == []


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_unrelated_numbers_give_no_formula(seed: int) -> None:
    random = np.random.default_rng(seed)
    records = int(random.choice([50, 300, 2_000]))
    kinds: list[Numbers] = [
        random.lognormal(7, 1, records).round(2),
        random.integers(0, 90, records).astype(float),
        random.integers(0, 6, records).astype(float),
        (random.lognormal(9, 1, records) / 100).round() * 100,
        random.normal(0, 1, records),
    ]
    secret = kinds[seed % 5]
    near = secret * random.uniform(0.5, 1.5, records)
    columns = {f"c{at}": random.permutation(kind) for at, kind in enumerate(kinds)} | {"goes along": near}
    lesson = _lesson(secret, random, float(random.choice([0.02, 0.4])))
    assert [one for search in (sums, products, copies) for one in _derived(search, lesson, columns)] == []


@pytest.mark.parametrize(
    "written", ["{0:%Y-%m-%d}", "{0:%d.%m.%Y}", "{0:%m/%d/%Y}", "{0:%Y%m%d}", "{0:%Y-%m-%dT%H:%M}"]
)
def test_ages_follow_from_dates_of_birth(written: str) -> None:
    random = np.random.default_rng(6)
    day = date(2021, 9, 12)
    born = [day - timedelta(days=int(days)) for days in random.integers(0, 95 * 365, N)]
    age = np.array([day.year - b.year - ((day.month, day.day) < (b.month, b.day)) for b in born], dtype=float)
    texts = [written.format(b) for b in born]
    different = sorted(set(texts))
    codes = np.array([different.index(text) for text in texts])
    days = days_of(different, codes)
    assert days is not None
    lesson = _lesson(age, random)
    derived: list[Any] = [lesson.derivation(one, 10) for one in ages(lesson, lambda: [ReleasedDates("born", days)])]
    assert derived[0].right == derived[0].hidden and "September 2021" in derived[0].transcript.rule


def test_dates_that_are_not_of_birth_tell_no_age() -> None:
    random = np.random.default_rng(7)
    days = random.integers(1990 * 372, 2020 * 372, N).astype(float)
    lesson = _lesson(random.integers(0, 90, N).astype(float), random)
    formulas = list(ages(lesson, lambda: [ReleasedDates("moved", days)]))
    assert [lesson.derivation(formula, 10) for formula in formulas] == [None]


def test_nearly_is_no_secret_of_what_was_suppressed_along() -> None:
    random = np.random.default_rng(8)
    secret = random.lognormal(8, 0.7, N).round(2)
    hidden = random.random(N) < 0.1
    lesson = NumericLesson(NumericTarget("secret", secret, hidden, ~hidden, is_suppressed=True, only_exact=True))
    assert _derived(copies, lesson, {"copy": np.round(secret)}) == []
    assert len(_derived(sums, lesson, {"copy": secret * 2})) == 1
