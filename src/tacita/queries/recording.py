"""What the ledger has of a queryable database: its opening, and every question with its answer.

An entry of the kind 'answer' has the question, not as the analyst wrote it but as it was understood, the figures that
were given, what they cost, and why anything was refused. Whoever reads all of them has the state of the database.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tacita.errors import LedgerError
from tacita.ledger.entry import Entry, NewEntry
from tacita.ledger.ledger import Ledger
from tacita.queries.answer import Figure
from tacita.queries.audit.judge import Objection, ToldSum
from tacita.queries.cube.cube import Cube
from tacita.queries.cube.version import FrozenVersion
from tacita.queries.disclosing import answer_disclosures
from tacita.queries.language.canonical import canonical_question
from tacita.queries.language.payload import question_from_payload, question_payload
from tacita.queries.language.text import question_text
from tacita.queries.policy.policy import AnswerMode
from tacita.queries.question import AskedStatistic, DataQuestion, Mask, Statistic
from tacita.queries.state import RecordedAnswer

OPENING, ANSWER = "query opening", "answer"
RELEASED, REFUSED, REPEATED, OPENED = "released", "refused", "repeated", "opened"
_FORMAT = 1


def opening_entry(version: FrozenVersion, policy_sha256: str) -> NewEntry:
    """Return the entry that records the opening of a version."""
    policy = version.policy
    payload = {
        "format": _FORMAT,
        "database": version.id,
        "name": policy.name,
        "records": version.cube.records,
        "cells": len(version.cube),
        "answers": str(policy.answers),
        "folder": str(version.folder.resolve()),
    }
    if version.earlier:
        payload["after"] = version.earlier[-1]
    return NewEntry(
        OPENING,
        source=version.source_sha256,
        subject=policy.subject,
        policy=policy_sha256,
        decision=OPENED,
        payload=payload,
    )


def opening_payload(entry: Entry, ledger: Ledger) -> Mapping[str, Any]:
    """Return what an opening says. Raise if it was purged: then nobody can tell which version answers."""
    payload = ledger.payload(entry)
    if payload is None:
        raise _purged(entry, ledger.place)
    return payload


def answer_entry(
    version: FrozenVersion,
    policy_sha256: str,
    wanted: Mapping[str, Any],
    figures: Sequence[Sequence[Figure]],
    objections: Sequence[Objection],
    sums: Sequence[ToldSum] = (),
) -> NewEntry:
    """Return the entry of a question; `wanted` has analyst, number, question, groups, spent, and `of` if repeated.

    `sums` is what it tells exactly: releases that leave later are judged together with it.
    """
    question: DataQuestion = wanted["question"]
    # Without any rows the answer is that no label is released.
    answered = not figures or any(figure.is_answered for row in figures for figure in row)
    decision = REPEATED if wanted.get("of") else RELEASED if answered else REFUSED
    payload = {
        "format": _FORMAT,
        "database": version.id,
        "analyst": wanted["analyst"],
        "number": wanted["number"],
        "question": question_payload(question),
        "text": question_text(question, version.cube),
        "groups": [list(codes) for codes in wanted["groups"]],
        "figures": [[figure.to_payload() for figure in row] for row in figures],
        "spent": dict(wanted.get("spent", {})),
        "objections": [_objection_payload(one) for one in objections],
        "of": wanted.get("of", 0),
    }
    if decision == RELEASED:
        disclosures = answer_disclosures(version.cube, version.population, sums, wanted["number"])
        where = {"folder": version.policy.name, "internal": str(version.folder.resolve())}
        payload |= {} if disclosures is None else {"disclosures": disclosures.to_payload(), **where}
    return NewEntry(
        ANSWER,
        source=version.source_sha256,
        subject=version.policy.subject,
        policy=policy_sha256,
        decision=decision,
        payload=payload,
    )


def recorded_answer(
    entry: Entry, payload: Mapping[str, Any] | None, databases: Sequence[str], place: str
) -> RecordedAnswer | None:
    """Return the answer of an entry; None if it is not one of some databases. Raise if nobody can tell any more."""
    if payload is None:
        raise _purged(entry, place)
    if payload.get("database") not in databases:
        return None
    if payload.get("format", _FORMAT + 1) > _FORMAT:
        raise LedgerError(
            f"entry {entry.sequence} was written by a newer Tacita",
            where=place,
            do="update Tacita: it has to be judged",
        )
    try:
        return RecordedAnswer(
            entry.sequence,
            entry.time,
            payload["analyst"],
            payload["number"],
            entry.decision,
            question_from_payload(payload["question"]),
            payload["text"],
            tuple(tuple(codes) for codes in payload["groups"]),
            tuple(tuple(Figure.from_payload(figure) for figure in row) for row in payload["figures"]),
            payload["spent"],
            tuple(payload["objections"]),
            payload["of"],
            payload["database"],
        )
    except (KeyError, TypeError, ValueError):
        raise LedgerError(
            f"entry {entry.sequence} is not an answer as Tacita writes it",
            where=place,
            do="verify the ledger: tacita ledger verify",
        ) from None


def _purged(entry: Entry, place: str) -> LedgerError:
    return LedgerError(
        f"the payload of entry {entry.sequence} was purged, and with it what was answered",
        where=place,
        do="open the data set anew under a new name: what is known of this one cannot be judged any more",
    )


def question_key(question: DataQuestion, cube: Cube) -> tuple[Any, ...]:
    """Return what is the same for two questions about the same records and figures, whatever their words.

    Which cells have a record is a fact of the data. Of private answers it must not decide what is free: there two
    questions are the same if their predicates are, for any data; a new version is new data, and costs again.
    """
    form = (question.aggregates, question.groups, question.levels)
    if cube.policy.answers is AnswerMode.PRIVATE:
        return (cube.version, form, canonical_question(question, cube).predicate)
    if cube.history is None or len(cube.history.versions) == 1:
        return (form, cube.cells_of(question).tobytes())
    digest = hashlib.sha256()
    groups = cube.grouped(question)
    for _, cells in groups:
        for one in question.aggregates:
            for summed in _cells_of_figure(one, cube, cells):
                digest.update(np.packbits(summed).tobytes())
    return (form, tuple(codes for codes, _ in groups), digest.digest())


def _cells_of_figure(one: AskedStatistic, cube: Cube, cells: Mask) -> Iterator[Mask]:
    """Yield the cells that a figure is made of, as they are the same in all versions."""
    if one.statistic not in {Statistic.SLOPE, Statistic.INTERCEPT}:
        yield cube.same_values(one.measure, cells)
        if one.statistic is Statistic.RATIO:
            yield cube.same_values(one.other, cells)
        return
    # Which number the records have is a matter of the version, too.
    for code in range(len(cube.attribute(one.other).labels)):
        yield cube.same_values(one.measure, cells & (cube.codes[one.other] == code))


def _objection_payload(one: Objection) -> dict[str, Any]:
    return {
        "rule": one.rule,
        "sentence": one.sentence,
        "groups": list(one.places),
        "multipliers": [list(pair) for pair in one.multipliers],
        "looks_at_values": one.looks_at_values,
    }
