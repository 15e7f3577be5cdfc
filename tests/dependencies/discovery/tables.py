"""Small tables for the search: drawn at random, as codes without an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.dependencies.dependency import Discovery
from tacita.dependencies.discovery.coding import CodedAttribute, coded_attribute
from tacita.dependencies.discovery.discover import discover_coded
from tacita.dependencies.discovery.options import DiscoveryOptions
from tacita.model.relation import ColumnType

WORDS = ["ann", "anna", "hanna", "bob", "rob", "robin", ""]


def coded(cells: Mapping[str, Sequence[Any]]) -> list[CodedAttribute]:
    """Columns as codes: texts where there is a text, otherwise numbers."""
    columns = []
    for name, column in cells.items():
        is_text = any(isinstance(value, str) for value in column)
        type_ = ColumnType.TEXT if is_text else ColumnType.INTEGER
        array = pa.chunked_array([pa.array(column, pa.string() if is_text else pa.int64())])
        columns.append(coded_attribute(name, type_, array))
    return columns


def discovered(cells: Mapping[str, Sequence[Any]], **options: Any) -> Discovery:
    return discover_coded("table", coded(cells), DiscoveryOptions(**options))


def drawn(seed: int, *, most_records: int, most_attributes: int) -> dict[str, list[Any]]:
    """A table with some or all of: few values, many values, texts, constants, empty columns, missing, duplicates."""
    random = np.random.default_rng(seed)
    records = int(random.integers(0, most_records + 1))
    cells: dict[str, list[Any]] = {}
    for place in range(int(random.integers(1, most_attributes + 1))):
        values = int(random.choice([1, 2, 3, 4, 8, 20]))
        column: list[Any] = [int(code) for code in random.integers(0, values, records)]
        if random.random() < 0.3:
            column = [WORDS[code % len(WORDS)] for code in column]
        if random.random() < 0.3:
            column = [None if random.random() < 0.25 else value for value in column]
        if random.random() < 0.05:
            column = [None] * records
        cells["abcdefghij"[place]] = column
    if records > 2 and random.random() < 0.3:  # whole records twice
        again = int(random.integers(0, records))
        cells = {name: [*column[:-1], column[again]] for name, column in cells.items()}
    return cells
