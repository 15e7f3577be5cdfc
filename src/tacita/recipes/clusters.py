"""Records that belong together: methods that treat a household as one, and attributes whose values its members share.

What all members of a household have in common, such as its region or income, must stay common. Masked record by record
its members differ afterwards, which shows what was changed and makes impossible households.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.engines.records import records_of
from tacita.errors import InputError, UsageError, listed
from tacita.masking.method import Method, Treated
from tacita.masking.within import treated_within
from tacita.model.attribute import Category
from tacita.model.microdata import Microdata
from tacita.model.records import Records, same_values
from tacita.progress import Progress


@dataclass(frozen=True, slots=True, eq=False)
class RecordClusters:
    """Which records belong together."""

    key: str
    which: NDArray[np.int64]
    """For each record its cluster, from 0; a record without a key is a cluster of its own."""
    first: NDArray[np.int64]
    """For each cluster the place of its first record."""

    @classmethod
    def of(cls, microdata: Microdata) -> RecordClusters | None:
        """Return the clusters of microdata; None if there is no key, or no cluster has two records."""
        keys = microdata.dictionary.of(Category.CLUSTER_KEY)
        if not keys:
            return None
        codes = records_of(microdata, [keys[0].name]).categories(keys[0].name).codes.astype(np.int64)
        alone = codes < 0
        codes[alone] = codes.max(initial=-1) + 1 + np.arange(int(alone.sum()))
        _, first, which = np.unique(codes, return_index=True, return_inverse=True)
        return cls(keys[0].name, which.reshape(-1), first) if len(first) < len(codes) else None

    def shared(self, records: Records, names: Iterable[str]) -> tuple[str, ...]:
        """Return those attributes of which the members of every cluster have the same value.

        >>> from tacita.model.records import Categories
        >>> homes = RecordClusters("home", np.array([0, 0, 1]), np.array([0, 2]))
        >>> people = Records({"area": Categories.of(["a", "a", "b"]), "sex": Categories.of(["f", "m", "m"])})
        >>> homes.shared(people, ["area", "sex"])
        ('area',)
        """
        own = self.first[self.which]
        return tuple(n for n in names if bool(np.all((c := records.categories(n).codes) == c[own])))


def treat_by_cluster(
    method: Method,
    records: Records,
    within: Sequence[str],
    clusters: RecordClusters | None,
    random: np.random.Generator,
    progress: Progress,
) -> Treated:
    """Return records of which a method treated one of each cluster, and all members got its values."""
    if clusters is None:
        raise UsageError(
            "a step is to be carried out by cluster, but no attribute tells which records belong together",
            do="name the household key with --cluster or in the dictionary, or leave 'by_cluster' out",
        )
    used = [name for name in (*method.attributes, *within) if name in records.columns]
    if differing := sorted(set(used) - set(clusters.shared(records, used))):
        raise InputError(
            f"{listed(differing)} differs between records of the same '{clusters.key}'",
            do="name attributes that are the same for all members, or leave 'by_cluster' out",
        )
    ones = records.taken(clusters.first)
    treated = treated_within(method, ones, within, random, progress)
    in_place = treated.origin is not None and np.array_equal(treated.origin, np.arange(len(ones)))
    if not in_place or set(ones.names) - set(treated.records.names):
        raise UsageError(f"'{method.name}' cannot be carried out by cluster", do="leave 'by_cluster' out")
    changed = {
        name: column.taken(clusters.which)
        for name, column in treated.records.columns.items()
        if name not in ones.columns or not same_values(ones[name], column)
    }
    groups = None if treated.groups is None else treated.groups[clusters.which]
    return replace(treated, records=records.with_columns(changed), origin=np.arange(len(records)), groups=groups)


def torn_apart(
    clusters: RecordClusters | None, before: Records, after: Records, names: Sequence[str]
) -> tuple[str, ...]:
    """Return a note on attributes that members of a cluster had in common and have no longer."""
    if clusters is None or len(before) != len(after):
        return ()
    common = clusters.shared(before, [name for name in names if name in before.columns and name in after.columns])
    lost = [name for name in common if name not in clusters.shared(after, common)]
    if not lost:
        return ()
    return (
        f"{listed(lost, 12)} was the same for all records of one '{clusters.key}' and is not any more: that shows what "
        "was changed; add by_cluster = true to a step with these attributes",
    )
