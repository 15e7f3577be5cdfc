"""Which cells are sensitive, by all rules together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tacita.errors import InputError, counted
from tacita.model.table import Levels, Table
from tacita.tables.sensitivity.finding import Finding, SensitivityRule


def assess(table: Table, rules: Sequence[SensitivityRule]) -> Levels:
    """Return the sensitive cells with the levels that satisfy every rule: the largest of those that rules ask for.

    `rule` and `excess` are those of the first rule that finds the cell sensitive, in the order given; `assess_all`
    keeps what each rule says. Without rules nothing is sensitive.

    >>> from tacita.model.table import Dimension, Equations
    >>> from tacita.tables.sensitivity.minimum_frequency import MinimumFrequency
    >>> size = Dimension.flat("size", ["small", "large"])
    >>> firms = Table("firms", (size,), np.array([[0], [1], [2]], np.int32), np.array([9.0, 7, 2]),
    ...     Equations.of([(0, (1, 2))]), is_count=True)
    >>> levels = assess(firms, [MinimumFrequency(3)])
    >>> levels.sensitive.tolist(), levels.rules
    ([False, False, True], ('minimum frequency (3)',))
    """
    return combined(table, assess_all(table, rules))


def assess_all(table: Table, rules: Sequence[SensitivityRule]) -> tuple[Finding, ...]:
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
    found = tuple(finding for rule in rules for finding in rule.findings(table))
    if nothing_negative:
        found = tuple(replace(each, lower=np.minimum(each.lower, table.values)) for each in found)
    return found


def combined(table: Table, findings: Sequence[Finding]) -> Levels:
    """Return the levels that satisfy all findings."""
    size = len(table)
    sensitive = np.zeros(size, bool)
    lower, upper, sliding, excess = (np.zeros(size) for _ in range(4))
    rule = np.full(size, -1, np.int16)
    for number, each in enumerate(findings):
        new = each.sensitive & ~sensitive
        rule[new] = number
        excess[new] = each.excess[new]
        sensitive |= each.sensitive
        for level, asked in ((lower, each.lower), (upper, each.upper), (sliding, each.sliding)):
            np.maximum(level, np.where(each.sensitive, asked, 0.0), out=level)
    names = tuple(each.rule for each in findings)
    return Levels(sensitive, lower, upper, sliding, rule, names, excess, tuple(each.reason for each in findings))
