"""The attack on a pattern of a case: the same for a pattern made here and for one made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.result import Audit
from tacita.attacks.tables.table_audit import audit
from tacita.model.table import Knowledge, Movement
from tacita.progress import Progress
from tacita.tables.front.case import Case


def attacked(
    case: Case,
    withheld: NDArray[np.bool_],
    progress: Progress,
    knowledge: Knowledge | None = None,
    movements: Sequence[Movement] = (),
) -> Audit:
    """Return the verdict of the independent attacker, by everybody, by single contributors, and on sums of cells."""
    known = bool(np.isfinite(case.table.values).all())
    return audit(
        case.table,
        withheld,
        case.levels,
        knowledge or case.knowledge,
        coalitions=known,
        unions=known,
        minimum_frequency=case.minimum_frequency,
        union_is_sensitive=case.union_is_sensitive,
        movements=movements,
        progress=progress,
    )
