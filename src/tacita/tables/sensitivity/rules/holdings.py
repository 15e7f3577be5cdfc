"""A rule on holdings, beside the rules on their enterprises."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tacita.errors import InputError
from tacita.model.table import Table
from tacita.tables.sensitivity.finding import SensitivityFinding, SensitivityRule


@dataclass(frozen=True, slots=True)
class OnHoldings:
    """The same rule, asked of holdings: the enterprises of one holding count as one contributor.

    A table whose contributors *are* holdings needs no such thing; this is for tables that keep both levels. Rules on
    enterprises do not follow from those on holdings, nor the other way round: enterprises of one holding know about
    each other, and a holding of two enterprises has a contribution larger than either.

    >>> from tacita.tables.sensitivity.rules.p_percent import PPercent
    >>> OnHoldings(PPercent(10)).name
    'p % (p = 10) of holdings'
    """

    rule: SensitivityRule

    @property
    def name(self) -> str:
        """The rule, and that it is of holdings."""
        return f"{self.rule.name} of holdings"

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return what the rule finds among holdings."""
        if table.holdings is None:
            raise InputError(
                f"{self.name} needs the contributions of holdings, and the table does not have them",
                where=f"table '{table.name}'",
                do="build the table with the column that names the holding, or make that the contributor",
            )
        seen = replace(table, contributions=table.holdings, counts=table.holdings.counts)
        return tuple(replace(each, rule=f"{each.rule} of holdings") for each in self.rule.findings(seen))
