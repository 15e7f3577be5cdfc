"""Bounded differential privacy: counts are public, and only the values of one person differ."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.queries.cubes import cube_of
from tests.queries.noise.certified import certified_epsilon
from tests.queries.noise.questions import AVERAGE, COUNT, LARGEST, SUM, asking

import tacita as tc
from tacita.api.querying import Database, open_for_questions, parse_query_policy
from tacita.errors import InputError, QueryRefused
from tacita.queries.answer import FigureStatus
from tacita.queries.cube.cube import Cube
from tacita.queries.mechanism import NANO
from tacita.queries.noise import measurements
from tacita.queries.noise.measurements import budget_of
from tacita.queries.noise.private import PrivateFigures
from tacita.queries.noise.quantiles import quantile_of_means
from tacita.queries.policy.policy import AnswerMode, FilterAttribute, QueryMeasure, QueryPolicy
from tacita.queries.question import AskedStatistic, Statistic

pytestmark = pytest.mark.slow

CLAIM, ALPHA, SIZE = 0.5, 1e-6, 5
MEDIAN = AskedStatistic(Statistic.QUANTILE, "x", share=Fraction(1, 2))
MAXIMUM, VARIANCE = AskedStatistic(Statistic.MAXIMUM, "x"), AskedStatistic(Statistic.VARIANCE, "x")
PEOPLE = AskedStatistic(Statistic.CONTRIBUTORS)


def _policy(size: int | None = SIZE, currency: str = "epsilon", records: int = 1, low: int = 0) -> QueryPolicy:
    options = {"currency": currency, "total": Fraction(1), "analyst": Fraction(1), "records_per_unit": records}
    return QueryPolicy(
        "b",
        (FilterAttribute("c"),),
        (QueryMeasure("x", Decimal(low), Decimal(LARGEST), 0, tuple(Statistic)),),
        unit=("who",) if records > 1 else (),
        answers=AnswerMode.PRIVATE,
        options={**options, "neighbours": "values", "microaggregate": size},
    )


def _cube(policy: QueryPolicy, values: Sequence[int], cells: Sequence[str] = (), who: Sequence[str] = ()) -> Cube:
    rows = [
        {"c": cells[place] if cells else "a", "x": value, "who": who[place] if who else place}
        for place, value in enumerate(values)
    ]
    return cube_of(rows, policy)


def _neighbours(policy: QueryPolicy) -> tuple[Cube, Cube]:
    """Return a data set, and the same with other values of one person: from the lower to the upper bound.

    Most values are at the lower bound, so that the least group of means has what changes.
    """
    records = policy.options["records_per_unit"]
    who = [*["one"] * records, *[f"p{place}" for place in range(20 - records)]]
    low = policy.measures[0].bounds[0]
    less = [low] * 12 + [LARGEST] * 8
    more = [LARGEST] * records + less[records:]
    return _cube(policy, less, who=who), _cube(policy, more, who=who)


def _drawn(cube: Cube, one: AskedStatistic, draws: int) -> NDArray[np.float64]:
    mechanism, everything = PrivateFigures(cube), np.ones(len(cube), np.bool_)
    if one.statistic is Statistic.QUANTILE and mechanism._means is None:
        wanted = asking([one], [everything], epsilon=int(CLAIM * NANO))
        rows = [mechanism.figures(wanted, mechanism.price(wanted))[0] for _ in range(draws)]
    else:
        wanted = asking([one], [everything] * draws, epsilon=int(CLAIM * NANO))
        rows = list(mechanism.figures(wanted, mechanism.price(wanted)))
    return np.array([float(figure.value or 0) for (figure,) in rows])


CASES = [
    (SUM, {}),
    (SUM, {"records": 3}),
    (SUM, {"low": -50}),
    (AVERAGE, {}),
    (VARIANCE, {"low": -50}),
    (MEDIAN, {}),
    (MEDIAN, {"records": 2}),
    (AskedStatistic(Statistic.QUANTILE, "x", share=Fraction(3, 5)), {}),
    (MAXIMUM, {"records": 2}),
    (MEDIAN, {"size": None}),
]


@pytest.mark.parametrize(("one", "how"), CASES)
def test_draws_certify_no_more_than_the_claim(one: AskedStatistic, how: dict[str, Any]) -> None:
    draws = 2_000 if how.get("size", SIZE) else 400
    less, more = (_drawn(cube, one, draws) for cube in _neighbours(_policy(**how)))
    assert certified_epsilon(less, more, alpha=ALPHA) <= CLAIM


def _worst(policy: QueryPolicy) -> tuple[Cube, Cube]:
    """Return neighbours whose least mean differs by the distance of the bounds over the size of a group."""
    low = [0] * 4
    return _cube(policy, [*low, 0, *[LARGEST] * 5]), _cube(policy, [*low, LARGEST, *[LARGEST] * 5])


@pytest.mark.parametrize("factor", [1, 2])
def test_half_of_the_scale_fails(monkeypatch: pytest.MonkeyPatch, factor: int) -> None:
    monkeypatch.setattr(measurements, "budget_of", lambda share: factor * budget_of(share))
    for one in (SUM, AskedStatistic(Statistic.MINIMUM, "x")):
        pair = (_drawn(cube, one, 4_000) for cube in _worst(_policy()))
        epsilon = certified_epsilon(*pair, alpha=ALPHA)
        assert (epsilon <= CLAIM) == (factor == 1)
        assert epsilon >= 0.2  # the draws say something


@pytest.mark.parametrize("currency", ["epsilon", "rho"])
@given(share=st.integers(1_000, 20 * NANO), records=st.integers(1, 7), size=st.integers(2, 50))
@settings(max_examples=15, deadline=None)
def test_opendp_accounts_for_no_more_than_is_paid(currency: str, share: int, records: int, size: int) -> None:
    mechanism = PrivateFigures(_cube(_policy(size, currency, records, low=-20), [1, 2, 3]))
    assert mechanism._means is not None
    by_part = {("x", 1): 120 * records, ("x", 2): 10_000 * records}
    sensitivities = [(mechanism._parts.sensitivity(part), most) for part, most in by_part.items()]
    assert all(sensitivity == most for sensitivity, most in sensitivities)
    for sensitivity in (mechanism._means.sensitivity("x"), *by_part.values()):
        measurement = measurements.measurement_of(currency, sensitivity, share)
        cost = measurement.map(sensitivity if currency == "epsilon" else float(sensitivity))
        assert Fraction(cost) <= Fraction(share, NANO)


@given(
    groups=st.lists(st.lists(st.integers(0, LARGEST), min_size=4, max_size=25), min_size=1, max_size=3),
    changes=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 24), st.integers(0, LARGEST)), max_size=3),
    size=st.integers(2, 6),
    share=st.fractions(0, 1, max_denominator=40),
)
@settings(max_examples=200)
def test_changed_values_move_quantiles_of_means_by_no_more_than_is_paid_for(
    groups: list[list[int]], changes: list[tuple[int, int, int]], size: int, share: Fraction
) -> None:
    """The sum over all groups of a GROUP BY, for as many records of one person as there are changes."""
    other = [list(values) for values in groups]
    for group, place, value in changes:
        if group < len(other):
            other[group][place % len(other[group])] = value
    moved = Fraction(0)
    for one, two in zip(groups, other, strict=True):
        before, after = (quantile_of_means(np.sort(np.array(values)), share, size) for values in (one, two))
        assert (before is None) == (after is None) == (len(one) < 2 * size)
        moved += abs((before or 0) - (after or 0))
    assert moved <= Fraction(len(changes) * LARGEST, size)


@given(st.integers(2, 200), st.integers(2, 20))
def test_groups_have_the_size_to_twice_the_size_less_one(records: int, size: int) -> None:
    """What moves one value by one moves its mean by 1 over the size of its group, and no other mean."""
    values = np.arange(records, dtype=np.int64) * 1000
    means = {quantile_of_means(values, Fraction(place, max(records - 1, 1)), size) for place in range(records)}
    if records < 2 * size:
        assert means == {None}
        return
    ends = [group * records // (records // size) for group in range(records // size + 1)]
    sizes = [end - start for start, end in itertools.pairwise(ends)]
    assert min(sizes) >= size and max(sizes) <= 2 * size - 1 and sum(sizes) == records


def test_counts_are_exact_and_free_and_take_no_price() -> None:
    cells = ["a"] * 7 + ["b"] * 13
    cube = _cube(_policy(), [5] * 20, cells)
    mechanism, masks = PrivateFigures(cube), [cube.codes["c"] == code for code in (0, 1)]
    wanted = asking([COUNT, PEOPLE], masks)
    price = mechanism.price(wanted)
    assert price.spent == {}
    rows = mechanism.figures(wanted, price)
    assert [[figure.value for figure in row] for row in rows] == [["7", "7"], ["13", "13"]]
    assert all(figure.status is FigureStatus.EXACT for row in rows for figure in row)
    with pytest.raises(QueryRefused, match="free"):
        mechanism.price(asking([COUNT], masks, epsilon=NANO))
    # An average is one sum with noise, over a public number.
    shares: list[int] = []
    real = mechanism._measurement
    mechanism._measurement = lambda part, share: (shares.append(share), real(part, share))[1]  # type: ignore[method-assign]
    wanted = asking([AVERAGE, COUNT], masks, epsilon=NANO)
    mechanism.figures(wanted, mechanism.price(wanted))
    assert shares == [NANO]


@pytest.mark.parametrize("one", [SUM, AVERAGE, VARIANCE])
def test_the_true_figure_is_within_the_error_as_often_as_is_said(one: AskedStatistic) -> None:
    values = [(37 * place) % LARGEST for place in range(100)]
    true = {Statistic.SUM: sum(values), Statistic.AVERAGE: np.mean(values), Statistic.VARIANCE: np.var(values)}
    mechanism, draws = PrivateFigures(_cube(_policy(), values)), 600
    wanted = asking([one], [np.ones(1, np.bool_)] * draws, epsilon=NANO // 4)
    figures = [row[0] for row in mechanism.figures(wanted, mechanism.price(wanted))]
    errors = [abs(float(figure.value or 0) - float(true[one.statistic])) for figure in figures]
    inside = sum(error <= float(figure.error or 0) + 1e-9 for error, figure in zip(errors, figures, strict=True))
    assert inside >= 535  # fewer one time in 10^9
    assert one is VARIANCE or inside < 600


def test_noise_of_a_quantile_is_within_its_error_and_small_groups_have_none() -> None:
    cube = _cube(_policy(), [*range(50), 1, 2], ["a"] * 50 + ["b"] * 2)
    mechanism, masks = PrivateFigures(cube), [cube.codes["c"] == code for code in (0, 1)]
    wanted = asking([MEDIAN, MAXIMUM], [*masks] * 200, epsilon=40 * NANO)
    rows = mechanism.figures(wanted, mechanism.price(wanted))
    assert not any(figure.is_answered for row in rows[1::2] for figure in row)
    for place, true in ((0, 24.5), (1, 47.0)):
        inside = [abs(float(row[place].value or 0) - true) <= float(row[place].error or 0) for row in rows[::2]]
        assert 170 <= sum(inside) <= 200


TEXT = """
name = "firms"
answers = "private"
[[filter]]
attribute = "Area"
[[measure]]
attribute = "W"
lower = 0
upper = 1000
statistics = ["sum", "avg", "quantile", "min", "max"]
[private]
total = 10
neighbours = "values"
microaggregate = 3
[rules]
counts_are_confidential = false
"""


def _opened(folder: Path, text: str = TEXT) -> Path:
    return open_for_questions(tc.sample("figure-1"), parse_query_policy(text), folder / "firms.opened").folder


def test_what_is_not_protected_is_said(tmp_path: Path) -> None:
    opened = open_for_questions(tc.sample("figure-1"), parse_query_policy(TEXT), tmp_path / "firms.opened")
    assert any("is not protected" in note for note in opened.notes)
    with Database(opened.folder) as firms:
        assert "is not protected" in firms.description().guarantee
        free = firms.sql("SELECT COUNT(*) FROM firms GROUP BY ROLLUP (Area)")
        assert free.cost == {} and "is not protected" in free.sentence
        assert [row.figures[0].value for row in free.rows][-1] == "20"
        paid = firms.sql("SELECT MEDIAN(W), MAX(W), SUM(W), COUNT(*) FROM firms GROUP BY ROLLUP (Area)", epsilon=5)
        assert paid.cost == {"epsilon": "5"} and paid.status in {"answered", "partly"}
        totals = [int(row.figures[2].value or 0) for row in paid.rows]
        assert sum(totals[:-1]) == totals[-1]
        entry = firms._database.ledger.payload(next(reversed(list(firms._database.ledger.entries()))))
    # Counts are exact: later releases are judged together with them. Sums have noise, and disclose nothing.
    tables = (entry or {})["disclosures"]["tables"]
    assert tables and not any(table["response"] for table in tables)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('neighbours = "values"\n', "", "neighbours"),
        ("counts_are_confidential = false", "", "counts_are_confidential = false"),
        ("counts_are_confidential = false", "counts_are_confidential = true", "counts_are_confidential = false"),
        ('neighbours = "values"\nmicroaggregate = 3\n', "", "'counts_are_confidential' has no effect"),
        ("microaggregate = 3", "microaggregate = 1", "microaggregate"),
        ("microaggregate = 3", "delta = 0.1", "'delta' has no effect"),
        ('"values"', '"people"', "neighbours"),
    ],
)
def test_policies_that_say_nothing_usable_are_refused(tmp_path: Path, old: str, new: str, fault: str) -> None:
    assert old in TEXT
    with pytest.raises(InputError, match=fault):
        _opened(tmp_path, TEXT.replace(old, new, 1))


def test_extremes_need_means_of_neighbouring_values() -> None:
    mechanism = PrivateFigures(_cube(_policy(None), [5] * 20))
    with pytest.raises(QueryRefused):
        mechanism.price(asking([MAXIMUM], [np.ones(1, np.bool_)], epsilon=NANO))


def test_quantiles_that_noise_cannot_be_put_on_are_refused() -> None:
    policy = _policy()
    huge = QueryMeasure("x", Decimal(0), Decimal(2**55), 0, tuple(Statistic))
    mechanism = PrivateFigures(_cube(QueryPolicy(**{
        field: getattr(policy, field) for field in ("name", "filters", "answers", "options")
    }, measures=(huge,)), [5] * 20))  # fmt: skip
    with pytest.raises(QueryRefused, match="larger numbers"):
        mechanism.price(asking([MEDIAN], [np.ones(1, np.bool_)], epsilon=NANO))
