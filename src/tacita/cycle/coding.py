"""Coding before the cycle: extreme values cut at a bound, numbers put into intervals, as the plan asks for."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.cycle.plan import Plan
from tacita.cycle.state import MeasuredSample
from tacita.masking.recoding.discretisation import discretised
from tacita.masking.recoding.top_bottom_coding import top_bottom_coded
from tacita.model.decision import EVERY_RECORD, Decision
from tacita.model.microdata import Microdata

TOP, BOTTOM, INTERVALS = "top coding, as asked", "bottom coding, as asked", "intervals, as asked"


def coded_first(microdata: Microdata, plan: Plan) -> Microdata:
    """Return microdata with values cut and put into intervals."""
    for name in dict.fromkeys([*plan.top, *plan.bottom]):
        microdata = top_bottom_coded(microdata, name, top=plan.top.get(name), bottom=plan.bottom.get(name)).microdata
    for name, width in plan.intervals.items():
        microdata = discretised(microdata, name, width=width).microdata
    return microdata


def codings(plan: Plan, before: MeasuredSample, after: MeasuredSample) -> Iterator[Decision]:
    """Yield a decision for each column that was coded."""
    step = 1
    for rule, names in ((TOP, plan.top), (BOTTOM, plan.bottom), (INTERVALS, plan.intervals)):
        for name in names:
            risks = before.state.largest_risk, after.state.largest_risk
            yield Decision(step, EVERY_RECORD, name, 0, 1, rule, *risks)
            step += 1
