"""Merges of codes that remove sensitive cells: proposals for one, and one after the other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError, did_you_mean, listed
from tacita.model.table import Table
from tacita.progress import Progress, Step, silent
from tacita.tables.recoding.granularity import granularity
from tacita.tables.recoding.merge import Merge, is_closed, neighbours, subtree
from tacita.tables.recoding.recoded import recoded
from tacita.tables.sensitivity.assess import assess
from tacita.tables.sensitivity.contributors import counts_of
from tacita.tables.sensitivity.rule import SensitivityRule


@dataclass(frozen=True, slots=True)
class Figures:
    """How many cells there are, how many have contributors, how many of them are sensitive and how many hyper-rows
    have a critical granularity; and how many codes each dimension has.
    """

    cells: int
    occupied: int
    sensitive: int
    critical_rows: int
    codes: tuple[int, ...]

    @property
    def safe(self) -> int:
        """Cells with contributors that can be shown."""
        return self.occupied - self.sensitive

    def __str__(self) -> str:
        size = " x ".join(str(code) for code in self.codes)
        return (
            f"{size} codes, {self.occupied} occupied cells, {self.sensitive} sensitive, "
            f"{self.critical_rows} rows of critical granularity"
        )


def figures(table: Table, rules: Sequence[SensitivityRule]) -> Figures:
    """Return the figures of a table under some rules. Sensitive empty cells are counted as occupied: they tell."""
    sensitive = assess(table, rules).sensitive
    occupied = (counts_of(table, "recoding") > 0) | sensitive
    rows = granularity(table).critical
    codes = tuple(len(dimension.codes) for dimension in table.dimensions)
    return Figures(len(table), int(np.count_nonzero(occupied)), int(np.count_nonzero(sensitive)), len(rows), codes)


@dataclass(frozen=True, slots=True)
class RecodingProposal:
    """A merge, with the table's figures before and after it."""

    merge: Merge
    before: Figures
    after: Figures

    @property
    def removed(self) -> int:
        """How many sensitive cells it removes."""
        return self.before.sensitive - self.after.sensitive

    @property
    def lost(self) -> int:
        """The detail that it costs: by how many fewer safe cells the table shows."""
        return max(self.before.safe - self.after.safe, 0)

    @property
    def gain(self) -> float:
        """Sensitive cells removed for each unit of detail lost, the merge itself counted as one."""
        return self.removed / (1 + self.lost)

    def __str__(self) -> str:
        return (
            f"{self.merge}: sensitive cells {self.before.sensitive} -> {self.after.sensitive}, "
            f"safe cells {self.before.safe} -> {self.after.safe}"
        )


def propose_recodings(
    table: Table,
    rules: Sequence[SensitivityRule],
    *,
    ordered: Collection[str] = (),
    at_least: Mapping[str, int] | None = None,
    limit: int = 10,
) -> tuple[RecodingProposal, ...]:
    """Return the best merges, each by itself, that remove sensitive cells; the one with the largest `gain` first.

    Candidates are every code with parts, as the top that its subtree becomes (the total of a dimension excepted: that
    would drop the dimension), and, for the dimensions in `ordered`, each two neighbouring leaves of a sum. Merges of
    neighbours in a table of magnitudes are refused where the contributors of the union are not known: see `recoded`.
    `at_least` says how many leaves a dimension must keep.
    """
    if limit < 1:
        raise UsageError(f"limit is {limit}", where="recoding", do="ask for at least one proposal")
    names = [one.name for one in table.dimensions]
    for name in (*ordered, *(at_least or ())):
        if name not in names:
            raise UsageError(
                f"no dimension '{name}'{did_you_mean(name, names)}", where="recoding", do=f"use one of: {listed(names)}"
            )
    sensitive = assess(table, rules).sensitive
    if not sensitive.any():
        return ()
    safe = (counts_of(table, "recoding") > 0) & ~sensitive
    candidates = [one for one in _candidates(table, ordered) if _keeps(table, one, at_least or {})]
    merges = sorted(
        ((_estimate(table, merge, rules, sensitive, safe), at, merge) for at, merge in enumerate(candidates)),
        key=lambda one: (-one[0], one[1]),
    )
    before = figures(table, rules)
    proposals = [
        RecodingProposal(merge, before, figures(recoded(table, merge), rules))
        for gain, _, merge in merges[:limit]
        if gain > 0
    ]
    return tuple(sorted((one for one in proposals if one.removed > 0), key=lambda one: (-one.gain, -one.removed)))


def _candidates(table: Table, ordered: Collection[str]) -> Iterable[Merge]:
    for dimension in table.dimensions:
        tops = dict.fromkeys(sum_.total for sum_ in dimension.sums if sum_.total != dimension.total)
        below = (subtree(dimension, top) for top in tops)
        yield from (merge for merge in below if is_closed(dimension, merge))
        if dimension.name not in ordered:
            continue
        leaves = set(dimension.leaves)
        pairs: dict[tuple[str, str], None] = {}
        for sum_ in dimension.sums:
            if len(sum_.parts) > 2:  # two parts of a sum that become one are their total
                pairs |= dict.fromkeys(
                    pair for pair in zip(sum_.parts, sum_.parts[1:], strict=False) if leaves >= {*pair}
                )
        for one, other in pairs:
            if all((one in sum_.parts) == (other in sum_.parts) for sum_ in dimension.sums):
                yield neighbours(dimension, one, other)


def _keeps(table: Table, merge: Merge, at_least: Mapping[str, int]) -> bool:
    dimension = next(one for one in table.dimensions if one.name == merge.dimension)
    gone = set(merge.codes) & set(dimension.leaves)
    return len(dimension.leaves) - len(gone) + 1 >= at_least.get(dimension.name, 1)


def _estimate(
    table: Table,
    merge: Merge,
    rules: Sequence[SensitivityRule],
    sensitive: NDArray[np.bool_],
    safe: NDArray[np.bool_],
) -> float:
    """Return the gain of a merge; of a subtree without trying it out, as if each cell were judged by itself."""
    place = [one.name for one in table.dimensions].index(merge.dimension)
    dimension = table.dimensions[place]
    if merge.into in dimension:
        gone = np.array([code in set(merge.codes) for code in dimension.codes])[table.codes[:, place]]
        return float(np.count_nonzero(sensitive & gone) / (1 + np.count_nonzero(safe & gone)))
    after = recoded(table, merge)
    then = assess(after, rules).sensitive
    lost = int(safe.sum()) - int(((counts_of(after, "recoding") > 0) & ~then).sum())
    return (int(sensitive.sum()) - int(then.sum())) / (1 + max(lost, 0))


@dataclass(frozen=True, slots=True)
class Recoding:
    """The merges that were made, in order, and the table after them."""

    steps: tuple[RecodingProposal, ...]
    table: Table

    @property
    def sensitive(self) -> tuple[int, ...]:
        """The number of sensitive cells before the first step, and after each."""
        return tuple(
            [self.steps[0].before.sensitive, *(step.after.sensitive for step in self.steps)] if self.steps else []
        )


def recode(
    table: Table,
    rules: Sequence[SensitivityRule],
    *,
    ordered: Collection[str] = (),
    sensitive: int = 0,
    at_least: Mapping[str, int] | None = None,
    steps: int = 100,
    progress: Progress = silent,
) -> Recoding:
    """Return the table after the best merges, one at a time, until at most `sensitive` cells are sensitive.

    It is greedy: each step is the best proposal for the table that the earlier ones made, and it stops where no single
    merge removes a sensitive cell, or after `steps`. `at_least` says how many leaves a dimension must keep. It is a
    suggestion: which categories may be merged is a question of what they mean.
    """
    if sensitive < 0 or steps < 0:
        raise UsageError("a negative number of cells or steps", where="recoding", do="give numbers from 0 upwards")
    taken: list[RecodingProposal] = []
    while len(taken) < steps and (not taken or taken[-1].after.sensitive > sensitive):
        proposals = propose_recodings(table, rules, ordered=ordered, at_least=at_least)
        if not proposals or proposals[0].before.sensitive <= sensitive:
            break
        taken.append(proposals[0])
        table = recoded(table, proposals[0].merge)
        before = taken[0].before.sensitive
        progress(Step("merging categories", before - proposals[0].after.sensitive, before - sensitive))
    return Recoding(tuple(taken), table)
