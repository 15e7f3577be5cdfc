"""Budgets of private answers: whole numbers that nobody overspends, and that survive a restart."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as tc
from tacita.api.querying import Database, open_for_questions, parse_query_policy
from tacita.errors import QueryRefused
from tacita.queries.mechanism import NANO
from tacita.queries.noise import private

TOTAL, OWN = 10_000, 6_000
"""Of all analysts, and of one, in billionths."""
QUESTIONS = (
    "SELECT COUNT(*) FROM firms",
    "SELECT SUM(W) FROM firms",
    "SELECT AVG(W), COUNT(*) FROM firms",
    "SELECT COUNT(*) FROM firms GROUP BY Area",
    "SELECT COUNT(*) FROM firms WHERE Area = 'North'",
)


def _opened(folder: Path, currency: str = "epsilon", total: str = "0.00001", own: str = "0.000006") -> Path:
    text = f"""
name = "firms"
answers = "private"
[[filter]]
attribute = "Area"
values = ["North", "South", "Center", "Abroad"]
[[measure]]
attribute = "W"
lower = 0
upper = 1000
[private]
currency = "{currency}"
total = {total}
analyst = {own}
"""
    return open_for_questions(tc.sample("figure-1"), parse_query_policy(text), folder / "firms.opened").folder


@given(
    steps=st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, len(QUESTIONS) - 1), st.integers(1, 7_000)), max_size=8
    ),
    currency=st.sampled_from(["epsilon", "rho"]),
)
@settings(max_examples=4, deadline=None)
def test_nobody_overspends_and_a_restart_knows_it(steps: list[tuple[str, int, int]], currency: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        opened = _opened(Path(folder), currency)
        spent: dict[str, int] = {}
        answered: dict[int, int] = {}
        with Database(opened) as firms:
            for analyst, number, price in steps:
                left = min(OWN - spent.get(analyst, 0), TOTAL - sum(spent.values()))
                try:
                    answer = firms.sql(
                        QUESTIONS[number], analyst=analyst, epsilon=str(Fraction(price, NANO).__float__())
                    )
                except QueryRefused:
                    continue  # the price is too small for the figures
                cost = int(Fraction(answer.cost.get(currency, "0")) * NANO)
                # It is paid in full or refused; what was answered before at this price is free, also to others.
                if price <= answered.get(number, 0):
                    assert answer.is_repeated and cost == 0
                else:
                    assert (answer.status != "refused") == (price <= left)
                    assert cost == (price if price <= left else 0)
                answered[number] = max(answered.get(number, 0), cost)
                spent[analyst] = spent.get(analyst, 0) + cost
                assert spent[analyst] <= OWN and sum(spent.values()) <= TOTAL
                expected = min(OWN - spent[analyst], TOTAL - sum(spent.values()))
                assert Fraction(answer.left[currency]) == Fraction(expected, NANO)
            history = firms.history()
        with Database(opened) as again:
            assert again.history().answers == history.answers
            state = again._database.state
            assert state.spent[currency] == sum(spent.values())
            assert {who: state.spent_by(who)[currency] for who in spent} == spent


def test_whether_somebody_is_in_a_combination_does_not_decide_what_is_free(tmp_path: Path) -> None:
    """Nobody is abroad: 'North or abroad' has the records of 'North', and has to be paid for all the same."""
    with Database(_opened(tmp_path, total="10", own="10")) as firms:
        first = firms.sql("SELECT COUNT(*) FROM firms WHERE Area = 'North'", epsilon=1)
        probe = firms.sql("SELECT COUNT(*) FROM firms WHERE Area IN ('North', 'Abroad')", epsilon=1)
        assert not probe.is_repeated and probe.cost == {"epsilon": "1"}
        # The same predicate in other words is the same question.
        reworded = firms.sql("SELECT COUNT(*) FROM firms WHERE NOT (Area <> 'North')", epsilon=1)
    assert reworded.is_repeated and reworded.rows == first.rows


def test_noise_is_the_same_for_reworded_questions(tmp_path: Path) -> None:
    with Database(_opened(tmp_path, total="10", own="10")) as firms:
        first = firms.sql("SELECT SUM(W) FROM firms WHERE Area IN ('North', 'South')", epsilon=1, analyst="ann")
        for text in (
            "SELECT SUM(W) FROM firms WHERE Area = 'South' OR Area = 'North'",
            "select sum(w) from firms where not (area = 'Center' or area = 'Abroad' or area is null)",
        ):
            answer = firms.sql(text, epsilon=1, analyst="bob")
            assert answer.rows == first.rows and answer.cost == {}


def test_groups_that_nobody_is_in_have_noise(tmp_path: Path) -> None:
    with Database(_opened(tmp_path, total="10", own="10")) as firms:
        answer = firms.sql("SELECT COUNT(*) FROM firms GROUP BY Area", epsilon="0.02")
    assert {row.group[0] for row in answer.rows} >= {"North", "South", "Center", "Abroad"}
    assert all(figure.is_answered for row in answer.rows for figure in row.figures)


@pytest.mark.parametrize("price", ["0.0000000001", "0"])
def test_a_price_below_a_billionth_is_not_paid(tmp_path: Path, price: str) -> None:
    with Database(_opened(tmp_path)) as firms:
        with pytest.raises(tc.TacitaError):
            firms.sql(QUESTIONS[0], epsilon=price)
        assert firms.history().answers == ()


def test_a_figure_that_noise_leaves_without_a_value_is_paid_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That there may be nobody is told by noise, too: whoever asks until there is an average pays each time."""
    monkeypatch.setattr(private, "measurement_of", lambda *_: lambda values: values)  # a draw that says: nobody
    text = "SELECT AVG(W) FROM firms WHERE Area = 'Abroad'"
    with Database(_opened(tmp_path, total="0.25", own="0.25")) as firms:
        answers = [firms.sql(text, epsilon="0.1") for _ in range(4)]
    assert [answer.status for answer in answers] == ["refused"] * 4
    assert [answer.cost.get("epsilon", "0") for answer in answers] == ["0.1", "0.1", "0", "0"]
    with Database(tmp_path / "firms.opened") as firms:
        assert firms.history("holder").left == {"epsilon": "0.05"}


def test_nobody_spoils_a_question_for_others_by_paying_little(tmp_path: Path) -> None:
    with Database(_opened(tmp_path, total="10", own="10")) as firms:
        spoilt = firms.sql(QUESTIONS[0], epsilon="0.0001", analyst="mallory")
        price = firms.price(QUESTIONS[0], accuracy="5", analyst="ann")
        answer = firms.sql(QUESTIONS[0], accuracy="5", analyst="ann")
        assert not price.is_repeated and not answer.is_repeated and answer.cost == price.spent != {}
        assert answer.rows[0].figures[0].error == "5" and answer.rows != spoilt.rows
    with Database(tmp_path / "firms.opened") as firms:
        again = firms.sql(QUESTIONS[0], epsilon="0.0001", analyst="mallory")
        assert again.is_repeated and again.rows == answer.rows and again.cost == {}
