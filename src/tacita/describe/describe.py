"""The description of microdata: what each attribute is and looks like, and how many tuples are unique."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tacita.engines.plans.frequencies import sample_uniques
from tacita.engines.protocol import Relation
from tacita.errors import counted
from tacita.model.attribute import Category
from tacita.model.microdata import Microdata
from tacita.model.profile import AttributeProfile
from tacita.model.proposal import Proposal
from tacita.model.relation import ColumnType
from tacita.model.result import Result

THRESHOLDS = (2, 3, 5)


@dataclass(frozen=True, slots=True)
class Uniques:
    """How many tuples stand out on a set of quasi-identifiers; a missing value counts as a category."""

    quasi_identifiers: tuple[str, ...]
    tuples: int
    combinations: int
    sample_uniques: int
    under: Mapping[int, int]
    """Threshold k -> tuples whose combination occurs less than k times."""


@dataclass(frozen=True, slots=True, repr=False)
class Description(Result):
    """What a steward sees first."""

    microdata: Microdata
    profiles: Mapping[str, AttributeProfile]
    proposals: Mapping[str, Proposal]
    uniques: Uniques | None

    @property
    def rows(self) -> int:
        """The number of tuples."""
        return next(iter(self.profiles.values())).rows if self.profiles else 0

    def _in_short(self) -> str:
        size = f"{counted(self.rows, 'tuple')}, {counted(len(self.profiles), 'attribute')}"
        uniques = f", {counted(self.uniques.sample_uniques, 'sample unique')}" if self.uniques else ""
        return f"'{self.microdata.name}': {size}{uniques}"

    def category(self, name: str) -> Category:
        """Return the category of an attribute: the dictionary's, or else the proposed one."""
        return self.microdata.attribute(name).category or self.proposals[name].category


def uniques(relation: Relation, names: Sequence[str]) -> Uniques | None:
    """Return how many tuples are unique on the named quasi-identifiers; None if there are none to look at."""
    if not names:
        return None
    keys = [relation.column(name) for name in names]
    if all(column.is_coded or column.type is not ColumnType.TEXT for column in keys):
        row = relation.engine.run(sample_uniques(relation, names, THRESHOLDS))[0]
    else:
        coded = relation.engine.encode(relation, names)
        row = relation.engine.run(sample_uniques(coded, names, THRESHOLDS))[0]
        relation.engine.drop(coded)
    under = {k: int(row[f"under_{k}"]) for k in THRESHOLDS}
    return Uniques(tuple(names), int(row["tuples"]), int(row["combinations"]), int(row["uniques"]), under)
