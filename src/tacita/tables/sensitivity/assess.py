"""Which cells are sensitive, by all rules together, and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tacita.errors import InputError, counted
from tacita.model.table import Levels, Table
from tacita.tables.sensitivity.rule import SensitivityFinding, SensitivityRule


@dataclass(frozen=True, slots=True)
class OnHoldings:
    """The same rule, asked of holdings: the enterprises of one holding count as one contributor.

    A table whose contributors *are* holdings needs no such thing; this is for tables that keep both levels. Rules on
    enterprises do not follow from those on holdings, nor the other way round: enterprises of one holding know about
    each other, and a holding of two enterprises has a contribution larger than either.

    >>> from tacita.tables.sensitivity.rules.p_percent import PPercent
    >>> OnHoldings(PPercent(10)).label
    'p % (p = 10) of holdings'
    """

    rule: SensitivityRule

    name: ClassVar[str] = "of_holdings"

    @property
    def label(self) -> str:
        """The rule, and that it is of holdings."""
        return f"{self.rule.label} of holdings"

    def findings(self, table: Table) -> tuple[SensitivityFinding, ...]:
        """Return what the rule finds among holdings."""
        if table.holdings is None:
            raise InputError(
                f"{self.label} needs the contributions of holdings, and the table does not have them",
                where=f"table '{table.name}'",
                do="build the table with the column that names the holding, or make that the contributor",
            )
        seen = replace(table, contributions=table.holdings, counts=table.holdings.counts)
        return tuple(replace(finding, rule=f"{finding.rule} of holdings") for finding in self.rule.findings(seen))


def assess(table: Table, rules: Sequence[SensitivityRule]) -> Levels:
    """Return the sensitive cells with the levels that satisfy every rule: the largest of those that rules ask for.

    `rule` and `excess` are those of the first rule that finds the cell sensitive, in the order given; `assess_all`
    keeps what each rule says. A table that keeps holdings beside its contributors has each rule on contributors asked
    of both. Without rules nothing is sensitive.

    >>> from tacita.model.table import Dimension, Equations
    >>> from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
    >>> size = Dimension.flat("size", ["small", "large"])
    >>> firms = Table("firms", (size,), np.array([[0], [1], [2]], np.int32), np.array([9.0, 7, 2]),
    ...     Equations.of([(0, (1, 2))]), is_count=True)
    >>> levels = assess(firms, [MinimumFrequency(3)])
    >>> levels.sensitive.tolist(), levels.rules
    ([False, False, True], ('minimum frequency (3)',))
    """
    return combined(table, assess_all(table, rules))


def assess_all(table: Table, rules: Sequence[SensitivityRule]) -> tuple[SensitivityFinding, ...]:
    """Return what every rule finds, in the order of the rules, for reports that list all reasons."""
    unknown = int((~np.isfinite(table.values)).sum())
    if unknown:
        raise InputError(
            f"{counted(unknown, 'cell')} have no finite value",
            where=f"table '{table.name}'",
            do="give every cell a value; a cell that was suppressed elsewhere cannot be assessed",
        )
    # No interval reaches below zero where nothing is negative: more than the value itself cannot be asked for.
    nothing_negative = bool((table.values >= 0).all()) and (
        table.contributions is None or table.contributions.absolutes is None
    )
    every_rule = (*rules, *_of_holdings(rules)) if table.holdings is not None else rules
    findings = tuple(finding for rule in every_rule for finding in rule.findings(table))
    if nothing_negative:
        findings = tuple(replace(finding, lower=np.minimum(finding.lower, table.values)) for finding in findings)
    return findings


def _of_holdings(rules: Sequence[SensitivityRule]) -> tuple[SensitivityRule, ...]:
    """Return the rules on contributors, for holdings, but for those that are given already."""
    both = (OnHoldings(rule) for rule in rules if getattr(rule, "is_of_contributors", False))
    return tuple(rule for rule in both if rule not in rules)


def combined(table: Table, findings: Sequence[SensitivityFinding]) -> Levels:
    """Return the levels that satisfy all findings."""
    size = len(table)
    sensitive = np.zeros(size, bool)
    lower, upper, sliding, excess = (np.zeros(size) for _ in range(4))
    rule = np.full(size, -1, np.int16)
    for number, finding in enumerate(findings):
        new = finding.sensitive & ~sensitive
        rule[new] = number
        excess[new] = finding.excess[new]
        sensitive |= finding.sensitive
        for level, wanted in ((lower, finding.lower), (upper, finding.upper), (sliding, finding.sliding)):
            np.maximum(level, np.where(finding.sensitive, wanted, 0.0), out=level)
    names = tuple(finding.rule for finding in findings)
    return Levels(sensitive, lower, upper, sliding, rule, names, excess, tuple(finding.reason for finding in findings))


def reason_of(levels: Levels, cell: int) -> str:
    """Return which rule makes a cell sensitive, and by how much; nothing if it is not sensitive.

    >>> import numpy as np
    >>> levels = Levels.of(2, np.array([0]), 1, 1, "p % (p = 10)")
    >>> reason_of(levels, 0), reason_of(levels, 1)
    ('sensitive by p % (p = 10)', '')
    """
    rule = int(levels.rule[cell])
    if rule < 0:
        return ""
    if not levels.reasons:
        return f"sensitive by {levels.rules[rule]}"
    return f"{levels.rules[rule]}: {levels.reasons[rule].sentence(float(levels.excess[cell]))}"


def reasons_of(findings: Iterable[SensitivityFinding], cell: int) -> tuple[str, ...]:
    """Return the reasons of all rules that find a cell sensitive."""
    return tuple(
        f"{finding.rule}: {finding.reason.sentence(float(finding.excess[cell]))}"
        for finding in findings
        if finding.sensitive[cell]
    )
