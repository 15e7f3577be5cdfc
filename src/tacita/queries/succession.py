"""Versions of one data set: which may follow which, and the entry of the ledger that lets a new one answer.

From that entry on the version before it answers nothing. It is appended while nobody else may append, and only if no
other version follows the same one: of two processes that open a new version at once, one is the first.
"""

from __future__ import annotations

import hashlib
from dataclasses import fields, replace
from typing import Any

from tacita.errors import LedgerError, UsageError, listed
from tacita.ledger.ledger import Ledger
from tacita.queries.cube.version import FrozenVersion
from tacita.queries.policy.policy import QueryLimits, QueryPolicy
from tacita.queries.recording import OPENING, opening_entry, opening_payload

_KEYS = {"filters": "filter", "measures": "measure", "regressors": "regressor", "joins": "join"}


def record_opening(version: FrozenVersion, ledger: Ledger) -> None:
    """Record the opening of a version: questions are its own from now on. Raise if another one was the first."""
    digest = hashlib.sha256(version.policy.text.encode()).hexdigest()
    with ledger.alone() as turn:
        if version.earlier:
            check_latest(version.policy.subject, version.earlier[-1], ledger)
        else:
            check_not_open(version.policy.subject, ledger)
        turn.append([opening_entry(version, digest)])


def check_not_open(subject: str, ledger: Ledger) -> None:
    """Raise if a data set is open under a name: two of them would be judged without each other."""
    if openings := list(ledger.entries(kinds=(OPENING,), subject=subject)):
        raise UsageError(
            f"'{subject}' is open already (entry {openings[0].sequence}), and what was answered counts",
            where=ledger.place,
            do="ask there; open a new version of the data after it (--after), other data under a name of their own",
        )


def check_latest(subject: str, database: str, ledger: Ledger) -> None:
    """Raise unless a version, by its id, was opened and no other one follows it."""
    payloads = [opening_payload(entry, ledger) for entry in ledger.entries(kinds=(OPENING,), subject=subject)]
    for payload in payloads:
        if payload.get("after") == database:
            raise UsageError(
                "has a newer version already",
                where=subject,
                do=f"open the data after that one: --after {payload['folder']}",
            )
    if not any(payload.get("database") == database for payload in payloads):
        raise LedgerError(
            "the ledger does not have the opening of the version before",
            where=ledger.place,
            do="restore the ledger; if opening that version was interrupted, open it again",
        )


def check_succession(before: FrozenVersion, policy: QueryPolicy) -> None:
    """Raise unless data under a policy may be a new version of a data set."""
    where = str(before.folder)
    if before.cube.history is None:
        raise UsageError(
            "was opened without a 'key', so that its records are not known in other data",
            where=where,
            do="give the policy a 'key', and open the data under a new name; later versions can follow that one",
        )
    if different := policy_differences(before.policy, policy):
        raise UsageError(
            f"was opened with another policy: {listed(different, 20)}",
            where=where,
            do="take the policy of the version before, or open the data under a new name",
        )


def policy_differences(one: QueryPolicy, other: QueryPolicy) -> list[str]:
    """Return the keys of the file in which two policies differ. What the machine may spend can be another amount."""
    result: list[str] = []
    for field in fields(QueryPolicy):
        if not field.compare:
            continue
        mine, its = (getattr(_comparable(policy), field.name) for policy in (one, other))
        if mine == its:
            continue
        key = _KEYS.get(field.name, field.name)
        if key in {"rules", "limits"}:
            result += [f"{key}.{part.name}" for part in fields(mine) if _differ(mine, its, part.name)]
        elif key == "options":
            names = sorted({*mine, *its})
            result += [f"{one.answers}.{name}" for name in names if mine.get(name) != its.get(name)]
        else:
            result.append(key)
    return result


def _differ(one: Any, other: Any, name: str) -> bool:
    return bool(getattr(one, name) != getattr(other, name))


def _comparable(policy: QueryPolicy) -> QueryPolicy:
    """Return a policy whose files are named in full, with the usual limits of cells, memory and time."""
    program, usual = policy.rules.program, QueryLimits()
    return replace(
        policy,
        limits=replace(policy.limits, cells=usual.cells, memory=usual.memory, deadline=usual.deadline),
        joins=tuple(replace(join, file=join.file.resolve()) for join in policy.joins),
        rules=replace(policy.rules, program=None if program is None else program.resolve()),
    )
