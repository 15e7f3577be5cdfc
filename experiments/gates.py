"""Gates on 10,000 soldiers in random orders: what leaves, and whom observers name.

Decisions are those of the gates of the policy files. Whom observers name, and how large the evidence against the
headquarters ever was, is computed by `attacks.observer` and here, from the released records alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from experiments.soldiers import AGES, BASELINE, COUNTS, LOCATIONS, policy_text, soldiers
from tacita.attacks.observer.observation import Observation
from tacita.attacks.observer.observers import name_targets
from tacita.gate.gate import Gate
from tacita.gate.policy.policy import GatePolicy
from tacita.gate.policy.policy_file import parse_policy
from tacita.progress import Progress, Step, silent

HEADQUARTERS = 1
CONCENTRATION = 18.0
EVIDENCE = 20.0
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


def policy_of(text: str) -> GatePolicy:
    """Return a policy, with the file of all soldiers that it may name."""
    with TemporaryDirectory() as folder:
        rows = "".join(f"{age},{location}\n" for _, age, location in soldiers(0))
        (Path(folder) / "soldiers.csv").write_text(f"age,location\n{rows}", encoding="utf-8")
        return parse_policy(text, folder=Path(folder))
