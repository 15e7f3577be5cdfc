"""Similarity of names (``~`` of Algorithm 1): how much one name is like another, between 0 and 1.

Pluggable: anything that takes a normalised name and the known ones and yields pairs of known name and similarity.
Short names must be equal (``age`` is not ``wage``); longer ones may differ in spelling, but not in digits; a known name
inside a longer one counts by how much of it it is, and more if it is what the longer one is about: the "sex of the
household head" is a sex, the "respondent's age" an age.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Protocol

from tacita.knowledge.experience_base import ExperienceBase

THRESHOLD = 0.8
_SHORTEST_MISSPELT = 6
_SHORTEST_INSIDE = 4
_PREPOSITIONS = {
    *("of", "in", "at", "for", "from", "to", "during", "by", "with", "on", "because", "per", "within", "since"),
    *("under", "through", "about", "among", "without", "that", "if", "when", "who", "which", "available", "related"),
}
"""What follows one of these says more about the noun before it."""
_LIGHT = {
    *("number", "type", "kind", "source", "level", "degree", "amount", "value", "total", "sum", "net", "gross", "main"),
    *("current", "currently", "highest", "usual", "usually", "ever", "any", "some", "all", "first", "other", "own"),
    *("average", "the", "a", "an", "respondent", "individual", "person", "personal", "self", "reported", "report"),
}
"""Words that say little of what an attribute is about: the noun is looked for behind them."""
_NOUN, _MODIFIER, _FURTHER, _APART = 0.1, -0.1, -0.15, -0.1


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
        likes = dict(self._misspelt(name))
        for known, similarity in self._inside(name):
            likes[known] = max(similarity, likes.get(known, 0.0))
        yield from likes.items()

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
            if _digits(known) == _digits(name) and not self._means_another(name, known):
                yield known, 0.97 * similarity

    def _means_another(self, name: str, known: str) -> bool:
        """Return whether a word that differs is a name of its own: the "respondent's age" is no misspelt name."""
        return any(word in self._names for word in set(name.split()) - set(known.split()))

    def _inside(self, name: str) -> Iterator[tuple[str, float]]:
        words = name.split()
        if len(words) < 2:
            return
        for known in {known for word in words for known in self._by_word.get(word, ())}:
            parts = known.split()
            role = _role(parts, words)
            if set(parts) < set(words) and (len(known) >= _SHORTEST_INSIDE or role == _NOUN):
                yield known, 0.55 + role + 0.3 * len(known) / len(name)


@functools.lru_cache(maxsize=4)
def similarity_of_names(base: ExperienceBase) -> NameSimilarity:
    """Return the shipped similarity to the names of an experience base; the thousands of them are indexed once."""
    return NameSimilarity(base.names)


def _role(parts: Sequence[str], words: Sequence[str]) -> float:
    """Return what a known name inside a longer one counts for: it is the noun, says more about it, or comes behind.

    >>> _role(["sex"], "sex of household head".split()), _role(["household"], "sex of household head".split())
    (0.1, -0.15)
    >>> _role(["income"], "household income".split()), _role(["household"], "household income".split())
    (0.1, -0.1)
    """
    front, is_split = _front(words)
    apart = 0.0 if _contains(words, parts) else _APART
    if parts[-1] == front[-1] or (len(parts) > 1 and parts[0] == words[0]) or (not is_split and parts[0] == words[0]):
        # Without a preposition the noun may be the first word, as in other languages than English.
        single = len(parts) == 1 and parts[-1] != front[-1] and len(words) > 1
        return (_MODIFIER if single and words[0] in _LIGHT | _GENERIC else _NOUN) + apart
    if set(parts) <= set(front):
        return (_MODIFIER if len(parts) == 1 else 0.0) + apart
    return _FURTHER + apart


_GENERIC = {"household", "family", "year", "period", "sample", "children", "respondent", "person", "country"}
"""Words that are names of their own, but in front of others only say whose they are, or when."""


def _front(words: Sequence[str]) -> tuple[Sequence[str], bool]:
    """Return the words that hold the noun, and whether there are others behind a preposition."""
    for place, word in enumerate(words):
        if word in _PREPOSITIONS:
            front = words[:place]
            if front and not set(front) <= _LIGHT:
                return front, True
            rest = words[place + 1 :]
            return (_front(rest)[0], True) if rest else (words, False)
    return words, False


def _contains(words: Sequence[str], parts: Sequence[str]) -> bool:
    size = len(parts)
    return any(list(words[place : place + size]) == list(parts) for place in range(len(words) - size + 1))


def _digits(name: str) -> str:
    return "".join(letter for letter in name if letter.isdigit())
