"""Every pattern of small random tables is tried: the cheapest is found, and no inequality excludes a safe one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.long import LONG
from tests.tables.suppression.test_suppress import flat

from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.errors import InputError
from tacita.model.table import Knowledge, Levels, Status, Table, table_of_leaves
from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.exact import optimal
from tacita.tables.suppression.exact.cuts import Cut, Separation, strengthened
from tacita.tables.suppression.exact.optimal import PatternSearch
from tacita.tables.suppression.exact.safe_pattern import SafePatterns
from tacita.tables.suppression.problem import SuppressionProblem, problem_of
from tacita.tables.suppression.suppress import SuppressionOptions, suppress

_FREE = 7  # cells that may be withheld or not: all their subsets are tried
_SHAPES = ((2, 3), (2, 2, 2), (3, 3), (2, 2, 3))
_QUICK = AuditOptions(unions=False, exact=False, explain=0)


class Drawn(NamedTuple):
    """A table with its levels, what is known of it, and the marks of the cells that must be published."""

    table: Table
    levels: Levels
    knowledge: Knowledge
    costs: NDArray[np.float64]
    marks: NDArray[np.int8]

    @property
    def free(self) -> NDArray[np.int64]:
        return np.flatnonzero(~self.levels.sensitive & (self.table.values > 0) & (self.marks == 0))

    def patterns(self) -> Iterator[tuple[float, NDArray[np.bool_]]]:
        """Yield every pattern, the cheapest first."""
        free, sensitive = self.free, self.levels.sensitive
        subsets = [
            np.array(chosen, np.int64) for n in range(len(free) + 1) for chosen in itertools.combinations(free, n)
        ]
        for chosen in sorted(subsets, key=lambda cells: float(self.costs[cells].sum())):
            withheld = sensitive.copy()
            withheld[chosen] = True
            yield float(self.costs[chosen].sum()), withheld

    def is_safe(self, withheld: NDArray[np.bool_]) -> bool:
        return audit(self.table, withheld, self.levels, self.knowledge, _QUICK).passed

    def problem(self) -> SuppressionProblem:
        return problem_of(self.table, self.levels, self.knowledge, self.costs, self.marks)


def drawn(seed: int) -> Drawn:
    """Draw a table of two or three dimensions; behind some cells a contributor stands alone, or two cells are one's."""
    draw = np.random.default_rng(seed)
    shape = _SHAPES[seed % len(_SHAPES)]
    whole = bool(draw.random() < 0.3)
    table = table_of_leaves("small", flat(*shape), draw.integers(0, 15, shape), is_count=whole)
    inner = np.flatnonzero((table.codes > 0).all(axis=1) & (table.values > 0))
    secret = draw.choice(inner, min(int(draw.integers(1, 4)), len(inner)), replace=False)
    mask = np.isin(np.arange(len(table)), secret)
    lower, upper = (np.where(mask, np.minimum(draw.integers(1, 5, len(table)), table.values), 0.0) for _ in "lu")
    levels = Levels(mask, lower, upper, 0 * lower, np.where(mask, 0, -1).astype(np.int16), ("given",), 0 * lower)
    knowledge = Knowledge.of(len(table), integer=whole)
    if draw.random() < 0.5:
        owners = np.full(len(table), -1)
        owners[secret] = draw.integers(0, 3, len(secret))
        knowledge = replace(knowledge, owners=owners)
    marks = np.zeros(len(table), np.int8)
    others = np.flatnonzero(~mask & (table.values > 0))
    marks[draw.choice(others, max(0, len(others) - _FREE), replace=False)] = Status.KEPT
    costs = draw.integers(1, 9, len(table)).astype(float)
    return Drawn(table, levels, knowledge, costs, marks)


def tried(seed: int) -> bool:
    """Compare the search with all patterns of one table; return whether some pattern protects it."""
    case = drawn(seed)
    cheapest = next((cost for cost, withheld in case.patterns() if case.is_safe(withheld)), None)
    options = SuppressionOptions(costs=case.costs, status=case.marks, seconds=1e6)
    if cheapest is None:
        with pytest.raises(InputError, match="cannot be protected"):
            suppress(case.table, case.levels, case.knowledge, options=options)
        return False
    result = suppress(case.table, case.levels, case.knowledge, options=options)
    assert result.cost == pytest.approx(cheapest), f"seed {seed}"
    assert result.is_optimal, f"seed {seed}"
    assert case.is_safe(result.suppressed), f"seed {seed}"
    return True


@pytest.mark.long
@pytest.mark.slow
def test_the_cheapest_of_all_patterns_is_the_one_that_is_found() -> None:
    tables = 200 if LONG else 16
    protected = sum(tried(seed) for seed in range(tables))
    assert protected > tables / 4


def _excluded(case: Drawn, monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[Cut]]:
    """Return how many inequalities about capacities a search made, and those that exclude a safe pattern."""
    problem = case.problem()
    made: list[Cut] = []
    remember, cover = PatternSearch._carry, strengthened

    def carry(search: PatternSearch, cuts: object) -> int:
        new = list(cuts)  # type: ignore[call-overload]
        made.extend(new)
        return remember(search, new)

    def covered(cut: Cut, x: NDArray[np.float64]) -> Cut | None:
        result = cover(cut, x)
        made.extend([] if result is None else [result])
        return result

    monkeypatch.setattr(PatternSearch, "_carry", carry)
    monkeypatch.setattr(optimal, "strengthened", covered)
    patterns = SafePatterns(problem)
    safe = [withheld for _, withheld in case.patterns() if case.is_safe(withheld)]
    if not safe:
        return 0, []
    PatternSearch(problem, patterns, Clock(1e6), lambda _: pytest.fail("no first pattern")).run(0.0, lambda _: None)
    random = np.random.default_rng(0)
    separation, everybodys = Separation(problem), [t for t in patterns.proofs.targets if t.attacker == -1]
    for _ in range(8):
        # Points in the middle and at corners, at which all sorts of inequalities are broken.
        x = np.where(problem.withheld, 1.0, np.where(problem.fixed, 0.0, random.integers(0, 3, len(problem)) / 2))
        made += [cut for _, cut in separation.broken(x, everybodys, Clock(1e6))]
    return len(made), [cut for cut in made if any(cut.shortfall(p.astype(np.float64)) > 1e-6 for p in safe)]


@pytest.mark.long
@pytest.mark.slow
def test_no_inequality_excludes_a_safe_pattern(monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0
    for seed in range(200 if LONG else 12):
        with monkeypatch.context() as patch:
            count, wrong = _excluded(drawn(seed), patch)
        assert not wrong, f"seed {seed}"
        made += count
    assert made > 100
