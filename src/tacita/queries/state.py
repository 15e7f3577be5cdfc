"""What a database remembers: everything that was answered, as the ledger has it. It changes by entries alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tacita.queries.answer import Figure
from tacita.queries.audit.judge import AuditRequest, QueryJudge
from tacita.queries.audit.judges import judges_of
from tacita.queries.audit.ranks import RankJudge
from tacita.queries.audit.sensitivity import SensitivityJudge
from tacita.queries.cube.cube import Cube
from tacita.queries.policy.policy import AnswerMode, JudgedTogether, QueryPolicy
from tacita.queries.question import ALL, DataQuestion

EVERYBODY = ""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """A question that was asked, as the ledger has it. It is internal: it says why something was refused."""

    sequence: int
    """Its entry in the ledger."""
    time: str
    analyst: str
    number: int
    """Its number among those of the analyst."""
    decision: str
    """'released', 'refused' or 'repeated'."""
    question: DataQuestion = field(repr=False)
    text: str = field(repr=False)
    """The question in canonical words."""
    groups: tuple[tuple[int, ...], ...] = field(repr=False)
    """The codes of each group."""
    figures: tuple[tuple[Figure, ...], ...] = field(repr=False)
    spent: Mapping[str, int] = field(default_factory=dict)
    """Billionths by currency."""
    objections: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    of: int = 0
    """Of a repeated question: the entry that has its answer."""
    database: str = ""
    """The id of the version that answered."""

    @property
    def telling_refusals(self) -> int:
        """How many groups a rule that looks at values refused alone: each of these refusals tells something."""
        telling, others = set[int](), set[int]()
        for one in self.objections:
            (telling if one.get("looks_at_values") else others).update(one.get("groups", ()))
        return max(len(telling - others), int(any(one.get("looks_at_values") for one in self.objections)))


class QueryState:
    """What was answered, and what follows for the next question. Mutable: `learn` changes it."""

    def __init__(self, cube: Cube) -> None:
        self._cube = cube
        self._policy: QueryPolicy = cube.policy
        self._judges: dict[str, tuple[QueryJudge, ...]] = {}
        self.answers: list[RecordedAnswer] = []
        self.spent: Counter[str] = Counter()
        """Billionths by currency, of all analysts."""
        self._spent_by: dict[str, Counter[str]] = {}
        self._asked_by: Counter[str] = Counter()
        self._telling_refusals: Counter[str] = Counter()
        self._answered: dict[tuple[str, Any], RecordedAnswer] = {}
        self._paid: dict[int, Mapping[str, int]] = {}
        self.sequence = 0

    def judges(self, analyst: str) -> tuple[QueryJudge, ...]:
        """Return the judges of what an analyst, or everybody together, was told."""
        who = analyst if self._policy.together is JudgedTogether.ANALYST else EVERYBODY
        if who not in self._judges:
            self._judges[who] = (*self._judging(), RankJudge(self._cube, self._policy))
        return self._judges[who]

    def _judging(self) -> tuple[QueryJudge, ...]:
        """Return the judges of the mode: answers with noise tell no sum exactly, those in vectors no value at all."""
        if self._policy.answers is AnswerMode.EXACT:
            return judges_of(self._cube, self._policy)
        if self._policy.answers in {AnswerMode.SAMPLE, AnswerMode.PERTURBED}:
            return (SensitivityJudge(self._cube, self._policy),)
        return ()

    def independent_sums(self) -> tuple[tuple[str, int, int], ...]:
        """Return, of each measure, how many independent sums were told, and how many groups of records they tell apart.

        Where analysts are judged each alone, the figures are those of the one who was told most.
        """
        most: dict[str, tuple[int, int]] = {}
        for judges in self._judges.values():
            for judge in judges:
                if isinstance(judge, RankJudge):
                    for (measure, power), rank in judge.ranks.items():
                        name = f"{measure} squared" if power > 1 else measure
                        most[name] = max(most.get(name, (0, 0)), (rank, judge.classes))
        return tuple((name, *figures) for name, figures in sorted(most.items()))

    @property
    def judging(self) -> Mapping[str, tuple[QueryJudge, ...]]:
        """The judges of each analyst, or of everybody together under an empty name."""
        return self._judges

    def next_number(self, analyst: str) -> int:
        """Return the number that the next question of an analyst has."""
        return self._asked_by[analyst] + 1

    def paid_at(self, sequence: int) -> Mapping[str, int]:
        """Return what the answer of an entry cost."""
        return self._paid.get(sequence, {})

    def spent_by(self, analyst: str) -> Counter[str]:
        """Return what an analyst has spent, in billionths by currency."""
        return self._spent_by.setdefault(analyst, Counter())

    def telling_refusals(self, analyst: str) -> int:
        """Return how many refusals an analyst got that tell something of the data."""
        return self._telling_refusals[analyst]

    def same(self, key: Any, analyst: str) -> RecordedAnswer | None:
        """Return the answer to the same question, if it was given: to anybody, or to this analyst."""
        who = analyst if self._policy.together is JudgedTogether.ANALYST else EVERYBODY
        return self._answered.get((who, key))

    def learn(self, answer: RecordedAnswer, key: Any, request: AuditRequest | None) -> None:
        """Take in an answer that is in the ledger; `request` is what it told, None if nothing is to be audited."""
        self.sequence = answer.sequence
        self.answers.append(self._with_shared_parts(answer, key))
        self._asked_by[answer.analyst] = max(self._asked_by[answer.analyst], answer.number)
        self.spent.update(answer.spent)
        if answer.spent:
            self._paid[answer.sequence] = answer.spent
        self.spent_by(answer.analyst).update(answer.spent)
        refusals = answer.telling_refusals
        self._telling_refusals[answer.analyst] += refusals if self._policy.rules.cell_by_cell else min(refusals, 1)
        if answer.decision == "released":
            who = answer.analyst if self._policy.together is JudgedTogether.ANALYST else EVERYBODY
            before = self._answered.get((who, key))
            if before is None or sum(answer.spent.values()) > sum(before.spent.values()):
                self._answered[who, key] = answer
            if request is not None:
                for judge in self.judges(answer.analyst):
                    judge.learn(request)

    def _with_shared_parts(self, answer: RecordedAnswer, key: Any) -> RecordedAnswer:
        """Return an answer with the parts of the first one if it repeats it: repetitions then need little memory."""
        first = self.same(key, answer.analyst) if answer.of else None
        if first is None:
            return answer
        parts = {name: getattr(first, name) for name in ("question", "text", "groups", "figures")}
        return replace(answer, **{name: part for name, part in parts.items() if part == getattr(answer, name)})


def shown_rows(groups: Sequence[tuple[int, ...]], names: Sequence[str], cube: Cube) -> list[tuple[str | None, ...]]:
    """Return the labels of groups; None where all codes of an attribute are together."""
    labels = [cube.attribute(name).labels for name in names]
    return [
        tuple(None if code == ALL else label[code] for label, code in zip(labels, codes, strict=True))
        for codes in groups
    ]
