"""Use cases of assessing: the question that is asked, and the files that an answer is written to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tacita.assess.assessment import Assessment
from tacita.assess.question import Question
from tacita.errors import UsageError
from tacita.files.atomic import check_target, write_text
from tacita.files.formats import format_of

__all__ = ["Assessment", "Question", "check_one_scenario", "check_targets", "write_text"]


def check_targets(records: Path | None, html: Path | None, *, read: Sequence[object], force: bool) -> None:
    """Raise before any work if a file cannot be written, or would replace what is read."""
    targets = [target for target in (records, html) if target is not None]
    if len(targets) == 2 and targets[0].resolve() == targets[1].resolve():
        raise UsageError("--records and --html name the same file", do="name two files")
    for target in targets:
        for source in read:
            if isinstance(source, str) and target.resolve() == Path(source).resolve():
                raise UsageError("what is read would be replaced", where=str(target), do="name another file")
        check_target(target, force=force)
    if records is not None and not format_of(records).writable:
        raise UsageError(f"'{records.suffix}' can be read, not written", do="write .csv or .parquet")


def check_one_scenario(assessment: Assessment, records: Path | None, why: int | None) -> None:
    """Raise if records are to be written or explained, and there are several scenarios to do it under."""
    if len(assessment.scenarios) > 1 and (records is not None or why is not None):
        names = ", ".join(f"'{scenario.name}'" for scenario in assessment.scenarios)
        option = "--records" if records is not None else "--why"
        raise UsageError(f"{option} is about one scenario, and there are several: {names}", do="choose with --scenario")
