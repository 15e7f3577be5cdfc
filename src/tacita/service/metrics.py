"""Figures for Prometheus: requests by address, method and status, and how long they took. Nothing is by analyst.

Times are those of whole replies, which leave at steps: they tell no more than a client sees.
"""

from __future__ import annotations

import os
from pathlib import Path

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder in which several processes count together."""
CONTENT_TYPE = CONTENT_TYPE_LATEST
_BOUNDS = (0.005, 0.01, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class ServiceMetrics:
    """What is counted, by one process or several."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        labels = ("route", "method", "status")
        self._requests = Counter("tacita_requests", "Requests.", labels, registry=self._registry)
        self._seconds = Histogram(
            "tacita_request_seconds", "Seconds until the reply.", ("route",), registry=self._registry, buckets=_BOUNDS
        )

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request. The route is that of the program, not what somebody wrote."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """Return the figures in the format of Prometheus."""
        if SHARED not in os.environ:
            return bytes(generate_latest(self._registry))
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return bytes(generate_latest(together))


def count_together(folder: Path) -> None:
    """Let the processes that are started from here on count together, in a folder that is emptied now."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for file in folder.glob("*.db"):
        file.unlink()
    os.environ[SHARED] = str(folder)
