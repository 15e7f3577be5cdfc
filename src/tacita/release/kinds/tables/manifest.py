"""The manifests of tables: what a reader may know, and what we must remember to prove and explain."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tacita.model.table import Status
from tacita.release.kinds.tables.kind import INTERNAL, PUBLIC
from tacita.release.manifest import FORMAT, hashes
from tacita.release.placing import TOKEN, Places
from tacita.tables.output.part import MARKER, TablePart
from tacita.tables.protect.protected import Protected, ProtectedTable
from tacita.version import __version__
from tacita.views.json_values import plain


def public_manifest(
    protected: Protected, parts: Sequence[TablePart], files: Mapping[str, list[str]], folder: Path
) -> dict[str, Any]:
    """Return what everybody may know: which tables there are, how to read them, and that no file was changed."""
    return {
        "kind": PUBLIC,
        "format": FORMAT,
        "title": protected.title,
        "tables": [
            {
                "name": part.name,
                "response": part.response,
                "dimensions": [each.name for each in part.dimensions],
                "cells": len(part),
                "withheld": int(part.withheld.sum()),
            }
            for part in parts
        ],
        "marker": MARKER,
        "reading": list(dict.fromkeys(note for each in protected.tables for note in each.reading)),
        "formats": dict(files),
        "versions": {"tacita": __version__},
        "files": hashes(folder),
    }


def internal_manifest(
    protected: Protected, cells: Sequence[str], files: Mapping[str, list[str]], places: Places
) -> dict[str, Any]:
    """Return everything."""
    parts = [(number, part) for number, each in enumerate(protected.tables) for part in protected.parts_shown(each)]
    return {
        "kind": INTERNAL,
        "format": FORMAT,
        TOKEN: places.token,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "title": protected.title,
        "versions": {"tacita": __version__, "python": platform.python_version(), "highspy": version("highspy")},
        "settings": plain(protected.settings),
        "tables": [_table(each) for each in protected.tables],
        "cells": [
            {"name": part.name, "table": number, "file": file, "dimensions": [each.name for each in part.dimensions]}
            for (number, part), file in zip(parts, cells, strict=True)
        ],
        "formats": dict(files),
        "files": hashes(places.release),
        "internal_files": hashes(places.internal),
    }


def _table(each: ProtectedTable) -> dict[str, Any]:
    return {
        "name": each.table.name,
        "response": each.table.response,
        "method": each.method,
        "cells": len(each.table),
        "equations": len(each.table.equations),
        "sensitive": each.case.counts_of_rules,
        "status": {status.name.lower(): each.count(status) for status in Status},
        **plain(each.figures),
        "audit": {"passed": each.audit.passed, "suppressed": each.audit.suppressed, "notes": list(each.audit.notes)},
        "notes": [*each.case.notes, *each.notes],
    }
