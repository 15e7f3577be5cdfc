"""The table of a mode in a policy: what camouflage, samples, perturbation and differential privacy need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from tacita.errors import did_you_mean
from tacita.queries.policy.policy import AnswerMode, QueryPolicy
from tacita.toml.checked import Checked


def read_mode(policy: QueryPolicy, top: Checked) -> Mapping[str, Any]:
    """Return the options of the mode of a policy, those that are not given as they usually are."""
    reader = _READERS.get(policy.answers)
    return {} if reader is None else reader(policy, top)


def _fraction(table: Checked, key: str, usual: str | None, *, most: float = 1e9) -> Fraction | None:
    number = table.number(key, None, least=0, most=most, above=True)
    if number is not None:
        return Fraction(repr(number))
    return None if usual is None else Fraction(usual)


def _camouflage(policy: QueryPolicy, top: Checked) -> Mapping[str, Any]:
    table = top.below("camouflage", ("vectors", "width", "insiders", "tuned", "expected"))
    vectors, insiders = table.whole("vectors", 6, least=3), table.whole("insiders", 0)
    if vectors < 2 * insiders + 2:
        table.fault(
            "vectors",
            f"{insiders} insiders who know their values narrow the others down unless there are at least "
            f"{2 * insiders + 2} vectors: give more 'vectors', or expect fewer 'insiders'",
        )
    tuned, expected = table.truth("tuned", True), table.texts("expected", single=True)
    names = [one.name for one in (*policy.filters, *policy.regressors)]
    for wrong in [name for name in expected if name not in names]:
        table.fault("expected", f"no [[filter]] '{wrong}'{did_you_mean(wrong, names)}")
    if expected and not tuned:
        table.fault("expected", "'expected' has no effect: 'tuned' is false")
    if set(expected) >= set(names):
        table.fault("expected", "'expected' names all attributes: cells are expected without it")
    return {
        "vectors": vectors,
        "width": _fraction(table, "width", "0.2", most=1),
        "insiders": insiders,
        "tuned": tuned,
        "expected": expected,
    }


def _sample(policy: QueryPolicy, top: Checked) -> Mapping[str, Any]:
    table = top.below("sample", ("share",))
    return {"share": _fraction(table, "share", "0.8", most=0.99)}


def _perturbed(policy: QueryPolicy, top: Checked) -> Mapping[str, Any]:
    table = top.below("perturbed", ("deviation", "count_deviation"))
    return {
        "deviation": _fraction(table, "deviation", "0.1", most=10),
        "count_deviation": _fraction(table, "count_deviation", "3"),
    }


def _private(policy: QueryPolicy, top: Checked) -> Mapping[str, Any]:
    known = ("currency", "total", "analyst", "records_per_unit")
    table = top.below("private", known)
    currency = table.text("currency", "epsilon", among=("epsilon", "rho"))
    total = _fraction(table, "total", None)
    if total is None:
        table.fault("total", "[private] needs 'total': the budget of all analysts together")
    analyst = _fraction(table, "analyst", None)
    if not policy.unit and "records_per_unit" in table.table:
        table.fault("records_per_unit", "each record is a person of its own: name persons in 'unit', or leave it out")
    if policy.unit and "records_per_unit" not in table.table:
        table.fault("records_per_unit", "say how many records of one person count at most: 'records_per_unit'")
    return {
        "currency": currency,
        "total": total,
        "analyst": analyst if analyst is not None else total,
        "records_per_unit": table.whole("records_per_unit", 1, least=1),
    }


_READERS: dict[AnswerMode, Callable[[QueryPolicy, Checked], Mapping[str, Any]]] = {
    AnswerMode.CAMOUFLAGE: _camouflage,
    AnswerMode.SAMPLE: _sample,
    AnswerMode.PERTURBED: _perturbed,
    AnswerMode.PRIVATE: _private,
}
