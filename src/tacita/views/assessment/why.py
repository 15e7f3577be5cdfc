"""The forms of why a record has its risk: the proof by the rules that define the measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tacita.errors import printable
from tacita.model.figures import figure
from tacita.risk.why import RiskExplanation
from tacita.views.rules import proof_dict, proof_lines
from tacita.views.view import LinesView


class RiskExplanationView(LinesView[RiskExplanation]):
    """The forms of an explanation; it is internal, as a proof shows values of the record and of others."""

    def title(self, result: RiskExplanation) -> str:
        """Return which record it is about."""
        return f"Why record {result.row:,} has its risk"

    def as_dict(self, result: RiskExplanation) -> dict[str, Any]:
        """Return the risk, the reason, and the proof."""
        return {
            "row": result.row,
            "measure": result.measure,
            "risk": result.risk,
            "reason": result.reason,
            "proves_this_risk": result.proof is not None and result.is_risk_of_rules,
            "proof": proof_dict(result.proof) if result.proof else None,
        }

    def lines(self, result: RiskExplanation, others: Sequence[tuple[str, float, str]] = ()) -> Iterator[str]:
        """Yield what the measures say of the record, `others` too, and the proof."""
        yield f"Record {result.row}"
        for measure, risk, reason in others:
            yield f"  {figure(risk)} by {measure}: {printable(reason)}"
        yield ""
        yield f"Why {figure(result.risk)} by {result.measure}:"
        if result.proof is None:
            yield "no rules define this measure, or count nulls so; its formula is in the documentation"
            return
        if not result.is_risk_of_rules:
            yield "the rules conclude the figures that it is computed from, and a risk of their own"
        yield from proof_lines(result.proof)
