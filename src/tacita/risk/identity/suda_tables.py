"""What SUDA says of the file: which attributes, values and sets of attributes single records out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacita.risk.arrays import as_arrow
from tacita.risk.combinations import NULL, Codes
from tacita.risk.identity.suda_scores import Scores

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Array = np.ndarray[Any, np.dtype[Any]]

Table = list[Mapping[str, Any]]

MOST_ROWS = 100
"""The most values of one attribute, and the most sets of attributes, that a table names."""


def tables(known: Sequence[str], codes: Codes, scores: Scores) -> Mapping[str, Table]:
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


def _attributes(known: Sequence[str], scores: Scores) -> Table:
    total = float(scores.weights.sum())
    return [
        {"attribute": name, "percent": 100 * float(scores.of(place).sum()) / total if total else 0.0}
        for place, name in enumerate(known)
    ]


def _values(known: Sequence[str], codes: Codes, scores: Scores) -> Table:
    import numpy as np

    rows: Table = []
    for place, name in enumerate(known):
        coded = codes.codes[scores.uniques.combinations, place].astype(np.int64) - NULL
        sums = np.bincount(coded, weights=scores.of(place), minlength=1)
        most = np.argsort(-sums, kind="stable")[:MOST_ROWS]
        for code in most[sums[most] > 0].tolist():
            value = codes.values[place][code + NULL].as_py() if code else None
            rows.append({"attribute": name, "value": value, "percent": 100 * float(sums[code] / sums.sum())})
    return rows


def _combinations(known: Sequence[str], scores: Scores) -> Table:
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

    from tacita.rules.reasoner.arrow import array

    different, places = np.unique(masks, return_inverse=True)
    words = array([in_words(mask, known) or None for mask in different.tolist()], pa.string())
    return words.take(as_arrow(places.ravel()))
