"""Synthetic records by trees: attribute after attribute, each predicted from those before by a decision tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError, did_you_mean
from tacita.masking.method import Grid, Treated
from tacita.masking.preconditions import each_named_once
from tacita.masking.synthetic.apart import Apart
from tacita.masking.synthetic.donors import grown
from tacita.masking.synthetic.predictors import Predictor
from tacita.masking.synthetic.preparation import (
    as_released,
    check_enough,
    check_synthesisable,
    check_wishes,
    together,
)
from tacita.masking.synthetic.quantiles import check_extremes, shared, smoothed
from tacita.model.records import Categories, Numbers, Records, Values
from tacita.progress import Progress, Step, silent

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SyntheticTrees:
    """Each attribute is drawn from the leaves of a tree that predicts it from the attributes before.

    The first attribute is drawn from its values in the file. For every other one a tree is grown on the original
    records (CART; leaves of at least `minimum_leaf`), each synthetic record goes down the tree by its values so far,
    and gets the value of a random donor in its leaf. A category that is missing is one more category; whether a number
    is missing is synthesised first, and then the number. With `smoothing`, a number that fewer than `minimum_leaf`
    records share is moved by as much as its leaf varies, and not beyond the average of the `extremes` largest or
    smallest. With `replicas = "holdout"` one half of the records grows the trees and the other lends the values, and no
    record lends rare values to a synthetic one that is like it so far (`apart`).

    Without `attributes` all are synthesised and records are invented: fully synthetic. With `attributes` only these
    are, given all others, which stay with their records, and so do missing values: partially synthetic.

    Several `data_sets` are drawn from the same trees with chances of donors drawn anew (Bayesian bootstrap), the first
    as the records, the others beside; estimates from them are combined by `combining`. Within strata, each stratum has
    trees of its own, and `records` is the number for each of them.

    Source: J. Reiter, Using CART to generate partially synthetic public use microdata, Journal of Official Statistics
    21 (2005); B. Nowok, G. Raab and C. Dibben, synthpop: bespoke creation of synthetic data in R, Journal of
    Statistical Software 74 (2016). Unordered categories are split in one order for the whole tree, not for each node.

    >>> from tacita.model.records import Numbers
    >>> draw = np.random.default_rng(1)
    >>> age = draw.integers(18, 80, 500).astype(float)
    >>> income = Numbers.of(50 * age + draw.normal(0, 300, 500))
    >>> people = Records({"age": Numbers.of(age, is_whole=True), "income": income})
    >>> found = SyntheticTrees(records=1000).treated(people, np.random.default_rng(2))
    >>> len(found.records), found.origin is None
    (1000, True)
    >>> bool(np.corrcoef(found.records.matrix(["age", "income"]).T)[0, 1] > 0.8)
    True
    """

    name: ClassVar[str] = "synthetic-trees"
    treats: ClassVar[str] = "all"
    grid: ClassVar[Grid] = {"minimum_leaf": (5, 20)}
    promises: ClassVar[str] = (
        "Every synthetic value is drawn from at least minimum_leaf donors; if smoothed, no number of a single donor is "
        "released as it is."
    )
    limits: ClassVar[str] = (
        "There is no bound on what is learnt: donors of a leaf may agree, rare combinations may come up again, and "
        "attributes that stay still identify. Measure the risk."
    )
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...] = ()
    """Those to replace, given the others; all, if none is named."""
    records: int | None = None
    """How many to invent; as many as there are, unless given."""
    minimum_leaf: int = 5
    """The least number of donors in a leaf."""
    visit_sequence: tuple[str, ...] = ()
    """Attributes to synthesise first, in this order; the others follow in the order of the file."""
    smoothing: bool = True
    """Whether numbers that few records share are moved."""
    extremes: int = 3
    """Of how many extreme values the average bounds smoothed numbers."""
    data_sets: int = 1
    """How many synthetic files are made."""
    replicas: Literal["holdout", "allow"] = "holdout"
    """Whether records that are like nobody else come up again hardly more often than those of a hold-out would, or as
    often as their leaves repeat them."""

    def __post_init__(self) -> None:
        check_wishes(self.attributes, self.records, self.data_sets, self.name)
        check_extremes(self.extremes)
        if self.replicas not in ("holdout", "allow"):
            raise UsageError("'replicas' is neither holdout nor allow", do="use one of them")
        if self.minimum_leaf < 2:
            raise UsageError(
                "'minimum_leaf' is below 2: a leaf of one record is the record", do="give 2 or more; 5 is usual"
            )
        if self.visit_sequence:
            each_named_once(self.visit_sequence, self.name)
            if self.attributes and (other := [n for n in self.visit_sequence if n not in self.attributes]):
                raise UsageError(
                    f"'{other[0]}' is to be visited and not to be replaced", do="name it in 'attributes' too"
                )

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return synthetic records."""
        sequence = self._sequence(records)
        check_enough(records, self.minimum_leaf)
        notes = check_synthesisable(records, sequence, self.minimum_leaf)
        count = len(records) if self.records is None else self.records
        kept = [name for name in records.names if name not in sequence]
        files: list[dict[str, Values]] = [dict(records.columns) for _ in range(self.data_sets)]
        known = [self._predictor(records, name, files) for name in kept]
        apart = self._apart(records, kept, count, random)
        for place, name in enumerate(sequence):
            progress(Step(f"{self.name}: {name}", place, len(sequence)))
            columns = self._drawn(records[name], known, count, random, apart)
            for file, column in zip(files, columns, strict=True):
                file[name] = column
            known.append(self._predictor(records, name, files))
            apart = None if apart is None else apart.with_column(records[name], columns)
        return together([Records(file) for file in files], bool(self.attributes), {}, notes)

    def _apart(self, records: Records, kept: Sequence[str], count: int, random: np.random.Generator) -> Apart | None:
        """Return who lends to whom, so that records do not become donors; None if they may."""
        if self.replicas == "allow":
            return None
        counts = [count] * self.data_sets
        apart = Apart.of(len(records), counts, self.minimum_leaf, random, in_place=bool(self.attributes))
        for name in kept:
            apart = apart.with_column(records[name], [records[name]] * self.data_sets)
        return apart

    def _sequence(self, records: Records) -> tuple[str, ...]:
        wanted = self.attributes or records.names
        for name in (*wanted, *self.visit_sequence):
            if name not in records.columns:
                known = did_you_mean(name, records.names)
                raise UsageError(f"no attribute '{name}'{known}", do="name attributes of the file")
        return tuple(dict.fromkeys((*self.visit_sequence, *wanted)))

    def _predictor(self, records: Records, name: str, files: Sequence[dict[str, Values]]) -> Predictor:
        return Predictor.of(records[name], tuple(file[name] for file in files), self.minimum_leaf)

    def _drawn(
        self, column: Values, known: Sequence[Predictor], count: int, random: np.random.Generator, apart: Apart | None
    ) -> list[Values]:
        """Return an attribute of every synthetic file."""
        if isinstance(column, Categories):
            return self._categories(column, known, count, random, apart)
        present = np.flatnonzero(~column.missing)
        if self.attributes:
            wanted = [present] * self.data_sets
        elif len(present) in {0, len(column)}:
            wanted = [np.arange(count if len(present) else 0)] * self.data_sets
        else:
            missing = column.missing.astype(np.int64)
            everyone = np.arange(len(column))
            everyone_ = [np.arange(count)] * self.data_sets
            few = None if apart is None else apart.set_aside(Numbers.of(missing), self.minimum_leaf)
            is_missing = self._from_donors(missing, known, everyone, everyone_, count, random, apart, few)
            wanted = [np.flatnonzero(missing[donors] == 0) for donors, _ in is_missing]
        values = column.values[present]
        columns: list[Values] = []
        few = None if apart is None else self._few(column, present, apart)
        drawn = self._from_donors(values, known, present, wanted, count, random, apart, few)
        for rows, (donors, leaf) in zip(wanted, drawn, strict=True):
            numbers = np.full(count, np.nan)
            if len(rows):
                least = self.minimum_leaf
                numbers[rows] = (
                    smoothed(values, leaf, donors, least, self.extremes, random) if self.smoothing else values[donors]
                )
            columns.append(as_released(column, numbers))
        return columns

    def _few(self, column: Numbers, present: Whole, apart: Apart) -> NDArray[np.bool_]:
        """Return which numbers are too few people's to be lent to records like these; moved ones are nobody's."""
        few = apart.set_aside(column, self.minimum_leaf)[present]
        if self.smoothing:
            order = np.argsort(column.values[present], kind="stable")
            few[order] &= shared(column.values[present][order], self.minimum_leaf)
        return few

    def _categories(
        self,
        column: Categories,
        known: Sequence[Predictor],
        count: int,
        random: np.random.Generator,
        apart: Apart | None,
    ) -> list[Values]:
        fixed = bool(self.attributes)  # partially synthetic: what is missing stays missing
        rows = np.flatnonzero(~column.missing) if fixed else np.arange(len(column))
        codes = column.codes[rows].astype(np.int64)
        wanted = [rows if fixed else np.arange(count)] * self.data_sets
        columns: list[Values] = []
        few = None if apart is None else apart.set_aside(column, self.minimum_leaf)[rows]
        drawn = self._from_donors(codes, known, rows, wanted, count, random, apart, few)
        for at, (donors, _) in zip(wanted, drawn, strict=True):
            drawn_codes = np.full(count, -1, dtype=np.int32)
            drawn_codes[at] = codes[donors]
            columns.append(column.with_codes(drawn_codes))
        return columns

    def _from_donors(
        self,
        target: NDArray[np.float64] | Whole,
        known: Sequence[Predictor],
        rows: Whole,
        wanted: Sequence[Whole],
        count: int,
        random: np.random.Generator,
        apart: Apart | None,
        few: NDArray[np.bool_] | None,
    ) -> list[tuple[Whole, Whole]]:
        """Return for each file donors of its wanted records, as places of the target, and the leaves of all donors."""
        if not len(rows):
            return [(rows, rows) for _ in wanted]
        several = self.data_sets > 1
        if apart is not None and few is not None:
            return apart.lent(target, known, rows, few, wanted, self.minimum_leaf, random, bootstrap=several)
        donors = grown(target, known, rows, [count] * self.data_sets, self.minimum_leaf, random)
        return [(donors.drawn(f, at, random, bootstrap=several), donors.leaf) for f, at in enumerate(wanted)]
