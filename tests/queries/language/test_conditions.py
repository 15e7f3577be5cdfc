"""WHERE selects what DuckDB's WHERE selects on the records themselves, with missing values."""

from __future__ import annotations

from functools import cache
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.queries.cubes import cell_codes, cube_of, records
from tests.queries.language.questions import CONDITIONS, FROM

from tacita.errors import QueryRefused
from tacita.queries.cube.cube import Cube
from tacita.queries.language.canonical import canonical, sizes_of
from tacita.queries.language.parse import parse_question
from tacita.queries.question import Both, Either, Except, Predicate, Selection

SEEDS = {1: True, 2: True, 3: False}
"""Random records, and whether values are missing."""


@cache
def data(seed: int) -> tuple[Cube, list[dict[str, Any]], duckdb.DuckDBPyConnection]:
    """Return records, their cube, and the same records as two tables of DuckDB that a key joins."""
    rows = records(seed, missing=SEEDS[seed])
    engine = duckdb.connect()
    engine.execute(
        "CREATE TABLE emp (id INT, age DOUBLE, sex VARCHAR, year INT, grade DOUBLE, firm INT, salary INT, debt INT, "
        "person VARCHAR)"
    )
    engine.execute('CREATE TABLE firms (firm INT, "size class" VARCHAR)')
    for place, row in enumerate(rows):
        values = [place, *(row[name] for name in ("age", "sex", "year", "grade")), place]
        values += [row["salary"], row["debt"], row["person"]]
        engine.execute("INSERT INTO emp VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        if row["size class"] is not None:  # a record without a size has no firm at all
            engine.execute("INSERT INTO firms VALUES (?, ?)", [place, row["size class"]])
    return cube_of(rows), rows, engine


def selected(predicate: Predicate, cube: Cube, rows: list[dict[str, Any]]) -> list[int]:
    """Return the records of the cells that a predicate selects."""
    mask = predicate.cells(cube.codes, len(cube))
    cells = {tuple(int(cube.codes[one.name][n]) for one in cube.attributes) for n in range(len(cube)) if mask[n]}
    return [place for place, row in enumerate(rows) if tuple(cell_codes(row, cube).values()) in cells]


@settings(max_examples=100)
@given(CONDITIONS, st.sampled_from(sorted(SEEDS)))
def test_where_selects_what_duckdb_selects(condition: str, seed: int) -> None:
    cube, rows, engine = data(seed)
    expected = engine.execute(f"SELECT id {FROM} WHERE {condition} ORDER BY id").fetchall()
    question = parse_question(f"SELECT COUNT(*) {FROM} WHERE {condition}", cube)
    assert selected(question.predicate, cube, rows) == [place for (place,) in expected]


def test_a_comparison_and_its_negation_both_leave_missing_values_out() -> None:
    cube, rows, _ = data(1)
    missing = {place for place, row in enumerate(rows) if row["age"] is None}
    assert missing
    chosen = [
        selected(parse_question(f"SELECT COUNT(*) FROM emp WHERE {condition}", cube).predicate, cube, rows)
        for condition in ("age < 30", "NOT age < 30", "age IS NULL")
    ]
    assert set(chosen[0]) | set(chosen[1]) == set(range(len(rows))) - missing
    assert set(chosen[2]) == missing


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("age >= 18 AND age < 45", "NOT (45.0 <= age OR 18 > age)"),
        ("sex = 'f' AND year = 2020", "year IN ('2020') AND sex IN ('f', 'f')"),
        ("year BETWEEN 2019 AND 2021", "year >= 2019 AND year <= 2021"),
        ("year NOT BETWEEN 2019 AND 2021", "year < 2019 OR year > 2021"),
        ("NOT (sex = 'f' AND NOT age < 30)", "age < 30 OR NOT sex = 'f'"),
        ("age = '18 to below 30' OR age = '30 to below 45'", "age >= 18 AND age < 45"),
        ("sex = 'f' AND (sex = 'f' OR year = 2020)", "sex = 'f'"),
        ("sex = 'f' OR (sex = 'f' AND year = 2020)", "sex = 'f'"),
        ("sex IN ('f', 'm') AND sex = 'm' AND TRUE", "sex = 'm' OR FALSE"),
        ("sex = 'f' AND sex = 'm'", "year IS NULL AND year IS NOT NULL"),
        ("sex = 'f' OR sex <> 'f' OR sex IS NULL", "NOT FALSE"),
        ("(age < 30 AND sex = 'f') AND year = 2020", "year = 2020 AND (sex = 'f' AND age < 30)"),
        ("sex = 'f' AND (sex = 'm' OR year = 2020)", "year = 2020 AND 'f' = sex"),
    ],
)
def test_two_spellings_are_one_question(one: str, other: str) -> None:
    cube, _, _ = data(1)
    questions = [parse_question(f"SELECT COUNT(*) FROM emp WHERE {text}", cube) for text in (one, other)]
    assert questions[0] == questions[1]
    assert hash(questions[0]) == hash(questions[1])


@pytest.mark.parametrize(
    ("condition", "near"),
    [
        ("age <= 29", "age < 30"),
        ("age > 44", "age >= 45"),
        ("age < 31", "age < 30"),
        ("60 <= age", "age >= 62.5"),
        ("age BETWEEN 18 AND 29", "age >= 18 AND age < 30"),
        ("age BETWEEN 30 AND 44", "age >= 30 AND age < 45"),
        ("age = 20", "age >= 18 AND age < 30"),
        ("age IN (90)", "age >= 62.5"),
        ("age <> 5", "age < 18"),
    ],
)
def test_what_does_not_coincide_with_a_cut_point_is_refused_with_what_does(condition: str, near: str) -> None:
    cube, _, _ = data(1)
    with pytest.raises(QueryRefused) as refusal:
        parse_question(f"SELECT COUNT(*) FROM emp WHERE {condition}", cube)
    assert refusal.value.do is not None
    assert refusal.value.do.split(";")[0] == f"write {near}"
    parse_question(f"SELECT COUNT(*) FROM emp WHERE {near}", cube)


SIZES = {"a": 3, "b": 2, "c": 4}
PREDICATES: st.SearchStrategy[Predicate] = st.recursive(
    st.sampled_from(sorted(SIZES)).flatmap(
        lambda name: st.builds(Selection, st.just(name), st.frozensets(st.integers(0, SIZES[name] - 1)))
    ),
    lambda inner: st.one_of(
        st.builds(Except, inner),
        st.builds(Both, st.lists(inner, max_size=4).map(tuple)),
        st.builds(Either, st.lists(inner, max_size=4).map(tuple)),
    ),
    max_leaves=12,
)


@settings(max_examples=100)
@given(PREDICATES)
def test_the_canonical_form_selects_the_same_cells_and_is_its_own(predicate: Predicate) -> None:
    grid = np.indices(tuple(SIZES.values())).reshape(len(SIZES), -1).astype(np.int32)
    codes = dict(zip(SIZES, grid, strict=True))
    form = canonical(predicate, SIZES)
    assert (form.cells(codes, grid.shape[1]) == predicate.cells(codes, grid.shape[1])).all()
    assert canonical(form, SIZES) == form
    assert canonical(Except(Except(predicate)), SIZES) == form


def test_sizes_count_the_code_of_missing_values() -> None:
    assert sizes_of(data(1)[0])["sex"] == 5
    assert sizes_of(data(3)[0])["sex"] == 4
