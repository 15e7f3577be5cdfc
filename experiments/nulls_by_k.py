"""Figures 7a to 7c: nulls, information loss, and what maybe-match saves, by k.

k-anonymity, T = 0.5, local suppression, less significant tuples first. The paper does not say how its cycle goes from
one tuple to the next, so it is run in three ways: with the fewest nulls that we find; record after record, the riskiest
cell first; and in rounds, where every risky tuple loses a cell before the risk is measured again.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from experiments.point import FEWEST, ONE_BY_ONE, ROUNDS, STANDARD, Point
from experiments.surveys import Extent, cycled, survey
from tacita.cycle.plan import Plan
from tacita.cycle.suppression.routing import AttributeRoute
from tacita.progress import Progress, Step, silent
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.null_semantics import Nulls, Semantics
from tacita.utility.recoding import NullLoss


def nulls_by_k(extent: Extent, seed: int, wanted: Set[str], progress: Progress = silent) -> Iterator[Point]:
    """Yield the points of the wanted ones of figures a, b and c."""
    total, done = len(extent.surveys) * len(extent.ks), 0
    for name in extent.surveys:
        with survey(name, seed) as data:
            for k in extent.ks:
                progress(Step(f"Figure 7 a-c: {name}, k = {k}", done, total))
                done += 1
                for series, plan in _plans(k, wanted).items():
                    outcome, cost = cycled(data.microdata, plan)
                    risky, nulls = outcome.before.unsafe, outcome.nulls
                    loss = NullLoss(nulls, risky, len(data.dictionary.quasi_identifiers), data.rows)
                    about = (risky, outcome.after.unsafe_strict, cost.cpu, cost.elapsed)
                    if series != STANDARD:
                        yield Point("a", name, series, k, nulls, *about)
                        yield Point("b", name, series, k, loss.of_risky, *about)
                    if series in {FEWEST, STANDARD}:
                        yield Point("c", name, series, k, nulls, *about)


def _plans(k: int, wanted: Set[str]) -> dict[str, Plan]:
    measure = KAnonymity(k)
    plans = {FEWEST: Plan(measure, nulls=Nulls())}
    if wanted & {"a", "b"}:
        plans[ONE_BY_ONE] = Plan(measure, nulls=Nulls(), attributes=AttributeRoute.MOST_RISKY_FIRST)
        plans[ROUNDS] = Plan(measure, nulls=Nulls(), rounds=True, take_back=False)
    if "c" in wanted:
        plans[STANDARD] = Plan(measure, nulls=Nulls(semantics=Semantics.STANDARD))
    return plans
