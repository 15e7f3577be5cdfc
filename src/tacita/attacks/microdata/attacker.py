"""What an attacker of microdata is, and what it gives back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError
from tacita.model.hierarchy import text_of
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
    does not disclose a record. They serve as the control."""
    sources: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    """The attributes that the intruder holds in two sources, where it is asked whether the file links these; None: what
    is known is dealt out."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", tuple(self.known))
        object.__setattr__(self, "secret", tuple(self.secret))
        if self.sources is not None:
            one, two = (tuple(source) for source in self.sources)
            object.__setattr__(self, "sources", (one, two))
            if not one or not two or set(one) & set(two):
                raise UsageError(
                    "the two sources of the intruder have an attribute in common, or one has none",
                    do="name different attributes for each",
                )
        if self.origin is None:
            return
        origin = np.array(self.origin, dtype=np.int64)
        if origin.shape != (len(self.released),):
            raise InputError("the origins are not one for each released record", do="give each record its origin")
        if len(origin) and (origin.min() < -1 or origin.max() >= len(self.original)):
            raise InputError("an origin is no place of an original record", do="give places from 0, or -1 for nobody")
        origin.setflags(write=False)
        object.__setattr__(self, "origin", origin)

    def shared(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return those attributes that both files have."""
        return tuple(n for n in names if n in self.original.columns and n in self.released.columns)


@dataclass(frozen=True, slots=True)
class Rate:
    """A share from 0 to 1 with the ends of its 95 % confidence interval; both equal to it if it is exact."""

    value: float
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Attacked:
    """How far an attacker got, and how far the same attack gets without the disclosure of a record: the control."""

    attacker: str
    success: float
    """The share of attempts that found the truth, from 0 to 1: correct links, values inferred, members told apart."""
    lower: float
    """Lower end of the 95 % confidence interval of the share."""
    upper: float
    guess: float
    """The success rate of random guessing without the released file."""
    attempts: int
    figures: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    notes: tuple[str, ...] = ()
    """What was left out, and why; no value of the data."""
    control: Rate | None = None
    """The success of the same attack where it discloses no record: on records that were not in the data, or by random
    matching; None if nobody knows."""
    control_by: str = ""
    """What the control is, in words; empty if there is none."""

    @property
    def risk(self) -> Rate | None:
        """The part of the success that is due to the records in the data: (success - control) / (1 - control).

        None without a control, or beside one that always succeeds: then the success is an upper bound of the risk, and
        may be far from it.

        >>> Attacked("x", 0.75, 0.75, 0.75, 0.0, 10, control=Rate(0.5, 0.5, 0.5)).risk
        Rate(value=0.5, lower=0.5, upper=0.5)
        """
        return None if self.control is None else residual(Rate(self.success, self.lower, self.upper), self.control)


def residual(success: Rate, control: Rate) -> Rate | None:
    """Return the risk (s - c) / (1 - c) of a success s beside a control c, not below 0, with its 95 % interval.

    None if the control always succeeds: it leaves nothing by which a risk could be measured, and that is not no risk.

    The definition is that of M. Giomi et al. (PoPETs 2023) and of anonymeter. The interval propagates the errors of
    both rates: with S and C the middles of their intervals and a, b half their lengths it is (S - C) / (1 - C) plus and
    minus sqrt((a / (1 - C))^2 + (b (1 - S) / (1 - C)^2)^2), cut to 0 and 1. For Wilson's intervals this is the interval
    that anonymeter gives. Its point estimate takes S and C, ours the shares s and c themselves.

    >>> residual(Rate(1.0, 0.9, 1.0), Rate(1.0, 1.0, 1.0)) is None
    True
    """
    if control.value >= 1:
        return None
    value = min(max((success.value - control.value) / (1 - control.value), 0.0), 1.0)
    (high, wide), (low, narrow) = _middle(success), _middle(control)
    left = 1 - low
    error = math.hypot(wide / left, narrow * (1 - high) / left**2)
    middle = (high - low) / left
    ends = (min(max(end, 0.0), 1.0) for end in (middle - error, middle + error))
    lower, upper = ends
    return Rate(value, min(lower, value), max(upper, value))


def _middle(rate: Rate) -> tuple[float, float]:
    return (rate.lower + rate.upper) / 2, (rate.upper - rate.lower) / 2


THREATS: Mapping[str, str] = MappingProxyType(
    {
        "identity": "finds {} of the records",
        "attribute": "learns {} of the values",
        "membership": "tells members of the file from others in {} of the cases",
    }
)
"""What an attacker can aim at, and its success in words: the record of a person, a value, who is in the data."""


def _is_not_a_default(scene: Scene, *, paired: bool) -> bool:
    return False


FACTS: Mapping[str, Any] = MappingProxyType(
    {
        "threat": "identity",
        "by_holdout": False,
        "uses_sources": False,
        "succeeds": "",
        "by_default": _is_not_a_default,
    }
)
"""What a class of attackers may state, and what holds for one that does not:

`threat`: what it aims at. The disclosure risk is the mean over threats of the best attacker of each. One that states no
threat counts as a threat to identity: there it can raise the risk, whereas a further threat in the mean would lower it.
`by_holdout`: its control are records that were not in the data; a hold-out is made for it where the recipe is known.
`uses_sources`: it links two sources of the intruder. `succeeds`: its success in words, if those of the threat do not
fit. `by_default`: a static method of a scene and of `paired`, whether it attacks if nobody chose attackers.
"""


@runtime_checkable
class Attacker(Protocol):
    """Somebody who attacks released microdata. Random attackers take their seed as a field; `FACTS` are optional."""

    name: ClassVar[str]

    def lacks(self, scene: Scene) -> Sequence[str]:
        """Return what the attacker would need and the scene does not have, in words; nothing if it can attack."""

    def attack(self, scene: Scene, progress: Progress = silent) -> Attacked:
        """Return how far the attacker gets."""


def scene_with_oracle(
    released: Records, identities: Records, oracle: Records, *, by: str, known: tuple[str, ...] = ()
) -> Scene:
    """Return the scene in which the intruder holds an identity oracle (VADA-SA paper, section 2.1).

    `identities` has the identifier `by` of each released record, in the order of these: the truth, which stays with the
    steward. The intruder knows what the oracle shares with the released file, but for the identifier, unless `known`
    says less. A released record whose identifier is not in the oracle belongs to nobody whom the intruder knows.

    >>> from tacita.model.records import Categories
    >>> register = Records({"Id": Categories.of(["a", "b", "c"]), "Area": Categories.of(["n", "s", "s"])})
    >>> asked = register.taken(np.array([2, 0]))
    >>> scene = scene_with_oracle(asked.only(["Area"]), asked, register, by="Id")
    >>> scene.origin.tolist(), scene.known
    ([2, 0], ('Area',))
    """
    if len(identities) != len(released):
        raise InputError(
            "the identities are not those of the released records", do="give one for each record, in the same order"
        )
    people, released_people = oracle.categories(by), identities.categories(by)
    if int(people.missing.sum()) or int(people.counts.max(initial=0)) > 1:
        raise InputError(f"'{by}' is missing or the same for several people in the oracle", do="use an identifier")
    place = np.full(len(people.values) + 1, -1, dtype=np.int64)
    place[people.codes] = np.arange(len(people))
    code = {text_of(value): code for code, value in enumerate(people.values)}
    places = np.array([*(code.get(text_of(value), -1) for value in released_people.values), -1], dtype=np.int64)
    shared = tuple(name for name in oracle.names if name != by and name in released.columns)
    return Scene(oracle, released, place[places[released_people.codes]], known or shared)
