"""The table of a mode in a policy: what camouflage, samples, perturbation and differential privacy need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from tacita.errors import did_you_mean
from tacita.queries.mechanism import DELTA_UNIT
from tacita.queries.policy.policy import AnswerMode, QueryPolicy
from tacita.toml.checked import Checked

_BUDGET = ("currency", "total", "analyst", "records_per_unit")
_THRESHOLD = ("delta", "analyst_delta", "question_delta")


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
    # Of two records with mirrored vectors, a later version must not leave both alone: that is for the holder to choose.
    tuned, expected = table.truth("tuned", not policy.key), table.texts("expected", single=True)
    names = [one.name for one in (*policy.filters, *policy.regressors)]
    for wrong in [name for name in expected if name not in names]:
        table.fault("expected", f"no [[filter]] '{wrong}'{did_you_mean(wrong, names)}")
    if expected and not tuned:
        table.fault("expected", "'expected' has no effect: 'tuned' is false, as it is by default beside a 'key'")
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
    deviation = _fraction(table, "deviation", "3", most=1000) or Fraction(3)
    counts = _fraction(table, "count_deviation", "3") or Fraction(3)
    if counts < 1:
        table.fault("count_deviation", "a smaller error than one record is lost in rounding: give 1 or more")
    for one in policy.measures:
        if deviation * max(abs(bound) for bound in one.bounds) < 1:
            table.fault("deviation", f"the error of sums of '{one.name}' is lost in rounding: give a larger deviation")
    return {"deviation": deviation, "count_deviation": counts}


def _private(policy: QueryPolicy, top: Checked) -> Mapping[str, Any]:
    table = top.below("private", (*_BUDGET, *_THRESHOLD, "neighbours", "microaggregate"))
    currency = table.text("currency", "epsilon", among=("epsilon", "rho"))
    total = _fraction(table, "total", None)
    if total is None:
        table.fault("total", "[private] needs 'total': the budget of all analysts together")
    analyst = _fraction(table, "analyst", None)
    if not policy.unit and "records_per_unit" in table.table:
        table.fault("records_per_unit", "each record is a person of its own: name persons in 'unit', or leave it out")
    if policy.unit and "records_per_unit" not in table.table:
        table.fault("records_per_unit", "say how many records of one person count at most: 'records_per_unit'")
    neighbours = table.text("neighbours", "records", among=("records", "values"))
    size = table.whole("microaggregate", None, least=2)
    if neighbours != "values" and size is not None:
        table.fault("microaggregate", 'means of neighbouring values move with each record: say neighbours = "values"')
    if neighbours == "values" and policy.rules.counts_are_confidential:
        table.fault("neighbours", '"values" gives exact counts: say counts_are_confidential = false in [rules]')
    return {
        "currency": currency,
        "total": total,
        "analyst": analyst if analyst is not None else total,
        "records_per_unit": table.whole("records_per_unit", 1, least=1),
        "neighbours": neighbours,
        "microaggregate": size,
        **_threshold(policy, table, knows_records=neighbours == "values"),
    }


def _threshold(policy: QueryPolicy, table: Checked, *, knows_records: bool) -> Mapping[str, Any]:
    """Return the budgets of delta, which filters without declared labels need."""
    if not {*_THRESHOLD} & {*table.table}:
        return {}
    unlisted = [one.name for one in policy.filters if not one.cuts and not one.values]
    if knows_records or not unlisted:
        for key in _THRESHOLD:
            if key in table.table:
                table.fault(key, f"'{key}' has no effect: no labels of a filter are confidential")
    total = _fraction(table, "delta", None, most=1)
    if total is None:
        table.fault("delta", "[private] needs 'delta': the budget of all analysts together for labels")
        return {}
    analyst = _fraction(table, "analyst_delta", None, most=1) or total
    question = _fraction(table, "question_delta", None, most=1) or analyst / 100
    if question * DELTA_UNIT < 1 or question > min(analyst, total):
        table.fault("question_delta", "'question_delta' is at least 10^-15, and not more than an analyst may spend")
    return {"delta": total, "analyst_delta": analyst, "question_delta": int(question * DELTA_UNIT)}


_READERS: dict[AnswerMode, Callable[[QueryPolicy, Checked], Mapping[str, Any]]] = {
    AnswerMode.CAMOUFLAGE: _camouflage,
    AnswerMode.SAMPLE: _sample,
    AnswerMode.PERTURBED: _perturbed,
    AnswerMode.PRIVATE: _private,
}
