"""One number for each record over all releases: the same record, or the same person in another version, has the same.

Records of one source are known by their row. Records of different versions are known by the key of persons; a person
with several records has them in their order. Without a key, records of another version are other records: what one
version tells about the other is not seen then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacita.joint.evidence import Ints, Population
from tacita.joint.recorded import RecordedRelease
from tacita.ledger.disclosures import CONTRIBUTOR_COLUMN, PERSON_COLUMN, PERSONS_COLUMN, ROW_COLUMN


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NumberedRecords:
    """The number of each record of each release, and who they are."""

    of_records: tuple[Ints | None, ...]
    """By release: the numbers of the records of its file."""
    of_population: tuple[Ints | None, ...]
    """By release: the numbers of the records behind its tables."""
    population: Population
    rows: Ints
    """The row of each record in the last source that has it."""
    sources: tuple[str, ...]
    """The source of each release."""
    with_key: tuple[bool, ...]
    """Whether the persons of each release are known by a key, all of them."""

    def are_matched(self, one: int, other: int) -> bool:
        """Return whether records of two releases could be matched: by their row, or by the key of persons."""
        if self.sources[one] and self.sources[one] == self.sources[other]:
            return True
        return self.with_key[one] and self.with_key[other]

    def share_records(self, one: int, other: int) -> bool:
        """Return whether some record is in both of two releases; true if one of them has none."""
        both = [self._all_of(at) for at in (one, other)]
        return not all(map(len, both)) or bool(np.isin(both[0], both[1]).any())

    def _all_of(self, at: int) -> Ints:
        some = [units for units in (self.of_records[at], self.of_population[at]) if units is not None]
        return np.concatenate([*some, np.zeros(0, np.int64)])


def numbered_records(releases: Sequence[RecordedRelease]) -> NumberedRecords:
    """Return the numbers of the records of some releases; the last of them is the newest."""
    frames = [(release, table) for release in releases for table in (release.records, release.population)]
    there = [(release.source, table) for release, table in frames if table is not None]
    persons = _person_codes([table for _, table in there])
    sources: dict[str, list[int]] = {}
    for at, (source, _) in enumerate(there):
        sources.setdefault(source or f"release {at}", []).append(at)
    keys: list[Ints] = [np.zeros(0, np.int64)] * len(there)
    rows = [np.asarray(table.column(ROW_COLUMN), np.int64) for _, table in there]
    first = int(max((code.max(initial=-1) for code in persons if code is not None), default=-1)) + 1
    # More than any row, and than the records that any person can have.
    most = max((max(int(one.max(initial=0)), len(one)) for one in rows), default=0) + 1
    offset = first * most
    for members in sources.values():
        of_row = np.full(most, -1, np.int64)
        for at in members:
            if (codes := persons[at]) is not None:
                of_row[rows[at]] = codes
        of_row[0] = -1
        occurrence = _occurrences(of_row)
        for at in members:
            code, times = of_row[rows[at]], occurrence[rows[at]]
            absent = np.flatnonzero(rows[at] == 0)
            if (codes := persons[at]) is not None:
                code[absent], times[absent] = codes[absent], _occurrences(codes[absent])
            unknown = offset + rows[at]
            # A record that is not in the source, and of no known person, is nobody's: no other release has it.
            unknown[absent] = offset + most + np.arange(len(absent))
            keys[at] = np.where(code >= 0, code * most + times, unknown)
            offset += most + len(absent) if len(absent) else 0
        offset += most
    every = np.concatenate([*keys, np.zeros(0, np.int64)])
    different, inverse = np.unique(every, return_inverse=True)
    bounds = np.cumsum([len(one) for one in keys])[:-1]
    numbers = np.split(inverse.reshape(-1).astype(np.int64), bounds) if keys else []
    row_of = np.zeros(len(different), np.int64)
    for number, own in zip(numbers, rows, strict=True):
        row_of[number] = own
    # Without a key, every record is another person.
    alone = first + np.arange(len(different))
    population = _population(np.where(different < first * most, different // most, alone), numbers, there)
    waiting = iter(numbers)
    placed = [None if table is None else next(waiting) for _, table in frames]
    codes_of = iter(persons)
    by_key = [True if table is None else _is_of_persons(next(codes_of)) for _, table in frames]
    return NumberedRecords(
        tuple(placed[::2]),
        tuple(placed[1::2]),
        population,
        row_of,
        tuple(release.source for release in releases),
        tuple(both[0] and both[1] for both in zip(by_key[::2], by_key[1::2], strict=True)),
    )


def _is_of_persons(codes: Ints | None) -> bool:
    return codes is not None and bool((codes >= 0).all())


def _population(persons: Ints, numbers: Sequence[Ints], there: Sequence[tuple[str, pa.Table]]) -> Population:
    """Return who records are: contributors if there are some and no key, several persons if rows are cells."""
    sizes = np.ones(len(persons), np.int64)
    sources = list(dict.fromkeys(source for source, _ in there))
    for number, (source, table) in zip(numbers, there, strict=True):
        if PERSONS_COLUMN in table.column_names:
            sizes[number] = np.asarray(table.column(PERSONS_COLUMN), np.int64)
        if CONTRIBUTOR_COLUMN in table.column_names and PERSON_COLUMN not in table.column_names:
            codes = table.column(CONTRIBUTOR_COLUMN).fill_null(-1).to_numpy().astype(np.int64)
            of_source = -1 - codes * len(sources) - sources.index(source)
            persons[number] = np.where(codes < 0, persons[number], of_source)
    names, person = np.unique(persons, return_inverse=True)
    of_person = np.ones(len(names), np.int64)
    np.maximum.at(of_person, person.reshape(-1), sizes)
    return Population(person.reshape(-1).astype(np.int64), of_person)


def _person_codes(tables: Sequence[pa.Table]) -> list[Ints | None]:
    """Return the number of the person of each record, -1 where there is none; None where a table has no persons."""
    columns = [table.column(PERSON_COLUMN) if PERSON_COLUMN in table.column_names else None for table in tables]
    chunks = [chunk for column in columns if column is not None for chunk in column.chunks]
    coded = pa.chunked_array(chunks, pa.string()).combine_chunks()
    coded = pa.concat_arrays(coded.chunks) if isinstance(coded, pa.ChunkedArray) else coded
    codes = coded.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    numbers: list[Ints | None] = []
    at = 0
    for column in columns:
        numbers.append(None if column is None else codes[at : at + len(column)])
        at += 0 if column is None else len(column)
    return numbers


def _occurrences(persons: Ints) -> Ints:
    """Return the how-manieth record of its person each record is, from 0 on.

    >>> _occurrences(np.array([7, 3, 7, -1, 7])).tolist()
    [0, 0, 1, 0, 2]
    """
    order = np.argsort(persons, kind="stable")
    ordered = persons[order]
    start = np.zeros(len(ordered), np.int64)
    new = np.flatnonzero(np.diff(ordered)) + 1
    start[new] = new
    occurrence = np.empty(len(persons), np.int64)
    occurrence[order] = np.arange(len(ordered)) - np.maximum.accumulate(start)
    return occurrence
