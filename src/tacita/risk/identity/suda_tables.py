"""What SUDA says of the file: which attributes, values and sets of attributes single records out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacita.engines.arrow import as_arrow
from tacita.risk.combinations import NULL, Codes
from tacita.risk.identity.suda_scores import SudaScores

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, np.dtype[Any]]

Table = list[Mapping[str, Any]]

MOST_ROWS = 100
"""The most values of one attribute, and the most sets of attributes, that a table names."""
_DIGITS = 9
"""Shares that agree in so many digits are equal: sums differ in their last ones by the order of their parts."""


def tables(known: Sequence[str], codes: Codes, scores: SudaScores) -> Mapping[str, Table]:
    """Return the tables of SUDA by name.

    ``attributes``: of the scores of all records together, the share from minimal sample uniques with the attribute, in
    percent. ``values``: of that share, the part of the records with each value; those without any are left out.
    ``combinations``: how many records each set of attributes singles out minimally, most first.
    """
    return {
        "attributes": _attributes(known, scores),
        "values": _values(known, codes, scores),
        "combinations": _combinations(known, scores),
    }


def _attributes(known: Sequence[str], scores: SudaScores) -> Table:
    total = float(scores.weights.sum())
    return [
        {"attribute": name, "percent": 100 * float(scores.of(place).sum()) / total if total else 0.0}
        for place, name in enumerate(known)
    ]


def _values(known: Sequence[str], codes: Codes, scores: SudaScores) -> Table:
    import numpy as np

    rows: Table = []
    for place, name in enumerate(known):
        coded = codes.codes[scores.uniques.combinations, place].astype(np.int64) - NULL
        sums = np.bincount(coded, weights=scores.of(place), minlength=1)
        shares = np.round(100 * sums / (sums.sum() or 1.0), _DIGITS)
        least = np.partition(shares, -MOST_ROWS)[-MOST_ROWS] if len(shares) > MOST_ROWS else 0.0
        entries: list[dict[str, Any]] = [
            {
                "attribute": name,
                "value": codes.values[place][code + NULL].as_py() if code else None,
                "percent": 100 * float(sums[code] / sums.sum()),
            }
            for code in np.flatnonzero((shares >= least) & (sums > 0)).tolist()
        ]
        # Codes are numbered as the engine's threads found the values: of equal shares the value decides, not its code.
        entries.sort(key=lambda row: (-round(row["percent"], _DIGITS), row["value"] is None, _place(row["value"])))
        rows += entries[:MOST_ROWS]
    return rows


def _place(value: Any) -> tuple[Any, str]:
    """Return by what values of an attribute are ordered: numbers by size, all others as text."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return (value if is_number else 0, str(value))


def _combinations(known: Sequence[str], scores: SudaScores) -> Table:
    import numpy as np

    masks, records = np.unique(scores.uniques.masks, return_counts=True)
    order = np.lexsort([masks, np.bitwise_count(masks), -records])[:MOST_ROWS]
    return [
        {"attributes": in_words(mask, known), "size": mask.bit_count(), "records": count}
        for mask, count in zip(masks[order].tolist(), records[order].tolist(), strict=True)
    ]


def in_words(mask: int, known: Sequence[str]) -> str:
    """Return the attributes of a set.

    >>> in_words(0b101, ["Area", "Sector", "Employees"])
    'Area x Employees'
    """
    return " x ".join(name for bit, name in enumerate(known) if mask >> bit & 1)


def names_of(masks: Array, known: Sequence[str]) -> pa.Array:
    """Return the attributes of each set as text; null for the empty set."""
    import numpy as np
    import pyarrow as pa

    from tacita.engines.arrow import array

    different, places = np.unique(masks, return_inverse=True)
    words = array([in_words(mask, known) or None for mask in different.tolist()], pa.string())
    return words.take(as_arrow(places.ravel()))
