"""The run of all experiments: search, choose, measure."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from experiments.gdpr.data import CONFIDENTIAL, HEALTH, Sources
from experiments.gdpr.hiding import dependencies_of, growing, one_by_one
from experiments.gdpr.information_gain import information_gains
from experiments.gdpr.points import GdprResults, Hidden, InformationGain, Searched, Setting
from tacita.errors import UsageError, did_you_mean
from tacita.progress import Progress, Step, silent

QUICK = 2_000
"""The records of each file in a quick run."""


def gdpr(
    *,
    seed: int = 0,
    folder: Path | None = None,
    only: Sequence[str] = (),
    quick: bool = False,
    progress: Progress = silent,
) -> GdprResults:
    """Return what was measured on the data sets that are asked for, by default on all that can be made."""
    sources = Sources(seed, QUICK if quick else None, folder)
    names = _wanted(only, sources)
    searched: list[Searched] = []
    hidden: list[Hidden] = []
    gains: list[InformationGain] = []
    for place, name in enumerate(names):
        progress(Step(f"dependencies of {name}", place, len(names)))
        table = sources.table(name)
        for search, given in dependencies_of(name, table, progress):
            searched += [] if search is None else [search]
            hidden += [*one_by_one(name, given), *growing(name, given)]
            if name == HEALTH and given.setting is Setting.FULL:
                gains += information_gains(table, given, seed)
    return GdprResults(seed, quick, tuple(searched), tuple(hidden), tuple(gains))


def _wanted(only: Sequence[str], sources: Sources) -> tuple[str, ...]:
    for name in only:
        if name not in CONFIDENTIAL:
            raise UsageError(
                f"there is no data set '{name}'{did_you_mean(name, CONFIDENTIAL)}", do=f"name {', '.join(CONFIDENTIAL)}"
            )
        if name not in sources.names():
            raise UsageError(f"'{name}' needs public files", do="give their folder with --data")
    return tuple(name for name in sources.names() if not only or name in only)
