"""From data to a release folder: anonymize, mask or protect, and write what is safe.

>>> import tacita as tc
>>> outcome = tc.anonymize(tc.sample("figure-5"), k=2)
>>> outcome.is_safe, outcome.nulls
(True, 3)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.api.dataset import Dataset
from tacita.cycle.anonymize import anonymize as run
from tacita.cycle.checkpoint import Checkpoint
from tacita.cycle.outcome import Outcome
from tacita.cycle.plan import Plan
from tacita.cycle.plan_forms import by_rules_alone
from tacita.cycle.plan_words import settings_of
from tacita.errors import UsageError
from tacita.model.attribute import Category
from tacita.model.result import Result
from tacita.progress import Progress, silent
from tacita.release.kind import Released
from tacita.release.options import FolderOptions, ReleaseOptions
from tacita.release.records.derivable import ON_RELEASE
from tacita.release.writing import check_folder, write_release
from tacita.risk.identity.k_anonymity import KAnonymity

if TYPE_CHECKING:
    from tacita.api.masking import Masking
    from tacita.concealment.concealment import Concealment
    from tacita.cycle.curve import Curve
    from tacita.tables.protect.protected import Protected


__all__ = [
    "KAnonymity",
    "Outcome",
    "Plan",
    "ReleaseAttempt",
    "ReleaseOptions",
    "Released",
    "anonymize",
    "anonymize_to",
    "by_rules_alone",
    "check_folder",
    "curve",
    "release_to",
]


@dataclass(frozen=True, slots=True, repr=False)
class ReleaseAttempt(Result):
    """What was made of the data, and the release if it may be released and a folder was named."""

    result: Outcome | Masking | Protected | Concealment
    release: Released | None = None
    passed: bool = True
    """Whether it is safe by its own limits, or somebody insisted where that is possible."""
    is_refused: bool = False
    """Whether masked data are not released because no limit of risk is set, and nobody insisted."""

    def _in_short(self) -> str:
        where = f"released to {self.release.folder}" if self.release is not None else "not released"
        return f"{where}: {self.result!r}"


def anonymize(
    data: Dataset,
    plan: Plan | None = None,
    *,
    k: int | None = None,
    progress: Progress | None = None,
    resume_as: str | None = None,
) -> Outcome:
    """Change a data set as little as possible until the plan's measure finds no record above its threshold.

    `k` is short for a plan with k-anonymity. Nothing is written; `release_to` writes a safe outcome. With `resume_as`,
    which says how the file was read, a run that was killed goes on where it was.
    """
    if k is not None and plan is not None:
        raise UsageError("k is given beside a plan", do="say it in the plan: Plan(KAnonymity(k))")
    plan = plan or Plan(KAnonymity(k) if k is not None else KAnonymity())
    progress = progress or data.context.progress
    data, plan, notes = _prepare(data, plan, progress)
    checkpoint = None
    if resume_as is not None and plan.program is None:
        words = settings_of(plan, plan.known or (), plan.nulls_in(data.dictionary)) | {"read": resume_as}
        checkpoint = Checkpoint.of(Path(data.microdata.source.name), words, data.context.settings)
    outcome = run(data.microdata, plan, progress=progress, checkpoint=checkpoint)
    outcome = replace(outcome, notes=[*notes, *outcome.notes])
    program = next(iter(plan.related.values()), None) or (outcome.settings.get("related") if plan.program else None)
    return _with_chain(outcome, data, str(program), plan.inputs) if program and outcome.claim.related else outcome


def curve(data: Dataset, plan: Plan, *, progress: Progress = silent) -> Curve:
    """Return what a plan comes to under each meaning of a null, from maybe-match to strict. Nothing is written."""
    from tacita.cycle.curve import curve as run_curve

    data, plan, _ = _prepare(data, plan, progress)
    return run_curve(data.microdata, plan, progress=progress)


def anonymize_to(
    folder: Path | None,
    data: Dataset,
    plan: Plan | None = None,
    options: ReleaseOptions | None = None,
    *,
    progress: Progress | None = None,
    resume_as: str | None = None,
) -> ReleaseAttempt:
    """Anonymize a data set, and release a safe outcome to a folder; that it can be written is seen before any work.

    Without options those of the plan count; a plan that has some takes no others. Without a folder nothing is written,
    and a note names what only a release looks at.
    """
    plan, progress = plan or Plan(), progress or data.context.progress
    _check_said_once(plan, options)
    options = options or plan.release or ReleaseOptions()
    if folder is not None:
        check_folder(folder, options)
    outcome = anonymize(data, plan, progress=progress, resume_as=resume_as)
    if folder is not None and outcome.is_safe:
        released = release_to(folder, outcome, options, progress=progress)
        return ReleaseAttempt(released.outcome, released)
    if outcome.is_safe:
        outcome = replace(outcome, notes=[*outcome.notes, ON_RELEASE])
    return ReleaseAttempt(outcome, passed=outcome.is_safe)


def _prepare(data: Dataset, plan: Plan, progress: Progress) -> tuple[Dataset, Plan, tuple[str, ...]]:
    """Return data with the roles that a release needs, the plan with what it names by file, and notes on roles."""
    if beside := replace(plan.roles, quasi=None):
        data = data.with_roles(beside)
    data, notes = data.for_release(plan.known, tuple(filter(None, [plan.cluster])), progress=progress)
    plan = plan.settle(data.microdata)
    return data, replace(plan, known=plan.known or data.dictionary.quasi_identifiers), notes


def _with_chain(outcome: Outcome, data: Dataset, program: str, inputs: Mapping[str, str]) -> Outcome:
    """Keep which rules link the records, so that 'explain' can show the chain of facts; it is internal."""
    source = data.microdata.source.name
    chain = {
        "source": str(Path(source).absolute()) if Path(source).exists() else source,
        "program": str(Path(program).absolute()) if Path(program).exists() else program,
        "inputs": {name: str(Path(file).absolute()) for name, file in inputs.items()},
        "identifier": [attribute.name for attribute in data.dictionary.of(Category.IDENTIFIER)],
        "weight": data.dictionary.weight,
    }
    return replace(outcome, settings={**outcome.settings, "chain": chain})


def release_to(
    folder: str | Path,
    outcome: Outcome | Protected | Masking,
    options: FolderOptions | None = None,
    *,
    progress: Progress = silent,
) -> Released:
    """Write a safe outcome, masked data or protected tables as a release folder, its internal folder beside it.

    `options` are `ReleaseOptions`, `MaskedOptions` or `TableOptions`. What must not be released is refused.
    """
    if isinstance(outcome, Outcome) and outcome.plan is not None:
        _check_said_once(outcome.plan, options)
        options = options or outcome.plan.release
    return write_release(outcome, folder, options, progress=progress)


def _check_said_once(plan: Plan, options: FolderOptions | None) -> None:
    """Raise if options would silently replace those of the plan, such as the attributes that it drops."""
    if options is not None and plan.release is not None and options != plan.release:
        raise UsageError(
            "options of the release are given beside a plan that has some",
            do="say all in one place: dataclasses.replace(plan, release=...)",
        )
