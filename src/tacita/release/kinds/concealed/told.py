"""Confidential cells that other attributes tell without a dependency of equal values.

A formula (income is twelve times the monthly pay), a code that holds another one, a value that alone tells another (a
husband is a man): `tacita.attacks.microdata.relations` looks for these before any release of microdata, and before a
file with concealed cells as well. What it finds is closed by hiding one of the attributes that tell.
"""

from __future__ import annotations

import numpy as np

from tacita.attacks.microdata.relations.search import search_derivations
from tacita.concealment.hidden_cells import HiddenCells
from tacita.dependencies.hiding.choice import Disclosure, DisclosureKind
from tacita.engines.protocol import Relation
from tacita.progress import Progress, Step, silent
from tacita.release.kinds.concealed.tuples import concealed_relation
from tacita.release.records.compared import Circumstances, ComparedRecords


class ToldCells:
    """Looks for attributes that tell hidden cells; asked again after more was hidden."""

    def __init__(
        self,
        relation: Relation,
        attributes: tuple[str, ...],
        *,
        in_order: bool = False,
        progress: Progress = silent,
    ) -> None:
        self._relation, self._attributes, self._in_order = relation, attributes, in_order
        self._progress = progress
        self.notes: tuple[str, ...] = ()
        """What was not looked at in the last attack."""

    def __call__(self, hidden: HiddenCells) -> tuple[Disclosure, ...]:
        """Return by what confidential cells are told."""
        self._progress(Step("looking whether hidden values can be derived"))
        along = frozenset(name for name in hidden.masks() if not np.any(hidden.confidential(name)))
        released = concealed_relation(self._relation, self._attributes, hidden)
        try:
            circumstances = Circumstances(along=along, in_order=self._in_order)
            search = search_derivations(ComparedRecords.of(self._relation, released, None, circumstances).view)
        finally:
            released.engine.drop(released)
        self.notes = search.notes
        return tuple(
            Disclosure(one.target, frozenset(one.attributes), DisclosureKind.TELLS, clause=str(one))
            for one in search.derivations
            if one.target not in along
        )
