"""The persons of records, and what each of them wants confidential."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacita.concealment.decoys import DecoyTurns, cover_selected
from tacita.concealment.plan import ConcealPlan
from tacita.concealment.policies.policy import KnownNames, Policies
from tacita.concealment.policies.policy_column import policies_of_column
from tacita.concealment.policies.policy_file import PolicyTable, read_policy_table
from tacita.concealment.texts import texts_of
from tacita.errors import InputError, UsageError, counted, listed
from tacita.model.microdata import Microdata
from tacita.progress import Progress, silent

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Persons:
    """Who each record is about: a number from 0 for each record, and the names as they are written."""

    of_record: Codes = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    """The name of each person; the number of the record, from 1, if records have no names."""
    is_named: bool = True
    """Whether an attribute of the data names the persons."""

    @classmethod
    def unnamed(cls, records: int) -> Persons:
        """Return persons with one record each, under the number of the record."""
        return cls(np.arange(records), tuple(map(str, range(1, records + 1))), is_named=False)

    def texts(self) -> list[str]:
        """Return the name of the person of each record."""
        return [self.names[number] for number in self.of_record.tolist()]

    def turns(self, seed: int, use: str, earlier: frozenset[str] = frozenset()) -> DecoyTurns:
        """Return the order in which persons are taken for one use of the seed; those who were taken earlier, first."""
        return DecoyTurns.of(self.of_record, self.names, seed, use, earlier)


def settled(plan: ConcealPlan, microdata: Microdata) -> tuple[ConcealPlan, tuple[PolicyTable, ...]]:
    """Return the plan with the attribute that names persons, and what its tables of policies say."""
    known = microdata.dictionary.names
    tables = tuple(read_policy_table(Path(file), microdata.relation.engine, known, plan.person) for file in plan.tables)
    persons = {table.person for table in tables}
    if len(persons) > 1:
        raise UsageError(
            "the tables of policies name persons by different attributes",
            do="say which one with --person NAME",
        )
    plan = replace(plan, person=plan.person or next(iter(persons), None))
    if plan.several_records and plan.person is None:
        raise UsageError("--several-records is for records of one person", do="name the persons with --person NAME")
    return plan, tables


def persons_of(microdata: Microdata, plan: ConcealPlan) -> Persons:
    """Return the persons of records; raise if records lack one, or if several have the same and nobody said so."""
    if plan.person is None:
        return Persons.unnamed(microdata.relation.count())
    microdata.column(plan.person)
    (texts,) = texts_of(microdata.relation, [plan.person])
    absent = [row for row, text in enumerate(texts, start=1) if not text]
    if absent:
        raise InputError(
            f"{counted(len(absent), 'record')} without a value of '{plan.person}' (record {listed(absent)})",
            do="give each record the identifier of its person",
        )
    names = tuple(sorted({text for text in texts if text}))
    place = {name: number for number, name in enumerate(names)}
    of_record = np.array([place[text] for text in texts if text], dtype=np.int64)
    repeated = int((np.bincount(of_record, minlength=1) > 1).sum())
    if repeated and not plan.several_records:
        raise InputError(
            f"{counted(repeated, 'value')} of '{plan.person}' in several records: of one person, or of two",
            do="add --several-records if these are records of one person; otherwise correct the identifiers",
        )
    return Persons(of_record, names)


@dataclass(frozen=True, slots=True, eq=False)
class GatheredPolicies:
    """What each record keeps confidential, and what was added to the policies that were given."""

    policies: Policies
    notes: tuple[str, ...] = ()


def gather_policies(
    microdata: Microdata,
    plan: ConcealPlan,
    persons: Persons,
    released: Sequence[str],
    tables: Sequence[PolicyTable],
    seed: int,
    progress: Progress = silent,
) -> GatheredPolicies:
    """Return what each record keeps confidential by all policies of a plan."""
    records = len(persons.of_record)
    names = KnownNames(tuple(released), tuple(name for name in microdata.dictionary.names if name not in released))
    wanted = frozenset(plan.confidential) & frozenset(released)
    policies = Policies.of(records, dict.fromkeys(range(records), wanted))
    notes = [
        f"{listed(gone)} need not be hidden: no record of the release has it"
        for gone in [[name for name in plan.confidential if name not in released]]
        if gone
    ]
    texts = persons.texts() if tables else []
    for table in tables:
        more, skipped = table.policies(texts, names, skip_unknown=plan.skip_unknown)
        policies = policies.with_more(more)
        if skipped:
            notes.append(
                f"{counted(skipped, 'line')} of {Path(table.where).name} about persons not in the data skipped"
            )
    if plan.policy_column is not None:
        policies = policies.with_more(policies_of_column(microdata, plan.policy_column, names))
    for program in plan.rules:
        ruled, more_notes = _ruled(program, microdata, plan, persons, released, seed, progress)
        policies = policies.with_more(ruled)
        notes += more_notes
    return GatheredPolicies(_alike_for_each_person(policies, persons.of_record), tuple(notes))


def _ruled(
    program: str,
    microdata: Microdata,
    plan: ConcealPlan,
    persons: Persons,
    released: Sequence[str],
    seed: int,
    progress: Progress,
) -> tuple[Policies, tuple[str, ...]]:
    """Return the policies of a rule program, with what it takes that whom it selects does not tell what it reads."""
    from tacita.concealment.policies.policy_rules import policies_by_rules  # brings the reasoner

    ruled = policies_by_rules(program, microdata, released, progress)
    selected, name = _alike_for_each_person(ruled.policies, persons.of_record), Path(program).name
    reads = [one for one in released if one in ruled.reads]
    notes = []
    if reads and selected.used:
        selected = selected.mapped({i: selected.sets[i] | frozenset(reads) for i in selected.used})
        notes.append(f"{listed(reads)} became confidential for those whom {name} selects, since the rules read it")
    if plan.cover is not None:
        of_record = cover_selected(selected.of_record, persons.turns(seed, f"cover {name}"), selected.used, plan.cover)
        return Policies(selected.sets, of_record), (*notes, f"a random share of other people hides what {name} selects")
    if selected.used:
        shows = f"that {name} selects a record shows by what it hides: --cover SHARE lets others hide the same"
        notes.append(shows)
    return selected, tuple(notes)


def _alike_for_each_person(policies: Policies, persons: Codes) -> Policies:
    """Return policies in which all records of a person keep confidential what one of them does."""
    pairs = np.unique(persons * len(policies.sets) + policies.of_record)
    number, first = np.unique(pairs // len(policies.sets), return_index=True)
    if len(number) == len(pairs):
        return policies
    parts = np.split(pairs % len(policies.sets), first[1:])
    joined = dict(zip(number.tolist(), (frozenset().union(*(policies.sets[i] for i in p)) for p in parts), strict=True))
    return Policies.of(len(persons), {row: joined[person] for row, person in enumerate(persons.tolist())})
