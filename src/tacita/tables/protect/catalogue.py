"""The ways to protect that can be named: `method` in ``[protect]``; a way's fields are keys of ``[protect.METHOD]``."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol

from tacita.catalogue import Catalogue

if TYPE_CHECKING:
    from tacita.attacks.tables.result import Audit
    from tacita.progress import Progress
    from tacita.tables.protect.case import TableCase
    from tacita.tables.protect.protected import ProtectedTable
    from tacita.tables.protect.published import PublishedTable
    from tacita.tables.specification.specification import TableSpecification


class Way(Protocol):
    """A way to protect: a frozen dataclass whose fields are its settings.

    It runs a method and hands the result to an attacker; `judge` hands over what others made. ``stops_early = True``
    says that a first Ctrl-C ends its search with a safe table.
    """

    name: ClassVar[str]

    def protect(self, case: TableCase, specification: TableSpecification, progress: Progress) -> ProtectedTable:
        """Return the table as it may be published, with the verdict on it."""
        ...

    def judge(
        self, case: TableCase, specification: TableSpecification, published: PublishedTable, progress: Progress
    ) -> Audit:
        """Return the verdict on a table that somebody published, made this way by what the publication claims."""
        ...


WAYS: Catalogue[Way] = Catalogue(
    "method",
    "tacita.tables.protect.ways",
    {
        "suppression": "by_suppression:SuppressionWay",
        "fast": "by_suppression:FastSuppressionWay",
        "controlled_rounding": "by_rounding:ControlledRoundingWay",
        "small_count_rounding": "by_rounding:SmallCountRoundingWay",
        "random_rounding": "by_rounding:RandomRoundingWay",
        "adjustment": "by_adjustment:AdjustmentWay",
        "cell_key": "by_cell_key:CellKeyWay",
        "intervals": "by_intervals:IntervalsWay",
    },
    facts={"stops_early": False},
    advice="use one of {names}",
)
