"""A proposal: the category that an attribute seems to have, and why. A person decides."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.model.attribute import Category


@dataclass(frozen=True, slots=True)
class Reason:
    """One piece of evidence: what it speaks for, how strongly (0 to 1), and in words."""

    category: Category
    strength: float
    text: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """The proposed category of an attribute with all its reasons, strongest first."""

    attribute: str
    category: Category
    confidence: float
    reasons: tuple[Reason, ...]
    conflict: str = ""
    """What a person has to decide, if the evidence disagrees."""

    @property
    def why(self) -> str:
        """The strongest reason for the category, in words."""
        return next((reason.text for reason in self.reasons if reason.category is self.category), "")
