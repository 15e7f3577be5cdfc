"""The cells and records of a cube as tables of a folder, with what is known of its versions, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacita.queries.cube.cube import COUNT, Cube
from tacita.queries.cube.history import HASH_BYTES, CellsOfVersion, Hashes, RecordHistory
from tacita.queries.policy.policy import QueryPolicy

if TYPE_CHECKING:
    import pyarrow as pa


def cells_table(cube: Cube) -> pa.Table:
    """Return the codes and sizes of cells; those of the version itself are ``c0``, of the first one ``v1c0``, ..."""
    import pyarrow as pa

    columns: dict[str, Any] = {f"c{at}": pa.array(cube.codes[one.name]) for at, one in enumerate(cube.attributes)}
    columns["n"] = pa.array(cube.n)
    if cube.history is not None:
        for number, seen in enumerate(cube.history.versions, 1):
            columns[f"v{number}"] = pa.array(seen.present)
            if number < cube.version:
                columns |= {f"v{number}c{at}": pa.array(seen.codes[one.name]) for at, one in enumerate(cube.attributes)}
        columns |= {_same(cube.policy, name): pa.array(cells) for name, cells in cube.history.same.items()}
    return pa.table(columns)


def records_table(cube: Cube) -> pa.Table:
    """Return the values of rows, by cells, of whom they are, and the hashes of their records."""
    import pyarrow as pa

    whose = np.arange(cube.all_records) if cube.units is None else cube.units
    columns: dict[str, Any] = {"unit": pa.array(whose)}
    columns |= {f"m{at}": pa.array(cube.values[one.name]) for at, one in enumerate(cube.policy.measures)}
    if cube.history is not None:
        columns |= {"key": _hash_column(cube.history.keys), "born": pa.array(cube.history.born)}
        if cube.history.persons is not None:
            columns["person"] = _hash_column(cube.history.persons)
    return pa.table(columns)


def labels_of(cube: Cube, attribute: str) -> list[int]:
    """Return how many of the labels of an attribute each version has."""
    return [] if cube.history is None else [seen.labels[attribute] for seen in cube.history.versions]


def read_history(
    policy: QueryPolicy,
    codes: Mapping[str, NDArray[np.int32]],
    labels: Sequence[Mapping[str, int]],
    cells: pa.Table,
    records: pa.Table,
) -> RecordHistory:
    """Return the history that tables have; `codes` are those of the latest version, `labels` how many each one has."""
    versions = []
    for number, own_labels in enumerate(labels, 1):
        own = codes
        if number < len(labels):
            own = {name: cells.column(f"v{number}c{at}").to_numpy() for at, name in enumerate(codes)}
        versions.append(CellsOfVersion(own, cells.column(f"v{number}").to_numpy(), own_labels))
    names = (COUNT, *(one.name for one in policy.measures))
    same = {name: cells.column(_same(policy, name)).to_numpy() for name in names}
    persons = _hashes(records, "person") if policy.unit else None
    return RecordHistory(tuple(versions), same, _hashes(records, "key"), records.column("born").to_numpy(), persons)


def _same(policy: QueryPolicy, measure: str) -> str:
    if measure == COUNT:
        return "same"
    return f"same{next(at for at, one in enumerate(policy.measures) if one.name == measure)}"


def _hash_column(hashes: Hashes) -> pa.Array:
    import pyarrow as pa

    return pa.Array.from_buffers(
        pa.binary(HASH_BYTES), len(hashes), [None, pa.py_buffer(np.ascontiguousarray(hashes).tobytes())]
    )


def _hashes(records: pa.Table, name: str) -> Hashes:
    column = records.column(name).combine_chunks()
    array = column.chunk(0) if hasattr(column, "chunk") else column
    first = array.offset * HASH_BYTES
    whole = np.frombuffer(array.buffers()[1], np.uint8)[first : first + len(array) * HASH_BYTES]
    return whole.reshape(len(array), HASH_BYTES)
