"""The baseline: what is expected of the values of a target. Rare values are merged, zeros are never passed over."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tacita.errors import counted, listed
from tacita.gate.policy.cells import OTHER
from tacita.gate.policy.values import Bins, CellReader, ValueScheme

Codes = tuple[int, ...]
Fault = Callable[[str, str], None]
"""Takes the key of a policy, and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class BaselineOptions:
    """What is done with values that are rare, expected nowhere, or not listed."""

    merge_below: float | None = None
    """Values of which fewer records are expected are merged with others."""
    merge_records: float | None = None
    """The number of records of a target for which that is expected."""
    merge_zeros: bool = False
    """Whether values with a share of 0 are merged with others."""
    pseudo_count: float | None = None
    """Added to the count of each value, so that none has a share of 0."""
    merge_unlisted: bool = False
    """Whether values that the baseline does not list count as one, with the pseudo-count."""


def value_scheme(
    attributes: tuple[str, ...],
    readers: tuple[CellReader, ...],
    counts: Mapping[Codes, float],
    options: BaselineOptions,
    fault: Fault,
    *,
    shows_values: bool = True,
) -> ValueScheme | None:
    """Return the values with their shares; None after telling faults. `counts` may be shares as well."""
    names = {codes: _name(readers, codes) for codes in counts}
    if not counts or not sum(counts.values()) > 0:
        fault("baseline", "the baseline has no records")
        return None
    weights = {codes: count + (options.pseudo_count or 0.0) for codes, count in counts.items()}
    zeros = [names[codes] for codes, weight in weights.items() if weight == 0]
    if zeros and not options.merge_zeros:
        fault(
            "baseline",
            f"{counted(len(zeros), 'value')} with a share of 0: {listed(zeros)}. A single record of such a value has "
            "an "
            'infinite distance; say zeros = "merge" to merge it with another value, or pseudo_count = 0.5 to add '
            "that to the count of each value",
        )
        return None
    if options.merge_unlisted:
        if not options.pseudo_count:
            fault("unlisted", 'unlisted = "merge" needs pseudo_count: values that are not listed have no count')
            return None
        weights[()] = options.pseudo_count
        names[()] = OTHER
    total = sum(weights.values())
    groups = [[codes] for codes in weights]
    least = _least(options, total)
    if least > 0:
        is_ordered = len(readers) == 1 and isinstance(readers[0], Bins)
        groups = _merged(groups, weights, least, is_ordered=is_ordered)
    if len(groups) < 2:
        fault("baseline", "fewer than two values are left, so that no distribution can be unusual")
        return None
    return ValueScheme(
        attributes,
        readers,
        tuple(" + ".join(names[codes] for codes in group) for group in groups),
        tuple(sum(weights[codes] for codes in group) / total for group in groups),
        {codes: place for place, group in enumerate(groups) for codes in group},
        shows_values,
    )


def _name(readers: Sequence[CellReader], codes: Codes) -> str:
    return " | ".join(reader.labels[code] for reader, code in zip(readers, codes, strict=True))


def _least(options: BaselineOptions, total: float) -> float:
    """Return the least weight of a value that is not merged."""
    if options.merge_below is not None and options.merge_records:
        return options.merge_below / options.merge_records * total
    return 5e-324 if options.merge_zeros else 0.0


def _merged(
    groups: list[list[Codes]], weights: Mapping[Codes, float], least: float, *, is_ordered: bool
) -> list[list[Codes]]:
    """Return groups of at least a weight: bins are merged with a neighbour, categories with the next rarest ones."""

    def weight(group: list[Codes]) -> float:
        return sum(weights[codes] for codes in group)

    groups = sorted(groups) if is_ordered else list(groups)
    while len(groups) > 1 and weight(smallest := min(groups, key=weight)) < least:
        place = groups.index(smallest)
        if is_ordered:
            beside = [near for near in (place - 1, place + 1) if 0 <= near < len(groups)]
        else:
            beside = [near for near in range(len(groups)) if near != place]
        other = min(beside, key=lambda near: (weight(groups[near]), near))
        low, high = sorted((place, other))
        groups[low] = [*groups[low], *groups.pop(high)]
    return groups
