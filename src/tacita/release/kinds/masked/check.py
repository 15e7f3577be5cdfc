"""Whether masked microdata are what was attacked: when they are written, and whenever somebody asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.engines.records import records_of
from tacita.errors import InputError
from tacita.files.read import read
from tacita.model import dictionary_file
from tacita.model.microdata import Microdata
from tacita.model.records import Numbers
from tacita.release.kind import Verification
from tacita.release.manifest import kind_in, manifest_in
from tacita.release.opening import OpenedRelease, internal_folder
from tacita.release.records.data_file import DICTIONARY, ORDER, reading_options
from tacita.release.records.derivable import with_derivable

if TYPE_CHECKING:
    Array = np.ndarray[Any, np.dtype[Any]]

_PUBLIC = ("masked release", False)
_SAME = 1e-6
"""Formats may hold a number in fewer digits; what differs by more is another number."""


@dataclass(frozen=True, slots=True, repr=False)
class MaskedVerification(Verification):
    """What was found; `faults` is empty if everything is as it was when the data were attacked and released."""

    against: tuple[str, ...] = ()
    """Limits of the recipe that were not kept when the data were released."""
    is_ungated: bool = False
    """Whether the data were released without a limit of risk."""
    is_derivable: bool = False
    """Whether the internal folder says that hidden values can be derived, and that this was allowed."""

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        if not self.holds:
            return "The release is not what was attacked."
        return with_derivable("The files are those that were attacked.", is_derivable=self.is_derivable)


def verify_masked(release: OpenedRelease, faults: list[str]) -> MaskedVerification:
    """Return whether the files are those that were attacked, and no identifier is a column."""
    full = release.manifest
    if full:
        path = release.folder / DICTIONARY
        names = dictionary_file.load(path).names if path.is_file() else ()
        faults = faults + [
            f"the identifier '{n}' is a column of the release" for n in full["identifiers"] if n in names
        ]
    against = tuple(full.get("released_against", ()))
    is_ungated, is_derivable = bool(release.public.get("ungated")), bool(full.get("derivable"))
    return MaskedVerification(release.folder, tuple(faults), bool(full), against, is_ungated, is_derivable)


def faults_of_written(
    release: OpenedRelease, attacked: Microdata, names: Sequence[str], identifiers: Sequence[str]
) -> list[str]:
    """Return what differs between the written file and the records that were attacked, in words without a value.

    `names` are those of the attacked attributes in the file: some formats allow only short ones.
    """
    engine = attacked.relation.engine
    first = engine.new_table()
    try:
        written = read(str(release.data), engine, reading_options(release.public))
        if tuple(written.dictionary.names) != tuple(names):
            return ["its columns are not those that were attacked"]
        if present := [name for name in identifiers if name in names]:
            return [f"the identifier '{present[0]}' is a column"]
        if written.relation.count() != attacked.relation.count():
            return ["its number of records is not that of the attacked ones"]
        return [
            f"the numbers of '{own}' are not those that were attacked"
            for own, name in zip(attacked.dictionary.names, names, strict=True)
            if not _same_numbers(attacked, own, written, name)
        ]
    finally:
        engine.forget_between(first, engine.new_table())


def _same_numbers(attacked: Microdata, own: str, written: Microdata, name: str) -> bool:
    if not (attacked.column(own).type.is_numeric and written.column(name).type.is_numeric):
        return True
    one, two = records_of(attacked, [own])[own], records_of(written, [name])[name]
    if not (isinstance(one, Numbers) and isinstance(two, Numbers)):
        return True
    return np.allclose(one.values, two.values, rtol=_SAME, atol=0, equal_nan=True)


def release_of(path: Path) -> Path | None:
    """Return the release that a folder is, or to which a file belongs; None if it is just a file.

    The data of a release are shuffled: whoever names the file alone must not be told that nobody is found in it.
    """
    if path.is_dir():
        return path
    public = manifest_in(path.parent)
    return path.parent if kind_in(public) == _PUBLIC and public.get("data") == path.name else None


def data_and_origin(release: Path) -> tuple[Path, Array | None]:
    """Return the data file, and for each of its records the place of its original; None if they are invented."""
    public = manifest_in(release)
    if kind_in(public) != _PUBLIC:
        raise InputError(
            "this is no release of masked data",
            where=str(release),
            do="name a file, or a folder that 'tacita mask' made",
        )
    data = release / str(public["data"])
    if public.get("records_are_invented"):
        return data, None
    order = internal_folder(release) / ORDER
    if not order.is_file():
        raise InputError(
            "its internal folder is not there, so nobody can say who is who",
            where=str(internal_folder(release)),
            do="attack it where it was made, or name the data file and an identifier (--by)",
        )
    import pyarrow.parquet as pq

    from tacita.engines.arrow import as_numpy

    return data, as_numpy(pq.read_table(order).column("source")) - 1
