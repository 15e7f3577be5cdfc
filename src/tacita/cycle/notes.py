"""Notes of a cycle: what a steward must know of how it went and of the records that came out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacita.cycle.class_pass import RULE as CLASSES
from tacita.cycle.outcome import State
from tacita.cycle.plan import Plan
from tacita.cycle.suppression.account import FOR_OTHERS
from tacita.errors import counted
from tacita.model.decision import EVERY_RECORD, Decision
from tacita.risk.null_semantics import Nulls


def notes_on_passes(plan: Plan, decisions: Sequence[Decision], before: State, after: State) -> list[str]:
    """Return notes on the records that passes changed."""
    rows = {decision.tuple_id for decision in decisions} - {EVERY_RECORD}
    notes = []
    helping = {decision.tuple_id for decision in decisions if decision.rule == CLASSES + FOR_OTHERS}
    if helping:
        was = "record was" if len(helping) == 1 else "records were"
        notes.append(f"{len(helping):,} safe {was} changed so that classes of others satisfy the model")
    if len(rows - helping) > before.unsafe and not plan.household:
        more = counted(len(rows - helping) - before.unsafe, "record")
        notes.append(f"at least {more} became unsafe on the way, by the nulls of others, and had to be changed too")
    if plan.optimal and not after.unsafe:
        notes.append("no smaller suppression exists in which every changed record stands on its own (proven)")
    return notes


def notes_on_state(after: State, nulls: Nulls, k: int | None) -> Iterable[str]:
    """Yield notes on records that are safe only if empty cells count, or if the intruder does not know too much."""
    if not after.unsafe and after.unsafe_strict and not nulls.are_strict:
        lean = "leans" if after.unsafe_strict == 1 else "lean"
        who = counted(after.unsafe_strict, "record")
        yield f"{who} {lean} on the nulls of others: alone fewer than {k} look alike (--nulls strict or expected)"
    if after.few_candidates:
        has = "has" if after.few_candidates == 1 else "have"
        yield (
            f"{counted(after.few_candidates, 'suppressed record')} {has} fewer than {k} candidates for "
            "an intruder who knows all original values of a respondent in the file"
        )
