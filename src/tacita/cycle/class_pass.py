"""A pass of the cycle for models of classes (l-diversity, t-closeness and their kin): classes that violate are merged.

A class is a combination of known values, empty cells included. To suppress an attribute in all records of a violating
class puts them together with those of other classes that differ in this attribute alone. If violating classes make a
satisfying one together, each of their records loses one cell. If not, a satisfying class that differs in the same
attribute joins them: its records were safe, and are changed for the sake of the others. Where neither helps, the
violating classes lose a cell and wait for the next pass; at the end, with nothing left to suppress, they are joined by
classes from anywhere. So a release is reached whenever the file as a whole satisfies the models, in the worst case with
nothing left of the known attributes.

Why this is safe: an intruder who knows all values of a record finds every class whose cells agree with them where they
are not empty. Each of these classes satisfies the model, and so does their union (`lattice/models.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.cycle.lattice.classes import LatticeClasses
from tacita.cycle.lattice.models import PrivacyModel, Sensitive, violating
from tacita.cycle.lattice.problem import of_attributes
from tacita.cycle.plan import Plan
from tacita.cycle.recoding import asked_of
from tacita.cycle.state import MeasuredSample
from tacita.cycle.suppression.account import FOR_OTHERS
from tacita.cycle.suppression.routing import AttributeRoute
from tacita.cycle.unsafe import risks_of
from tacita.engines.arrow import as_numpy
from tacita.model.decision import Alternative, Decision
from tacita.model.relation import Column, ColumnType
from tacita.progress import Progress, Step, silent
from tacita.risk.attribute.sensitive_values import CELL, VALUE, values_of_classes, values_of_file
from tacita.risk.bounds import exceeds
from tacita.risk.catalogue import MEASURES
from tacita.risk.combinations import COUNT, NUMBER, codes, combinations, of_each_record
from tacita.risk.measure import RISK, ROW, Measure
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

RULE = "local suppression, class by class"
_ROUTES = (AttributeRoute.FEWEST_NULLS, AttributeRoute.MOST_RISKY_FIRST)
_MOST_CELLS = 50_000_000
"""Classes times sensitive values: above it, a table of counts would not fit in memory."""


def class_pass(
    now: MeasuredSample,
    plan: Plan,
    measures: Sequence[Measure],
    levels: Mapping[str, int],
    step: int,
    progress: Progress = silent,
) -> list[Decision] | None:
    """Return the suppressions of one pass, as decisions numbered from a step on; None if it does not apply.

    `measures` must all hold in the classes that are made. The risk after the pass is not known yet.
    """
    if plan.rounds or plan.keep_cells or plan.attributes not in _ROUTES:
        return None
    conditions: list[tuple[PrivacyModel, str | None]] = []
    for measure in measures:
        models = asked_of(measure, now.sample)
        if models is None:
            return None
        conditions += models
    if not any(name for _, name in conditions):
        return None
    table = _table(now, plan, conditions, measures)
    if table is None:
        return None
    progress(Step("merging classes"))
    merges = _Merges(table)
    merges.level_by_level()
    merges.at_the_end()
    return list(_decided(now, table, merges, levels, step))


@dataclass(frozen=True, slots=True)
class _Table:
    """The classes of a file, in the order in which they come first in it."""

    codes: Array
    """One row for each class, -1 for an empty cell."""
    counts: Array
    histogram: Array
    """Records by class and sensitive value, of all sensitive attributes beside each other."""
    is_violating: Array
    members: Array
    """The class of each record."""
    is_open: Array
    """Which attributes may be suppressed."""
    price: Array
    """What a cell of each attribute costs."""
    models: tuple[PrivacyModel, ...]
    whole: Sensitive

    def satisfied(self, counts: Array, histogram: Array) -> Array:
        """Return which of some classes satisfy all models."""
        satisfies: Array = ~violating(self.models, LatticeClasses((), (), counts, histogram), self.whole)
        return satisfies


@dataclass(slots=True)
class _Merges:
    """Which cells of which classes are suppressed in this pass."""

    table: _Table
    hidden: Array = field(init=False)
    """The cells of each class that this pass suppresses."""
    is_settled: Array = field(init=False)
    """Classes that go, or are joined by others."""
    for_others: Array = field(init=False)

    def __post_init__(self) -> None:
        import numpy as np

        self.hidden = np.zeros(self.table.codes.shape, dtype=bool)
        self.is_settled = np.zeros(len(self.table.counts), dtype=bool)
        self.for_others = np.zeros(len(self.table.counts), dtype=bool)

    def level_by_level(self) -> None:
        """Merge violating classes that differ in one attribute, with each other and with safe ones."""
        import numpy as np

        table = self.table
        groups = sorted(self._groups(), key=lambda group: group[:2])
        could = np.zeros(len(table.counts), dtype=bool)
        for _, _, place, ids in groups:
            here = ids[~self.is_settled[ids]]
            shown = table.codes[here, place] >= 0
            goes = here[table.is_violating[here] & shown]
            stays = here[~shown]
            if not len(goes):
                continue
            could[goes] = True
            helpers = self._helpers(np.concatenate((goes, stays)), here[shown & ~table.is_violating[here]])
            if helpers is None:
                continue
            cells = int((table.codes[goes[0]] >= 0)[table.is_open].sum())
            if table.counts[helpers].sum() > table.counts[goes].sum() * cells:
                continue
            self._hide(np.concatenate((goes, helpers)), [place])
            self.is_settled[stays] = True
            self.for_others[helpers] = True
        waiting = np.flatnonzero(table.is_violating & ~self.is_settled)
        anything = bool(self.hidden.any())
        for one in waiting.tolist():
            if not (could[one] and anything) and (cell := self._next_cell(one)):
                self._hide(np.array([one]), cell)

    def _groups(self) -> Iterator[tuple[float, int, int, Array]]:
        """Yield the classes that would look alike without an attribute: cost by record, first class, place, classes.

        Only groups with a violating class in which the attribute is shown, and that could satisfy the models.
        """
        import numpy as np

        table = self.table
        for place in np.flatnonzero(table.is_open).tolist():
            rest = table.codes.copy()
            rest[:, place] = -1
            of = np.unique(rest, axis=0, return_inverse=True)[1].reshape(-1)
            order = np.argsort(of, kind="stable")
            starts = np.flatnonzero(np.concatenate(([True], of[order][1:] != of[order][:-1])))
            shown = table.codes[:, place] >= 0
            goes, helps = table.is_violating & shown, ~table.is_violating & shown
            weights = np.where(goes, table.counts, 0)[order]
            wanted = np.add.reduceat(weights, starts)
            sums = np.add.reduceat(table.histogram[order], starts, axis=0)
            all_ok = table.satisfied(np.add.reduceat(table.counts[order], starts), sums)
            own = np.where(helps[:, None], 0, table.histogram)[order]
            alone = np.where(helps, 0, table.counts)[order]
            ok = table.satisfied(np.add.reduceat(alone, starts), np.add.reduceat(own, starts, axis=0))
            least = np.minimum.reduceat(np.where(helps, table.counts, table.counts.sum() + 1)[order], starts)
            ends = np.append(starts[1:], len(order))
            for group in np.flatnonzero((wanted > 0) & (ok | all_ok)).tolist():
                ids = np.sort(order[starts[group] : ends[group]])
                extra = 0.0 if ok[group] else float(least[group]) / float(wanted[group])
                yield float(table.price[place]) * (1 + extra), int(ids[0]), place, ids

    def _helpers(self, own: Array, others: Array) -> Array | None:
        """Return the satisfying classes that have to join some others, so that all are satisfied; None if none can."""
        import numpy as np

        table = self.table
        counts, histogram = table.counts[own].sum(), table.histogram[own].sum(axis=0)
        if table.satisfied(counts[None], histogram[None])[0]:
            return others[:0]
        if not len(others):
            return None
        order = others[np.lexsort((others, table.counts[others]))]
        if not all(model.is_monotone for model in table.models):
            share = histogram / max(int(histogram.sum()), 1)
            lack = table.histogram.sum(axis=0) / max(int(table.histogram.sum()), 1) - share
            helps = (table.histogram[others] @ lack) / table.counts[others]
            order = others[np.lexsort((others, table.counts[others], -np.round(helps, 9)))]
        upto = np.cumsum(table.counts[order]) + counts
        ok = table.satisfied(upto, np.cumsum(table.histogram[order], axis=0) + histogram)
        return order[: int(np.argmax(ok)) + 1] if ok.any() else None

    def _next_cell(self, one: int) -> list[int]:
        """Return the cell that a class loses while it waits: the dearest last, the one with most values first."""
        table = self.table
        shown = [p for p in range(table.codes.shape[1]) if table.is_open[p] and table.codes[one, p] >= 0]
        if not shown:
            return []
        return [min(shown, key=lambda p: (float(table.price[p]), -int(table.codes[:, p].max()), p))]

    def at_the_end(self) -> None:
        """Join violating classes with nothing left to suppress by safe ones from anywhere."""
        import numpy as np

        table = self.table
        empty = (table.codes[:, table.is_open] < 0).all(axis=1)
        for one in np.flatnonzero(table.is_violating & empty & ~self.is_settled).tolist():
            same = (table.codes[:, ~table.is_open] == table.codes[one, ~table.is_open]).all(axis=1)
            # Violating classes that lose their last cells now come along by themselves.
            others = np.flatnonzero(same & ~table.is_violating & ~self.is_settled)
            helpers = self._helpers(np.array([one]), others)
            if helpers is None or not len(helpers):
                continue
            self._hide(helpers, np.flatnonzero(table.is_open).tolist())
            self.is_settled[one] = True
            self.for_others[helpers] = True

    def _hide(self, classes: Array, places: Sequence[int]) -> None:
        for place in places:
            self.hidden[classes, place] |= self.table.codes[classes, place] >= 0
        self.is_settled[classes] = True


def _table(
    now: MeasuredSample, plan: Plan, conditions: Sequence[tuple[PrivacyModel, str | None]], measures: Sequence[Measure]
) -> _Table | None:
    """Return the classes of a sample; None if their sensitive values are too many."""
    import numpy as np

    sample = now.sample
    coded = codes(sample)
    size = len(coded.counts)
    secrets = [name for name in dict.fromkeys(name for _, name in conditions) if name is not None]
    drops_missing = all(
        MEASURES.fact(measure, "drops_missing") or not _secret(measure, secrets) for measure in measures
    )
    parts = []
    for name in secrets:
        of_values = _histogram(sample, name, size, drop_missing=drops_missing)
        if of_values is None:
            return None
        parts.append(of_values)
    members = _class_of_each_record(sample)
    first = np.full(size, len(members), dtype=np.int64)
    np.minimum.at(first, members, np.arange(len(members)))
    order = np.argsort(first, kind="stable")
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    histogram = np.concatenate([part for part, _ in parts], axis=1)
    models = of_attributes(
        [m for m, _ in conditions], [n for _, n in conditions], secrets, [whole for _, whole in parts]
    )
    unsafe = np.zeros(size, dtype=bool)
    unsafe[place[members[_unsafe_rows(now) - 1]]] = True
    importance = np.array([float(plan.importance.get(name, 1.0)) for name in sample.known])
    is_open = np.array([name not in plan.keep for name in sample.known])
    return _Table(
        coded.codes[order],
        coded.counts[order].astype(np.int64),
        histogram[order],
        unsafe,
        place[members],
        is_open,
        importance / importance.min(),
        tuple(models),
        parts[0][1],
    )


def _secret(measure: Measure, secrets: Sequence[str]) -> bool:
    return hasattr(measure, "sensitive") and bool(secrets)


def _histogram(sample: Sample, name: str, size: int, *, drop_missing: bool) -> tuple[Array, Sensitive] | None:
    import numpy as np
    import pyarrow as pa

    values = sample.engine.run(exp.select(CELL, VALUE).from_(values_of_file(sample, name).source()).order_by(VALUE))
    if size * len(values) > _MOST_CELLS:
        return None
    histogram = np.zeros((size, len(values)), dtype=np.int64)
    source = values_of_classes(sample, name)
    batches = list(sample.engine.stream(exp.select(NUMBER, VALUE, COUNT).from_(source.source()), 1_000_000))
    if batches:
        number, value, count = (as_numpy(pa.Table.from_batches(batches).column(i)).astype(np.int64) for i in range(3))
        histogram[number - 1, value - 1] = count
    cells = [row[CELL] for row in values]
    if drop_missing:
        there = [place for place, cell in enumerate(cells) if cell is not None]
        histogram, cells = histogram[:, there], [cells[place] for place in there]
    return histogram, Sensitive(histogram.sum(axis=0), tuple(cells), sample.microdata.hierarchies.get(name))


def _class_of_each_record(sample: Sample) -> Array:
    """Return the number of the combination, from 0, of each record in the order of the file."""
    import numpy as np

    table = combinations(sample)
    own = Column(NUMBER, NUMBER, ColumnType.INTEGER)
    numbered = table.renamed([*(c for c in table.columns if c.physical != NUMBER), own])
    class_numbers = np.empty(sample.records.count(), dtype=np.int64)
    for batch in sample.engine.stream(of_each_record(sample, numbered, [NUMBER]), 1_000_000):
        class_numbers[as_numpy(batch.column(0)) - 1] = as_numpy(batch.column(1)) - 1
    return class_numbers


def _unsafe_rows(now: MeasuredSample) -> Array:
    """Return the numbers of the unsafe records, from 1, in their order."""
    import numpy as np

    from tacita.engines.plans.terms import number

    assert now.risks.records is not None
    row, risk = (exp.column(now.risks.records.column(name).physical) for name in (ROW, RISK))
    plan = exp.select(exp.alias_(row, "x0")).from_(now.risks.records.source())
    plan = plan.where(exceeds(risk, number(now.risks.threshold))).order_by("x0")
    batches = [as_numpy(batch.column(0)) for batch in now.sample.engine.stream(plan, 1_000_000)]
    return np.concatenate(batches).astype(np.int64) if batches else np.empty(0, dtype=np.int64)


def _decided(
    now: MeasuredSample, table: _Table, merges: _Merges, levels: Mapping[str, int], step: int
) -> Iterator[Decision]:
    import numpy as np

    hidden = merges.hidden[table.members]
    rows = np.flatnonzero(hidden.any(axis=1))
    risks = risks_of(now.risks, now.sample, rows + 1) if len(rows) else np.empty(0)
    known = now.sample.known
    others = tuple(
        tuple(
            Alternative(f"suppress {other}", "more records would have to change, or the class would still violate")
            for q, other in enumerate(known)
            if q != p and table.is_open[q]
        )
        for p in range(len(known))
    )
    for row, risk in zip(rows.tolist(), risks.tolist(), strict=True):
        rule = RULE + (FOR_OTHERS if merges.for_others[table.members[row]] else "")
        for place in np.flatnonzero(hidden[row]).tolist():
            name = known[place]
            yield Decision(step, row + 1, name, levels.get(name, 0), None, rule, risk, risk, others[place])
            step += 1
