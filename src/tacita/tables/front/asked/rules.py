"""The sensitivity rules that a specification asks for, as rules that can be run."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.knowledge.program_texts import ProgramText
from tacita.tables.sensitivity.finding import SensitivityRule
from tacita.tables.sensitivity.rules.dominance import Dominance
from tacita.tables.sensitivity.rules.group_disclosure import GroupDisclosure
from tacita.tables.sensitivity.rules.holdings import OnHoldings
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
from tacita.tables.sensitivity.rules.p_percent import PPercent
from tacita.tables.sensitivity.rules.prior_posterior import PriorPosterior
from tacita.tables.sensitivity.rules.request import Request
from tacita.tables.sensitivity.rules.user_rules import UserRules
from tacita.tables.sensitivity.rules.zero_cells import ZeroCells
from tacita.tables.specification.rules import SensitivityPlan


def rules_asked(plan: SensitivityPlan, *, holdings: bool = False) -> tuple[SensitivityRule, ...]:
    """Return the rules in the order in which a cell that breaks several is told about.

    With `holdings`, rules on contributors are asked of holdings, too.

    >>> from tacita.tables.specification.rules import PPercent as P
    >>> [rule.name for rule in rules_asked(SensitivityPlan(minimum_frequency=3, p_percent=(P(10),)))]
    ['minimum frequency (3)', 'p % (p = 10)']
    """
    behind = tuple(_of_contributors(plan))
    return (*behind, *(OnHoldings(rule) for rule in behind if holdings), *_others(plan))


def _of_contributors(plan: SensitivityPlan) -> Iterator[SensitivityRule]:
    if plan.minimum_frequency is not None:
        yield MinimumFrequency(plan.minimum_frequency, plan.range)
    yield from (Dominance(each.n, each.k) for each in plan.dominance)
    yield from (PPercent(each.p, each.n) for each in plan.p_percent)
    yield from (PriorPosterior(each.p, each.q, each.n) for each in plan.prior_posterior)
    yield from (Request(each.share, plan.range) for each in plan.request)


def _others(plan: SensitivityPlan) -> Iterator[SensitivityRule]:
    if plan.zeros:
        yield ZeroCells(**plan.options.get("zeros", {}))
    if plan.group_disclosure:
        yield GroupDisclosure(**plan.options.get("group_disclosure", {}))
    if plan.rules is not None:
        yield UserRules(ProgramText.of(plan.rules), plan.options.get("rules", {}), plan.range)
