"""Every repeatable method of the catalogue on one file; run as a script it prints a digest of what each releases.

The digests are compared between environments in which libraries choose other versions of their kernels
(`test_same_bytes`). The file is made by whole numbers and the four operations, so that it is the same everywhere.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np

from tacita.masking.catalogue import METHODS as CATALOGUE
from tacita.masking.method import Treated
from tacita.model.hierarchy import ValueHierarchy
from tacita.model.records import Categories, Numbers, Records

_NUMBERS = {"attributes": ["turnover", "profit", "staff", "cost"]}
_COMPLETE = {"attributes": ["turnover", "profit", "staff"]}
_RELEASED = {"publish_matrix": True}
METHODS: dict[str, tuple[dict[str, object], ...]] = {
    "anatomy": ({"sensitive": "region", "l": 2},),
    "blocked-mdav": ({**_COMPLETE, "k": 5},),
    "correlated-noise": (_NUMBERS, _COMPLETE),
    "data-shuffling": ({"attributes": ["turnover", "profit"], "predictors": ["staff", "sector", "size"]},),
    "data-swapping": ({"attributes": ["sector"]},),
    "hybrid": ({**_COMPLETE, "k": 5}, {**_COMPLETE, "k": 3, "grouping": "v-mdav"}),
    "individual-ranking": ({**_COMPLETE, "k": 5},),
    "mdav": ({**_COMPLETE, "k": 5},),
    "mixed-microaggregation": ({"attributes": ["turnover", "sector", "size", "branch"], "k": 5},),
    "multiplicative-noise": (_NUMBERS, {**_NUMBERS, "distribution": "log-normal"}),
    "noise-with-linear-transformation": (_NUMBERS, _COMPLETE),
    "noise-with-non-linear-transformation": (_NUMBERS,),
    "optimal-univariate": ({"attributes": ["turnover"], "k": 5},),
    "orthogonal-masking": (_COMPLETE,),
    "pram": (
        {"attribute": "urban", "matrix": {"yes": {"yes": 0.9, "no": 0.1}, "no": {"yes": 0.1, "no": 0.9}}, **_RELEASED},
    ),
    "pram-generated": ({"attributes": ["sector"], **_RELEASED},),
    "pram-invariant": (
        {"attributes": ["sector"], **_RELEASED},
        {"attributes": ["sector"], "exact_margins": True},
    ),
    "random-rounding": ({**_NUMBERS, "base": 5.0},),
    "rank-swapping": (_NUMBERS,),
    "rare-categories": ({"attributes": ["sector"], "fewer_than": 40},),
    "record-swapping": ({"areas": ["region"], "quasi_identifiers": ["sector", "size"], "similar": [["size"]]},),
    "robust-noise": (_NUMBERS, {"attributes": ["staff", "mostly_zero"]}),
    "rounding": ({**_NUMBERS, "base": 5.0},),
    "sampling": ({"share": 0.5}, {"share": 0.2, "weight": "weight", "proportional": True}),
    "single-axis": ({**_COMPLETE, "k": 5}, {**_COMPLETE, "k": 5, "axis": "z-scores"}),
    "synthetic-copula": ({}, {"attributes": ["turnover", "sector"]}, {"data_sets": 2}),
    "synthetic-trees": ({}, {"data_sets": 2, "minimum_leaf": 10}),
    "t-close-microaggregation": ({"attributes": ["turnover", "profit"], "confidential": "staff", "t": 0.2, "k": 5},),
    "top-bottom-coding": ({"attributes": ["turnover"], "by": "quantile", "top": 0.95, "replacement": "mean"},),
    "uncorrelated-noise": (_NUMBERS,),
    "v-mdav": ({**_COMPLETE, "k": 5},),
    "ward": ({**_COMPLETE, "k": 5},),
    "weight-calibration": ({"weight": "weight", "totals": {"urban": {"yes": 9000.0, "no": 12000.0}, "staff": 3.2e6}},),
    "weight-noise": ({"weight": "weight", "keep": ["urban", "staff"]}, {"weight": "exact", "keep": ["region"]}),
}
"""Examples of methods whose parameters cannot be guessed, or that have several ways."""


def example(name: str, records: Records) -> dict[str, object]:
    """Return parameters for a method that needs attributes and nothing else: one that it treats."""
    kind = Categories if CATALOGUE.fact(name, "treats") == "categories" else Numbers
    return {"attributes": [next(column for column in records.names if isinstance(records[column], kind))]}


def firms(count: int = 1_200) -> Records:
    """Numbers that depend on each other, with ties and missing values, and categories of every kind."""
    draw = np.random.default_rng(15)
    staff = draw.integers(1, 60, count) * draw.integers(1, 20, count) / 2
    turnover = staff * draw.integers(50, 200, count) / 7
    profit = turnover / 10 - draw.integers(0, 300, count) / 3
    cost = turnover - profit
    cost[draw.integers(0, 12, count) == 0] = np.nan
    zero = np.where(draw.integers(0, 3, count) > 0, 0, draw.integers(1, 90, count)).astype(float)
    branches = [f"{group}{number}" for group in "abc" for number in range(4)]
    taxonomy = ValueHierarchy.from_paths("branch", [[branch, branch[0]] for branch in branches], star=True)
    sectors = np.array(["mining", "trade", "food", "metal", "paper", "glass", "wood"])
    region = draw.integers(0, 6, count)
    sector = np.minimum(draw.integers(0, 7, count), draw.integers(0, 7, count))
    urban = np.where(staff + draw.integers(0, 200, count) > 250, "yes", "no")
    return Records(
        {
            "turnover": Numbers.of(turnover),
            "profit": Numbers.of(profit),
            "staff": Numbers.of(np.rint(staff), is_whole=True),
            "cost": Numbers.of(cost),
            "mostly_zero": Numbers.of(zero),
            "weight": Numbers.of(draw.integers(5, 30, count).astype(float), is_whole=True),
            "exact": Numbers.of(draw.integers(500, 3000, count) / 7),
            "sector": Categories.of([None if i % 41 == 3 else str(sectors[s]) for i, s in enumerate(sector)]),
            "size": Categories.of(
                [["small", "middle", "large"][min(2, int(s // 60))] for s in staff], order=["small", "middle", "large"]
            ),
            "branch": Categories.of([branches[i] for i in draw.integers(0, 12, count)], hierarchy=taxonomy),
            "region": Categories.of([f"r{r}" for r in region]),
            "urban": Categories.of([str(u) for u in urban]),
        }
    )


def digests(records: Records) -> dict[str, str]:
    """Return for each method, and each way to call it, a digest of everything that would be released."""
    found = {}
    for name in CATALOGUE.names():
        ways = METHODS.get(name) or (example(name, records),)
        for number, parameters in enumerate(ways if CATALOGUE.fact(name, "is_repeatable") else ()):
            treated = CATALOGUE.make(name, parameters).treated(records, np.random.default_rng(7))
            found[f"{name} {number + 1}"] = _digest(treated)
    return found


def _digest(treated: Treated) -> str:
    state = hashlib.sha256()
    for table in (treated.records, *treated.beside.values()):
        for name, column in table.columns.items():
            held = column.values if isinstance(column, Numbers) else column.codes
            state.update(name.encode() + held.tobytes())
    return state.hexdigest()[:16]


if __name__ == "__main__":
    print(json.dumps(digests(firms())))
