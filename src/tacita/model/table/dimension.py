"""A dimension of a table: its codes, and the sums among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tacita.errors import HierarchyError


@dataclass(frozen=True, slots=True)
class Sum:
    """One code that is the sum of others."""

    total: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dimension:
    """The codes of one variable, the total first, and which code is the sum of which.

    A tree of any, also unequal, depth has one sum for each code with children. A variable with several hierarchies over
    the same leaves (regions by county and by type) has the sums of all of them. A part with a minus sign is not
    needed: the equation is turned round.

    >>> size = Dimension.tree("size", {"Total": {"small": ["1-9", "10-49"], "large": []}})
    >>> size.codes
    ('Total', 'small', '1-9', '10-49', 'large')
    >>> size.leaves
    ('1-9', '10-49', 'large')
    >>> size.sums[0]
    Sum(total='Total', parts=('small', 'large'))
    """

    name: str
    codes: tuple[str, ...]
    sums: tuple[Sum, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    _position: Mapping[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_position", {code: at for at, code in enumerate(self.codes)})
        faults = list(self._faults())
        if faults:
            raise HierarchyError(
                "; ".join(faults[:5]) + (f"; and {len(faults) - 5} more" if len(faults) > 5 else ""),
                where=f"dimension '{self.name}'",
                do="give each code once, and let every code except the total be a part of another",
            )

    def _faults(self) -> Iterable[str]:
        if not self.codes:
            yield "there is no code"
            return
        if len(self._position) < len(self.codes):
            twice = sorted({code for code in self.codes if self.codes.count(code) > 1})
            yield f"codes given more than once: {', '.join(map(repr, twice[:5]))}"
        parts = {part for sum_ in self.sums for part in sum_.parts}
        for sum_ in self.sums:
            yield from (f"'{code}' is not a code" for code in (sum_.total, *sum_.parts) if code not in self._position)
            if sum_.total in sum_.parts:
                yield f"'{sum_.total}' is a part of itself"
            if not sum_.parts:
                yield f"'{sum_.total}' is a sum of nothing"
        yield from (f"'{code}' is in no sum" for code in self.codes[1:] if code not in parts)
        if self.codes[0] in parts:
            yield f"the total '{self.codes[0]}' is a part of another code"
        if self._is_circular():
            yield "the sums go in a circle"

    def _is_circular(self) -> bool:
        waiting: dict[str, set[str]] = {}
        for sum_ in self.sums:
            waiting.setdefault(sum_.total, set()).update(sum_.parts)
        while waiting:
            done = [code for code, parts in waiting.items() if not (parts & waiting.keys())]
            if not done:
                return True
            for code in done:
                del waiting[code]
        return False

    @classmethod
    def flat(cls, name: str, codes: Iterable[str], total: str = "Total") -> Dimension:
        """Return a dimension of one level under a total."""
        leaves = tuple(codes)
        return cls(name, (total, *leaves), (Sum(total, leaves),) if leaves else ())

    @classmethod
    def tree(cls, name: str, nested: Mapping[str, Any]) -> Dimension:
        """Return a dimension from nested mappings and lists under one total: ``{"Total": {"a": ["a1", "a2"]}}``."""
        codes: list[str] = []
        sums: list[Sum] = []

        def grow(code: str, below: Mapping[str, Any] | Sequence[str]) -> None:
            codes.append(code)
            if below:
                sums.append(Sum(code, tuple(below)))
                for part in below:
                    grow(part, below[part] if isinstance(below, Mapping) else ())

        for total, below in nested.items():
            grow(total, below)
        return cls(name, tuple(codes), tuple(sums))

    @property
    def total(self) -> str:
        """The code that holds everything."""
        return self.codes[0]

    @property
    def leaves(self) -> tuple[str, ...]:
        """The codes that are no sum, in order."""
        totals = {sum_.total for sum_ in self.sums}
        return tuple(code for code in self.codes if code not in totals)

    def position(self, code: str) -> int:
        """Return where a code stands, or raise KeyError."""
        return self._position[code]

    def __contains__(self, code: object) -> bool:
        return code in self._position

    def joined(self, other: Dimension) -> Dimension:
        """Return one dimension with the codes and sums of both: the same variable in two linked tables."""
        codes = self.codes + tuple(code for code in other.codes if code not in self)
        sums = self.sums + tuple(sum_ for sum_ in other.sums if sum_ not in self.sums)
        return Dimension(self.name, codes, sums, {**other.labels, **self.labels})

    def leaves_under(self) -> dict[str, frozenset[str]]:
        """Return the leaves that each code holds."""
        under = {code: frozenset((code,)) for code in self.leaves}
        waiting = list(self.sums)
        while waiting:
            later = []
            for pending in waiting:
                if all(part in under for part in pending.parts):
                    under.setdefault(pending.total, frozenset().union(*(under[part] for part in pending.parts)))
                else:
                    later.append(pending)
            waiting = later
        return under
