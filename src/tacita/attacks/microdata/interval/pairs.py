"""Numbers of released records beside those of their originals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.attacker import Scene
from tacita.attacks.microdata.score import lacking_origin, lacking_records, left_out
from tacita.errors import listed
from tacita.model.records import Categories, Records

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class IntervalPairs:
    """A row for each released record whose original is known; NaN where a number is missing or infinite."""

    names: tuple[str, ...]
    released: Floats
    """All released records: what an interval is made of."""
    rows: NDArray[np.int64]
    """The released records that have an original."""
    original: Floats
    """The originals of these records."""
    notes: tuple[str, ...]


def attributes_of(scene: Scene, attributes: Sequence[str]) -> tuple[str, ...]:
    """Return the attributes to look at: those named, or what the intruder knows or wants; only numbers in both files.

    Codes that are categories without an order in the original are labels, though they are written as numbers.

    >>> codes = Records({"sector": Categories.of([10, 20, 30])})
    >>> attributes_of(Scene(codes, codes, None, ("sector",)), ())
    ()
    """
    wanted = attributes or dict.fromkeys((*scene.known, *scene.secret))
    return tuple(
        n
        for n in scene.shared(tuple(wanted))
        if not _is_label(scene.original, n) and _is_number(scene.original, n) and _is_number(scene.released, n)
    )


def lacking_pairs(scene: Scene, attributes: Sequence[str]) -> list[str]:
    """Return whether records, their origin or numbers are missing."""
    lacking = [*lacking_records(scene), *lacking_origin(scene)]
    return lacking if attributes_of(scene, attributes) else [*lacking, "no attribute is a number in both files"]


def pairs_of(scene: Scene, attributes: Sequence[str]) -> IntervalPairs:
    """Return the numbers of both files."""
    assert scene.origin is not None
    names = attributes_of(scene, attributes)
    wanted = tuple(attributes or dict.fromkeys((*scene.known, *scene.secret)))
    labels = [n for n in scene.shared(wanted) if n not in names]
    notes = left_out(scene, wanted) + ([f"no numbers, and left out: {listed(labels)}"] if labels else [])
    rows = np.flatnonzero(scene.origin >= 0)
    released, original = (_finite(records.matrix(names)) for records in (scene.released, scene.original))
    return IntervalPairs(names, released, rows, original[scene.origin[rows]], tuple(notes))


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _is_label(records: Records, name: str) -> bool:
    column = records[name]
    return isinstance(column, Categories) and not column.is_ordered


def _is_number(records: Records, name: str) -> bool:
    column = records[name]
    if not isinstance(column, Categories):
        return True
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in column.values)
