"""Figures, groups, joins and names; everything outside of the language is refused with the reason and a way."""

from __future__ import annotations

import inspect
import sys
from dataclasses import replace
from fractions import Fraction

import pytest
from tests.queries.cubes import POLICY, cube_of, records

from tacita.errors import QueryRefused, UsageError
from tacita.queries.language.parse import parse_question
from tacita.queries.language.words import DEEPEST
from tacita.queries.policy.policy import QueryPolicy
from tacita.queries.question import EVERYTHING, AskedStatistic, DataQuestion, Selection, Statistic

CUBE = cube_of(records(1))
WITHOUT_MISSING = cube_of(records(3, missing=False))
JOIN = "LEFT JOIN firms USING (firm)"


def refused(text: str) -> QueryRefused:
    with pytest.raises(QueryRefused) as refusal:
        parse_question(text, CUBE)
    assert refusal.value.do, "a refusal says what is allowed"
    return refusal.value


@pytest.mark.parametrize(
    ("figure", "aggregate"),
    [
        ("COUNT(*)", AskedStatistic(Statistic.COUNT)),
        ("count( * )", AskedStatistic(Statistic.COUNT)),
        ("COUNT(DISTINCT person)", AskedStatistic(Statistic.CONTRIBUTORS)),
        ("SUM(salary)", AskedStatistic(Statistic.SUM, "salary")),
        ("Avg(e.Salary)", AskedStatistic(Statistic.AVERAGE, "salary")),
        ("VARIANCE(salary)", AskedStatistic(Statistic.VARIANCE, "salary")),
        ("VAR_POP(salary)", AskedStatistic(Statistic.VARIANCE, "salary")),
        ("MIN(salary)", AskedStatistic(Statistic.MINIMUM, "salary")),
        ("(MAX(salary))", AskedStatistic(Statistic.MAXIMUM, "salary")),
        ("MEDIAN(salary)", AskedStatistic(Statistic.QUANTILE, "salary", share=Fraction(1, 2))),
        ("QUANTILE_CONT(salary, 0.1)", AskedStatistic(Statistic.QUANTILE, "salary", share=Fraction(1, 10))),
        ("PERCENTILE_CONT(salary, 5e-1)", AskedStatistic(Statistic.QUANTILE, "salary", share=Fraction(1, 2))),
        ("SUM(debt) / SUM(salary)", AskedStatistic(Statistic.RATIO, "debt", "salary")),
        ("REGR_SLOPE(salary, grade)", AskedStatistic(Statistic.SLOPE, "salary", "grade")),
        ("REGR_INTERCEPT(salary, e.grade)", AskedStatistic(Statistic.INTERCEPT, "salary", "grade")),
    ],
)
def test_figures(figure: str, aggregate: AskedStatistic) -> None:
    assert parse_question(f"SELECT {figure} FROM emp e", CUBE) == DataQuestion((aggregate,), EVERYTHING)
    named = parse_question(f'SELECT {figure} AS "a figure" FROM emp e;', CUBE)
    assert (named.aggregates, named.names) == ((aggregate,), ("a figure",))


def test_groups_by_name_and_by_place() -> None:
    texts = [
        f'SELECT sex, "size class", COUNT(*) FROM emp {JOIN} GROUP BY sex, "size class"',
        f'SELECT firms."SIZE CLASS", sex, COUNT(*) FROM emp {JOIN} GROUP BY 2, 1, sex',
        f'SELECT COUNT(*) FROM emp {JOIN} GROUP BY firms."size class", emp.sex',
    ]
    questions = {parse_question(text, CUBE) for text in texts}
    assert {question.groups for question in questions} == {("sex", "size class")}
    assert len(questions) == 1


def test_names_of_figures_that_say_nothing_new_are_no_names() -> None:
    plain = parse_question("SELECT COUNT(*), SUM(debt) FROM emp", CUBE)
    assert plain.labels == ()
    assert parse_question('SELECT COUNT(*) AS count, SUM(debt) AS "sum(debt)" FROM emp', CUBE) == plain
    assert parse_question("SELECT COUNT(*) AS n, SUM(debt) FROM emp", CUBE).labels == ("n", "sum(debt)")


@pytest.mark.parametrize(
    "join",
    [
        "LEFT JOIN firms USING (firm)",
        "LEFT OUTER JOIN firms AS f USING (FIRM)",
        "LEFT JOIN firms f ON e.firm = f.firm",
        "LEFT JOIN firms f ON (f.firm = e.firm)",
    ],
)
def test_declared_joins(join: str) -> None:
    question = parse_question(f"SELECT COUNT(*) FROM emp e {join} WHERE \"size class\" = 'small'", CUBE)
    assert question.predicate == Selection("size class", frozenset({1}))


def test_an_inner_join_is_read_only_if_it_drops_no_record() -> None:
    text = 'SELECT COUNT(*) FROM emp INNER JOIN firms USING (firm) GROUP BY "size class"'
    assert parse_question(text, WITHOUT_MISSING) == parse_question(text.replace("INNER", "LEFT"), WITHOUT_MISSING)
    assert "LEFT JOIN firms USING (firm)" in str(refused(text).do)
    # Codes decide, not records: whether any has no value may be a secret.
    cube = WITHOUT_MISSING
    labels = {one.name: (*one.labels, "") if one.name == "size class" else one.labels for one in cube.attributes}
    attributes = tuple(replace(one, labels=labels[one.name]) for one in cube.attributes)
    with pytest.raises(QueryRefused, match="LEFT JOIN firms"):
        parse_question(text, replace(cube, attributes=attributes))


@pytest.mark.parametrize(
    ("select", "near"),
    [
        ("*", "COUNT(*)"),
        ("emp.*", "COUNT(*)"),
        ("DISTINCT sex", "GROUP BY"),
        ("sex", "COUNT(*)"),
        ("sex, COUNT(*)", "GROUP BY sex"),
        ("COUNT(salary)", "COUNT(*)"),
        ("COUNT(DISTINCT sex)", "COUNT(DISTINCT person)"),
        ("SUM(DISTINCT debt)", "DISTINCT out"),
        ("VAR_SAMP(salary)", "VAR_POP"),
        ("STDDEV(salary)", "VAR_POP"),
        ("MEAN(salary)", "AVG"),
        ("QUANTILE_DISC(salary, 0.5)", "QUANTILE_CONT"),
        ("QUANTILE_CONT(salary, 0)", "MIN and MAX"),
        ("QUANTILE_CONT(salary, 1.5)", "0.25"),
        ("QUANTILE_CONT(salary, '0.5')", "0.25"),
        ("QUANTILE_CONT(salary)", "QUANTILE_CONT(measure, 0.5)"),
        ("PERCENTILE_CONT(0.5) WITHIN GROUP (x)", "QUANTILE_CONT"),
        ("SUM(salary) FILTER (WHERE sex = 'f')", "WHERE"),
        ("SUM(salary) OVER ()", "GROUP BY"),
        ("SUM(salary) + 1", "SUM(a) / SUM(b)"),
        ("SUM(salary) * 2", "SUM(a) / SUM(b)"),
        ("SUM(salary) / COUNT(*)", "SUM(a) / SUM(b)"),
        ("SUM(salary + debt)", "SUM(a) / SUM(b)"),
        ("SUM(salary * debt)", "name a measure"),
        ("-SUM(salary)", "before a number only"),
        ("CASE WHEN sex = 'f' THEN 1 END", "WHERE"),
        ("CAST(salary)", "name of the measure"),
        ("salary::INT", "number as 30"),
        ("ROUND(SUM(salary))", "COUNT, SUM"),
        ("SUMM(salary)", "COUNT, SUM"),
        ("REGR_SLOPE(salary, age)", "grade"),
        ("REGR_SLOPE(grade, salary)", "salary, debt"),
        ("MIN(debt)", "sum, avg"),
        ("SUM(debt) / SUM(hours)", "sum, avg"),
        ("SUM(age)", "salary, debt, hours"),
        ("SUM(salari)", "salary"),
        ("sex AS s, COUNT(*)", "without AS"),
        ("COUNT(*), COUNT(*)", "AS"),
        ("COUNT(*) n", "AS before"),
        ("COUNT(*) NULL", "AS before"),
        ("sex s, COUNT(*)", "AS before"),
        ("COUNT(*) AS, SUM(debt)", "AS and a name"),
        ("COUNT(*) AS 'n'", "AS and a name"),
        ("COUNT(*) AS n, SUM(debt) AS n", "AS"),
        ('COUNT(*) AS ""', "printable"),
        ("1", "COUNT(*)"),
        ("'a'", "COUNT(*)"),
        (", COUNT(*)", "between two things"),
        ("SUM(, salary)", "between two things"),
        ("?", "value itself"),
        ("$1", "value itself"),
        (":x", "value itself"),
    ],
)
def test_figures_outside_of_the_language(select: str, near: str) -> None:
    refusal = refused(f"SELECT {select} FROM emp")
    assert near in str(refusal.do), refusal
    assert refusal.where is not None
    assert refusal.where.startswith("line 1, column ")


@pytest.mark.parametrize(
    ("rest", "near"),
    [
        ("", "FROM emp"),
        ("FROM employees", "FROM emp"),
        ("FROM main.emp", "FROM"),
        ("FROM (SELECT 1)", "one SELECT"),
        ("FROM emp LEFT JOIN (SELECT 1)", "one SELECT"),
        ("FROM emp AS WHERE sex = 1", "AS and a name"),
        ("FROM emp LEFT firms USING (firm)", "LEFT JOIN"),
        ("FROM emp LEFT JOIN firms USING firm", "USING (key)"),
        ("FROM emp WHERE sex IN 'f'", "IN ("),
        ("FROM emp, firms", "LEFT JOIN firms USING (firm)"),
        ("FROM emp JOIN persons USING (firm)", "LEFT JOIN firms USING (firm)"),
        ("FROM emp LEFT JOIN firms USING (person)", "LEFT JOIN firms USING (firm)"),
        ("FROM emp LEFT JOIN firms USING (firm, person)", "LEFT JOIN firms USING (firm)"),
        ("FROM emp LEFT JOIN firms ON emp.firm = firms.firm AND TRUE", "LEFT JOIN firms USING (firm)"),
        ("FROM emp LEFT JOIN firms ON firm = firm", "LEFT JOIN firms USING (firm)"),
        ("FROM emp LEFT JOIN firms ON emp.firm = emp.firm", "LEFT JOIN firms USING (firm)"),
        ("FROM emp RIGHT JOIN firms USING (firm)", "LEFT JOIN"),
        ("FROM emp FULL JOIN firms USING (firm)", "LEFT JOIN"),
        ("FROM emp CROSS JOIN firms", "LEFT JOIN"),
        ("FROM emp NATURAL JOIN firms", "LEFT JOIN"),
        ("FROM emp LEFT JOIN firms", "LEFT JOIN firms USING (firm)"),
        (f"FROM emp {JOIN} {JOIN}", "once"),
        ("FROM emp e LEFT JOIN firms E USING (firm)", "once"),
        ("FROM emp WHERE \"size class\" = 'small'", "LEFT JOIN firms USING (firm)"),
        (f"FROM emp {JOIN} WHERE emp.\"size class\" = 'small'", 'firms."size class"'),
        (f"FROM emp {JOIN} WHERE firms.sex = 'f'", "emp.sex"),
        ("FROM emp e WHERE emp.sex = 'f'", "write one of: e"),
        ("FROM emp WHERE x.y.sex = 'f'", "SELECT figures"),
        ("FROM emp ORDER BY sex", "sort"),
        ("FROM emp ORDER\n BY 1", "sort"),
        ("FROM emp LIMIT 5", "cut the answer"),
        ("FROM emp GROUP BY sex HAVING COUNT(*) > 5", "WHERE"),
        ("FROM emp UNION SELECT COUNT(*) FROM emp", "OR"),
        ("FROM emp EXCEPT SELECT COUNT(*) FROM emp", "AND NOT"),
        ("FROM emp; DROP TABLE emp", "one question"),
        ("FROM emp;;", "one question"),
        ("FROM emp -- all", "comment"),
        ("FROM /* all */ emp", "comment"),
        ("FROM emp TABLESAMPLE 10", "policy"),
        ("FROM emp GROUP BY 1", "places in SELECT"),
        ("FROM emp GROUP BY 7", "places in SELECT"),
        ("FROM emp GROUP BY 1.0", "places in SELECT"),
        ("FROM emp GROUP BY salary", "age, sex, year"),
        ("FROM emp GROUP BY LOWER(sex)", "attributes"),
        ("FROM emp GROUP BY ALL", "age, sex, year"),
        ("FROM emp WHERE salary > 5", "age, sex, year"),
        ("FROM emp WHERE person = 'p1'", "age, sex, year"),
        ("FROM emp WHERE agee < 30", "age, sex, year"),
        ("FROM emp WHERE аge < 30", "age, sex, year"),
        ("FROM emp WHERE sex LIKE 'f%'", "IN"),
        ("FROM emp WHERE sex = 'F'", "'f'"),
        ("FROM emp WHERE sex = ''", "IS NULL"),
        ("FROM emp WHERE sex = NULL", "IS NULL"),
        ("FROM emp WHERE sex IN ('f', NULL)", "IS NULL"),
        ("FROM emp WHERE sex = TRUE", "label"),
        ("FROM emp WHERE sex IS TRUE", "IS NULL"),
        ("FROM emp WHERE sex", "attribute = 'a'"),
        ("FROM emp WHERE sex = age", "attribute = 'a'"),
        ("FROM emp WHERE 1 = 1", "compare an attribute"),
        ("FROM emp WHERE sex < 'm'", "IN ("),
        ("FROM emp WHERE sex = 5", "'f', 'm'"),
        ("FROM emp WHERE sex BETWEEN 'a' AND 'z'", "IN ("),
        ("FROM emp WHERE sex IN ()", "at least one"),
        ("FROM emp WHERE sex IN (, 'f')", "between two things"),
        ("FROM emp WHERE sex NOT IS NULL", "IS NOT NULL"),
        ("FROM emp WHERE year BETWEEN 2018 2020", "BETWEEN 1 AND 2"),
        ("FROM emp WHERE year BETWEEN", "BETWEEN 1 AND 2"),
        ("FROM emp WHERE sex NOT = 'f'", "NOT condition"),
        ("FROM emp WHERE sex IN ('f',)", "between two things"),
        ("FROM emp WHERE sex IN ('f',, 'm')", "between two things"),
        ("FROM emp GROUP BY sex,", "between two things"),
        ("FROM emp GROUP BY , sex", "between two things"),
        (", FROM emp", "between two things"),
        ("FROM emp WHERE sex IN (SELECT sex FROM emp)", "one SELECT"),
        ("FROM emp WHERE EXISTS (SELECT 1)", "one SELECT"),
        ("FROM emp WHERE sex = 'f' 'm'", "AND or OR"),
        ("FROM emp WHERE sex = 'f' sex", "AND or OR"),
        ("FROM emp NULL", "AND or OR"),
        ("FROM emp WHERE sex = 'f' || 'm'", "SELECT figures"),
        ("FROM emp WHERE sex == 'f'", "SELECT figures"),
        ("FROM emp WHERE UPPER(sex) = 'F'", "attribute itself"),
        ("FROM emp WHERE age + 1 < 30", "SUM(a) / SUM(b)"),
        ("FROM emp WHERE year = 1900", "'2018'"),
        ("FROM emp WHERE year < '2019'", "without quotation marks"),
        ("FROM emp WHERE age < 'thirty'", "age < 18"),
        ("FROM emp WHERE age < NaN", "attribute = 'a'"),
        ("FROM emp WHERE age < 'Infinity'", "age < 18"),
        ("FROM emp WHERE age < 1e999999999", "a hundred digits"),
        ("FROM emp WHERE year < 1e-101", "a hundred digits"),
        (f"FROM emp WHERE year < {'9' * 101}", "a hundred digits"),
        ("FROM emp WHERE year < 0x7E4", "AND or OR"),
        ("FROM emp WHERE year < 2_019", "AND or OR"),
        ("FROM emp WHERE age < - - 30", "before a number"),
        ("FROM emp WHERE NOT NOT NOT NOT NOT NOT age < 30", "NOT once"),
        ("FROM emp WHERE age < 30 XOR sex = 'f'", "AND or OR"),
        ("FROM emp WHERE sex = 'f", "close it"),
        ('FROM emp WHERE "sex = 1', "close it"),
        ("FROM emp WHERE", "SELECT figures"),
        ("FROM emp WHERE sex\u00a0= 'f'", "blanks"),
        ("FROM emp WHERE sex = \u200b'f'", "blanks"),
        ("FROM emp WHERE sex = 'f'\x00", "blanks"),
        ("FROM emp WHERE se\ud800x = 'f'", "blanks"),
        ("FROM emp WHERE sex = ‘f’", "attribute = 'a'"),
        ("FROM emp QUALIFY 1", "WHERE"),
        ("FROM emp WINDOW w AS ()", "GROUP BY"),
    ],
)
def test_questions_outside_of_the_language(rest: str, near: str) -> None:
    refusal = refused(f"SELECT COUNT(*) {rest}")
    assert near in str(refusal.do), refusal


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n ",
        ";",
        "DROP TABLE emp",
        "WITH a AS (SELECT 1) SELECT COUNT(*) FROM a",
        "INSERT INTO emp VALUES (1)",
        "PRAGMA x",
        "(SELECT COUNT(*) FROM emp)",
        "EXPLAIN SELECT COUNT(*) FROM emp",
        "SELECT",
        "FROM emp",
        "COPY emp TO 'x'",
    ],
)
def test_only_one_select_is_read(text: str) -> None:
    assert isinstance(refused(text), UsageError)


def test_a_refusal_says_where() -> None:
    assert refused("SELECT COUNT(*)\nFROM emp\r\nWHERE age < 31").where == "line 3, column 13"
    assert refused("SELECT COUNT(*) FROM emp WHERE sex = 'x'").where == "line 1, column 38"
    assert refused("SELECT COUNT(*) FROM emp WHERE sex = 'f' AND").where == "line 1, column 42"
    assert refused("SELECT COUNT(*) FROM emp LIMIT 3").where == "line 1, column 26"
    assert refused("SELECT COUNT(*) FROM emp WHERE sex = 'f").where == "line 1, column 38"


def test_the_nearest_declared_name_is_offered() -> None:
    assert "did you mean 'salary'?" in refused("SELECT SUM(salry) FROM emp").found
    assert "did you mean 'age'?" in refused("SELECT COUNT(*) FROM emp WHERE agge < 30").found
    assert "did you mean 'not said'?" in refused("SELECT COUNT(*) FROM emp WHERE sex = 'not sad'").found
    assert "U+0430" in refused("SELECT COUNT(*) FROM emp WHERE аge < 30").found
    assert "person" not in str(refused("SELECT COUNT(*) FROM emp WHERE persn = 1"))


def test_an_attribute_that_the_policy_does_not_declare_cannot_be_told_from_one_that_does_not_exist() -> None:
    texts = [str(refused(f"SELECT COUNT(*) FROM emp WHERE {name} = 1")) for name in ("person", "qwerty")]
    assert texts[0].replace("person", "qwerty") == texts[1]


def test_letters_that_only_look_alike_are_other_letters() -> None:
    policy = QueryPolicy("emp", (replace(POLICY.filters[0], name="Kind"),))
    cube = cube_of([{"Kind": 20}], policy)
    parse_question("SELECT COUNT(*) FROM emp WHERE kind < 30", cube)
    with pytest.raises(QueryRefused):
        parse_question("SELECT COUNT(*) FROM emp WHERE \u212aind < 30", cube)  # the sign of Kelvin


def test_names_that_are_words_elsewhere_are_names() -> None:
    names = ("date", "index", "case_", "final", "value", "left", "order", "group", 'a"b', "größe", "select", "top")
    policy = QueryPolicy("table", tuple(replace(POLICY.filters[1], name=name) for name in names))
    cube = cube_of([dict.fromkeys(names, "f"), dict.fromkeys(names, "m")], policy)
    for name in names:
        quoted = '"' + name.replace('"', '""') + '"'
        question = parse_question(f"SELECT COUNT(*) FROM table WHERE {quoted} = 'm' GROUP BY {quoted}", cube)
        assert (question.predicate, question.groups) == (Selection(name, frozenset({1})), (name,))
    parse_question("SELECT date, COUNT(*) FROM table WHERE index = 'f' AND größe = 'm' GROUP BY date", cube)


def test_hostile_sizes_are_refused() -> None:
    start = "SELECT COUNT(*) FROM emp WHERE "
    assert "20,000" in refused(start + " " * 20_000).found
    assert "parentheses" in refused(start + "(" * 9_900 + "age < 30" + ")" * 9_900).found
    assert "parentheses" in refused(start + "NOT (" * 3_900).found
    assert refused(start + "NOT " * 4_900)
    assert refused(start + "-" * 9_000 + "1 < age")
    assert refused(start + "age = NOT " * 1_900 + "1")
    assert refused("SELECT " + "SUM(" * 4_000)
    assert refused("SELECT " + "(" * 10_000 + ")" * 9_000)
    assert "500 comparisons" in refused(start + " OR ".join(["age < 30"] * 501)).found
    many = ", ".join(["'f'"] * 1_001)
    assert "1,000" in refused(f"{start} sex IN ({many})").found
    assert "100" in refused(f"SELECT {', '.join(f'COUNT(*) AS n{n}' for n in range(101))} FROM emp").found
    assert refused("SELECT COUNT(*) AS " + "a" * 61 + " FROM emp")


def test_the_largest_questions_are_read() -> None:
    start = "SELECT COUNT(*) FROM emp WHERE "
    deep = start + "(" * DEEPEST + "age < 30" + ")" * DEEPEST
    assert parse_question(deep, CUBE) == parse_question(start + "age < 30", CUBE)
    nested = "age < 30"
    for place in range(DEEPEST):
        nested = f"sex {'=' if place % 2 else '<>'} 'f' {'AND' if place % 3 else 'OR'} NOT ({nested})"
    parse_question(start + nested, CUBE)
    long = start + " OR ".join(["age < 30"] * 500)
    assert parse_question(long, CUBE) == parse_question(start + "age < 30", CUBE)
    alternating = start + " ".join(f"age < 30 {'AND' if n % 2 else 'OR'}" for n in range(499)) + " age < 30"
    assert parse_question(alternating, CUBE) == parse_question(start + "age < 30", CUBE)
    listed = ", ".join(["'f'"] * 1_000)
    assert parse_question(f"{start} sex IN ({listed})", CUBE) == parse_question(f"{start} sex = 'f'", CUBE)


def test_without_a_unit_only_records_are_counted() -> None:
    cube = cube_of(records(1), replace(POLICY, unit=()))
    with pytest.raises(QueryRefused) as refusal:
        parse_question("SELECT COUNT(DISTINCT person) FROM emp", cube)
    assert refusal.value.do == "write COUNT(*)"


def test_a_caller_that_is_deep_in_calls_gets_a_question_or_a_refusal() -> None:
    def called(depth: int) -> int:
        if depth:
            return called(depth - 1)
        try:
            return len(parse_question(f"SELECT COUNT(*) FROM emp WHERE {'(' * 20}age < 30{')' * 20}", CUBE).groups)
        except QueryRefused as refusal:
            assert "nested" in refusal.found or "cannot be read" in refusal.found
            return 1

    here = len(inspect.stack(0))
    results = [called(depth) for depth in range(100, sys.getrecursionlimit() - here - 120, 50)]
    assert results == sorted(results)
    assert set(results) == {0, 1}
