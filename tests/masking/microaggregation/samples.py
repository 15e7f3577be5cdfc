"""Records for the tests of microaggregation, and slow groupings to compare with."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacita.masking.method import Method, Treated
from tacita.model.hierarchy import ValueHierarchy
from tacita.model.records import Categories, Numbers, Records

ILLNESS = ValueHierarchy.from_paths(
    "illness", [["influenza", "lungs"], ["asthma", "lungs"], ["gastric ulcer", "stomach"]], star=True
)


def reference(shared: Path, name: str) -> Records:
    """A file of the reference data as records."""
    with (shared / name).open() as lines:
        rows = list(csv.reader(lines))
    return Records({n: Numbers.of([float(row[i]) for row in rows[1:]]) for i, n in enumerate(rows[0])})


def people(size: int = 60, seed: int = 3) -> Records:
    """People with numbers and categories of every kind; nothing is missing."""
    draw = np.random.default_rng(seed)
    return Records(
        {
            "age": Numbers.of(draw.integers(18, 90, size), is_whole=True),
            "income": Numbers.of(draw.lognormal(10, 1, size).round(2)),
            "height": Numbers.of(draw.normal(170, 10, size).round(1)),
            "schooling": Categories(draw.integers(0, 4, size), ("none", "primary", "secondary", "tertiary"), True),
            "colour": Categories(draw.integers(0, 3, size), ("amber", "beige", "coral")),
            "illness": Categories(
                draw.integers(0, 3, size), ("influenza", "asthma", "gastric ulcer"), hierarchy=ILLNESS
            ),
        }
    )


def treated(method: Method, records: Records) -> Treated:
    """Records after a method that draws nothing."""
    return method.treated(records, np.random.default_rng(0))


def groups_of(found: Treated) -> NDArray[np.int64]:
    assert found.groups is not None
    return found.groups


def column(values: NDArray[np.float64]) -> Records:
    """Records of as many attributes as there are columns: a, b, ..."""
    return Records({chr(97 + i): Numbers(each.copy()) for i, each in enumerate(np.atleast_2d(values.T))})


def mdav_by_definition(points: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """The steps of document 001 as they stand there, comparing each record with all others."""
    groups, left, made = np.full(len(points), -1), np.arange(len(points)), 0

    def far(point: NDArray[np.float64]) -> int:
        return int(left[np.argmax(np.square(points[left] - point).sum(axis=1))])

    def surround(centre: int, kept_out: int = -1) -> None:
        nonlocal left, made
        distance = np.square(points[left] - points[centre]).sum(axis=1)
        distance[left == centre] = -1
        distance[left == kept_out] = np.inf
        groups[left[np.argsort(distance, kind="stable")[:k]]] = made
        made += 1
        left = left[groups[left] < 0]

    while len(left) >= 3 * k:
        extreme = far(points[left].mean(axis=0))
        others = left[left != extreme]
        opposite = int(others[np.argmax(np.square(points[others] - points[extreme]).sum(axis=1))])
        surround(extreme, opposite)
        surround(opposite)
    if len(left) >= 2 * k:
        surround(far(points[left].mean(axis=0)))
    groups[left] = made
    return groups


def same_partition(some: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Whether two groupings put the same records together."""
    return (
        len({*zip(some.tolist(), other.tolist(), strict=True)}) == len(set(some.tolist())) == len(set(other.tolist()))
    )
