"""Figures 7e and 7f: the time of a cycle, and of the measure alone, by tuples and by quasi-identifiers.

Individual risk, k-anonymity (k = 2) and SUDA (sample uniques of fewer than 3 attributes), each with T = 0.5. The data
are in memory already. CPU seconds of all threads count, which do not depend on what else the machine does, of the
cheapest of several runs. With one thread they are what the clock says; with more they are more.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from experiments.point import ALONE, INDIVIDUAL_RISK, K_ANONYMITY, SUDA, Point
from experiments.surveys import Extent, Timed, cycled, survey, timed
from tacita.cycle.plan import Plan
from tacita.model.microdata import Microdata
from tacita.progress import Progress, Step, silent
from tacita.risk.identity.individual_risk import IndividualRisk
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.identity.suda import Suda
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls
from tacita.risk.sample import Sample

MEASURES: dict[str, Measure] = {
    K_ANONYMITY: KAnonymity(2),
    INDIVIDUAL_RISK: IndividualRisk(threshold=0.5),
    SUDA: Suda(k=3, threshold=0.5),
}
_PATIENCE = 5.0
"""A run that takes longer than so many seconds is not repeated: the machine's noise is small beside it."""


def times(extent: Extent, seed: int, wanted: Set[str], progress: Progress = silent) -> Iterator[Point]:
    """Yield the points of the wanted ones of figures e and f."""
    asked = [("e", name) for name in extent.sizes if "e" in wanted]
    asked += [("f", name) for name in extent.widths if "f" in wanted]
    with survey("figure-5", seed) as small:  # imports and compilation are not what is measured
        for measure in MEASURES.values():
            cycled(small.microdata, Plan(measure, nulls=Nulls()))
    for done, (figure, name) in enumerate(asked):
        with survey(name, seed) as data:
            x = data.rows if figure == "e" else len(data.dictionary.quasi_identifiers)
            for series, measure in MEASURES.items():
                progress(Step(f"Figure 7 {figure}: {name}, {series}", done, len(asked)))
                runs = []
                for _ in range(extent.repeats):
                    outcome, cost = cycled(data.microdata, Plan(measure, nulls=Nulls()))
                    runs.append(cost)
                    if cost.elapsed > _PATIENCE:
                        break
                alone = [_alone(data.microdata, measure) for _ in runs]
                for label, costs in ((series, runs), (f"{series}, {ALONE}", alone)):
                    best = min(costs, key=lambda run: run.cpu)
                    about = (outcome.before.unsafe, None, best.cpu, best.elapsed)
                    yield Point(figure, name, label, x, best.cpu, *about)


def _alone(microdata: Microdata, measure: Measure) -> Timed:
    """Return what the risk alone costs, for a sample of which nothing was counted yet."""
    return timed(lambda: measure.risks(Sample.of(microdata)))[1]
