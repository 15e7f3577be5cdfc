"""What the records themselves tell of hidden cells: borderline cases and known totals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.dependencies.hiding.borderline import BorderlineCases
from tacita.dependencies.hiding.known_totals import shortfalls

tables = st.integers(1, 9).flatmap(
    lambda rows: st.fixed_dictionaries(
        {name: st.lists(st.integers(0, 2), min_size=rows, max_size=rows) for name in "ABCD"}
    )
)


def naive_cases(table: dict[str, list[int]], left: frozenset[str], right: str) -> list[int]:
    """A record is a case if the others all agree within their groups, and it agrees with nobody of its own."""
    rows = range(len(table[right]))

    def holds(kept: list[int]) -> bool:
        return all(
            table[right][i] == table[right][j]
            for i, j in itertools.combinations(kept, 2)
            if all(table[name][i] == table[name][j] for name in left)
        )

    return [] if holds(list(rows)) else [i for i in rows if holds([j for j in rows if j != i])]


@pytest.mark.slow
@given(tables, st.frozensets(st.sampled_from("ABC")))
def test_a_case_is_the_record_whose_value_alone_breaks_it(table: dict[str, list[int]], left: frozenset[str]) -> None:
    cases = BorderlineCases({name: np.array(column) for name, column in table.items()})
    assert cases.of(left, "D").tolist() == naive_cases(table, left, "D")
    assert cases.of(left, "D").tolist() == naive_cases(table, left, "D")  # remembered


def test_no_records() -> None:
    empty = {"A": np.empty(0, dtype=np.int64), "D": np.empty(0, dtype=np.int64)}
    assert BorderlineCases(empty).of(frozenset("A"), "D").tolist() == []


def test_totals_tell_what_one_person_hides() -> None:
    codes = {"D": np.array([0, 0, 1, 0, 0]), "E": np.array([0, 0, 0, 0, 0])}
    persons = np.array([0, 0, 1, 2, 3])
    hidden = {"D": np.array([True, True, False, True, False]), "E": np.array([False] * 5)}
    (short,) = shortfalls(codes, hidden, persons, least=dict.fromkeys(codes, 2))
    assert (short.attribute, short.hiders, short.values, short.exist) == ("D", 2, 1, True)
    assert short.in_words == "only 2 people hide 'D', all with the same value"
    hidden["D"] = np.array([True, True, True, False, False])
    assert not shortfalls(codes, hidden, persons, least=dict.fromkeys(codes, 2))
    assert shortfalls(codes, hidden, persons, least=dict.fromkeys(codes, 3))[0].hiders == 2
    hidden["E"] = np.array([True] * 5)
    assert not shortfalls(codes, {"E": hidden["E"]}, persons, least=dict.fromkeys(codes, 2))[0].exist
