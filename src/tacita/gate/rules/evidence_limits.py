"""Gates on evidence: the observer's Bayes factor against a target stays below a limit at any time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from tacita.gate.picture.evidence import TargetEvidence, evidence_of
from tacita.gate.picture.fixed_point import UNIT, units_of
from tacita.gate.picture.picture import Picture
from tacita.gate.rules.rule import Amount


class _EvidenceLimit:
    needs_start: ClassVar = False
    has_state: ClassVar = True
    __slots__ = ("_level", "_limit", "concentration", "evidence", "ordinary", "picture")

    def __init__(self, picture: Picture, limit: float, concentration: float, ordinary: float | None) -> None:
        self.picture = picture
        self.concentration = concentration
        self.ordinary = ordinary
        self.evidence = TargetEvidence(picture, concentration, ordinary)
        self._limit = units_of(np.array([limit]))[0]
        self._level = 0
        """The evidence with the record that was judged last."""

    def allows(self, target: int, value: int, excess: int) -> bool:
        """Return whether the evidence stays below the limit, or becomes smaller."""
        evidence = self.evidence
        self._level = level = evidence.with_(target, value)
        # Above the limit only after the policy was edited: what lowers the evidence may leave then.
        return level < self._limit or level <= evidence.levels[target]

    def accepts(self, target: int, size: int, amount: int) -> bool:
        """Return whether evidence is below the limit."""
        return amount < self._limit

    def amount_of(self, target: int, counts: Sequence[int]) -> int:
        """Return the evidence of counts."""
        level = evidence_of(counts, self.picture.baseline, self.concentration)
        if self.ordinary is not None:
            level -= evidence_of(counts, self.picture.baseline, self.ordinary)
        return round(level * UNIT)

    def released(self, target: int, value: int, excess: int) -> None:
        """Keep the evidence up to date."""
        self.evidence.levels[target] = self._level

    def add_target(self) -> None:
        """Add a target against which there is no evidence."""
        self.evidence.add_target()

    def limit(self, target: int) -> float:
        """Return the limit of the evidence, as odds."""
        return float(2.0 ** (self._limit / UNIT))


class MartingaleRule(_EvidenceLimit):
    """The test martingale against the baseline stays below 1/a; Ville's inequality bounds false alarms by a."""

    name: ClassVar = "martingale"
    amount: ClassVar = Amount.EVIDENCE
    promise: ClassVar = (
        "The Bayes factor against every target, for an unusual distribution and against the baseline, stays below the "
        "limit at any time. If all records of a target come from the baseline, it is ever held with a probability of "
        "at most the false alarm rate, however long it runs."
    )
    weakness: ClassVar = (
        "It limits evidence and does not hide the rank: the most distant target can still be named, with less "
        "confidence. Targets that differ from the baseline beyond chance are held, whether they are special or not."
    )
    __slots__ = ()

    def __init__(self, picture: Picture, limit: float, concentration: float) -> None:
        super().__init__(picture, limit, concentration, None)

    def allows(self, target: int, value: int, excess: int) -> bool:
        """Return whether the evidence stays below the limit, or becomes smaller."""
        picture, evidence = self.picture, self.evidence
        before = evidence.levels[target]
        try:  # `TargetEvidence.with_`, written out: every record goes this way
            step = evidence.values[value][picture.counts[target][value]] - evidence.totals[picture.sizes[target]]
            self._level = level = before + step - picture.log_shares[value]
        except IndexError:
            self._level = level = evidence.with_(target, value)
        return level < self._limit or level <= before


class EvidenceLimit(MartingaleRule):
    """The same limit beside another rule."""

    name: ClassVar = "evidence"
    promise: ClassVar = (
        "The Bayes factor against every target, for an unusual distribution and against the baseline, stays below the "
        "limit at any time, whatever the order of the records."
    )
    weakness: ClassVar = (
        "Another observer may suppose other unusual distributions. Targets that differ from the baseline beyond "
        "chance are held, whether they are special or not."
    )
    __slots__ = ()


class VariationRule(_EvidenceLimit):
    """The Bayes factor against ordinary variation between targets stays below a limit."""

    name: ClassVar = "variation"
    amount: ClassVar = Amount.ORDINARY_EVIDENCE
    promise: ClassVar = (
        "The Bayes factor against every target, for an unusual distribution and against ordinary variation between "
        "targets, stays below the limit at any time."
    )
    weakness: ClassVar = (
        "It limits evidence and does not hide the rank. It is as good as the stated size of ordinary variation: if "
        "ordinary targets differ less than stated, unusual ones are told apart earlier."
    )
    __slots__ = ()

    def __init__(self, picture: Picture, limit: float, concentration: float, ordinary: float) -> None:
        super().__init__(picture, limit, concentration, ordinary)
