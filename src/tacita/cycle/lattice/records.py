"""From combinations back to records: the level that each cell of the microdata goes to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacita.cycle.lattice.combined import CombinedPlan
from tacita.cycle.lattice.local import SUPPRESSED, LocalPlan
from tacita.cycle.lattice.problem import Problem
from tacita.engines.arrow import as_numpy
from tacita.errors import InternalError
from tacita.masking.recoding.global_recoding import recoded
from tacita.masking.recoding.local_recoding import locally_recoded
from tacita.masking.recoding.masked import Masked
from tacita.risk.combinations import adopted, of_each_record

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


def combination_of_each_record(problem: Problem) -> Array:
    """Return for each record, in their order, the place of its combination in the problem."""
    import numpy as np

    if problem.sample is None or problem.numbers is None:
        raise InternalError("a problem without a sample has no records")
    sample = problem.sample
    relation = adopted(sample, {"place": problem.numbers.astype(np.int64)})
    plan = of_each_record(sample, relation, ["place"])
    numbers = np.empty(problem.records, dtype=np.int64)
    for batch in sample.engine.stream(plan, 1_000_000):
        numbers[as_numpy(batch.column(0)) - 1] = as_numpy(batch.column(1))
    sample.engine.drop(relation)
    return numbers


def cells_of_records(
    problem: Problem, plan: LocalPlan, whole: Mapping[str, int] | None = None
) -> dict[str, tuple[Array, Array]]:
    """Return for each attribute the records, from 1, whose cell goes above the level of its column, and to which level.

    -1 is a labelled null. `whole` gives the levels of columns that are rolled up anyway. The result is what
    `masking.local_recoding.locally_recoded` takes.
    """
    import numpy as np

    of = combination_of_each_record(problem)
    cells = {}
    for place, name in enumerate(plan.names):
        levels = plan.levels[:, place].astype(np.int64)
        above = levels != (whole or {}).get(name, 0)
        # a value that was missing stays so, whatever becomes of its combination
        above &= problem.base.labels[place] < problem.ladders[place].size(0) - 1
        rows = np.flatnonzero(above[of])
        if len(rows):
            cells[name] = rows + 1, levels[of[rows]]
    return cells


def masked_by(problem: Problem, plan: CombinedPlan) -> Masked:
    """Return the microdata of a problem as a plan wants them: columns rolled up first, then single cells."""
    if problem.sample is None:
        raise InternalError("a problem without a sample has no records")
    microdata = problem.sample.microdata
    # an attribute without a hierarchy has one level above its values, and that is a null
    whole = {name: level for name, level in plan.whole.items() if name in microdata.hierarchies}
    cells = cells_of_records(problem, plan.cells, whole)
    for name in plan.whole.keys() - whole.keys():
        rows, levels = cells[name]
        cells[name] = rows, levels * 0 + SUPPRESSED
    first = recoded(microdata, whole)
    then = locally_recoded(first.microdata, cells)
    return Masked(then.microdata, whole=first.whole, changed=then.changed)
