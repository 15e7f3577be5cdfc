"""From the cells of a record to the numbers of its targets and values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tacita.gate.answers import GateReason, Row
from tacita.gate.policy.cells import folded
from tacita.gate.policy.policy import GatePolicy, ValueDependency
from tacita.gate.policy.values import NoValue
from tacita.gate.rules.judge import Judge

Codes = tuple[int, ...]
"""Number of the target and of the value for each dependency, one after the other."""
_REASONS = {
    NoValue.MISSING: GateReason.MISSING_VALUE,
    NoValue.UNLISTED: GateReason.UNLISTED_VALUE,
    NoValue.NOT_A_NUMBER: GateReason.NOT_A_NUMBER,
}
_MOST_SPELLINGS = 200_000
"""Spellings that are remembered, so that each is read once."""


class Refused(NamedTuple):
    """Why a record cannot be judged."""

    reason: GateReason
    dependency: int
    target: int = -1


class CellCodes:
    """Reads the cells of records. It learns spellings, and new targets where the policy takes any."""

    def __init__(self, policy: GatePolicy, attributes: Sequence[str], judges: Sequence[Judge]) -> None:
        self._readers = [
            _DependencyCells(one, place, attributes, judge)
            for place, (one, judge) in enumerate(zip(policy.dependencies, judges, strict=True))
        ]
        self._shown = [attributes.index(name) for name in policy.attributes]
        self._is_whole = self._shown == list(range(len(attributes)))
        self._intern: dict[Codes, Codes] = {}
        if len(self._readers) == 1:
            self.codes = self._readers[0].read  # type: ignore[method-assign]

    def codes(self, row: Sequence[str]) -> Codes | Refused:
        """Return the targets and values of a record, or why it has none."""
        codes: Codes = ()
        for reader in self._readers:
            pair = reader.read(row)
            if isinstance(pair, Refused):
                return pair
            codes += pair
        return self._intern.setdefault(codes, codes)

    def shown(self, row: Row) -> Row:
        """Return the cells of a record as they are handed out: targets in one spelling, bins if the policy says so."""
        for reader in self._readers:
            if not reader.is_shown(row):
                break
        else:
            return row if self._is_whole else tuple([row[place] for place in self._shown])
        cells = list(row)
        for reader in self._readers:
            reader.show(row, cells)
        return tuple(cells[place] for place in self._shown)

    def codes_of_shown(self, place: int, target: str, cells: Sequence[str]) -> tuple[int, int] | Refused:
        """Return target and value of a dependency of a record as it was handed out."""
        return self._readers[place].read_shown(target, cells)

    def take_targets(self, place: int, names: Sequence[str]) -> None:
        """Let the targets of a dependency be these; the judge knows them already."""
        self._readers[place].take(names)

    def take_judges(self, judges: Sequence[Judge]) -> None:
        """Let new targets be added to other judges, which know the targets so far."""
        for reader, judge in zip(self._readers, judges, strict=True):
            reader.judge = judge

    def targets(self, place: int) -> list[str]:
        """Return the targets of a dependency so far, in the order of their numbers."""
        return self._readers[place].targets


class _DependencyCells:
    def __init__(self, dependency: ValueDependency, number: int, attributes: Sequence[str], judge: Judge) -> None:
        self.targets = list(dependency.targets or ())
        self._takes_any = dependency.targets is None
        self._number, self.judge, self._values = number, judge, dependency.values
        self._names = set(self.targets)
        self._by_fold = {folded(name): place for place, name in enumerate(self.targets)}
        self._by_shown: dict[tuple[str, ...], tuple[int, int] | Refused] = {}
        self._target_place = attributes.index(dependency.target)
        self._value_places = [attributes.index(name) for name in dependency.values.attributes]
        self._value_place = self._value_places[0] if len(self._value_places) == 1 else -1
        self._by_spelling: dict[str, int] = {}
        self._by_cells: dict[str | tuple[str, ...], int] = {}
        """Targets and values by spelling, as far as they are known."""
        self._pairs: list[list[tuple[int, int]]] = []
        """One tuple for each target and value, so that a million records do not have a million tuples."""

    def take(self, names: Sequence[str]) -> None:
        self.targets = list(names)
        self._names = set(names)
        self._by_fold = {folded(name): place for place, name in enumerate(names)}

    def read(self, row: Sequence[str]) -> tuple[int, int] | Refused:
        place = self._value_place
        cells = row[place] if place >= 0 else tuple([row[place] for place in self._value_places])
        try:
            return self._pairs[self._by_spelling[row[self._target_place]]][self._by_cells[cells]]
        except KeyError:
            return self._slowly(row[self._target_place], cells)

    def read_shown(self, target: str, cells: Sequence[str]) -> tuple[int, int] | Refused:
        shown = (target, *cells)
        if shown not in self._by_shown:
            if len(self._by_shown) >= _MOST_SPELLINGS:
                self._by_shown.clear()
            self._by_shown[shown] = self._pair(target, self._values.place_of_shown(cells))
        return self._by_shown[shown]

    def _slowly(self, spelling: str, cells: str | tuple[str, ...]) -> tuple[int, int] | Refused:
        """Return target and value of a record that is spelt in a new way, or why it has none."""
        pair = self._pair(spelling, self._values.place((cells,) if isinstance(cells, str) else cells))
        if isinstance(pair, Refused):
            return pair
        while len(self._pairs) <= pair[0]:
            self._pairs.append([(len(self._pairs), value) for value in range(len(self._values.labels))])
        for known, name, place in ((self._by_spelling, spelling, pair[0]), (self._by_cells, cells, pair[1])):
            if len(known) >= _MOST_SPELLINGS:
                known.clear()
            known[name] = place  # type: ignore[index]
        return self._pairs[pair[0]][pair[1]]

    def _pair(self, spelling: str, value: int) -> tuple[int, int] | Refused:
        if not spelling:
            return Refused(GateReason.NO_TARGET, self._number)
        fold = folded(spelling)
        target = self._by_fold.get(fold, -1)
        if target < 0 and not self._takes_any:
            return Refused(GateReason.UNKNOWN_TARGET, self._number)
        if value < 0:
            return Refused(_REASONS[NoValue(value)], self._number, target)
        if target < 0:
            target = self.judge.add_target()
            self.targets.append(spelling)
            self._names.add(spelling)
            self._by_fold[fold] = target
        return target, value

    def is_shown(self, row: Row) -> bool:
        """Return whether target and values are shown as they are spelt."""
        return self._values.shows_values and row[self._target_place] in self._names

    def show(self, row: Sequence[str], cells: list[str]) -> None:
        cells[self._target_place] = self.targets[self._by_fold[folded(row[self._target_place])]]
        if not self._values.shows_values:
            shown = self._values.shown([row[place] for place in self._value_places])
            for place, cell in zip(self._value_places, shown, strict=True):
                cells[place] = cell
