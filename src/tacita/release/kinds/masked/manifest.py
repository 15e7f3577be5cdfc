"""The manifests of masked microdata: what a reader may know, and what we must remember."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tacita.model.microdata import Microdata
from tacita.recipes.carry_out import Masked
from tacita.recipes.evaluation import Evaluation
from tacita.release.kinds.masked.tuples import identifiers_of
from tacita.release.manifest import FORMAT, hashes, reading, source_told, versions
from tacita.release.placing import TOKEN, Places
from tacita.release.tuples import Tuples
from tacita.views.json_values import plain

PUBLIC, INTERNAL = "tacita masked release", "tacita masked release, internal"


def public_manifest(
    masked: Masked, released: Microdata, data: str, tables: Mapping[str, str], folder: Path, *, is_ungated: bool
) -> dict[str, Any]:
    """Return what everybody may know: methods and attributes, and nothing of parameters or seeds."""
    return {
        "kind": PUBLIC,
        "format": FORMAT,
        "data": data,
        "tables": dict(tables),
        "versions": versions(),
        "methods": [
            {"method": step.method, "attributes": list(done.attributes)}
            for step, done in zip(masked.recipe.steps, masked.steps, strict=True)
        ],
        "records_are_invented": masked.origin is None,
        "ungated": is_ungated,
        "reading": reading(released),
        "files": hashes(folder),
    }


def internal_manifest(
    masked: Masked,
    evaluation: Evaluation,
    tuples: Tuples,
    places: Places,
    data: str,
    notes: Sequence[str],
    against: Sequence[str],
    *,
    is_ungated: bool,
) -> dict[str, Any]:
    """Return everything."""
    return {
        "kind": INTERNAL,
        "format": FORMAT,
        TOKEN: places.token,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": data,
        "versions": versions(),
        "source": source_told(masked.original),
        "records": tuples.relation.count(),
        "steps": [
            {
                "step": step.label,
                "attributes": list(done.attributes),
                "promises": done.promises,
                "limits": done.limits,
                "figures": plain(done.figures),
                "notes": list(done.notes),
            }
            for step, done in zip(masked.recipe.steps, masked.steps, strict=True)
        ],
        "evaluation": evaluation.to_dict(),
        "ungated": is_ungated,
        "released_against": list(against),
        "identifiers": list(identifiers_of(masked)),
        "dropped": [*tuples.dropped, *masked.dropped],
        "shuffled": tuples.order is not None,
        "derivable": [each.to_dict() for each in tuples.derivable],
        "notes": list(notes),
        "files": hashes(places.release),
        "internal_files": hashes(places.internal),
    }
