"""Questions to a data set: open it once under a policy, then ask; every answer is judged by all that was answered.

>>> from tempfile import TemporaryDirectory
>>> import tacita as tc
>>> policy = parse_query_policy('''
... name = "firms"
... [[filter]]
... attribute = "Area"
... [[measure]]
... attribute = "W"
... lower = 0
... upper = 1000
... ''')
>>> with TemporaryDirectory() as folder:
...     opened = open_for_questions(tc.sample("figure-1"), policy, Path(folder) / "firms.opened")
...     with Database(opened.folder) as firms:
...         answer = firms.sql("SELECT COUNT(*), AVG(W) FROM firms", analyst="ann")
>>> opened, answer
(<OpenedDatabase 'firms': 20 records in 3 cells>, <QueryAnswer 'firms': answered, 1 row>)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Self

from tacita.api.dataset import Dataset
from tacita.errors import LedgerError, TacitaError, UsageError, counted
from tacita.options import option
from tacita.progress import Progress, silent
from tacita.queries.answer import QueryAnswer
from tacita.queries.auditing import QueryAudit, QueryHistory, audit_of, history_of
from tacita.queries.database import Inquiry, QueryDatabase, QuotedPrice
from tacita.queries.describing import DatabaseDescription, description_of
from tacita.queries.mechanism import NANO
from tacita.queries.opening import OpenedDatabase, open_database, open_version
from tacita.queries.policy.policy import QueryPolicy
from tacita.queries.policy.policy_file import parse_query_policy, read_query_policy
from tacita.release.questions import QuestionsBesideReleases
from tacita.settings import Settings

__all__ = [
    "AskOptions",
    "Database",
    "DatabaseDescription",
    "OpenedDatabase",
    "QueryAnswer",
    "QueryAudit",
    "QueryHistory",
    "QueryOpeningOptions",
    "QueryPolicy",
    "QuotedPrice",
    "SentQuestion",
    "open_for_questions",
    "parse_query_policy",
    "read_query_policy",
]
_DIGITS = 30
_LARGEST = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryOpeningOptions:
    """How a data set is opened for questions."""

    policy: Path = option(Path("policy.toml"), metavar="FILE.toml", help="The policy of the data set.")
    after: Path | None = option(
        None,
        metavar="FOLDER",
        help="Open it as a new version of the data set in this folder, which answers no more.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOptions:
    """Who asks, and how exactly."""

    analyst: str = option("holder", help="Who asks: answers, refusals and budgets are counted by name.")
    epsilon: str | None = option(None, metavar="NUMBER", help="What to pay for a private answer, in its currency.")
    accuracy: str | None = option(
        None, metavar="NUMBER", help="How far figures may be away (95 %); what that costs is worked out."
    )


@dataclass(frozen=True, slots=True)
class SentQuestion:
    """A question of an analyst, with what it may cost or how exact it is to be."""

    question: str = field(repr=False)
    analyst: str
    epsilon: str | float | None = None
    accuracy: str | float | None = None


def open_for_questions(
    data: Dataset,
    policy: QueryPolicy | str | Path,
    folder: str | Path,
    *,
    after: str | Path | None = None,
    progress: Progress = silent,
) -> OpenedDatabase:
    """Freeze a data set and open it for questions under a policy; the folder stays inside.

    With `after`, the folder of an earlier version, it is a new version of the same data set: answers, refusals and
    budgets go on, records that did not change stay as well hidden as they were, and the earlier version answers no
    more. Its policy needs a 'key', and has to be the same.

    Raises `InputError` if the data do not fit the policy, `LimitError` if there would be too many cells, and
    `UsageError` if the data cannot follow the earlier version.
    """
    given = policy if isinstance(policy, QueryPolicy) else read_query_policy(policy)
    return open_version(
        data.microdata,
        given,
        Path(folder),
        after=None if after is None else Path(after),
        judge_of=QuestionsBesideReleases,
        settings=data.context.settings,
        progress=progress,
    )


class Database:
    """A data set that was opened for questions. Use it in a ``with`` statement, or close it; threads may share it."""

    def __init__(self, folder: str | Path, settings: Settings | None = None) -> None:
        """Open the folder that `open_for_questions` made; raise if anything of it, or of its ledger, was changed."""
        self._database: QueryDatabase = open_database(Path(folder), QuestionsBesideReleases, settings)

    def __repr__(self) -> str:
        return repr(self._database)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the ledger."""
        self._database.close()

    def sql(
        self,
        question: str,
        *,
        analyst: str = "holder",
        epsilon: str | float | None = None,
        accuracy: str | float | None = None,
    ) -> QueryAnswer:
        """Ask; the answer is in the ledger when this returns. Raises `QueryRefused` if nobody may ask such a thing."""
        return self._database.ask(_asking(question, analyst, epsilon, accuracy))

    def price(
        self,
        question: str,
        *,
        analyst: str = "holder",
        epsilon: str | float | None = None,
        accuracy: str | float | None = None,
    ) -> QuotedPrice:
        """Return what a question would cost; nothing is spent."""
        return self._database.price(_asking(question, analyst, epsilon, accuracy))

    def ask_together(self, questions: Sequence[SentQuestion]) -> list[QueryAnswer | TacitaError]:
        """Ask several questions, which are written to the disk at once; each is judged with those before it.

        A question that cannot be asked gives its error in its place. Raises if the ledger cannot be written: then
        nothing was answered.
        """
        inquiries = [_inquiry_or_error(one) for one in questions]
        answers = iter(self._database.ask_together([one for one in inquiries if isinstance(one, Inquiry)]))
        return [next(answers) if isinstance(one, Inquiry) else one for one in inquiries]

    def description(self) -> DatabaseDescription:
        """Return what an analyst may know before the first question: attributes, labels, measures; no figure."""
        return description_of(self._database)

    def check_ledger(self) -> tuple[str, ...]:
        """Recompute every hash of the ledger; raise `LedgerError` with the first place that was changed.

        Returns what a person should know who serves the data set: how safely its ledger is kept, and whether a newer
        version answers instead.
        """
        ledger = self._database.ledger
        verification = ledger.verify()
        if faults := verification.faults:
            raise LedgerError(
                f"the ledger is not what was appended: {counted(len(faults), 'fault')}, the first: {faults[0]}",
                where=ledger.place,
                do="restore it from a backup, and compare it with a checkpoint: tacita ledger verify",
            )
        if newer := self._database.answers_elsewhere:
            said = (
                f"'{self._database.version.policy.name}' answers no question: the version in '{Path(newer).name}' does"
            )
            return (*verification.notes, said)
        return verification.notes

    def history(self, analyst: str | None = None, last: int | None = None) -> QueryHistory:
        """Return what was asked, by everybody or by one analyst, as analysts saw it; `last` is for how many."""
        return history_of(self._database, analyst, last)

    def audit(self) -> QueryAudit:
        """Return all questions with the reasons of refusals, what was told so far, and budgets. It stays inside."""
        return audit_of(self._database)


def _inquiry_or_error(sent: SentQuestion) -> Inquiry | TacitaError:
    try:
        return _asking(sent.question, sent.analyst, sent.epsilon, sent.accuracy)
    except UsageError as error:
        return error


def _asking(question: str, analyst: str, epsilon: str | float | None, accuracy: str | float | None) -> Inquiry:
    price = _number(epsilon, "epsilon")
    return Inquiry(analyst, question, None if price is None else int(price * NANO), _number(accuracy, "accuracy"))


def _number(given: str | float | None, name: str) -> Fraction | None:
    if given is None:
        return None
    text = str(given).strip()
    try:
        is_plain = len(text) <= _DIGITS and text.isascii() and not set("/_") & set(text)
        number = Fraction(text) if is_plain else Fraction(0)
    except ValueError:
        number = Fraction(0)
    if not 0 < number <= _LARGEST:
        raise UsageError(f"{name} is not a usable number above 0", do="give a number such as 0.1")
    return number
