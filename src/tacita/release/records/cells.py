"""Columns of a relation as arrays: numbers as numbers, everything else as places in the order of its texts."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sqlglot import exp

from tacita.attacks.microdata.in_clusters import Codes, Mask
from tacita.engines.arrow import as_arrow, as_codes, as_numpy
from tacita.engines.plans.terms import as_text, cell, named, number
from tacita.engines.protocol import Relation
from tacita.model.relation import Column, ColumnType

if TYPE_CHECKING:
    import pyarrow as pa

_AT_ONCE = 1000
_CELLS = 4_000_000
"""Columns, and cells, that are fetched at once."""
_BATCH = 1_000_000
_SORTED_AS_THEY_ARE = 10_000
"""Of fewer numbers it is not asked whether they can be sorted by their digits."""
_DIGITS = 6


@dataclass(frozen=True, eq=False)
class NumberCells:
    """Cells that are numbers."""

    values: NDArray[np.int64] | NDArray[np.float64] = field(repr=False)
    """Any number where the cell is empty."""
    there: Mask = field(repr=False)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The numbers, nan where the cell is empty or not finite."""
        values = self.values.astype(np.float64)
        return np.where(self.there & np.isfinite(values), values, np.nan)

    def at(self, rows: NDArray[np.int64]) -> NumberCells:
        """Return the cells of some records."""
        return NumberCells(self.values[rows], self.there[rows] if not self.there.all() else np.ones(len(rows), bool))


@dataclass(frozen=True, eq=False)
class TextCells:
    """Cells that are texts, or are compared as texts."""

    codes: Codes = field(repr=False)
    """The place of each text in the order of all of them, numbers by size; -1 where the cell is empty."""
    texts: pa.Array = field(repr=False)
    """The different texts in that order."""

    def at(self, rows: NDArray[np.int64]) -> TextCells:
        """Return the cells of some records."""
        return replace(self, codes=self.codes[rows])

    def emptied(self, rows: Mask) -> TextCells:
        """Return the cells with some of them empty."""
        return replace(self, codes=np.where(rows, -1, self.codes))

    def written(self, rows: NDArray[np.int64]) -> list[str | None]:
        """Return the texts of some records; None where a cell is empty."""
        import pyarrow as pa

        codes = self.codes[rows]
        return list(self.texts.take(pa.array(codes, mask=codes < 0)).to_pylist())

    @property
    def may_be_dates(self) -> bool:
        """Whether the first and the last text have at least six digits, as dates do."""
        ends = [self.texts[0].as_py(), self.texts[-1].as_py()] if len(self.texts) else [""]
        return all(sum(sign.isdigit() for sign in text) >= _DIGITS for text in ends)

    def numbers(self) -> NDArray[np.float64]:
        """Return the cells as numbers, nan where they are empty; all of them must be numbers."""
        import pyarrow as pa
        import pyarrow.compute as pc

        values = as_numpy(pc.cast(self.texts, pa.float64()))
        return np.append(values, np.nan)[self.codes]


AnyCells = NumberCells | TextCells


def cells_of(
    relation: Relation, columns: Sequence[Column], *, as_texts: Collection[str] = (), as_written: bool = False
) -> Iterator[tuple[Column, AnyCells]]:
    """Yield columns with their cells, as `arrays_of` fetches them."""
    for column, array in arrays_of(relation, columns, as_texts=as_texts, as_written=as_written):
        yield column, as_cells(array)


def arrays_of(
    relation: Relation, columns: Sequence[Column], *, as_texts: Collection[str] = (), as_written: bool = False
) -> Iterator[tuple[Column, pa.Array]]:
    """Yield columns as arrays: one at a time if they are long, many at a time if they are short.

    `as_texts` are columns that are taken as texts though they are numbers; `as_written`: as the file spells them.
    """
    import pyarrow as pa

    width = max(1, min(_AT_ONCE, _CELLS // max(1, relation.count())))
    for start in range(0, len(columns), width):
        part = columns[start : start + width]
        terms = [_term(column, is_text=as_written or column.name in as_texts, as_written=as_written) for column in part]
        for column, values in zip(part, _fetched(relation, terms), strict=True):
            whole = values.combine_chunks()
            yield column, pa.concat_arrays(whole.chunks) if isinstance(whole, pa.ChunkedArray) else whole


def _term(column: Column, *, is_text: bool, as_written: bool) -> exp.Expr:
    value: exp.Expr = cell(column.physical)
    if column.type.is_numeric and not is_text:
        return value
    if column.type is ColumnType.NUMBER:
        value = exp.Add(this=value, expression=number(0.0))  # -0.0 and 0.0 are one value
    text = as_text(value)
    return exp.func("coalesce", exp.column(column.as_written), text) if as_written and column.as_written else text


def _fetched(relation: Relation, values: Sequence[exp.Expr]) -> list[pa.ChunkedArray]:
    import pyarrow as pa

    terms = [named(value, f"v{place}") for place, value in enumerate(values)]
    plan = exp.select(*terms, copy=False).from_(relation.source(), copy=False)
    batches = list(relation.engine.stream(plan, _BATCH))
    if not batches:
        return [pa.chunked_array([], pa.string()) for _ in values]
    return [pa.chunked_array([batch.column(place) for batch in batches]) for place in range(len(values))]


def as_cells(whole: pa.Array) -> AnyCells:
    """Return an array as cells."""
    import pyarrow as pa

    kind = {"int64": np.int64, "int32": np.int32, "double": np.float64}.get(str(whole.type))
    if kind is None:
        return _texts(whole.cast(pa.string()))
    if not len(whole):
        return NumberCells(np.empty(0), np.empty(0, bool))
    valid, buffer = whole.buffers()
    part = slice(whole.offset, whole.offset + len(whole))
    values = np.frombuffer(buffer, dtype=kind)[part]
    if valid is None or not whole.null_count:
        there = np.ones(len(values), dtype=bool)
    else:
        there = np.unpackbits(np.frombuffer(valid, dtype=np.uint8), bitorder="little")[part].astype(bool)
    return NumberCells(values.astype(np.int64) if kind is np.int32 else values, there)


def _texts(texts: pa.Array) -> TextCells:
    """Return texts as places in the order of all of them, numbers by size."""
    coded = texts.dictionary_encode()
    place, values = _in_order(coded.dictionary)
    return TextCells(place[as_codes(coded.indices, -1)], values)


def _in_order(values: pa.Array) -> tuple[Codes, pa.Array]:
    """Return the place of each text in the order of all of them, -1 behind them all, and the texts in that order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    by_text = as_numpy(pc.array_sort_indices(values)).astype(np.int64)
    try:
        sizes = as_numpy(pc.cast(values, pa.float64()))
        by_text = by_text[np.argsort(sizes[by_text], kind="stable")]
    except pa.ArrowInvalid:
        pass  # some are not numbers: the order of texts is that of their signs
    place = np.full(len(values) + 1, -1, dtype=np.int64)
    place[by_text] = np.arange(len(values))
    return place, values.take(as_arrow(by_text))


def joint_codes(one: AnyCells, two: AnyCells | None) -> tuple[Codes, Codes | None]:
    """Return the places of cells in one order of the values of both columns, -1 where they are empty.

    Columns that are equal have one and the same array.

    >>> there = np.ones(3, bool)
    >>> joint_codes(NumberCells(np.array([5, 7, 5]), there), NumberCells(np.array([5, 6, 5]), there))
    (array([0, 2, 0]), array([0, 1, 0]))
    """
    if isinstance(one, NumberCells) and (two is None or isinstance(two, NumberCells)):
        return _joint_numbers(one, two)
    assert isinstance(one, TextCells) and (two is None or isinstance(two, TextCells))
    if two is None or (np.array_equal(one.codes, two.codes) and one.texts.equals(two.texts)):
        return one.codes, None if two is None else one.codes
    return _joint_texts(one, two)


def _joint_numbers(one: NumberCells, two: NumberCells | None) -> tuple[Codes, Codes | None]:
    if two is not None and np.array_equal(one.there, two.there):
        same = one.values == two.values
        if bool((same | ~one.there).all()):
            codes = _ranks(one.values, one.there)
            return codes, codes
    if two is None:
        return _ranks(one.values, one.there), None
    both = _ranks(np.concatenate([one.values, two.values]), np.concatenate([one.there, two.there]))
    return both[: len(one.values)], both[len(one.values) :]


def _ranks(values: NDArray[np.int64] | NDArray[np.float64], there: Mask) -> Codes:
    """Return the place of each value in the order of all different ones, -1 where there is none."""
    known = values if there.all() else values[there]
    if len(known) and (least := _first_of_few(known)) is not None:
        shifted = known.astype(np.int64) - least
        is_used = np.zeros(int(shifted.max()) + 1, dtype=bool)
        is_used[shifted] = True
        ranks = (np.cumsum(is_used) - 1)[shifted]
    elif (whole := _as_small_numbers(known)) is not None:
        ranks = _ranks_by_digits(whole)
    else:
        ranks = np.unique(known, return_inverse=True)[1].reshape(-1)
    if len(ranks) == len(values):
        return np.asarray(ranks, dtype=np.int64)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[there] = ranks
    return codes


def _first_of_few(values: NDArray[np.int64] | NDArray[np.float64]) -> int | None:
    """Return the least of whole numbers that lie near to each other, so that they need not be sorted; else None."""
    least, most = values.min(), values.max()
    if not (np.isfinite(least) and np.isfinite(most) and most - least < 4 * len(values) + 1_000):
        return None
    if values.dtype != np.int64 and not (values == np.floor(values)).all():
        return None
    return int(least)


def _as_small_numbers(values: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.uint32] | None:
    """Return numbers of 32 bits in the same order, if the values are multiples of a power of ten; else None."""
    least, most = (float(values.min()), float(values.max())) if len(values) >= _SORTED_AS_THEY_ARE else (0.0, np.inf)
    for scale in (1.0, 10.0, 100.0, 1000.0):
        if not (most - least) * scale < 2**32 or max(abs(least), abs(most)) * scale > 2**52:
            return None
        if values.dtype == np.int64:
            return np.asarray(values - values.min(), dtype=np.uint32)
        scaled = np.rint(values * scale)
        if np.array_equal(scaled / scale, values):
            return np.asarray(scaled - scaled.min(), dtype=np.uint32)
    return None


def _ranks_by_digits(values: NDArray[np.uint32]) -> Codes:
    """Return the place of each number in the order of all different ones: numpy sorts 16 bits in a few passes.

    >>> _ranks_by_digits(np.array([70_000, 5, 3, 70_000], dtype=np.uint32)).tolist()
    [2, 1, 0, 2]
    """
    low = np.argsort(values.astype(np.uint16), kind="stable")
    order = low[np.argsort((values >> np.uint32(16)).astype(np.uint16)[low], kind="stable")]
    sorted_ = values[order]
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = np.cumsum(np.concatenate([[False], sorted_[1:] != sorted_[:-1]]))
    return ranks


def _joint_texts(one: TextCells, two: TextCells) -> tuple[Codes, Codes]:
    import pyarrow as pa

    coded = pa.chunked_array([one.texts, two.texts], pa.string()).combine_chunks()
    coded = (coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded).dictionary_encode()
    place = _in_order(coded.dictionary)[0][as_codes(coded.indices, -1)]
    first, second = place[: len(one.texts)], place[len(one.texts) :]
    return np.append(first, -1)[one.codes], np.append(second, -1)[two.codes]


def numbered(codes: Codes) -> Codes:
    """Return codes that are numbers from 0 without gaps, in the same order; -1 stays.

    >>> numbered(np.array([7, -1, 3, 7])).tolist()
    [1, -1, 0, 1]
    """
    if not len(codes):
        return codes.astype(np.int64)
    is_there = np.bincount(codes + 1) > 0
    is_there[0] = False
    if is_there[1:].all():
        return codes
    numbers: Codes = (np.cumsum(is_there) - 1)[codes + 1]
    return numbers
