"""Zero cells: that nobody is there, or that everybody's figure is nothing, is information too."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted, did_you_mean, listed
from tacita.model.table import SensitivityReason, Table
from tacita.tables.sensitivity.contributors import require_between
from tacita.tables.sensitivity.rule import SensitivityFinding
from tacita.tables.sensitivity.rules.minimum_frequency import smallest_value
from tacita.tables.specification.fields import entry


def structural_zeros(table: Table, patterns: Iterable[Mapping[str, str]]) -> NDArray[np.bool_]:
    """Return the cells that lie under one of some combinations of codes that cannot occur.

    A pattern names codes of some dimensions, ``{"sex": "male", "cause": "childbirth"}``; it holds for what is below
    these codes in the hierarchies as well. A cell that it holds for and that is not empty is refused: what occurs is
    not impossible.
    """
    named = {one.name: at for at, one in enumerate(table.dimensions)}
    mask = np.zeros(len(table), bool)
    for pattern in patterns:
        under = np.ones(len(table), bool)
        for name, code in pattern.items():
            if name not in named:
                raise UsageError(
                    f"no dimension '{name}'{did_you_mean(name, named)}",
                    where="structural zeros",
                    do=f"use one of: {listed(list(named))}",
                )
            dimension = table.dimensions[named[name]]
            if code not in dimension:
                raise UsageError(
                    f"no code '{code}' in dimension '{name}'{did_you_mean(code, dimension.codes)}",
                    where="structural zeros",
                    do="use a code of the table",
                )
            leaves = dimension.leaves_under()
            below = np.array([leaves[one] <= leaves[code] for one in dimension.codes])
            under &= below[table.codes[:, named[name]]]
        mask |= under
    filled = np.flatnonzero(mask & (table.values != 0))
    if len(filled):
        raise InputError(
            f"{counted(len(filled), 'cell')} said to be structural zeros are not empty, such as "
            f"{table.cell_name(int(filled[0]))}",
            where=f"table '{table.name}'",
            do="correct the structural zeros, or the data",
        )
    return mask


@dataclass(frozen=True, slots=True)
class ZeroCells:
    """A cell whose value is zero is sensitive, unless everybody knows that it must be.

    In a frequency table each zero tells of all members of a margin what they are not. In a magnitude table a zero tells
    every contributor's figure exactly, so that only zeros with contributors are sensitive (all, if their number is not
    known); contributions that cancel each other are the p % rule's. `structural` are combinations of codes that cannot
    occur. The interval must reach up to `level`: by default 1 in a frequency table, and the smallest value that is not
    zero in a magnitude table. There is nothing to protect below zero; the interval is to be as wide as it reaches up.

    >>> ZeroCells().label
    'zero cells'
    """

    structural: tuple[Mapping[str, str], ...] = ()
    level: float | None = entry(None, least=0, above=True)

    name: ClassVar[str] = "zeros"

    def __post_init__(self) -> None:
        if self.level is not None:
            require_between("the level", "zero cells", self.level, above=0, below=math.inf)

    @property
    def label(self) -> str:
        """The rule."""
        return "zero cells"

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return the zeros that tell something."""
        zero = (table.values == 0) & ~structural_zeros(table, self.structural)
        if not table.is_count and table.counts is not None:
            zero &= table.counts > 0
        level = self.level or (1.0 if table.is_count else smallest_value(table))
        up = np.where(zero, level, 0.0)
        nothing = np.zeros(len(table))
        said = "nobody is there" if table.is_count else "the figure of each contributor is nothing"
        reason = SensitivityReason(f"a zero tells that {said}")
        return (SensitivityFinding(self.label, reason, zero, nothing, up, up, nothing),)
