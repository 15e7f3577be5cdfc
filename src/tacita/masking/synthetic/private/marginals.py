"""Synthetic records with differential privacy: noisy tables of attributes and pairs, and a tree drawn from them.

The argument why it is private is in `marginals.md`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, did_you_mean
from tacita.masking.method import Treated
from tacita.masking.noise.laplace import checked_bounds, epsilon_of_each
from tacita.masking.synthetic.preparation import check_wishes
from tacita.masking.synthetic.private.domains import Domain, binned, listed_categories
from tacita.masking.synthetic.private.tables import SENSITIVITY, chosen, counted, cross_counted, noisy
from tacita.masking.synthetic.private.tree_model import Pair, TreeModel
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
_MOST_CELLS = 1_000_000


@dataclass(frozen=True, slots=True)
class SyntheticMarginals:
    """Records are drawn from tables of single attributes and of pairs that form a tree, all of them with noise.

    1. Every attribute becomes cells: its categories, as listed in `categories` or in its hierarchy, or `bins` between
    `bounds`. 2. The table of every attribute gets Laplace noise. 3. Pairs are chosen one after the other so that they
    form a tree, each time nearly the pair whose table is farthest, in absolute differences, from what the single tables
    say, less the noise that its own table would have; or they are given. 4. The table of every chosen pair gets Laplace
    noise. 5. Tables are made to agree, and records are drawn from the tree; a number lies anywhere in its bin.
    Epsilon goes in equal parts to 2, 3 and 4; to 2 and 4 if the pairs are given.

    What it guarantees: epsilon-differential privacy of the whole result, files being neighbours if they have equally
    many records and one record has other values. What it does not: the number of records is public; a person with m
    records has m times epsilon, and so has a file that is synthesised m times. Bounds, categories, bins, given pairs
    and which attributes may be missing must come from knowledge of the subject. Numbers beyond the bounds count as the
    bounds; a category or a missing value that was not foreseen is an error, seen by the steward and not released.

    The noise is opendp's and does not follow the seed. Source: R. McKenna, G. Miklau and D. Sheldon, Winning the NIST
    contest: a scalable and general approach to differentially private synthetic data, Journal of Privacy and
    Confidentiality 11 (2021), the method MST, here with pure epsilon and Laplace noise; the correction of scores as in
    R. McKenna and others, AIM (2022).

    >>> from tacita.model.records import Categories, Numbers
    >>> draw = np.random.default_rng(1)
    >>> age = draw.integers(18, 80, 3000)
    >>> people = Records({
    ...     "age": Numbers.of(age, is_whole=True), "works": Categories.of(["no" if a > 64 else "yes" for a in age])
    ... })
    >>> method = SyntheticMarginals(epsilon=5, bounds={"age": (18, 79)}, categories={"works": ("no", "yes")})
    >>> found = method.treated(people, np.random.default_rng(2))
    >>> len(found.records), found.figures["scale of tables of one attribute"].__round__(2)
    (3000, 2.4)
    """

    name: ClassVar[str] = "synthetic-marginals"
    promises: ClassVar[str] = "The whole synthetic file is epsilon-differentially private."
    limits: ClassVar[str] = (
        "Only the tables of single attributes and of the pairs in the tree are kept, with noise; numbers are as coarse "
        "as their bins; the noise is not repeatable."
    )
    is_random: ClassVar[bool] = True
    is_repeatable: ClassVar[bool] = False
    """The noise comes from a secure source, not from the seed."""

    epsilon: float
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=lambda: MappingProxyType({}))
    """The lowest and highest value that each number can have."""
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """All values that each category can have; not needed where a hierarchy lists them."""
    bins: int = 20
    """Into how many bins numbers are put."""
    may_be_missing: tuple[str, ...] = ()
    """Attributes of which values may be missing: missing is then one more value."""
    pairs: tuple[tuple[str, str], ...] | None = None
    """Pairs of attributes to keep, without a circle; chosen privately, unless given."""
    records: int | None = None
    """How many to invent; as many as there are, unless given."""

    def __post_init__(self) -> None:
        if self.bounds:
            object.__setattr__(self, "bounds", checked_bounds(self.bounds, self.name))
        object.__setattr__(self, "categories", MappingProxyType(dict(self.categories)))
        epsilon_of_each(self.epsilon, None, ["all"])
        check_wishes((), self.records, 1, self.name)
        if self.bins < 2:
            raise UsageError("'bins' is below 2", do="give into how many bins numbers are put, such as 20")
        for name, values in self.categories.items():
            if not values or len(set(values)) < len(values):
                raise UsageError(f"'{name}' has no categories, or one of them twice", do="list each category once")
        _check_tree(self.pairs or ())

    @property
    def attributes(self) -> tuple[str, ...]:
        """None in particular: all are synthesised."""
        return ()

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return synthetic records."""
        self._check_names(records)
        if not len(records) or not records.names:
            raise InputError("there is no record to synthesise", do="give records, and their attributes")
        domains = {name: self._domain(records, name) for name in records.names}
        for one, two in self.pairs if self.pairs is not None else combinations(domains, 2):
            _sizes(domains[one], domains[two])
        codes = {name: domain.codes(records) for name, domain in domains.items()}
        parts = self._parts(len(domains))
        progress(Step(self.name, 0, 3))
        single = {name: noisy(counted(codes[name], domains[name].size), parts["one"]) for name in domains}
        progress(Step(self.name, 1, 3))
        pairs = self._chosen(codes, domains, single, parts) if self.pairs is None else self.pairs
        progress(Step(self.name, 2, 3))
        tables = {
            (a, b): noisy(cross_counted(codes[a], codes[b], _sizes(domains[a], domains[b])), parts["two"], progress)
            for a, b in pairs
        }
        scales = SENSITIVITY / parts["one"], SENSITIVITY / parts["two"]
        model = TreeModel.of(single, tables, len(records), scales)
        drawn = model.drawn(len(records) if self.records is None else self.records, random)
        columns = {name: domains[name].column(drawn[name], records[name], random) for name in records.names}
        figures = {"epsilon": self.epsilon, "scale of tables of one attribute": scales[0]}
        notes: tuple[str, ...] = ()
        if pairs:
            figures["scale of tables of two attributes"] = scales[1]
            notes = ("pairs of attributes that are kept: " + "; ".join(f"{a} and {b}" for a, b in pairs),)
        return Treated(Records(columns), None, None, MappingProxyType(figures), notes=notes)

    def _check_names(self, records: Records) -> None:
        named = [*self.bounds, *self.categories, *self.may_be_missing, *(n for pair in self.pairs or () for n in pair)]
        for name in named:
            if name not in records.columns:
                raise UsageError(
                    f"no attribute '{name}'{did_you_mean(name, records.names)}", do="name attributes of the file"
                )

    def _domain(self, records: Records, name: str) -> Domain:
        missing = name in self.may_be_missing
        if name in self.bounds:
            return binned(name, records[name], self.bounds[name], self.bins, missing)
        return listed_categories(name, records[name], self.categories.get(name), missing)

    def _parts(self, count: int) -> dict[str, float]:
        """Return the epsilon of each table of one attribute, of each choice, and of each table of two.

        They add up to no more than epsilon over `count` tables and `count` - 1 choices, or as many pairs as are given.
        """
        pairs = count - 1 if self.pairs is None else len(self.pairs)
        numbers = {"one": count, "choice": pairs if self.pairs is None else 0, "two": pairs}
        used = [stage for stage, number in numbers.items() if number]
        shares = epsilon_of_each(self.epsilon, None, used)
        budgets = {stage: shares[stage] / numbers[stage] for stage in used}
        # Summed exactly: rounding must not spend more than there is.
        while sum(Fraction(budgets[stage]) * numbers[stage] for stage in used) > Fraction(self.epsilon):
            budgets = {stage: math.nextafter(part, 0) for stage, part in budgets.items()}
        return {"two": math.inf, "choice": math.inf} | budgets

    def _chosen(
        self,
        codes: Mapping[str, Whole],
        domains: Mapping[str, Domain],
        single: Mapping[str, Array],
        parts: Mapping[str, float],
    ) -> tuple[Pair, ...]:
        """Return the pairs of a tree, each chosen privately among those that close no circle."""
        total = len(next(iter(codes.values())))
        candidates = list(combinations(domains, 2))
        if not candidates:
            return ()
        scores = np.empty(len(candidates), dtype=np.int64)
        for place, (a, b) in enumerate(candidates):
            sizes = _sizes(domains[a], domains[b])
            # Only whole numbers that do not depend on the data are subtracted: the score changes by 2 at most.
            expected = np.rint(np.outer(*(np.maximum(single[n], 0) / total for n in (a, b))) * total).astype(np.int64)
            noise = int(sizes[0] * sizes[1] * SENSITIVITY / parts["two"])
            scores[place] = np.abs(cross_counted(codes[a], codes[b], sizes) - expected).sum() - noise
        tree: list[Pair] = []
        part_of = {name: name for name in domains}
        while len(tree) < len(domains) - 1:
            open_ = [place for place, (a, b) in enumerate(candidates) if part_of[a] != part_of[b]]
            a, b = candidates[open_[chosen(scores[open_], parts["choice"])]]
            tree.append((a, b))
            joined = part_of[b]
            part_of = {name: part_of[a] if part == joined else part for name, part in part_of.items()}
        return tuple(tree)


def _sizes(one: Domain, two: Domain) -> tuple[int, int]:
    """Return the rows and columns of the table of two attributes, or raise if it has too many cells."""
    if (cells := one.size * two.size) > _MOST_CELLS:
        raise UsageError(
            f"the table of '{one.name}' and '{two.name}' has {cells:,} cells", do="use fewer bins or coarser categories"
        )
    return one.size, two.size


def _check_tree(pairs: Sequence[Pair]) -> None:
    part_of: dict[str, str] = {}
    for a, b in pairs:
        one, two = part_of.setdefault(a, a), part_of.setdefault(b, b)
        if one == two:
            raise UsageError(
                f"with the pair of '{a}' and '{b}' the pairs form a circle", do="leave out one of the pairs in it"
            )
        part_of = {name: one if part == two else part for name, part in part_of.items()}
