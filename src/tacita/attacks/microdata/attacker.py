"""What an attacker of microdata is, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacita.model.records import Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What is attacked, what the intruder has, and the truth by which the attack is scored."""

    original: Records
    """The records of the people whom the intruder knows: the original file, or an identity oracle's."""
    released: Records
    origin: NDArray[np.int64] | None
    """For each released record the place of its original; None if released records are invented."""
    known: tuple[str, ...]
    """The attributes that the intruder knows of the people."""
    secret: tuple[str, ...] = ()
    """The attributes that the intruder wants to learn."""


@dataclass(frozen=True, slots=True)
class Attacked:
    """How far an attacker got."""

    attacker: str
    success: float
    """The share of attempts that found the truth, from 0 to 1: correct links, values inferred, members told apart."""
    lower: float
    """Lower end of the 95 % confidence interval of the share."""
    upper: float
    guess: float
    """The same share for somebody who guesses without the released file."""
    attempts: int
    figures: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    """What was left out, and why; no value of the data."""


@runtime_checkable
class Attacker(Protocol):
    """Somebody who attacks released microdata. Random attackers take their seed as a field."""

    name: ClassVar[str]

    def lacks(self, scene: Scene) -> Sequence[str]:
        """Return what the attacker would need and the scene does not have, in words; nothing if it can attack."""

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        """Return how far the attacker gets."""
