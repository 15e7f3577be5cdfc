"""What an experiment yields: single measured points, and the figures that they are drawn in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType

FEWEST, ONE_BY_ONE, ROUNDS = "fewest nulls", "one by one", "in rounds"
"""How cells are chosen: our default; record after record, the riskiest cell first; a cell of every risky record."""
STANDARD = "standard nulls"
WHOLE, AT_RISK = "whole clusters", "members at risk"
K_ANONYMITY, INDIVIDUAL_RISK, SUDA = "k-anonymity", "individual risk", "SUDA"
ALONE = "risk alone"


@dataclass(frozen=True, slots=True)
class Point:
    """One measured value of a figure."""

    figure: str
    """The letter of the figure, ``a`` to ``f``."""
    data: str
    """The generated data set."""
    series: str
    x: float
    value: float
    risky: int | None = None
    """Records above the threshold before anything was changed."""
    below_k_strictly: int | None = None
    """Records below k afterwards if nobody leans on the nulls of others."""
    seconds: float | None = None
    """CPU seconds."""
    elapsed: float | None = None
    """Seconds on the clock."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What a figure shows: the axes in words."""

    title: str
    x: str
    y: str
    logarithmic: bool = False


FIGURES = MappingProxyType(
    {
        "a": Figure("Nulls by k", "k", "nulls", logarithmic=True),
        "b": Figure("Information loss by k", "k", "nulls / cells of risky tuples"),
        "c": Figure("Maybe-match against standard nulls", "k", "nulls", logarithmic=True),
        "d": Figure("Nulls by control relationships", "control relationships", "nulls", logarithmic=True),
        "e": Figure("Time by size", "tuples", "CPU seconds"),
        "f": Figure("Time by number of quasi-identifiers", "quasi-identifiers", "CPU seconds"),
    }
)
"""The parts of Figure 7 of the VADA-SA paper."""


@dataclass(frozen=True, slots=True)
class Results:
    """All points of a run."""

    seed: int
    quick: bool
    points: tuple[Point, ...]

    def of(self, figure: str) -> list[Point]:
        """Return the points of a figure."""
        return [point for point in self.points if point.figure == figure]

    def value(self, figure: str, data: str, series: str, x: float) -> float | None:
        """Return one value; None if it was not measured."""
        for point in self.points:
            if (point.figure, point.data, point.series, point.x) == (figure, data, series, x):
                return point.value
        return None

    @property
    def figures(self) -> list[str]:
        """The letters of the figures that were measured."""
        return sorted({point.figure for point in self.points})


def drawn_lines(points: Iterable[Point]) -> dict[tuple[str, str], list[Point]]:
    """Return the points of each line, by series and data; in e and f the data change along the line.

    >>> p = [Point("e", "R6A4U", "SUDA", 6000, 0.2), Point("e", "R12A4U", "SUDA", 12000, 0.3)]
    >>> {key: len(found) for key, found in drawn_lines(p).items()}
    {('SUDA', ''): 2}
    """
    found: dict[tuple[str, str], list[Point]] = {}
    for point in points:
        found.setdefault((point.series, "" if point.figure in "ef" else point.data), []).append(point)
    return {key: sorted(line, key=lambda point: point.x) for key, line in found.items()}
