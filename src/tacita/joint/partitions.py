"""Evidence of recorded releases: their tables and files as partitions of records with statements."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tacita.joint.evidence import COUNT, Ints, Mask, Numbers, Partition, PartitionColumn, Statements
from tacita.joint.groups import Leaves, members
from tacita.joint.recorded import RecordedRelease, UnknownRelease, real_records
from tacita.ledger.disclosures import (
    CUBE_CELLS,
    PERSONS_COLUMN,
    AttributeDisclosure,
    DisclosedAttribute,
    DisclosedCell,
    DisclosedDimension,
    DisclosedPopulation,
    DisclosedTable,
)

TRUE_VALUES = frozenset((AttributeDisclosure.EXACT, AttributeDisclosure.COARSENED, AttributeDisclosure.CONCEALED))
"""Attributes of which a value that is there says something that is true."""
_ADDED = 1e-6
"""What sums of fractions may miss by, as a share."""


def table_partitions(release: RecordedRelease, units: Ints) -> Iterator[Partition]:
    """Yield the tables of a release; `units` are the numbers of the records behind them.

    Raises `UnknownRelease` if what was published is not what these records add up to.
    """
    population, tables = release.disclosures.population, release.disclosures.tables
    if population is None or release.population is None:
        return
    frame = release.population
    for table in tables:
        yield _table(table, frame, units, population)


def _table(table: DisclosedTable, frame: pa.Table, units: Ints, population: DisclosedPopulation) -> Partition:
    dimensions, measures, made_of = population.dimensions, population.measures, frozenset(population.attributes)
    inside = np.ones(frame.num_rows, np.bool_)
    added: Numbers | None = None
    if table.measure:
        added = frame.column(f"m{measures.index(table.measure)}").to_numpy(zero_copy_only=False).astype(np.float64)
        inside &= ~np.isnan(added)
    elif PERSONS_COLUMN in frame.column_names:
        added = frame.column(PERSONS_COLUMN).to_numpy(zero_copy_only=False).astype(np.float64)
    columns = []
    for dimension in table.dimensions:
        places = _places(dimension)
        row = _codes(frame.column(f"d{dimensions.index(dimension.name)}"), tuple(places))
        inside &= row >= 0
        first = {place: finest for finest, place in reversed(places.items())}
        labels = tuple(first[place] for place in range(len(first)))
        codes = np.array([*places.values(), -1], np.int32)[row]
        columns.append(PartitionColumn(dimension.attribute, labels, codes, made_of=made_of))
    part = Partition(
        table.name,
        units[inside],
        tuple(_taken(column, inside) for column in columns),
        (_statements(table),),
        {} if added is None else {table.measure: added[inside]},
    )
    _check_adds_up(part, table.cells)
    return part


def _codes(column: pa.ChunkedArray, labels: Sequence[str | None]) -> Ints:
    found_at = pc.index_in(column, value_set=pa.array(labels, pa.string()), skip_nulls=False).combine_chunks()
    found_at = pa.concat_arrays(found_at.chunks) if isinstance(found_at, pa.ChunkedArray) else found_at
    return np.asarray(found_at.fill_null(-1).to_numpy(zero_copy_only=False)).astype(np.int64)


def _places(dimension: DisclosedDimension) -> dict[str, int]:
    """Return the place of each finest code. Cells of a cube have one place where no code tells them apart.

    How fine a cube is, a question about a few of its attributes does not say: nobody has to reckon with groups in cells
    that nobody asked about.
    """
    holders: dict[str, list[int]] = {}
    for row, some in enumerate(dimension.codes.values()):
        for finest in some:
            holders.setdefault(finest, []).append(row)
    if not dimension.attribute.startswith(CUBE_CELLS):
        return {finest: place for place, finest in enumerate(holders)}
    first: dict[tuple[int, ...], int] = {}
    return {finest: first.setdefault(tuple(rows), len(first)) for finest, rows in holders.items()}


def _statements(table: DisclosedTable) -> Statements:
    masks, choices = [], np.zeros((len(table.cells), len(table.dimensions)), np.int32)
    for at, dimension in enumerate(table.dimensions):
        places = _places(dimension)
        mask = np.zeros((len(dimension.codes), max(places.values(), default=-1) + 1), np.bool_)
        for row, some in enumerate(dimension.codes.values()):
            mask[row, [places[one] for one in some]] = True
        masks.append(mask)
        place = {code: row for row, code in enumerate(dimension.codes)}
        choices[:, at] = [place[cell.codes[at]] for cell in table.cells]
    floor = 0.0 if table.is_nonnegative else -np.inf
    return Statements(
        table.measure,
        choices,
        np.arange(len(table.cells), dtype=np.int64),
        tuple(masks),
        np.array([_number(cell.lower, floor) for cell in table.cells]),
        np.array([_number(cell.upper, np.inf) for cell in table.cells]),
        np.array([cell.is_sensitive for cell in table.cells], np.bool_),
        np.array([_number(cell.protect_lower, np.nan) for cell in table.cells]),
        np.array([_number(cell.protect_upper, np.nan) for cell in table.cells]),
        np.array([_number(cell.sliding, 0.0) for cell in table.cells]),
        tuple(dimension.name for dimension in table.dimensions),
        tuple(tuple(dimension.codes) for dimension in table.dimensions),
        table.is_whole,
        table.is_nonnegative,
        lists_all=True,
    )


def _number(text: str | None, otherwise: float) -> float:
    return otherwise if text is None else float(text)


def _check_adds_up(part: Partition, cells: Sequence[DisclosedCell]) -> None:
    """Raise if the records behind a table do not add up to what it published, within the accuracy of its figures."""
    (statements,) = part.statements
    codes, leaf_of = part.tuples()
    sums = np.bincount(leaf_of, part.contributions.get(statements.measure), len(codes))
    statement, leaf = members(statements, Leaves(codes))
    values = np.bincount(statement, sums[leaf], len(statements))
    units = np.array([_unit(cell) for cell in cells])
    slack = units + _ADDED * np.maximum(1.0, np.abs(values))
    if ((values < statements.lower - slack) | (values > statements.upper + slack)).any():
        raise UnknownRelease(f"what it published in '{part.name}' is not what the records behind it add up to")


def _unit(cell: DisclosedCell) -> float:
    """Return half a unit of the last digit of a published figure."""
    exponent = Decimal(cell.lower or "0").as_tuple().exponent
    return 0.5 * 10.0**exponent if isinstance(exponent, int) else 0.5


def released_attributes(release: RecordedRelease) -> Iterator[tuple[int, DisclosedAttribute]]:
    """Yield the attributes of a file that say something true about attributes of the source, with their places."""
    records = release.disclosures.records
    for at, attribute in enumerate(() if records is None else records.attributes):
        if attribute.attribute and attribute.status in TRUE_VALUES:
            yield at, attribute


def measure_factors(releases: Sequence[RecordedRelease]) -> dict[str, tuple[str, ...]]:
    """Return the attributes whose product each measure of the tables sums."""
    return {
        table.measure: tuple(filter(None, (table.response, table.weight, table.frequency)))
        for release in releases
        for table in release.disclosures.tables
        if table.measure
    }


def file_partitions(
    release: RecordedRelease, units: Ints, names: Collection[str], measures: Mapping[str, Sequence[str]]
) -> Iterator[Partition]:
    """Yield the records of a file, by some of its attributes; nothing if there is no file of records of persons.

    Of every combination of values everybody knows how often it occurs and, of measures that are products of attributes
    with exact values (`measures` has their factors), the sum. Where some of these values are suppressed, the sum over
    the other records is known.
    """
    frame = release.records
    if frame is None:
        return
    by_name = {one.attribute: (at, one) for at, one in released_attributes(release)}
    real = real_records(frame)
    columns = tuple(
        _released_column(frame.column(f"a{at}"), one, real) for name, (at, one) in by_name.items() if name in names
    )
    whole: dict[str, Numbers] = {}
    for name, factors in measures.items():
        exact = [by_name[one][0] for one in factors if one in by_name and _is_exact(by_name[one][1])]
        if len(exact) < len(factors):
            continue
        values = np.prod([_doubles(frame.column(f"a{at}"))[real] for at in exact], axis=0)
        there = ~np.isnan(values)
        if there.all():
            whole[name] = values
        elif there.any():
            some = tuple(_taken(column, there) for column in columns)
            yield _of_file(Partition("", units[real][there], some, (), {name: values[there]}), with_count=False)
    yield _of_file(Partition("", units[real], columns, (), whole, is_file=True), with_count=True)


def _of_file(part: Partition, *, with_count: bool) -> Partition:
    """Return a partition with what a file says of it."""
    codes, leaf_of = part.tuples()
    said = [_of_combinations(part, codes, leaf_of, COUNT, None)] if with_count else []
    said += [_of_combinations(part, codes, leaf_of, name, values) for name, values in part.contributions.items()]
    return replace(part, statements=tuple(said))


def _taken(column: PartitionColumn, records: Mask) -> PartitionColumn:
    return replace(column, codes=column.codes[records])


def _is_exact(attribute: DisclosedAttribute) -> bool:
    return attribute.status is AttributeDisclosure.EXACT


def _doubles(column: pa.ChunkedArray) -> Numbers:
    """Return texts as numbers, nan where they are none."""
    try:
        return np.asarray(pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False), np.float64)
    except pa.ArrowInvalid:
        return np.full(len(column), np.nan)


def _released_column(column: pa.ChunkedArray, attribute: DisclosedAttribute, real: Mask) -> PartitionColumn:
    texts = column.combine_chunks()
    texts = pa.concat_arrays(texts.chunks) if isinstance(texts, pa.ChunkedArray) else texts
    coded = texts.filter(pa.array(real)).dictionary_encode()
    labels: tuple[str | None, ...] = tuple(coded.dictionary.to_pylist())
    codes = coded.indices.fill_null(len(labels)).to_numpy(zero_copy_only=False).astype(np.int32)
    if (codes == len(labels)).any():
        labels = (*labels, None)
    stands_for: Mapping[str, frozenset[str]] = {
        value: frozenset(finest) for value, finest in attribute.stands_for.items()
    }
    return PartitionColumn(attribute.attribute, labels, codes, stands_for)


def _of_combinations(
    part: Partition, codes: NDArray[np.int32], leaf_of: Ints, measure: str, values: Numbers | None
) -> Statements:
    """Return what a file says of each combination of values."""
    sums = np.bincount(leaf_of, values, len(codes)).astype(np.float64)
    none, nothing = np.zeros(len(codes)), np.full(len(codes), np.nan)
    return Statements(
        measure,
        codes,
        np.arange(len(codes), dtype=np.int64),
        (None,) * len(part.columns),
        sums,
        sums,
        none.astype(np.bool_),
        nothing,
        nothing,
        none,
        is_whole=values is None or bool((values == np.rint(values)).all()),
        is_nonnegative=values is None or bool((values >= 0).all()),
    )
