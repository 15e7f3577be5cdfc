"""The manifests: what a reader may know of the files of a release, and what we must remember to prove our claim.

The public one helps to check that nothing was changed on the way. It names the measure and says how empty cells were
counted, and nothing that narrows a guess: no threshold, no k, no seed, no row, no exact number of changes.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tacita.cycle.outcome import Claim, Outcome
from tacita.files.layout import character
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType
from tacita.release.tuples import Tuples, identifiers_of
from tacita.risk.null_semantics import Nulls, Semantics
from tacita.version import __version__
from tacita.views.json_values import plain
from tacita.views.outcome import claim_dict, state_dict

FORMAT = 1
PUBLIC, INTERNAL = "tacita release", "tacita release, internal"
FEW = 10
"""Counts below it are not told: an exact small number is a fact about single records."""
_CHUNK = 1 << 20


def public_manifest(outcome: Outcome, tuples: Tuples, released: Microdata, data: str, folder: Path) -> dict[str, Any]:
    """Return what everybody may know."""
    changed = outcome.decisions.per_attribute()
    whole = {name for name, level in outcome.recoded.items() if level}
    return {
        "kind": PUBLIC,
        "format": FORMAT,
        "data": data,
        "versions": versions(),
        "measure": " and ".join(dict.fromkeys(Path(name).name for name, _ in outcome.claim.measures)),
        "empty_cells": null_semantics(outcome.claim),
        "changed_cells": {
            name: {
                "suppressed": rounded_count(changed.get(name, (0, 0))[0]),
                "coarsened": "all" if name in whole else rounded_count(changed.get(name, (0, 0))[1]),
            }
            for name in (column.name for column in released.columns)
            if name in changed or name in whole
        },
        "reading": reading(released),
        "files": hashes(folder),
    }


def internal_manifest(
    outcome: Outcome,
    tuples: Tuples,
    *,
    seed: int,
    token: str,
    data: str,
    release: Path,
    internal: Path,
    notes: Iterable[str],
    checked: Mapping[str, Any],
) -> dict[str, Any]:
    """Return everything."""
    return {
        "kind": INTERNAL,
        "format": FORMAT,
        "token": token,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": data,
        "versions": versions(),
        "source": source_told(outcome.original),
        "claim": plain(claim_dict(outcome.claim)),
        "settings": plain(outcome.settings),
        "seed": seed,
        "records": outcome.records,
        "before": plain(state_dict(outcome.before)),
        "after": plain(state_dict(outcome.after)),
        "checked": plain(checked),
        "nulls": outcome.nulls,
        "changed_cells": {
            name: {"suppressed": suppressed, "coarsened": coarsened}
            for name, (suppressed, coarsened) in outcome.decisions.per_attribute().items()
        },
        "recoded": plain(outcome.recoded),
        "loss": plain(outcome.loss),
        "identifiers": list(identifiers_of(outcome)),
        "dropped": list(tuples.dropped),
        "pseudonymised": list(tuples.pseudonymised),
        "renumbered": list(tuples.renumbered),
        "shuffled": tuples.order is not None,
        "weights": None
        if tuples.weights is None
        else {"attribute": tuples.weights.attribute, "largest_deviation": tuples.weights.largest_deviation},
        "derivable": [each.to_dict() for each in tuples.derivable],
        "notes": [*outcome.notes, *notes],
        "files": hashes(release),
        "internal_files": hashes(internal),
    }


def versions() -> dict[str, str]:
    """Return what made the release."""
    return {"tacita": __version__, "python": platform.python_version(), "duckdb": version("duckdb")}


def null_semantics(claim: Claim) -> str:
    """Return how empty cells count, in a word."""
    if claim.nulls.get("missing_as") == "category":
        return "category"
    nulls = Nulls.from_words(claim.nulls)
    return "strict" if nulls.semantics is Semantics.ALPHA and nulls.alpha == 0 else str(nulls.semantics)


def rounded_count(count: int) -> int | str:
    """Return a count that tells how much, and not how many.

    >>> rounded_count(0), rounded_count(3), rounded_count(14), rounded_count(12_345)
    (0, 'fewer than 10', 10, 12000)
    """
    if count == 0:
        return 0
    if count < FEW:
        return f"fewer than {FEW}"
    digits = max(len(str(count)) - 2, 1)
    return int(round(count, -digits))


def reading(released: Microdata) -> dict[str, Any]:
    """Return how the data file is read back: types, and how text is laid out."""
    details = dict(released.source.details) if released.source.format in {"CSV", "TSV"} else {}
    layout = {name: sign for name, sign in details.items() if name in {"decimal", "thousands"}}
    if "delimiter" in details:
        layout["delimiter"] = character(details["delimiter"]) or ","
    return {"types": {c.name: _type_read_back(c, released) for c in released.columns}, **layout}


def _type_read_back(column: Column, released: Microdata) -> str:
    """Return the type of a column in a text file; one with cells that no such type holds is read as text."""
    from tacita.model.missing_codes import MISSING_MARKERS

    if not column.as_written:
        return column.type.value
    codes = released.attribute(column.name).missing
    odd = any(code not in MISSING_MARKERS and not _is_number(code) for code in codes)
    return column.type.value if column.type.is_numeric and not odd else ColumnType.TEXT.value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return ".." in text
    return True


def hashes(folder: Path) -> dict[str, dict[str, Any]]:
    """Return SHA-256 and size of every file of a folder, except a manifest, which cannot hold its own."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    return {path.name: {"sha256": sha256(path), "bytes": path.stat().st_size} for path in files}


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def as_json(value: Mapping[str, Any]) -> str:
    """Return a manifest as the text of its file."""
    return json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def source_told(original: Microdata) -> dict[str, Any]:
    """Return what is remembered of the source: its name, its format and its hash."""
    path = Path(original.source.name)
    found = {"name": original.source.name, "format": original.source.format, "columns": len(original.columns)}
    return found | ({"sha256": sha256(path), "bytes": path.stat().st_size} if path.is_file() else {})
