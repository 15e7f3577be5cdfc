"""A merge of categories: a subtree into its top, or neighbours into one."""

from __future__ import annotations

from dataclasses import dataclass

from tacita.errors import InputError, UsageError, did_you_mean, listed
from tacita.model.table import Dimension, Table


@dataclass(frozen=True, slots=True)
class Merge:
    """Categories of a dimension that become one.

    If `into` is a code of the dimension, everything below it is dropped, and it stays as it is. Otherwise it is a new
    code in place of `codes`, which are leaves and parts of the same sums.

    >>> str(Merge("size", ("10-49", "50-99"), "10-99"))
    "size: '10-49', '50-99' become '10-99'"
    """

    dimension: str
    codes: tuple[str, ...]
    into: str

    def __str__(self) -> str:
        return f"{self.dimension}: {listed([repr(code) for code in self.codes], 6)} become '{self.into}'"


def subtree(dimension: Dimension, top: str) -> Merge:
    """Return the merge of all that is below a code into it."""
    below: list[str] = []
    waiting = [top]
    while waiting:
        code = waiting.pop()
        parts = [part for sum_ in dimension.sums if sum_.total == code for part in sum_.parts]
        below += [part for part in parts if part not in below]
        waiting += parts
    if not below:
        raise InputError(
            f"nothing is below '{top}'", where=f"dimension '{dimension.name}'", do="name a code with parts"
        )
    return Merge(dimension.name, tuple(code for code in dimension.codes if code in set(below)), top)


def neighbours(dimension: Dimension, *codes: str, into: str = "") -> Merge:
    """Return the merge of some leaves into a new code."""
    return Merge(dimension.name, codes, into or " + ".join(codes))


def checked_dimension(table: Table, merge: Merge) -> int:
    """Return the place of the dimension of a merge; raise if the merge does not fit the table."""
    names = [one.name for one in table.dimensions]
    if merge.dimension not in names:
        raise UsageError(
            f"no dimension '{merge.dimension}'{did_you_mean(merge.dimension, names)}",
            where="recoding",
            do=f"use one of: {listed(names)}",
        )
    place = names.index(merge.dimension)
    dimension = table.dimensions[place]
    where = f"dimension '{dimension.name}'"
    unknown = [code for code in merge.codes if code not in dimension]
    if unknown:
        near = did_you_mean(unknown[0], dimension.codes)
        raise UsageError(f"no code '{unknown[0]}'{near}", where=where, do="merge codes of the dimension")
    if merge.into in dimension:
        if set(subtree(dimension, merge.into).codes) != set(merge.codes):
            raise InputError(
                f"'{merge.into}' is a code already, and not the sum of what is merged",
                where=where,
                do="merge all that is below a code into it, or give the merged category a new code",
            )
        if not is_closed(dimension, merge):
            raise InputError(
                f"codes below '{merge.into}' are parts of other sums as well",
                where=where,
                do="merge along one hierarchy only where the other one can be given up: leave it out of the table",
            )
        return place
    if len(set(merge.codes)) < 2 or len(set(merge.codes)) < len(merge.codes):
        raise InputError("fewer than two different codes to merge", where=where, do="name at least two codes")
    sums = [{at for at, one in enumerate(dimension.sums) if code in one.parts} for code in merge.codes]
    if any(code not in dimension.leaves for code in merge.codes) or any(one != sums[0] for one in sums):
        raise InputError(
            "codes to be merged are not leaves of the same sums",
            where=where,
            do="merge leaves under one total, or a whole subtree into its top",
        )
    return place


def is_closed(dimension: Dimension, merge: Merge) -> bool:
    """Return whether what is below a code is part of no sum elsewhere."""
    below = set(merge.codes)
    return all(
        sum_.total in below or sum_.total == merge.into or not below & set(sum_.parts) for sum_ in dimension.sums
    )
