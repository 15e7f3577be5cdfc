"""Synthesis of 50,000 records of ten attributes, each method beside the bare work that it cannot do without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.measure import timed
from tacita.masking.microaggregation.mdav import Mdav
from tacita.masking.synthetic.copula import SyntheticCopula
from tacita.masking.synthetic.hybrid import Hybrid
from tacita.masking.synthetic.private.marginals import SyntheticMarginals
from tacita.masking.synthetic.trees import SyntheticTrees
from tacita.model.records import Categories, Numbers, Records

Line = tuple[str, str, str, str, str]

COUNT = 50_000
NUMBERS = tuple(f"x{place}" for place in range(5))


def people() -> Records:
    """Five skewed numbers, an age with missing values, and categories of 2, 5, 12 and 40 values, all dependent."""
    draw = np.random.default_rng(1)
    behind = draw.normal(size=(COUNT, 10)) @ (np.eye(10) + 0.5 * draw.normal(size=(10, 10)))
    columns: dict[str, Numbers | Categories] = {n: Numbers(np.exp(behind[:, i] / 2)) for i, n in enumerate(NUMBERS)}
    for place, size in zip(range(5, 9), (2, 5, 12, 40), strict=True):
        ranks = np.argsort(np.argsort(behind[:, place])) * size // COUNT
        columns[f"c{size}"] = Categories((ranks * 7 % size).astype(np.int32), tuple(f"value {v}" for v in range(size)))
    age = np.rint(45 + 12 * behind[:, 9] / behind[:, 9].std()).clip(0, 100)
    columns["age"] = Numbers(np.where(draw.random(COUNT) < 0.05, np.nan, age), is_whole=True)
    return Records(columns)


def synthetic(_: Path) -> Iterator[Line]:
    """Every method on the same records."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    records = people()
    draw = np.random.default_rng
    held = np.stack([c.values if isinstance(c, Numbers) else c.codes for c in records.columns.values()], axis=1)

    def trees() -> None:
        for place, column in enumerate(records.columns.values()):
            kind = DecisionTreeRegressor if isinstance(column, Numbers) else DecisionTreeClassifier
            rows = ~column.missing
            if place:
                kind(min_samples_leaf=5, random_state=0).fit(held[rows, :place], held[rows, place])

    trees()
    _, bare = timed(trees)
    _, ours = timed(lambda: SyntheticTrees().treated(records, draw(1)))
    yield _line("synthetic-trees 50k x 10 / growing the trees", ours, bare, "at most 2")
    _, ours = timed(lambda: SyntheticTrees(data_sets=5).treated(records, draw(1)))
    yield _line("the same, five files / growing the trees", ours, bare, "")
    names = ("x0", "x1", "x2")
    _, ours = timed(lambda: SyntheticTrees(names).treated(records, draw(1)))
    yield _line("the same, three attributes given the others", ours, bare, "")
    _, sorting = timed(lambda: np.sort(held, axis=0))
    _, ours = timed(lambda: SyntheticCopula().treated(records, draw(1)))
    yield _line("synthetic-copula 50k x 10 / sorting", ours, sorting, "")
    _, bare = timed(lambda: Mdav(NUMBERS, k=10).treated(records, draw(1)))
    _, bare = timed(lambda: Mdav(NUMBERS, k=10).treated(records, draw(1)))
    _, ours = timed(lambda: Hybrid(NUMBERS, k=10).treated(records, draw(1)))
    yield _line("hybrid 50k x 5, k = 10 / mdav", ours, bare, "at most 1.5")
    private = SyntheticMarginals(
        epsilon=1,
        bounds=dict.fromkeys(NUMBERS, (0.0, 20.0)) | {"age": (0.0, 100.0)},
        categories={f"c{size}": tuple(f"value {v}" for v in range(size)) for size in (2, 5, 12, 40)},
        may_be_missing=("age",),
    )
    private.treated(records.taken(np.arange(100)), draw(1))
    _, ours = timed(lambda: private.treated(records, draw(1)))
    yield _line("synthetic-marginals 50k x 10 / sorting", ours, sorting, "")


def _line(what: str, ours: float, bare: float, bar: str) -> Line:
    return what, f"{ours:6.2f} s CPU", f"{bare:6.2f} s CPU", f"{ours / bare:.2f}", bar
