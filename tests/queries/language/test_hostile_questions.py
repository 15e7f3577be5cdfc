"""Whatever is asked is a question or is refused; what is read means what DuckDB takes it for."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.queries.language.questions import CONDITIONS, FROM
from tests.queries.language.test_conditions import SEEDS, data, selected

from tacita.errors import QueryRefused
from tacita.queries.language.parse import parse_question
from tacita.queries.language.text import question_text
from tacita.queries.question import AskedStatistic, Statistic

PLAIN_WORDS = (
    "SELECT FROM WHERE AND OR NOT IN BETWEEN IS NULL JOIN LEFT USING ON GROUP BY AS DISTINCT TRUE FALSE ORDER HAVING "
    "LIMIT UNION WITH CASE WHEN OVER FILTER WITHIN COUNT SUM AVG QUANTILE_CONT REGR_SLOPE emp firms age sex year "
    "salary grade person 'f' 'm' '' 30 18 2020 0.5 -1 1e5 NaN * / - + ( ) , . ; = <> < <= > >= :: || ? $1 :x @a -- /* "
    "*/ \" ' ` { } [ ] # % ^ & ~ ! \\ ANY ALL IF INTERVAL DATE ARRAY STRUCT LATERAL PIVOT TOP CAST"
)
WORDS = [*PLAIN_WORDS.split(), "\n", "\t", "\x00", "\u00a0", "\u200b", "\u0430ge", ""]
BASES = (
    "SELECT sex, COUNT(*) AS n, SUM(salary) / SUM(debt) FROM emp WHERE age >= 30 AND sex IN ('f', 'm') GROUP BY sex",
    f"SELECT QUANTILE_CONT(salary, 0.25), REGR_SLOPE(salary, grade) {FROM} WHERE NOT (year BETWEEN 2019 AND 2021)",
    "SELECT COUNT(*) FROM emp WHERE sex = 'f' OR year <= 2020 AND NOT age < 45 OR sex IS NULL",
)


def read(text: str) -> bool:
    """Return whether a text is a question; it is one, or it is refused with a way out, and nothing else happens."""
    cube, _, _ = data(1)
    try:
        question = parse_question(text, cube)
    except QueryRefused as refusal:
        assert refusal.do
        assert refusal.__cause__ is None
        return False
    assert parse_question(question_text(question, cube), cube) == question
    return True


@settings(max_examples=100)
@given(st.one_of(st.text(max_size=60), st.binary(max_size=60).map(lambda some: some.decode("latin-1"))))
def test_random_text_is_refused(text: str) -> None:
    assert not read(text)
    read("SELECT COUNT(*) FROM emp WHERE " + text)
    read("SELECT " + text + " FROM emp")


@settings(max_examples=100)
@given(st.lists(st.sampled_from(WORDS), max_size=12), st.sampled_from(["SELECT ", "SELECT COUNT(*) FROM emp ", ""]))
def test_random_words_are_read_or_refused(words: list[str], start: str) -> None:
    read(start + " ".join(words))


@settings(max_examples=100)
@given(
    st.sampled_from(BASES),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 3), st.sampled_from(WORDS)), max_size=3),
)
def test_changed_questions_are_read_or_refused(base: str, changes: list[tuple[int, int, str]]) -> None:
    assert read(base)
    text = base
    for place, length, word in changes:
        text = text[:place] + word + text[place + length :]
    read(text)


TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|[\w.]+|[<>=!]+|\S")
SMALL = (
    "NOT",
    "AND",
    "OR",
    "(",
    ")",
    "=",
    "<>",
    "<",
    ">=",
    "IN",
    "'f'",
    "30",
    "2020",
    "sex",
    "age",
    "year",
    "IS",
    "NULL",
)
CHANGES = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from(["drop", "swap", "put", "replace"]), st.sampled_from(SMALL)),
    min_size=1,
    max_size=3,
)


def changed(text: str, changes: list[tuple[int, str, str]]) -> str:
    """Return a text with some of its words dropped, swapped, added or replaced."""
    words: list[str] = TOKEN.findall(text)
    for number, kind, word in changes:
        place = number % max(len(words), 1)
        here = words[place : place + 2]
        new = {"drop": here[1:], "swap": here[::-1], "put": [word, *here], "replace": [word, *here[1:]]}[kind]
        words[place : place + 2] = new
    return " ".join(words)


@settings(max_examples=150)
@given(CONDITIONS, CHANGES)
def test_a_changed_condition_that_is_read_means_what_duckdb_takes_it_for(
    condition: str, changes: list[tuple[int, str, str]]
) -> None:
    text = changed(condition, changes)
    text = f"SELECT COUNT(*) {FROM} WHERE {text}"
    if not read(text):
        return
    cube, rows, engine = data(min(SEEDS))
    question = parse_question(text, cube)
    if question.aggregates != (AskedStatistic(Statistic.COUNT),) or question.groups:
        return
    counted = engine.execute(text).fetchone()  # what the language reads, DuckDB reads
    assert counted == (len(selected(question.predicate, cube, rows)),)


@settings(max_examples=150)
@given(st.sampled_from(BASES), CHANGES)
def test_a_changed_question_that_is_read_is_sql(base: str, changes: list[tuple[int, str, str]]) -> None:
    text = changed(base, changes)
    if read(text):
        _, _, engine = data(min(SEEDS))
        engine.execute(text)
