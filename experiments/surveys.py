"""The generated surveys of the experiments, and a cycle on them with its time taken."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from tacita.api.dataset import Dataset
from tacita.api.reading import from_generated
from tacita.cycle.anonymize import anonymize
from tacita.cycle.outcome import Outcome
from tacita.cycle.plan import Plan
from tacita.generators.catalogue import generate
from tacita.model.microdata import Microdata
from tacita.settings import Settings

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Extent:
    """Which data sets are made, and how often times are taken."""

    surveys: tuple[str, ...] = ("R25A4W", "R25A4U", "R25A4V")
    ks: tuple[int, ...] = (2, 3, 4, 5)
    relationships: tuple[int, ...] = (0, 100, 200, 300, 400)
    sizes: tuple[str, ...] = ("R6A4U", "R12A4U", "R25A4U", "R50A4U", "R100A4U")
    widths: tuple[str, ...] = ("R50A4W", "R50A5W", "R50A6W", "R50A7W", "R50A8W", "R50A9W")
    repeats: int = 3


FULL = Extent()
QUICK = Extent(("R1A4W", "R1A4V"), (2, 3), (0, 20), ("R1A4U", "R2A4U"), ("R1A4W", "R1A5W"), repeats=1)
"""A look at all of it in some seconds; it says nothing about the printed figures."""


@dataclass(frozen=True, slots=True)
class Timed:
    """What a call cost: seconds on the clock and of the processors."""

    elapsed: float
    cpu: float


@contextlib.contextmanager
def survey(name: str, seed: int) -> Iterator[Dataset]:
    """Hand out a generated survey in an engine of its own, which is closed afterwards."""
    from tacita.engines.duckdb import DuckDBEngine

    with DuckDBEngine(Settings.from_environment()) as engine:
        yield from_generated(generate(name, seed=seed), engine=engine)


def timed(call: Callable[[], Found]) -> tuple[Found, Timed]:
    """Return what a call returns, and what it cost."""
    clock, cpu = time.perf_counter(), time.process_time()
    found = call()
    return found, Timed(time.perf_counter() - clock, time.process_time() - cpu)


def cycled(microdata: Microdata, plan: Plan) -> tuple[Outcome, Timed]:
    """Return what came of a cycle, and what it cost."""
    return timed(lambda: anonymize(microdata, plan))
