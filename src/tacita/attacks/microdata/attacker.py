"""What an attacker of microdata is, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError
from tacita.model.records import Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What is attacked, what the intruder has, and the truth by which the attack is scored."""

    original: Records
    """The records of the people whom the intruder knows: the original file, or an identity oracle's."""
    released: Records
    origin: NDArray[np.int64] | None
    """For each released record the place of its original, -1 if that person is not among those whom the intruder
    knows; None if released records are invented."""
    known: tuple[str, ...]
    """The attributes that the intruder knows of the people."""
    secret: tuple[str, ...] = ()
    """The attributes that the intruder wants to learn."""
    holdout: Records | None = None
    """Records of people like the original ones who are not in the released file: what is found out about them as well
    is no disclosure of anybody's record."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", tuple(self.known))
        object.__setattr__(self, "secret", tuple(self.secret))
        if self.origin is None:
            return
        held = np.array(self.origin, dtype=np.int64)
        if held.shape != (len(self.released),):
            raise InputError("the origins are not one for each released record", do="give each record its origin")
        if len(held) and (held.min() < -1 or held.max() >= len(self.original)):
            raise InputError("an origin is no place of an original record", do="give places from 0, or -1 for nobody")
        held.setflags(write=False)
        object.__setattr__(self, "origin", held)

    def shared(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return those attributes that both files have."""
        return tuple(n for n in names if n in self.original.columns and n in self.released.columns)


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
