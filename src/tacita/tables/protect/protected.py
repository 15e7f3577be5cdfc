"""Tables that were protected and audited, and what may be told of them, outside and internally."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.exposure import Exposure
from tacita.attacks.tables.result import EVERYBODY, Audit
from tacita.errors import OutputError, UsageError, counted, listed
from tacita.model.result import Result
from tacita.model.table import WITHHELD, Movement, Status, Table
from tacita.tables.output.long import long_csv, long_form
from tacita.tables.output.part import ShownCells, TablePart, parts_of
from tacita.tables.protect.case import TableCase
from tacita.tables.specification.specification import TableSpecification

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, repr=False)
class ProtectedTable:
    """One table (or one system of linked ones) with what was done to it, and what the independent attacker says.

    `values` are those that may be published, nan where withheld; with `lower` and `upper` an interval is published
    instead. `why` says what the attacker finds if a secondary suppression, and it alone, is published. `reading` are
    sentences for the reader of the tables; `notes` stay in the house.
    """

    case: TableCase
    method: str
    status: NDArray[np.int8]
    values: NDArray[np.float64]
    audit: Audit
    lower: NDArray[np.float64] | None = None
    upper: NDArray[np.float64] | None = None
    why: Mapping[int, Exposure] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)
    """Cost, bound, gap, seed and the like, by name. Internal: the seed is a secret."""
    reading: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    movements: tuple[Movement, ...] = ()
    """Tables that are possible besides the true one, for whoever asks the attacker again. Internal."""
    implied: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    """Where published figures are not the true ones: the least and the largest true value that everybody who knows the
    method concludes of each cell alone (nan: nothing). None: what is published is true."""

    @property
    def table(self) -> Table:
        """The true table. Internal."""
        return self.case.table

    @property
    def withheld(self) -> NDArray[np.bool_]:
        """Which cells are not published."""
        return np.isin(self.status, WITHHELD)

    def count(self, status: Status) -> int:
        """Return how many cells have a status."""
        return int((self.status == status).sum())

    def external_parts(self) -> tuple[TablePart, ...]:
        """Return the tables as they are handed out; raise if they did not pass the audit."""
        if not self.audit.passed:
            cells = list(dict.fromkeys(violation.name for violation in self.audit.violations))
            raise OutputError(
                f"the audit finds cells that are not protected: {listed([f'({cell})' for cell in cells], 5)}",
                where=f"table '{self.table.name}'",
                do="give more time or another method; nothing that fails the audit is handed out",
            )
        return parts_of(self.table, ShownCells(self.values, self.lower, self.upper), self.case.shows)

    def internal_parts(self) -> tuple[TablePart, ...]:
        """Return the tables with all that is known: values, why some are withheld, what an attacker finds."""
        attacked = self.audit.intervals
        levels = self.case.levels
        rules = (*levels.rules, "")
        columns: dict[str, Any] = {
            **({} if self.table.counts is None else {"count": self.table.counts}),
            "published": self.values,
            "rule": [rules[rule] for rule in levels.rule.tolist()],
            "lower_level": levels.lower,
            "upper_level": levels.upper,
            "sliding_level": levels.sliding,
            "attacked_lower": attacked.lower,
            "attacked_upper": attacked.upper,
            "cell": np.arange(len(self.table), dtype=np.int64),
            "protects_cell": self._protects(),
            "known_to_within": self._known_to_within(),
            "is_confirmed": [cell in self.why and self.why[cell].is_complete for cell in range(len(self.table))],
            "reason": (reasons := [self.reason(cell) for cell in range(len(self.table))]),
        }
        said = [reason or self._changed(cell) for cell, reason in enumerate(reasons)]
        on_hover = [f"{what}{self._attacker_finds(cell)}" if what else "" for cell, what in enumerate(said)]
        cells = ShownCells(self.table.values, statuses=self.status, reasons=on_hover, columns=columns)
        return parts_of(self.table, cells, self.case.shows)

    def reason(self, cell: int) -> str:
        """Return why a cell is withheld, as a sentence; nothing if it is published."""
        status = Status(int(self.status[cell]))
        if status not in WITHHELD:
            return ""
        return f"{self._because(cell, status)}."

    def _because(self, cell: int, status: Status) -> str:
        if status is Status.PRIMARY:
            return f"Sensitive: {self.case.why_sensitive(cell)}"
        if status is Status.FORCED:
            return "Withheld because the specification says so"
        if self.lower is not None:
            return "So that no sensitive cell can be calculated from the others"
        return because_of(self.why.get(cell, Exposure(is_complete=False)))

    def _changed(self, cell: int) -> str:
        """Return what is published instead of a true value; nothing if it is the true value."""
        from tacita.tables.output.figures import shown

        value = float(self.values[cell])
        return "" if value == self.table.values[cell] else f"Published as {shown(value)}."

    def _attacker_finds(self, cell: int) -> str:
        low, high = float(self.audit.intervals.lower[cell]), float(self.audit.intervals.upper[cell])
        if np.isnan(low) or np.isnan(high):
            return ""
        from tacita.tables.output.figures import shown

        upper = f"and {shown(high)}" if np.isfinite(high) else "and no end"
        lower = shown(low) if np.isfinite(low) else "no end"
        return f" An attacker finds that it lies between {lower} {upper}."

    def _protects(self) -> NDArray[np.int64]:
        protects = np.full(len(self.table), -1, np.int64)
        for cell, exposure in self.why.items():
            if exposure.violations:
                protects[cell] = exposure.violations[0].cell
        return protects

    def _known_to_within(self) -> NDArray[np.float64]:
        shares = np.full(len(self.table), np.nan)
        for cell, exposure in self.why.items():
            shares[cell] = np.nan if exposure.share is None else exposure.share
        return shares


def because_of(exposure: Exposure) -> str:
    """Return why a secondary suppression is one: what would be known if it, and it alone, were published."""
    if not exposure.violations:
        if exposure.is_complete:
            return "Withheld with others: published alone, it would leave every protection level kept"
        return (
            "Withheld so that no sensitive cell can be calculated; for which one was not confirmed within the limit of "
            "work, and 'tacita table explain' with --cell confirms it"
        )
    worst, share = exposure.violations[0], exposure.share
    if worst.what == "union":
        return (
            f"Withheld to protect {worst.name}: without it a sum of withheld cells could be calculated, that cell "
            "among them, that is sensitive itself"
        )
    if worst.attacker == EVERYBODY:
        without = f"without it that cell would be known {to_within(share)}"
    else:
        without = f"without it {worst.attacker} would know that cell {to_within(share)}"
    others = len({violation.cell for violation in exposure.violations if violation.what != "union"}) - 1
    if not others:
        return f"Withheld to protect {worst.name}: {without}"
    least = "" if exposure.is_complete else "at least "
    below = "its level" if others == 1 else "their levels"
    more = counted(others, "more sensitive cell")
    return f"Withheld to protect {worst.name}: {without}; {least}{more} would fall below {below}"


def percent(share: float) -> str:
    """Return a share for people, in whole per cents where it is large.

    >>> percent(0.0312), percent(0.889), percent(14.3)
    ('3.1 %', '89 %', '1,430 %')
    """
    return f"{share * 100:,.0f} %" if share >= 0.1 else f"{share * 100:.2g} %"


def to_within(share: float | None) -> str:
    """Return how well a cell would be known, in words.

    >>> to_within(0.0), to_within(0.0312), to_within(0.998), to_within(None)
    ('exactly', 'to within 3.1 %', 'to within 100 %', 'too well')
    """
    if share is None or not np.isfinite(share):
        return "too well"
    return "exactly" if share <= 1e-9 else f"to within {percent(share)}"


@dataclass(frozen=True, slots=True, repr=False)
class Protected(Result):
    """All tables of a specification, protected; `passed` says whether the audit found nothing."""

    released_as: ClassVar = "table release"
    title: str
    tables: tuple[ProtectedTable, ...]
    specification: str = ""
    """The text of the specification; internal."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    source: TableSpecification | None = field(default=None, compare=False)
    """What was protected: where the records behind the tables are; internal."""

    def _in_short(self) -> str:
        cells = sum(len(table.table) for table in self.tables)
        withheld = sum(int(table.withheld.sum()) for table in self.tables)
        verdict = "protected" if self.passed else "not protected"
        return f"'{self.title}': {verdict}, {withheld:,} of {counted(cells, 'cell')} withheld"

    @property
    def passed(self) -> bool:
        """Whether every level of every table is kept."""
        return all(table.audit.passed for table in self.tables)

    @property
    def table(self) -> Table:
        """The true table, where there is one response only."""
        return self._only().table

    @property
    def status(self) -> NDArray[np.int8]:
        """The pattern, where there is one response only."""
        return self._only().status

    @property
    def values(self) -> NDArray[np.float64]:
        """What may be published, nan where withheld, where there is one response only."""
        return self._only().values

    @property
    def audit(self) -> Audit:
        """The verdict, where there is one response only."""
        return self._only().audit

    def external_parts(self) -> tuple[TablePart, ...]:
        """Return all tables as they are handed out."""
        return tuple(part for table in self.tables for part in self.parts_shown(table))

    def internal_parts(self) -> tuple[TablePart, ...]:
        """Return all tables with everything that is known of them."""
        return tuple(part for table in self.tables for part in self.parts_shown(table, internal=True))

    def parts_shown(self, table: ProtectedTable, *, internal: bool = False) -> tuple[TablePart, ...]:
        """Return the tables of one response; where there are several responses, named after it too."""
        parts = table.internal_parts() if internal else table.external_parts()
        if len(self.tables) < 2:
            return parts
        return tuple(replace(part, name=f"{part.name}, {part.response or 'count'}") for part in parts)

    def to_csv(self) -> str:
        """Return the table as it is handed out, a line for each cell; of several, take `external_parts`."""
        return long_csv(self._only_part())

    def to_arrow(self) -> pa.Table:
        """Return the same as an Arrow table; `polars.from_arrow` and ``.to_pandas()`` take it from there."""
        return long_form(self._only_part())

    def _only_part(self) -> TablePart:
        parts = self.external_parts()
        if len(parts) != 1:
            raise UsageError(f"there are {len(parts)} tables", do="take each of .external_parts(), or write a release")
        return parts[0]

    def _only(self) -> ProtectedTable:
        if len(self.tables) != 1:
            raise UsageError(f"there are {len(self.tables)} tables, one for each response", do="take one of .tables")
        return self.tables[0]
