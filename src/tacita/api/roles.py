"""The roles of attributes: what is proposed, what is accepted, what a person says, and what a release needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacita.describe.kinds import natural_order
from tacita.describe.propose import named_as
from tacita.describe.propose import propose as propose_categories
from tacita.describe.undecided import doubts, notes_on_doubts
from tacita.engines.plans.profile import sample as first_rows
from tacita.knowledge.experience_base import ExperienceBase
from tacita.model.attribute import Category, Kind
from tacita.progress import Progress, silent

if TYPE_CHECKING:
    from tacita.api.dataset import Dataset
    from tacita.describe.similarity import Similarity
    from tacita.model.dictionary import Dictionary
    from tacita.model.profile import AttributeProfile
    from tacita.model.proposal import Proposal

_CELLS = 1000  # values of each attribute looked at for their format
_ENOUGH_CELLS = 100


def propose(
    data: Dataset,
    *,
    experience: ExperienceBase | None = None,
    similarity: Similarity | None = None,
    figures: Mapping[str, AttributeProfile] | None = None,
) -> dict[str, Proposal]:
    """Return the category that each attribute seems to have, with reasons."""
    base = experience or ExperienceBase.load(data.context.settings.experience)
    proposals = propose_categories(data.dictionary, figures or data.profiles(), _cells(data), base, similarity)
    return {proposal.attribute: proposal for proposal in proposals}


def accept(
    data: Dataset, proposals: Mapping[str, Proposal], figures: Mapping[str, AttributeProfile] | None = None
) -> Dictionary:
    """Return the dictionary with every proposal without a conflict taken over, and kinds filled in."""
    figures = figures or data.profiles()
    accepted = {
        p.attribute: p.category
        for p in proposals.values()
        if not p.conflict and data.dictionary[p.attribute].category is None
    }
    return data.dictionary.with_categories(accepted).mapped(
        lambda a: a.with_(kind=a.kind or figures[a.name].kind, order=a.order or _order(figures[a.name]))
    )


def prepare_release(
    data: Dataset, known: Sequence[str] | None = None, decided: Sequence[str] = (), *, progress: Progress = silent
) -> tuple[Dataset, tuple[str, ...]]:
    """Return the data set with the roles that a release needs, and notes about roles that nobody decided on.

    Without quasi-identifiers in the dictionary, and without `known`, those that are proposed count. An attribute
    without a category that may identify respondents, by its name, the form of its values or because they differ
    from record to record, becomes an identifier, which no release holds. Every verb that leads to a release begins
    here. `decided` are attributes that have a role without having a category.
    """
    notes: list[str] = []
    if known is None and not data.dictionary.quasi_identifiers:
        figures = data.profiles(progress)
        data = data.accept(data.propose(figures=figures), figures)
        if names := ", ".join(data.dictionary.quasi_identifiers):
            notes.append(f"quasi-identifiers were proposed, nobody decided on them: {names}")
    base = ExperienceBase.load(data.context.settings.experience)
    decided = [*(known or ()), *decided]
    doubtful = doubts(data.relation, data.dictionary, base, decided)
    notes += notes_on_doubts(doubtful)
    if dropped := [doubt.attribute for doubt in doubtful if doubt.is_dropped]:
        data = data.with_categories(dict.fromkeys(dropped, Category.IDENTIFIER))
    homes = [name for name in named_as(Category.CLUSTER_KEY, data.dictionary, base) if name not in decided]
    if homes:
        notes.append(
            f"released attributes whose names look like household keys: {', '.join(homes)}; they show which "
            "records belong together, and maybe the order of the source; to drop one, name it with --cluster"
        )
    return data, tuple(notes)


def _cells(data: Dataset) -> dict[str, list[str]]:
    """Return some values of each attribute that is not a number, as text."""
    columns = [c for c in data.relation.columns if not c.type.is_numeric]
    cells: dict[str, list[str]] = {}
    for start in range(0, len(columns), 500):
        part = columns[start : start + 500]
        rows: list[dict[str, Any]] = data.relation.engine.run(first_rows(data.relation, part, _CELLS))
        for column in part:
            cells[column.name] = [row[column.physical] for row in rows if row[column.physical] is not None]
            if len(cells[column.name]) < _ENOUGH_CELLS:  # mostly missing at the beginning: look further down
                plan = first_rows(data.relation, [column], _CELLS, present=True)
                cells[column.name] = [row[column.physical] for row in data.relation.engine.run(plan)]
    return cells


def _order(profile: AttributeProfile) -> tuple[str, ...]:
    """Return the values of an ordinal attribute in their natural order, if all of them are known."""
    if profile.kind is not Kind.ORDINAL or len(profile.most_frequent) < profile.distinct:
        return ()
    return tuple(sorted((value for value, _ in profile.most_frequent), key=natural_order))
