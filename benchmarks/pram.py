"""PRAM of a million records, beside the CPU seconds of sdcMicro by the reference and beside a plain draw by numpy.

What the reference took was measured on another machine. The other methods of the family have no peer's figure: for
them, bare is one pass of sorting a million numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import timed
from tacita.masking.anatomy import Anatomy
from tacita.masking.coding.random_rounding import RandomRounding
from tacita.masking.method import Method
from tacita.masking.pram.generated import GeneratedPram
from tacita.masking.pram.invariant import InvariantPram
from tacita.masking.sampling import Sampling
from tacita.masking.weights.weight_noise import WeightNoise
from tacita.model.records import Categories, Numbers, Records

Line = tuple[str, str, str, str, str]

COUNT, SDCMICRO = 1_000_000, 14.6
_DATA, _METHOD = 1, 2
"""Seeds: with the same one the noise would follow the values, and no noise that keeps their totals could be found."""


def people() -> Records:
    draw = np.random.default_rng(_DATA)
    shares = np.array([0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.04, 0.01])
    codes = draw.choice(len(shares), COUNT, p=shares).astype(np.int32)
    disease = Categories(draw.integers(0, 50, COUNT).astype(np.int32), tuple(range(50)))
    return Records(
        {
            "relat": Categories(codes, tuple("123456789")),
            "disease": disease,
            "income": Numbers(draw.lognormal(3, 1, COUNT)),
            "weight": Numbers(draw.gamma(2, 10, COUNT)),
        }
    )


def pram(_: Path) -> Iterator[Line]:
    """One attribute of nine values."""
    records = people()
    column = records.categories("relat")
    invariant = InvariantPram(("relat",), publish_matrix=True)
    table = invariant.treated(records, np.random.default_rng(_METHOD)).beside["pram relat"]
    matrix = np.zeros((9, 9))
    matrix[table.categories("from").codes, table.categories("to").codes] = table.numbers("probability").values

    def plain() -> np.ndarray[Any, Any]:
        draw, changed = np.random.default_rng(_METHOD), column.codes.copy()
        for code in range(9):
            rows = np.flatnonzero(column.codes == code)
            changed[rows] = draw.choice(9, len(rows), p=matrix[code])
        return changed

    bare = least(plain)
    methods: tuple[tuple[str, Method], ...] = (
        ("invariant PRAM", invariant),
        ("invariant PRAM, exact margins", InvariantPram(("relat",), exact_margins=True)),
        ("generated PRAM", GeneratedPram(("relat",))),
    )
    for what, method in methods:
        ours = least(lambda method=method: method.treated(records, np.random.default_rng(_METHOD)))
        told = f"sdcMicro 14.6 s: {SDCMICRO / ours:.0f} times faster; at least 20"
        yield f"{what}, 1M", f"{ours:6.3f} s CPU", f"{bare:6.3f} s CPU by choice()", f"{ours / bare:.2f}", told


def family(_: Path) -> Iterator[Line]:
    """The other methods on a million records."""
    records = people()
    bare = least(lambda: np.sort(records.numbers("income").values))
    methods: tuple[Method, ...] = (
        Anatomy("disease", l=4),
        Sampling(share=0.1, weight="weight", proportional=True),
        RandomRounding(("income",), base=5),
        WeightNoise("weight"),
        WeightNoise("weight", keep=("relat", "disease", "income")),
    )
    for method in methods:
        ours = least(lambda method=method: method.treated(records, np.random.default_rng(_METHOD)), times=1)
        kept = f", {len(method.keep)} kept" if isinstance(method, WeightNoise) else ""
        yield f"{method.name}{kept}, 1M", f"{ours:6.3f} s CPU", f"{bare:6.3f} s CPU sort", f"{ours / bare:.1f}", ""


def least(work: Callable[[], object], times: int = 3) -> float:
    return min(timed(work)[1] for _ in range(times))
