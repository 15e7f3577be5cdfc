"""Safe subsets by integer programming: over values, not over records.

With w_x records of value x of a target after the release and N their sum, the rules of a gate are convex in w:

* F(w) = N KL(w/N || P). For every distribution q, F(w) >= sum_x w_x log2(q_x / P_x) (Gibbs), with equality at q = w/N.
* The log Bayes factor of a Dirichlet prior is the logarithm of an expectation of exponentials of w.

So each rule is an intersection of half-spaces. The programme begins without them; whenever its solution breaks a rule,
the half-space at that point is added, which cuts the solution off. The last solution breaks no rule, and is the best.
The rules themselves check that, in whole numbers; the solver only proposes.

The distances of other targets are taken as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma

from tacita.gate.cell_codes import Codes
from tacita.gate.picture.evidence import evidence_of
from tacita.gate.picture.fixed_point import LN2, UNIT
from tacita.gate.rules.crowd import CrowdRule
from tacita.gate.rules.evidence_limits import MartingaleRule
from tacita.gate.rules.fit import FitRule
from tacita.gate.rules.judge import Judge
from tacita.gate.rules.rule import Amount, GateRule

_MOST_CUTS = 200
_SMALL = 1e-7
"""Records of values that a solution does not have, so that a half-space has finite coefficients."""
_NEAR = 1e-6
"""A solution that is outside of a half-space by less than this is not cut off by the solver."""
_ABOVE = 1 << 80
"""An excess that no target reaches."""
Floats = NDArray[np.float64]
Wholes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SafeSubset:
    """How many records of each cell may leave together."""

    counts: Mapping[Codes, int]
    is_best: bool
    """Whether it is known that no larger subset is safe; of helping records, that no smaller one helps."""

    @property
    def records(self) -> int:
        """How many records these are."""
        return sum(self.counts.values())


def largest_subset(judges: Sequence[Judge], cells: Mapping[Codes, int]) -> SafeSubset:
    """Return the most records that can leave such that every rule holds afterwards.

    `cells` are numbers of records by the codes of their targets and values. Records that may leave because control has
    not begun are not treated apart. A target that is too distant already may come nearer.
    """
    keys = sorted(codes for codes, number in cells.items() if number)
    if not keys:
        return SafeSubset({}, True)
    columns = [_Column(judges[place], place, target, keys) for place, target in _targets(judges, keys)]
    programme = _Programme(np.array([float(cells[key]) for key in keys]), is_largest=True)
    # If no solution keeps the rules, nothing leaves, and that is the best.
    return _solved(programme, columns, keys) or SafeSubset({}, all(column.is_exact for column in columns))


def smallest_help(judge: Judge, target: int, value: int, most: int) -> SafeSubset | None:
    """Return the fewest records of a target after which one of a value keeps every rule; None if none help.

    `most` is how many records of each value there may be.
    """
    keys: list[Codes] = [(target, other) for other in range(len(judge.picture.log_shares)) if other != value]
    column = _Column(judge, 0, target, keys, beside=value)
    programme = _Programme(np.full(len(keys), float(most)), is_largest=False)
    return _solved(programme, [column], keys)


def _solved(programme: _Programme, columns: Sequence[_Column], keys: Sequence[Codes]) -> SafeSubset | None:
    for column in columns:
        column.bound_records(programme)
    for _ in range(_MOST_CUTS):
        solution = programme.solve()
        if solution is None:
            return None
        broken = [column.cut(programme, solution) for column in columns]
        if not any(broken):
            counts = {key: int(number) for key, number in zip(keys, solution, strict=True) if number}
            return SafeSubset(counts, all(column.is_exact for column in columns))
    for column in columns:
        column.is_exact = False
    return None


def _targets(judges: Sequence[Judge], keys: Sequence[Codes]) -> list[tuple[int, int]]:
    return sorted({(place, key[2 * place]) for place in range(len(judges)) for key in keys})


class _Column:
    """One target of one dependency: the cells that add to it, and its rules.

    With `beside`, the target has a record of that value in addition, and may not be too distant with it.
    """

    def __init__(self, judge: Judge, place: int, target: int, keys: Sequence[Codes], beside: int | None = None) -> None:
        self.judge, self.target, self.picture = judge, target, judge.picture
        self.before = np.array(self.picture.counts[target], dtype=np.int64)
        self.is_helped = beside is not None
        if beside is not None:
            self.before[beside] += 1
        self.members = np.zeros((len(self.before), len(keys)))
        """Which value each cell adds to; no value if the cell is of another target."""
        for number, key in enumerate(keys):
            if key[2 * place] == target:
                self.members[key[2 * place + 1], number] = 1.0
        self.size = int(self.before.sum())
        self.is_exact = not any(rule.amount is Amount.ORDINARY_EVIDENCE for rule in judge.rules)
        """Whether every half-space that was added has all safe subsets inside."""

    def bound_records(self, programme: _Programme) -> None:
        """Add what rules say about numbers of records."""
        for rule in self.judge.rules:
            if isinstance(rule, FitRule):
                for value in range(len(self.before)):
                    programme.add(self.members[value], float(rule.room(self.target, value)))
            elif rule.amount is Amount.RECORDS:
                most = rule.limit(self.target)
                programme.add(self.members.sum(axis=0), (most or 0.0) - self.size)

    def cut(self, programme: _Programme, solution: Wholes) -> bool:
        """Add half-spaces that the solution is outside of; return whether there are any."""
        added = (self.members @ solution).astype(np.int64)
        after = self.before + added
        size = int(after.sum())
        if size == self.size and not self.is_helped:
            return False
        is_broken = False
        for rule in self.judge.rules:
            if self._keeps(rule, size, after):
                continue
            if rule.amount is Amount.EXCESS:
                gradient, slope, constant = self._of_excess(rule, after, size)
            elif isinstance(rule, MartingaleRule):
                gradient, slope, constant = self._of_evidence(rule, after, size)
            else:
                continue
            is_broken = True
            # gradient (before + added) <= slope (size + added) + constant
            free = slope * self.size + constant - float(gradient @ self.before)
            row = (gradient - slope) @ self.members
            if float(row @ solution) <= free + _NEAR:  # a tie, which the solver would not see
                free = float(row @ solution) - _NEAR
                self.is_exact = False
            programme.add(row, free)
        return is_broken

    def _keeps(self, rule: GateRule, size: int, after: Wholes) -> bool:
        amount = rule.amount_of(self.target, after.tolist())
        if rule.accepts(self.target, size, amount):
            return True
        if self.is_helped or not isinstance(rule, CrowdRule) or not self.picture.sizes[self.target]:
            return False
        return amount // size <= self.picture.distance_units(self.target)

    def _of_excess(self, rule: GateRule, after: Wholes, size: int) -> tuple[Floats, float, float]:
        shares = (after + _SMALL) / (size + _SMALL * len(after))
        gradient = np.log2(shares / self.picture.baseline)
        if not isinstance(rule, CrowdRule):
            return gradient, 0.0, _largest_excess(rule, self.target, size)
        level = rule.limit_at(self.target, size)
        if level != rule.limit(self.target):
            self.is_exact = False  # fewer records could hide behind more targets
        own = 0.0 if self.is_helped else self.picture.distance(self.target)
        return gradient, max(0.0 if level is None else level, own), 0.0

    def _of_evidence(self, rule: MartingaleRule, after: Wholes, size: int) -> tuple[Floats, float, float]:
        baseline, k = self.picture.baseline, rule.concentration
        gradient = (digamma(k * baseline + after) - digamma(k + size) - np.log(baseline)) / LN2
        limit = float(np.log2(rule.limit(self.target)))
        level = evidence_of(after.tolist(), baseline, k)
        return gradient, 0.0, limit - level + float(gradient @ after)


def _largest_excess(rule: GateRule, target: int, size: int) -> float:
    """Return the largest excess that a rule accepts, in bits."""
    low, high = 0, UNIT
    while high < _ABOVE and rule.accepts(target, size, high):
        low, high = high, high * 2
    while high - low > UNIT >> 30:
        middle = (low + high) // 2
        low, high = (middle, high) if rule.accepts(target, size, middle) else (low, middle)
    return low / UNIT


class _Programme:
    """The most, or the fewest, records within bounds and half-spaces; one thread, so that the answer is the same."""

    def __init__(self, upper: Floats, *, is_largest: bool) -> None:
        self._solver = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, setting in (("output_flag", False), ("threads", 1), ("mip_rel_gap", 0.0), ("mip_abs_gap", 0.999)):
            self._solver.setOptionValue(option, setting)
        number = len(upper)
        self._solver.addVars(number, np.zeros(number), upper)
        columns = np.arange(number, dtype=np.int32)
        # Among subsets of one size the first cells are taken: the same on every machine.
        sign = -1.0 if is_largest else 1.0
        self._solver.changeColsCost(number, columns, 1.0 + sign * columns * 1e-7 / max(number, 1))
        whole = np.array([highspy.HighsVarType.kInteger] * number, dtype=np.uint8)
        self._solver.changeColsIntegrality(number, columns, whole)
        self._solver.changeObjectiveSense(highspy.ObjSense.kMaximize if is_largest else highspy.ObjSense.kMinimize)

    def add(self, coefficients: Floats, most: float) -> None:
        """Add a half-space: the coefficients times the numbers of records are at most a number."""
        used = np.flatnonzero(coefficients).astype(np.int32)
        self._solver.addRow(-highspy.kHighsInf, most, len(used), used, coefficients[used])

    def solve(self) -> Wholes | None:
        """Return the best numbers of records; None if there is no solution."""
        self._solver.run()
        if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        numbers: Wholes = np.rint(np.array(self._solver.getSolution().col_value)).astype(np.int64)
        return numbers
