"""PRAM: frequencies of change within chi-square bounds, margins that stay, and sdcMicro's matrices."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from tacita.errors import InputError, TacitaError, UsageError
from tacita.masking.catalogue import METHODS as CATALOGUE
from tacita.masking.contract import breaches
from tacita.masking.pram.exact_margins import controlled
from tacita.masking.pram.generated import GeneratedPram, spread
from tacita.masking.pram.given import Pram
from tacita.masking.pram.invariant import InvariantPram, invariant, spread_among
from tacita.masking.pram.transitions import Transitions
from tacita.masking.within import treated_within
from tacita.model.records import Categories, Numbers, Records

AREAS = ("east", "north", "south", "west")
MATRIX = {
    "east": {"east": 0.7, "north": 0.3},
    "north": {"north": 0.8, "south": 0.1, "west": 0.1},
    "south": {"south": 1},
    "west": {"east": 0.25, "north": 0.25, "south": 0.25, "west": 0.25},
}


def people(count: int = 20_000, seed: int = 3, missing: float = 0.02) -> Records:
    draw = np.random.default_rng(seed)
    codes = draw.choice(4, count, p=[0.02, 0.3, 0.48, 0.2]).astype(np.int32)
    codes[draw.random(count) < missing] = -1
    rooms = draw.integers(1, 6, count).astype(float)
    sexes = Categories(draw.integers(0, 2, count).astype(np.int32), ("female", "male"))
    return Records({"area": Categories(codes, AREAS), "rooms": Numbers(rooms, is_whole=True), "sex": sexes})


def changes(before: Records, after: Records, name: str = "area") -> np.ndarray[Any, Any]:
    old, new = before.categories(name), after.categories(name)
    place = np.array([new.values.index(value) for value in old.values])
    known = old.codes >= 0
    table = np.zeros((len(new.values), len(new.values)), dtype=int)
    np.add.at(table, (place[old.codes[known]], new.codes[known]), 1)
    return table


def assert_drawn_from(table: np.ndarray[Any, Any], matrix: np.ndarray[Any, Any], at_least: float = 1e-4) -> None:
    """Check each row of changes against its probabilities by a chi-square test."""
    for row, probabilities in zip(table, matrix, strict=True):
        possible = probabilities > 0
        assert not row[~possible].any()
        if row.sum() and possible.sum() > 1:
            assert stats.chisquare(row[possible], row.sum() * probabilities[possible]).pvalue > at_least


METHODS = [
    Pram("area", matrix=MATRIX, publish_matrix=True),
    GeneratedPram(("area", "rooms"), minimum_diagonal=0.6),
    GeneratedPram(("area",), minimum_diagonal=0.5, same_diagonal=True),
    InvariantPram(("area", "rooms"), publish_matrix=True),
    InvariantPram(("area", "rooms"), exact_margins=True, alpha=1),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.name}")
def test_contract(method: Any) -> None:
    assert breaches(method, people(400)) == []
    assert isinstance(method.treated(people(50), np.random.default_rng(1)).records["rooms"], Numbers)


def test_given_matrix_changes_by_its_probabilities() -> None:
    records = people()
    found = Pram("area", matrix=MATRIX).treated(records, np.random.default_rng(5))
    matrix = np.array([[MATRIX[a].get(b, 0) for b in AREAS] for a in AREAS])
    assert_drawn_from(changes(records, found.records), matrix)
    assert abs(found.figures["share changed of area"] - found.figures["expected share changed of area"]) < 0.02


@pytest.mark.parametrize(
    "method", [GeneratedPram(("area",), 0.6, publish_matrix=True), InvariantPram(("area",), 0.6, publish_matrix=True)]
)
def test_changes_follow_the_published_matrix(method: Any) -> None:
    records = people()
    found = method.treated(records, np.random.default_rng(8))
    released = Transitions.of_records(found.beside["pram area"])
    assert released.values == AREAS
    assert_drawn_from(changes(records, found.records), released.matrix)
    if isinstance(method, GeneratedPram):
        assert np.diag(released.matrix).min() >= 0.6


def test_invariant_pram_keeps_margins_in_expectation() -> None:
    records = people(3000)
    counts = records.categories("area").counts
    random, method = np.random.default_rng(2), InvariantPram(("area",), 0.6, alpha=1)
    runs = np.array([method.treated(records, random).records.categories("area").counts for _ in range(200)])
    error = runs.std(axis=0, ddof=1) / np.sqrt(len(runs))
    assert np.all(np.abs(runs.mean(axis=0) - counts) < 4 * error)
    assert np.any(runs != counts)


def test_exact_margins_are_exact_and_each_cell_has_its_expectation() -> None:
    records = people(500)
    method = InvariantPram(("area", "rooms"), 0.6, alpha=1, exact_margins=True)
    found = method.treated(records, np.random.default_rng(4)).records
    for name in ("area", "rooms"):
        assert found.categories(name).counts.tolist() == records.categories(name).counts.tolist()
    assert np.any(found.categories("area").codes != records.categories("area").codes)
    counts = np.array([7, 20, 33])
    expected = counts[:, None] * invariant(spread(3, 0.6, np.random.default_rng(1)), counts, 1)
    random = np.random.default_rng(6)
    runs = np.array([controlled(expected, random) for _ in range(2000)])
    assert np.all((runs == np.floor(expected)) | (runs == np.ceil(expected)))
    assert np.all(runs.sum(axis=1) == counts) and np.all(runs.sum(axis=2) == counts)
    error = np.sqrt((expected % 1) * (1 - expected % 1) / len(runs))
    assert np.all(np.abs(runs.mean(axis=0) - expected) <= 4 * error)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 60), min_size=1, max_size=8), st.floats(0, 1), st.floats(0.01, 1), st.integers(0, 2**32 - 1)
)
def test_any_invariant_matrix_is_stochastic_and_keeps_the_counts(
    counts: list[int], minimum: float, alpha: float, seed: int
) -> None:
    held, random = np.array(counts), np.random.default_rng(seed)
    matrix = invariant(spread_among(held, minimum, random), held, alpha)
    Transitions(tuple(range(len(held))), matrix)
    np.testing.assert_allclose(held @ matrix, held, atol=1e-9)
    changes = controlled(held[:, None] * matrix, random)
    assert changes.sum(axis=0).tolist() == counts and changes.sum(axis=1).tolist() == counts


def test_sdcmicro_matrices_are_of_our_construction(shared: Path) -> None:
    """Some diagonal of the first stage between pd and 1 gives the matrix that sdcMicro printed, to all its digits."""
    told = json.loads((shared / "sdcmicro" / "pram_testdata.json").read_text())
    with (shared / "data" / "sdcmicro" / "testdata.csv").open() as file:
        rows = list(csv.DictReader(file))
    for name, shares, summary in zip(told["Rs"], told["p"], told["summary"], strict=True):
        matrix, levels = np.array(told["Rs"][name]["Rs"]), told["Rs"][name]["levels"]
        column = Categories.of([row[name] for row in rows], order=levels)
        np.testing.assert_allclose(column.counts / len(rows), shares, rtol=1e-12)
        size = len(levels)

        def ours(stays: Any, size: int = size, column: Categories = column) -> Any:
            first = np.repeat((1 - stays)[:, None] / (size - 1), size, axis=1)
            np.fill_diagonal(first, stays)
            return invariant(first, column.counts, 0.5)

        fit = optimize.least_squares(
            lambda stays, told=matrix: (ours(stays) - told).ravel(),
            np.full(size, 0.9),
            bounds=(0.8, 1),
            xtol=1e-15,
            ftol=1e-15,
            gtol=1e-15,
        )
        np.testing.assert_allclose(ours(fit.x), matrix, atol=1e-7)
        records = Records({name: column})
        transitions = Transitions(tuple(levels), matrix)
        changed = transitions.drawn(column.codes, np.random.default_rng(1))
        assert_drawn_from(changes(records, Records({name: column.with_codes(changed)}), name), matrix)
        # What sdcMicro changed is a likely outcome of the same matrix.
        leaves = 1 - np.diag(matrix)
        mean, spread_ = column.counts @ leaves, np.sqrt(column.counts @ (leaves * (1 - leaves)))
        assert abs(summary["nrChanges"] - mean) < 3 * spread_
        assert abs((changed != column.codes).sum() - mean) < 4 * spread_


def test_within_strata_margins_of_each_stay() -> None:
    records = people(2000)
    method = InvariantPram(("area",), exact_margins=True)
    found = treated_within(method, records, ["sex"], np.random.default_rng(1))
    for sex in (0, 1):
        rows = np.flatnonzero(records.categories("sex").codes == sex)
        before, after = records.taken(rows).categories("area"), found.records.taken(rows).categories("area")
        assert dict(zip(before.values, before.counts, strict=True)) == dict(
            zip(after.values, after.counts, strict=True)
        )


def test_new_values_may_be_given_and_numbers_stay_numbers() -> None:
    records = people(200)
    table = {str(n): {"0": 1.0} for n in range(1, 4)} | {"4": {"4": 1.0}, "5": {"5": 0.5, "0": 0.5}}
    found = Pram("rooms", matrix=table).treated(records, np.random.default_rng(1)).records["rooms"]
    assert isinstance(found, Numbers) and found.is_whole
    assert set(found.values) == {0, 4, 5}
    other = {area: {"elsewhere": 1.0} for area in AREAS}
    assert Pram("area", matrix=other).treated(records, np.random.default_rng(1)).records.categories("area").counts[
        -1
    ] == int((records.categories("area").codes >= 0).sum())
    with pytest.raises(UsageError, match="holds numbers"):
        Pram("rooms", matrix={str(n): {"many": 1.0} for n in range(1, 6)}).treated(records, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        ({"a": {"a": 1}, "b": {"a": 0.5, "b": 0.43}}, "row 2 adds up to 0.93"),
        ({"a": {"a": 1.5, "b": -0.5}, "b": {"b": 1}}, "something else than probabilities in row 1"),
        ({"a": {"a": float("nan")}}, "something else than probabilities in row 1"),
        ({"a": {}}, "row 1 adds up to 0"),
    ],
)
def test_a_matrix_that_is_not_stochastic_is_refused(matrix: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        Pram("area", matrix=matrix)
    assert caught.value.do and "area" in str(caught.value.where)


def test_other_faults(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1 of 4 values of 'area' have no row"):
        Pram("area", matrix={a: MATRIX[a] for a in AREAS[:3]}).treated(people(200), np.random.default_rng(1))
    for wrong in ({}, {"matrix": MATRIX, "file": "m.csv"}):
        with pytest.raises(UsageError, match="one way"):
            Pram("area", **wrong)
    continuous = Records({"x": Numbers(np.arange(2000.0))})
    with pytest.raises(InputError, match=r"more than 1,000 values"):
        GeneratedPram(("x",)).treated(continuous, np.random.default_rng(1))
    with pytest.raises(UsageError, match="exact margins"):
        InvariantPram(("x",), exact_margins=True).treated(continuous.taken(np.arange(101)), np.random.default_rng(1))
    for make in (
        lambda: GeneratedPram(("area",), 1.2),
        lambda: InvariantPram(("area",), alpha=0),
        lambda: InvariantPram(()),
        lambda: GeneratedPram(("area", "area")),
        lambda: Pram("area", file=str(tmp_path / "none.csv")),
    ):
        with pytest.raises(TacitaError) as caught:
            make()
        assert caught.value.do


def test_a_constant_attribute_stays_and_that_is_said() -> None:
    records = Records({"area": Categories.of(["north"] * 9)})
    for method in (GeneratedPram(("area",)), InvariantPram(("area",))):
        found = method.treated(records, np.random.default_rng(1))
        assert any("is as it was" in note for note in found.notes)


def test_the_matrix_of_a_file(tmp_path: Path) -> None:
    square = tmp_path / "square.csv"
    lines = [",".join(["from", *AREAS]), *(",".join([a, *(str(MATRIX[a].get(b, 0)) for b in AREAS)]) for a in AREAS)]
    square.write_text("\n".join(lines))
    cells = tmp_path / "cells.csv"
    cells.write_text("from;to;probability\n" + "".join(f"{a};{b};{p}\n" for a in AREAS for b, p in MATRIX[a].items()))
    told = Pram("area", matrix=MATRIX).treated(people(500), np.random.default_rng(1)).records["area"]
    for file in (square, cells):
        found = Pram("area", file=str(file)).treated(people(500), np.random.default_rng(1)).records["area"]
        assert isinstance(found, Categories) and isinstance(told, Categories)
        assert np.array_equal(found.codes, told.codes)
    for text, said in (
        ("", "empty"),
        ("from,to,probability\na,b\n", "line 2 has 2 fields"),
        ("from,to,probability\na,a,much\n", "line 2 has something else"),
        ("from,to,probability\na,a,1\na,a,0\n", "line 3 gives a probability twice"),
        ('from,to,probability\n"a,a,1\n', "cannot be read"),
        ("from,a,b\na,1,0\nb,0.5,0.4\n", "row 2 adds up to 0.9"),
    ):
        square.write_text(text)
        with pytest.raises(InputError, match=said) as caught:
            Pram("area", file=str(square))
        assert caught.value.where == str(square)


def test_a_recipe_names_them() -> None:
    made = CATALOGUE.make("pram", {"attribute": "area", "matrix": MATRIX, "publish_matrix": True})
    assert isinstance(made, Pram)
    assert isinstance(CATALOGUE.make("pram-generated", {"attributes": ["area"], "minimum_diagonal": 1}), GeneratedPram)
    assert isinstance(CATALOGUE.make("pram-invariant", {"attributes": ["area"], "alpha": 1}), InvariantPram)
