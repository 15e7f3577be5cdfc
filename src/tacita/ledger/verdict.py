"""What is about to be released, and what a joint verdict over everything released says of it.

The types stand here, below whoever judges and whoever releases, so that neither has to know the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.ledger.disclosures import Disclosures
from tacita.ledger.sources import SourceVersion


@dataclass(frozen=True, slots=True)
class ProposedRelease:
    """A release before it leaves: what it discloses, of which source, to whom."""

    kind: str
    version: SourceVersion
    recipient: str
    """As entries name it: empty for everybody."""
    disclosures: Disclosures
    internal: Path
    """The folder with the file of disclosed records, if there is one; it is unfinished, and is renamed later."""


@dataclass(frozen=True, slots=True)
class JointVerdict:
    """Whether a release is safe together with all earlier ones that count for its recipient."""

    is_judged: bool
    """False if nobody compared it with earlier releases; then nothing is said about it."""
    passed: bool = False
    reasons: tuple[str, ...] = ()
    """Why it does not pass, or what could not be judged: names of releases, addresses of cells, and no value."""
    remedies: tuple[str, ...] = ()
    """What would make it pass."""
    entries: tuple[int, ...] = ()
    """The earlier entries that the reasons are about."""
    compared: int = 0
    """With how many earlier entries it was compared."""
    is_allowed: bool = False
    """Whether it was released although it does not pass, since somebody insisted."""
    notes: tuple[str, ...] = ()
    """What could not be compared, and what was taken for granted, in sentences."""

    @property
    def is_refused(self) -> bool:
        """Whether it must not be released."""
        return self.is_judged and not self.passed and not self.is_allowed

    def to_payload(self) -> dict[str, Any]:
        """Return JSON values."""
        return {
            "is_judged": self.is_judged,
            "passed": self.passed,
            "reasons": list(self.reasons),
            "remedies": list(self.remedies),
            "entries": list(self.entries),
            "compared": self.compared,
            "is_allowed": self.is_allowed,
            "notes": list(self.notes),
        }

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> JointVerdict:
        """Return the verdict that `to_payload` gave."""
        return cls(
            payload["is_judged"],
            payload["passed"],
            tuple(payload["reasons"]),
            tuple(payload["remedies"]),
            tuple(payload["entries"]),
            payload["compared"],
            payload.get("is_allowed", False),
            tuple(payload.get("notes", ())),
        )


NOT_JUDGED = JointVerdict(is_judged=False)
"""What is said of a release that nobody compared with earlier ones."""
