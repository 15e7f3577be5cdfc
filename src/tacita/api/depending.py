"""Find what determines what in a data set: functional dependencies, exact or relaxed.

>>> import tacita as tc
>>> discovery = tc.sample("customers").discover_dependencies()
>>> [one.left_in_words for one in discovery.of("Occupation") if not one.is_key]
['Name', '{Age, Street}', '{Age, Sex}', '{Age, City}', '{Age, ZipCode}']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tacita.api.dataset import Dataset
from tacita.dependencies.dependency import Condition, Dependency, Discovery, ErrorMeasure, Relaxation
from tacita.dependencies.discovery.discover import discover_dependencies
from tacita.dependencies.discovery.joins import joined
from tacita.dependencies.discovery.options import DiscoveryOptions, JoinRequest
from tacita.engines.protocol import Relation
from tacita.errors import UsageError
from tacita.files.atomic import check_target, write_text
from tacita.files.contract import ReadOptions
from tacita.files.read import read
from tacita.progress import Progress

__all__ = [
    "Condition",
    "Dependency",
    "Discovery",
    "DiscoveryOptions",
    "ErrorMeasure",
    "JoinRequest",
    "Relaxation",
    "check_report",
    "discover",
    "write_text",
]


def discover(data: Dataset, options: DiscoveryOptions | None = None, *, progress: Progress | None = None) -> Discovery:
    """Return all minimal dependencies between attributes, each with its support, error, gain and a witness.

    Without options these are the exact ones of all attributes. Files to join are read on the engine of the data set.
    """
    options, progress = options or DiscoveryOptions(), progress or data.context.progress
    microdata = data.microdata
    notes: list[str] = []
    stored: list[Relation] = []
    for request in options.join:
        other = read(request.file, data.context.engine, ReadOptions(progress=progress))
        microdata, more = joined(microdata, other, request.keys)
        stored += [microdata.relation, other.relation]
        notes += more
    if options.join:
        notes.append("Numbers of records are those of the joined records.")
    try:
        return discover_dependencies(microdata, replace(options, join=()), progress, notes)
    finally:
        for relation in stored:
            data.context.engine.drop(relation)


def check_report(report: Path | None, *, read: Sequence[str], force: bool) -> None:
    """Raise before any work if a report cannot be written, or would replace what is read."""
    if report is None:
        return
    for source in read:
        if report.resolve() == Path(source).resolve():
            raise UsageError("what is read would be replaced", where=str(report), do="name another file")
    check_target(report, force=force)
