"""Gates on 10,000 soldiers in random orders: what leaves, whom observers name, and how often ordinary targets are held.

Decisions are those of the gates of the policy files. Whom observers name, and how large the evidence against the
headquarters ever was, is computed by `attacks.observer` and here, from the released records alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from experiments.soldiers import AGES, BASELINE, COUNTS, LOCATIONS, policy_text, soldiers
from tacita.attacks.observer.observation import Observation
from tacita.attacks.observer.observers import name_targets
from tacita.gate.gate import Gate
from tacita.gate.picture.picture import Picture
from tacita.gate.policy.policy import GatePolicy
from tacita.gate.policy.policy_file import parse_policy
from tacita.gate.rules.definition_5 import Definition5
from tacita.gate.rules.evidence_limits import MartingaleRule
from tacita.gate.rules.judge import ALLOWED, Judge
from tacita.gate.rules.start import Start, StartOptions
from tacita.progress import Progress, Step, silent

HEADQUARTERS = 1
CONCENTRATION = 18.0
EVIDENCE = 20.0
RECORDS_OF_TARGET = 2_000
MANY = 100
OBSERVERS = ("distance", "exposure", "bayes-factor", "second-distance", "fewest-records")
ONCE = "retry = 1e9"
"""Held records are not looked at again, as in the tables that ours is compared with."""
POPULATION = 'population = "soldiers.csv"'
_BARE = "crowd = {evidence = 0, comparable = 0}"


@dataclass(frozen=True, slots=True)
class GateCase:
    """A gate, and what the table that it is compared with says of it: per cent of all, of L1, of L2; L2 named."""

    name: str
    policy: str | None
    printed: tuple[int, int, int, int] | None = None


CASES = (
    GateCase("none", None, (100, 100, 100, 100)),
    GateCase("definition 5, start 50", policy_text("definition-5", "{records = 50}", top=ONCE), (85, 67, 38, 100)),
    GateCase("definition 5, start 100", policy_text("definition-5", "{records = 100}", top=ONCE), (84, 72, 19, 100)),
    GateCase("definition 5, start 500", policy_text("definition-5", "{records = 500}", top=ONCE), (92, 100, 38, 100)),
    GateCase(
        "definition 5, exposure accuracy 10 %",
        policy_text("definition-5", "{accuracy = 0.1}", POPULATION, top=ONCE),
        (87, 72, 42, 100),
    ),
    GateCase("baseline fit per value", policy_text("fit", "", POPULATION, top=ONCE), (39, 24, 44, 0)),
    GateCase(
        "martingale below 20",
        policy_text("martingale", "", "martingale = {share_alarm = false}", top=ONCE),
        (88, 68, 61, 100),
    ),
    GateCase("variation below 20", policy_text("variation", "", "variation = {ordinary = 0.0199}", top=ONCE)),
    GateCase("crowd alone, start 10", policy_text(more=_BARE, top=ONCE), (73, 35, 49, 9)),
    GateCase("crowd alone, start 20", policy_text(start="{records = 20}", more=_BARE, top=ONCE), (74, 36, 50, 10)),
    GateCase("crowd alone, start 50", policy_text(start="{records = 50}", more=_BARE, top=ONCE), (77, 39, 51, 12)),
    GateCase("default: crowd and evidence, start 10", policy_text(top=ONCE), (73, 35, 49, 9)),
    GateCase("default, held records retried", policy_text()),
)
"""The gates; printed figures are those of 200 to 300 orders."""


@dataclass(frozen=True, slots=True)
class GateLine:
    """What a gate did over all orders, in per cent."""

    gate: str
    orders: int
    released: float
    by_location: tuple[float, ...]
    named: tuple[tuple[str, float], ...]
    """How often each observer named the headquarters, looking at everything that left."""
    evidence: float
    """How often the Bayes factor against the headquarters was above 20 at any time."""
    printed: tuple[int, int, int, int] | None = None


def table_of_gates(orders: int, seed: int = 0, progress: Progress = silent) -> Iterator[GateLine]:
    """Yield a line for each gate."""
    for number, case in enumerate(CASES):
        policy = None if case.policy is None else policy_of(case.policy)
        shares, hits, above = np.zeros(len(LOCATIONS)), dict.fromkeys(OBSERVERS, 0), 0
        for order in range(orders):
            progress(Step(case.name, number * orders + order, len(CASES) * orders))
            left = released(policy, soldiers(seed + order))
            counts = np.zeros(COUNTS.shape, dtype=np.int64)
            np.add.at(counts, tuple(left.T), 1)
            shares += counts.sum(axis=1)
            for naming in name_targets(Observation(LOCATIONS, counts, BASELINE), OBSERVERS):
                hits[naming.observer] += naming.target == LOCATIONS[HEADQUARTERS]
            above += largest_evidence(left[left[:, 0] == HEADQUARTERS, 1]) > log(EVIDENCE)
        yield GateLine(
            case.name,
            orders,
            100 * shares.sum() / orders / COUNTS.sum(),
            tuple((100 * shares / orders / COUNTS.sum(axis=1)).tolist()),
            tuple((name, 100 * number / orders) for name, number in hits.items()),
            100 * above / orders,
            case.printed,
        )


def released(policy: GatePolicy | None, records: list[tuple[str, str, str]]) -> np.ndarray:
    """Return location and age, as numbers, of the records that left, in the order in which they did."""
    rows = records if policy is None else Gate(policy).offer(records).rows
    ages, places = ({name: at for at, name in enumerate(names)} for names in (AGES, LOCATIONS))
    return np.array([(places[place], ages[age]) for _, age, place in rows], dtype=np.int64)


def largest_evidence(values: np.ndarray) -> float:
    """Return the largest log Bayes factor against a target at any time, from the values of its records in order."""
    single = np.eye(len(BASELINE), dtype=np.int64)[values]
    before = (single.cumsum(axis=0) - single)[np.arange(len(values)), values]
    shares = BASELINE[values]
    steps = np.log((CONCENTRATION * shares + before) / (CONCENTRATION + np.arange(len(values))) / shares)
    return float(max(steps.cumsum().max(initial=0.0), 0.0))


# -- false alarms ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AlarmLine:
    """How often targets that are nothing special were held, in per cent."""

    targets: int
    rule: str
    runs: int
    held_records: float
    stopped: float
    """Targets that were ever held."""
    printed: tuple[float, float]


def false_alarms(runs: int, seed: int = 0, progress: Progress = silent) -> Iterator[AlarmLine]:
    """Yield a line for each rule: the records of all targets are drawn from the baseline itself.

    With 200 targets a tenth of the runs is enough: each has many targets.
    """
    for number, (targets, rule, judge_of, printed) in enumerate(_ALARMS):
        kept, stopped, records = 0, 0, targets * RECORDS_OF_TARGET
        done = max(runs // 10, 1) if targets >= MANY else runs
        for run in range(done):
            progress(Step(f"false alarms: {rule}", number * runs + run, len(_ALARMS) * runs))
            rng = np.random.default_rng([seed, number, run])
            places = rng.integers(targets, size=records).tolist()
            ages = rng.choice(len(BASELINE), size=records, p=BASELINE).tolist()
            admit = judge_of(Picture(BASELINE, targets)).admit
            holds = [place for place, age in zip(places, ages, strict=True) if admit(place, age) != ALLOWED]
            kept += len(holds)
            stopped += len(set(holds))
        yield AlarmLine(targets, rule, done, 100 * kept / done / records, 100 * stopped / done / targets, printed)


def _definition_5(start: int) -> Callable[[Picture], Judge]:
    return lambda picture: Judge(picture, Start(picture, StartOptions(records=start)), [Definition5(picture)])


def _martingale(limit: float) -> Callable[[Picture], Judge]:
    def judge(picture: Picture) -> Judge:
        return Judge(picture, Start(picture, StartOptions()), [MartingaleRule(picture, limit, CONCENTRATION)])

    return judge


_ALARMS = (
    (2, "definition 5, start 50", _definition_5(50), (35.0, 99.0)),
    (5, "definition 5, start 50", _definition_5(50), (17.0, 89.0)),
    (5, "definition 5, start 200", _definition_5(200), (16.0, 86.0)),
    (200, "definition 5, start 50", _definition_5(50), (8.0, 60.0)),
    (200, "definition 5, start 100", _definition_5(100), (5.0, 46.0)),
    (5, "martingale, 1/20 for each target", _martingale(20.0), (0.0, 5.3)),
    (5, "martingale, 1/20 for all targets", _martingale(100.0), (0.0, 1.0)),
    (200, "martingale, 1/20 for all targets", _martingale(4_000.0), (0.0, 0.0)),
)


def policy_of(text: str) -> GatePolicy:
    """Return a policy, with the file of all soldiers that it may name."""
    with TemporaryDirectory() as folder:
        rows = "".join(f"{age},{location}\n" for _, age, location in soldiers(0))
        (Path(folder) / "soldiers.csv").write_text(f"age,location\n{rows}", encoding="utf-8")
        return parse_policy(text, folder=Path(folder))
