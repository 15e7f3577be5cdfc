"""What a method of masking is, and what it gives back.

A method is a frozen dataclass whose fields are its parameters, checked where it is made: the fields are the keys of a
step in a recipe. It says what it promises and what it does not, takes records and a source of randomness, and returns
treated records. It keeps missing values missing and the other attributes as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacita.model.records import Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True, eq=False)
class Treated:
    """Records after a method."""

    records: Records
    origin: NDArray[np.int64] | None
    """For each record the place of the one that it comes from; None if the records are invented."""
    groups: NDArray[np.int64] | None = None
    """The group of each record, from 0, where the method makes groups."""
    figures: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """What the method says of itself, such as ``SSE/SST``."""
    beside: Mapping[str, Records] = field(default_factory=lambda: MappingProxyType({}))
    """Further tables that are released with the records, by name."""
    notes: tuple[str, ...] = ()
    """What a steward has to know; no value of the data."""

    @classmethod
    def in_place(
        cls,
        records: Records,
        *,
        groups: NDArray[np.int64] | None = None,
        figures: Mapping[str, float] | None = None,
        notes: tuple[str, ...] = (),
    ) -> Treated:
        """Return records of which each comes from the one at its place."""
        return cls(records, np.arange(len(records)), groups, MappingProxyType(dict(figures or {})), notes=notes)


Grid = Mapping[str, Sequence[Any]]
"""Values of parameters that are tried, by parameter."""

FACTS: Mapping[str, Any] = MappingProxyType({"is_repeatable": True, "treats": "", "grid": None, "in_engine": False})
"""What a class of methods may state, and what holds for one that does not:

`is_repeatable`: the same seed gives the same records; not if it spends a budget of privacy. `grid`: values of its
parameters, weak first, that an exploration tries. `treats`: the attributes that it is then tried on: "numbers",
"categories", or "all" together, which is tried if it is named. `in_engine`: it takes microdata, not records.
"""


@runtime_checkable
class Method(Protocol):
    """A way to make records tell less. Its name, promise and limit belong to the class."""

    name: ClassVar[str]
    """The word for it in a recipe: lower case, with hyphens."""
    promises: ClassVar[str]
    """What holds for every result, in a sentence."""
    limits: ClassVar[str]
    """What it does not protect from, or may destroy, in a sentence."""
    is_random: ClassVar[bool]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that it changes."""

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records after the method; a fault of parameters or data is an error that shows no value."""
