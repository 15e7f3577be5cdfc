"""A release opened again: its manifest, its decisions, and which record of the source each released one was."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.cycle.decisions import Decisions
from tacita.cycle.outcome import Claim
from tacita.errors import InputError, UsageError
from tacita.release.folder import DECISIONS, ORDER, internal_folder
from tacita.release.manifest import FORMAT, INTERNAL, PUBLIC
from tacita.release.placing import MANIFEST

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class OpenedRelease:
    """A release with its internal folder. Files are read when they are asked for."""

    folder: Path
    internal: Path
    public: dict[str, Any] = field(repr=False)
    """The manifest that is handed out."""
    manifest: dict[str, Any] = field(repr=False)
    """The full manifest."""

    @property
    def claim(self) -> Claim:
        """What is said of the release."""
        return claim_of(self.manifest, where=self.internal)

    @property
    def data(self) -> Path:
        """The data file."""
        return self.folder / str(self.public["data"])

    @property
    def records(self) -> int:
        """The number of released records."""
        return int(self.manifest["records"])

    @property
    def decisions(self) -> Decisions:
        """The log; its rows are those of the source."""
        return Decisions(_table(self.internal / DECISIONS))

    def source_row(self, released_row: int) -> int:
        """Return the number, from 1, that a released record has in the source."""
        if not 1 <= released_row <= self.records:
            raise UsageError(f"there is no record {released_row:,}", do=f"give a number from 1 to {self.records:,}")
        if not self.manifest["shuffled"]:
            return released_row
        return int(_table(self.internal / ORDER)["source"][released_row - 1].as_py())

    def released_rows(self) -> list[int]:
        """Return the place in the release of each record of the source, in the order of the source."""
        if not self.manifest["shuffled"]:
            return list(range(1, self.records + 1))
        places = [0] * self.records
        for place, source in enumerate(_table(self.internal / ORDER)["source"].to_pylist(), 1):
            places[source - 1] = place
        return places

    def released_row(self, source_row: int) -> int:
        """Return the place that a record of the source has in the release."""
        import pyarrow.compute as pc

        if not 1 <= source_row <= self.records:
            raise UsageError(f"there is no record {source_row:,}", do=f"give a number from 1 to {self.records:,}")
        if not self.manifest["shuffled"]:
            return source_row
        return int(pc.index(_table(self.internal / ORDER)["source"], source_row).as_py()) + 1


def opened(release: Path, internal: Path | None = None) -> OpenedRelease:
    """Return a release with its internal folder, which stands beside it unless said otherwise."""
    beside = internal or internal_folder(release)
    public = manifest_of(release, PUBLIC)
    if not beside.is_dir():
        raise InputError(
            "there is no internal folder of this release", where=str(beside), do="say where it is with --internal DIR"
        )
    return OpenedRelease(release, beside, public, manifest_of(beside, INTERNAL))


def manifest_of(folder: Path, kind: str) -> dict[str, Any]:
    """Return the manifest of a folder, or raise if it is not of that kind."""
    what = "internal folder of a release" if kind == INTERNAL else "release"
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or found.get("kind") != kind:
        raise InputError(f"is no {what}: it has no {MANIFEST} of one", where=str(folder), do="check the path")
    if found.get("format") != FORMAT:
        raise InputError("was made by a newer Tacita", where=str(folder), do="update Tacita")
    return found


def claim_of(manifest: dict[str, Any], where: Path) -> Claim:
    """Return the claim in a full manifest."""
    try:
        told = manifest["claim"]
        return Claim(
            str(told["measure"]),
            dict(told["parameters"]),
            tuple(told["known"]),
            dict(told["nulls"]),
            told.get("cluster"),
            told.get("related"),
            _parts(told.get("measures") or ()),
        )
    except (KeyError, TypeError, ValueError):
        raise InputError("the manifest holds no claim", where=str(where), do="give it as options") from None


def _parts(told: Sequence[Mapping[str, Any]]) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return the measures that hold together; none, if there is only one."""
    if len(told) < 2:
        return ()
    return tuple((str(each["measure"]), dict(each["parameters"])) for each in told)


def _table(path: Path) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(path).read()
    except (OSError, pa.ArrowException):
        raise InputError("is missing or damaged", where=str(path), do="restore the internal folder") from None
