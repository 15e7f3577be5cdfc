"""What a search for dependencies looks at, and how far from exact the dependencies may be."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.dependencies.catalogue import SIMILARITIES
from tacita.dependencies.dependency import ErrorMeasure
from tacita.errors import UsageError, faults_text
from tacita.forms import Form, choose, names_in, once, split_pair
from tacita.options import option
from tacita.toml.checked import Checked

MIN_GAIN = 0.05
"""Tolerant dependencies that tell less are left out, unless somebody says otherwise."""
MIN_GROUP = 30
"""The fewest records of a group in which dependencies are looked for, unless somebody says otherwise."""

_RELAXED, _SCOPE, _BOUNDS = "Relaxation", "Scope", "Bounds"


@dataclass(frozen=True, slots=True)
class JoinRequest:
    """Another file, and the attributes by which its records belong to those of the first.

    >>> JoinRequest.parse("C:/data/firms.csv:tax,year")
    JoinRequest(file='C:/data/firms.csv', keys=('tax', 'year'))
    """

    file: str
    keys: tuple[str, ...]

    @classmethod
    def parse(cls, text: str, flag: str = "--join") -> JoinRequest:
        """Return what ``FILE:KEY,KEY`` says."""
        file, _, keys = text.rpartition(":")
        names = tuple(names_in(keys))
        if not file.strip() or not names:
            raise UsageError(
                f"{flag} '{text}' is not FILE:KEY,KEY", do=f"write for example {flag} firms.csv:tax_number"
            )
        return cls(file.strip(), names)


def _read_pairs(table: Checked, key: str, default: Any) -> Any:
    if key not in table.table:
        return default
    below = table.open(key)
    return {name: text for name in below.table if (text := below.text(name, None)) is not None}


_WORDS = Form(
    list[str],
    parse=lambda typed, flag: once((split_pair(pair, flag) for pair in typed), flag),
    read=_read_pairs,
    write=lambda value, folder: dict(value) or None,
)
"""A word by name, typed as NAME=WORD; in a file a table."""


def _write_joins(value: Sequence[JoinRequest], folder: Path) -> list[str] | None:
    return [f"{one.file}:{','.join(one.keys)}" for one in value] or None


_JOINS = Form(
    list[str],
    parse=lambda typed, flag: tuple(JoinRequest.parse(text, flag) for text in typed),
    read=lambda table, key, default: tuple(JoinRequest.parse(text, key) for text in table.texts(key, single=True)),
    write=_write_joins,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Relaxations:
    """Which dependencies are looked for: how far they may be from exact ones, how large, and in which groups."""

    conditional: tuple[str, ...] = option(
        (), panel=_SCOPE, metavar="ATTRIBUTE", help="Also look for what holds in each group of one value of it only."
    )
    min_group: int | None = option(
        None, least=2, panel=_SCOPE, help=f"Fewest records of such a group; {MIN_GROUP} by default."
    )
    within: Mapping[str, float] = option(
        {},
        panel=_RELAXED,
        metavar="NAME=THRESHOLD",
        help="Values of an attribute are alike up to this distance; may be repeated. 0 is equality.",
    )
    within_all: float | None = option(
        None,
        least=0,
        panel=_RELAXED,
        metavar="THRESHOLD",
        help="The same for all numbers, dates and texts that the dictionary does not call categorical.",
    )
    similarity: Mapping[str, str] = option(
        {},
        form=_WORDS,
        panel=_RELAXED,
        metavar="NAME=SIMILARITY",
        help=f"How an attribute is compared: {', '.join(SIMILARITIES.homes)}; may be repeated.",
    )
    tolerance: float | None = option(
        None, least=0, most=1, panel=_RELAXED, metavar="SHARE", help="The error up to which a dependency holds."
    )
    error: ErrorMeasure | None = option(
        None, panel=_RELAXED, metavar="g3|g1", help="Error: share of records to delete (g3, the default) or of pairs."
    )
    min_gain: float | None = option(
        None,
        most=1,
        panel=_RELAXED,
        metavar="GAIN",
        help=f"List dependencies with an error that tell at least this; {MIN_GAIN} by default, -inf for all.",
    )
    max_left: int | None = option(
        None, least=0, panel=_BOUNDS, help="The most attributes on the left-hand side; default: no limit but work."
    )

    def __post_init__(self) -> None:
        if self.error is not None:
            object.__setattr__(self, "error", choose(self.error, ErrorMeasure, "measure of error"))
        faults = [
            f"the threshold of '{name}' is {threshold:g}"
            for name, threshold in self.within.items()
            if not (math.isfinite(threshold) and threshold >= 0)
        ]
        if self.within_all is not None and not (math.isfinite(self.within_all) and self.within_all >= 0):
            faults.append(f"the threshold of all attributes is {self.within_all:g}")
        if faults:
            raise UsageError(faults_text(faults), do="give thresholds that are finite and not negative")
        if self.tolerance is not None and not 0 <= self.tolerance < 1:
            raise UsageError(
                f"the tolerance is {self.tolerance:g}: every dependency would hold",
                do="give a share from 0 to below 1, for example 0.1",
            )
        if self.min_gain is not None and not self.min_gain <= 1:
            raise UsageError("the least gain is above 1, which no dependency reaches", do="give a share such as 0.05")
        self._check_effect()

    def _check_effect(self) -> None:
        """Raise if an option has no effect without another one that is not given."""
        idle = {"--error": self.error, "--min-gain": self.min_gain}
        without = [name for name, value in idle.items() if value is not None and not self.tolerance]
        if without:
            raise UsageError(f"{without[0]} has no effect without a tolerance", do="add --tolerance SHARE")
        if self.min_group is not None and not self.conditional:
            raise UsageError("--min-group has no effect without groups", do="add --conditional ATTRIBUTE")

    @property
    def measure(self) -> ErrorMeasure | None:
        """How violations are counted; None if none is tolerated."""
        return (self.error or ErrorMeasure.G3) if self.tolerance else None

    @property
    def least_gain(self) -> float:
        """The gain below which tolerant dependencies are left out."""
        return MIN_GAIN if self.min_gain is None else self.min_gain

    @property
    def least_group(self) -> int:
        """The fewest records of a group."""
        return MIN_GROUP if self.min_group is None else self.min_group


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryOptions(Relaxations):
    """What a search for dependencies looks at, and how far from exact the dependencies may be."""

    attributes: tuple[str, ...] = option(
        (), panel=_SCOPE, help="Attributes to look at, with commas between; may be repeated; default: all."
    )
    leave_out: tuple[str, ...] = option(
        (), panel=_SCOPE, help="Attributes to leave out, with commas between; may be repeated."
    )
    distinct: bool = option(
        False, "--distinct", panel=_SCOPE, help="Count records that are equal on all these attributes once."
    )
    join: tuple[JoinRequest, ...] = option(
        (),
        form=_JOINS,
        panel=_SCOPE,
        metavar="FILE:KEY[,KEY]",
        help="Look at the file joined with another one by attributes of equal names; may be repeated.",
    )
    force: bool = option(
        False,
        "--force",
        panel=_RELAXED,
        key=None,
        help="Accept thresholds under which more than half of all pairs are alike; replace a report that exists.",
    )
