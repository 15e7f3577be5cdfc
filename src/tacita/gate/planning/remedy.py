"""What would make a held record safe: which records of other values would have to leave first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tacita.errors import counted
from tacita.gate.planning.subset import smallest_help
from tacita.gate.policy.policy import ValueDependency
from tacita.gate.rules.judge import ALLOWED, Judge
from tacita.gate.rules.making import judge_of

_MOST = 2_000
"""Records of one value that are worth advising."""


@dataclass(frozen=True, slots=True)
class ReleaseRemedy:
    """Records by value that would have to leave first; none if a record may leave as things are."""

    records: Mapping[int, int]

    @property
    def number(self) -> int:
        """How many these are."""
        return sum(self.records.values())

    def sentence(self, labels: tuple[str, ...]) -> str:
        """Return the advice.

        >>> ReleaseRemedy({0: 14, 2: 1}).sentence(("25-29", "30-34", "35-39"))
        'Releasing 14 records of 25-29 and 1 record of 35-39 first would make the next one safe.'
        """
        parts = [f"{counted(number, 'record')} of {labels[value]}" for value, number in sorted(self.records.items())]
        listed = " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))
        return f"Releasing {listed} first would make the next one safe."


def remedy_for(dependency: ValueDependency, judge: Judge, target: int, value: int) -> ReleaseRemedy | None:
    """Return the fewest records of other values of the target after which a record of a value may leave.

    None if no records help. The remedy was tried: its records may leave in some order, and then the record too.
    """
    if judge.verdict(target, value) == ALLOWED:
        return ReleaseRemedy({})
    help_ = smallest_help(judge, target, value, _MOST)
    if help_ is None or not help_.records:
        return None
    records = {codes[1]: number for codes, number in help_.counts.items()}
    return ReleaseRemedy(records) if _works(dependency, judge, target, value, records) else None


def _works(dependency: ValueDependency, judge: Judge, target: int, value: int, records: Mapping[int, int]) -> bool:
    """Return whether records can leave, those that cost least first, and then one of the value."""
    trial = judge_of(dependency, judge.picture.growth, judge.picture.counts, judge.start.is_accurate)
    picture, left = trial.picture, dict(records)
    while left:
        order = sorted(left, key=lambda one: picture.growth[picture.counts[target][one]] - picture.log_shares[one])
        admitted = next((one for one in order if trial.admit(target, one) == ALLOWED), None)
        if admitted is None:
            return False
        left[admitted] -= 1
        if not left[admitted]:
            del left[admitted]
    return trial.verdict(target, value) == ALLOWED
