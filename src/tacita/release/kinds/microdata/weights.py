"""Sampling weights on release: blurred, so that they name no stratum, and calibrated, so that totals still hold.

mu-Argus multiplies each weight by a factor drawn evenly from 1 - p to 1 + p. Afterwards totals of the weights no longer
hold, and every estimate with them; so the factors are calibrated until the totals of the given groups are those of the
source, margin by margin as in iterative proportional fitting (Deming and Stephan 1940), and within the bounds: no
weight moves by more than p. Rounding to the decimals of the source goes along the sorted groups and carries the
remainder over, so that a weight moves by at most one unit of the last decimal more, and totals are kept to one unit per
group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.engines.plans.terms import as_double, same
from tacita.engines.protocol import Relation
from tacita.errors import UsageError
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType
from tacita.release.records.tuples import WEIGHTS, generator

if TYPE_CHECKING:
    import numpy as np

    from tacita.release.options import WeightBlur

    Array = np.ndarray[Any, np.dtype[Any]]

_MOST_DECIMALS = 12
_ROUNDS = 500
_CLOSE = 1e-10
_EDGE, _TINY, _LONGEST = 1e-9, 1e-200, 2.0


@dataclass(frozen=True, slots=True)
class BlurredWeights:
    """New weights of all tuples."""

    attribute: str
    columns: dict[str, Array]
    """The number of the tuple, and its weight."""
    largest_deviation: float
    """By which share of itself the total of a kept group differs from that of the source, at most."""


def blur_weights(microdata: Microdata, noise: WeightBlur, seed: int) -> BlurredWeights:
    """Return noisy weights with the totals of the source."""
    import numpy as np

    name = microdata.dictionary.weight
    if name is None:
        raise UsageError("weights are to be blurred, but no attribute is the weight", do="name it with --weight NAME")
    weights, groups = _weights(microdata, name, noise)
    unit = 10.0 ** -_decimals(weights)
    share = noise.percent / 100
    raked = _raked(generator(seed, WEIGHTS).random(len(weights)), share, weights, groups)
    finest = groups[int(np.argmax([group.max(initial=0) for group in groups]))]
    new = np.maximum(_rounded(raked, unit, finest), unit)
    is_whole = microdata.column(name).type is ColumnType.INTEGER
    columns = {"row": np.arange(1, len(new) + 1), "weight": new.round().astype(np.int64) if is_whole else new}
    return BlurredWeights(name, columns, _deviation(new, weights, groups))


def _weights(microdata: Microdata, name: str, noise: WeightBlur) -> tuple[Array, list[Array]]:
    """Return the weights in the order of the tuples, and for each margin the number of each tuple's group."""
    import numpy as np
    import pyarrow as pa

    from tacita.engines.arrow import as_numpy

    relation = microdata.relation
    row = exp.alias_(relation.engine.numbered(relation), "row_")
    plan = exp.select(exp.column("row_", table="t"), exp.alias_(as_double(_of(relation, name)), "w"))
    plan = plan.from_(exp.select("*", row).from_(relation.source()).subquery("t"))
    for i, margin in enumerate(noise.margins):
        number: exp.Expr = exp.Literal.number(1)
        if margin:
            keys = [relation.column(attribute).physical for attribute in margin]
            plan = plan.join(_groups(relation, keys).subquery(f"g{i}"), on=same("t", f"g{i}", keys))
            number = exp.column("number_", table=f"g{i}")
        plan = plan.select(exp.alias_(exp.Cast(this=number, to=exp.DataType.build("bigint")), f"n{i}"))
    batches = list(relation.engine.stream(plan.order_by("row_"), 1_000_000))
    if not batches:
        return np.empty(0), [np.empty(0, dtype=np.int64) for _ in noise.margins]
    table = pa.Table.from_batches(batches)
    groups = [as_numpy(table.column(f"n{i}")) - 1 for i in range(len(noise.margins))]
    return as_numpy(table.column("w")).astype(np.float64), groups


def _of(relation: Relation, name: str) -> exp.Column:
    return exp.column(relation.column(name).physical, table="t")


def _groups(relation: Relation, keys: list[str]) -> exp.Select:
    """Return the plan of the groups of a margin in their order, each with a number from 1."""
    columns = [exp.column(key) for key in keys]
    distinct = exp.select(*columns).distinct().from_(relation.source())
    order = exp.Order(expressions=[exp.Ordered(this=column.copy()) for column in columns])
    number = exp.Window(this=exp.RowNumber(), order=order)
    return exp.select(*(c.copy() for c in columns), exp.alias_(number, "number_")).from_(distinct.subquery("d"))


def _decimals(weights: Array) -> int:
    """Return how many decimals the weights have.

    >>> import numpy as np
    >>> _decimals(np.array([12.0, 3.25])), _decimals(np.array([12.0, 3.0]))
    (2, 0)
    """
    import numpy as np

    for decimals in range(_MOST_DECIMALS):
        if np.array_equal(np.round(weights, decimals), weights):
            return decimals
    return _MOST_DECIMALS


def _raked(uniform: Array, share: float, weights: Array, groups: list[Array]) -> Array:
    """Return weights times factors from 1 - share to 1 + share, with the totals of all margins that they had.

    A factor is ``1 + share (o - 1) / (o + 1)`` with odds o; for o = u / (1 - u) it is drawn evenly. The odds of a group
    are multiplied by what makes its total right, group by group and margin by margin, until all are.
    """
    import numpy as np

    from tacita.arithmetic.functions import exponential

    odds = np.clip(uniform, _EDGE, 1 - _EDGE)
    odds /= 1 - odds
    totals = [np.bincount(group, weights) for group in groups]
    for _ in range(_ROUNDS if len(weights) else 0):
        worst = 0.0
        for group, total in zip(groups, totals, strict=True):
            change = (odds - 1) / (odds + 1)
            off = np.bincount(group, weights * change) / np.maximum(total, _TINY)
            slope = np.bincount(group, weights * (1 - np.square(change)) / 2) / np.maximum(total, _TINY)
            worst = max(worst, share * float(np.abs(off).max()))
            step = np.clip(off / np.maximum(slope, _TINY), -_LONGEST, _LONGEST)
            odds = np.clip(odds * exponential(-step)[group], _TINY, 1 / _TINY)
        if worst < _CLOSE:
            break
    raked: Array = weights * (1 + share * ((odds - 1) / (odds + 1)))
    return raked


def _rounded(values: Array, unit: float, group: Array) -> Array:
    """Return multiples of a unit, each next to its value, whose sums along the groups are next to the sums.

    >>> import numpy as np
    >>> _rounded(np.array([1.4, 1.4, 1.4, 5.0]), 1.0, np.array([0, 0, 0, 1])).tolist()
    [1.0, 2.0, 1.0, 5.0]
    """
    import numpy as np

    at = np.argsort(group, kind="stable")
    steps = np.diff(np.round(np.cumsum(values[at]) / unit), prepend=0)
    rounded = np.empty_like(values)
    rounded[at] = np.round(steps * unit, _MOST_DECIMALS)
    return rounded


def _deviation(new: Array, weights: Array, groups: list[Array]) -> float:
    import numpy as np

    if not len(new):
        return 0.0
    return max(float(np.abs(np.bincount(g, new) / np.bincount(g, weights) - 1).max()) for g in groups)
