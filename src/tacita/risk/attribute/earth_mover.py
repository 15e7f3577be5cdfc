"""The earth mover's distance between the sensitive values of a class and those of the file (Li, Li and
Venkatasubramanian, "t-Closeness", ICDE 2007).

How much probability must be moved how far to turn one distribution into the other; p is a class's, q the file's.

- *Equal* distance 1 between any two values: sum max(p_i - q_i, 0), so that only values in the class are looked at.
- *Hierarchical*: two values are as far from each other as their common ancestor is high, divided by the height H of the
  tree. Every leaf is H below the root, so the distance is the mean over the levels 0 .. H-1 of the equal distance
  between labels of the level: the recursion of the paper, each edge counted once.
- *Ordered*: |i - j| / (m - 1) between the i-th and the j-th of m values, 1/(m - 1) sum |P_i - Q_i| over cumulative
  shares. P changes only at values of the class and Q never falls, so the sum over what lies between two of them comes
  from one search in Q: no table of classes times values.

A missing value is at distance 1 from every other. With the ordered distance the best way to move it has no closed form;
what is told is a way, |p_0 - q_0| + min(1 - p_0, 1 - q_0) times the distance of the rest, and so never too small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.engines.plans.terms import as_double, number
from tacita.engines.protocol import Relation
from tacita.errors import DictionaryError
from tacita.model.hierarchy import Hierarchy, text_of
from tacita.risk.attribute.sensitive_values import CELL, SHARE, SIZE, VALUE, shares, values_of_classes, values_of_file
from tacita.risk.combinations import COUNT, NUMBER, adopted
from tacita.risk.sample import Sample

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

DISTANCE = "distance"
_BATCH = 1_000_000


def equal_distance(sample: Sample, attribute: str) -> exp.Select:
    """Return the plan of the distance of each class, all values being equally far from each other."""
    return _summed(shares(sample, attribute), 1)


def _summed(both: exp.Select, height: int) -> exp.Select:
    gain = exp.Greatest(
        this=exp.Sub(this=exp.column("p"), expression=exp.column("q")), expressions=[exp.Literal.number(0)]
    )
    distance = exp.Div(this=exp.Sum(this=as_double(gain)), expression=number(float(height)))
    return exp.select(NUMBER, exp.alias_(distance, DISTANCE)).from_(both.subquery("b")).group_by(NUMBER)


def hierarchical_distance(sample: Sample, attribute: str, hierarchy: Hierarchy) -> exp.Select:
    """Return the plan of the distance of each class, values being as far apart as their common ancestor is high."""
    labels = _labels(sample, attribute, hierarchy)
    levels = [column.name for column in labels.columns[1:]]
    in_class = _by_level(values_of_classes(sample, attribute), labels, levels, [NUMBER, SIZE], COUNT)
    in_file = _by_level(values_of_file(sample, attribute), labels, levels, [], SHARE)
    share = exp.Div(this=as_double(exp.column("n", table="r")), expression=as_double(exp.column(SIZE, table="r")))
    both = (
        exp.select(exp.column(NUMBER, table="r"), exp.alias_(share, "p"), exp.alias_(exp.column("n", table="f"), "q"))
        .from_(in_class.subquery("r"))
        .join(
            in_file.subquery("f"),
            on=exp.and_(*(exp.column(name, table="r").eq(exp.column(name, table="f")) for name in ("level", "label"))),
            copy=False,
        )
    )
    return _summed(both, len(levels))


def _labels(sample: Sample, attribute: str, hierarchy: Hierarchy) -> Relation:
    """Return the label of each value at each level below the root, as numbers; a missing value has its own."""
    import pyarrow as pa

    key = ("labels", attribute)
    if key in sample.cache:
        stored: Relation = sample.cache[key]
        return stored
    places, cells = _values(sample, attribute)
    paths = {path[0]: path[1:] for path in hierarchy.paths(cells)}
    tops = {path[-1] for path in paths.values() if path}
    has_root = hierarchy.height > 0 and all(hierarchy.share(str(top), hierarchy.height) == 1 for top in tops)
    columns = {VALUE: pa.array(places, pa.int64()), "level 0": pa.array(places, pa.int64())}
    for level in range(hierarchy.height - has_root):
        labels = [None if cell is None else paths[cell][level] for cell in cells]
        numbers = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        columns[f"level {level + 1}"] = pa.array([numbers[label] for label in labels], pa.int64())
    batch = pa.RecordBatch.from_pydict(columns)
    sample.cache[key] = relation = sample.engine.adopt([batch], batch.schema)
    return relation


def _by_level(relation: Relation, labels: Relation, levels: list[str], keys: list[str], counted: str) -> exp.Select:
    """Return the plan of how often each label of each level occurs: ``level``, ``label``, ``n``, by the keys."""
    equal = exp.column(VALUE, table="r").eq(exp.column(labels.column(VALUE).physical, table="h"))
    parts: list[exp.Query] = []
    for number_of_level, level in enumerate(levels):
        part = exp.select(
            *(exp.column(key, table="r") for key in keys),
            exp.alias_(exp.Literal.number(number_of_level), "level"),
            exp.alias_(exp.column(labels.column(level).physical, table="h"), "label"),
            exp.alias_(exp.column(counted, table="r"), "n"),
        )
        part = part.from_(relation.source().as_("r")).join(labels.source().as_("h"), on=equal.copy(), copy=False)
        parts.append(part)
    together = exp.union(*parts, distinct=False) if len(parts) > 1 else parts[0]
    grouping = [*keys, "level", "label"]
    total = exp.alias_(exp.Sum(this=exp.column("n")), "n")
    return exp.select(*grouping, total).from_(together.subquery("l")).group_by(*grouping)


def ordered_distance(sample: Sample, attribute: str, order: tuple[str, ...]) -> Relation:
    """Return the distance of each class, values being as far apart as they are in their order.

    Without an order of the dictionary, it is that of numbers and dates, over the values that occur in the file.
    """
    key = ("ordered distance", attribute)
    if key not in sample.cache:
        numbers, distance = _ordered(sample, attribute, order)
        sample.cache[key] = adopted(sample, {DISTANCE: distance}, numbers=numbers)
    stored: Relation = sample.cache[key]
    return stored


def _ordered(sample: Sample, attribute: str, order: tuple[str, ...]) -> tuple[Array, Array]:
    """Return the numbers of the classes, and their distances."""
    import numpy as np

    place_of, present, size = _order(sample, attribute, order)
    plan = exp.select(NUMBER, VALUE, COUNT).from_(values_of_classes(sample, attribute).source())
    pairs = _arrays(sample, plan, {NUMBER: np.int64, VALUE: np.int64, COUNT: np.int64})
    numbers, classes = np.unique(pairs[NUMBER], return_inverse=True)
    place = place_of[pairs[VALUE]]
    has_place = place >= 0
    everyone = np.bincount(classes, pairs[COUNT], len(numbers))
    missing = 1 - np.bincount(classes[has_place], pairs[COUNT][has_place], len(numbers)) / np.maximum(everyone, 1)
    total = pairs[COUNT].sum()
    missing_of_file = 1 - pairs[COUNT][has_place].sum() / max(total, 1)
    of_file = np.bincount(place[has_place], pairs[COUNT][has_place], size)
    distance = moved(classes[has_place], place[has_place], pairs[COUNT][has_place], of_file, len(numbers))
    if not present:
        distance = np.abs(missing - missing_of_file) + np.minimum(1 - missing, 1 - missing_of_file) * distance
    return numbers, distance


def moved(classes: Array, places: Array, counts: Array, of_file: Array, number_of_classes: int) -> Array:
    """Return the ordered distance of each class from the file.

    `classes`, `places` (from 0) and `counts` say how often a value occurs in a class, `of_file` how often each of the
    values occurs in the file. A class without any value has distance 0.
    """
    import numpy as np

    size = len(of_file)
    distance = np.zeros(number_of_classes)
    if size < 2 or not len(classes):
        return distance
    order = np.lexsort((places, classes))
    classes, places, counts = classes[order], places[order], counts[order]
    cumulative = np.cumsum(of_file) / of_file.sum()
    area = np.concatenate(([0.0], np.cumsum(cumulative)))
    first = np.flatnonzero(np.concatenate(([True], classes[1:] != classes[:-1])))
    sizes = np.add.reduceat(counts, first)
    running = np.cumsum(counts)
    before = np.repeat(running[first] - counts[first], np.diff(np.append(first, len(classes))))
    reached = (running - before) / np.repeat(sizes, np.diff(np.append(first, len(classes))))
    # P is `reached` from this value of the class up to the next one, or to the end.
    until = np.append(places[1:], size)
    until[np.append(first[1:] - 1, len(classes) - 1)] = size
    crossing = np.clip(np.searchsorted(cumulative, reached), places, until)
    below = reached * (crossing - places) - (area[crossing] - area[places])
    above = (area[until] - area[crossing]) - reached * (until - crossing)
    distance += np.bincount(classes, below + above, number_of_classes)
    distance[classes[first]] += area[places[first]]
    distance /= size - 1
    return np.maximum(distance, 0.0)


def _order(sample: Sample, attribute: str, order: tuple[str, ...]) -> tuple[Array, bool, int]:
    """Return the place of each value in the order by its number, -1 if missing; whether none is; and the last place."""
    import numpy as np

    values = values_of_file(sample, attribute)
    absent = exp.alias_(exp.Is(this=exp.column(CELL), expression=exp.Null()), "absent")
    known = _arrays(sample, exp.select(VALUE, absent).from_(values.source()), {VALUE: np.int64, "absent": np.bool_})
    places = np.arange(-1, len(known[VALUE]), dtype=np.int64)
    places[known[VALUE][known["absent"]]] = -1
    size = int((~known["absent"]).sum())
    if order:
        numbers, cells = _values(sample, attribute)
        position = {text: i for i, text in enumerate(order)}
        ranks = [-1 if cell is None else position.get(text_of(cell), len(order)) for cell in cells]
        if strange := sum(place == len(order) for place in ranks):
            raise DictionaryError(
                f"{strange:,} of {size:,} distinct values of '{attribute}' are not in its order",
                where=f"dictionary of '{sample.microdata.name}'",
                do="name every value in the order of the attribute, lowest first",
            )
        places[np.array(numbers, dtype=np.int64)] = ranks
        size = len(order)
    return places, not known["absent"].any(), size


def _values(sample: Sample, attribute: str) -> tuple[list[int], list[Any]]:
    """Return the numbers of the values of the file, and the values."""
    values = values_of_file(sample, attribute)
    numbers: list[int] = []
    cells: list[Any] = []
    plan = exp.select(VALUE, CELL).from_(values.source()).order_by(VALUE)
    for batch in sample.engine.stream(plan, _BATCH):
        numbers += batch.column(0).to_pylist()
        cells += batch.column(1).to_pylist()
    return numbers, cells


def _arrays(sample: Sample, plan: exp.Query, types: dict[str, Any]) -> dict[str, Array]:
    import numpy as np

    batches = list(sample.engine.stream(plan, _BATCH))
    return {
        name: np.concatenate(
            [np.empty(0, kind), *(batch.column(i).to_numpy(zero_copy_only=False).astype(kind) for batch in batches)]
        )
        for i, (name, kind) in enumerate(types.items())
    }
