"""An open queryable database: asks judges and a mechanism, writes to the ledger, then answers.

The order keeps promises: the question is understood; then, while nobody else may append to the ledger, what others
asked meanwhile is learnt, the question is judged by all of it, budgets are looked at, the answer is drawn and appended;
and only when it is on the disk does anybody see it. A process that is killed in between has spent and not answered.

Several processes may have the same database open: the ledger is what they have in common.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Self

from tacita.errors import LedgerError, QueryRefused, TacitaError, UsageError
from tacita.ledger.entry import Entry
from tacita.ledger.ledger import Ledger, LedgerTurn
from tacita.model.result import Result
from tacita.queries.answer import NOT_ANSWERED, AnswerRow, Figure, QueryAnswer
from tacita.queries.audit.judge import EntryOf, Objection, ReleasesJudge
from tacita.queries.budgets import budget_objection, left_of, spent_text
from tacita.queries.cube.version import FrozenVersion
from tacita.queries.deciding import DecidedAnswer, GroupsDecision, JudgedGroups, request_of
from tacita.queries.disclosing import told_exactly
from tacita.queries.inferring import InferredSoFar, inferred_so_far
from tacita.queries.language.parse import parse_question
from tacita.queries.language.text import question_text
from tacita.queries.mechanism import AskedGroup, AskedQuestion, Mechanism, Price, ReleasesLabels
from tacita.queries.mechanisms import mechanism_of
from tacita.queries.question import Statistic
from tacita.queries.recording import (
    ANSWER,
    OPENING,
    answer_entry,
    opening_payload,
    question_key,
    recorded_answer,
)
from tacita.queries.state import QueryState, RecordedAnswer, shown_rows

_LONGEST_NAME = 100
BesideReleases = Callable[[FrozenVersion, Ledger], ReleasesJudge]
"""Makes the judge of questions together with releases: it stands above, beside whoever judges releases."""


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

    def __init__(self, version: FrozenVersion, ledger: Ledger, beside: BesideReleases) -> None:
        """Read the ledger and learn everything that was answered; raise if a part of it is gone.

        `beside` makes the judge of questions together with releases.
        """
        self.version, self.ledger, self._beside = version, ledger, beside
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
        self._latest, self._answers_elsewhere = version.id, ""
        self._rebuild()
        if not any(entry.kind == OPENING for entry in self._own_openings()):
            raise LedgerError(
                "the ledger does not have the opening of this database",
                where=ledger.place,
                do="restore the ledger; if opening was interrupted, delete the folder and open it again",
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
    def statistics(self) -> frozenset[Statistic]:
        """What can be answered in the mode of the policy."""
        return self._mechanism.statistics

    @property
    def guarantee(self) -> str:
        """What holds of every figure."""
        return self._mechanism.guarantee

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be said of releases that are judged together with questions."""
        with self._alone:
            return self._releases.notes()

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
                self._catch_up()
                self._releases.read()  # before others have to wait
                with self.ledger.alone() as turn:
                    self._catch_up()
                    if newer := self._newer():
                        return [newer for _ in understood]
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
            if newer := self._newer():
                raise newer
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
    def answers_elsewhere(self) -> str:
        """The folder of the version that answers instead, as it was opened; empty if this one answers."""
        with self._alone:
            self._catch_up()
            return self._answers_elsewhere

    @property
    def state(self) -> QueryState:
        """What was answered, as the ledger has it now."""
        with self._alone:
            self._catch_up()
            return self._state

    def _newer(self) -> QueryRefused | None:
        """Return why nothing is answered if there is a newer version; its path is not for everybody."""
        if not self._answers_elsewhere:
            return None
        name = Path(self._answers_elsewhere).name
        return QueryRefused(
            f"'{self.version.policy.name}' has a newer version, and only this one answers",
            do=f"ask the version in the folder '{name}'; history and audit of this one stay readable",
        )

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
        }
        price = self._mechanism.price(wanted)
        before = self._same(wanted, price)
        if before is not None:
            decided = DecidedAnswer(before.groups, before.figures)
            facts["of"] = before.sequence
        else:
            decided = self._decided(wanted, price)
            if decided.is_drawn:
                facts["spent"] = dict(price.spent)
        facts["groups"] = decided.groups
        sums = () if decided.judged is None else decided.judged.request.facts
        new = answer_entry(self.version, self._policy_sha256, facts, decided.figures, decided.objections, sums)
        (entry,) = turn.append([new])
        recorded = self._learn(entry, decided.judged)
        assert recorded is not None
        return replace(self._shown(recorded, decided.figures), is_repeated=before is not None)

    def _same(self, wanted: AskedQuestion, price: Price) -> RecordedAnswer | None:
        """Return the answer to the same question, if it was paid as well: who pays more gets less noise."""
        before = self._state.same(question_key(wanted.question, self.version.cube), wanted.analyst)
        if before is None or any(before.spent.get(currency, 0) < cost for currency, cost in price.spent.items()):
            return None
        return before

    def _decided(self, wanted: AskedQuestion, price: Price) -> DecidedAnswer:
        """Return what becomes of a question that was not answered before."""
        policy, state = self.version.policy, self._state
        codes = tuple(group.codes for group in wanted.groups)
        refused = tuple(tuple(NOT_ANSWERED for _ in wanted.question.aggregates) for _ in wanted.groups)
        most = policy.limits.refusals
        if most is not None and state.telling_refusals(wanted.analyst) >= most:
            refusal = Objection("refusals", "The analyst has as many refusals as the policy allows.")
            return DecidedAnswer(codes, refused, (refusal,))
        if objection := budget_objection(state, wanted.analyst, price, policy):
            return DecidedAnswer(codes, refused, (objection,))
        number = len(state.answers) + 1
        judged = GroupsDecision(self.version.cube, state.judges(wanted.analyst), self._releases, number).judged(wanted)
        if not judged.places:
            return DecidedAnswer(codes, refused, judged.against)
        if policy.unlisted.intersection(wanted.question.groups) and isinstance(self._mechanism, ReleasesLabels):
            rows = self._mechanism.released(wanted, price)
            groups, figures = tuple(one.codes for one in rows), tuple(one.figures for one in rows)
            return DecidedAnswer(groups, figures, judged.against, judged, is_drawn=True)
        kept = replace(wanted, groups=tuple(wanted.groups[place] for place in judged.places))
        drawn = dict(zip(judged.places, self._mechanism.figures(kept, price), strict=True))
        figures = tuple(drawn.get(place, refused[place]) for place in range(len(wanted.groups)))
        return DecidedAnswer(codes, figures, judged.against, judged, is_drawn=True)

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
            f"{self.guarantee} {self._mechanism.remark(question, self._paid(recorded))}".strip(),
            spent_text(recorded.spent),
            {} if self._answers_elsewhere else left_of(self._state, recorded.analyst, cube.policy),
            bool(recorded.of),
        )

    def _paid(self, recorded: RecordedAnswer) -> Mapping[str, int]:
        """Return what the figures of an answer cost, whoever paid them first."""
        return self._state.paid_at(recorded.of or recorded.sequence)

    def _rebuild(self) -> None:
        self._state = QueryState(self.version.cube)
        self._releases = self._beside(self.version, self.ledger)
        self._is_behind = False
        self._catch_up()

    def _catch_up(self) -> None:
        subject = self.version.policy.subject
        for entry in self.ledger.entries(after=self._state.sequence):
            is_own = entry.kind == ANSWER and entry.subject == subject and self._learn(entry) is not None
            if entry.kind == OPENING and entry.subject == subject:
                self._notice(entry)
            self._state.sequence = max(self._state.sequence, entry.sequence)
            if not is_own:
                self._releases.follow(entry, EntryOf.OTHERS)

    def _notice(self, entry: Entry) -> None:
        """Take in an opening: that of a version after this one, or after one that came after it, ends its answers."""
        payload = opening_payload(entry, self.ledger)
        if payload.get("after") in {self.version.id, self._latest}:
            self._latest, self._answers_elsewhere = payload["database"], payload["folder"]

    def _own_openings(self) -> list[Entry]:
        entries = self.ledger.entries(kinds=(OPENING,), subject=self.version.policy.subject)
        return [one for one in entries if opening_payload(one, self.ledger).get("database") == self.version.id]

    def _learn(self, entry: Entry, judged: JudgedGroups | None = None) -> RecordedAnswer | None:
        """Learn an entry; `judged` is what was judged just now, if it was: judges remember it."""
        payload, ids = self.ledger.payload(entry), (*self.version.earlier, self.version.id)
        recorded = recorded_answer(entry, payload, ids, self.ledger.place)
        self._state.sequence = max(self._state.sequence, entry.sequence)
        if recorded is None:
            return None
        cube = self.version.cube_of(recorded.database)
        assert cube is not None
        is_of_this = recorded.database == self.version.id
        self._releases.follow(entry, EntryOf.THIS_VERSION if is_of_this else EntryOf.EARLIER_VERSION)
        answered = [place for place, row in enumerate(recorded.figures) if any(one.is_answered for one in row)]
        request = None
        if recorded.decision == "released" and judged is not None and judged.places == tuple(answered):
            request = judged.request
        elif recorded.decision == "released" and answered:
            groups = dict(cube.grouped(recorded.question))
            # Labels that a mechanism released are no groups of the question: nothing is judged of them.
            codes = [recorded.groups[place] for place in answered if recorded.groups[place] in groups]
            some = [AskedGroup(one, groups[one]) for one in codes]
            request = request_of(recorded.question, some, cube, len(self._state.answers) + 1).request
        self._state.learn(recorded, question_key(recorded.question, cube), request)
        if request is not None and is_of_this:
            self._releases.learn(told_exactly(cube, request))
        return recorded
