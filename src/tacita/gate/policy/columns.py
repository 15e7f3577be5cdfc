"""Columns of data files as text cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tacita.engines.context import Context
from tacita.errors import InputError, did_you_mean, listed
from tacita.files.contract import ReadOptions
from tacita.files.read import read
from tacita.gate.policy.cells import cell_text
from tacita.model.microdata import Microdata

Columns = Callable[[Path, Sequence[str]], list[list[str]]]
"""Reads columns of a file by name, each as a list of text cells."""


def columns_of_file(path: Path, names: Sequence[str]) -> list[list[str]]:
    """Return columns of a data file in any format, as text cells."""
    with Context() as context:
        microdata = read(str(path), context.engine, ReadOptions(), use_dictionary=False)
        rows = list(text_rows(microdata, names))
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in names]


def text_rows(microdata: Microdata, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield records as tuples of text cells, in order; a missing cell is empty."""
    present = microdata.dictionary.names
    if absent := [name for name in names if name not in present]:
        raise InputError(
            f"no attribute '{listed(absent)}'{did_you_mean(absent[0], present)}",
            where=microdata.source.name,
            do="check the names in the policy",
        )
    for batch in microdata.relation.batches():
        columns = [[cell_text(cell) for cell in batch.column(name).to_pylist()] for name in names]
        yield from zip(*columns, strict=True)
