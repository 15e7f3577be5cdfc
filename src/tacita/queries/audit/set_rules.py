"""What the rules say about a set of cells whose sum is known: few contributors, somebody who dominates it.

The formulas are those of tables: sets are the cells of a table without dimensions. A sum of squares is judged by the
squares, with limits that let nobody's value be estimated more closely than sums do: an estimate of a square within a
share q estimates the value within about q / 2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Contributions, Equations, Table
from tacita.queries.audit.judge import Objection
from tacita.queries.cube.cube import COUNT, Cube
from tacita.queries.policy.policy import QueryPolicy
from tacita.queries.question import Mask
from tacita.tables.sensitivity.rule import SensitivityFinding, SensitivityRule
from tacita.tables.sensitivity.rules.dominance import Dominance
from tacita.tables.sensitivity.rules.p_percent import PPercent

_KEPT = 10
"""The largest contributions that a program of rules sees."""
_FEWEST_OF_SQUARES = 3
"""A sum and a sum of squares fix two values."""
_CHUNK = 4_096


@dataclass(frozen=True, slots=True, eq=False)
class KnownSet:
    """A set of cells of which a sum is known."""

    cells: Mask = field(repr=False)
    measure: str
    power: int = 1
    minus: Mask | None = field(default=None, repr=False)
    """Those of the cells whose values are subtracted: not the sum is known, but a change from them to the others."""


@dataclass(frozen=True, eq=False, repr=False)
class SetRules:
    """The rules of a policy, for sets of cells of its cube."""

    cube: Cube
    policy: QueryPolicy
    _top_values: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    _absolutes: dict[tuple[str, int], NDArray[np.float64]] = field(default_factory=dict)

    def least(self, power: int = 1) -> int:
        """Return how many contributors a sum needs."""
        return max(self.policy.rules.minimum, _FEWEST_OF_SQUARES if power == 2 else 0)

    @property
    def looks_at_values(self) -> bool:
        """Whether a rule looks at values."""
        rules = self.policy.rules
        given = rules.dominance is not None or rules.p_percent is not None or rules.program is not None
        return given and not rules.simulatable

    def objections(self, sets: Sequence[KnownSet]) -> list[tuple[Objection, ...]]:
        """Return for each set why its sum must not be known."""
        result: list[list[Objection]] = [self._of_size(one) for one in sets]
        if not self.policy.rules.simulatable:
            groups: dict[tuple[str, int], list[int]] = defaultdict(list)
            for at, one in enumerate(sets):
                if not result[at]:
                    groups[one.measure, one.power].append(at)
            for (measure, power), places in groups.items():
                some = [sets[at] for at in places]
                for at, more in zip(places, self._of_values(some, measure, power), strict=True):
                    result[at] += more
        return [tuple(one) for one in result]

    def has_enough(self, cells: Mask, enough: int) -> bool:
        """Return whether there are at least so many contributors, without a look at all records of large sets."""
        if self.cube.units is None:
            return self.cube.contributors(cells) >= enough
        chosen = np.flatnonzero(cells)
        upto = np.cumsum(self.cube.n[chosen])
        records = max(_CHUNK, enough)
        while True:
            some = np.zeros(len(cells), np.bool_)
            some[chosen[: int(np.searchsorted(upto, records)) + 1]] = True
            if self.cube.contributors(some) >= enough:
                return True
            if not len(chosen) or records >= upto[-1]:
                return False
            records *= 8

    def could_break(self, measure: str, power: int, totals: NDArray[np.float64]) -> Mask:
        """Return which sums of absolute values are so small that a rule on values could object to them at all."""
        rules = self.policy.rules
        if measure == COUNT or rules.simulatable:
            return np.zeros(len(totals), np.bool_)
        # Negative values of somebody may cancel out, and variances are another matter.
        cancels = self.cube.units is not None and bool((self.cube.values[measure] < 0).any())
        if power == 2 or (self.looks_at_values and (rules.program is not None or cancels)):
            return np.ones(len(totals), np.bool_)
        times = 0.0
        for rule in self._rules(power):
            times = max(times, rule.n * 100 / rule.k if isinstance(rule, Dominance) else 0.0)
            times = max(times, 2 + rule.p / 100 if isinstance(rule, PPercent) else 0.0)
        return np.asarray(totals <= times * self._largest[measure] ** power * (1 + 1e-9))

    def absolutes(self, measure: str, power: int) -> NDArray[np.float64]:
        """Return the sum of absolute values of each cell."""
        if (measure, power) not in self._absolutes:
            values = np.abs(self.cube.values[measure].astype(np.float64)) ** power
            self._absolutes[measure, power] = np.add.reduceat(values, self.cube.starts[:-1])
        return self._absolutes[measure, power]

    @cached_property
    def _largest(self) -> dict[str, float]:
        """Return of each measure the most that somebody can add to any set."""
        result = {}
        for name, values in self.cube.values.items():
            sizes = np.abs(values.astype(np.float64))
            if self.cube.units is not None:
                _, whose = np.unique(self.cube.units, return_inverse=True)
                sizes = np.bincount(whose.reshape(-1), sizes)
            result[name] = float(sizes.max(initial=0.0))
        return result

    def _of_size(self, one: KnownSet) -> list[Objection]:
        least = self.least(one.power)
        if self.has_enough(one.cells, least):
            return []
        return [Objection("minimum", f"it is about fewer than {least:,} contributors")]

    def _of_values(self, sets: Sequence[KnownSet], measure: str, power: int) -> Iterator[list[Objection]]:
        result: list[list[Objection]] = [[] for _ in sets]
        if measure != COUNT and power == 2:
            for at, one in enumerate(sets):
                result[at] += self._of_moments(one.cells, measure) if one.minus is None else []
        rules = self._rules(power) if measure != COUNT else ()
        program = self._program if power == 1 else None
        if not rules and program is None:
            return iter(result)
        table = self._table(sets, measure, power)
        for rule in (*rules, *([] if program is None else [program])):
            name = rule.name if rule is not program else "program"
            for finding in rule.findings(table):
                for at in np.flatnonzero(finding.sensitive).tolist():
                    sentence = self._sentence(finding, table, at)
                    result[at].append(Objection(name, sentence, looks_at_values=True))
        return iter(result)

    def _sentence(self, finding: SensitivityFinding, table: Table, at: int) -> str:
        contributions = table.contributions
        sentence = f"{finding.rule}: {finding.reason.sentence(float(finding.excess[at]))}"
        if contributions is None or contributions.absolutes is None:
            return sentence
        share = contributions.largest[at, 0] / max(float(contributions.absolutes[at]), 1e-300)
        return f"of {int(contributions.counts[at]):,} contributors one has {min(int(100 * share), 100)} %; {sentence}"

    def _rules(self, power: int) -> tuple[Dominance | PPercent, ...]:
        rules = self.policy.rules
        result: list[Dominance | PPercent] = []
        if rules.dominance is not None:
            n, k = rules.dominance
            result.append(Dominance(n, float(k) if power == 1 else float(k) ** 2 / 100))
        if rules.p_percent is not None:
            p = float(rules.p_percent)
            result.append(PPercent(p if power == 1 else 100 * ((1 + p / 100) ** 2 - 1)))
        return tuple(result)

    @cached_property
    def _program(self) -> SensitivityRule | None:
        if self.policy.rules.program is None:
            return None
        from tacita.tables.sensitivity.rules.user_rules import UserRules

        return UserRules.of(self.policy.rules.program)

    def _net(self, one: KnownSet) -> float:
        """Return a sum, or by how much it changes, in units of the last decimal."""
        sums = self.cube.sums[one.measure]
        total = float(sums[one.cells].sum())
        return total if one.minus is None else total - 2 * float(sums[one.minus].sum())

    def _table(self, sets: Sequence[KnownSet], measure: str, power: int) -> Table:
        """Return a table of which each set is a cell."""
        nothing, no_sums = np.zeros((len(sets), 0), np.int32), Equations.of([])
        if measure == COUNT:
            counts = np.array([self.cube.contributors(one.cells) for one in sets], np.int64)
            records = np.array([float(self.cube.n[one.cells].sum()) for one in sets])
            return Table(self.policy.name, (), nothing, records, no_sums, is_count=True, counts=counts)
        unit = float(self.policy.measure(measure).unit) ** power
        sizes = [
            self._sizes(one.cells, measure, power) if one.minus is None else self._sizes_of_change(one) for one in sets
        ]
        largest = np.zeros((len(sets), self._kept))
        holders = np.full((len(sets), self._kept), -1, np.int64)
        for at, (values, _, many) in enumerate(sizes):
            some = min(len(values), many)
            largest[at, :some] = unit * values[:some]
            holders[at, :some] = at * self._kept + np.arange(some)
        absolutes = np.array([unit * total for _, total, _ in sizes])
        signed = absolutes if power == 2 else unit * np.array([self._net(one) for one in sets])
        counts = np.array([many for *_, many in sizes], np.int64)
        everybody = Contributions(largest, holders, np.ones_like(largest), counts, signed, absolutes)
        return Table(
            self.policy.name, (), nothing, signed, no_sums, is_count=False, counts=counts, contributions=everybody
        )

    def _sizes(self, cells: Mask, measure: str, power: int) -> tuple[NDArray[np.float64], float, int]:
        """Return the largest absolute values or squares that somebody adds, the sum over all, and how many they are."""
        if self.cube.units is None:
            largest = self._tops(measure)[cells].reshape(-1) ** power
            total, many = float(self.absolutes(measure, power)[cells].sum()), int(self.cube.n[cells].sum())
            return _first(largest, self._kept), total, many
        if power == 1:
            sizes = np.abs(self.cube.contributions(cells, measure).astype(np.float64))
        else:
            places = self.cube.records_of(cells)
            _, whose = np.unique(self.cube.units[places], return_inverse=True)
            squares = self.cube.values[measure][places].astype(np.float64) ** 2
            sizes = np.bincount(whose.reshape(-1), squares).astype(np.float64)
        return _first(sizes, self._kept), float(sizes.sum()), len(sizes)

    def _sizes_of_change(self, one: KnownSet) -> tuple[NDArray[np.float64], float, int]:
        """Return the same of what somebody adds to a change."""
        assert one.minus is not None
        places, chosen = self.cube.records_of(one.cells), np.flatnonzero(one.cells)
        signs = np.repeat(np.where(one.minus[chosen], -1.0, 1.0), self.cube.n[chosen])
        changes = signs * self.cube.values[one.measure][places].astype(np.float64) ** one.power
        if self.cube.units is not None:
            _, whose = np.unique(self.cube.units[places], return_inverse=True)
            changes = np.bincount(whose.reshape(-1), changes).astype(np.float64)
        sizes = np.abs(changes)
        return _first(sizes, self._kept), float(sizes.sum()), len(sizes)

    @cached_property
    def _kept(self) -> int:
        """How many of the largest contributions rules look at."""
        needed = [rule.needs_contributions for rule in self._rules(1)]
        return max([2, *needed, _KEPT if self._program is not None else 0])

    def _tops(self, measure: str) -> NDArray[np.float64]:
        """Return the largest absolute values of each cell, 0 where there are fewer."""
        if measure not in self._top_values:
            sizes = np.abs(self.cube.values[measure].astype(np.float64))
            cell = np.repeat(np.arange(len(self.cube)), self.cube.n)
            order = np.lexsort((-sizes, cell))
            rank = np.arange(len(sizes)) - self.cube.starts[cell]
            some = rank < self._kept
            largest = np.zeros((len(self.cube), self._kept))
            largest[cell[some], rank[some]] = sizes[order][some]
            self._top_values[measure] = largest
        return self._top_values[measure]

    def _of_moments(self, cells: Mask, measure: str) -> list[Objection]:
        """Return what follows from a sum and a sum of squares together, by Samuelson's inequality.

        Of n values with mean m and variance v none is above ``m + sqrt((n - 1) v)``. The second largest contributor
        leaves their own value out before.
        """
        values = self.cube.values[measure][self.cube.records_of(cells)]
        if not len(values) or values.min() == values.max():
            sentence = "the variance is zero, so that every value follows from the mean"
            return [Objection("exact", sentence, looks_at_values=True)]
        p = self.policy.rules.p_percent
        if p is None or len(values) < _FEWEST_OF_SQUARES:
            return []
        second, first = (int(value) for value in sorted(values[np.argpartition(np.abs(values), -2)[-2:]], key=abs))
        # Whoever has the largest absolute value, with the sign turned if that is below zero.
        n, sign = len(values) - 1, -1 if first < 0 else 1
        squares = self.cube.squares(measure)
        total = sum(squares[cell] for cell in np.flatnonzero(cells).tolist()) - second**2
        mean = Fraction(sign * (int(self.cube.sums[measure][cells].sum()) - second), n)
        variance = Fraction(total, n) - mean**2
        distance = (1 + Fraction(p) / 100) * abs(first) - mean
        if distance <= 0 or (n - 1) * variance >= distance**2:
            return []
        sentence = f"mean and variance estimate the largest of {len(values):,} values to within {float(p):g} %"
        return [Objection("p_percent", sentence, looks_at_values=True)]


def _first(values: NDArray[np.float64], many: int) -> NDArray[np.float64]:
    """Return the largest values, in descending order."""
    if len(values) > many:
        values = np.partition(values, -many)[-many:]
    return np.sort(values)[::-1]
