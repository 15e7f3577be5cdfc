"""Sources of releases: data sets about the same persons share a name, whatever version of them is released."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tacita.errors import LedgerError


@dataclass(frozen=True, slots=True)
class LedgerSource:
    """A population, and the files that are about its persons."""

    name: str
    key: tuple[str, ...] = ()
    """The attributes that together name a person in every version; none: versions cannot be compared by person."""
    files: tuple[Path, ...] = ()
    """Files, each of which is a version of it whatever it holds."""
    hashes: tuple[str, ...] = ()
    """SHA-256 of versions; if there are any, a file of another content is refused."""
    attributes: tuple[str, ...] = ()
    """The attributes of the finest cells, over which releases are judged together; none: all that were released."""
    least: int = 10
    """Fewer persons than this must not be told apart by two releases."""


@dataclass(frozen=True, slots=True)
class SourceVersion:
    """The content that something is released of: where it is, its hash, and the source that it is a version of."""

    paths: tuple[Path, ...]
    sha256: str
    """Of the content; of several files, of their hashes. Empty if the content is not in files."""
    source: LedgerSource | None = None

    @property
    def subject(self) -> str:
        """What entries name as their subject."""
        return "" if self.source is None else self.source.name

    @property
    def is_known(self) -> bool:
        """Whether other releases of the same data can be found: by the content of its files, or by its name."""
        return bool(self.sha256 or self.subject)


def version_of(paths: Sequence[Path], sources: Mapping[str, LedgerSource], where: str) -> SourceVersion:
    """Return which version of which source some files are; raise if their content is not that of a known version."""
    files = tuple(path.resolve() for path in paths if path.is_file())
    hashes = [sha256_of(path) for path in files]
    digest = hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(hashes).encode()).hexdigest() if hashes else ""
    for source in sources.values():
        is_named = any(path in {file.resolve() for file in source.files} for path in files)
        if digest and digest in source.hashes:
            return SourceVersion(files, digest, source)
        if is_named and source.hashes:
            raise LedgerError(
                f"the source '{source.name}' has another content than its known versions",
                where=where,
                do=f'check the file; if it is a new version, add its hash to [sources.{source.name}]: "{digest}"',
            )
        if is_named:
            return SourceVersion(files, digest, source)
    return SourceVersion(files, digest)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of the content of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
