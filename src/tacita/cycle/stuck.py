"""Records that could not be brought under the threshold, and what would make them pass."""

from __future__ import annotations

from tacita.cycle.look_alike_pass import costs_of, requirement_of
from tacita.cycle.outcome import Stuck
from tacita.cycle.plan import ChangeMethod, Plan
from tacita.cycle.recoding import asked_of
from tacita.cycle.state import MeasuredSample
from tacita.cycle.suppression.look_alikes import LookAlikes
from tacita.cycle.suppression.requirement import OfLookAlikes
from tacita.cycle.unsafe import unsafe_records
from tacita.risk.null_semantics import Semantics
from tacita.risk.together import parts_of

_LEAVE_OUT = "leave the record out of the release"
_MOST = 1_000
"""So many stuck records are told about; all of them are counted."""


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
    found = []
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
        found.append(Stuck(int(row), float(unsafe.risks[record]), (*remedies, _LEAVE_OUT)))
    return tuple(found)


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
