"""A file in which people hide cells, what an intruder knows about it, and the truth by which attacks are scored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, did_you_mean, faults_text
from tacita.model.records import Categories, Records

Mask = NDArray[np.bool_]
Masks = Mapping[str, Mask]
ValueDistance = Literal["difference", "ranks", "edits"]
"""How far two values are apart: the absolute difference of numbers, the difference of places in the order of ordered
categories, the edit distance (Levenshtein) of texts."""


@dataclass(frozen=True, slots=True)
class KnownCondition:
    """A group of records by the value of an attribute, as text; an empty text stands for a missing value."""

    attribute: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class KnownDependency:
    """A dependency that the intruder knows to hold on the original: records alike on the left are alike on the right.

    >>> KnownDependency(("Age", "Sex"), "Occupation").is_exact
    True
    >>> KnownDependency(("Age",), "Income", thresholds={"Age": 1, "Income": 0}).thresholds
    mappingproxy({'Age': 1.0})
    """

    left: tuple[str, ...]
    """The determining attributes; none if all records are alike on the right."""
    right: str
    thresholds: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """How far two values may be apart to be alike, for each attribute that is not compared by equality."""
    error: float = 0.0
    """The share of records or pairs that violate it. What follows from one with an error is likely, not certain."""
    is_minimal: bool = True
    """Whether no smaller left-hand side determines the right-hand side: then the intruder knows that too."""
    condition: KnownCondition | None = None
    """The group of records that it holds for; None if it holds for all."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "left", tuple(self.left))
        limits = {name: float(limit) for name, limit in sorted(self.thresholds.items())}
        attributes = {*self.left, self.right}
        faults = [
            f"the threshold of '{n}' is not a number from 0 on" for n, t in limits.items() if not 0 <= t < math.inf
        ]
        faults += [
            f"'{name}' has a threshold and is not part of the dependency" for name in limits if name not in attributes
        ]
        if self.right in self.left:
            faults.append(f"'{self.right}' is on both sides of a dependency")
        if len(set(self.left)) < len(self.left):
            faults.append(
                f"an attribute stands twice on the left-hand side of a dependency that determines '{self.right}'"
            )
        if not 0 <= self.error < 1:
            faults.append(f"the error of a dependency that determines '{self.right}' is not a share below 1")
        if faults:
            raise InputError(faults_text(faults), do="mend the dependency")
        object.__setattr__(self, "thresholds", MappingProxyType({n: t for n, t in limits.items() if t > 0}))

    @property
    def attributes(self) -> tuple[str, ...]:
        """All attributes that it speaks about: left, right, and that of the condition."""
        also = (self.condition.attribute,) if self.condition is not None else ()
        return tuple(dict.fromkeys((*self.left, self.right, *also)))

    @property
    def is_exact(self) -> bool:
        """Whether values are compared by equality and nothing violates it."""
        return not self.thresholds and not self.error


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConcealedFile:
    """What is attacked. The intruder sees every cell that is not hidden, which cells are hidden, and what is said here.

    A missing value that is not hidden is seen as missing: it is a value of its own, alike to missing ones only.

    >>> truth = Records({"sex": Categories.of(["f", "m"]), "job": Categories.of(["cook", "cook"])})
    >>> ConcealedFile(truth, hidden={"job": [True, False]}, confidential={"job": [True, False]})
    <ConcealedFile: 2 records, 1 hidden cell, 1 confidential>
    """

    truth: Records
    """The original: serves to show the cells that are not hidden, and to score."""
    hidden: Masks
    """For each attribute where it is hidden; a matrix with a row for each record is taken as well."""
    confidential: Masks
    """The hidden cells that people want confidential; the others are hidden to protect these."""
    dependencies: tuple[KnownDependency, ...] = ()
    totals: tuple[str, ...] | None = None
    """The attributes whose distribution the intruder knows: how many records have each value; None: all of them."""
    domains: tuple[str, ...] | None = None
    """The attributes of which the intruder knows the values that occur; None: all. Totals tell the values too."""
    lists_all: bool = False
    """Whether the list has every minimal exact dependency of these attributes: then the intruder knows that no other
    one holds."""
    distances: Mapping[str, ValueDistance] = field(default_factory=lambda: MappingProxyType({}))
    """How the values of attributes with thresholds are compared, where that is not `distance_of`'s choice."""
    rows: NDArray[np.int64] | None = None
    """The number of each record in the steward's file; None: from 1 on."""

    def __post_init__(self) -> None:
        hidden = _masks(self.truth, self.hidden, "hidden")
        confidential = _masks(self.truth, self.confidential, "confidential")
        everywhere = self.truth.names
        totals = everywhere if self.totals is None else tuple(self.totals)
        domains = everywhere if self.domains is None else (*self.domains, *totals)
        dependencies = tuple(self.dependencies)
        faults = [
            f"'{name}' has confidential cells that are not hidden"
            for name, mask in confidential.items()
            if (mask & ~hidden.get(name, np.zeros(len(mask), dtype=bool))).any()
        ]
        named = {*totals, *domains, *self.distances, *(name for one in dependencies for name in one.attributes)}
        faults += [
            f"no attribute '{name}'{did_you_mean(name, everywhere)}" for name in sorted(named) if name not in everywhere
        ]
        rows = np.arange(1, len(self.truth) + 1) if self.rows is None else np.array(self.rows, dtype=np.int64)
        if rows.shape != (len(self.truth),):
            faults.append("the row numbers are not one for each record")
        if faults:
            raise InputError(faults_text(faults), do="mend what the intruder is said to know")
        rows.setflags(write=False)
        for name, value in {
            "hidden": hidden,
            "confidential": confidential,
            "dependencies": dependencies,
            "totals": tuple(name for name in everywhere if name in totals),
            "domains": tuple(name for name in everywhere if name in domains),
            "distances": MappingProxyType(dict(self.distances)),
            "rows": rows,
        }.items():
            object.__setattr__(self, name, value)

    def distance_of(self, name: str) -> ValueDistance:
        """Return how values are compared: numbers by difference, ordered categories by ranks, others by edits."""
        if name in self.distances:
            return self.distances[name]
        column = self.truth[name]
        if not isinstance(column, Categories) or (column.values and all(map(is_number, column.values))):
            return "difference"
        return "ranks" if column.is_ordered else "edits"

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The number of each record."""
        return np.arange(1, len(self.truth) + 1) if self.rows is None else self.rows

    def knows_total(self, name: str) -> bool:
        """Return whether the intruder knows how many records have each value of an attribute."""
        return self.totals is None or name in self.totals

    def knows_domain(self, name: str) -> bool:
        """Return whether the intruder knows which values of an attribute occur."""
        return self.domains is None or name in self.domains

    def is_hidden(self, name: str) -> Mask:
        """Return where an attribute is hidden."""
        return self.hidden[name] if name in self.hidden else np.zeros(len(self.truth), dtype=bool)

    def is_confidential(self, name: str) -> Mask:
        """Return where an attribute is hidden because the person wants it confidential."""
        return self.confidential[name] if name in self.confidential else np.zeros(len(self.truth), dtype=bool)

    def __repr__(self) -> str:
        hidden, confidential = (sum(int(m.sum()) for m in masks.values()) for masks in (self.hidden, self.confidential))
        cells = "hidden cell" if hidden == 1 else "hidden cells"
        return f"<ConcealedFile: {len(self.truth):,} records, {hidden:,} {cells}, {confidential:,} confidential>"


def is_number(value: object) -> bool:
    """Return whether a value of a category is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _masks(truth: Records, given: Any, what: str) -> Masks:
    """Return a mask for each attribute that has cells of the kind, in the order of the file."""
    if not isinstance(given, Mapping):
        matrix = np.asarray(given)
        if matrix.shape != (len(truth), len(truth.names)):
            raise InputError(
                f"the matrix of {what} cells has the shape {matrix.shape}, not {(len(truth), len(truth.names))}",
                do="give a row for each record and a column for each attribute",
            )
        given = dict(zip(truth.names, matrix.T, strict=True))
    unknown = [name for name in given if name not in truth.columns]
    faults = [f"no attribute '{name}'{did_you_mean(name, truth.names)}" for name in unknown]
    masks: dict[str, Mask] = {}
    for name in (name for name in truth.names if name in given):
        values: Sequence[bool] | Mask = given[name]
        mask = np.array(values)
        if mask.shape != (len(truth),) or mask.dtype != np.bool_:
            faults.append(f"the {what} cells of '{name}' are not one true or false for each record")
        elif mask.any():
            mask.setflags(write=False)
            masks[name] = mask
    if faults:
        raise InputError(faults_text(faults), do=f"mend the {what} cells")
    return MappingProxyType(masks)
