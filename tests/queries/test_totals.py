"""Totals beside groups: ROLLUP, CUBE and GROUPING SETS, judged as one request and told apart from labels."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.queries.cubes import cube_of, records

import tacita as tc
from tacita.api.querying import Database, QueryAnswer
from tacita.errors import QueryRefused
from tacita.queries.language.parse import parse_question
from tacita.queries.question import ALL
from tacita.views.queries import label_text

CUBE = cube_of(records(1))


@pytest.fixture
def staff(here: Path) -> Iterator[Database]:
    policy = (here / "policy.toml").read_text().replace("]\n[[", ']\nmissing = "refuse"\n[[')
    (here / "policy.toml").write_text(policy)
    tc.open_for_questions(tc.read("staff.csv"), "policy.toml", "staff.opened")
    with Database("staff.opened") as database:
        yield database


def _values(answer: QueryAnswer, place: int = 0) -> dict[tuple[str | None, ...], str | None]:
    return {row.group: row.figures[place].value for row in answer.rows}


@pytest.mark.parametrize(
    ("by", "levels"),
    [
        ("ROLLUP (sex, year)", (("sex", "year"), ("sex",), ())),
        ("rollup ((year, sex), age)", (("age", "sex", "year"), ("sex", "year"), ())),
        ("CUBE (year, sex)", (("sex", "year"), ("sex",), ("year",), ())),
        ("sex, ROLLUP (year)", (("sex", "year"), ("sex",))),
        ("GROUPING SETS ((sex), year)", (("sex",), ("year",))),
        ("GROUPING SETS ((sex, year), (sex), ())", (("sex", "year"), ("sex",), ())),
        ("GROUPING SETS ((year, sex))", ()),
    ],
)
def test_grouping_sets_are_those_of_sql(by: str, levels: tuple[tuple[str, ...], ...]) -> None:
    assert parse_question(f"SELECT COUNT(*) FROM emp GROUP BY {by}", CUBE).levels == levels


@pytest.mark.parametrize(
    "by",
    [
        "ROLLUP (sex, sex)",
        "ROLLUP (sex), CUBE (sex)",
        "ROLLUP ()",
        "ROLLUP (())",
        "GROUPING SETS (ROLLUP (sex))",
        "sex WITH ROLLUP",
        "CUBE (sex, year, age, grade, sex, sex, sex)",
        "CUBE (sex), CUBE (year), CUBE (age), CUBE (grade), ROLLUP (sex, year, age)",
        "ROLLUP (salary)",
        "ROLLUP (COUNT(*))",
        "()",
    ],
)
def test_other_groupings_are_refused(by: str) -> None:
    with pytest.raises(QueryRefused):
        parse_question(f"SELECT COUNT(*) FROM emp GROUP BY {by}", CUBE)


def test_every_group_of_every_set_has_its_cells() -> None:
    question = parse_question("SELECT COUNT(*) FROM emp GROUP BY CUBE (sex, year)", CUBE)
    groups = dict(CUBE.grouped(question))
    assert int(CUBE.n[groups[ALL, ALL]].sum()) == CUBE.records
    sexes, years = len(CUBE.attribute("sex").labels), len(CUBE.attribute("year").labels)
    assert len(groups) == (sexes + 1) * (years + 1)
    for sex in range(sexes):
        parts = sum(int(CUBE.n[groups[sex, year]].sum()) for year in range(years))
        assert parts == int(CUBE.n[groups[sex, ALL]].sum())


def test_exact_totals_are_the_sums_of_their_groups(staff: Database) -> None:
    answer = staff.sql("SELECT COUNT(*), SUM(salary) FROM staff GROUP BY ROLLUP (department, sex)")
    assert answer.status == "answered"
    for place in (0, 1):
        values = _values(answer, place)
        for department in ("Management", "Sales", "Works"):
            parts = sum(int(values[department, sex] or 0) for sex in "fm")
            assert parts == int(values[department, None] or 0) > 0
        assert int(values[None, None] or 0) == sum(
            int(values[one, None] or 0) for one in ("Management", "Sales", "Works")
        )
    again = staff.sql(
        "SELECT COUNT(*), SUM(salary) FROM staff GROUP BY GROUPING SETS ((), (sex, department), (department))"
    )
    assert again.is_repeated and again.rows == answer.rows
    assert staff.history().answers[0][1].rows == answer.rows


def test_a_group_that_is_refused_does_not_follow_from_its_total(here: Path) -> None:
    """One woman works there: neither her salary is told, nor what is left when that of the men is taken off."""
    text = (here / "staff.csv").read_text().replace("p1,Management,m", "p1,Management,f")
    rows = [
        line if not line.startswith(("p3,", "p5,", "p7,")) else line.replace(",m,", ",f,") for line in text.splitlines()
    ]
    rows[1] = rows[1].replace(",f,", ",m,")
    (here / "staff.csv").write_text("\n".join(rows) + "\n")
    tc.open_for_questions(tc.read("staff.csv"), "policy.toml", "staff.opened")
    with Database("staff.opened") as database:
        answer = database.sql("SELECT SUM(salary) FROM staff GROUP BY ROLLUP (department, sex)")
        values = _values(answer)
        assert answer.status == "partly" and values["Management", "m"] is None
        assert None in (values["Management", "f"], values["Management", None])
        # Nor from all departments together and the two others.
        others = [values[None, None], values["Sales", None], values["Works", None], values["Management", "f"]]
        assert None in others or None in (values["Sales", "f"], values["Sales", "m"])


def test_a_total_is_not_confused_with_a_label(here: Path) -> None:
    """Some departments are called as totals are, and some have no name."""
    names = ["(all)", "all", "", "None"]
    rows = [f"p{n},{names[n % 4]},f,{n}" for n in range(40)]
    (here / "staff.csv").write_text("person,department,sex,salary\n" + "\n".join(rows) + "\n")
    policy = (here / "policy.toml").read_text().replace('values = ["Management", "Sales", "Works"]\n', "")
    (here / "policy.toml").write_text(policy)
    tc.open_for_questions(tc.read("staff.csv", types={"department": "text"}), "policy.toml", "staff.opened")
    with Database("staff.opened") as database:
        answer = database.sql("SELECT COUNT(*) FROM staff GROUP BY ROLLUP (department)")
    assert [row.group[0] for row in answer.rows].count(None) == 1
    assert _values(answer)[(None,)] == "40"
    assert [row["group"] for row in answer.to_dict()["rows"]].count([None]) == 1
    assert answer.to_arrow().column("department").null_count == 1
    shown = [label_text(row.group[0]) for row in answer.rows]
    assert len(set(shown)) == len(shown) and shown[-1] == "(all)"
