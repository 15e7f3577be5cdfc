"""From data to a release folder: anonymize, mask or protect, and write what is safe.

>>> import tacita as tc
>>> outcome = tc.anonymize(tc.sample("figure-5"), k=2)
>>> outcome.is_safe, outcome.nulls
(True, 3)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, overload

from tacita.api.dataset import Dataset
from tacita.cycle.anonymize import anonymize as run
from tacita.cycle.outcome import Outcome
from tacita.cycle.plan import Plan
from tacita.errors import UsageError
from tacita.model.result import Result
from tacita.progress import Progress, silent
from tacita.release.folder import Released, internal_folder, write_release
from tacita.release.options import ReleaseOptions
from tacita.release.placing import check_places
from tacita.risk.identity.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from tacita.api.masking import Masking
    from tacita.release.kinds.masked.folder import MaskedOptions, ReleasedRecords
    from tacita.release.kinds.tables.folder import ReleasedTables, TableOptions
    from tacita.tables.protect.protected import Protected

    AnyRelease = Released | ReleasedRecords | ReleasedTables


@dataclass(frozen=True, slots=True, repr=False)
class ReleaseAttempt(Result):
    """What was made of the data, and the release if it may be released and a folder was named."""

    result: Outcome | Masking | Protected
    release: AnyRelease | None = None
    passed: bool = True
    """Whether it is safe by its own limits, or somebody insisted where that is possible."""
    is_refused: bool = False
    """Whether masked data are not released because no limit of risk is set, and nobody insisted."""

    def _in_short(self) -> str:
        where = f"released to {self.release.folder}" if self.release is not None else "not released"
        return f"{where}: {self.result!r}"


def anonymize(
    data: Dataset, plan: Plan | None = None, *, k: int | None = None, progress: Progress | None = None
) -> Outcome:
    """Change a data set as little as possible until the plan's measure finds no record above its threshold.

    `k` is short for a plan with k-anonymity. Nothing is written; `release_to` writes a safe outcome.
    """
    if k is not None and plan is not None:
        raise UsageError("k is given beside a plan", do="say it in the plan: Plan(KAnonymity(k))")
    plan, progress = plan or Plan(KAnonymity(k) if k is not None else KAnonymity()), progress or data.context.progress
    data, notes = data.for_release(plan.known, tuple(filter(None, [plan.cluster])), progress=progress)
    outcome = run(data.microdata, plan, progress=progress)
    return replace(outcome, notes=[*notes, *outcome.notes])


@overload
def release_to(
    folder: str | Path, outcome: Outcome, options: ReleaseOptions | None = None, *, progress: Progress = silent
) -> Released: ...


@overload
def release_to(
    folder: str | Path, outcome: Protected, options: TableOptions | None = None, *, progress: Progress = silent
) -> ReleasedTables: ...


@overload
def release_to(
    folder: str | Path, outcome: Masking, options: MaskedOptions | None = None, *, progress: Progress = silent
) -> ReleasedRecords: ...


def release_to(
    folder: str | Path,
    outcome: Outcome | Protected | Masking,
    options: ReleaseOptions | TableOptions | MaskedOptions | None = None,
    *,
    progress: Progress = silent,
) -> Released | ReleasedTables | ReleasedRecords:
    """Write a safe outcome, masked data or protected tables as a release folder, its internal folder beside it."""
    if isinstance(outcome, Outcome):
        if options is not None and not isinstance(options, ReleaseOptions):
            raise UsageError("these are options of tables", do="give ReleaseOptions with an outcome of the cycle")
        return write_release(outcome, Path(folder), options, progress=progress)
    from tacita.api.masking import Masking

    if isinstance(outcome, Masking):
        from tacita.release.kinds.masked.folder import MaskedOptions, write_masked

        if options is not None and not isinstance(options, MaskedOptions):
            raise UsageError("these are options of something else", do="give MaskedOptions with masked data")
        return write_masked(outcome.masked, outcome.evaluation, Path(folder), options, progress=progress)
    from tacita.release.kinds.tables.folder import TableOptions, write_tables

    if options is not None and not isinstance(options, TableOptions):
        raise UsageError("these are options of microdata", do="give TableOptions with protected tables")
    return write_tables(outcome, Path(folder), options, progress=progress)


def check_folder(folder: Path, internal: Path | None = None, *, force: bool = False) -> None:
    """Raise if a release cannot be written to a folder, or its internal folder beside it."""
    check_places(folder, internal or internal_folder(folder), force=force)
