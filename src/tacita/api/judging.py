"""One verdict over everything released: what a release tells together with all that left before.

Releases ask by themselves before they leave. `judge` asks without releasing.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.api.ledgers import opened_ledger
from tacita.errors import InputError, UsageError
from tacita.joint.judgement import ArithmeticTerm, JointJudgement, JointReason, JointRemedy, JointStatus
from tacita.options import option
from tacita.progress import Progress, silent
from tacita.release.asking import ReleaseQuestion
from tacita.release.manifest import MANIFEST

if TYPE_CHECKING:
    from tacita.release.options import FolderOptions
    from tacita.settings import Settings

__all__ = [
    "ArithmeticTerm",
    "JointJudgement",
    "JointReason",
    "JointRemedy",
    "JointStatus",
    "JudgeOptions",
    "judge",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """What is asked about a release."""

    recipient: str | None = option(
        None,
        help="Who would receive it, by the name in the settings of the ledger; default: public, or who received it.",
    )
    source: str | None = option(
        None, help="The source that a data file is a version of, by the name in the settings of the ledger."
    )


def judge(
    what: Any,
    options: JudgeOptions | None = None,
    settings_file: Path | None = None,
    *,
    release: FolderOptions | None = None,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> JointJudgement:
    """Return whether something could be released, together with all that left before; nothing is released or recorded.

    `what` is the specification of tables (a .toml file, which is protected first), a data file, which is judged as it
    is, or the folder of a release that the ledger has. In Python it may also be an outcome, masked data or protected
    tables; `release` are the options with which that would be released.
    """
    options = options or JudgeOptions()
    with opened_ledger(settings_file, settings) as (given, ledger):
        recipient = given.recipients.named(options.recipient)
        question = ReleaseQuestion(given, ledger, recipient, settings, progress)
        if not isinstance(what, str | PathLike):
            _check_no_source(options, "what was made of data")
            return question.of_content(what, release)
        path = Path(what)
        if (path / MANIFEST).is_file():
            _check_no_source(options, "a release")
            return question.of_release(path, to_same=options.recipient is None)
        if path.suffix.lower() == ".toml":
            _check_no_source(options, "a specification")
            return question.of_content(_protected(path, progress), release)
        from tacita.api.reading import read

        return question.of_file(read(path, settings=settings).microdata, options.source)


def _protected(path: Path, progress: Progress) -> Any:
    from tacita.api.tables import protect_table

    protected = protect_table(path, progress=progress)
    if not protected.passed:
        raise InputError(
            "these tables are not protected: the audit finds a level that is not kept",
            where=str(path),
            do="look at 'tacita table protect'",
        )
    return protected


def _check_no_source(options: JudgeOptions, what: str) -> None:
    if options.source is not None:
        raise UsageError(f"{what} says itself of which source it is", do="leave out --source")
