"""How figures are written: no more digits than they are worth, and nothing lost of what is promised."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tacita.queries.answer import AnswerRow, Figure, FigureStatus, QueryAnswer
from tacita.queries.figures import interval_texts, noisy_texts, rounded_error

NUMBERS = st.fractions(-(10**12), 10**12, max_denominator=10**6)


@given(value=NUMBERS, error=st.fractions(Fraction(1, 10**6), 10**9, max_denominator=10**6), drawn=st.fractions(-1, 1))
def test_the_error_covers_the_rounding(value: Fraction, error: Fraction, drawn: Fraction) -> None:
    text, error_text = noisy_texts(value, error, Fraction(0))
    true = value + drawn * error
    assert abs(Fraction(text) - true) <= Fraction(error_text)
    assert Fraction(error_text) <= error * Fraction(102, 100)
    assert len(error_text.lstrip("0.").rstrip("0").replace(".", "")) <= 3
    places = [len(one.partition(".")[2]) for one in (text, error_text)]
    assert places[0] <= max(places[1], 3) + 12 and Fraction(error_text) == rounded_error(error, Fraction(0))


@given(value=st.integers(-(10**9), 10**9), error=st.integers(1, 999))
def test_whole_numbers_with_small_errors_stay_as_they_are(value: int, error: int) -> None:
    assert noisy_texts(Fraction(value), Fraction(error), Fraction(1)) == (str(value), str(error))


@given(lower=NUMBERS, width=st.fractions(0, 10**12, max_denominator=10**6))
def test_ends_of_intervals_are_rounded_outwards(lower: Fraction, width: Fraction) -> None:
    upper = lower + width
    middle, low, high = map(Fraction, interval_texts(lower, upper))
    assert low <= lower <= upper <= high
    assert low <= middle <= high
    for text, end in zip(interval_texts(lower, upper)[1:], (lower, upper), strict=True):
        assert len(text.lstrip("-0.").replace(".", "").rstrip("0")) <= 8
        assert abs(Fraction(text) - end) <= abs(end) * Fraction(1, 10**7)


def test_columns_of_one_name_are_numbered() -> None:
    noisy = Figure(FigureStatus.NOISY, "3", error="1")
    row = AnswerRow(("a",), (noisy, Figure(FigureStatus.EXACT, "7"), Figure(FigureStatus.EXACT, "9")))
    answer = QueryAnswer("b", 1, "", ("n status",), ("n", "n error", "n status"), (row,))
    assert answer.to_arrow().to_pylist() == [
        {"n status": "a", "n": 3.0, "n status 2": "noisy", "n error": 1.0, "n error 2": 7.0, "n status 3": 9.0}
    ]
