"""What a command costs: CPU seconds, wall seconds and peak memory of a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
TACITA = str(Path(sys.executable).with_name("tacita"))


@dataclass(frozen=True, slots=True)
class Cost:
    cpu: float
    wall: float
    megabytes: float

    def __str__(self) -> str:
        return f"{self.cpu:6.2f} s CPU {self.wall:6.2f} s {self.megabytes:6.0f} MB"


def cost(command: Sequence[str]) -> Cost:
    """Run a command in a process of its own and return what it cost."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"failed ({process.returncode}): {' '.join(command)}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024)


def best(command: Sequence[str], times: int = 3) -> Cost:
    """Return the cheapest of several runs: the one that the rest of the machine disturbed least."""
    return min((cost(command) for _ in range(times)), key=lambda c: c.cpu)


def tacita(*arguments: str) -> list[str]:
    return [TACITA, *arguments]


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Do some work in this process; return its result and the CPU seconds that it took."""
    started = time.process_time()
    result = work()
    return result, time.process_time() - started
