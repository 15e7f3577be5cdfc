"""Audits of queries: one more sum beside many answers, exactly and by intervals, and one more maximum.

Cells are classes from the beginning: every audit is the dense worst case of its size. Loops are compiled before they
are measured. The bare line is the product of the same rows with one vector in numpy, which is what a look at every
answer takes at least.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.measure import timed
from tacita.queries.audit.exact import ExactJudge
from tacita.queries.audit.extremes import ExtremesJudge
from tacita.queries.audit.interval import IntervalJudge
from tacita.queries.audit.judge import AuditRequest, ToldSum
from tacita.queries.cube.cube import Cube, CubeAttribute
from tacita.queries.policy.policy import FilterAttribute, QueryLimits, QueryMeasure, QueryPolicy, QueryRules
from tacita.queries.question import Mask

Line = tuple[str, str, str, str, str]
_TIMES = 7


def queries_exact(folder: Path) -> Iterator[Line]:
    """One more sum judged with 1,000 answers over 1,000, 4,000 and 10,000 classes."""
    for classes, bar in ((1_000, "at most 10 ms"), (4_000, ""), (10_000, "at most 50 ms")):
        draw = np.random.default_rng(classes)
        cube = _cube(draw, classes, 6, minimum=5)
        judge = ExactJudge(cube, cube.policy)
        answers = 999 if classes > 1_000 else 900
        rows = draw.random((answers, classes)) < 0.5
        for number, cells in enumerate(rows, 1):
            judge.learn(AuditRequest((_sum(cube, np.asarray(cells)),), number))
        questions = [AuditRequest((_sum(cube, np.asarray(draw.random(classes) < 0.5)),), 0) for _ in range(_TIMES)]
        spent = [timed(partial(judge.objections, one))[1] for one in questions]
        learnt = timed(partial(judge.learn, questions[-1]))[1]
        numbers, vector = rows.astype(np.int64), draw.integers(0, 2**40, classes)
        bare = min(timed(partial(np.matmul, numbers, vector))[1] for _ in range(_TIMES))
        what = f"exact audit, {answers:,} answers, {classes:,} classes"
        ours = f"{1000 * float(np.median(spent)):.2f} ms CPU, to learn {1000 * learnt:.1f} ms"
        yield what, ours, f"{1000 * bare:.2f} ms CPU", f"{float(np.median(spent)) / bare:.2f}", bar


def queries_interval(folder: Path) -> Iterator[Line]:
    """One more sum judged by intervals after 50, 100 and 150 answers, with a third of the classes dangerous."""
    for classes, most, bar in ((100, 60, "at most 10 ms"), (1_000, 150, "at most 1 s, or refused")):
        draw = np.random.default_rng(classes)
        cube = _cube(draw, classes, 3, minimum=1, p_percent=Fraction(10))
        judge = IntervalJudge(cube, cube.policy)
        spent, refused, late = [], 0, 0
        for number in range(1, most + 1):
            request = AuditRequest((_sum(cube, np.asarray(draw.random(classes) < 0.5)),), number)
            objections, seconds = timed(partial(judge.objections, request))
            spent.append(seconds)
            refused += bool(objections)
            late += any(one.rule == "deadline" for one in objections)
            if not objections:
                judge.learn(request)
            if number in (most // 3, 2 * most // 3, most):
                last = spent[-most // 3 :]
                needs = len(judge._states["salary"].needs)
                what = f"interval audit, {classes:,} classes, question {number}"
                ours = f"median {1000 * float(np.median(last)):.1f} ms, most {1000 * max(last):.0f} ms CPU"
                yield what, ours, f"{needs} dangerous, {refused} refused ({late} late)", f"{judge.programmes} LPs", bar


def queries_extremes(folder: Path) -> Iterator[Line]:
    """One more maximum over 100,000 cells after some were answered."""
    draw = np.random.default_rng(1)
    cube = _cube(draw, 100_000, 2, minimum=1)
    judge, answered, spent = ExtremesJudge(cube, cube.policy), 0, []
    for number in range(1, 101):
        cells = np.asarray(draw.random(100_000) < draw.choice([0.01, 0.1, 0.5]))
        value = int(cube.values["salary"][cube.records_of(cells)].max())
        request = AuditRequest((ToldSum("salary", cells, value, extreme="max"),), number)
        objections, seconds = timed(partial(judge.objections, request))
        spent.append(seconds)
        if not objections:
            answered += 1
            judge.learn(request)
    ours = f"median {1000 * float(np.median(spent)):.1f} ms CPU"
    yield "maximum over 100,000 cells", ours, f"{answered} of 100 answered", "", ""


def _sum(cube: Cube, cells: Mask) -> ToldSum:
    return ToldSum("salary", cells, int(cube.sums["salary"][cells].sum()))


def _cube(
    draw: np.random.Generator, cells: int, records: int, *, minimum: int, p_percent: Fraction | None = None
) -> Cube:
    """Return cells of about so many records; with a p % rule one record is much larger in a third of them."""
    rules = QueryRules(minimum=minimum, p_percent=p_percent)
    measure = QueryMeasure("salary", Decimal(0), Decimal(100_000))
    policy = QueryPolicy("b", (FilterAttribute("c"),), (measure,), rules=rules, limits=QueryLimits())
    n = np.full(cells, records, np.int64) if p_percent is not None else draw.integers(1, 2 * records, cells)
    values = draw.integers(10_000, 20_000, int(n.sum()))
    if p_percent is not None:
        first = np.arange(cells // 3) * records
        values[first] = 60_000
        for at in range(2, records):
            values[first + at] = draw.integers(0, 2_000, cells // 3)
    starts = np.concatenate([[0], np.cumsum(n)]).astype(np.int64)
    attribute = CubeAttribute("c", tuple(map(str, range(cells))))
    codes = {"c": np.arange(cells, dtype=np.int32)}
    return Cube(policy, (attribute,), codes, n, starts, {"salary": values})
