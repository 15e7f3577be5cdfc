"""Routes: which record is changed first, and which of its cells (section 4.4 of the VADA-SA paper).

Both orders can be chosen by name. Ties go to the record that stands first in the file and to the attribute that was
named first, so the same data always give the same answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from tacita.cycle.suppression.look_alikes import LookAlikes
from tacita.cycle.suppression.repair import AttributeOrder, MostGained
from tacita.cycle.suppression.requirement import Requirement
from tacita.cycle.suppression.smallest import Costs
from tacita.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

DIGITS = 12
"""Threads add weights in any order: risks that differ only beyond these decimals are equal."""


class TupleOrder(StrEnum):
    """Which risky record is looked at first."""

    LESS_SIGNIFICANT_FIRST = "less-significant-first"
    """The one with the smallest weight."""
    MOST_RISKY_FIRST = "most-risky-first"
    """The one with the largest risk."""
    FILE_ORDER = "file-order"
    """The one that stands first in the file."""


class AttributeRoute(StrEnum):
    """Which cell of a record is suppressed first."""

    FEWEST_NULLS = "fewest-nulls"
    """Not one record after the other: where it repairs most records for the price (default)."""
    MOST_RISKY_FIRST = "most-risky-first"
    """The cell whose suppression lowers the risk of the record most."""
    MOST_SELECTIVE_FIRST = "most-selective-first"
    """The cell of the attribute with the most different values."""
    RAREST_VALUE_FIRST = "rarest-value-first"
    """The cell whose value is the rarest of its attribute."""
    LEAST_IMPORTANT_FIRST = "least-important-first"
    """The cell of the attribute of least importance."""


def route_named(name: str, kind: type[StrEnum]) -> StrEnum:
    """Return the order of that name; underscores do for hyphens.

    >>> route_named("most_risky_first", TupleOrder).value
    'most-risky-first'
    """
    wanted = name.strip().casefold().replace("_", "-")
    for member in kind:
        if member.value == wanted:
            return member
    names = [member.value for member in kind]
    raise UsageError(f"no order '{name}'{did_you_mean(wanted, names)}", do=f"choose one of: {', '.join(names)}")


def ranks(order: TupleOrder, rows: Sequence[int], weights: Sequence[float], risks: Sequence[float]) -> list[int]:
    """Return the place of each record in an order.

    >>> ranks(TupleOrder.LESS_SIGNIFICANT_FIRST, [1, 2, 3], [60.0, 30.0, 30.0], [1.0, 1.0, 1.0])
    [2, 0, 1]
    """
    risks = [round(risk, DIGITS) for risk in risks]
    keys: dict[TupleOrder, Any] = {
        TupleOrder.LESS_SIGNIFICANT_FIRST: lambda i: (weights[i], -risks[i], rows[i]),
        TupleOrder.MOST_RISKY_FIRST: lambda i: (-risks[i], weights[i], rows[i]),
        TupleOrder.FILE_ORDER: lambda i: rows[i],
    }
    placed = sorted(range(len(rows)), key=keys[order])
    places = [0] * len(rows)
    for place, record in enumerate(placed):
        places[record] = place
    return places


@dataclass(frozen=True, slots=True)
class InOrder:
    """Suppresses attributes in a fixed order, which may differ from record to record."""

    merits: Sequence[Sequence[float]]
    """By attribute: one figure, or one for each record; the smallest goes first."""

    def next(
        self, alike: LookAlikes, requirement: Requirement, costs: Costs, record: int, places: Sequence[int]
    ) -> int:
        """Return the attribute; the first of equal ones."""
        return min(places, key=lambda p: self.merits[p][record if len(self.merits[p]) > 1 else 0])


class MostLowered:
    """Suppresses the cell whose suppression lowers the risk most, and adds most look-alikes among equal ones."""

    def next(
        self, alike: LookAlikes, requirement: Requirement, costs: Costs, record: int, places: Sequence[int]
    ) -> int:
        """Return the attribute; the first of equal ones."""

        def merit(place: int) -> tuple[float, float]:
            count = alike.if_known(record, alike.known[record] & ~(1 << place))
            return (-round(requirement.risk(count), DIGITS), count.certain + requirement.alpha * count.leaning)

        return max(places, key=merit)


def attribute_order(
    route: AttributeRoute | Sequence[str],
    known: Sequence[str],
    importance: Sequence[float],
    distinct: Sequence[int],
    occurrences: Sequence[Sequence[float]],
) -> AttributeOrder:
    """Return the order of the cells of a record.

    `distinct` are the different values of each attribute, `occurrences` how often the value of each record occurs.
    """
    if not isinstance(route, AttributeRoute):
        given: Mapping[str, int] = {name: place for place, name in enumerate(route)}
        if strange := [name for name in given if name not in known]:
            raise UsageError(
                f"the order names '{strange[0]}', which is no known attribute{did_you_mean(strange[0], list(known))}",
                do=f"name some of: {', '.join(known)}",
            )
        return InOrder([[float(given.get(name, len(given)))] for name in known])
    match route:
        case AttributeRoute.MOST_SELECTIVE_FIRST:
            return InOrder([[-float(n)] for n in distinct])
        case AttributeRoute.LEAST_IMPORTANT_FIRST:
            return InOrder([[weight] for weight in importance])
        case AttributeRoute.RAREST_VALUE_FIRST:
            return InOrder(occurrences)
        case AttributeRoute.MOST_RISKY_FIRST:
            return MostLowered()
    return MostGained()
