"""A question as text and as JSON values is the same question when it is read again."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.queries.cubes import POLICY, cube_of, records
from tests.queries.language.questions import CONDITIONS, FROM

from tacita.errors import LedgerError, UsageError
from tacita.ledger.canonical import canonical as canonical_json
from tacita.queries.language.canonical import canonical_question
from tacita.queries.language.parse import parse_question
from tacita.queries.language.payload import question_from_payload, question_payload
from tacita.queries.language.text import question_text
from tacita.queries.policy.policy import FilterAttribute, QueryPolicy
from tacita.queries.question import AskedStatistic, Both, DataQuestion, Either, Except, Predicate, Selection, Statistic

CUBES = (cube_of(records(1)), cube_of(records(3, missing=False)))

FIGURES = st.lists(
    st.sampled_from(
        [
            "COUNT(*)",
            "COUNT(DISTINCT person)",
            "SUM(salary) AS total",
            "AVG(hours)",
            'VAR_POP(salary) AS "the ""var"""',
            "QUANTILE_CONT(salary, 0.125)",
            "MEDIAN(salary)",
            "SUM(debt) / SUM(salary)",
            "REGR_SLOPE(salary, grade)",
        ]
    ),
    min_size=1,
    unique=True,
)
GROUPS = st.lists(st.sampled_from(["sex", "year", "age", "grade", 'f."size class"']), unique=True)
GROUPINGS = st.sampled_from(["{}", "{}", "ROLLUP ({})", "cube ({})", "GROUPING SETS ({}, ())", "GROUPING SETS (({}))"])


@settings(max_examples=100)
@given(FIGURES, GROUPS, GROUPINGS, CONDITIONS, st.sampled_from(CUBES))
def test_a_question_that_is_written_and_read_is_the_same(
    figures: list[str], groups: list[str], grouping: str, condition: str, cube: Any
) -> None:
    by = f" GROUP BY {grouping.format(', '.join(groups))}" if groups else ""
    question = parse_question(f"SELECT {', '.join([*groups, *figures])} {FROM} WHERE {condition}{by}", cube)
    text = question_text(question, cube)
    assert parse_question(text, cube) == question
    assert question_text(parse_question(text, cube), cube) == text
    payload = question_payload(question)
    assert question_from_payload(json.loads(canonical_json(payload))) == question


def _selections(name: str) -> st.SearchStrategy[Predicate]:
    codes = st.integers(0, len(CUBES[0].attribute(name).labels) - 1)
    return st.builds(Selection, st.just(name), st.frozensets(codes))


PREDICATES: st.SearchStrategy[Predicate] = st.recursive(
    st.sampled_from([one.name for one in CUBES[0].attributes]).flatmap(_selections),
    lambda inner: st.one_of(
        st.builds(Except, inner),
        st.builds(Both, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Either, st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=8,
)


@settings(max_examples=100)
@given(PREDICATES)
def test_any_predicate_can_be_written_and_read(predicate: Predicate) -> None:
    question = DataQuestion((AskedStatistic(Statistic.COUNT),), predicate)
    assert question_from_payload(json.loads(json.dumps(question_payload(question)))) == question
    form = canonical_question(question, CUBES[0])
    assert parse_question(question_text(question, CUBES[0]), CUBES[0]) == form
    cells = form.predicate.cells(CUBES[0].codes, len(CUBES[0]))
    assert (cells == predicate.cells(CUBES[0].codes, len(CUBES[0]))).all()


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("NOT (age < 18.0 OR 4.5e1 <= age)", "WHERE age >= 18 AND age < 45"),
        ("age IS NULL OR age >= 62.5", "WHERE age >= 62.5 OR age IS NULL"),
        ("age <> 'below 18'", "WHERE age >= 18"),
        ("age < 18 OR age >= 30", "WHERE age < 18 OR age >= 30"),
        ("sex = 'men''s'", "WHERE sex = 'men''s'"),
        ("sex <> 'f'", "WHERE sex <> 'f'"),
        ("NOT sex IN ('f', 'm')", "WHERE sex IN ('men''s', 'not said')"),
        ("year > 2018.5 AND year < 2022", "WHERE year >= 2019 AND year <= 2021"),
        ("year IN (2018, 2020)", "WHERE year IN ('2018', '2020')"),
        ("sex IS NOT NULL", "WHERE sex IS NOT NULL"),
        ("FALSE", "WHERE FALSE"),
        ("sex = 'f' AND (age < 30 OR year = 2020)", "WHERE sex = 'f' AND (age < 30 OR year = '2020')"),
        ("sex = 'f' AND (age < 18 OR age >= 30)", "WHERE (age < 18 OR age >= 30) AND sex = 'f'"),
    ],
)
def test_texts_are_readable(condition: str, text: str) -> None:
    question = parse_question(f"SELECT COUNT(*) FROM emp WHERE {condition}", CUBES[0])
    assert question_text(question, CUBES[0]) == f"SELECT COUNT(*) FROM emp {text}"


def test_a_text_has_its_joins_names_and_groups() -> None:
    text = f'select median(e.salary) as mid, e.sex, f."size class" {FROM} group by 2, 3'
    assert question_text(parse_question(text, CUBES[0]), CUBES[0]) == (
        'SELECT sex, "size class", QUANTILE_CONT(salary, 0.5) AS mid FROM emp LEFT JOIN firms USING (firm)'
        ' GROUP BY sex, "size class"'
    )
    everything = DataQuestion((AskedStatistic(Statistic.COUNT),))
    assert question_text(everything, CUBES[0]) == "SELECT COUNT(*) FROM emp"


@settings(max_examples=50)
@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=6, unique=True), st.data())
def test_labels_of_any_characters_can_be_asked_for(labels: list[str], data: st.DataObject) -> None:
    cube = cube_of([{"a": label} for label in labels], QueryPolicy("t", (FilterAttribute("a"),)))
    codes = data.draw(st.frozensets(st.integers(0, len(labels) - 1)))
    question = canonical_question(DataQuestion((AskedStatistic(Statistic.COUNT),), Selection("a", codes)), cube)
    assert parse_question(question_text(question, cube), cube) == question


def test_thousands_of_labels_can_be_written() -> None:
    labels = tuple(f"v{place:05}" for place in range(2_400))
    policy = replace(
        POLICY, filters=(FilterAttribute("sex", values=labels), *POLICY.filters[:1]), regressors=(), joins=()
    )
    rows = [{**row, "sex": labels[0]} for row in records(1)]
    cube = cube_of(rows, policy)
    question = canonical_question(
        DataQuestion((AskedStatistic(Statistic.COUNT),), Selection("sex", frozenset(range(0, 2_400, 2)))), cube
    )
    text = question_text(question, cube)
    assert text.count("sex IN (") == 2
    assert len(text) < 20_000
    assert parse_question(text, cube) == question


def test_a_share_without_finite_decimals_is_not_written() -> None:
    question = DataQuestion((AskedStatistic(Statistic.QUANTILE, "salary", share=Fraction(1, 3)),))
    assert question_from_payload(question_payload(question)) == question
    with pytest.raises(UsageError, match="decimals"):
        question_text(question, CUBES[0])


QUESTION = DataQuestion(
    (AskedStatistic(Statistic.QUANTILE, "salary", share=Fraction(1, 8)),),
    Both((Selection("sex", frozenset({0, 2})), Either((Selection("age", frozenset({1})), Except(Both(())))))),
    ("sex",),
    ("q",),
)


def test_a_payload_is_plain() -> None:
    assert question_payload(QUESTION) == {
        "figures": [["quantile", "salary", "", "1/8"]],
        "where": {
            "both": [
                {"attribute": "sex", "codes": [0, 2]},
                {"either": [{"attribute": "age", "codes": [1]}, {"except": {"both": []}}]},
            ]
        },
        "groups": ["sex"],
        "labels": ["q"],
    }
    assert question_from_payload(question_payload(QUESTION)) == QUESTION


@pytest.mark.parametrize(
    "change",
    [
        {"figures": [["mode", "salary", "", "0"]]},
        {"figures": [["sum", "salary", ""]]},
        {"figures": [["quantile", "salary", "", "2/8"]]},
        {"figures": [["quantile", "salary", "", "1/0"]]},
        {"figures": [["quantile", "salary", "", "1e999999999"]]},
        {"figures": [["sum", 5, "", "0"]]},
        {"figures": None},
        {"where": {}},
        {"where": []},
        {"where": {"attribute": "sex", "codes": [1, 0]}},
        {"where": {"attribute": "sex", "codes": [-1]}},
        {"where": {"attribute": "sex", "codes": [True]}},
        {"where": {"attribute": "sex", "codes": [0.5]}},
        {"where": {"attribute": "sex", "codes": [0], "either": []}},
        {"where": {"both": "sex"}},
        {"groups": "sex"},
        {"labels": [1]},
        {"more": 1},
    ],
)
def test_a_payload_that_was_changed_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(LedgerError):
        question_from_payload(question_payload(QUESTION) | change)


def test_a_payload_that_is_nested_without_end_is_refused() -> None:
    where: dict[str, Any] = {"both": []}
    for _ in range(2_000):
        where = {"except": where}
    with pytest.raises(LedgerError):
        question_from_payload(question_payload(QUESTION) | {"where": where})
