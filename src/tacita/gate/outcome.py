"""What a gate did in a run, for people and machines: counts, reasons, and what observers make of it all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tacita.errors import counted
from tacita.gate.answers import DecidedBatch, GateAnswer, GateReason, GateVerdict
from tacita.gate.explanation import explained
from tacita.gate.gate import Gate
from tacita.gate.planning.remedy import remedy_for
from tacita.gate.policy.policy import GatePolicy, HoldVisibility
from tacita.gate.rules.making import judge_of
from tacita.model.result import Result

_MOST_REMEDIES = 20
VISIBLE_HOLDS = (
    "The policy says that observers may learn of holds. Who asks for a record and learns that it was held learns "
    "what the gate hides: against such observers nothing is promised."
)


@dataclass(frozen=True, slots=True)
class HeldGroup:
    """Records of a target and a value that were held by a rule."""

    dependency: str
    target: str
    value: str
    rule: str
    records: int
    why: str
    """What an observer would have concluded from the last of them."""
    remedy: str = ""
    """What would make the next one safe, as far as a single value does."""


@dataclass(frozen=True, slots=True)
class RefusedGroup:
    """Records that could not be judged, for one reason."""

    reason: str
    records: int
    why: str


@dataclass(frozen=True, slots=True)
class StatedRule:
    """A rule of the policy: what it promises, and what it does not."""

    dependency: str
    rule: str
    promise: str
    weakness: str


@dataclass(frozen=True, slots=True, repr=False)
class GateRun(Result):
    """What a gate decided in a run. It names targets and values, and is for the steward."""

    name: str
    offered: int
    released: int
    """Records that left in this run, among them those that were held before."""
    late: int
    """Records that left in this run and were held before."""
    again: int
    """Records that were released before, or are held still."""
    held_now: int
    """Records that wait at the end of the run, of this run and of earlier ones."""
    refused: int
    released_in_all: int
    """Records that observers have seen."""
    next_look: int
    """At so many of them, held records are looked at again."""
    held_groups: tuple[HeldGroup, ...] = ()
    refusals: tuple[RefusedGroup, ...] = ()
    rules: tuple[StatedRule, ...] = ()
    named: tuple[tuple[str, str, str], ...] = ()
    """Whom observers name now: dependency, observer, target."""
    notes: tuple[str, ...] = ()
    folder: Path | None = None
    is_cut_off: bool = False
    """Whether the stream ended in the middle of a record, which was not decided on."""
    is_trial: bool = field(default=False)

    def _in_short(self) -> str:
        return f"'{self.name}': {self.released:,} of {counted(self.offered, 'record')} released"


class RunTally:
    """Adds up what a gate decides in a run."""

    def __init__(self, policy: GatePolicy) -> None:
        self._policy = policy
        self.offered = self.released = self.late = self.again = self.refused = 0
        self._held: Counter[tuple[int, int, int, str]] = Counter()
        self._last: dict[tuple[int, int, int, str], GateAnswer] = {}
        self._refused: Counter[str] = Counter()
        self._refusal: dict[str, GateAnswer] = {}

    def add(self, batch: DecidedBatch) -> None:
        """Add a batch."""
        self.released += len(batch.released)
        self.late += len(batch.late)
        self.offered += len(batch.keys) - len(batch.late) + len(batch.others)
        for answer, _ in batch.others:
            if answer.reason in (GateReason.AGAIN, GateReason.STILL_HELD):
                self.again += 1
            elif answer.verdict is GateVerdict.HOLD:
                group = (answer.dependency, answer.target, answer.value, answer.reason)
                self._held[group] += 1
                self._last[group] = answer
            else:
                self.refused += 1
                self._refused[answer.reason] += 1
                self._refusal[answer.reason] = answer

    def held_groups(self, gate: Gate) -> tuple[HeldGroup, ...]:
        """Return what was held, the most frequent first, with what would help."""
        targets = [gate.cells.targets(place) for place in range(len(gate.judges))]
        groups = []
        for number, (group, records) in enumerate(sorted(self._held.items(), key=lambda one: (-one[1], one[0]))):
            place, target, value, rule = group
            dependency = self._policy.dependencies[place]
            groups.append(
                HeldGroup(
                    dependency.name,
                    targets[place][target],
                    dependency.values.labels[value],
                    rule,
                    records,
                    explained(self._last[group], self._policy, targets),
                    _remedy(gate, place, target, value) if number < _MOST_REMEDIES else "",
                )
            )
        return tuple(groups)

    def refusals(self, targets: Sequence[Sequence[str]]) -> tuple[RefusedGroup, ...]:
        """Return what was refused, the most frequent reason first."""
        return tuple(
            RefusedGroup(reason, records, explained(self._refusal[reason], self._policy, targets))
            for reason, records in sorted(self._refused.items(), key=lambda one: (-one[1], one[0]))
        )


def _remedy(gate: Gate, place: int, target: int, value: int) -> str:
    dependency = gate.policy.dependencies[place]
    remedy = remedy_for(dependency, gate.judges[place], target, value)
    if remedy is None:
        return ""
    if not remedy.records:
        return "It would be safe now: it is looked at again when more records have been released."
    return remedy.sentence(dependency.values.labels)


def stated_rules(policy: GatePolicy) -> tuple[StatedRule, ...]:
    """Return what the rules of a policy promise, and what they do not."""
    stated = []
    for one in policy.dependencies:
        kinds = judge_of(one).rules
        stated += [StatedRule(one.name, kind.name, kind.promise, kind.weakness) for kind in kinds]
    return tuple(stated)


def run_notes(policy: GatePolicy) -> list[str]:
    """Return what has to be said of a run whatever it did."""
    return [VISIBLE_HOLDS] if policy.observer.holds is HoldVisibility.VISIBLE else []
