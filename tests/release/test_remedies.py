"""Remedies against derivation: which are possible, what they cost, and that the attacker finds nothing afterwards."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.relations.search import search_derivations
from tacita.release.records.compared import Circumstances, ComparedRecords
from tacita.release.records.compared_columns import ComparedColumn
from tacita.release.records.remedies import Leeway, RemedyPlan, remedy_plans

N = 1_200
_RANDOM = np.random.default_rng(4)
_AREA = _RANDOM.integers(0, 6, N)
_HIDDEN = _RANDOM.random(N) < 0.1


def _column(name: str, values: NDArray[np.int64], hidden: NDArray[np.bool_] | None = None) -> ComparedColumn:
    after = values if hidden is None else np.where(hidden, -1, values)
    before = after if hidden is None else values
    numbers = np.where(after < 0, np.nan, after * 2.5)
    return ComparedColumn(name, after, before, True, after, numbers, values * 2.5)


def _records(*columns: ComparedColumn, **circumstances: object) -> ComparedRecords:
    hidden = _column("area", _AREA, _HIDDEN)
    return ComparedRecords((hidden, *columns), Circumstances(**circumstances))  # type: ignore[arg-type]


def _plans(records: ComparedRecords, leeway: Leeway) -> tuple[RemedyPlan, ...]:
    derived = search_derivations(records.view).derivations
    assert derived
    return remedy_plans(records, derived, leeway)


CODE = _column("code", 5 - _AREA)


def test_a_quasi_identifier_is_given_up_if_nothing_else_helps() -> None:
    (plan,) = _plans(_records(CODE), Leeway(frozenset({"area", "code"}), frozenset({"area", "code"})))
    assert str(plan) == f"take code out of the quasi-identifiers and --drop code ({N:,} cells)"


def test_of_a_set_the_attribute_goes_that_is_no_quasi_identifier() -> None:
    one = _RANDOM.integers(0, 6, N)
    records = _records(_column("one", one), _column("two", (_AREA - one) % 6))
    leeway = Leeway(frozenset({"area", "one"}), frozenset({"area"}))
    assert [str(plan) for plan in _plans(records, leeway)] == [
        f"--linked area=two ({int(_HIDDEN.sum())} cells)",
        f"--drop two ({N:,} cells)",
    ]


def test_the_same_attribute_is_chosen_for_several_sets() -> None:
    one, two = _RANDOM.integers(0, 6, N), _RANDOM.integers(0, 6, N)
    sets = (_column("p", (_AREA - one) % 6), _column("one", one), _column("q", (_AREA + one + 1) % 6))
    (plan,) = _plans(_records(*sets, _column("two", two)), Leeway(frozenset({"area"})))
    assert [remedy.attribute for remedy in plan.remedies] == ["one"] or len(plan.remedies) == 2


def test_keys_and_pseudonyms_are_left_out() -> None:
    records = _records(_column("hid", _AREA), keys=frozenset({"hid"}), renamed=frozenset({"hid"}))
    records = replace(
        records, columns=tuple(replace(c, before=None) if c.name == "hid" else c for c in records.columns)
    )
    (plan,) = _plans(records, Leeway(clusters=frozenset({"hid"})))
    assert [remedy.action for remedy in plan.remedies] == ["leave out --keep-clusters"]
    (plan,) = _plans(records, Leeway(pseudonyms=frozenset({"hid"})))
    assert [remedy.action for remedy in plan.remedies] == ["leave out --pseudonymise hid"]


def test_an_order_costs_nothing() -> None:
    order = np.argsort(_AREA, kind="stable")
    records = ComparedRecords((_column("area", _AREA[order], _HIDDEN[order]),), Circumstances(in_order=True))
    (plan,) = _plans(records, Leeway())
    assert str(plan) == "leave out --no-shuffle" and plan.cells == 0


def test_as_little_noise_as_is_needed() -> None:
    """Weights of 2 and 3 times each other's size need much noise, those that are near to each other little."""
    near = _column("weight", _AREA + 40)
    plans = _plans(_records(near), Leeway(frozenset({"area"}), frozenset({"area"}), frozenset({"weight"}), "weight"))
    assert [remedy.action for plan in plans for remedy in plan.remedies] == ["--weight-noise 10", "--drop weight"]
    far = _column("weight", 3**_AREA)
    plans = _plans(_records(far), Leeway(weight="weight"))
    assert [remedy.action for plan in plans for remedy in plan.remedies][-1] == "--drop weight"
    assert "--weight-noise 10" not in [remedy.action for plan in plans for remedy in plan.remedies]
