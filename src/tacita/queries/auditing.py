"""What analysts and auditors see of the past: histories, and everything that was told with the reasons of refusals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tacita.errors import counted
from tacita.ledger.entry import RESTORE
from tacita.model.result import Result
from tacita.queries.answer import QueryAnswer
from tacita.queries.audit.ranks import most_answers
from tacita.queries.budgets import caps_of, left_of, spent_text
from tacita.queries.database import QueryDatabase
from tacita.queries.inferring import (
    AnalystAccount,
    InferredSoFar,
    WidthsTold,
    accounts_of,
    analyst_caps,
    widths_told,
)
from tacita.queries.policy.policy import AnswerMode
from tacita.queries.state import RecordedAnswer, shown_rows


@dataclass(frozen=True, slots=True, repr=False)
class QueryHistory(Result):
    """What was asked, as analysts saw it, oldest first."""

    database: str
    analyst: str | None
    answers: tuple[tuple[str, QueryAnswer], ...] = field(repr=False)
    """Analyst and answer."""
    left: Mapping[str, str] = field(default_factory=dict)
    """What the analyst can still spend, by currency."""

    def _in_short(self) -> str:
        return f"'{self.database}': {counted(len(self.answers), 'question')}"


@dataclass(frozen=True, slots=True, repr=False)
class QueryAudit(Result):
    """What an auditor sees. It is internal: reasons of refusals tell of the data."""

    database: str
    records: int
    cells: int
    mode: str
    guarantee: str
    questions: tuple[RecordedAnswer, ...] = field(repr=False)
    independent: tuple[tuple[str, int, int], ...] = ()
    """Of each measure (empty: counts) how many independent sums were told, and of how many classes of records."""
    most_sums: int | None = None
    """The most independent sums of a measure that the policy allows."""
    inferred: tuple[InferredSoFar, ...] = field(default=(), repr=False)
    """What follows from exact answers, for each whose answers are judged together."""
    widths: WidthsTold | None = None
    analysts: tuple[AnalystAccount, ...] = ()
    most_refusals: int | None = None
    """The most refusals that tell something, of each analyst; None: no limit, or no refusal can tell anything."""
    spent: Mapping[str, str] = field(default_factory=dict)
    caps: Mapping[str, str] = field(default_factory=dict)
    analyst_caps: Mapping[str, str] = field(default_factory=dict)
    """What one analyst may spend."""
    notes: tuple[str, ...] = ()
    labels: Mapping[int, tuple[tuple[str | None, ...], ...]] = field(default_factory=dict, repr=False)
    """Of questions with several groups and reasons of refusals: the labels of the groups, by entry."""

    def refused_groups(self, one: RecordedAnswer, places: Sequence[int]) -> list[tuple[str | None, ...]]:
        """Return the labels of the groups that a reason is about; none if the question has one group."""
        labels = self.labels.get(one.sequence, ())
        return [labels[place] for place in places] if labels else []

    @property
    def released(self) -> int:
        """How many questions were answered, at least in part."""
        return sum(one.decision == "released" for one in self.questions)

    @property
    def refused(self) -> int:
        """How many questions were refused."""
        return sum(one.decision == "refused" for one in self.questions)

    def _in_short(self) -> str:
        return f"'{self.database}': {self.released:,} answered, {self.refused:,} refused"


def history_of(database: QueryDatabase, analyst: str | None, last: int | None = None) -> QueryHistory:
    """Return what was asked by everybody or by one analyst: all of it, or so many of the last questions."""
    recorded = database.answers(analyst)
    recorded = recorded if last is None else recorded[max(len(recorded) - last, 0) :]
    policy = database.version.policy
    return QueryHistory(
        policy.name,
        analyst,
        tuple((one.analyst, database.shown_again(one)) for one in recorded),
        {} if analyst is None or database.answers_elsewhere else left_of(database.state, analyst, policy),
    )


def audit_of(database: QueryDatabase) -> QueryAudit:
    """Return everything that was asked, with reasons."""
    inferred = database.inferred()
    state, version = database.state, database.version
    policy = version.policy
    is_limited = policy.answers in {AnswerMode.EXACT, AnswerMode.SAMPLE, AnswerMode.PERTURBED}
    notes = [note for note in (version.source_note(),) if note]
    if newer := database.answers_elsewhere:
        notes.append(
            f"Questions are answered by a newer version, in the folder '{Path(newer).name}'. Its audit says what "
            "follows from the answers of all versions, and what was spent in all."
        )
    notes += [
        f"Entry {entry.sequence} accepted an older copy of the ledger: answers that were given between that copy and "
        "this entry are not in the audit."
        for entry in database.ledger.entries(kinds=(RESTORE,))
    ]
    return QueryAudit(
        policy.name,
        version.cube.records,
        len(version.cube),
        str(policy.answers),
        database.guarantee,
        tuple(state.answers),
        state.independent_sums(),
        most_answers(version.cube, policy),
        inferred,
        widths_told(state, policy),
        accounts_of(state),
        policy.limits.refusals if is_limited and not policy.rules.simulatable else None,
        spent_text(state.spent),
        spent_text({currency: total for currency, (total, _) in caps_of(policy).items()}),
        analyst_caps(policy),
        tuple(notes),
        {
            one.sequence: tuple(shown_rows(one.groups, one.question.groups, version.cube))
            for one in state.answers
            if one.objections and len(one.groups) > 1
        },
    )
