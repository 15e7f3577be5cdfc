"""Texts by edits. Every pair of different values is compared once, in blocks, with a cut-off (rapidfuzz)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.comparison.neighbours import Neighbours
from tacita.errors import InputError

MOST_VALUES = 50_000
"""Different texts of an attribute that are compared: beyond, all pairs take minutes."""
MOST_PAIRS = 20_000_000
"""Pairs of different texts that may be alike: beyond, they do not fit in memory."""
_BLOCK = 4_000_000


@dataclass(frozen=True, slots=True)
class EditDistance:
    """Texts are alike if at most so many letters must be inserted, deleted or replaced (Levenshtein).

    >>> near = EditDistance().neighbours(("Main St", "Main St.", "Oak Av"), 1)
    >>> near.are_alike(0, 1), near.are_alike(0, 2)
    (True, False)
    """

    name: ClassVar[str] = "levenshtein"
    treats: ClassVar[tuple[str, ...]] = ("texts",)
    is_default_for: ClassVar[tuple[str, ...]] = ("texts",)
    in_words: ClassVar[str] = "have an edit distance of at most {}"

    def neighbours(self, values: Sequence[str], threshold: float) -> Neighbours:
        """Return which texts are alike. Those whose lengths differ by more than the threshold are not compared."""
        from rapidfuzz.distance import Levenshtein

        most = int(threshold)
        lengths = np.fromiter(map(len, values), np.int64, len(values))
        order = np.argsort(lengths, kind="stable")
        ends = np.searchsorted(lengths[order], lengths[order] + most, side="right")
        return _compared([values[place] for place in order], order, ends, Levenshtein.distance, most)


@dataclass(frozen=True, slots=True)
class JaroWinklerDistance:
    """Texts are alike if 1 less their Jaro-Winkler similarity is at most the threshold; good for names of persons.

    >>> JaroWinklerDistance().neighbours(("Martha", "Marhta", "Zoe"), 0.05).are_alike(0, 1)
    True
    """

    name: ClassVar[str] = "jaro-winkler"
    treats: ClassVar[tuple[str, ...]] = ("texts",)
    in_words: ClassVar[str] = "have a Jaro-Winkler distance of at most {}"
    below: ClassVar[float] = 1.0

    def neighbours(self, values: Sequence[str], threshold: float) -> Neighbours:
        """Return which texts are alike; the threshold is from 0 to 1."""
        from rapidfuzz.distance import JaroWinkler

        ends = np.full(len(values), len(values))
        return _compared(list(values), np.arange(len(values)), ends, JaroWinkler.distance, threshold)


def _compared(
    texts: list[str], order: NDArray[np.int64], ends: NDArray[np.int64], scorer: Callable[..., Any], most: float
) -> Neighbours:
    """Compare each text with those behind it, up to an end; `order` gives their places among the values."""
    from rapidfuzz.process import cdist

    if len(texts) > MOST_VALUES:
        raise InputError(
            f"{len(texts):,} different texts are too many to compare with each other; the limit is {MOST_VALUES:,}",
            do="compare the attribute by equality, or leave it out",
        )
    some, others, count, begin = [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0, 0
    while begin < len(texts):
        end = min(len(texts), begin + max(1, _BLOCK // max(1, int(ends[begin]) - begin)))
        reach = int(ends[end - 1])
        kind = np.int32 if isinstance(most, int) else np.float64
        apart = cdist(texts[begin:end], texts[begin:reach], scorer=scorer, score_cutoff=most, dtype=kind)
        one, other = np.nonzero(apart <= most)
        is_behind = one < other
        some.append(order[begin + one[is_behind]])
        others.append(order[begin + other[is_behind]])
        count += len(some[-1])
        if count > MOST_PAIRS:
            raise InputError(
                f"more than {MOST_PAIRS:,} pairs of different texts are alike", do="give a smaller threshold"
            )
        begin = end
    return Neighbours.of_pairs(len(texts), np.concatenate(some), np.concatenate(others))
