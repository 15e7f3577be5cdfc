"""What an analyst may know of a queryable database before the first question: what the policy declares, no figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tacita.errors import counted
from tacita.model.result import Result
from tacita.queries.budgets import caps_of, spent_text
from tacita.queries.database import QueryDatabase
from tacita.queries.policy.policy import DeclaredJoin, QueryMeasure
from tacita.queries.question import Statistic


@dataclass(frozen=True, slots=True, repr=False)
class DatabaseDescription(Result):
    """The words of questions to a database. It tells nothing of how many records there are."""

    name: str
    answers: str
    """The mode: 'exact', 'camouflage', 'sample', 'perturbed' or 'private'."""
    guarantee: str
    filters: tuple[tuple[str, tuple[str, ...]], ...]
    """Attributes that may be filtered and grouped by, with their labels."""
    regressors: tuple[tuple[str, tuple[str, ...]], ...]
    measures: tuple[QueryMeasure, ...] = field(repr=False)
    joins: tuple[DeclaredJoin, ...] = ()
    budget: Mapping[str, str] = field(default_factory=dict)
    """What one analyst may spend in all, by currency."""
    unlisted: tuple[str, ...] = ()
    """Attributes that may be grouped by, and whose labels are confidential."""

    def _in_short(self) -> str:
        return f"'{self.name}': {counted(len(self.filters), 'filter')}, {counted(len(self.measures), 'measure')}"


def description_of(database: QueryDatabase) -> DatabaseDescription:
    """Return what analysts may know of a database."""
    cube, policy = database.version.cube, database.version.policy
    regressors = {one.name for one in policy.regressors}
    labels = [(one.name, one.labels) for one in cube.attributes if one.name not in policy.unlisted]
    return DatabaseDescription(
        policy.name,
        str(policy.answers),
        database.guarantee,
        tuple(one for one in labels if one[0] not in regressors),
        tuple(one for one in labels if one[0] in regressors),
        tuple(_answered(one, database.statistics) for one in policy.measures),
        policy.joins,
        spent_text({currency: own for currency, (_, own) in caps_of(policy).items()}),
        tuple(one.name for one in policy.filters if one.name in policy.unlisted),
    )


def _answered(measure: QueryMeasure, statistics: frozenset[Statistic]) -> QueryMeasure:
    """Return a measure with those of its statistics that the mode answers."""
    return replace(measure, statistics=tuple(one for one in measure.statistics if one in statistics))
