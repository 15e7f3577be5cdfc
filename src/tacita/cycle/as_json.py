"""An outcome in words of JSON: what changed and what it came to, never a value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tacita.cycle.outcome import Outcome, State

_MOST_STUCK = 100


def outcome_dict(outcome: Outcome, notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return an outcome as a dictionary that JSON can hold."""
    return {
        "safe": outcome.is_safe,
        "verdict": outcome.verdict,
        "records": outcome.records,
        "measure": outcome.claim.measure,
        "parameters": dict(outcome.claim.parameters),
        "measures": [{"measure": name, "parameters": dict(given)} for name, given in outcome.claim.measures],
        "known": list(outcome.claim.known),
        "nulls_count_as": dict(outcome.claim.nulls),
        "before": state_dict(outcome.before),
        "after": state_dict(outcome.after),
        "nulls": outcome.nulls,
        "decisions": len(outcome.decisions),
        "attributes": {
            name: {"suppressed": suppressed, "coarsened": coarsened}
            for name, (suppressed, coarsened) in outcome.decisions.per_attribute().items()
        },
        "recoded": dict(outcome.recoded),
        "loss": dict(outcome.loss),
        "stuck": [asdict(each) for each in outcome.stuck[:_MOST_STUCK]],
        "notes": [note for note in (*notes, *outcome.notes) if note],
    }


def state_dict(state: State) -> dict[str, Any]:
    """Return the risk of the file at one moment."""
    return {
        "unsafe": state.unsafe,
        "unsafe_strict": state.unsafe_strict,
        "few_candidates": state.few_candidates,
        "largest_risk": state.largest_risk,
        "expected": state.expected,
        "figures": dict(state.figures),
    }
