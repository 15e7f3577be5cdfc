"""What an intruder derived: how many confidential cells, which, and how, without any value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.dependencies.concealed_file import KnownDependency
from tacita.attacks.dependencies.journal import NOBODY, CellHistory, Event, LearningWay
from tacita.attacks.dependencies.knowledge import IntruderKnowledge, Mask, codes_of
from tacita.model.hierarchy import text_of

StepWay = Literal["twin", "near twin", "majority", "exception", "contradiction", "totals"]
_WORDS: Mapping[LearningWay, StepWay] = {
    LearningWay.TWIN: "twin",
    LearningWay.LOW: "near twin",
    LearningWay.HIGH: "near twin",
    LearningWay.NEAR: "near twin",
    LearningWay.MAJORITY: "majority",
    LearningWay.EXCEPTION: "exception",
    LearningWay.CONTRADICTION: "contradiction",
    LearningWay.TOTALS: "totals",
}
_MOST_EVENTS = 200
"""How far back a transcript goes."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class DerivationStep:
    """How one hidden cell is learnt from cells that are shown or were learnt in earlier steps. Holds no value.

    `way` is "twin" (records alike on `left` show it), "near twin" (they show it within a threshold), "majority" (most
    of them show it), "exception" (`left` does not determine `right`, and no other record can be the reason),
    "contradiction" (the value of a twin would violate the dependency) or "totals" (no other value is left over).
    """

    row: int
    attribute: str
    way: StepWay
    left: tuple[str, ...]
    right: str
    twins: tuple[int, ...]
    """The numbers of the records that it is learnt from; for totals, of cells learnt before and subtracted (200 at
    most)."""
    condition: str | None = None
    """The attribute of the condition that the dependency holds under, if it has one."""


@dataclass(frozen=True, slots=True)
class DerivedCell:
    """A confidential cell that an intruder derives. Holds no value."""

    row: int
    attribute: str
    is_right: bool
    """Whether it is the truth; for one that is known to within a threshold, whether the truth is within it."""
    is_exact: bool
    """Whether it is one value, and not an interval or a similar text."""
    is_certain: bool
    """Whether it follows from dependencies without exceptions."""
    steps: tuple[DerivationStep, ...]
    is_cut: bool = False
    """Whether the first steps were left out because there are too many."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "row": self.row,
            "attribute": self.attribute,
            "right": self.is_right,
            "exact": self.is_exact,
            "certain": self.is_certain,
            "steps": [
                {
                    "row": step.row,
                    "attribute": step.attribute,
                    "way": step.way,
                    "left": list(step.left),
                    "right": step.right,
                    "rows": list(step.twins),
                    "condition": step.condition,
                }
                for step in self.steps
            ],
            "is_cut": self.is_cut,
        }


@dataclass(frozen=True, slots=True)
class DerivedCount:
    """How many hidden cells of an attribute an intruder derives."""

    confidential: int
    derived: int
    """Of the confidential ones."""
    right: int
    certain: int
    protective: int
    """How many cells were derived that were hidden to protect others."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Derivations:
    """What a row-by-row attack derives."""

    by_attribute: Mapping[str, DerivedCount]
    """For each attribute with hidden cells, in the order of the file."""
    notes: tuple[str, ...]
    """What was left out, and why."""
    _trace: _Trace

    @property
    def derived(self) -> int:
        """How many confidential cells are derived."""
        return sum(count.derived for count in self.by_attribute.values())

    @property
    def right(self) -> int:
        """How many of these are right."""
        return sum(count.right for count in self.by_attribute.values())

    @property
    def confidential(self) -> int:
        """How many confidential cells there are."""
        return sum(count.confidential for count in self.by_attribute.values())

    def is_derived(self, attribute: str) -> Mask:
        """Return where a confidential cell of an attribute is derived."""
        return self._trace.derived.get(attribute, np.zeros(self._trace.history.records, dtype=bool)).copy()

    def cells(self, most: int | None = None) -> Iterator[DerivedCell]:
        """Yield the derived cells with their transcripts, by attribute and row; `most` of them if it is given."""
        return islice(self._trace.cells(), most)

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """Return plain values for JSON, with the transcripts of some cells or of all."""
        return {
            "confidential": self.confidential,
            "derived": self.derived,
            "right": self.right,
            "attributes": {
                name: {
                    "confidential": c.confidential,
                    "derived": c.derived,
                    "right": c.right,
                    "certain": c.certain,
                    "protective": c.protective,
                }
                for name, c in self.by_attribute.items()
            },
            "cells": [cell.to_dict() for cell in self.cells(most)],
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return f"<Derivations: {self.derived:,} of {self.confidential:,} confidential cells>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Trace:
    """What transcripts are rebuilt from."""

    names: tuple[str, ...]
    numbers: NDArray[np.int64]
    rules: tuple[KnownDependency, ...]
    history: CellHistory
    derived: Mapping[str, Mask]
    right: Mapping[str, Mask]
    exact: Mapping[str, Mask]
    in_doubt: Mapping[str, Mask]

    def cells(self) -> Iterator[DerivedCell]:
        for name, mask in self.derived.items():
            for row in np.flatnonzero(mask):
                steps, is_cut = self._steps(self.names.index(name), int(row))
                right, exact, in_doubt = (bool(of[name][row]) for of in (self.right, self.exact, self.in_doubt))
                yield DerivedCell(int(self.numbers[row]), name, right, exact, not in_doubt, steps, is_cut)

    def _steps(self, attribute: int, row: int) -> tuple[tuple[DerivationStep, ...], bool]:
        pending = self.history.causes(attribute, row)
        events = set(pending)
        while pending and len(events) <= _MOST_EVENTS:
            event = self.history.event(pending.pop())
            for premise in self._premises(event):
                if len(events) > _MOST_EVENTS:
                    break
                new = [one for one in self.history.causes(*premise, before=event.number) if one not in events]
                events.update(new)
                pending += new
        in_order = [self.history.event(number) for number in sorted(events)[-_MOST_EVENTS:]]
        together = groupby(in_order, key=lambda event: (event.attribute, event.row, _WORDS[event.way], event.rule))
        return tuple(self._step(list(run)) for _, run in together), len(events) > _MOST_EVENTS

    def _premises(self, event: Event) -> list[tuple[int, int]]:
        """Return the cells that an event builds on."""
        if event.way == LearningWay.TOTALS:
            return [(event.attribute, row) for row in self.history.known_before(event.attribute, event.number)]
        places = [self.names.index(name) for name in self.rules[event.rule].attributes]
        own = [(place, event.row) for place in places if place != event.attribute]
        return own + [(place, event.twin) for place in places if event.twin != NOBODY]

    def _step(self, events: Sequence[Event]) -> DerivationStep:
        first = events[0]
        name, row = self.names[first.attribute], int(self.numbers[first.row])
        if first.way == LearningWay.TOTALS:
            rows = self.history.known_before(first.attribute, first.number)[:_MOST_EVENTS]
            return DerivationStep(row, name, "totals", (), name, tuple(int(self.numbers[one]) for one in rows))
        rule = self.rules[first.rule]
        twins = dict.fromkeys(int(self.numbers[event.twin]) for event in events if event.twin != NOBODY)
        condition = rule.condition.attribute if rule.condition is not None else None
        return DerivationStep(row, name, _WORDS[first.way], rule.left, rule.right, tuple(twins), condition)


def derivations_of(knowledge: IntruderKnowledge, rules: Sequence[KnownDependency], notes: Sequence[str]) -> Derivations:
    """Return what an intruder derived, beside the truth. `rules` are those that the journal refers to."""
    file = knowledge.file
    counts: dict[str, DerivedCount] = {}
    masks: dict[str, tuple[Mask, Mask, Mask, Mask]] = {}
    for name in file.hidden:
        place = knowledge.place[name]
        exact: Mask = knowledge.codes[place] >= 0
        known = file.is_hidden(name) & (exact | _is_near(knowledge, place))
        derived = known & file.is_confidential(name)
        right = derived & _is_right(knowledge, place)
        in_doubt = knowledge.in_doubt[place]
        masks[name] = derived, right, exact, in_doubt
        counts[name] = DerivedCount(
            int(file.is_confidential(name).sum()),
            int(derived.sum()),
            int(right.sum()),
            int((derived & ~in_doubt).sum()),
            int((known & ~file.is_confidential(name)).sum()),
        )
    parts = [MappingProxyType({name: mask[part] for name, mask in masks.items()}) for part in range(4)]
    trace = _Trace(knowledge.names, file.numbers, tuple(rules), knowledge.journal.closed(), *parts)
    return Derivations(MappingProxyType(counts), tuple(notes), trace)


def _is_near(knowledge: IntruderKnowledge, place: int) -> Mask:
    """Return where a value is known to within the threshold, but not exactly."""
    near: Mask = np.zeros(knowledge.records, dtype=bool)
    reach = knowledge.reach.get(place, 0.0)
    if place in knowledge.near:
        near = knowledge.near[place] >= 0
    elif place in knowledge.low:
        low, high = knowledge.low[place], knowledge.high[place]
        bounded = np.isfinite(low) & np.isfinite(high)
        width = np.where(bounded, high, np.inf) - np.where(bounded, low, 0)
        near = bounded & (low <= high) & (width <= 2 * reach * (1 + _ROUNDING))
    return near


def _is_right(knowledge: IntruderKnowledge, place: int) -> Mask:
    """Return where what is known is true. A likely value is right if it is within the threshold of the attribute."""
    truth = codes_of(knowledge.columns[place])
    exact: Mask = knowledge.codes[place] == truth
    reach = knowledge.reach.get(place, 0.0)
    if place in knowledge.near:
        from rapidfuzz.distance import Levenshtein

        values = [*map(text_of, knowledge.columns[place].values), None]
        said = np.where(knowledge.codes[place] >= 0, -1, knowledge.near[place])
        for row in np.flatnonzero(said >= 0):
            one, two = values[said[row]], values[truth[row]]
            is_near = one is not None and two is not None and Levenshtein.distance(one, two) <= reach
            exact[row] = said[row] == truth[row] or is_near
    elif place in knowledge.low:
        value = knowledge.scales[place][truth]
        slack = np.where(knowledge.in_doubt[place], reach, 0.0) + _ROUNDING * np.maximum(1.0, np.abs(value))
        within = (value >= knowledge.low[place] - slack) & (value <= knowledge.high[place] + slack)
        certain_value = (knowledge.codes[place] >= 0) & ~knowledge.in_doubt[place]
        exact |= within & ~certain_value
    return exact
