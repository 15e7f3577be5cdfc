"""False alarms: how often gates hold targets that are nothing special, since all have the baseline distribution.

The two largest exposures of two targets are the mean plus and minus one standard deviation, exactly, so definition 5
holds every record of the larger one. Computed in floating point, the comparison is decided by rounding: about a third
of these records pass. `RoundedDefinition5` is that computation, to show what it does to the figures; gates use whole
numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from experiments.soldiers import BASELINE
from tacita.gate.picture.fixed_point import UNIT
from tacita.gate.picture.picture import Picture
from tacita.gate.rules.definition_5 import Definition5
from tacita.gate.rules.evidence_limits import MartingaleRule
from tacita.gate.rules.judge import ALLOWED, Judge
from tacita.gate.rules.start import Start, StartOptions
from tacita.progress import Progress, Step, silent

RECORDS, FEW_RECORDS = 2_000, 200
"""Records of each target; with few of them, targets have less time to be held."""
MANY = 100


@dataclass(frozen=True, slots=True)
class AlarmLine:
    """How often targets that are nothing special were held, in per cent."""

    targets: int
    records: int
    """Records of each target, on average."""
    rule: str
    runs: int
    held_records: float
    stopped: float
    """Targets that were ever held."""
    printed: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class AlarmCase:
    """Targets, a rule, and what the table that it is compared with says: records held, targets ever held."""

    targets: int
    rule: str
    judge_of: Callable[[Picture], Judge]
    printed: tuple[float, float] | None = None
    records: int = RECORDS


class RoundedDefinition5(Definition5):
    """Definition 5 as one writes it in floating point: sums of F and of F squared, and a square root."""

    __slots__ = ()

    def accepts(self, target: int, size: int, amount: int) -> bool:
        """Return whether F is below the threshold, or rounding says so."""
        levels = [
            excess / UNIT
            for place, excess in enumerate(self.picture.excess)
            if self.picture.sizes[place] and place != target
        ]
        own = amount / UNIT
        number, total, squares = len(levels) + 1, own, own * own
        for level in levels:
            total += level
            squares += level * level
        mean = total / number
        return own < mean + sqrt(max(squares / number - mean * mean, 0.0))


def false_alarms(runs: int, seed: int = 0, progress: Progress = silent) -> Iterator[AlarmLine]:
    """Yield a line for each case: the records of all targets are drawn from the baseline itself.

    With 200 targets a tenth of the runs is enough: each has many targets.
    """
    for number, case in enumerate(CASES):
        kept, stopped, records = 0, 0, case.targets * case.records
        done = max(runs // 10, 1) if case.targets >= MANY else runs
        for run in range(done):
            progress(Step(f"false alarms: {case.rule}", number * runs + run, len(CASES) * runs))
            rng = np.random.default_rng([seed, number, run])
            places = rng.integers(case.targets, size=records).tolist()
            ages = rng.choice(len(BASELINE), size=records, p=BASELINE).tolist()
            admit = case.judge_of(Picture(BASELINE, case.targets)).admit
            holds = [place for place, age in zip(places, ages, strict=True) if admit(place, age) != ALLOWED]
            kept += len(holds)
            stopped += len(set(holds))
        yield AlarmLine(
            case.targets,
            case.records,
            case.rule,
            done,
            100 * kept / done / records,
            100 * stopped / done / case.targets,
            case.printed,
        )


def _definition_5(start: int, kind: type[Definition5] = Definition5) -> Callable[[Picture], Judge]:
    return lambda picture: Judge(picture, Start(picture, StartOptions(records=start)), [kind(picture)])


def _martingale(limit: float) -> Callable[[Picture], Judge]:
    def judge(picture: Picture) -> Judge:
        return Judge(picture, Start(picture, StartOptions()), [MartingaleRule(picture, limit, 18.0)])

    return judge


CASES = (
    AlarmCase(2, "definition 5, start 50", _definition_5(50)),
    AlarmCase(2, "definition 5, start 50, rounded", _definition_5(50, RoundedDefinition5), (35.0, 99.0)),
    AlarmCase(5, "definition 5, start 50", _definition_5(50), (17.0, 89.0)),
    AlarmCase(5, "definition 5, start 200", _definition_5(200), (16.0, 86.0)),
    AlarmCase(200, "definition 5, start 50", _definition_5(50), (8.0, 60.0), FEW_RECORDS),
    AlarmCase(200, "definition 5, start 100", _definition_5(100), (5.0, 46.0), FEW_RECORDS),
    AlarmCase(200, "definition 5, start 50", _definition_5(50)),
    AlarmCase(200, "definition 5, start 100", _definition_5(100)),
    AlarmCase(5, "martingale, 1/20 for each target", _martingale(20.0), (0.0, 5.3)),
    AlarmCase(5, "martingale, 1/20 for all targets", _martingale(100.0), (0.0, 1.0)),
    AlarmCase(200, "martingale, 1/20 for all targets", _martingale(4_000.0), (0.0, 0.0)),
)
