"""Interval disclosure: whether a released number gives the original away to within a small interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from sqlglot import exp

from tacita.engines.plans.terms import as_double
from tacita.engines.protocol import Relation
from tacita.errors import InputError, UsageError, did_you_mean, listed
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType
from tacita.progress import Progress, Step, silent
from tacita.risk.bounds import TOLERANCE
from tacita.risk.continuous.robust_distances import robust_distances, robust_scale
from tacita.risk.measure import RISK, ROW, Risks, Specification
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]


WIDTH, NEIGHBOURS = "width", "neighbours"


class Variant(StrEnum):
    """How wide the interval around a number is."""

    DEVIATION = "deviation"
    """A share of the standard deviation."""
    RANK = "rank"
    """A share of the records, in the order of the attribute."""
    ROBUST = "robust"
    """A share of a robust standard deviation, more for outliers."""


@dataclass(frozen=True, slots=True)
class IntervalDisclosure:
    """Risk 1 if the original value is within the interval around the released one on all attributes, 0 otherwise.

    Let x be an original value, m the released value of the same record and attribute, and k the width.

    - ``deviation``: |x - m| <= k sd(m), with the standard deviation of the released values. As sdcMicro's dRisk.
    - ``rank``: x is between the released values that lie k n ranks below and above m (n values, k n rounded down; with
      ties from the lowest rank of m to the highest). Source of both: J. Mateo-Sanz, F. Sebe and J. Domingo-Ferrer,
      Outlier protection in continuous microdata masking, PSD 2004, LNCS 3050.
    - ``robust``: |x - m| <= k s(x) max(1, d/median d), with the robust scale s of the attribute and the robust
      Mahalanobis distance d of the original record (`robust_distances`): an outlier is recognised from afar and needs
      more noise. Source: M. Templ and B. Meindl, Robust statistics meets SDC, PSD 2008, LNCS 5262. There the interval
      is proportional to d alone, so that it vanishes in the middle; and sdcMicro's dRiskRMD standardises both files by
      themselves, which hides a shift or a change of scale, calls a record unsafe if *one* attribute is near, and stops
      on attributes that determine each other.

    Records are matched by their number. A missing number is never within an interval: nothing is released there, or
    nothing is known. Infinite numbers are missing.

    Without `original` the file is taken as it is released, and the intruder knows the target's values about as exactly
    as the interval: the risk is 1 / (1 + neighbours), with the other records that lie in the interval around the target
    on all attributes. A missing number may then be anything, and lies in every interval. Ranks of ties are averaged.
    """

    variant: Variant = Variant.DEVIATION
    width: float = 0.05
    attributes: tuple[str, ...] = ()
    """Continuous attributes to look at; the numbers among the known attributes, if none are named."""
    original: Microdata | None = field(default=None, repr=False)
    """The same records before they were masked, in the same order."""
    threshold: float = 0.5
    name: ClassVar[str] = "interval-disclosure"
    needs_original: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", tuple(self.attributes))
        names = [str(variant) for variant in Variant]
        if self.variant not in names:
            fault = f"no interval '{self.variant}'{did_you_mean(self.variant, names)}"
            raise UsageError(fault, do=f"use one of: {', '.join(names)}")
        object.__setattr__(self, "variant", Variant(self.variant))
        if not 0 <= self.width < float("inf"):
            raise UsageError(f"width is {self.width}", do="give a share from 0 on, such as 0.05")

    def looks_at(self, sample: Sample) -> tuple[str, ...]:
        """Return the attributes that count."""
        numeric = (name for name in sample.known if sample.records.column(name).type.is_numeric)
        return self.attributes or tuple(numeric)

    def lacks(self, sample: Sample) -> list[str]:
        """Return what is no number, and whether the original has other records."""
        names = self.looks_at(sample)
        if not names:
            return [
                "no attribute that the intruder knows is a number; name some in attributes, or leave the measure out"
            ]
        relations = [(sample.microdata.column, "the file")]
        if self.original is not None:
            relations.append((self.original.column, "the original"))
        faults = [
            f"'{name}' is no number in {where}; leave it out of attributes, or read it as a number"
            for column, where in relations
            for name in names
            if not column(name).type.is_numeric
        ]
        if self.original is not None:
            before, after = self.original.relation.count(), sample.records.count()
            if before != after:
                faults.append(f"the original has {before:,} records and the file {after:,}; hand in the same records")
        return faults

    def risks(self, sample: Sample, progress: Progress = silent) -> Risks:
        """Return the risk of each record, and the share of records at risk."""
        import numpy as np

        if lacking := self.lacks(sample):
            raise InputError("; ".join(lacking))
        names = self.looks_at(sample)
        rows, released = _numbers(sample.records, names)
        if self.original is None:
            progress(Step("counting neighbours"))
            widths = self._widths(released)
            near = neighbours(self._scaled(released), widths * (len(released) if self.variant is Variant.RANK else 1))
            columns = {WIDTH: widths, NEIGHBOURS: near}
            risk = np.divide(1, 1 + near)
        else:
            before = self.original.relation
            numbers, original = _numbers(before, names)
            if not np.array_equal(rows, numbers):
                raise InputError("the original has other record numbers than the file", do="hand in the same records")
            progress(Step("comparing with the original"))
            widths = self._widths(original)
            columns = {WIDTH: widths}
            risk = self._within(original, released, widths).all(axis=1).astype(np.float64)
        unsafe = int((risk > self.threshold * (1 + TOLERANCE) + TOLERANCE).sum())
        figures = {
            "records": float(len(rows)),
            "records_at_risk": float(unsafe),
            "share_at_risk": unsafe / len(rows) if len(rows) else 0.0,
            "average": float(risk.mean()) if len(rows) else 0.0,
        }
        relation = _relation(sample, {ROW: rows, RISK: risk} | columns)
        return Risks(self.name, self.threshold, relation, figures, are_probabilities=self.original is None)

    def _widths(self, values: Array) -> Array:
        """Return the width of each record's interval, in units of the attribute's scale."""
        import numpy as np

        widths = np.full(len(values), float(self.width))
        if self.variant is Variant.ROBUST and len(values):
            distances = robust_distances(values)
            usual = float(np.median(distances)) or float(distances.mean()) or 1.0
            widths *= np.maximum(1.0, distances / usual)
        return widths

    def _within(self, original: Array, released: Array, widths: Array) -> Array:
        """Return where the original is within the interval."""
        import numpy as np

        if self.variant is Variant.RANK:
            columns = [_rank_interval(released[:, place], self.width) for place in range(released.shape[1])]
            low, high = (np.stack(ends, axis=1) for ends in zip(*columns, strict=True))
        else:
            scale = robust_scale(original) if self.variant is Variant.ROBUST else _deviations(released)
            half = widths[:, None] * scale
            low, high = released - half, released + half
        within: Array = (original >= low) & (original <= high)
        return within

    def _scaled(self, values: Array) -> Array:
        """Return values in the units of the width; a column that does not vary is 0."""
        import numpy as np

        if self.variant is Variant.RANK:
            from scipy.stats import rankdata

            ranks: Array = rankdata(values, axis=0, nan_policy="omit") if len(values) else values
            return ranks
        scale = robust_scale(values) if self.variant is Variant.ROBUST else _deviations(values)
        return np.where(np.isnan(values), np.nan, np.where(scale > 0, values, 0.0) / np.where(scale > 0, scale, 1.0))

    def reason(self, sample: Sample, record: Mapping[str, Any]) -> str:
        """Return what lies within the interval."""
        names = listed(list(self.looks_at(sample)), 9)
        if NEIGHBOURS in record:
            return f"{record[NEIGHBOURS]:,} other records are within {record[WIDTH]:.3g} ({self.variant}) on {names}"
        is_in = "is within" if record[RISK] else "is not within"
        return f"the original {is_in} {record[WIDTH]:.3g} ({self.variant}) of the released number on {names}"

    def specification(self, sample: Sample) -> Specification | None:
        """Return nothing: distances are no rule."""
        return None


def _numbers(relation: Relation, names: tuple[str, ...]) -> tuple[Array, Array]:
    """Return the numbers of the records in order, and their values as a matrix; NaN where there is none."""
    import numpy as np

    terms = [as_double(term) for term in relation.physical(names)]
    plan = exp.select(exp.alias_(relation.engine.numbered(relation), "row_number_"))
    plan = plan.select(*(exp.alias_(term, f"x{place}") for place, term in enumerate(terms))).from_(relation.source())
    parts = list(relation.engine.stream(plan, 1_000_000))
    rows = np.concatenate([np.zeros(0, np.int64), *(part.column(0).to_numpy(zero_copy_only=False) for part in parts)])
    matrix = np.empty((len(rows), len(names)))
    for place in range(len(names)):
        column = [part.column(place + 1).to_numpy(zero_copy_only=False) for part in parts]
        matrix[:, place] = np.concatenate(column) if column else []
    matrix[~np.isfinite(matrix)] = np.nan
    return rows.astype(np.int64), matrix


def _deviations(values: Array) -> Array:
    """Return the standard deviation of each column (divisor n - 1) without its missing values."""
    import numpy as np

    there = ~np.isnan(values)
    count = there.sum(axis=0)
    mean = np.where(there, values, 0.0).sum(axis=0) / np.maximum(count, 1)
    squares = np.where(there, values - mean, 0.0) ** 2
    deviations: Array = np.sqrt(squares.sum(axis=0) / np.maximum(count - 1, 1))
    return deviations


def _rank_interval(released: Array, width: float) -> tuple[Array, Array]:
    """Return the released values that lie some ranks below and above each."""
    import numpy as np

    line = np.sort(released[~np.isnan(released)])
    low, high = np.full(len(released), np.nan), np.full(len(released), np.nan)
    there = ~np.isnan(released)
    if len(line):
        steps = int(width * len(line))
        first = np.searchsorted(line, released[there], "left") - steps
        last = np.searchsorted(line, released[there], "right") - 1 + steps
        low[there], high[there] = line[np.maximum(first, 0)], line[np.minimum(last, len(line) - 1)]
    return low, high


def _relation(sample: Sample, columns: dict[str, Array]) -> Relation:
    import pyarrow as pa

    batch = pa.RecordBatch.from_pydict({name: pa.array(values) for name, values in columns.items()})
    stored = sample.engine.adopt([batch], batch.schema)
    whole = {ROW, NEIGHBOURS}
    kinds = [ColumnType.INTEGER if name in whole else ColumnType.NUMBER for name in columns]
    return stored.renamed([Column(c.name, c.physical, kind) for c, kind in zip(stored.columns, kinds, strict=True)])


def neighbours(points: Array, radii: Array) -> Array:
    """Return how many other points lie within the radius of each point on every coordinate.

    A coordinate that is NaN lies within every radius: it may be anything. Points are sorted by which coordinates they
    have, and each two such groups are compared on the coordinates that both have.

    >>> import numpy as np
    >>> neighbours(np.array([[0.0, 0], [1, 1], [3, np.nan], [3, 3]]), np.array([1.0, 1, 1, 2]))
    array([1, 1, 1, 2])
    """
    import numpy as np

    missing = np.isnan(points)
    patterns, group = np.unique(missing, axis=0, return_inverse=True)
    members = [np.flatnonzero(group.reshape(-1) == g) for g in range(len(patterns))]
    counts = np.full(len(points), -1, dtype=np.int64)  # a point is not its own neighbour
    for ours, mine in zip(patterns, members, strict=True):
        for theirs, yours in zip(patterns, members, strict=True):
            both = ~(ours | theirs)
            counts[mine] += _within(points[np.ix_(mine, both)], radii[mine], points[np.ix_(yours, both)])
    return counts


def _within(targets: Array, radii: Array, points: Array) -> Array:
    """Return how many points lie within the radius of each target."""
    import numpy as np

    if targets.shape[1] == 0:
        return np.full(len(targets), len(points))
    if targets.shape[1] == 1:
        line, at = np.sort(points[:, 0]), targets[:, 0]
        inside: Array = np.searchsorted(line, at + radii, "right") - np.searchsorted(line, at - radii, "left")
        return inside
    return _in_cubes(targets, radii, points)


def _in_cubes(targets: Array, radii: Array, points: Array) -> Array:
    """Count with trees of different points.

    Released numbers repeat: many are 0, rounded or averaged. A tree slows down where points coincide, so each place
    is in a tree once. How often it occurs is written in binary, with a tree for each bit.
    """
    import numpy as np
    from scipy.spatial import cKDTree

    different, back = np.unique(np.column_stack([targets, radii]), axis=0, return_inverse=True)
    places, times = np.unique(points, axis=0, return_counts=True)
    total = np.zeros(len(different), dtype=np.int64)
    for bit in range(int(times.max()).bit_length()):
        here = places[(times >> bit) & 1 == 1]
        if len(here):
            tree = cKDTree(here, leafsize=64)
            total += tree.query_ball_point(different[:, :-1], different[:, -1], p=np.inf, return_length=True) << bit
    counted: Array = total[back.reshape(-1)]
    return counted
