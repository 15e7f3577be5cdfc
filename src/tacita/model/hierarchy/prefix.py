"""Codes coarsened by keeping fewer of their first characters: 00184 -> 0018* -> 001**."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tacita.errors import HierarchyError, faults_text
from tacita.model.hierarchy.base import STAR, Hierarchy, star_level, text_of


@dataclass(frozen=True, slots=True)
class PrefixHierarchy(Hierarchy):
    """Prefixes of codes such as postcodes or NACE classes, longest first.

    The hidden characters are replaced by the mask, so that the length of a code stays visible; an empty mask
    hides that too. A code that is shorter than a prefix stays as it is at that level.

    >>> postcode = PrefixHierarchy("postcode", (4, 3, 2), star=True)
    >>> postcode.path("00184")
    ('00184', '0018*', '001**', '00***', '*')
    """

    attribute: str
    lengths: tuple[int, ...]
    mask: str = "*"
    star: bool = False
    levels: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        if faults := prefix_faults(self.lengths, self.mask):
            raise HierarchyError(
                faults_text(faults),
                where=f"hierarchy of '{self.attribute}'",
                do="give the numbers of characters to keep, most first, such as 4, 3, 2",
            )
        names = (self.attribute, *(f"{self.attribute} prefix {length}" for length in self.lengths))
        object.__setattr__(self, "levels", (*names, star_level(self.attribute)) if self.star else names)

    def path(self, value: object) -> tuple[str, ...] | None:
        """Return the code and its prefixes; an empty text is no code."""
        text = text_of(value)
        if not text:
            return None
        prefixes = [text[:length] + self.mask * max(len(text) - length, 0) for length in self.lengths]
        return (text, *prefixes, *([STAR] if self.star else []))

    def share(self, label: str, level: int) -> float | None:
        """Return 1 for ``*``, else None: which codes exist is not known (see `ValueHierarchy.over`)."""
        self.check_level(level)
        return 1.0 if self.star and level == self.height and label == STAR else None

    def remedy(self, uncovered: Iterable[object]) -> str:
        """Return what to do about codes without a character."""
        return "they are empty texts: declare them missing in the dictionary"


def prefix_faults(lengths: Sequence[int], mask: str = "*") -> list[str]:
    """Return all faults of a choice of lengths.

    >>> prefix_faults([3, 3, 0])
    ['prefix length 0 is not above 0', 'prefix length 3 stands after 3, but is not shorter']
    """
    if not lengths:
        return ["no prefix lengths are given"]
    faults = [f"prefix length {length} is not above 0" for length in lengths if length <= 0]
    faults += [
        f"prefix length {short} stands after {long}, but is not shorter"
        for long, short in pairwise(lengths)
        if short >= long
    ]
    if len(mask) > 1:
        faults.append(f"the mask has {len(mask)} characters instead of one or none")
    return faults
