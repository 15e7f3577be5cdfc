"""The kind of increments, which a gate releases: how they are verified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from tacita.engines.context import Context
from tacita.errors import UsageError
from tacita.progress import Progress
from tacita.release.kinds.increment.check import IncrementVerification, verify_increments
from tacita.release.kinds.increment.folder import NAME
from tacita.release.opening import OpenedRelease
from tacita.release.options import FolderOptions

if TYPE_CHECKING:
    from tacita.cycle.outcome import Claim
    from tacita.risk.measure import Measure


class IncrementKind:
    """Records that a gate released one after the other. Its folder grows, so it is not written at once."""

    name: ClassVar = NAME
    options: ClassVar = FolderOptions
    needs_proof: ClassVar = False
    why_no_decisions: ClassVar = (
        "a gate decided on these records, each by what had left before",
        "read the answers of the gate, or run 'tacita release watch {release}'",
    )

    def check(self, content: Any, options: FolderOptions, where: str) -> NoReturn:
        """Refuse what was not decided by a gate."""
        raise UsageError("increments are released by a gate", where=where, do="use 'tacita release gate'")

    def source(self, content: Any) -> Path | None:
        """Return nothing: records come from wherever they are offered."""
        return None

    def draft(self, content: Any, options: FolderOptions, where: str, progress: Progress) -> NoReturn:
        """Refuse what was not decided by a gate."""
        self.check(content, options, where)

    def verify(
        self, release: OpenedRelease, faults: list[str], claim: Claim | None, own: Measure | None, context: Context
    ) -> IncrementVerification:
        """Compare the files with the manifests and with the ledger, and let the gate decide again."""
        return verify_increments(release, faults)
