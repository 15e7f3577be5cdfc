"""What a search of the lattice found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class LatticeOptimum:
    """The best node: how far each attribute goes up, and what that costs."""

    levels: Mapping[str, int]
    score: float
    """The loss, suppressed records included."""
    suppressed: int
    """Records that must be suppressed because their class violates a model."""
    checked: int
    """Nodes that were looked at."""
    nodes: int
    """Nodes of the whole lattice."""
    is_proven: bool
    """Whether no other node can be better; otherwise it is the best of those that were looked at."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", MappingProxyType(dict(self.levels)))
