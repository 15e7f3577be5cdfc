"""What is seen of each target, against the limits: now, and over all records that have left (Figure 5 of the paper)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tacita.errors import counted
from tacita.gate.gate import Gate
from tacita.gate.picture.evidence import evidence_of, usual_concentration
from tacita.gate.policy.policy import GatePolicy, GateRuleName, ValueDependency
from tacita.gate.replay import Replay
from tacita.ledger.increments import INCREMENT, REFUSED
from tacita.ledger.ledger import Ledger
from tacita.ledger.recipients import Recipients
from tacita.model.result import Result

_POINTS = 160
"""Points of a line."""
_MOST_LINES = 12
"""Targets whose lines are kept: the most distant ones."""


@dataclass(frozen=True, slots=True)
class WatchedTarget:
    """A target: how much has left, and what is seen of it. Distances and exposures are in bits."""

    name: str
    released: int
    waiting: int
    distance: float
    exposure: float
    evidence: float
    """log2 of the Bayes factor, an unusual distribution against the baseline."""
    limit: float | None
    """Up to where the rule goes, in its unit: distance, exposure, odds or records."""
    fit: float
    """The probability that records of the baseline fit it less well: near 0 too far, near 1 too close to be chance."""


@dataclass(frozen=True, slots=True)
class TargetLines:
    """How distance, exposure and evidence of a target developed: pairs of released records and figure."""

    name: str
    distance: tuple[tuple[int, float], ...] = field(repr=False)
    exposure: tuple[tuple[int, float], ...] = field(repr=False)
    evidence: tuple[tuple[int, float], ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class WatchedDependency:
    """A dependency and its targets, the most distant first."""

    name: str
    rules: tuple[str, ...]
    values: int
    targets: tuple[WatchedTarget, ...]
    exposure_threshold: float
    """Definition 5: the mean of the exposures plus one standard deviation."""
    distance_threshold: float
    """Definition 3, on released records: mutual information plus one standard deviation of the distances."""
    evidence_limit: float | None
    """Of the evidence, as log2, if a rule has one."""
    lines: tuple[TargetLines, ...] = ()
    named: tuple[tuple[str, str], ...] = ()
    """Whom observers name now: observer and target."""


@dataclass(frozen=True, slots=True, repr=False)
class GateWatch(Result):
    """The state of a gate, for the steward."""

    name: str
    recipient: str
    released: int
    waiting: int
    refused: int
    refusals: tuple[tuple[str, int], ...]
    """Refused records by reason."""
    next_look: int
    dependencies: tuple[WatchedDependency, ...]
    notes: tuple[str, ...] = ()

    def _in_short(self) -> str:
        counts = f"{counted(self.released, 'record')} released, {self.waiting:,} held, {self.refused:,} refused"
        return f"'{self.name}': {counts}"


@dataclass(frozen=True, slots=True)
class GateHistory:
    """What a ledger says of a gate: lines of each dependency, and how many records were refused for which reason."""

    lines: tuple[tuple[TargetLines, ...], ...]
    refusals: tuple[tuple[str, int], ...]
    purged: int = 0


def watched(gate: Gate, history: GateHistory, named: Sequence[Sequence[tuple[str, str]]], recipient: str) -> GateWatch:
    """Return the state of a gate with its history; `named` is whom observers name, for each dependency."""
    waiting = [Counter(one.codes[2 * place] for one in gate.held_records.values()) for place in range(len(gate.judges))]
    dependencies = []
    for place, (one, judge) in enumerate(zip(gate.policy.dependencies, gate.judges, strict=True)):
        picture, names = judge.picture, gate.cells.targets(place)
        table = picture.table()
        k = one.parameters.concentration or usual_concentration(len(one.values.labels))
        targets = [
            WatchedTarget(
                names[target],
                picture.sizes[target],
                waiting[place][target],
                picture.distance(target),
                picture.exposure(target),
                evidence_of(picture.counts[target], picture.baseline, k),
                judge.rules[0].limit(target),
                _fit(picture.excess[target], len(one.values.labels)),
            )
            for target in range(len(names))
        ]
        dependencies.append(
            WatchedDependency(
                one.name,
                tuple(rule.name for rule in judge.rules),
                len(one.values.labels),
                tuple(sorted(targets, key=lambda target: (-target.distance, target.name))),
                table.exposure_threshold(),
                table.outlier_threshold(),
                _evidence_limit(one),
                history.lines[place] if place < len(history.lines) else (),
                tuple(named[place]) if place < len(named) else (),
            )
        )
    purged = history.purged
    notes = [f"The lines lack {counted(purged, 'entry')} whose records were purged."] if purged else []
    return GateWatch(
        gate.policy.name,
        recipient,
        gate.judges[0].picture.total,
        len(gate.held_records),
        sum(records for _, records in history.refusals),
        history.refusals,
        gate.next_look,
        tuple(dependencies),
        tuple(notes),
    )


def _fit(excess: int, values: int) -> float:
    """Return the probability of a larger distance by chance: the G statistic against its chi-squared distribution."""
    from scipy.stats import chi2

    from tacita.gate.picture.fixed_point import LN2, UNIT

    return float(chi2.sf(2 * LN2 * max(excess, 0) / UNIT, values - 1))


def _evidence_limit(one: ValueDependency) -> float | None:
    from math import log2

    given = one.parameters
    if GateRuleName.MARTINGALE in one.rules:
        targets = len(one.targets or ()) if given.shares_alarm else 1
        return log2(max(targets, 1) / given.alarm)
    if GateRuleName.CROWD in one.rules and given.evidence is not None:
        return log2(given.evidence)
    return log2(given.limit) if GateRuleName.VARIATION in one.rules else None


def history_of(ledger: Ledger, policy: GatePolicy, recipient: str, recipients: Recipients, total: int) -> GateHistory:
    """Return how the figures of a gate developed; `total` is how many records have left."""
    replay = Replay(ledger, policy.name, policy.subject, recipient, recipients)
    recorder = _Recorder(max(total // _POINTS, 1))
    number = 0
    for number, _ in enumerate(replay.steps(), 1):
        if replay.gate is not None and number % recorder.step == 0:
            recorder.note(replay.gate, number)
    if replay.gate is not None and number:
        recorder.note(replay.gate, number)
    return GateHistory(recorder.lines(policy, replay.gate), refusals_in(ledger, policy, recipient), replay.purged)


def refusals_in(ledger: Ledger, policy: GatePolicy, recipient: str) -> tuple[tuple[str, int], ...]:
    """Return how many records a gate has refused, by reason."""
    reasons: Counter[str] = Counter()
    for entry in ledger.entries(kinds=(INCREMENT,), subject=policy.subject, recipients=(recipient,)):
        if entry.decision == REFUSED:
            payload = ledger.payload(entry)
            if payload is not None and payload["gate"] == policy.name:
                reasons.update(payload["reasons"])
    return tuple(sorted(reasons.items(), key=lambda one: (-one[1], one[0])))


class _Recorder:
    """Keeps points of the lines of all targets."""

    def __init__(self, step: int) -> None:
        self.step = step
        self._points: list[dict[int, list[tuple[int, float, float, float]]]] = []

    def note(self, gate: Gate, number: int) -> None:
        """Add a point for each target that has records."""
        while len(self._points) < len(gate.judges):
            self._points.append({})
        for place, judge in enumerate(gate.judges):
            picture = judge.picture
            k = gate.policy.dependencies[place].parameters.concentration
            k = k or usual_concentration(len(picture.log_shares))
            ranked = sorted(range(len(picture.sizes)), key=lambda target: -picture.distance_units(target))
            known = self._points[place]
            for target in {*ranked[:_MOST_LINES], *known} if len(ranked) > _MOST_LINES else ranked:
                if picture.sizes[target] and (target in known or len(known) < 2 * _MOST_LINES):
                    evidence = evidence_of(picture.counts[target], picture.baseline, k)
                    point = (number, picture.distance(target), picture.exposure(target), evidence)
                    points = known.setdefault(target, [])
                    if not points or points[-1][0] != number:
                        points.append(point)

    def lines(self, policy: GatePolicy, gate: Gate | None) -> tuple[tuple[TargetLines, ...], ...]:
        """Return the lines of the targets that are most distant at the end."""
        if gate is None:
            return tuple(() for _ in policy.dependencies)
        result = []
        for place, points in enumerate(self._points):
            names, picture = gate.cells.targets(place), gate.judges[place].picture
            chosen = sorted(points, key=lambda target: -picture.distance_units(target))[:_MOST_LINES]
            result.append(
                tuple(
                    TargetLines(
                        names[target], *(tuple((one[0], one[figure]) for one in points[target]) for figure in (1, 2, 3))
                    )
                    for target in sorted(chosen)
                )
            )
        return tuple(result)
