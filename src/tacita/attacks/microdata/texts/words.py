"""Hidden values that the words of a text tell: "lives in Rome" tells the region, "aged 34" the age.

A text that is different in every record has words that are not. A word, or two words that stand together, tells a value
if nearly all records with it have that value. Of the words of a record the one that tells best is taken, and it is then
a clue like any other. With so many words some tell by accident. So words are chosen for one half of the records by what
they tell in the other half, and what is chosen is judged in its own half only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.lessons import CONFIDENCE, Clue, Target
from tacita.attacks.microdata.texts.released_texts import ReleasedTexts, can_be_read, may_tell

MOST_TEXTS = 12
"""Attributes whose words are looked at."""
_MOST_WORDS = 80
"""Words of a text that are looked at."""
_LEAST = 4
"""Records of one half in which a word must occur."""
_WORD = re.compile(r"[^\W_]+(?:[.,'’][^\W_]+)*")


def word_clues(columns: Sequence[ReleasedTexts], targets: Sequence[Target]) -> Iterator[tuple[Clue, Target]]:
    """Yield for each text and target the word that tells most of each record, if words tell anything.

    >>> random = np.random.default_rng(1)
    >>> area, hidden = random.integers(0, 3, 300), np.arange(300) < 20
    >>> texts = [f"no {n}, near {('Rome', 'Bari', 'Genoa')[area[n]]}" for n in range(300)]
    >>> note = ReleasedTexts("note", lambda rows: [texts[row] for row in rows], 300)
    >>> [(clue.name, target.name) for clue, target in word_clues([note], [Target("area", area, hidden, ~hidden)])]
    [('a word of note', 'area')]
    """
    targets = can_be_read(targets)
    for column in columns[:MOST_TEXTS] if targets else ():
        wanted = [target for target in targets if target.name != column.attribute]
        rows = column.sample
        words = _Words.of(column.texts(rows))
        if words.is_single:
            continue  # nothing is in it but the code itself, whose parts are looked at elsewhere
        telling = [target for target in wanted if may_tell(words.best(target, rows), target, rows)]
        if not telling:
            continue
        every = _Words.of(column.all())
        for target in telling:
            yield Clue(f"a word of {column.name}", every.best(target, None), None, (column.attribute,)), target


class _Words:
    """The words of some texts: for each its text, and a number."""

    def __init__(self, record: Codes, word: Codes, texts: int, most: int) -> None:
        self._record, self._word, self._texts, self._most = record, word, texts, most

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> _Words:
        """Return the words of texts, and pairs of words that stand together; None has no words."""
        numbers: dict[object, int] = {}
        record: list[int] = []
        word: list[int] = []
        most = place = 0
        for place, text in enumerate(texts, 1):
            if text is None:
                continue
            words = _WORD.findall(text.casefold())[:_MOST_WORDS]
            most = max(most, len(words))
            for one in {*words, *pairwise(words)}:
                record.append(place - 1)
                word.append(numbers.setdefault(one, len(numbers)))
        return cls(np.array(record, dtype=np.int64), np.array(word, dtype=np.int64), place, most)

    @property
    def is_single(self) -> bool:
        """Whether no text has two words."""
        return self._most < 2

    def best(self, target: Target, rows: Codes | None) -> Codes:
        """Return for each text a number of the word that tells most of a target, -1 if none does.

        Words are chosen in two halves; the numbers of both are different. `rows` are the records of the texts.
        """
        truth = target.truth if rows is None else target.truth[rows]
        known = (target.shown if target.is_suppressed and target.shown.any() else target.shown | target.hidden) & (
            target.truth >= 0
        )
        known = known if rows is None else known[rows]
        half = _half(self._texts)
        best = np.full(self._texts, -1, dtype=np.int64)
        words = int(self._word.max(initial=-1)) + 1
        for side in (0, 1):
            teaches = known[self._record] & (half[self._record] != side)
            strength = _strength(self._word[teaches], truth[self._record[teaches]], words)
            asks = (half[self._record] == side) & (strength[self._word] > 0)
            record, word = self._record[asks], self._word[asks]
            order = np.lexsort((-word, strength[word], record))  # the last one of a record stays
            best[record[order]] = 2 * word[order] + side
        return _numbered(best)


def _half(number: int) -> Codes:
    """Return 0 or 1 for each place, mixed, and always the same."""
    mixed = (np.arange(number, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(63)).astype(np.int64)


def _strength(word: Codes, value: Codes, words: int) -> Codes:
    """Return how much each word tells: 0 if its records do not nearly agree on a value, else by their number."""
    number = int(value.max(initial=0)) + 1
    pairs, counts = np.unique(word * number + value, return_counts=True)
    total, top = np.bincount(word, minlength=words), np.zeros(words, dtype=np.int64)
    np.maximum.at(top, pairs // number, counts)
    agrees = (total >= _LEAST) & (top >= CONFIDENCE * total)
    # Words without an exception come before those with one, however many records these have.
    return np.where(agrees, top + np.where(top == total, len(word) + 1, 0), 0)


def _numbered(codes: Codes) -> Codes:
    """Return numbers from 0 without gaps; -1 stays."""
    there = codes >= 0
    numbered = np.full(len(codes), -1, dtype=np.int64)
    numbered[there] = np.unique(codes[there], return_inverse=True)[1].reshape(-1)
    return numbered
