"""What can be wrong with the files of a release before anything is measured: changed, missing, foreign, identifying."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlglot import exp

from tacita.engines.plans.terms import as_text
from tacita.files.contract import ReadOptions, types_named
from tacita.model.attribute import Category
from tacita.model.microdata import Microdata
from tacita.progress import Progress, silent
from tacita.release.manifest import hashes, sha256
from tacita.release.placing import MANIFEST

_PSEUDONYM = "^[0-9a-f]{32}$"


def file_faults(release: Path, public: Mapping[str, Any], full: Mapping[str, Any] | None) -> list[str]:
    """Return which files were changed, are missing, or do not belong to the release."""
    expected = dict((full or public)["files"])
    found = hashes(release)
    if full is None:
        found.pop(MANIFEST, None)
    faults = [f"{name} is missing" for name in expected if name not in found]
    faults += [f"{name} does not belong to the release" for name in found if name not in expected]
    faults += [f"{path.name}/ does not belong to the release" for path in sorted(release.iterdir()) if path.is_dir()]
    changed = [name for name in expected if name in found and found[name] != expected[name]]
    return faults + [f"{name} was changed: its SHA-256 is not that of the manifest" for name in changed]


def internal_faults(internal: Path, full: Mapping[str, Any]) -> list[str]:
    """Return which files of the internal folder were changed or are missing."""
    faults = []
    for name, told in full.get("internal_files", {}).items():
        path = internal / name
        if not path.is_file():
            faults.append(f"{name} of the internal folder is missing")
        elif sha256(path) != told["sha256"]:
            faults.append(f"{name} of the internal folder was changed")
    return faults


def identifier_faults(microdata: Microdata, full: Mapping[str, Any]) -> list[str]:
    """Return which identifiers of the source are columns of the release."""
    pseudonymised = [name for name in full.get("pseudonymised", ()) if name in microdata.dictionary.names]
    named = [*full.get("identifiers", ()), *(a.name for a in microdata.dictionary.of(Category.IDENTIFIER))]
    present = [n for n in dict.fromkeys(named) if n in microdata.dictionary.names and n not in pseudonymised]
    faults = [f"the identifier '{name}' is a column of the release" for name in present]
    relation = microdata.relation
    for name in pseudonymised:
        value = as_text(relation.physical([name])[0])
        other = exp.Not(this=exp.RegexpLike(this=value, expression=exp.Literal.string(_PSEUDONYM)))
        plan = exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(relation.source()).where(other)
        if relation.engine.run(plan)[0]["n"]:
            faults.append(f"'{name}' holds something else than pseudonyms")
    return faults


def reading_options(public: Mapping[str, Any], progress: Progress = silent) -> ReadOptions:
    """Return how the data file is read: types as the manifest says, for text files only."""
    told = public.get("reading", {})
    if not str(public["data"]).endswith((".csv", ".txt", ".tsv", ".tab", ".gz")):
        return ReadOptions(progress=progress)
    return ReadOptions(
        delimiter=told.get("delimiter"),
        quote='"',
        encoding="utf-8",
        decimal=told.get("decimal"),
        thousands=told.get("thousands"),
        types=types_named(told.get("types", {})),
        progress=progress,
    )
