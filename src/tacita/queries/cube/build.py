"""A cube from microdata: codes by the declared cuts and values, whole numbers, and records put in order by cell."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.engines.context import Context
from tacita.errors import InputError, LimitError, counted, did_you_mean, listed
from tacita.files.contract import ReadOptions
from tacita.files.read import read
from tacita.model.microdata import Microdata
from tacita.progress import Progress, Step, silent
from tacita.queries.cube.cube import Cube, CubeAttribute, Ints, label_order
from tacita.queries.cube.history import RecordHistory, first_history, in_order
from tacita.queries.cube.identities import RecordIdentities, identities_of, key_faults
from tacita.queries.policy.policy import AnswerMode, DeclaredJoin, FilterAttribute, QueryMeasure, QueryPolicy

MISSING = ""
"""The label of a missing value."""
_LARGEST = 2**62
_EXACT = 2**53
_LAST_DIGITS = 2e-15
"""The share of a number that its binary form may be off."""


def build_cube(
    microdata: Microdata, policy: QueryPolicy, progress: Progress = silent, *, secret: bytes | None = None
) -> Cube:
    """Return the cube of microdata under a policy; with a secret, by which its records are known later.

    Raises `InputError` if the data do not fit the policy, each fault with its count and never a value, and `LimitError`
    if there would be more cells than the policy allows, with the attribute that costs most.
    """
    joined = {join.name: _joined(join, policy) for join in policy.joins}
    shown = (*policy.filters, *policy.regressors)
    in_file = [one.name for one in shown if not one.joined]
    measures = [one.name for one in policy.measures]
    names = list(dict.fromkeys((*in_file, *measures, *policy.unit, *policy.key, *_keys(policy))))
    _check_names(microdata, names)
    columns = _columns(microdata, names, progress)
    faults = private_faults(policy)
    attributes, codes = [], {}
    regressors = {one.name for one in policy.regressors}
    for one in shown:
        cells = columns[one.name] if not one.joined else joined[one.joined].column(one.name, columns)
        attribute, codes[one.name] = _coded(one, cells, faults, is_number=one.name in regressors)
        attributes.append(attribute)
    values = {measure.name: _whole(measure, columns[measure.name], faults) for measure in policy.measures}
    persons = [_texts(columns[name]) for name in policy.unit]
    units = _units(persons, policy, faults)
    faults += _crowded(units, policy)
    keys = [_texts(columns[name]) for name in policy.key]
    faults += key_faults(policy, keys)
    if faults:
        raise InputError(
            "the data do not fit the policy:" + "".join(f"\n  - {fault}" for fault in faults),
            where=microdata.source.name,
            do="correct the policy or the data; nothing was opened",
        )
    progress(Step("building the cube"))
    known = identities_of(secret, keys, persons, len(keys[0])) if keys and secret else None
    return _cube(policy, attributes, codes, values, units, known)


def _cube(
    policy: QueryPolicy,
    attributes: Sequence[CubeAttribute],
    codes: Mapping[str, NDArray[np.int32]],
    values: Mapping[str, Ints],
    units: Ints | None,
    known: RecordIdentities | None,
) -> Cube:
    count = len(next(iter(codes.values())))
    check_sums(policy, count)
    cell_of = numbered([codes[one.name] for one in attributes], [len(one.labels) for one in attributes])
    cells = int(cell_of.max(initial=-1)) + 1
    if cells > policy.limits.cells:
        raise _too_many(cells, policy, attributes, codes)
    order = np.argsort(cell_of, kind="stable") if known is None else in_order(known.keys, cell_of)
    n = np.bincount(cell_of, minlength=cells).astype(np.int64)
    starts = np.concatenate([[0], np.cumsum(n)]).astype(np.int64)
    heads = order[starts[:-1]] if cells else order[:0]
    of_cells = {name: column[heads] for name, column in codes.items()}
    history = None
    if known is not None:
        labels = {one.name: len(one.labels) for one in attributes}
        seen, same = first_history(of_cells, labels, cells, tuple(values))
        persons = None if known.persons is None else known.persons[order]
        history = RecordHistory((seen,), same, known.keys[order], np.ones(count, np.int64), persons)
    return Cube(
        policy,
        tuple(attributes),
        of_cells,
        n,
        starts,
        {name: column[order] for name, column in values.items()},
        None if units is None else units[order],
        order.astype(np.int64) + 1,
        history,
    )


def check_sums(policy: QueryPolicy, records: int) -> None:
    """Raise if a sum over so many records could be too large a number."""
    for measure in policy.measures:
        if max(map(abs, measure.bounds)) * max(records, 1) >= _LARGEST:
            raise LimitError(
                f"a sum of '{measure.name}' could have more than 62 bits",
                do="give narrower bounds, or fewer decimals",
            )


def numbered(columns: Sequence[NDArray[np.int32]], sizes: Sequence[int]) -> Ints:
    """Return the number of the combination of codes of each record, in the order of the codes."""
    number = np.zeros(len(columns[0]), np.int64)
    for column, size in zip(columns, sizes, strict=True):
        if (int(number.max(initial=0)) + 1) * max(size, 1) >= _LARGEST:
            number = np.unique(number, return_inverse=True)[1].astype(np.int64)
        number = number * size + column
    return np.asarray(np.unique(number, return_inverse=True)[1].reshape(-1), np.int64)


def _too_many(
    cells: int, policy: QueryPolicy, attributes: Sequence[CubeAttribute], codes: Mapping[str, NDArray[np.int32]]
) -> LimitError:
    costs = {}
    for left_out in attributes:
        rest = [one for one in attributes if one is not left_out]
        without = numbered([codes[one.name] for one in rest], [len(one.labels) for one in rest]) if rest else None
        costs[left_out.name] = 1 if without is None else int(without.max(initial=-1)) + 1
    dearest = min(costs, key=lambda name: (costs[name], name))
    return LimitError(
        f"there would be {cells:,} cells, and the policy allows {policy.limits.cells:,}; without '{dearest}' there "
        f"would be {costs[dearest]:,}",
        where=policy.name,
        do=f"give '{dearest}' fewer cut points or values, leave it out, or raise 'cells' in [limits]",
    )


def _keys(policy: QueryPolicy) -> tuple[str, ...]:
    return tuple(join.key for join in policy.joins)


def _check_names(microdata: Microdata, names: Sequence[str]) -> None:
    present = microdata.dictionary.names
    if absent := [name for name in names if name not in present]:
        raise InputError(
            "the data do not fit the policy:"
            + "".join(f"\n  - no attribute '{name}'{did_you_mean(name, present)}" for name in absent),
            where=microdata.source.name,
            do="correct the names in the policy; nothing was opened",
        )


def _columns(microdata: Microdata, names: Sequence[str], progress: Progress) -> dict[str, NDArray[Any]]:
    """Return columns as arrays: numbers as float64 with NaN, everything else as objects with None."""
    import pyarrow as pa

    progress(Step("reading the data"))
    batches = list(microdata.relation.batches(1_000_000))
    if not batches or not sum(len(batch) for batch in batches):
        raise InputError("has no records", where=microdata.source.name, do="open a file with records")
    table = pa.Table.from_batches(batches)
    result = {}
    for name in names:
        column = table.column(name).combine_chunks()
        if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
            result[name] = _numbers(column)
        else:
            result[name] = np.asarray(column.to_pylist(), dtype=object)
    return result


def _numbers(column: Any) -> NDArray[Any]:
    """Return numbers as float64; whole ones that this would round, as objects."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_integer(column.type) and len(column) - column.null_count:
        bounds = pc.min_max(column).as_py()
        if max(abs(bounds["min"]), abs(bounds["max"])) >= _EXACT:
            return np.asarray(column.to_pylist(), dtype=object)
    numbers = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return np.asarray(numbers, np.float64)


class _Joined:
    """The rows of a joined file, by key."""

    def __init__(self, join: DeclaredJoin, columns: Mapping[str, NDArray[Any]]) -> None:
        self._join, self._columns = join, columns
        keys = _texts(columns[join.key])
        self._row = {key: row for row, key in enumerate(keys) if key != MISSING}
        if len(self._row) < len(keys):
            raise InputError(
                f"{counted(len(keys) - len(self._row), 'row')} of the joined file have no key, or one of another row",
                where=str(join.file),
                do=f"give each row another '{join.key}'",
            )

    def column(self, name: str, columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """Return a column for the records of the data; None where a record finds no row."""
        rows = [self._row.get(key, -1) for key in _texts(columns[self._join.key])]
        source = self._columns[name]
        return np.asarray([None if row < 0 else source[row] for row in rows], dtype=object)


def _joined(join: DeclaredJoin, policy: QueryPolicy) -> _Joined:
    wanted = [one.name for one in (*policy.filters, *policy.regressors) if one.joined == join.name]
    with Context() as context:
        microdata = read(str(join.file), context.engine, ReadOptions(), use_dictionary=False)
        _check_names(microdata, [join.key, *wanted])
        return _Joined(join, _columns(microdata, [join.key, *wanted], silent))


def text_of(value: Any) -> str:
    """Return a value as a label; a missing one is empty.

    >>> [text_of(value) for value in (None, 2.0, 2.5, " x ", True, float("nan"))]
    ['', '2', '2.5', 'x', 'true', '']
    """
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return MISSING
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(float(value))
    return str(value).strip()


def _texts(column: NDArray[Any]) -> list[str]:
    if column.dtype == object:
        return [text_of(value) for value in column]
    different, inverse = np.unique(column, return_inverse=True)
    texts = [text_of(float(value)) for value in different]
    return [texts[place] for place in inverse.tolist()]


def _coded(
    one: FilterAttribute, column: NDArray[Any], faults: list[str], *, is_number: bool
) -> tuple[CubeAttribute, NDArray[np.int32]]:
    """Return an attribute and the code of each record; a fault is noted if the values do not fit."""
    if one.cuts:
        return _cut(one, column, faults)
    different, inverse = np.unique(np.asarray(_texts(column), dtype=object).astype(str), return_inverse=True)
    occurring = [str(text) for text in different]
    present = [text for text in occurring if text != MISSING]
    # Numbers are declared in any spelling; texts, such as codes with zeros before them, as they stand in the data.
    are_numbers = column.dtype != object or not any(isinstance(value, str) for value in column)
    declared = [_canonical(text) if are_numbers else text.strip() for text in one.values]
    unknown = sorted(set(present) - set(declared)) if declared else []
    if unknown:
        records = sum(int((inverse == occurring.index(text)).sum()) for text in unknown)
        faults.append(f"'{one.name}': {counted(records, 'value')} not declared in 'values'")
        return CubeAttribute(one.name, ()), np.zeros(len(column), np.int32)
    labels = declared or sorted(present, key=label_order)
    if one.is_complete and MISSING in occurring:
        faults.append(_incomplete(one, int((inverse == occurring.index(MISSING)).sum())))
    labels += [MISSING] if MISSING in occurring or (one.values and not one.is_complete) else []
    place = {label: code for code, label in enumerate(labels)}
    codes = np.asarray([place[text] for text in occurring], np.int32)[inverse.reshape(-1)]
    numbers = None
    if is_number:
        try:
            numbers = np.asarray([float(label) for label in labels if label != MISSING])
        except ValueError:
            faults.append(f"the regressor '{one.name}' has values that are not numbers")
    return CubeAttribute(one.name, tuple(labels), numbers), codes


def _canonical(text: str) -> str:
    """Return a declared value as the data spell it: 2.0 is 2."""
    try:
        return text_of(float(text)) if Decimal(text).is_finite() else text
    except ArithmeticError:
        return text.strip()


def interval_labels(cuts: Sequence[Decimal]) -> tuple[str, ...]:
    """Return how the intervals between cut points are written.

    >>> interval_labels([Decimal(18), Decimal("65.5")])
    ('below 18', '18 to below 65.5', '65.5 and above')
    """
    words = [format(cut, "f") for cut in cuts]
    between = [f"{low} to below {high}" for low, high in itertools.pairwise(words)]
    return (f"below {words[0]}", *between, f"{words[-1]} and above")


def _cut(one: FilterAttribute, column: NDArray[Any], faults: list[str]) -> tuple[CubeAttribute, NDArray[np.int32]]:
    labels = interval_labels(one.cuts)
    numbers = _as_numbers(column)
    if numbers is None:
        faults.append(f"'{one.name}' has cut points and values that are not numbers")
        return CubeAttribute(one.name, labels), np.zeros(len(column), np.int32)
    is_missing = np.isnan(numbers)
    codes = np.searchsorted(np.asarray([float(cut) for cut in one.cuts]), numbers, side="right").astype(np.int32)
    if one.is_complete:
        if is_missing.any():
            faults.append(_incomplete(one, int(is_missing.sum())))
        return CubeAttribute(one.name, labels), codes
    codes[is_missing] = len(labels)
    return CubeAttribute(one.name, (*labels, MISSING)), codes


def _incomplete(one: FilterAttribute, records: int) -> str:
    return f"'{one.name}': {counted(records, 'record')} without a value, which 'missing' refuses"


def _as_numbers(column: NDArray[Any]) -> NDArray[np.float64] | None:
    if column.dtype != object:
        return column
    try:
        return np.asarray([np.nan if value is None else float(value) for value in column], np.float64)
    except (TypeError, ValueError):
        return None


def _whole(measure: QueryMeasure, column: NDArray[Any], faults: list[str]) -> Ints:
    """Return a measure in units of its last decimal; faults are noted with their counts."""
    nothing = np.zeros(len(column), np.int64)
    numbers = _as_numbers(column)
    if numbers is None:
        faults.append(f"'{measure.name}' is a measure and has values that are not numbers")
        return nothing
    is_missing = np.isnan(numbers)
    if is_missing.any() and not measure.missing_is_zero:
        faults.append(
            f"'{measure.name}': {counted(int(is_missing.sum()), 'missing value')}: say missing = \"zero\", or leave "
            "these records out of the data"
        )
    numbers = np.where(is_missing, 0.0, numbers)
    low, high = float(measure.lower), float(measure.upper)
    outside = ((numbers < low) | (numbers > high)) & ~is_missing
    if outside.any() and not measure.clamps:
        faults.append(
            f"'{measure.name}': {counted(int(outside.sum()), 'value')} outside of its bounds: widen them, or say "
            'outside = "clamp"'
        )
        return nothing
    numbers = np.clip(numbers, low, high) if outside.any() else numbers
    scaled = numbers * 10.0**measure.decimals
    whole = np.rint(scaled)
    finer = np.abs(scaled - whole) > np.minimum(0.01, _LAST_DIGITS * np.abs(scaled) + 1e-9)
    if finer.any():
        faults.append(
            f"'{measure.name}': {counted(int(finer.sum()), 'value')} with more than {measure.decimals} decimals: "
            "give it more 'decimals'"
        )
        return nothing
    return whole.astype(np.int64)


def private_faults(policy: QueryPolicy) -> list[str]:
    """Return what a private data set must not leave to the data: which values there are."""
    if policy.answers is not AnswerMode.PRIVATE or policy.has_public_records:
        return []
    filters = () if policy.options.get("delta") else policy.filters
    return [
        f"'{one.name}' has neither 'cuts' nor 'values': which values occur would be told without noise, unless 'delta' "
        "is given in [private]"
        for one in (*filters, *policy.regressors)
        if not one.cuts and not one.values
    ]


def _crowded(units: Ints | None, policy: QueryPolicy) -> list[str]:
    """Return a fault if somebody has more records than a private policy says."""
    if policy.answers is not AnswerMode.PRIVATE or units is None:
        return []
    most = policy.options["records_per_unit"]
    crowded = int((np.bincount(units) > most).sum())
    return [f"{counted(crowded, 'person')} with more than {most} records: raise 'records_per_unit'"] if crowded else []


def _units(columns: Sequence[Sequence[str]], policy: QueryPolicy, faults: list[str]) -> Ints | None:
    if not columns:
        return None
    texts = list(zip(*columns, strict=True))
    absent = sum(MISSING in name for name in texts)
    if absent:
        faults.append(f"'{listed(policy.unit)}': {counted(absent, 'record')} without it, so about nobody")
        return None
    place: dict[tuple[str, ...], int] = {}
    return np.asarray([place.setdefault(name, len(place)) for name in texts], np.int64)
