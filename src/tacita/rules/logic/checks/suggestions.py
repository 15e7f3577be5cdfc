"""The nearest known name, for many unknown ones: as `did_you_mean`, but quick among thousands of names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_COMPARISONS = 50_000
"""So many names are compared; a program with more unknown names than that has another problem."""


class Suggestions:
    """Names that could have been meant.

    >>> Suggestions(["Own", "Control"]).of("own")
    "; did you mean 'Own'?"
    >>> Suggestions(["Own", "Control"]).of("Contrl")
    "; did you mean 'Control'?"
    >>> Suggestions(["Own", "Control"]).of("Household")
    ''
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._by_fold: dict[str, str] = {}
        for name in names:
            self._by_fold.setdefault(name.casefold(), name)
        self._comparisons = 0

    def nearest(self, word: str) -> str | None:
        """Return the name that is most like a word, if one is like it."""
        fold = word.casefold()
        if fold in self._by_fold:
            return self._by_fold[fold] if self._by_fold[fold] != word else None
        if self._comparisons > _COMPARISONS:
            return None
        self._comparisons += len(self._by_fold)
        near = difflib.get_close_matches(fold, [n for n in self._by_fold if abs(len(n) - len(fold)) <= 3], 1, 0.65)
        return self._by_fold[near[0]] if near else None

    def of(self, word: str) -> str:
        """Return ``; did you mean 'X'?``, or nothing."""
        near = self.nearest(word)
        return f"; did you mean '{near}'?" if near is not None else ""
