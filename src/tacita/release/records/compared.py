"""The released records beside the original ones, cell by cell: what was hidden, and what stays to tell it.

What is compared is what the engine holds, not what a cycle or a recipe says that it did. Each attribute becomes codes
in one order of all its values, before and after, from which an attacker gets its clues and its targets. The comparison
can also be changed as a remedy would change it (an attribute left out, or suppressed along with another), so that a
remedy is proposed only if the attacker then finds nothing.

The records are compared in an order that is drawn by their numbers in the source. So the samples that an attacker takes
do not depend on the order, or the seed, of the release: a remedy that helps here helps in the next run, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.cluster_counts import Counted, cluster_clues, places
from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.lessons import Clue, Target
from tacita.attacks.microdata.relations.birth_dates import ReleasedDates, day_numbers
from tacita.attacks.microdata.relations.numbers import NumericTarget, ReleasedNumbers
from tacita.attacks.microdata.relations.search import IntruderView
from tacita.attacks.microdata.texts.hashes import SpelledAttribute
from tacita.attacks.microdata.texts.released_texts import ReleasedTexts
from tacita.attacks.microdata.texts.text_numbers import numbers_in_texts
from tacita.engines.arrow import as_arrow
from tacita.engines.protocol import Relation
from tacita.model.relation import Column, ColumnType
from tacita.release.records.cells import (
    AnyCells,
    NumberCells,
    TextCells,
    arrays_of,
    as_cells,
    cells_of,
    joint_codes,
    numbered,
)
from tacita.release.records.compared_columns import ComparedColumn

if TYPE_CHECKING:
    import pyarrow as pa

ORDER, PLACE = "the order of the records", "the place of the record in "
"""Clues that are not attributes."""
EMPTY = "which attributes are empty"
_MOST_GAPS = 60
_KEPT_CELLS = 4_000_000
"""Cells of the release that are kept beside the original ones while they are compared."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is known of a release besides its cells."""

    renamed: frozenset[str] = frozenset()
    """Attributes that have other names for their values, such as pseudonyms."""
    keys: frozenset[str] = frozenset()
    """Attributes that tie records together."""
    perturbed: frozenset[str] = frozenset()
    """Attributes with noise: their own cells are not what an intruder looks for."""
    along: frozenset[str] = frozenset()
    """Attributes that were suppressed only along with others: no secret, unless known exactly; then they tell those."""
    in_order: bool = False
    """Whether the records stand as in the source."""
    only_coarsened: bool = False
    """Whether changed cells count only where values were put together, not where they were perturbed."""


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRecords:
    """All attributes of a release beside the original ones."""

    columns: tuple[ComparedColumn, ...]
    circumstances: Circumstances
    clusters: Codes | None = field(default=None, repr=False)
    """The household of each record, if the records have households."""
    rows: Codes | None = field(default=None, repr=False)
    """The place in the release of each compared record, from 0; None if they are compared in that order."""

    @classmethod
    def of(
        cls,
        original: Relation,
        released: Relation,
        origin: NDArray[np.int64] | None,
        circumstances: Circumstances,
        cluster: str | None = None,
    ) -> ComparedRecords:
        """Return the records of two relations; `origin` has the original place of each released record, if it moved.

        `cluster` is the key of households in the original records, released or not.
        """
        source = np.arange(released.count()) if origin is None else origin
        rows = np.argsort(_mixed(source), kind="stable")
        columns = tuple(_compared(original, released, origin, rows, circumstances.renamed))
        return cls(columns, circumstances, _clusters(original, cluster, source[rows]), rows)

    def __len__(self) -> int:
        return len(self.columns[0].after) if self.columns else 0

    def column(self, name: str) -> ComparedColumn:
        """Return a column by its name."""
        return next(column for column in self.columns if column.name == name)

    @property
    def targets(self) -> list[Target]:
        """The hidden cells of all attributes."""
        known = self.circumstances
        return [
            target
            for column in self._secret()
            for target in column.targets(known.only_coarsened, column.name in known.along)
        ]

    @property
    def numeric_targets(self) -> list[NumericTarget]:
        """The hidden numbers of all attributes, also those that were perturbed."""
        along = self.circumstances.along
        return [target for column in self._secret() for target in column.numeric_targets(column.name in along)]

    def _secret(self) -> list[ComparedColumn]:
        return [column for column in self.columns if column.name not in self.circumstances.perturbed]

    @property
    def attributes(self) -> list[Clue]:
        """The released attributes as clues."""
        renamed = self.circumstances.renamed
        return [
            Clue(column.name, column.spelt, None if is_drawn else column.after, is_drawn=is_drawn)
            for column in self.columns
            for is_drawn in (column.name in renamed,)
        ]

    @property
    def numbers(self) -> list[ReleasedNumbers]:
        """The released attributes that are numbers."""
        return [
            ReleasedNumbers(column.name, column.numbers)
            for column in self.columns
            if column.numbers is not None and column.name not in self.circumstances.renamed
        ]

    def dates(self) -> list[ReleasedDates]:
        """Return the released attributes that are dates."""
        days = ((column.name, column.days) for column in self.columns)
        return [ReleasedDates(name, known) for name, known in days if known is not None]

    def written_numbers(self) -> list[ReleasedNumbers]:
        """Return dates as days, and numbers that are written in texts."""
        numbers = []
        for column in self.columns:
            if column.texts is None or column.name in self.circumstances.renamed:
                continue
            if (days := column.days) is not None:
                numbers.append(ReleasedNumbers(column.name, day_numbers(ReleasedDates(column.name, days))))
            else:
                numbers += numbers_in_texts(column.name, column.texts.texts.to_pylist(), column.texts.codes)
        return numbers

    @property
    def codes(self) -> list[ReleasedTexts]:
        """The released attributes that differ between most records, as texts."""
        return [
            ReleasedTexts(column.name, column.written, len(self))
            for column in self.columns
            if column.name not in self.circumstances.renamed and column.is_long_code
        ]

    @property
    def spelled(self) -> dict[str, SpelledAttribute]:
        """All released attributes as texts."""
        return {
            column.name: SpelledAttribute(
                column.name, column.written, None if column.before is None else column.was_written
            )
            for column in self.columns
        }

    @property
    def view(self) -> IntruderView:
        """What an intruder sees of the release, and what is hidden."""
        return IntruderView(
            self.targets,
            self.attributes,
            list(self.counts()),
            self.clusters,
            self.numeric_targets,
            self.numbers,
            self.dates,
            self.written_numbers,
            self.codes,
            self.spelled,
            self.rows,
        )

    def counts(self) -> Iterator[Clue]:
        """Yield what can be counted from released keys, and the order of the records if it is that of the source.

        Which attributes are empty can be seen in every record: a question that is not asked everywhere tells where.
        """
        rows = np.arange(len(self)) if self.rows is None else self.rows
        yield from self._emptiness()
        if self.circumstances.in_order:
            yield Clue(ORDER, rows, rows)
        tying = [column for column in self.columns if column.name in self.circumstances.keys]
        counted = [Counted(column.name, numbered(column.after), column.numbers) for column in self.columns if tying]
        for column in tying:
            yield from cluster_clues(column.name, column.spelt, counted)
            if self.circumstances.in_order:
                yield Clue(f"{PLACE}{column.name}", places(column.spelt, rows), None, (column.name,))

    def _emptiness(self) -> Iterator[Clue]:
        """Yield which attributes of the source are empty, if several are; one alone tells as an attribute."""
        gaps = [
            (column.name, column.after < 0)
            for column in self.columns
            if column.before is column.after or column.before is None
        ]
        gaps = [(name, is_empty) for name, is_empty in gaps if is_empty.any() and not is_empty.all()][:_MOST_GAPS]
        if len(gaps) < 2:
            return
        pattern = np.zeros(len(self), dtype=np.int64)
        for _, is_empty in gaps:
            pattern = np.unique(2 * pattern + is_empty, return_inverse=True)[1].astype(np.int64).reshape(-1)
        yield Clue(EMPTY, pattern, None, tuple(name for name, _ in gaps))

    def without(self, names: Collection[str]) -> ComparedRecords:
        """Return the records without some attributes."""
        return replace(self, columns=tuple(column for column in self.columns if column.name not in names))

    def suppressed_along(self, name: str, key: str) -> tuple[ComparedRecords, int]:
        """Return the records with an attribute suppressed wherever a key is, and how many cells that costs."""
        key_column = self.column(key)
        assert key_column.before is not None
        rows = (key_column.before >= 0) & (key_column.after < 0) & (self.column(name).after >= 0)
        along = replace(self.circumstances, along=self.circumstances.along | {name})
        return replace(self.with_column(self.column(name).emptied(rows)), circumstances=along), int(rows.sum())

    def with_values(self, name: str, values: NDArray[np.float64]) -> ComparedRecords:
        """Return the records with other numbers in the cells of an attribute."""
        return self.with_column(self.column(name).with_values(values))

    def shuffled(self) -> ComparedRecords:
        """Return the records in an order that tells nothing."""
        return replace(self, circumstances=replace(self.circumstances, in_order=False))

    def with_column(self, new: ComparedColumn) -> ComparedRecords:
        """Return the records with another column in the place of the one of its name."""
        columns = tuple(new if column.name == new.name else column for column in self.columns)
        return replace(self, columns=columns)


def _mixed(numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return other numbers in which no order and no period of the given ones is left (splitmix64)."""
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return mixed ^ (mixed >> np.uint64(31))


def _compared(
    original: Relation, released: Relation, origin: NDArray[np.int64] | None, rows: Codes, renamed: Collection[str]
) -> Iterator[ComparedColumn]:
    before = {column.name: column for column in original.columns if column.name not in renamed}
    sides: Iterable[tuple[Column, pa.Array, pa.Array | None]] = _side_by_side(original, released, origin, before)
    if released.count() * len(released.columns) <= _KEPT_CELLS:
        sides = list(sides)  # to fetch them twice costs more than the memory
    if all(old is None or old.equals(new) for _, new, old in sides):
        return  # nothing is hidden, so that there is nothing to derive
    spellings = dict(_spellings(released, rows))
    if not isinstance(sides, list):
        sides = _side_by_side(original, released, origin, before)
    for column, new, old in sides:
        after = as_cells(new).at(rows)
        was = None if old is None else after if old.equals(new) else as_cells(old).at(rows)
        new_codes, old_codes = joint_codes(after, was)
        was_number = column.type.is_numeric or (was is not None and before[column.name].type.is_numeric)
        yield ComparedColumn(
            column.name,
            new_codes,
            old_codes,
            was_number,
            numbered(spellings.get(column.name, new_codes)),
            _numbers(after, column.type),
            None if was is None else _numbers(was, before[column.name].type),
            after if isinstance(after, TextCells) else None,
            was if isinstance(was, TextCells) else None,
        )


def _side_by_side(
    original: Relation, released: Relation, origin: NDArray[np.int64] | None, before: Mapping[str, Column]
) -> Iterator[tuple[Column, pa.Array, pa.Array | None]]:
    """Yield each released column with its cells, and the cells that it had before in the order of the release."""
    there = [before[column.name] for column in released.columns if column.name in before]
    retyped = {
        column.name
        for column in released.columns
        if column.name in before and before[column.name].type.is_numeric != column.type.is_numeric
    }
    olds = arrays_of(original, there, as_texts=retyped)
    places = None if origin is None else as_arrow(origin)
    for column, new in arrays_of(released, released.columns, as_texts=retyped):
        old = None
        if column.name in before:
            old = next(olds)[1]
            old = old if places is None else old.take(places)
        yield column, new, old


def _numbers(cells: AnyCells, type_: ColumnType) -> NDArray[np.float64] | None:
    """Return the cells of a column of numbers, also if they were fetched as texts."""
    if isinstance(cells, NumberCells):
        return cells.numbers
    return cells.numbers() if type_.is_numeric else None


def _spellings(released: Relation, rows: Codes) -> Iterator[tuple[str, Codes]]:
    """Yield columns as they are written in the file, where that differs: a code of a missing value is a value."""
    respelled = [column for column in released.columns if column.as_written]
    for column, texts in cells_of(released, respelled, as_written=True):
        yield column.name, joint_codes(texts, None)[0][rows]


def _clusters(original: Relation, key: str | None, source: Codes) -> Codes | None:
    """Return the cluster of each compared record, a record without a key being one of its own."""
    column = next((candidate for candidate in original.columns if candidate.name == key), None)
    if column is None:
        return None
    [(_, cells)] = cells_of(original, [column])
    codes = joint_codes(cells.at(source), None)[0]
    own = int(codes.max(initial=0)) + 1 + np.arange(len(codes))
    return numbered(np.where(codes < 0, own, codes))
