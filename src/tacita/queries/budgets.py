"""Budgets: whole numbers, of each analyst and of all together. What the ledger has as spent is spent.

They are billionths, and of delta units of 10^-15.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from tacita.queries.audit.judge import Objection
from tacita.queries.figures import figure_text
from tacita.queries.mechanism import DELTA, DELTA_UNIT, NANO, Price
from tacita.queries.policy.policy import AnswerMode, QueryPolicy
from tacita.queries.state import QueryState


def caps_of(policy: QueryPolicy) -> dict[str, tuple[int, int]]:
    """Return the budget of all analysts and of one by currency, in whole numbers.

    Both are rounded down: what cannot be counted cannot be spent.
    """
    if policy.answers is not AnswerMode.PRIVATE:
        return {}
    options = policy.options
    caps = {str(options["currency"]): (int(options["total"] * NANO), int(options["analyst"] * NANO))}
    if options.get("delta"):
        caps[DELTA] = int(options["delta"] * DELTA_UNIT), int(options["analyst_delta"] * DELTA_UNIT)
    return caps


def budget_objection(state: QueryState, analyst: str, price: Price, policy: QueryPolicy) -> Objection | None:
    """Return why a price cannot be paid; None if it can."""
    caps = caps_of(policy)
    for currency, cost in price.spent.items():
        total, own = caps.get(currency, (0, 0))
        if state.spent[currency] + cost > total:
            return Objection("budget", f"All analysts together would spend more {currency} than the policy allows.")
        if state.spent_by(analyst)[currency] + cost > own:
            return Objection("budget", f"The analyst would spend more {currency} than the policy allows one.")
    return None


def left_of(state: QueryState, analyst: str, policy: QueryPolicy) -> dict[str, str]:
    """Return what an analyst can still spend, by currency, as decimal text: the least of both budgets."""
    return {
        currency: _text(currency, min(total - state.spent[currency], own - state.spent_by(analyst)[currency]))
        for currency, (total, own) in caps_of(policy).items()
    }


def spent_text(spent: Mapping[str, int]) -> dict[str, str]:
    """Return what was paid as decimal text.

    >>> spent_text({"epsilon": 250_000_000, "delta": 190_000_000})
    {'epsilon': '0.25', 'delta': '0.00000019'}
    """
    return {currency: _text(currency, amount) for currency, amount in spent.items()}


def _text(currency: str, amount: int) -> str:
    return figure_text(Fraction(amount, DELTA_UNIT if currency == DELTA else NANO))
