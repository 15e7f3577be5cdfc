"""What a release tells, as statements about sums over records: the form in which releases are judged together.

A release divides the records of one version of a source into finest parts (`Partition`): the leaves of its tables, the
combinations of values of its file. Each statement is about a union of finest parts: how many records there are, or the
sum of a measure over them, is known exactly, lies in an interval, or is withheld. Records of different releases that
are one and the same have the same number.

Everything here is internal: it knows who is in which part.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Numbers = NDArray[np.float64]
Mask = NDArray[np.bool_]

COUNT = ""
"""The measure that counts records."""


@dataclass(frozen=True, slots=True)
class OutputLabel:
    """How an output is named: by its number in the ledger, its folder and its date, never by what is in it."""

    sequence: int
    """Its entry in the ledger; 0: it has not left."""
    kind: str = ""
    folder: str = ""
    date: str = ""
    recipient: str = ""
    words: str = "this release"
    """How it is called if it has no entry."""

    @property
    def short(self) -> str:
        """The name in an arithmetic."""
        return f"entry {self.sequence}" if self.sequence else self.words

    def __str__(self) -> str:
        """Return the name in a sentence.

        >>> str(OutputLabel(3, "table release", "march", "2026-03-02")), str(OutputLabel(0))
        ("entry 3 ('march', 2026-03-02)", 'this release')
        """
        if not self.sequence:
            return self.words
        more = ", ".join(filter(None, [f"'{self.folder}'" if self.folder else "", self.date]))
        return f"entry {self.sequence} ({more})" if more else f"entry {self.sequence}"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PartitionColumn:
    """What a partition tells of one attribute: the code of each record, and what the codes mean."""

    attribute: str
    """The attribute of the source."""
    labels: tuple[str | None, ...]
    """The codes as they are written; None: the value is suppressed, and may be any."""
    codes: NDArray[np.int32]
    """The place of each record's code in `labels`."""
    stands_for: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The finest values that a code stands for; one that is not listed stands for itself."""
    made_of: frozenset[str] = frozenset()
    """Attributes of the source that decide the code, as everybody knows: those of the cells of a cube."""

    def may_be(self, label: str | None) -> frozenset[str] | None:
        """Return the finest values that a code may stand for; None: any."""
        return None if label is None else self.stands_for.get(label, frozenset((label,)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Statements:
    """What is said of unions of finest parts, by columns of arrays.

    A union is one product of code sets, or several: product p belongs to statement ``of[p]`` and takes, of column c,
    the codes in row ``choices[p, c]`` of ``masks[c]``. ``lower <= value <= upper`` is known to whoever has the release;
    the two are equal where the value is published. A sensitive statement must stay uncertain: an intruder's interval
    must reach down to `needs_lower` and up to `needs_upper` (nan: not required) and be `needs_width` wide.
    """

    measure: str
    choices: NDArray[np.int32]
    of: Ints
    masks: tuple[Mask | None, ...]
    """Which codes each choice of a column takes; None: choice c takes code c alone."""
    lower: Numbers
    upper: Numbers
    sensitive: Mask
    needs_lower: Numbers
    needs_upper: Numbers
    needs_width: Numbers
    dimensions: tuple[str, ...] = ()
    """How the columns are called in the release."""
    choice_names: tuple[tuple[str, ...], ...] = ()
    """How the rows of each mask are called."""
    is_whole: bool = True
    """Whether every value is a whole number."""
    is_nonnegative: bool = True
    lists_all: bool = False
    """Whether there is a cell for every record: a combination of codes without one has no record."""
    names: tuple[str, ...] = ()
    """How statements are called, if not by their codes."""

    def __len__(self) -> int:
        return len(self.lower)

    @property
    def exact(self) -> Mask:
        """Which values are published as they are."""
        return np.asarray(self.lower == self.upper)

    def name(self, statement: int) -> str:
        """Return the address of a cell: its codes, which are no confidential values."""
        if self.names:
            return self.names[statement]
        products = np.flatnonzero(self.of == statement)
        return " or ".join(
            ", ".join(
                f"{dimension}={names[choice]}"
                for dimension, names, choice in zip(
                    self.dimensions, self.choice_names, self.choices[product].tolist(), strict=True
                )
            )
            for product in products.tolist()[:3]
        ) + (" or more" if len(products) > 3 else "")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Partition:
    """How one table or file divides records, and what is said of unions of the parts."""

    name: str
    """Of the table; empty for records of a file."""
    units: Ints
    """The number of each record, over all releases."""
    columns: tuple[PartitionColumn, ...]
    statements: tuple[Statements, ...]
    contributions: Mapping[str, Numbers] = field(default_factory=dict)
    """What each record adds to a measure; a measure that is not listed counts records."""
    is_file: bool = False
    """Whether all combinations of codes are told, and so no others occur."""

    def tuples(self) -> tuple[NDArray[np.int32], Ints]:
        """Return the different combinations of codes, and which one each record has."""
        if not self.columns:
            return np.zeros((min(1, len(self.units)), 0), np.int32), np.zeros(len(self.units), np.int64)
        keys = np.zeros(len(self.units), np.int64)
        for column in self.columns:
            keys = np.unique(keys * len(column.labels) + column.codes, return_inverse=True)[1].reshape(-1)
        _, first = np.unique(keys, return_index=True)
        return np.stack([column.codes[first] for column in self.columns], axis=1), keys.astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointEvidence:
    """One release as the judge sees it."""

    label: OutputLabel
    partitions: tuple[Partition, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Population:
    """Who the records are: the person of each record, by number, and how many persons each of these numbers is.

    A number stands for one person, or for all persons of a cell where nothing finer is known.
    """

    persons: Ints
    sizes: Ints

    @classmethod
    def of(cls, units: int) -> Population:
        """Return a population in which every record is another person."""
        return cls(np.arange(units, dtype=np.int64), np.ones(units, np.int64))
