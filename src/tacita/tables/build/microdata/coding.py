"""The codes of records as places in a dimension; what a hierarchy does not cover is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from sqlglot import exp

from tacita.engines.arrow import as_codes, as_numpy
from tacita.engines.protocol import Relation
from tacita.errors import InputError, counted, faults_text, listed
from tacita.model.hierarchy import text_of
from tacita.model.table import Dimension
from tacita.tables.build.linked import System

MOST_NAMED = 5
_BATCH = 1_000_000


def streamed(relation: Relation, plan: exp.Select) -> pa.Table:
    """Return the result of a plan that has some."""
    return pa.Table.from_batches(list(relation.engine.stream(plan, _BATCH)))


def leaf_places(system: System, rows: pa.Table, missing: Mapping[str, str], where: str) -> NDArray[np.int64]:
    """Return the places of the leaf codes ``d0, d1, ...`` of rows, or raise with all codes that have none."""
    records = as_numpy(rows.column("records"))
    codings = [
        coded(one, rows.column(f"d{at}"), missing.get(one.name), records) for at, one in enumerate(system.dimensions)
    ]
    faults = [fault for one in codings for fault in one.faults]
    if faults:
        raise InputError(
            faults_text(faults), where=where, do="add these codes to the hierarchy, or correct them in the data"
        )
    return np.stack([one.places for one in codings], axis=1)


@dataclass(frozen=True, slots=True)
class Coded:
    """The places of codes, and what is wrong with them."""

    places: NDArray[np.int64]
    faults: tuple[str, ...]


def coded(dimension: Dimension, column: pa.ChunkedArray, missing: str | None, records: NDArray[np.float64]) -> Coded:
    """Return the place of each code of a column; `records` says how many records each row stands for.

    A code counts as it is written, or else without blanks around it. A code that is the sum of others is no code for a
    record: its record would be missing in the parts.
    """
    found_codes = encoded(column)
    values, numbers = found_codes.dictionary.to_pylist(), as_codes(found_codes.indices, -1).astype(np.int64)
    leaves = {leaf: dimension.position(leaf) for leaf in dimension.leaves}
    places = np.full(len(values) + 1, -1, np.int64)  # the last is for a missing code
    sums: list[tuple[int, str]] = []
    unknown: list[tuple[int, str]] = []
    for number, value in enumerate(values):
        text = text_of(value)
        place = leaves.get(text, leaves.get(text.strip(), -1))
        places[number] = place
        if place < 0:
            (sums if text.strip() in dimension else unknown).append((number, text.strip()))
    if missing is not None:
        places[-1] = leaves.get(missing, -1)
    coded_rows = places[numbers]
    without = coded_rows < 0
    counts = np.bincount(numbers[without] % len(places), records[without], len(places)).astype(np.float64)
    faults = [
        fault
        for place, said in ((unknown, "codes that its hierarchy does not cover"), (sums, "codes that are sums"))
        # In the order of the codes: that of the records may differ from run to run.
        if (fault := _codes_in_words(dimension.name, sorted(place, key=itemgetter(1)), counts, said))
    ]
    if counts[-1]:
        faults.append(
            f"dimension '{dimension.name}': {counted(int(counts[-1]), 'record')} without a code "
            '(missing = "..." says how to show them)'
        )
    return Coded(coded_rows, tuple(faults))


def encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Return a column as codes of its different values."""
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # what several chunks of a dictionary type combine to
        whole = pa.concat_arrays(whole.chunks) if whole.num_chunks else pa.array([], whole.type)
    if pa.types.is_dictionary(whole.type):
        whole = whole.dictionary_decode()
    if pa.types.is_floating(whole.type):
        whole = pc.add(whole, 0.0)  # -0.0 is 0.0
    return whole.dictionary_encode()


def _codes_in_words(name: str, codes: list[tuple[int, str]], counts: NDArray[np.float64], said: str) -> str:
    if not codes:
        return ""
    records = int(sum(counts[number] for number, _ in codes))
    return f"dimension '{name}': {counted(records, 'record')} with {said}: {listed([c for _, c in codes], MOST_NAMED)}"
