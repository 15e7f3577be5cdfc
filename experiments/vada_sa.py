"""The experiments of section 5 of the VADA-SA paper (Figure 7 a-f) on the generated family of surveys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from experiments.nulls_by_k import nulls_by_k
from experiments.point import FIGURES, Point, Results
from experiments.relationships import nulls_by_relationships
from experiments.surveys import FULL, QUICK, Extent
from experiments.times import times
from tacita.errors import UsageError
from tacita.progress import Progress, silent


def vada_sa(*, seed: int = 0, only: Sequence[str] = (), quick: bool = False, progress: Progress = silent) -> Results:
    """Return the measured points of the figures that are asked for, by default of all six."""
    wanted = frozenset(only) or frozenset(FIGURES)
    if strange := sorted(wanted - set(FIGURES)):
        raise UsageError(f"Figure 7 has no part '{strange[0]}'", do=f"name some of: {','.join(FIGURES)}")
    points = _points(QUICK if quick else FULL, seed, wanted, progress)
    return Results(seed, quick, tuple(point for point in points if point.figure in wanted))


def _points(extent: Extent, seed: int, wanted: frozenset[str], progress: Progress) -> Iterator[Point]:
    if wanted & {"a", "b", "c"}:
        yield from nulls_by_k(extent, seed, wanted, progress)
    if "d" in wanted:
        yield from nulls_by_relationships(extent, seed, progress)
    if wanted & {"e", "f"}:
        yield from times(extent, seed, wanted, progress)
