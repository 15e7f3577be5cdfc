"""Policies from a file: a line for each person with a list of attributes, or a line for each attribute.

The file has a column that names persons, under the name that it has in the data, and one of two more: ``confidential``,
a list with semicolons between, or ``attribute``, one name. Persons are compared as they are written. If the data have
no attribute that names persons, a column ``record`` gives the numbers of the records, from 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tacita.concealment.policies.policy import (
    CORRECT_NAMES,
    KnownNames,
    Policies,
    faults_of_names,
    policy_names,
    resolved,
)
from tacita.concealment.texts import texts_of
from tacita.engines.protocol import Engine
from tacita.errors import InputError, counted, did_you_mean, faults_text, listed
from tacita.files.contract import ReadOptions
from tacita.files.read import read

LIST, SINGLE, RECORD = "confidential", "attribute", "record"
_TEXTS, _LONGEST_HEADER = (".csv", ".txt", ".tsv", ".tab"), 10_000
_FIRST_LINE = 2
"""The line of the first person: names of columns are in the line before."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PolicyTable:
    """What a file says about who wants what confidential. It holds names of persons, and prints none."""

    where: str
    person: str | None
    """The attribute of the data that names persons; None if the file numbers records."""
    who: tuple[str | None, ...]
    what: tuple[tuple[str, ...], ...]
    """The attributes that each line names."""
    may_repeat: bool
    """Whether a person may have several lines: one for each attribute."""

    def policies(
        self, persons: Sequence[str], names: KnownNames, *, skip_unknown: bool = False
    ) -> tuple[Policies, int]:
        """Return the policies of records, whose persons are given as text, and how many lines were skipped.

        Raise with all lines that name nobody, somebody who is not in the data, one person again, or an attribute that
        does not exist; no name is told.
        """
        lists = list(enumerate(self.what, start=_FIRST_LINE))
        skipped = self._check(lists, frozenset(persons), names, skip=skip_unknown)
        wanted: dict[str | None, frozenset[str]] = {}
        for name, one in zip(self.who, resolved(lists, names, self.where), strict=True):
            wanted[name] = wanted.get(name, frozenset()) | one
        return Policies.of(len(persons), {i: wanted[name] for i, name in enumerate(persons) if name in wanted}), skipped

    def _check(
        self,
        lists: Sequence[tuple[int, Sequence[str]]],
        known: frozenset[str],
        names: KnownNames,
        *,
        skip: bool,
    ) -> int:
        """Return how many lines are about persons who are not in the data; raise with all faults together."""
        nobody, unknown, again = [], [], []
        first: dict[str, int] = {}
        for line, name in enumerate(self.who, start=_FIRST_LINE):
            if not name:
                nobody.append(line)
            elif first.setdefault(name, line) != line:
                again.append(first[name])
            elif name not in known:
                unknown.append(line)
        faults = []
        if nobody:
            faults.append(f"{counted(len(nobody), 'line')} without a person (line {listed(nobody)})")
        if again and not self.may_repeat:
            repeated = sorted(set(again))
            faults.append(f"{counted(len(repeated), 'person')} with several lines (first line {listed(repeated)})")
        do = ["correct these lines"] if faults or (unknown and not skip) else []
        if unknown and not skip:
            what = "persons who are not in the data" if self.person is not None else "records that do not exist"
            faults.append(f"{counted(len(unknown), 'line')} about {what} (line {listed(unknown)})")
            do[0] += ", or leave out persons who are not in the data with --skip-unknown"
        if misspelt := faults_of_names(lists, names):
            faults += misspelt
            do.append(CORRECT_NAMES)
        if faults:
            raise InputError(faults_text(faults), where=self.where, do="; ".join(do))
        return len(unknown)

    def __repr__(self) -> str:
        return f"<PolicyTable: {len(self.who):,}>"


def read_policy_table(path: Path, engine: Engine, known: Sequence[str], person: str | None = None) -> PolicyTable:
    """Return what a file of policies says.

    `known` are the attributes of the data. Without `person` the one that the file has as well names the persons, or its
    column ``record`` their records.
    """
    file = read(str(path), engine, ReadOptions(delimiter=_delimiter(path)), use_dictionary=False)
    try:
        names = file.dictionary.names
        where = str(path)
        column = LIST if LIST in names else SINGLE
        if column not in names:
            raise InputError(
                f"there is neither a column '{LIST}' nor a column '{SINGLE}'",
                where=where,
                do=f"list each person's attributes in '{LIST}' with semicolons between, or give a line for each in "
                f"'{SINGLE}'",
            )
        key = _key([name for name in names if name != column], known, person, where)
        who, what = texts_of(file.relation, [key, column])
    finally:
        engine.drop(file.relation)
    lists = tuple(
        tuple(policy_names(text or "")) if column == LIST else ((text.strip(),) if text and text.strip() else ())
        for text in what
    )
    is_numbered = person is None and key not in known
    return PolicyTable(where, None if is_numbered else key, tuple(who), lists, column == SINGLE)


def _delimiter(path: Path) -> str | None:
    """Return what separates the fields of a text file by its first line: below, lists have semicolons of their own."""
    if path.suffix.lower() not in _TEXTS or not path.is_file():
        return None
    with path.open("rb") as file:
        first = file.readline(_LONGEST_HEADER)
    return next((sign for sign in ("\t", ",", "|") if sign.encode() in first), None)


def _key(names: Sequence[str], known: Sequence[str], person: str | None, where: str) -> str:
    """Return the column that says who a line is about."""
    if person is not None:
        if person not in names:
            raise InputError(
                f"there is no column '{person}', which names the persons{did_you_mean(person, names)}",
                where=where,
                do=f"give the file a column '{person}'",
            )
        return person
    shared = [name for name in names if name in known]
    if len(shared) == 1:
        return shared[0]
    if not shared and RECORD in names:
        return RECORD
    raise InputError(
        f"{listed(shared)} are columns of the file and attributes of the data: each may name the persons"
        if shared
        else "no column of the file is an attribute of the data, so that nobody knows whom a line is about",
        where=where,
        do="say which attribute names the persons with --person NAME"
        if shared
        else f"give the file a column with the name of that attribute, or '{RECORD}' with numbers of records from 1",
    )
