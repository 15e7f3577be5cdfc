"""Group disclosure in frequency tables: what is true of a whole group is known of each member."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, did_you_mean, listed
from tacita.model.table import SensitivityReason, Table
from tacita.tables.sensitivity.contributors import counts_of, require_between
from tacita.tables.sensitivity.rule import SensitivityFinding
from tacita.tables.sensitivity.rules.zero_cells import structural_zeros
from tacita.tables.specification.fields import entry


@dataclass(frozen=True, slots=True)
class GroupDisclosure:
    """A row is disclosive if all members of its total, or all but a few, fall into few of its categories.

    For each sum of the table: at most `categories` of its parts are occupied while others could be (1: everybody is in
    one cell), or all but at most `outside` members are in one part: those few, together, know it of all others.
    `dimensions` are those whose category is worth protecting (none given: all), `structural` combinations of codes that
    cannot occur and so are no other possibility.

    Sensitive are the parts that hold the group, which must possibly be less by one, and, unless `others` is false, the
    other parts of the row, each of which must possibly hold one more. Without the others, a group and its total could
    both be withheld, move together, and the zeros beside them would still tell where everybody is; with them it is safe
    whatever else is withheld, at the price of more cells.

    >>> GroupDisclosure(outside=1).label
    'group disclosure (all but 1)'
    """

    categories: int = entry(1, least=1)
    outside: int = 0
    dimensions: tuple[str, ...] = ()
    structural: tuple[Mapping[str, str], ...] = ()
    others: bool = True

    name: ClassVar[str] = "group_disclosure"

    def __post_init__(self) -> None:
        require_between(
            "the number of categories", "group disclosure", self.categories, above=0, below=1000, whole=True
        )
        require_between("the number outside", "group disclosure", self.outside, above=-1, below=1000, whole=True)

    @property
    def label(self) -> str:
        """The rule with its parameters."""
        words = [f"{self.categories} categories"] * (self.categories > 1) + [f"all but {self.outside}"] * bool(
            self.outside
        )
        return f"group disclosure ({', '.join(words)})" if words else "group disclosure"

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return the cells of rows that tell about a whole group."""
        if not table.is_count:
            raise InputError(
                f"{self.label} is a rule for frequency tables, and this one has magnitudes",
                where=f"table '{table.name}'",
                do="use it for a table without response, or leave it out",
            )
        counts = counts_of(table, self.label)
        sums = table.equations
        possible = ~structural_zeros(table, self.structural)
        row, is_part = sums.row_of, sums.coefficients > 0
        entry = is_part & possible[sums.cells] & self._rows(table)[row]
        rows, cells = row[entry], sums.cells[entry]
        members = counts[cells]

        total = np.bincount(rows, weights=members, minlength=len(sums))
        occupied = np.bincount(rows, weights=members > 0, minlength=len(sums))
        parts = np.bincount(rows, minlength=len(sums))
        largest = np.zeros(len(sums))
        np.maximum.at(largest, rows, members)

        choice = (total > 0) & (parts > 1)
        in_few = choice & (occupied <= self.categories) & (occupied < parts)
        in_one = choice & (total - largest <= self.outside)
        is_group = (in_few[rows] & (members > 0)) | (in_one[rows] & (members == largest[rows]))
        is_other = (in_few | in_one)[rows] & ~is_group

        group, other = np.zeros(len(table), bool), np.zeros(len(table), bool)
        group[cells[is_group]] = True
        other[cells[is_other]] = self.others
        nothing = np.zeros(len(table))
        few = "one category" if self.categories == 1 else f"{self.categories} categories"
        but = f", or all but {self.outside}," if self.outside else ""
        reason = SensitivityReason(
            f"all members of a total{but} are in {few}: what is known of the group is known of each"
        )
        lower, upper = np.where(group, 1.0, 0.0), np.where(other, 1.0, 0.0)
        return (SensitivityFinding(self.label, reason, group | other, lower, upper, nothing, nothing),)

    def _rows(self, table: Table) -> NDArray[np.bool_]:
        """Return which sums run along a dimension that matters."""
        sums = table.equations
        names = [dimension.name for dimension in table.dimensions]
        for name in self.dimensions:
            if name not in names:
                raise UsageError(
                    f"no dimension '{name}'{did_you_mean(name, names)}",
                    where="group disclosure",
                    do=f"use one of: {listed(names)}",
                )
        if not self.dimensions:
            return np.ones(len(sums), bool)
        wanted = [at for at, name in enumerate(names) if name in self.dimensions]
        first = sums.starts[:-1]
        # The total and any part differ in the one dimension that is summed over.
        differs = table.codes[sums.cells[first]] != table.codes[sums.cells[np.minimum(first + 1, len(sums.cells) - 1)]]
        along: NDArray[np.bool_] = differs[:, wanted].any(axis=1)
        return along
