"""A release of masked microdata opened again: its data, and from its internal folder where they come from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.errors import InputError
from tacita.release.folder import ORDER, internal_folder
from tacita.release.kinds.masked.manifest import PUBLIC
from tacita.release.kinds.tables.kind import manifest_in

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


def release_of(path: Path) -> Path | None:
    """Return the release that a folder is, or to which a file belongs; None if it is just a file.

    The data of a release are shuffled: whoever names the file alone must not be told that nobody is found in it.
    """
    if path.is_dir():
        return path
    public = manifest_in(path.parent)
    return path.parent if public.get("kind") == PUBLIC and public.get("data") == path.name else None


def data_and_origin(release: Path) -> tuple[Path, Array | None]:
    """Return the data file, and for each of its records the place of its original; None if they are invented."""
    public = manifest_in(release)
    if public.get("kind") != PUBLIC:
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

    from tacita.risk.arrays import as_numpy

    return data, as_numpy(pq.read_table(order).column("source")) - 1
