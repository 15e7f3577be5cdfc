"""How attacks are scored: a share with its confidence interval, and what an attack needs before it can be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tacita.attacks.microdata.attacker import Attacked, Rate, Scene
from tacita.errors import InputError, UsageError, listed
from tacita.model.records import Records

HOLDOUT = "records that were not in the data"
MATCHING = "random matching of records"
EVEN = "even odds"
"""What a control is, in words."""

_Z = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


def wilson(successes: float, attempts: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share (E. B. Wilson, JASA 22, 1927).

    Unlike the usual interval it stays between 0 and 1, and is not a point where no attempt or every attempt succeeded.
    Links that are shared among equally near records count as parts of a success.

    >>> [round(end, 4) for end in wilson(0, 100)]
    [0.0, 0.037]
    >>> wilson(0, 0)
    (0.0, 1.0)
    """
    if not attempts:
        return 0.0, 1.0
    share, extra = successes / attempts, _Z * _Z / attempts
    middle = (share + extra / 2) / (1 + extra)
    half = _Z / (1 + extra) * math.sqrt(share * (1 - share) / attempts + extra / (4 * attempts))
    return max(0.0, min(middle - half, share)), min(1.0, max(middle + half, share))


def rate_of(successes: float, attempts: int, independent: int | None = None) -> Rate:
    """Return a share with Wilson's interval.

    With `independent` the interval is that of so many attempts: several guesses about one person are not independent.
    """
    share = min(1.0, successes / attempts) if attempts else 0.0
    trials = attempts if independent is None else independent
    return Rate(share, *wilson(share * trials, trials))


def exact(share: float) -> Rate:
    """Return a share that was computed, not sampled.

    >>> exact(0.5)
    Rate(value=0.5, lower=0.5, upper=0.5)
    """
    return Rate(share, share, share)


def scored(
    name: str,
    successes: float,
    attempts: int,
    guess: float,
    figures: Mapping[str, float],
    notes: Sequence[str] = (),
    *,
    independent: int | None = None,
    control: Rate | None = None,
    by: str = HOLDOUT,
) -> Attacked:
    """Return the score of an attack whose successes were counted, beside its control if there is one."""
    rate = rate_of(successes, attempts, independent)
    return Attacked(
        name,
        rate.value,
        rate.lower,
        rate.upper,
        guess,
        attempts,
        MappingProxyType(dict(figures)),
        tuple(notes),
        control,
        by if control is not None else "",
    )


def usable_holdout(scene: Scene, names: Sequence[str]) -> Records | None:
    """Return the hold-out if it has records and all of some attributes."""
    holdout = scene.holdout
    return holdout if holdout is not None and len(holdout) and all(name in holdout.columns for name in names) else None


def require(lacking: Sequence[str]) -> None:
    """Raise if an attack lacks something."""
    if lacking:
        raise InputError("; ".join(lacking), do="give the attack what it needs, or leave it out")


def lacking(scene: Scene, *, origin: bool = False) -> list[str]:
    """Return what is missing of records, of shared attributes that the intruder knows, and of origins if needed."""
    return [*lacking_records(scene), *(lacking_origin(scene) if origin else ()), *lacking_known(scene)]


def lacking_records(scene: Scene) -> list[str]:
    """Return what is missing if a file has no records."""
    lacking = [] if len(scene.original) else ["there is no original record"]
    return lacking if len(scene.released) else [*lacking, "there is no released record"]


def lacking_known(scene: Scene) -> list[str]:
    """Return what is missing if the intruder knows nothing that is released."""
    return [] if scene.shared(scene.known) else ["no attribute that the intruder knows is in both files"]


def lacking_origin(scene: Scene) -> list[str]:
    """Return what is missing if nobody knows whose the released records are."""
    return (
        [] if scene.origin is not None else ["released records have no origin: nobody could say whether a link is true"]
    )


def left_out(scene: Scene, names: Sequence[str]) -> list[str]:
    """Return a note about attributes that one of the files does not have."""
    shared = set(scene.shared(names))
    missing = [name for name in names if name not in shared]
    return [f"not in both files, and left out: {listed(missing)}"] if missing else []


def check_share(name: str, value: float, *, most: float = math.inf) -> None:
    """Raise if a parameter is no number from 0 on."""
    if not 0 <= value <= most or not math.isfinite(value):
        raise UsageError(
            f"{name} is {value}", do="give a number from 0 on" + (f" to {most:g}" if most < math.inf else "")
        )


def check_count(name: str, value: int) -> None:
    """Raise if a parameter is no number of things from 1 on."""
    if value < 1:
        raise UsageError(f"{name} is {value}", do="give a whole number from 1 on")


def check_seed(seed: int) -> None:
    """Raise if a seed is none that generators take."""
    if not 0 <= seed < 2**32:
        raise UsageError("the seed is not between 0 and 2^32", do="give a whole number from 0 to 4294967295")
