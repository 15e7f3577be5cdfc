"""The sensitivity rules that a steward chose, with their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Dominance:
    """The `n` largest contributions together exceed `k` per cent of the cell."""

    n: int
    k: float


@dataclass(frozen=True, slots=True)
class PPercent:
    """A coalition of `n` contributors can estimate another contribution to within `p` per cent."""

    p: float
    n: int = 1


@dataclass(frozen=True, slots=True)
class PriorPosterior:
    """A contribution known to within `q` per cent beforehand becomes known to within `p` per cent."""

    p: float
    q: float
    n: int = 1


@dataclass(frozen=True, slots=True)
class Request:
    """A contributor who asked for protection has more than `share` per cent of the cell."""

    share: float
    n: int = 1


@dataclass(frozen=True, slots=True)
class SensitivityPlan:
    """Which cells are sensitive, and how far from its value a cell that is so by frequency must stay unknown."""

    minimum_frequency: int | None = None
    dominance: tuple[Dominance, ...] = ()
    p_percent: tuple[PPercent, ...] = ()
    prior_posterior: tuple[PriorPosterior, ...] = ()
    zeros: bool = False
    request: tuple[Request, ...] = ()
    group_disclosure: bool = False
    rules: Path | None = None
    """A program in the rule language."""
    waivers: tuple[str, ...] = ()
    """Contributors who consented to be recognised."""
    range: float = 0.15
    """Protection levels, as a share of the value, of cells that no contribution made sensitive."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Further settings, by rule: ``[sensitivity.group_disclosure]``."""

    @property
    def needs_contributions(self) -> int:
        """How many of the largest contributions the rules look at."""
        coalitions = [each.n for each in self.p_percent] + [each.n for each in self.prior_posterior]
        leaders = [each.n for each in self.dominance] + [each.n for each in self.request]
        return max([*leaders, *(n + 1 for n in coalitions)], default=0)
