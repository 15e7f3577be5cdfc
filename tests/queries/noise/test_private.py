"""Differential privacy: certified by draws on neighbouring data sets, by opendp's accounting, and by its promises."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.long import LONG
from tests.queries.noise.certified import certified_epsilon
from tests.queries.noise.questions import AVERAGE, COUNT, LARGEST, SUM, asking, cube_with, private_policy

import tacita as tc
from tacita.api.querying import Database, open_for_questions, parse_query_policy
from tacita.errors import QueryRefused
from tacita.queries.answer import FigureStatus
from tacita.queries.cube.cube import Cube
from tacita.queries.mechanism import NANO
from tacita.queries.noise import measurements, private
from tacita.queries.noise.measurements import budget_of
from tacita.queries.noise.parts import PEOPLE, SummedParts
from tacita.queries.noise.private import PrivateFigures
from tacita.queries.noise.quantiles import chosen_quantile
from tacita.queries.question import AskedStatistic, Statistic

CLAIM = 0.5
DRAWS = 3_000
ALPHA = 1e-6
PEOPLE_COUNT = AskedStatistic(Statistic.CONTRIBUTORS)
MEDIAN = AskedStatistic(Statistic.QUANTILE, "x", share=Fraction(1, 2))


def _drawn(cube: Cube, one: AskedStatistic, draws: int = DRAWS) -> NDArray[np.float64]:
    """Return figures of one question, drawn again and again."""
    mechanism, everything = PrivateFigures(cube), np.ones(len(cube), np.bool_)
    if one.statistic is Statistic.QUANTILE:
        wanted = asking([one], [everything], epsilon=int(CLAIM * NANO))
        price = mechanism.price(wanted)
        rows = [mechanism.figures(wanted, price)[0] for _ in range(draws)]
    else:
        wanted = asking([one], [everything] * draws, epsilon=int(CLAIM * NANO))
        rows = list(mechanism.figures(wanted, mechanism.price(wanted)))
    return np.array([float(figure.value) if figure.value is not None else -1e9 for (figure,) in rows])


def _neighbours(records: int = 1) -> tuple[Cube, Cube]:
    """Return a data set, and the same with one more person, who has the largest values."""
    policy = private_policy(records=records)
    values = [(17 * place) % LARGEST for place in range(60)]
    who = [f"p{place}" for place in range(60)]
    more = cube_with(policy, [*values, *[LARGEST] * records], who=[*who, *["new"] * records])
    return cube_with(policy, values, who=who), more


@pytest.mark.parametrize(
    ("one", "records"), [(COUNT, 1), (COUNT, 3), (PEOPLE_COUNT, 2), (SUM, 1), (SUM, 3), (AVERAGE, 1)]
)
def test_draws_certify_no_more_than_the_claim(one: AskedStatistic, records: int) -> None:
    epsilon = certified_epsilon(*(_drawn(cube, one) for cube in _neighbours(records)), alpha=ALPHA)
    assert epsilon <= CLAIM
    # The draws say something: a claim of 0.1 would be refuted, unless it is shared by two sums or by three records.
    assert epsilon >= 0.1 or one is AVERAGE or one is PEOPLE_COUNT


def test_draws_of_a_median_certify_no_more_than_the_claim() -> None:
    less, more = _neighbours()
    assert certified_epsilon(_drawn(less, MEDIAN, 800), _drawn(more, MEDIAN, 800), alpha=ALPHA) <= CLAIM


def test_half_of_the_scale_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurements, "budget_of", lambda share: 2 * budget_of(share))
    for one in (COUNT, SUM):
        assert certified_epsilon(*(_drawn(cube, one) for cube in _neighbours()), alpha=ALPHA) > CLAIM


@pytest.mark.long
def test_many_draws_certify_nearly_the_claim() -> None:
    less, more = _neighbours()
    many, least = (2_000_000, 0.489) if LONG else (20_000, 0.4)

    def certified(part: tuple[str, int], totals: tuple[int, int], share: int, draws: int) -> float:
        measurement = PrivateFigures(less)._measurement(part, share)
        one, other = (np.asarray(measurement([total] * draws), np.float64) for total in totals)
        return certified_epsilon(one, other, alpha=0.02, thresholds=3, spread=0.1)

    sums = int(less.sums["x"].sum()), int(more.sums["x"].sum())
    for part, totals in ((("", 1), (less.records, more.records)), (("x", 1), sums)):
        epsilon = certified(part, totals, int(CLAIM * NANO), many)
        assert least <= epsilon <= CLAIM, part
        assert certified(part, totals, NANO, 20_000) > CLAIM  # half of the scale


@pytest.mark.parametrize("currency", ["epsilon", "rho"])
@given(share=st.integers(1_000, 20 * NANO), records=st.integers(1, 7), part=st.sampled_from(["", "x", "xx", PEOPLE]))
@settings(max_examples=15)
def test_opendp_accounts_for_no_more_than_is_paid(currency: str, share: int, records: int, part: str) -> None:
    mechanism = PrivateFigures(cube_with(private_policy(currency, records), [1, 2, 3]))
    key = (part[:1] if part != PEOPLE else PEOPLE, 2 if part == "xx" else 1)
    largest = {"": 1, PEOPLE: 1, "x": LARGEST, "xx": LARGEST**2}[part] * records
    measurement = mechanism._measurement(key, share)
    cost = measurement.map(largest if currency == "epsilon" else float(largest))
    assert Fraction(cost) <= Fraction(share, NANO)
    assert cost >= share / NANO * (1 - 1e-9)  # and nothing that is paid is wasted


def test_a_question_costs_what_its_sums_and_groups_cost_together() -> None:
    cube = cube_with(private_policy(), [5] * 40, ["a", "b"] * 20)
    mechanism, masks = PrivateFigures(cube), [cube.codes["c"] == code for code in (0, 1)]
    measurements: list[int] = []
    real = mechanism._measurement
    mechanism._measurement = lambda part, share: (measurements.append(share), real(part, share))[1]  # type: ignore[method-assign]
    variance = AskedStatistic(Statistic.VARIANCE, "x")
    wanted = asking([AVERAGE, COUNT, SUM, variance], masks, epsilon=NANO)
    mechanism.figures(wanted, mechanism.price(wanted))
    # A count, a sum and a sum of squares: each once, for both groups together, which no person is both in.
    assert measurements == [NANO // 3] * 3
    assert sum(measurements) <= NANO


def test_gaussian_noise_has_the_deviation_of_its_price() -> None:
    cube = cube_with(private_policy("rho", 2), [5] * 40)
    mechanism = PrivateFigures(cube)
    noise = np.asarray(mechanism._measurement(("", 1), NANO // 50)([0] * 4_000))
    # rho = sensitivity^2 / (2 sigma^2): sigma is 10. That of 4,000 draws is within 6 % of it but for one time in 10^7.
    assert abs(float(noise.std()) / 10.0 - 1) < 0.06
    assert abs(float(noise.mean())) < 6 * 10 / 4_000**0.5


@pytest.mark.parametrize("currency", ["epsilon", "rho"])
@given(accuracy=st.fractions(1, 5_000, max_denominator=7))
@example(accuracy=Fraction(1249))
@settings(max_examples=15)
def test_the_price_of_an_accuracy_buys_it(currency: str, accuracy: Fraction) -> None:
    mechanism = PrivateFigures(cube_with(private_policy(currency), [5] * 40))
    everything = np.ones(1, np.bool_)
    for one in (COUNT, SUM):
        priced = mechanism.price(asking([one], [everything], accuracy=accuracy))
        (cost,) = priced.spent.values()
        assert Fraction(priced.errors[0]) <= accuracy
        # A hundredth less would be worth less: nothing is paid for nothing, but what is lost to whole digits.
        cheaper = mechanism.price(asking([one], [everything], epsilon=max(int(cost * 0.97), 1_000)))
        assert accuracy < 60 or cost <= 1_031 or Fraction(cheaper.errors[0]) > accuracy * Fraction(98, 100)
        (figure,) = mechanism.figures(asking([one], [everything], accuracy=accuracy), priced)[0]
        assert figure.error == priced.errors[0]


@pytest.mark.parametrize(
    "one", [COUNT, SUM, AVERAGE, AskedStatistic(Statistic.VARIANCE, "x"), AskedStatistic(Statistic.RATIO, "x", "y")]
)
@pytest.mark.parametrize("currency", ["epsilon", "rho"])
def test_the_true_figure_is_within_the_error_as_often_as_is_said(one: AskedStatistic, currency: str) -> None:
    values = [(37 * place) % LARGEST for place in range(400)]
    cube = cube_with(private_policy(currency), values)
    others = [LARGEST - value // 2 for value in values]
    true = {
        Statistic.COUNT: len(values),
        Statistic.SUM: sum(values),
        Statistic.AVERAGE: float(np.mean(values)),
        Statistic.VARIANCE: float(np.var(values)),
        Statistic.RATIO: sum(values) / sum(others),
    }[one.statistic]
    mechanism, draws = PrivateFigures(cube), 600
    wanted = asking([one], [np.ones(1, np.bool_)] * draws, epsilon=NANO // 4)
    figures = [row[0] for row in mechanism.figures(wanted, mechanism.price(wanted))]
    inside = sum(abs(float(figure.value or 0) - true) <= float(figure.error or 0) + 1e-9 for figure in figures)
    # 600 figures of which 95 % are inside: fewer than 535 of them one time in 10^9.
    assert inside >= 535


def test_empty_groups_have_noise_as_well() -> None:
    cube = cube_with(private_policy(), [5] * 40)
    mechanism = PrivateFigures(cube)
    wanted = asking([COUNT, SUM], [np.zeros(1, np.bool_)] * 50, epsilon=NANO // 10)
    rows = mechanism.figures(wanted, mechanism.price(wanted))
    assert all(figure.status is FigureStatus.NOISY for row in rows for figure in row)
    assert len({row[0].value for row in rows}) > 5 and len({row[1].value for row in rows}) > 5


def test_what_is_refused_does_not_depend_on_the_data() -> None:
    """Sums are cut off where noise cannot be put on, and a figure near that is not answered."""
    mechanism = PrivateFigures(cube_with(private_policy(), [5] * 40))
    (drawn,) = mechanism._drawn(("x", 1), [mechanism._parts.true(("x", 1), np.ones(1, np.bool_))], NANO)
    assert abs(drawn - 200) < 10_000
    huge: Any = private.NoisySum(2**61, 1, 1)
    assert not private._written(Fraction(2**61), Fraction(1), Fraction(1), [huge]).is_answered
    with pytest.raises(QueryRefused, match="beyond every figure"):
        mechanism.price(asking([COUNT], [np.ones(1, np.bool_)], accuracy=Fraction(2**64)))
    with pytest.raises(QueryRefused, match="below the last decimal"):
        mechanism.price(asking([COUNT], [np.ones(1, np.bool_)], accuracy=Fraction(1, 2)))


def _opened(folder: Path, text: str, rows: list[str]) -> Database:
    (folder / "p.csv").write_text("\n".join(rows) + "\n")
    policy = parse_query_policy(text)
    return Database(open_for_questions(tc.read(str(folder / "p.csv")), policy, folder / "p.opened").folder)


TOTALS = """
name = "p"
answers = "private"
[[filter]]
attribute = "area"
values = ["n", "s"]
[[filter]]
attribute = "size"
values = ["1", "2", "3"]
missing = "refuse"
[[measure]]
attribute = "x"
lower = 0
upper = 100
statistics = ["sum", "avg", "quantile"]
[private]
total = 100
"""


@pytest.mark.parametrize("by", ["ROLLUP (area, size)", "CUBE (area, size)", "GROUPING SETS ((area), (size))"])
def test_private_totals_are_the_sums_of_their_groups(tmp_path: Path, by: str) -> None:
    rows = ["area,size,x", *(f"{'ns'[n % 2]},{1 + n % 3},{n % 100}" for n in range(90))]
    with _opened(tmp_path, TOTALS, rows) as database:
        answer = database.sql(f"SELECT COUNT(*), SUM(x), AVG(x) FROM p GROUP BY {by}", epsilon="0.4")
        quoted = database.price(f"SELECT COUNT(*) FROM p WHERE area = 'n' GROUP BY {by}", epsilon=1)
        with pytest.raises(QueryRefused, match="without totals"):
            database.price(f"SELECT COUNT(*) FROM p GROUP BY {by}", accuracy=20)
    assert quoted.errors == (None,) and answer.cost == {"epsilon": "0.4"}
    for place in (0, 1):
        values = {row.group: int(row.figures[place].value or -1) for row in answer.rows}
        assert min(values.values()) >= 0
        one_way = [
            sum(value for group, value in values.items() if (group[0] is None, group[1] is None) == (first, second))
            for first, second in ((False, False), (False, True), (True, False), (True, True))
        ]
        assert len(set(one_way) - {0}) == 1  # each grouping set adds up to the same total
    for row in answer.rows:
        count, total, mean = row.figures
        if mean.is_answered:
            expected = min(max(float(total.value or 0) / float(count.value or 0), 0), 100)
            assert abs(float(mean.value or 0) - expected) <= float(mean.error or 0) / 100 + 1


def test_each_grouping_set_has_its_share_of_the_price(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shares: list[int] = []
    real = private.measurement_of
    monkeypatch.setattr(private, "measurement_of", lambda *how: (shares.append(how[-1]), real(*how))[1])
    rows = ["area,size,x", *(f"{'ns'[n % 2]},{1 + n % 3},{n % 100}" for n in range(90))]
    with _opened(tmp_path, TOTALS, rows) as database:
        database.sql("SELECT AVG(x), MEDIAN(x) FROM p GROUP BY ROLLUP (area, size)", epsilon=9)
    # A count and a sum in three grouping sets, and three medians.
    assert shares == [NANO] * 6


def test_whether_a_join_lacks_rows_is_not_told(tmp_path: Path) -> None:
    (tmp_path / "regions.csv").write_text("area,region\nn,A\ns,A\n")
    text = (
        TOTALS
        + f"""
[[join]]
name = "regions"
file = "{tmp_path / "regions.csv"}"
key = "area"
[[filter]]
attribute = "region"
values = ["A"]
join = "regions"
"""
    )
    refusals = []
    for number, last in enumerate(("n", "elsewhere")):
        folder = tmp_path / str(number)
        folder.mkdir()
        rows = ["area,size,x", *(f"{'ns'[n % 2]},1,5" for n in range(30)), f"{last},1,5"]
        values = text.replace('values = ["n", "s"]', 'values = ["n", "s", "elsewhere"]')
        with _opened(folder, values, rows) as database, pytest.raises(QueryRefused) as refused:
            database.price("SELECT COUNT(*) FROM p JOIN regions USING (area) GROUP BY region", epsilon=1)
        refusals.append(str(refused.value))
    assert refusals[0] == refusals[1]


def test_a_median_of_each_group_is_paid_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A person with a record in each of two groups: what both medians tell together is within the claim."""
    policy = private_policy(records=2)
    values, cells, who = [0] * 4 + [LARGEST] * 4, ["a", "b"] * 4, [f"p{place}" for place in range(8)]
    less = cube_with(policy, values, cells, who)
    more = cube_with(policy, [*values, LARGEST, LARGEST], [*cells, "a", "b"], [*who, "new", "new"])

    def drawn(cube: Cube, factor: int) -> NDArray[np.float64]:
        mechanism = PrivateFigures(cube)
        masks = [cube.codes["c"] == code for code in (0, 1)]
        wanted = asking([MEDIAN], masks, epsilon=int(CLAIM * NANO) * factor)
        price = mechanism.price(wanted)
        rows = [mechanism.figures(wanted, price) for _ in range(250)]
        return np.array([sum(float(figure.value or 0) for (figure,) in row) for row in rows])

    assert certified_epsilon(drawn(less, 1), drawn(more, 1), alpha=ALPHA) <= CLAIM
    assert certified_epsilon(drawn(less, 200), drawn(more, 200), alpha=ALPHA) > CLAIM


def test_the_error_of_a_quantile_is_said_in_ranks_and_holds(tmp_path: Path) -> None:
    rows = ["area,size,x", *(f"n,1,{n % 100}" for n in range(900))]
    with _opened(tmp_path, TOTALS, rows) as database:
        answers = [database.sql("SELECT MEDIAN(x) FROM p", epsilon="0.05") for _ in range(2)]
        assert [one.is_repeated for one in answers] == [False, True] and "in ranks" in answers[0].guarantee
        # 2 / 0.05 times the logarithms of 101 candidates and of 20, halved, since a rank is two points of the score.
        assert all("at most 153 records lie between" in one.guarantee for one in answers)
        assert "lie between" not in database.sql("SELECT COUNT(*) FROM p", epsilon=1).guarantee
        cube = database._database.version.cube
    median = AskedStatistic(Statistic.QUANTILE, "x", share=Fraction(1, 2))
    cells, share = np.ones(len(cube), np.bool_), NANO // 20
    drawn = [chosen_quantile(median, cells, cube, SummedParts(cube), "epsilon", share) for _ in range(300)]
    between = [abs(9 * int(one.value or 0) - 450) for one in drawn]
    assert np.mean(np.array(between) <= 153 + 9) >= 0.95 and max(between) > 9
