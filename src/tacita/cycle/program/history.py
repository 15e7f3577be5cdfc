"""What a cycle written as rules did, round by round: each changed cell as a decision.

What holds in a round is forgotten after it, so somebody has to look on: the risks of each round, and what the rules had
on offer. The versions of the tuples are kept by the reasoner and compared with each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from sqlglot import exp

from tacita.model.decision import EVERY_RECORD, Alternative, Decision
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import Atom, Constant, ListOf, SetOf, Update, walk
from tacita.rules.reasoner import Null, Reasoned, Record
from tacita.rules.reasoner.chase.routes import RISKY_FIRST, Offer
from tacita.rules.reasoner.chase.run import Run
from tacita.rules.reasoner.plans.cells import named
from tacita.rules.reasoner.plans.tables import columns
from tacita.rules.reasoner.program import text_option
from tacita.rules.reasoner.values import decoded

TUPLE, TOO_RISKY = "Tuple", "TooRisky"
RISKS = ("Risk", "Measured", "riskOutput")
"""Where a program says what risk decides, best first: that of the cluster, of the record, what the measure said."""


@dataclass(slots=True)
class Rounds:
    """Looks on while the rules run, and remembers risks and offers of each round."""

    risks: list[dict[int, float]] = field(default_factory=list)
    unsafe: list[frozenset[int]] = field(default_factory=list)
    """The records that could not be released as they were in that round."""
    offers: list[dict[int, list[Offered]]] = field(default_factory=list)
    """By record; those of whole columns under `EVERY_RECORD`."""
    orders: dict[int, tuple[str, ...]] = field(default_factory=dict)
    """The order of the route, by round."""

    def see_settled(self, run: Run, epoch: int) -> None:
        """Remember the risks of a round."""
        said = next((name for name in RISKS if name in run.filled), None)
        risks: dict[int, float] = {}
        for *_, record, risk in facts_of(run, said) if said else ():
            if isinstance(record, int) and isinstance(risk, int | float):
                risks[record] = max(risks.get(record, risk), risk)
        self.risks.append(risks)
        self.unsafe.append(frozenset(fact[-1] for fact in facts_of(run, TOO_RISKY)))
        self.offers.append({})

    def see_offers(self, run: Run, epoch: int, offers: Sequence[Offer]) -> None:
        """Remember what could be changed in a round."""
        for offer in offers:
            if offer.atom.predicate != TUPLE:
                continue
            self.orders[epoch] = order_of(offer)
            for change in offered(run, offer):
                row = EVERY_RECORD if change.key is None else int(change.key)
                self.offers[-1].setdefault(row, []).append(change)

    def risk(self, epoch: int, record: int) -> float:
        """Return the risk of a record in a round, counted from 1; 1 where the program says nothing: in doubt."""
        risks = self.risks[min(epoch, len(self.risks)) - 1]
        if record == EVERY_RECORD:
            return float(max(risks.values(), default=1.0))
        return float(risks.get(record, 1.0))

    def alternatives(self, epoch: int, record: int, attribute: str) -> tuple[Alternative, ...]:
        """Return what else could have been changed of a record in a round, and why it was not."""
        here = self.offers[epoch - 1].get(record, [])
        mine = min((o.place for o in here if o.attribute == attribute), default=())
        best: dict[str, tuple[Any, ...]] = {}
        for other in here:
            if other.attribute is not None and other.attribute != attribute:
                best[other.attribute] = min(best.get(other.attribute, other.place), other.place)
        what = "recode" if record == EVERY_RECORD else "suppress"
        return tuple(Alternative(f"{what} {name}", self._why(epoch, place, mine)) for name, place in best.items())

    def _why(self, epoch: int, place: tuple[Any, ...], mine: tuple[Any, ...]) -> str:
        order = self.orders.get(epoch, ())
        if place == mine:
            return "equal in the order; the attribute that stands first was taken"
        if order == (RISKY_FIRST,) and len(place) == 1 and mine:
            return f"its value is less rare: {place[0]:,} records have it, instead of {mine[0]:,}"
        return f"it comes later in the order of the rule ({', '.join(order)})"  # places may be values of the data


def facts_of(run: Run, predicate: str, table: str | None = None, more: Sequence[str] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the facts of a predicate while rules run, or those of another table of the same form."""
    if predicate not in run.filled:
        return
    layout = run.layouts[predicate]
    cells = layout.cells("t")
    plan = exp.select(*columns(layout), *(exp.column(name) for name in more)).from_(named(table or layout.table))
    for batch in run.engine.stream(plan, 50_000):
        for row in batch.to_pylist():
            yield (*(decoded(cell, row) for cell in cells), *(row[name] for name in more))


@dataclass(frozen=True, slots=True)
class Version:
    """A tuple at one time."""

    round: int
    """The round that ended it, counted from 1; 0 for the newest."""
    values: Mapping[str, Any]


def versions(reasoned: Reasoned) -> dict[int, list[Version]]:
    """Return the versions of each tuple, oldest first."""
    run, history = reasoned.run, reasoned.history
    ended: list[tuple[int, int, Record]] = []
    if history is not None and TUPLE in history.older:
        table = history.older[TUPLE]
        ended = [(end, record, values) for _, record, values, end in facts_of(run, TUPLE, table, ["ended"])]
    changed = sorted({c.epoch for c in history.changes if _changes_tuples(c.derivation.rule)}) if history else []
    epoch = dict(zip(sorted({end for end, _, _ in ended}), changed, strict=True))
    by_record: dict[int, list[Version]] = {}
    for end, record, values in sorted(ended, key=lambda entry: entry[:2]):
        by_record.setdefault(record, []).append(Version(epoch[end], dict(values.items)))
    for _, record, values in facts_of(run, TUPLE):
        by_record.setdefault(record, []).append(Version(0, dict(values.items)))
    return by_record


def decisions(reasoned: Reasoned, rounds: Rounds, history: Mapping[int, list[Version]], source: str) -> list[Decision]:
    """Return a decision for each change of a cell, in the order of the rounds; one for each change of a column."""
    assert reasoned.history is not None
    rules = {
        (change.epoch, attribute): change.derivation.rule
        for change in reasoned.history.changes
        for attribute in _attributes(change.derivation.rule)
    }
    changes = sorted(
        (old.round, record, name)
        for record, all_versions in history.items()
        for old, new in pairwise(all_versions)
        for name in new.values
        if is_changed(old.values.get(name), new.values[name])
    )
    newest = {record: {v.round: i for i, v in enumerate(own)} for record, own in history.items()}
    levels: dict[tuple[int, str], int] = {}
    log, whole = [], set()
    for epoch, record, name in changes:
        rule = rules.get((epoch, name))
        at = newest[record][epoch]
        is_null = isinstance(history[record][at + 1].values[name], Null)
        is_wide = rule is not None and text_option(rule.annotation("route"), "scope", "") == "whole_column"
        level = levels.get((record, name), 0)
        levels[record, name] = level + 1
        row = EVERY_RECORD if is_wide else record
        if is_wide and (epoch, name) in whole:
            continue
        whole |= {(epoch, name)} if is_wide else set()
        words = "a rule of the program" if rule is None else rule_name(rule, source)
        before, after = rounds.risk(epoch, row), rounds.risk(epoch + 1, row)
        also = rounds.alternatives(epoch, row, name)
        log.append(Decision(epoch, row, name, level, None if is_null else level + 1, words, before, after, also))
    return log


def is_changed(old: Any, new: Any) -> bool:
    """Whether a cell is another one: nulls are all alike to whoever reads the file."""
    return not (old == new or (_is_null(old) and _is_null(new)))


def rule_name(rule: Rule, source: str) -> str:
    """Return the name of a rule with its program."""
    return rule.name if rule.module else f"{Path(source).stem} {rule.name}"


def _is_null(value: Any) -> bool:
    return value is None or isinstance(value, Null)


def _changes_tuples(rule: Rule) -> bool:
    return any(isinstance(item, Atom) and item.predicate == TUPLE for item in rule.head)


def _attributes(rule: Rule) -> list[str]:
    updates = [node for item in rule.head for node in walk(item) if isinstance(node, Update)]
    return [str(update.key.value) for update in updates if isinstance(update.key, Constant)]


class Offered(NamedTuple):
    """One change that a version rule would have made."""

    key: Any
    """The last part of the key of the fact; None where a whole column is changed."""
    attribute: str | None
    """The attribute that would be changed, if the rule knows it before it looks at the data."""
    place: tuple[Any, ...]
    """What it was ordered by."""


def offered(run: Run, offer: Offer) -> Iterator[Offered]:
    """Yield what one version rule would change."""
    update = offer.updated()
    key = update.key if update is not None else None
    attribute = str(key.value) if isinstance(key, Constant) else None
    before = sum(len(offer.layout.position_columns(i)) for i in offer.key[:-1])
    own = None if offer.is_whole_column else offer.parts[before]
    names = [f"o{i}" for i in range(len(offer.falling))]
    wanted = [*([own] if own else []), *names]
    if not wanted:
        yield Offered(None, attribute, ())
        return
    for row in run.engine.run(exp.select(*wanted).distinct().from_(named(offer.table))):
        yield Offered(row[own] if own else None, attribute, tuple(row[name] for name in names))


def order_of(offer: Offer) -> tuple[str, ...]:
    """Return the order of a rule's route as it was written."""
    route = offer.derivation.rule.annotation("route")
    order = route.option("order") if route is not None else None
    items = order.items if isinstance(order, ListOf | SetOf) else (order,)
    return tuple(str(item.value) for item in items if isinstance(item, Constant))
