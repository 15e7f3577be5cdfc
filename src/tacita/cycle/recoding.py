"""Recoding: whole columns rolled up before suppression, or single cells; by hand, or by the search of the lattice."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tacita.cycle.decisions import Decisions
from tacita.cycle.lattice.combined import WAYS, CombinedPlan, Way, cheapest_plan, node_of
from tacita.cycle.lattice.models import (
    BetaLike,
    Close,
    DistinctDiverse,
    EntropyDiverse,
    KAnonymous,
    NotDominated,
    PrivacyModel,
    RecursiveDiverse,
)
from tacita.cycle.lattice.problem import LatticeTerms, Problem
from tacita.cycle.lattice.records import cells_of_records, masked_by
from tacita.cycle.look_alike_pass import look_alike_pass
from tacita.cycle.plan import ChangeMethod, Plan
from tacita.cycle.state import MeasuredSample
from tacita.cycle.suppression.requirement import OfLookAlikes
from tacita.cycle.unsafe import risks_of
from tacita.errors import UsageError
from tacita.masking.recoding.discretisation import discretised
from tacita.masking.recoding.global_recoding import recoded
from tacita.masking.recoding.top_bottom_coding import top_bottom_coded
from tacita.model.decision import EVERY_RECORD, Alternative, Decision
from tacita.model.microdata import Microdata
from tacita.progress import Progress, silent
from tacita.risk.attribute.alpha_k import AlphaK
from tacita.risk.attribute.beta_likeness import BetaLikeness
from tacita.risk.attribute.l_diversity import LDiversity
from tacita.risk.attribute.sensitive_values import assessed
from tacita.risk.attribute.t_closeness import TCloseness
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.measure import Measure
from tacita.risk.sample import Sample
from tacita.risk.together import parts_of

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

BY_HAND, BY_SEARCH = "global recoding, as asked", "global recoding, least loss"
TOP, BOTTOM, INTERVALS = "top coding, as asked", "bottom coding, as asked", "intervals, as asked"
_MOST_UNSAFE_CELLS = 50_000
LOCALLY, AFTERWARDS = "local recoding, least loss", "suppression with recoding, least loss"


@dataclass(frozen=True, slots=True)
class Recoded:
    """Microdata after recoding, and why they are so."""

    microdata: Microdata
    decisions: list[Decision] = field(default_factory=list)
    """The risk after them is not known yet."""
    levels: dict[str, int] = field(default_factory=dict)
    """Whole columns that were rolled up, and to which level."""
    notes: list[str] = field(default_factory=list)
    loss: float | None = None
    """The granularity loss, if it was looked for."""


def recoded_first(now: MeasuredSample, plan: Plan, progress: Progress = silent) -> Recoded:
    """Return microdata recoded as the plan says; what is still unsafe then is left to suppression."""
    microdata = now.sample.microdata
    if plan.recode:
        levels = {name: level for name, level in plan.recode.items() if level}
        decisions = list(_of_columns(levels, BY_HAND, now, (), 1))
        return Recoded(recoded(microdata, levels).microdata if levels else microdata, decisions, levels)
    if plan.method is ChangeMethod.SUPPRESSION or not now.state.unsafe:
        return Recoded(microdata)
    if plan.keep or plan.keep_cells or plan.household:
        raise UsageError(
            f"with the method {plan.method} no attribute can be kept, and none is of the household",
            do="take the method suppression, or leave out --keep, --keep-cells and --household",
        )
    weights = [float(plan.importance.get(name, 1.0)) for name in now.sample.known] if plan.importance else []
    limit = plan.suppression_limit if plan.method is ChangeMethod.RECODING else 1.0
    for part in parts_of(plan.measure):
        models_of(part)  # raises if the search does not know it
    conditions = [pair for part in parts_of(plan.measure) for pair in asked_of(part, now.sample) or ()]
    models, secrets = [model for model, _ in conditions], [name for _, name in conditions]
    problem = Problem.of_sample(now.sample, models, LatticeTerms(limit, weights=tuple(weights)), sensitive=secrets)
    if plan.method is ChangeMethod.RECODING:
        return _by_columns(now, plan, problem, progress)
    ways: Sequence[Way] = ("local",) if plan.method is ChangeMethod.LOCAL_RECODING else WAYS
    cheapest = cheapest_plan(problem, ways, progress=progress)
    if cheapest is None:
        return Recoded(microdata)
    if plan.method is ChangeMethod.AUTO and (alone := _suppression_alone(now, plan, progress)) < cheapest.score:
        note = f"suppression alone loses {alone:.4g}, recoding in the way '{cheapest.way}' {cheapest.score:.4g}"
        return Recoded(microdata, notes=[note], loss=alone)
    return _by_cells(now, problem, cheapest)


def asked_of(measure: Measure, sample: Sample) -> list[tuple[PrivacyModel, str | None]] | None:
    """Return a measure as models, each with the sensitive attribute that it is about; None if there are no such."""
    try:
        models = models_of(measure)
    except UsageError:
        return None
    secrets = assessed(sample, getattr(measure, "sensitive", None))
    return [(model, name) for model in models for name in (secrets if model.needs_sensitive else (None,))]


def _suppression_alone(now: MeasuredSample, plan: Plan, progress: Progress) -> float:
    """Return the granularity loss of the cycle's own suppression: a null loses all of a cell.

    With very many unsafe cells it is not tried: that takes minutes, and recoding loses less then.
    """
    too_many = now.state.unsafe * len(now.sample.known) > _MOST_UNSAFE_CELLS
    if too_many or not isinstance(plan.measure, OfLookAlikes):
        return float("inf")
    decisions = Decisions.of(look_alike_pass(now, plan, plan.measure, {}, 1, progress))
    records = now.sample.records.count()
    losses = [decisions.per_attribute().get(name, (0, 0))[0] / records for name in now.sample.known]
    return float(math.prod(1 + loss for loss in losses) ** (1 / len(losses))) - 1


def models_of(measure: Measure) -> list[PrivacyModel]:
    """Return a measure as what the search of the lattice can check."""
    match measure:
        case KAnonymity():
            return [KAnonymous(measure.k)]
        case LDiversity(variant="distinct"):
            return [DistinctDiverse(int(measure.l))]
        case LDiversity(variant="entropy"):
            return [EntropyDiverse(measure.l)]
        case LDiversity(variant="recursive"):
            return [RecursiveDiverse(measure.c, int(measure.l))]
        case TCloseness(distance="equal"):
            return [Close(measure.t)]
        case TCloseness(distance="hierarchical"):
            return [Close(measure.t, "hierarchical")]
        case BetaLikeness(enhanced=True):
            return [BetaLike(measure.beta)]
        case AlphaK():
            return [KAnonymous(measure.k), NotDominated(measure.alpha)]
    raise UsageError(
        f"{measure.name} is not known to the search for the best recoding, which knows k-anonymity, (alpha, k), "
        "l-diversity, t-closeness and beta-likeness",
        do="roll columns up by hand with --recode NAME=LEVEL, or take the method suppression",
    )


def _by_columns(now: MeasuredSample, plan: Plan, problem: Problem, progress: Progress) -> Recoded:
    microdata = now.sample.microdata
    if not any(name in microdata.hierarchies for name in now.sample.known):
        raise UsageError(
            "no attribute that the intruder knows has a hierarchy, so there is nothing to roll up",
            where=f"'{microdata.name}'",
            do="give one in the dictionary (hierarchy = ...), or take the method suppression",
        )
    node = node_of(problem, progress)
    if node is None:
        return Recoded(microdata, notes=["no roll-up of whole columns is enough: everything is left to suppression"])
    levels = {name: level for name, level in node.levels.items() if level and name in microdata.hierarchies}
    proof = "no other roll-up loses less" if node.is_proven else "the best of those looked at"
    why = (Alternative(f"any other of {node.nodes:,} nodes of the lattice", proof),)
    notes = [f"{node.checked:,} of {node.nodes:,} ways to roll up were looked at; {proof}"]
    decisions = list(_of_columns(levels, BY_SEARCH, now, why, 1))
    return Recoded(recoded(microdata, levels).microdata if levels else microdata, decisions, levels, notes, node.score)


def _by_cells(now: MeasuredSample, problem: Problem, combined: CombinedPlan) -> Recoded:
    masked = masked_by(problem, combined)
    hierarchies = now.sample.microdata.hierarchies
    whole = {name: level for name, level in combined.whole.items() if level and name in hierarchies}
    others = tuple(
        Alternative(f"recode in the way '{way}'", f"the loss would be {loss:.4g} instead of {combined.score:.4g}")
        for way, loss in combined.considered.items()
        if way != combined.way
    )
    decisions = list(_of_columns(whole, BY_SEARCH, now, others, 1))
    cells = cells_of_records(problem, combined.cells, whole)
    rule = LOCALLY if combined.way == "local" else AFTERWARDS
    decisions += _of_cells(cells, hierarchies, whole, now, others, rule, len(decisions) + 1)
    said = f"of recoding and suppression the way '{combined.way}' loses least"
    said += "" if whole or combined.way == "local" else "; no column had to be rolled up"
    return Recoded(masked.microdata, decisions, whole, [said], combined.score)


def _of_columns(
    levels: Mapping[str, int], rule: str, now: MeasuredSample, others: tuple[Alternative, ...], step: int
) -> Iterator[Decision]:
    risk = now.state.largest_risk
    for place, (name, level) in enumerate(levels.items()):
        yield Decision(step + place, EVERY_RECORD, name, 0, level, rule, risk, risk, others)


def _of_cells(
    cells: Mapping[str, tuple[Array, Array]],
    hierarchies: Mapping[str, Any],
    whole: Mapping[str, int],
    now: MeasuredSample,
    others: tuple[Alternative, ...],
    rule: str,
    step: int,
) -> Iterator[Decision]:
    """Yield a decision for each cell that goes further than its column."""
    import numpy as np

    if not cells:
        return
    rows = np.unique(np.concatenate([rows for rows, _ in cells.values()]))
    risks = dict(zip(rows.tolist(), risks_of(now.risks, now.sample, rows).tolist(), strict=True))
    for name, (changed, levels) in cells.items():
        height = hierarchies[name].height if name in hierarchies else 0
        for row, level in zip(changed.tolist(), levels.tolist(), strict=True):
            hidden = level < 0 or name not in hierarchies or _is_star(hierarchies[name], level, height)
            to = None if hidden else level
            yield Decision(step, row, name, whole.get(name, 0), to, rule, risks[row], risks[row], others)
            step += 1


def _is_star(hierarchy: Any, level: int, height: int) -> bool:
    """Return whether nothing is left of a value at a level: such a cell is a labelled null."""
    return level == height and bool(hierarchy.levels[-1].startswith("any "))


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
