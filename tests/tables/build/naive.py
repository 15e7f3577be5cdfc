"""Tables the slow way: every cell from every record, in plain Python."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import product

from tacita.model.table import Dimension


@dataclass
class NaiveCell:
    value: float = 0.0
    records: int = 0
    by: dict[object, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))

    @property
    def contributors(self) -> int:
        return len(self.by)

    def largest(self, number: int) -> list[float]:
        sums = sorted((abs(sum(x for x, _ in given)) for given in self.by.values()), reverse=True)
        return [round(each, 6) for each in sums[:number]] + [0.0] * (number - len(sums))


def naive(rows, dimensions, *, response=None, weight=None, contributor=None):
    """Return the cells of the cross product of all codes, by their codes."""
    under = [each.leaves_under() for each in dimensions]
    cells = {codes: NaiveCell() for codes in product(*(each.codes for each in dimensions))}
    for number, row in enumerate(rows):
        x = 1.0 if response is None else row[response]
        w = 1.0 if weight is None else row[weight]
        who = ("record", number) if contributor is None or row[contributor] is None else row[contributor]
        above = [
            [code for code in held if row[d.name] in held[code]] for d, held in zip(dimensions, under, strict=True)
        ]
        for codes in product(*above):
            cell = cells[codes]
            cell.value += w * x
            cell.records += 1
            cell.by[who].append((x, w))
    return cells


def tree(name: str, leaves: int) -> Dimension:
    """Return a dimension of unequal depth: pairs of leaves under a code, and the last leaf directly under the total."""
    codes = [f"{name}{at}" for at in range(leaves)]
    pairs = {f"{name}{at}-{at + 1}": codes[at : at + 2] for at in range(0, leaves - 1, 2)}
    nested: dict[str, object] = dict(pairs)
    if leaves % 2:
        nested[codes[-1]] = []
    return Dimension.tree(name, {"Total": nested})
