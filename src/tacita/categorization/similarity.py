"""Similarity of names (``~`` of Algorithm 1): how much one name is like another, between 0 and 1.

Pluggable: anything that takes a normalised name and the known ones and yields pairs of known name and similarity.
Short names must be equal (``age`` is not ``wage``); longer ones may differ in spelling; a known name inside a longer
one counts by how much of it it is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Protocol

THRESHOLD = 0.8
_SHORTEST_MISSPELT = 6
_SHORTEST_INSIDE = 4


class Similarity(Protocol):
    """A similarity of names."""

    def alike(self, name: str) -> Iterator[tuple[str, float]]:
        """Yield the known names that are like this one, with their similarity."""


class NameSimilarity:
    """The shipped similarity: equal, equal but for spaces, misspelt, or contained.

    >>> likes = NameSimilarity(["age", "date of birth", "employees", "postcode"])
    >>> dict(likes.alike("wage")), dict(likes.alike("post code"))
    ({}, {'postcode': 0.98})
    >>> round(dict(likes.alike("number of employees"))["employees"], 2)
    0.79
    """

    def __init__(self, known: Sequence[str]) -> None:
        self._known = list(known)
        self._names = set(known)
        self._compact = {name.replace(" ", ""): name for name in known}
        self._by_word: dict[str, list[str]] = defaultdict(list)
        for name in known:
            for word in set(name.split()):
                self._by_word[word].append(name)
        self._long = [name for name in known if len(name) >= _SHORTEST_MISSPELT]

    def alike(self, name: str) -> Iterator[tuple[str, float]]:
        """Yield the known names that are like this one, with their similarity."""
        if name in self._names:
            yield name, 1.0
            return
        if (same := self._compact.get(name.replace(" ", ""))) is not None:
            yield same, 0.98
            return
        found = dict(self._misspelt(name))
        for known, similarity in self._inside(name):
            found[known] = max(similarity, found.get(known, 0.0))
        yield from found.items()

    def _misspelt(self, name: str) -> Iterator[tuple[str, float]]:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        if len(name) < _SHORTEST_MISSPELT:
            return
        matches = process.extract(
            name,
            self._long,
            scorer=OSA.normalized_similarity,
            score_cutoff=THRESHOLD,
            limit=10,
        )
        for known, similarity, _ in matches:
            yield known, 0.97 * similarity

    def _inside(self, name: str) -> Iterator[tuple[str, float]]:
        words = name.split()
        if len(words) < 2:
            return
        for known in {known for word in words for known in self._by_word.get(word, ())}:
            parts = known.split()
            if len(known) >= _SHORTEST_INSIDE and set(parts) < set(words):
                # The last word of a name is usually the noun: "household income" is an income, not a household.
                noun = 0.1 if parts[-1] == words[-1] or parts[0] == words[0] else 0.0
                yield known, 0.55 + noun + 0.3 * len(known) / len(name)
