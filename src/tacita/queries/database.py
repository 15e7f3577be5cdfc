"""An open queryable database: asks judges and a mechanism, writes to the ledger, then answers.

The order keeps promises: the question is understood; then, while nobody else may append to the ledger, what others
asked meanwhile is learnt, the question is judged by all of it, budgets are looked at, the answer is drawn and appended;
and only when it is on the disk does anybody see it. A process that is killed in between has spent and not answered.

Several processes may have the same database open: the ledger is what they have in common.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from tacita.errors import LedgerError, QueryRefused, TacitaError, UsageError
from tacita.ledger.entry import Entry
from tacita.ledger.ledger import Ledger, LedgerTurn
from tacita.model.result import Result
from tacita.queries.answer import NOT_ANSWERED, AnswerRow, Figure, QueryAnswer
from tacita.queries.audit.judge import AuditRequest, Objection, ToldSum
from tacita.queries.budgets import budget_objection, left_of, spent_text
from tacita.queries.cube.version import FrozenVersion
from tacita.queries.figures import facts_of
from tacita.queries.inferring import InferredSoFar, inferred_so_far
from tacita.queries.language.parse import parse_question
from tacita.queries.language.text import question_text
from tacita.queries.mechanism import AskedGroup, AskedQuestion, Mechanism, Price
from tacita.queries.mechanisms import mechanism_of
from tacita.queries.policy.policy import AnswerMode
from tacita.queries.question import DataQuestion
from tacita.queries.recording import ANSWER, OPENING, answer_entry, opening_entry, question_key, recorded_answer
from tacita.queries.state import QueryState, RecordedAnswer, shown_rows

_LONGEST_NAME = 100
_TRIES = 5
"""How many times the deadline of one audit the groups of a question may take together."""


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What an analyst sends."""

    analyst: str
    text: str
    epsilon: int | None = None
    """What to pay, in billionths of the currency."""
    accuracy: Fraction | None = None
    """How far figures may be away with a probability of 95 %."""


@dataclass(frozen=True, slots=True, repr=False)
class QuotedPrice(Result):
    """What a question would cost, and how exact its figures would be; nothing is spent by asking."""

    question: str
    names: tuple[str, ...]
    spent: dict[str, str]
    left: dict[str, str]
    errors: tuple[str | None, ...]
    is_repeated: bool
    """Whether the same was answered before: then it costs nothing."""

    def _in_short(self) -> str:
        return ", ".join(f"{amount} {currency}" for currency, amount in self.spent.items()) or "nothing"


class QueryDatabase:
    """A frozen version with its ledger. Threads may share it; close it, or use it in a ``with`` statement."""

    def __init__(self, version: FrozenVersion, ledger: Ledger) -> None:
        """Read the ledger and learn everything that was answered; raise if a part of it is gone."""
        self.version, self.ledger = version, ledger
        if version.ledger_id and ledger.identity.id != version.ledger_id:
            raise LedgerError(
                "is not the ledger that has the answers of this database",
                where=ledger.place,
                do="restore the ledger with which it was opened",
            )
        self._policy_sha256 = hashlib.sha256(version.policy.text.encode()).hexdigest()
        self._mechanism: Mechanism = mechanism_of(version)
        self._alone = threading.RLock()
        self._is_behind = False
        self._judged_request: tuple[tuple[int, ...], AuditRequest] | None = None
        self._rebuild()
        if not any(entry.kind == OPENING for entry in self._own_openings()):
            raise LedgerError(
                "the ledger does not have the opening of this database",
                where=ledger.place,
                do="an older copy, or another ledger, is in its place: restore it",
            )

    def __repr__(self) -> str:
        return f"<QueryDatabase '{self.version.policy.name}'>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the ledger."""
        self.ledger.close()

    @property
    def guarantee(self) -> str:
        """What holds of every figure."""
        return self._mechanism.guarantee

    def ask(self, asking: Inquiry) -> QueryAnswer:
        """Answer a question, or refuse it; raise `QueryRefused` if it is not one that can be asked."""
        (answer,) = self.ask_together([asking])
        if isinstance(answer, TacitaError):
            raise answer
        return answer

    def ask_together(self, askings: Sequence[Inquiry]) -> list[QueryAnswer | TacitaError]:
        """Answer several questions, written to the disk at once; each is judged with those before it.

        A question that cannot be asked gives an error in its place. Raises if the ledger cannot be written: then
        nothing was answered.
        """
        understood = [self._understood(asking) for asking in askings]
        with self._alone:
            if self._is_behind:
                self._rebuild()
            try:
                with self.ledger.alone() as turn:
                    self._catch_up()
                    self._is_behind = True  # what is learnt from here on counts only if it gets to the disk
                    answers = [one if isinstance(one, TacitaError) else self._answered(one, turn) for one in understood]
                self._is_behind = False
            except BaseException:
                self._is_behind = True
                raise
        return answers

    def price(self, asking: Inquiry) -> QuotedPrice:
        """Return what a question would cost; nothing is spent, and nothing is said of whether it will be answered."""
        wanted = self._understood(asking)
        if isinstance(wanted, TacitaError):
            raise wanted
        with self._alone:
            self._catch_up()
            price = self._mechanism.price(wanted)
            repeated = self._same(wanted, price)
            # Other predicates may select the same records: that nobody makes a difference is not said unrecorded.
            is_repeated = repeated is not None and repeated.question.predicate == wanted.question.predicate
            return QuotedPrice(
                question_text(wanted.question, self.version.cube),
                wanted.question.names,
                {} if repeated else spent_text(price.spent),
                left_of(self._state, wanted.analyst, self.version.policy),
                price.errors,
                is_repeated,
            )

    def answers(self, analyst: str | None = None) -> tuple[RecordedAnswer, ...]:
        """Return everything that was asked, or what one analyst asked."""
        with self._alone:
            self._catch_up()
            return tuple(one for one in self._state.answers if analyst is None or one.analyst == analyst)

    def inferred(self) -> tuple[InferredSoFar, ...]:
        """Return what follows from all answers, or from those of each analyst; nobody is answered meanwhile."""
        with self._alone:
            self._catch_up()
            return inferred_so_far(self._state, self.version.policy)

    def shown_again(self, recorded: RecordedAnswer) -> QueryAnswer:
        """Return a recorded answer as the analyst got it."""
        return self._shown(recorded, recorded.figures)

    @property
    def state(self) -> QueryState:
        """What was answered, as the ledger has it now."""
        with self._alone:
            self._catch_up()
            return self._state

    def _understood(self, asking: Inquiry) -> AskedQuestion | TacitaError:
        if not asking.analyst.isprintable() or not 0 < len(asking.analyst.strip()) <= _LONGEST_NAME:
            return UsageError("an analyst needs a printable name", do=f"give at most {_LONGEST_NAME} characters")
        try:
            question = parse_question(asking.text, self.version.cube)
            groups = tuple(AskedGroup(codes, cells) for codes, cells in self.version.cube.grouped(question))
            wanted = AskedQuestion(question, groups, asking.analyst, asking.epsilon, asking.accuracy)
            self._mechanism.price(wanted)
        except QueryRefused as error:
            return error
        return wanted

    def _answered(self, wanted: AskedQuestion, turn: LedgerTurn) -> QueryAnswer:
        """Decide on a question, append it, and learn it."""
        number = self._state.next_number(wanted.analyst)
        facts: dict[str, Any] = {
            "analyst": wanted.analyst,
            "number": number,
            "question": wanted.question,
            "groups": [group.codes for group in wanted.groups],
        }
        objections: tuple[Objection, ...] = ()
        price = self._mechanism.price(wanted)
        before = self._same(wanted, price)
        if before is not None:
            figures = before.figures
            facts["of"] = before.sequence
        else:
            figures, objections, is_drawn = self._judged(wanted, price)
            if is_drawn:
                # Also of figures that noise leaves without a value: that they have none tells something of the data.
                facts["spent"] = dict(price.spent)
        sums = () if before is not None or self._judged_request is None else self._judged_request[1].facts
        new = answer_entry(self.version, self._policy_sha256, facts, figures, objections, sums)
        (entry,) = turn.append([new])
        recorded = self._learn(entry, self._judged_request if before is None else None)
        assert recorded is not None
        return replace(self._shown(recorded, figures), is_repeated=before is not None)

    def _same(self, wanted: AskedQuestion, price: Price) -> RecordedAnswer | None:
        """Return the answer to the same question, if it was paid as well: who pays more gets less noise."""
        before = self._state.same(self._key(wanted.question), wanted.analyst)
        if before is None or any(before.spent.get(currency, 0) < cost for currency, cost in price.spent.items()):
            return None
        return before

    def _judged(
        self, wanted: AskedQuestion, price: Price
    ) -> tuple[tuple[tuple[Figure, ...], ...], tuple[Objection, ...], bool]:
        """Return the figures that may be seen, why others may not, and whether any was drawn."""
        policy, state = self.version.policy, self._state
        self._judged_request = None
        refused = tuple(tuple(NOT_ANSWERED for _ in wanted.question.aggregates) for _ in wanted.groups)
        most = policy.limits.refusals
        if most is not None and state.telling_refusals(wanted.analyst) >= most:
            return refused, (Objection("refusals", "The analyst has as many refusals as the policy allows."),), False
        if objection := budget_objection(state, wanted.analyst, price, policy):
            return refused, (objection,), False
        allowed, objections = self._allowed(wanted)
        if not allowed:
            return refused, objections, False
        kept = replace(wanted, groups=tuple(wanted.groups[place] for place in allowed))
        drawn = dict(zip(allowed, self._mechanism.figures(kept, price), strict=True))
        return tuple(drawn.get(place, refused[place]) for place in range(len(wanted.groups))), objections, True

    def _allowed(self, wanted: AskedQuestion) -> tuple[list[int], tuple[Objection, ...]]:
        """Return the places of the groups that may be answered together, and what is said against the others."""
        allowed = list(range(len(wanted.groups)))
        against: list[Objection] = []
        ends = time.thread_time() + _TRIES * self.version.policy.limits.deadline / 1000
        while allowed:
            if against and time.thread_time() >= ends:
                return [], (*dict.fromkeys(against), Objection("deadline", "The audit of its groups takes too long."))
            objections, of = self._objections(wanted, allowed)
            if not objections:
                return allowed, tuple(dict.fromkeys(against))
            # By groups of the question: the places of facts differ from one try to the next.
            against += [
                replace(one, places=tuple(sorted({allowed[of[place]] for place in one.places}))) for one in objections
            ]
            if not self.version.policy.rules.cell_by_cell or len(allowed) == 1:
                break
            if blamed := {of[fact] for one in objections for fact in one.places}:
                allowed = [place for at, place in enumerate(allowed) if at not in blamed]
            else:
                allowed = self._first_of(wanted, allowed, ends)
        return [], tuple(dict.fromkeys(against))

    def _first_of(self, wanted: AskedQuestion, places: list[int], ends: float) -> list[int]:
        """Return as many of the first groups as may be told: where none is to blame, the last ones wait."""
        low, high = 0, len(places)
        while high - low > 1 and time.thread_time() < ends:
            middle = (low + high) // 2
            low, high = (low, middle) if self._objections(wanted, places[:middle])[0] else (middle, high)
        return places[:low]

    def _objections(self, wanted: AskedQuestion, places: Sequence[int]) -> tuple[list[Objection], list[int]]:
        """Return what is said against some groups together, and the place among them that each fact is of."""
        request, of = self._request(wanted.question, [wanted.groups[place].cells for place in places])
        self._judged_request = (tuple(places), request)
        judges = self._state.judges(wanted.analyst)
        return [one for judge in judges for one in judge.objections(request)], of

    def _request(self, question: DataQuestion, groups: Sequence[Any]) -> tuple[AuditRequest, list[int]]:
        """Return what would be told of some groups, and the place of the group that each fact is of."""
        facts: list[ToldSum] = []
        of: list[int] = []
        if self._mechanism.mode in {AnswerMode.PRIVATE, AnswerMode.CAMOUFLAGE}:
            return AuditRequest((), len(self._state.answers) + 1), of
        for place, cells in enumerate(groups):
            # Figures of one group have facts in common: AVG and SUM the sum, and a figure may be asked for often.
            every = [one for figure in question.aggregates for one in facts_of(figure, self.version.cube, cells)]
            different = {(one.measure, one.power, one.extreme, one.cells.tobytes()): one for one in reversed(every)}
            facts += reversed(different.values())
            of += [place] * len(different)
        return AuditRequest(tuple(facts), len(self._state.answers) + 1), of

    def _shown(self, recorded: RecordedAnswer, figures: Sequence[Sequence[Figure]]) -> QueryAnswer:
        cube, question = self.version.cube, recorded.question
        labels = shown_rows(recorded.groups, question.groups, cube)
        rows = tuple(AnswerRow(label, tuple(row)) for label, row in zip(labels, figures, strict=True))
        return QueryAnswer(
            cube.policy.name,
            recorded.number,
            recorded.text,
            question.groups,
            question.names,
            rows,
            self.guarantee,
            spent_text(recorded.spent),
            left_of(self._state, recorded.analyst, cube.policy),
            bool(recorded.of),
        )

    def _key(self, question: DataQuestion) -> Any:
        return question_key(question, self.version.cube)

    def _rebuild(self) -> None:
        self._state = QueryState(self.version.cube)
        self._is_behind = False
        self._catch_up()

    def _catch_up(self) -> None:
        subject = self.version.policy.subject
        for entry in self.ledger.entries(after=self._state.sequence, kinds=(ANSWER,), subject=subject):
            self._learn(entry)

    def _own_openings(self) -> list[Entry]:
        entries = self.ledger.entries(kinds=(OPENING,), subject=self.version.policy.subject)
        return [one for one in entries if (self.ledger.payload(one) or {}).get("database") == self.version.id]

    def _learn(self, entry: Entry, judged: tuple[tuple[int, ...], AuditRequest] | None = None) -> RecordedAnswer | None:
        """Learn an entry; `judged` is what was judged last, with the places of its groups: judges remember it."""
        recorded = recorded_answer(entry, self.ledger.payload(entry), self.version.id, self.ledger.place)
        self._state.sequence = max(self._state.sequence, entry.sequence)
        if recorded is None:
            return None
        answered = [place for place, row in enumerate(recorded.figures) if any(one.is_answered for one in row)]
        request = None
        if recorded.decision == "released" and judged is not None and judged[0] == tuple(answered):
            request = judged[1]
        elif recorded.decision == "released" and answered:
            groups = dict(self.version.cube.grouped(recorded.question))
            cells = [groups[recorded.groups[place]] for place in answered]
            request, _ = self._request(recorded.question, cells)
        self._state.learn(recorded, self._key(recorded.question), request)
        return recorded


def begin_database(version: FrozenVersion, ledger: Ledger) -> QueryDatabase:
    """Record the opening of a version, and return it opened."""
    digest = hashlib.sha256(version.policy.text.encode()).hexdigest()
    ledger.append([opening_entry(version, digest)])
    return QueryDatabase(version, ledger)
