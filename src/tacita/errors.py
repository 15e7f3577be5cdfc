"""Every error that a user can meet, in one tree.

A message says what was found, where, and what to do next. It never holds a value from the data: a row number, a
column name or a count says where to look, and the steward looks in their own file.

Each branch has an exit code for the command line, so that a script can tell a bad file from a full disk.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import NoReturn


class TacitaError(Exception):
    """The root: something a user can understand and mend."""

    exit_code = 3

    def __init__(self, found: str, *, where: str | None = None, do: str | None = None) -> None:
        self.found = without_credentials(found)
        self.where = None if where is None else without_credentials(where, is_place=True)
        self.do = None if do is None else without_credentials(do)
        super().__init__(self.found)

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        todo = f"\n  what to do: {self.do}" if self.do else ""
        return f"{where}{self.found}{todo}"


class UsageError(TacitaError):
    """The request itself makes no sense: a wrong option, an unknown name."""

    exit_code = 2


class QueryRefused(UsageError):
    """A question is outside of the language or the policy; `do` says the nearest thing that is allowed.

    It depends on what the holder declared and on the question alone, never on a value of a record.
    """


class ServiceError(TacitaError):
    """A server that answers questions could not be reached, or did not take the request; `code` says why."""

    exit_code = 3

    def __init__(self, found: str, *, code: str = "", where: str | None = None, do: str | None = None) -> None:
        super().__init__(found, where=where, do=do)
        self.code = code


class InputError(TacitaError):
    """The data, or a file beside it, cannot be used as it is."""

    exit_code = 3


class DictionaryError(InputError):
    """A metadata dictionary has faults, or does not fit its data."""


class HierarchyError(InputError):
    """A hierarchy has faults, or does not cover its attribute."""


class RuleError(InputError):
    """A rule program has faults; all of them are in `faults`, and in the message with their places."""

    def __init__(self, found: str, *, faults: Sequence[object] = (), where: str | None = None, do: str | None = None):
        super().__init__(found, where=where, do=do)
        self.faults = tuple(faults)


class LedgerError(InputError):
    """A ledger is damaged, was changed, is an older copy, or is not the ledger that is meant."""


class LimitError(InputError):
    """A calculation would take more steps or memory than it may take; nothing was decided."""


class OutputError(TacitaError):
    """A result could not be written; what was there before is untouched."""

    exit_code = 4


class LedgerBusy(OutputError):
    """Another process writes to the ledger, or has the lock, and did not finish in time."""


class LedgerMoved(OutputError):
    """Somebody appended to the ledger since its state was looked at; nothing was written."""


class JointRefusal(OutputError):
    """A release was refused: with earlier ones it tells what must stay unknown, or nobody could tell."""

    exit_code = 1


class MissingExtra(TacitaError):
    """A feature needs a package that is not installed."""

    exit_code = 5


class ReasoningError(TacitaError):
    """Reasoning was stopped: a budget ran out, a denial or an equality rule failed, a value was unknown."""

    exit_code = 6


class InternalError(TacitaError):
    """A fault of ours that was noticed in time: nothing wrong was given out."""

    exit_code = 70

    def __init__(self, found: str, *, where: str | None = None) -> None:
        do = "this is a fault of Tacita; please report it with the version from 'tacita version'"
        super().__init__(found, where=where, do=do)


_CREDENTIALS = re.compile(r"[^\s/:@'\"(]*:[^\s@]\S*@")
_CREDENTIALS_OF_A_PLACE = re.compile(r"[^\s/:@'\"(]*:[^\s@].*@", re.DOTALL)
_PASSWORD = re.compile(r"\b(passwd|password|passphrase|pwd)=(?:'[^']*'|\"[^\"]*\"|[^\s&;,)'\"]+)", re.IGNORECASE)


def without_credentials(text: str, *, is_place: bool = False) -> str:
    """Return text without users and passwords of addresses such as ``user:password@host``: nobody meant to show them.

    In the name of a place they may hold blanks as well.

    >>> without_credentials("ann:s3cret@host/survey"), without_credentials("host/survey?user=ann&password=s3cret")
    ('...@host/survey', 'host/survey?user=ann&password=...')
    >>> without_credentials("data/firms.csv"), without_credentials("write to ann@example.org: now")
    ('data/firms.csv', 'write to ann@example.org: now')
    """
    if "@" in text and ":" in text:
        text = (_CREDENTIALS_OF_A_PLACE if is_place else _CREDENTIALS).sub("...@", text)
    return _PASSWORD.sub(r"\1=...", text) if "=" in text else text


def raise_alone(error: TacitaError) -> NoReturn:
    """Raise an error that does not even remember, as its context, the one it was made of: that may quote values."""
    try:
        raise error
    except TacitaError:
        error.__context__ = None
        raise


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``; did you mean 'X'?`` for the nearest known word, or nothing.

    >>> did_you_mean("Secto", ["Area", "Sector"])
    "; did you mean 'Sector'?"
    >>> did_you_mean("zzz", ["Area", "Sector"])
    ''
    """
    by_fold = {name.casefold(): name for name in known}
    near = difflib.get_close_matches(word.casefold(), by_fold, n=1, cutoff=0.6)
    return f"; did you mean '{by_fold[near[0]]}'?" if near else ""


def listed(items: Sequence[object], limit: int = 8) -> str:
    """Return a short enumeration for a message.

    >>> listed([3, 17, 20])
    '3, 17, 20'
    >>> listed(range(1, 100), limit=3)
    '1, 2, 3 and 96 more'
    """
    shown = ", ".join(str(item) for item in items[:limit])
    rest = len(items) - limit
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def printable(text: str, keep: str = "") -> str:
    """Return text without control characters, which could clear a terminal or forge a line.

    >>> printable("a" + chr(27) + "[2Jb")
    'a␛[2Jb'
    """
    if text.isprintable():
        return text
    return "".join(_visible(c) if ord(c) in _CONTROLS and c not in keep else c for c in text)


_CONTROLS = frozenset((*range(32), 127, *range(128, 160)))


def _visible(character: str) -> str:
    return chr(0x2400 + ord(character)) if ord(character) < 32 else "�"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "tuple"), counted(25000, "tuple"), counted(2, "policy"), counted(0, "key")
    ('1 tuple', '25,000 tuples', '2 policies', '0 keys')
    """
    if number == 1:
        return f"{number:,} {noun}"
    ends_in_ies = noun.endswith("y") and noun[-2:-1] not in tuple("aeiou")
    return f"{number:,} {noun[:-1]}ies" if ends_in_ies else f"{number:,} {noun}s"


def faults_text(faults: Sequence[str]) -> str:
    """Return all faults of one thing as one message, a line each."""
    if len(faults) == 1:
        return faults[0]
    return f"{len(faults)} faults:" + "".join(f"\n  - {fault}" for fault in faults)
