"""A release opened again: both folders with their manifests. Kinds add what they keep inside."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.errors import InputError
from tacita.release.kind import ReleaseKind
from tacita.release.kinds import KINDS
from tacita.release.manifest import check_manifest, file_faults, internal_faults, kind_in, manifest_in

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
    """The full manifest; empty if there is no internal folder."""

    @property
    def data(self) -> Path:
        """The data file of a release of records."""
        return self.folder / str(self.public["data"])

    def file_faults(self) -> list[str]:
        """Return which files were changed, are missing, or do not belong to the release."""
        faults = file_faults(self.folder, self.public, self.manifest)
        return faults + internal_faults(self.internal, self.manifest)

    def table(self, name: str) -> pa.Table:
        """Return a Parquet file of the internal folder."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = self.internal / name
        try:
            return pq.ParquetFile(path).read()
        except (OSError, pa.ArrowException):
            raise InputError("is missing or damaged", where=str(path), do="restore the internal folder") from None


def internal_folder(target: Path) -> Path:
    """Return where the internal folder of a release stands, if nobody says otherwise.

    >>> print(internal_folder(Path("out/release")))
    out/release.internal
    """
    target = target if target.name not in {"", ".."} else target.resolve()
    return target.with_name(f"{target.name}.internal")


def kind_of(folder: Path) -> ReleaseKind:
    """Return the kind of the release in a folder; raise if there is none, or if it is an internal folder."""
    manifest = manifest_in(folder)
    name, is_internal = kind_in(manifest)
    if name in KINDS and is_internal:
        raise InputError(
            "this is the internal folder of a release", where=str(folder), do="name the folder that is handed out"
        )
    check_manifest(manifest, folder, name if name in KINDS else "")
    return KINDS.named(name)()


def takes_claim(folder: Path) -> bool:
    """Return whether a person may give the claim of a release: not that of a kind which has no claim to measure."""
    name, _ = kind_in(manifest_in(folder))
    return name not in KINDS or bool(KINDS.fact(name, "needs_proof"))


def open_release(release: Path | str, internal: Path | str | None = None) -> OpenedRelease:
    """Return a release with its internal folder, which stands beside it unless said otherwise."""
    opened = open_to_verify(Path(release), kind_of(Path(release)), internal)
    if not opened.manifest:
        raise InputError(
            "there is no internal folder of this release",
            where=str(opened.internal),
            do="say where it is with --internal DIR",
        )
    return opened


def open_to_verify(release: Path, kind: ReleaseKind, internal: Path | str | None = None) -> OpenedRelease:
    """Return a release with what there is of its internal folder.

    A kind that needs the proof takes no folder for it that has none; others do without.
    """
    beside = Path(internal) if internal is not None else internal_folder(release)
    full = manifest_in(beside)
    if kind_in(full) == (kind.name, True) or (kind.needs_proof and (internal is not None or beside.is_dir())):
        check_manifest(full, beside, kind.name, internal=True)
    else:
        full = {}
    return OpenedRelease(release, beside, manifest_in(release), full)
