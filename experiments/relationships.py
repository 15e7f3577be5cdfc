"""Figure 7d: nulls by the number of control relationships between the firms of the file.

k-anonymity with k = 2, T = 0.5. The relationships are planted as shares; rules find who belongs together. As Algorithm
9 is printed, all members of a risky cluster are changed. Our own reading changes those at risk alone: their risk is
what makes the cluster risky.
"""

from __future__ import annotations

from collections.abc import Iterator

from experiments.point import AT_RISK, WHOLE, Point
from experiments.surveys import Extent, cycled, survey
from tacita.api.dataset import Dataset
from tacita.cycle.plan import Plan
from tacita.engines.protocol import Relation
from tacita.generators.ownership import planted_control
from tacita.progress import Progress, Step, silent
from tacita.reasoning.links import related
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.null_semantics import Nulls

PROGRAM = "company_groups"


def nulls_by_relationships(extent: Extent, seed: int, progress: Progress = silent) -> Iterator[Point]:
    """Yield the points of figure d."""
    total, done = len(extent.surveys) * len(extent.relationships), 0
    for name in extent.surveys:
        with survey(name, seed) as data:
            for relationships in extent.relationships:
                progress(Step(f"Figure 7 d: {name}, {relationships} relationships", done, total))
                done += 1
                groups = company_groups(data, name, seed, relationships)
                for series in (WHOLE, AT_RISK):
                    whole = series == WHOLE  # as Algorithm 9 is printed, which takes nothing back
                    plan = Plan(
                        KAnonymity(2), nulls=Nulls(), links={"group": groups}, whole_clusters=whole, take_back=not whole
                    )
                    outcome, cost = cycled(data.microdata, plan)
                    about = (outcome.before.unsafe, outcome.after.unsafe_strict, cost.cpu, cost.elapsed)
                    yield Point("d", name, series, relationships, outcome.nulls, *about)


def company_groups(data: Dataset, name: str, seed: int, relationships: int) -> Relation:
    """Return who belongs together in a survey with so many planted control relationships, as rules find it."""
    owned = planted_control(name, seed=seed, relationships=relationships)
    return related(PROGRAM, data.microdata, {"Own": owned.table()})
