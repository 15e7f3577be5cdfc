"""What every model of records asks before it is fitted, and how several synthetic files are given back."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

import numpy as np

from tacita.errors import InputError, UsageError, counted
from tacita.masking.method import Treated
from tacita.masking.preconditions import each_named_once, finite_numbers
from tacita.model.records import Numbers, Records

_FEW = 20
"""An attribute with no more values than this is never refused, however few records it has."""
_LARGEST = 1e300


def check_wishes(attributes: Sequence[str], records: int | None, data_sets: int, method: str) -> None:
    """Raise unless attributes, the number of records and that of data sets go together."""
    if attributes:
        each_named_once(attributes, method)
        if records is not None:
            raise UsageError(
                "'records' are invented only if all attributes are synthetic",
                do="leave out 'records', or 'attributes' for a fully synthetic file",
            )
    if records is not None and records < 1:
        raise UsageError("'records' is below 1", do="give the number of records to invent, or leave it out")
    if data_sets < 1:
        raise UsageError("'data_sets' is below 1", do="give the number of synthetic files, 1 or more")


def check_enough(records: Records, least: int) -> None:
    """Raise if records are too few for a model that does not repeat them."""
    if len(records) < least:
        raise InputError(
            f"{counted(len(records), 'record')} cannot be modelled without repeating them; {least} are the least",
            do="synthesise more records together",
        )


def check_synthesisable(records: Records, names: Sequence[str], least: int) -> tuple[str, ...]:
    """Raise if an attribute cannot be modelled or names nearly everybody; return notes on rare categories."""
    notes = []
    for name in names:
        column = records[name]
        if 0 < (present := int((~column.missing).sum())) < least:
            raise InputError(
                f"'{name}' has only {counted(present, 'value')}, of fewer than {least} respondents",
                do="leave the attribute out, make it missing throughout, or synthesise more records together",
            )
        if isinstance(column, Numbers):
            if np.abs(finite_numbers(records, name).values[~column.missing]).max(initial=0) > _LARGEST:
                raise InputError(f"'{name}' has values too large to compute with", do="give it in a larger unit")
            continue
        used = column.counts[column.counts > 0]
        rare = used[used < least]
        if len(used) > _FEW and rare.sum() * 2 > used.sum():
            raise InputError(
                f"'{name}' has {len(used):,} values, and most records have one that fewer than {least} share: "
                "a synthetic file would show these very values",
                do="leave the attribute out, or recode it to coarser categories first",
            )
        if len(rare):
            notes.append(
                f"'{name}' has categories that fewer than {least} records share, and synthetic records may show them: "
                "aggregate rare categories first if their existence tells something"
            )
    return tuple(notes)


def together(files: Sequence[Records], origin: bool, figures: dict[str, float], notes: tuple[str, ...]) -> Treated:
    """Return synthetic files: the first as the records, the others beside; in place if they have an origin."""
    beside = {f"data-set-{number}": file for number, file in enumerate(files[1:], 2)}
    if len(files) > 1:
        figures = {"data sets": float(len(files)), **figures}
    first = files[0]
    place = np.arange(len(first)) if origin else None
    return Treated(first, place, None, MappingProxyType(figures), MappingProxyType(beside), notes)


def as_released(column: Numbers, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Numbers:
    """Return drawn numbers of an attribute, whole again if it holds whole numbers."""
    return column.with_values(np.rint(values) if column.is_whole else values)
