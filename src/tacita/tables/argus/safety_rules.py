"""Safety rules of tau-Argus as the rules of a specification."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tacita.tables.argus.batch_commands import BatchCommand
from tacita.tables.sensitivity.rule import SensitivityRule
from tacita.tables.sensitivity.rules.dominance import Dominance
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
from tacita.tables.sensitivity.rules.p_percent import PPercent
from tacita.tables.sensitivity.rules.prior_posterior import PriorPosterior
from tacita.tables.sensitivity.rules.request import Request
from tacita.tables.sensitivity.rules.zero_cells import ZeroCells
from tacita.tables.specification.sensitivity import SensitivityPlan

_T = TypeVar("_T")

_PER_LEVEL = {"P": 2, "NK": 2, "PQ": 2, "FREQ": 1, "REQ": 1}
"""How many rules of a kind are of individuals; those after them are of holdings."""

_KNOWN = {*_PER_LEVEL, "ZERO", "MAN", "WGT", "MIS"}
_USUAL = SensitivityPlan().range


@dataclass(frozen=True, slots=True)
class Taken:
    """The rules, whether weights and holdings are asked for, and what was not taken over."""

    plan: SensitivityPlan
    weights: bool
    individuals: bool
    holdings: bool
    notes: tuple[str, ...]


def taken_rules(calls: Sequence[BatchCommand]) -> Taken:
    """Return the safety rules of one table; rules of individuals and of holdings become one set.

    ``P(p,n)``, ``NK(n,k)``, ``PQ(p,q,n)``, ``FREQ(n,range)``, ``ZERO(range)``, ``REQ(p1,p2,range)``, ``MAN(range)``,
    ``WGT(0|1)``. Of each of the first three kinds two are of individuals and two more of holdings, as tau-Argus counts
    them; of ``FREQ`` and ``REQ`` one of each. A rule whose numbers are all zero is switched off.

    >>> calls = [("NK", (2.0, 85.0)), ("FREQ", (3.0, 30.0)), ("WGT", (1.0,))]
    >>> rules = taken_rules([BatchCommand(*call) for call in calls])
    >>> [rule.label for rule in rules.plan.rules], rules.plan.range, rules.weights
    (['minimum frequency (3)', 'dominance (n = 2, k = 85)'], 0.3, True)
    """
    by_name: dict[str, list[BatchCommand]] = {}
    for call in calls:
        by_name.setdefault(call.name, []).append(call)
    active = {name: [call for call in named if not call.is_idle] for name, named in by_name.items()}
    individuals = any(not call.is_idle for name, n in _PER_LEVEL.items() for call in by_name.get(name, [])[:n])
    holdings = any(not call.is_idle for name, n in _PER_LEVEL.items() for call in by_name.get(name, [])[n:])
    ranges = [call.number(1) / 100 for call in active.get("FREQ", [])]
    ranges += [call.number(0) / 100 for call in active.get("MAN", [])]
    range_ = next((share for share in ranges if share > 0), _USUAL)
    plan = SensitivityPlan(tuple(_rules(active, range_, zeros="ZERO" in by_name)), range=range_)
    weights = any(call.number(0) == 1 for call in by_name.get("WGT", []))
    return Taken(plan, weights, individuals, holdings, tuple(_notes(by_name, individuals and holdings)))


def all_taken(tables: Sequence[Sequence[BatchCommand]]) -> Taken:
    """Return the rules of several tables: all of them are asked of each, the stricter of two figures counts."""
    sets = [taken_rules(calls) for calls in dict.fromkeys(map(tuple, tables))] or [taken_rules(())]
    if len(sets) == 1:
        return sets[0]
    range_ = max(taken.plan.range for taken in sets)
    rules = dict.fromkeys(rule for taken in sets for rule in taken.plan.rules if not isinstance(rule, MinimumFrequency))
    fewest = max(taken.plan.minimum_frequency for taken in sets)
    every = [*([MinimumFrequency(fewest)] if fewest else []), *rules]
    plan = SensitivityPlan(tuple(dict.fromkeys(_with_range(rule, range_) for rule in every)), range=range_)
    notes = ["the tables have different safety rules; all of them are asked of each table"]
    if len({taken.weights for taken in sets}) > 1:
        notes.append("weights are applied in all tables, since the batch applies them in some")
    return Taken(
        plan,
        any(taken.weights for taken in sets),
        any(taken.individuals for taken in sets),
        any(taken.holdings for taken in sets),
        tuple(dict.fromkeys((*notes, *(note for taken in sets for note in taken.notes)))),
    )


def _rules(active: dict[str, list[BatchCommand]], range_: float, *, zeros: bool) -> Iterator[SensitivityRule]:
    """Yield the rules of one table, each once; those that no cell can break are left out."""
    fewest = max((int(call.number(0)) for call in active.get("FREQ", [])), default=0)
    if fewest > 1:
        yield MinimumFrequency(fewest, range_)
    yield from _once(Dominance(int(c.number(0)), c.number(1)) for c in active.get("NK", []) if c.number(1) < 100)
    yield from _once(PPercent(call.number(0), _at_least_one(call, 1)) for call in active.get("P", []))
    yield from _once(
        PriorPosterior(call.number(0), call.number(1), _at_least_one(call, 2)) for call in active.get("PQ", [])
    )
    if zeros:
        yield ZeroCells()
    yield from _once(Request(min(_shares(call)), range=range_) for call in active.get("REQ", []) if _shares(call))


def _with_range(rule: SensitivityRule, range_: float) -> SensitivityRule:
    return replace(rule, range=range_) if isinstance(rule, MinimumFrequency | Request) else rule


def _notes(by_name: dict[str, list[BatchCommand]], both: bool) -> list[str]:
    notes = [
        f"the safety rule {call.name}({call.inside}) is not known and not taken over"
        for name, calls in by_name.items()
        if name not in _KNOWN
        for call in calls
    ]
    if any(call.number(0) for call in by_name.get("ZERO", [])):
        notes.append("the range of ZERO is not taken over: zero cells are protected as our own rule says")
    if any(len(set(_shares(call))) > 1 for call in by_name.get("REQ", [])):
        notes.append("REQ has two percentages; the smaller is used for both codes")
    if any(call.number(0) == 1 for call in by_name.get("MIS", [])):
        notes.append("MIS(1) is not taken over: cells with a missing code are judged as any other")
    if both:
        notes.append("rules of individuals and of holdings are all asked of both")
    if len({call.number(0) for call in by_name.get("FREQ", []) if not call.is_idle}) > 1:
        notes.append("the larger of the minimum frequencies is used for individuals and for holdings")
    return notes


def _shares(call: BatchCommand) -> list[float]:
    return [share for share in call.numbers[:2] if 0 < share < 100]


def _at_least_one(call: BatchCommand, place: int) -> int:
    return max(int(call.number(place, 1)), 1)


def _once(rules: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(rules))
