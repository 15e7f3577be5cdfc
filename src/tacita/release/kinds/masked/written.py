"""Whether the written file is what was attacked: read as anybody would read it, before it is put in its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tacita.engines.records import records_of
from tacita.files.read import read
from tacita.model.microdata import Microdata
from tacita.model.records import Numbers
from tacita.release.file_faults import reading_options

_SAME = 1e-6
"""Formats may hold a number in fewer digits; what differs by more is another number."""


def faults_of_written(
    file: Path, public: Mapping[str, Any], attacked: Microdata, names: Sequence[str], identifiers: Sequence[str]
) -> list[str]:
    """Return what differs between a written file and the records that were attacked, in words without a value.

    `names` are those of the attacked attributes in the file: some formats allow only short ones.
    """

    engine = attacked.relation.engine
    first = engine.new_table()
    try:
        found = read(str(file), engine, reading_options(public))
        if tuple(found.dictionary.names) != tuple(names):
            return ["its columns are not those that were attacked"]
        if present := [name for name in identifiers if name in names]:
            return [f"the identifier '{present[0]}' is a column"]
        if found.relation.count() != attacked.relation.count():
            return ["its number of records is not that of the attacked ones"]
        return [
            f"the numbers of '{own}' are not those that were attacked"
            for own, name in zip(attacked.dictionary.names, names, strict=True)
            if not _same_numbers(attacked, own, found, name)
        ]
    finally:
        engine.forget_between(first, engine.new_table())


def _same_numbers(attacked: Microdata, own: str, found: Microdata, name: str) -> bool:
    if not (attacked.column(own).type.is_numeric and found.column(name).type.is_numeric):
        return True
    one, two = (records_of(data, [each])[each] for data, each in ((attacked, own), (found, name)))
    if not (isinstance(one, Numbers) and isinstance(two, Numbers)):
        return True
    return np.allclose(one.values, two.values, rtol=_SAME, atol=0, equal_nan=True)
