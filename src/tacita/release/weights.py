"""Sampling weights on release: blurred, so that they name no stratum, and calibrated, so that totals still hold.

mu-Argus multiplies each weight by a factor drawn evenly from 1 - p to 1 + p. Afterwards totals of the weights no longer
hold, and every estimate with them; so the noisy weights are raked (iterative proportional fitting, Deming and Stephan
1940) until the totals of the given groups are those of the source. Rounding to the decimals of the source goes along
the sorted groups and carries the remainder over, so that totals are kept to one unit of the last decimal per group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.engines.plans.terms import as_double, as_text
from tacita.errors import UsageError
from tacita.files.contract import engine_relation
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType
from tacita.release.shuffling import WEIGHTS, generator

if TYPE_CHECKING:
    import numpy as np

    from tacita.release.options import WeightNoise

    Array = np.ndarray[Any, np.dtype[Any]]

_MOST_DECIMALS = 12
_ROUNDS = 200
_CLOSE = 1e-10


@dataclass(frozen=True, slots=True)
class Blurred:
    """New weights of all tuples."""

    attribute: str
    columns: dict[str, Array]
    """The number of the tuple, and its weight."""
    largest_deviation: float
    """By which share of itself the total of a kept group differs from that of the source, at most."""


def blurred(microdata: Microdata, noise: WeightNoise, seed: int) -> Blurred:
    """Return noisy weights with the totals of the source."""
    import numpy as np

    name = microdata.dictionary.weight
    if name is None:
        raise UsageError("weights are to be blurred, but no attribute is the weight", do="name it with --weight NAME")
    weights, groups = _weights(microdata, name, noise)
    unit = 10.0 ** -_decimals(weights)
    share = noise.percent / 100
    factors = generator(seed, WEIGHTS).uniform(1 - share, 1 + share, len(weights))
    raked = _raked(weights * factors, weights, groups)
    finest = groups[int(np.argmax([group.max(initial=0) for group in groups]))]
    new = np.maximum(_rounded(raked, unit, finest), unit)
    is_whole = microdata.column(name).type is ColumnType.INTEGER
    columns = {"row": np.arange(1, len(new) + 1), "weight": new.round().astype(np.int64) if is_whole else new}
    return Blurred(name, columns, _deviation(new, weights, groups))


def _weights(microdata: Microdata, name: str, noise: WeightNoise) -> tuple[Array, list[Array]]:
    """Return the weights in the order of the tuples, and for each margin the number of each tuple's group."""
    import numpy as np
    import pyarrow as pa

    from tacita.risk.arrays import as_codes, as_numpy

    relation = engine_relation(microdata)
    wanted = [each for margin in noise.margins for each in margin]
    terms = [exp.alias_(as_double(relation.physical([name])[0]), "w")]
    terms += [exp.alias_(as_text(relation.physical([each])[0]), f"g{i}") for i, each in enumerate(wanted)]
    row = exp.alias_(relation.engine.numbered(relation), "r")
    plan = exp.select(*terms, row).from_(relation.source()).order_by("r")
    batches = list(relation.engine.stream(plan, 1_000_000))
    if not batches:
        return np.empty(0), [np.empty(0, dtype=np.int64) for _ in noise.margins]
    table = pa.Table.from_batches(batches)
    groups, at = [], 0
    for margin in noise.margins:
        group = np.zeros(table.num_rows, dtype=np.int64)
        for _ in margin:
            coded = table.column(f"g{at}").combine_chunks().dictionary_encode()
            codes = as_codes(coded.indices, -1).astype(np.int64) + 1
            group = np.unique(group * (len(coded.dictionary) + 1) + codes, return_inverse=True)[1]
            at += 1
        groups.append(group)
    return as_numpy(table.column("w")).astype(np.float64), groups


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


def _raked(noisy: Array, weights: Array, groups: list[Array]) -> Array:
    """Return the noisy weights, scaled group by group until the totals of all margins are those of the weights."""
    import numpy as np

    totals = [np.bincount(group, weights) for group in groups]
    for _ in range(_ROUNDS if len(noisy) else 0):
        worst = 0.0
        for group, wanted in zip(groups, totals, strict=True):
            factor = wanted / np.bincount(group, noisy)
            worst = max(worst, float(np.abs(factor - 1).max()))
            noisy = noisy * factor[group]
        if worst < _CLOSE:
            break
    return noisy


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
