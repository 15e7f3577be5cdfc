"""What tells a release of tables from one of microdata."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tacita.release.placing import MANIFEST

PUBLIC, INTERNAL = "tacita table release", "tacita table release, internal"


def manifest_in(folder: Path) -> dict[str, Any]:
    """Return the manifest of a folder, empty if there is none."""
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def is_table_release(folder: Path) -> bool:
    """Return whether a folder is a release of tables, or the internal folder of one."""
    return manifest_in(folder).get("kind") in {PUBLIC, INTERNAL}
