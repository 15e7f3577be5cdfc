"""A table of 100,000 cells with three dimensions, two of them hierarchies: how long, how much, how near the bound."""

from __future__ import annotations

import time

import numpy as np

from tacita.model.table import Dimension, Levels, Table, table_of_leaves
from tacita.tables.suppression.suppress import SuppressionOptions, suppress


def _tree(name: str, branches: tuple[int, ...]) -> Dimension:
    def grown(code: str, rest: tuple[int, ...]) -> dict[str, object]:
        return {f"{code}.{n}": grown(f"{code}.{n}", rest[1:]) for n in range(rest[0])} if rest else {}

    return Dimension.tree(name, {"Total": grown(name, branches)})


def sparse_counts(seed: int = 0) -> tuple[Table, Levels]:
    """Return 103,200 counts, about 20,000 of them 1 or 2, which must stay unknown to within one."""
    random = np.random.default_rng(seed)
    dimensions = [_tree("a", (7, 7, 7)), _tree("b", (6, 6)), _tree("c", (5,))]
    wide, middle, narrow = (
        np.exp(random.normal(0, s, len(d.leaves))) for d, s in zip(dimensions, (1.2, 1.2, 0.7), strict=True)
    )
    mean = np.minimum(0.12 * wide[:, None, None] * middle[None, :, None] * narrow, 50)
    table = table_of_leaves("large", dimensions, random.poisson(mean).astype(float), is_count=True)
    return table, Levels.of(len(table), np.flatnonzero((table.values > 0) & (table.values <= 2)), 1, 1)


def run(seconds: float = 30.0) -> None:
    """Print the figures."""
    table, levels = sparse_counts()
    start = time.process_time()
    result = suppress(table, levels, options=SuppressionOptions(seconds=seconds))
    used = time.process_time() - start
    print(f"{len(table):,} cells, {int(levels.sensitive.sum()):,} sensitive: {used:.1f} s of CPU")
    print(
        f"{len(result.secondary):,} secondary, cost {result.cost:,.0f}, bound {result.bound:,.0f}, gap {result.gap:.1%}"
    )


if __name__ == "__main__":
    run()
