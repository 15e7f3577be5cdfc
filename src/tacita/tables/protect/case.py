"""One table of a specification, ready to be judged: its cells, what is sensitive, what an attacker knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.unions import UnionRule
from tacita.errors import InternalError
from tacita.model.table import Knowledge, Levels, Status, Table


@dataclass(frozen=True, slots=True, repr=False)
class TableCase:
    """The tables of one response, linked or single, as one system, with everything that protects and attacks need.

    `wishes` say what the steward insists on (`Status.KEPT`, `Status.FORCED`, otherwise `Status.PUBLISHED`); `given` is
    the pattern that a table came with, if it was protected elsewhere. `shows` names the dimensions of each table.
    """

    table: Table
    levels: Levels
    knowledge: Knowledge
    costs: NDArray[np.float64]
    wishes: NDArray[np.int8]
    given: NDArray[np.int8] | None = None
    shows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    minimum_frequency: int = 0
    """Fewer contributors than this are too few, also behind a sum of withheld cells that everybody can calculate."""
    union_is_sensitive: UnionRule | None = None
    """Whether such a sum would be sensitive by another rule if it were a cell."""
    is_judged: bool = True
    """Whether anything says which cells are sensitive: a rule, a level, a mark, or the steward by name."""

    def __post_init__(self) -> None:
        cells = len(self.table)
        sizes = (
            self.levels.sensitive,
            self.knowledge.lower,
            self.costs,
            self.wishes,
            self.wishes if self.given is None else self.given,
        )
        if any(len(size) != cells for size in sizes):
            raise InternalError("what is known of the cells does not fit the cells", where=f"table '{self.table.name}'")

    @property
    def primaries(self) -> NDArray[np.int8]:
        """The pattern that withholds the sensitive cells, those that the steward names, and nothing else."""
        status = np.where(self.levels.sensitive, Status.PRIMARY, self.wishes)
        return status.astype(np.int8)

    @property
    def counts_of_rules(self) -> dict[str, int]:
        """How many cells each rule finds sensitive."""
        counts = np.bincount(self.levels.rule[self.levels.sensitive], minlength=len(self.levels.rules))
        return {name: int(count) for name, count in zip(self.levels.rules, counts, strict=False)}

    def why_sensitive(self, cell: int) -> str:
        """Return why a cell is sensitive, as a sentence without any contribution."""
        rule = int(self.levels.rule[cell])
        if rule < 0:
            return "not sensitive"
        if rule < len(self.levels.reasons):
            return self.levels.reasons[rule].sentence(float(self.levels.excess[cell]))
        return f"sensitive by the rule '{self.levels.rules[rule]}'"
