"""The manifests of a release: what a reader may know of its files, and what the owner must keep to prove its claim.

Both have the same frame for every kind: what it is, the format, the facts that the kind states, SHA-256 and size of the
files. The internal one also has a token, the time, and the hashes of the internal folder.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tacita.errors import InputError
from tacita.version import __version__

FORMAT = 1
MANIFEST = "manifest.json"
TOKEN = "token"
"""What tells one internal folder from another; it is in the internal manifest."""
LEDGER = "ledger"
"""Where the ledger has the release, in the internal manifest; null if none was configured."""
_PREFIX, _INTERNAL = "tacita ", ", internal"
_CHUNK = 1 << 20


Hashes = Mapping[str, Mapping[str, Any]]
"""SHA-256 and size of files, by name."""


def public_manifest(kind: str, facts: Mapping[str, Any], release: Path, files: Hashes | None = None) -> dict[str, Any]:
    """Return the manifest that is handed out; `facts` are what the kind of the release states.

    `files` are the hashes of the files if they are known already.
    """
    return {"kind": f"{_PREFIX}{kind}", "format": FORMAT, **facts, "files": files or hashes(release)}


@dataclass(frozen=True, slots=True)
class Places:
    """Where a release is being made."""

    release: Path
    internal: Path
    token: str


def internal_manifest(
    kind: str,
    facts: Mapping[str, Any],
    places: Places,
    files: Hashes | None = None,
    internal_files: Hashes | None = None,
) -> dict[str, Any]:
    """Return the manifest that stays inside; hashes that are known already are given."""
    return {
        "kind": f"{_PREFIX}{kind}{_INTERNAL}",
        "format": FORMAT,
        TOKEN: places.token,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        **facts,
        "files": files or hashes(places.release),
        "internal_files": internal_files or hashes(places.internal),
    }


def as_json(value: Mapping[str, Any]) -> str:
    """Return a manifest as the text of its file."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def manifest_in(folder: Path) -> dict[str, Any]:
    """Return the manifest of a folder, empty if there is none that can be read."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def kind_in(manifest: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the kind that a manifest names, and whether it is that of an internal folder; no kind if it is not ours.

    >>> kind_in({"kind": "tacita table release, internal"}), kind_in({})
    (('table release', True), ('', False))
    """
    words = str(manifest.get("kind", ""))
    if not words.startswith(_PREFIX):
        return "", False
    return words.removeprefix(_PREFIX).removesuffix(_INTERNAL), words.endswith(_INTERNAL)


def check_manifest(manifest: Mapping[str, Any], folder: Path, kind: str, *, internal: bool = False) -> None:
    """Raise if a manifest is not of a release of that kind, or of its internal folder."""
    if not kind or kind_in(manifest) != (kind, internal):
        what = "internal folder of a release" if internal else "release"
        raise InputError(f"is no {what}: it has no {MANIFEST} of one", where=str(folder), do="check the path")
    if manifest.get("format") != FORMAT:
        raise InputError("was made by a newer Tacita", where=str(folder), do="update Tacita")


def versions() -> dict[str, str]:
    """Return what made a release of records."""
    return {"tacita": __version__, "python": platform.python_version(), "duckdb": version("duckdb")}


def hashes(folder: Path) -> dict[str, dict[str, Any]]:
    """Return SHA-256 and size of every file of a folder."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    return {path.name: {"sha256": sha256(path), "bytes": path.stat().st_size} for path in files}


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def file_faults(release: Path, public: Mapping[str, Any], full: Mapping[str, Any]) -> list[str]:
    """Return which files were changed, are missing, or do not belong to the release; `full` is empty if unknown."""
    expected = dict((full or public)["files"])
    present = hashes(release)
    if not full:
        present.pop(MANIFEST, None)
    faults = [f"{name} is missing" for name in expected if name not in present]
    faults += [f"{name} does not belong to the release" for name in present if name not in expected]
    faults += [f"{path.name}/ does not belong to the release" for path in sorted(release.iterdir()) if path.is_dir()]
    changed = _changed(expected, present)
    return faults + [f"{name} was changed: its SHA-256 is not that of the manifest" for name in changed]


def changed_files(release: Path, public: Mapping[str, Any], full: Mapping[str, Any]) -> list[str]:
    """Return the names of files that are there and are not those of the manifest; `full` is empty if unknown."""
    return _changed((full or public)["files"], hashes(release))


def _changed(expected: Mapping[str, Any], present: Mapping[str, Any]) -> list[str]:
    return [name for name in expected if name in present and present[name] != expected[name]]


def internal_faults(internal: Path, full: Mapping[str, Any]) -> list[str]:
    """Return which files of the internal folder were changed or are missing."""
    faults = []
    for name, file in full.get("internal_files", {}).items():
        path = internal / name
        if not path.is_file():
            faults.append(f"{name} of the internal folder is missing")
        elif sha256(path) != file["sha256"]:
            faults.append(f"{name} of the internal folder was changed")
    return faults
