"""Notes of a cycle: what a steward must know of how it went, and what would make records pass that are stuck."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacita.cycle.class_pass import RULE as CLASSES
from tacita.cycle.look_alike_pass import costs_of, requirement_of
from tacita.cycle.outcome import State, Stuck
from tacita.cycle.plan import ChangeMethod, Plan
from tacita.cycle.recoding import asked_of
from tacita.cycle.state import MeasuredSample
from tacita.cycle.suppression.account import FOR_OTHERS
from tacita.cycle.suppression.look_alikes import LookAlikes
from tacita.cycle.suppression.requirement import OfLookAlikes
from tacita.cycle.unsafe import unsafe_records
from tacita.errors import counted
from tacita.model.decision import EVERY_RECORD, Decision
from tacita.risk.null_semantics import Nulls, Semantics
from tacita.risk.together import parts_of

_LEAVE_OUT = "leave the record out of the release"
_MOST = 1_000
"""So many stuck records are told about; all of them are counted."""


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


def stuck_records(now: MeasuredSample, plan: Plan) -> tuple[Stuck, ...]:
    """Return the records that are still unsafe."""
    unsafe = unsafe_records(now.sample, now.risks)
    measure = plan.measure
    known = now.sample.known
    if not isinstance(measure, OfLookAlikes):
        return tuple(
            Stuck(int(row), float(risk), _remedies(now, plan, float(risk)))
            for row, risk in zip(unsafe.rows[:_MOST].tolist(), unsafe.risks[:_MOST].tolist(), strict=True)
        )
    requirement = requirement_of(measure, now.sample.nulls)
    costs = costs_of(plan, now.sample, unsafe)
    alike = LookAlikes(unsafe.safe, unsafe.records, expected=now.sample.nulls.semantics is Semantics.EXPECTED)
    stuck = []
    for record, row in enumerate(unsafe.rows[:_MOST].tolist()):
        remedies = []
        for place, name in enumerate(known):
            kept = not costs.allowed(record) >> place & 1
            if kept and alike.known[record] >> place & 1:
                count = alike.if_known(record, alike.known[record] & ~(1 << place))
                if requirement.is_met(count):
                    remedies.append(f"allow {name} to be suppressed")
        count = alike.now(record)
        frequency = count.certain + requirement.alpha * count.leaning
        if requirement.k is not None and frequency >= 2:  # with k = 1 unique records would pass
            remedies.append(f"take k = {int(frequency)}")
        elif requirement.k is None and requirement.risk(count) < 1:
            remedies.append(f"raise the threshold to {requirement.risk(count):.4g}")
        if now.sample.nulls.semantics is Semantics.STANDARD:
            remedies.append("let a null match other values (--nulls maybe or strict)")
        stuck.append(Stuck(int(row), float(unsafe.risks[record]), (*remedies, _LEAVE_OUT)))
    return tuple(stuck)


def _remedies(now: MeasuredSample, plan: Plan, risk: float) -> tuple[str, ...]:
    is_share = now.risks.are_probabilities and risk < 1
    ask_less = f"raise the threshold to {risk:.4g}" if is_share else f"ask less of {plan.measure.name}"
    others = ["allow more to be suppressed"] if plan.keep or plan.keep_cells else []
    can_recode = any(name in now.sample.microdata.hierarchies for name in now.sample.known)
    if (
        plan.method is ChangeMethod.SUPPRESSION
        and can_recode
        and all(asked_of(p, now.sample) for p in parts_of(plan.measure))
    ):
        others.append("roll values up (--method auto or recoding)")
    return (ask_less, *others, _LEAVE_OUT)
