"""Interval publication: instead of withholding cells, publish for each of them an interval that protects.

Partial cell suppression (Fischetti and Salazar 2003). Cell c is published as [value - down, value + up]. An attacker
knows these intervals, the exact cells and all sums; a sensitive cell is protected when some table within the intervals
(a witness) has it at ``value + upper`` and another at ``value - lower``. The witnesses and the widths are columns of
one linear program that minimises the weighted sum of widths: no integers, and never less information than the best
suppression, whose attacker's intervals are one of its solutions. Large tables are solved by cutting planes.

Limits. An interval that is as narrow as its levels allow tells its middle to whoever knows the levels and the method,
and rounding its ends outwards helps little. With a secret seed widths and ends are drawn (see `placement`); exact ends,
and round ones without a seed, are for internal use. A sliding level is asked of the upper side, as far as there is
room, and of the lower one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted
from tacita.model.figures import share
from tacita.model.table import Knowledge, Levels, Table
from tacita.progress import Progress, Step, silent
from tacita.tables.intervals.contributors import ContributorNeeds, contributors_needs, unmet
from tacita.tables.intervals.cuts import cut_widths
from tacita.tables.intervals.deadline import Deadline
from tacita.tables.intervals.differences import Differences
from tacita.tables.intervals.placement import ends_outward, placed
from tacita.tables.intervals.program import Need, Room, Widths, joint_widths, needs_of, widened_by_whole
from tacita.tables.intervals.unions import with_unions
from tacita.tables.linear_program import Reals
from tacita.tables.reach import shortfalls
from tacita.tables.unit import unit_of
from tacita.tables.usable import names, require_levels, require_usable

_LARGEST_JOINT = 4_000


@dataclass(frozen=True, slots=True)
class PublishedIntervals:
    """The ends of each published interval; `exact` cells have both ends at their value.

    `width` is the weighted sum of widths with exact ends, `bound` what cannot be undercut (not a number: not known),
    `published_width` the plain sum of widths as published.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    exact: NDArray[np.bool_]
    width: float
    bound: float
    published_width: float
    notes: tuple[str, ...]


def publish_intervals(
    table: Table,
    levels: Levels,
    knowledge: Knowledge | None = None,
    *,
    weight: Literal["unity", "relative"] | Reals = "unity",
    ends: Literal["round", "exact"] = "round",
    seconds: float = 60.0,
    seed: int | None = None,
    unions: Sequence[tuple[NDArray[np.int64], float]] = (),
    progress: Progress = silent,
) -> PublishedIntervals:
    """Return intervals that protect every sensitive cell, of the least weighted width when time allows.

    `weight` is what a unit of width costs: the same everywhere, less in large cells ("relative"), or given. Cells
    that everybody knows (`knowledge.known`) are published exactly. With a secret `seed` widths and ends are drawn, as
    what is published needs. A contributor who alone stands behind a
    cell (`knowledge.owners`) attacks knowing it. `unions` are cells whose sum must stay unknown, and how wide that is.

    >>> from tacita.model.table import Dimension, Equations
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> codes = np.arange(3, dtype=np.int32).reshape(-1, 1)
    >>> table = Table("pay", (sex,), codes, np.array([90.0, 40, 50]), Equations.of([(0, (1, 2))]), is_count=False)
    >>> total = np.array([True, False, False])
    >>> known = Knowledge.of(3).knowing(total)
    >>> published = publish_intervals(table, Levels.of(3, np.array([1]), 4, 8), known, ends="exact")
    >>> published.lower.tolist(), published.upper.tolist()
    ([90.0, 36.0, 42.0], [90.0, 48.0, 54.0])
    """
    require_usable(table)
    require_levels(table, levels)
    knowledge = knowledge or Knowledge.of(len(table), integer=table.is_count)
    cells = len(table)
    if unions:
        table, levels, knowledge = with_unions(table, levels, knowledge, unions)
    deadline = Deadline(table.name, seconds)
    room = _room(table, knowledge)
    weights = _weights(table, weight)
    everybody = contributors_needs(levels, knowledge, room)
    _require_possible(table, _needs(levels, room), everybody, room, deadline, progress)
    if seed is not None:
        levels = placed(table, levels, room, seed)
    needs = _needs(levels, room)
    down, up = np.zeros(len(table)), np.zeros(len(table))
    bound = np.nan
    progress(Step("widening intervals", 0, len(needs)))
    notes = []
    if needs and seconds > 0:
        # Small programs are solved at once; the others by cuts, for as long as there is time.
        size = len(table) * (len(needs) + 2)
        widths = (joint_widths if size <= _LARGEST_JOINT else cut_widths)(
            table, needs, room, weights, deadline.search_end
        )
        if widths is not None:
            down, up, bound = widths
    missed = _missed(table, levels, needs, down, up) if np.isfinite(bound) else needs
    widening = _Widening(table, needs, room, weights, Widths(down, up))
    for number, need in enumerate(missed):
        progress(Step("widening intervals", number, len(missed)))
        deadline.check()
        widening.reach(need)
    down, up = _against_contributors(table, everybody, widening, deadline, progress)
    width = float((weights * (down + up)).sum())
    if needs and not width <= bound * (1 + 1e-4):
        least = f"it is at most {share(1 - bound / width)} less" if bound > 0 else "no lower bound of it is known"
        notes.append(f"the least width that protects was not proved to be reached: {least}")
    if seed is None:
        lower, upper = _ends(table, down, up, room, ends, knowledge.integer)
    else:
        unit = unit_of(table)
        lower, upper = within_room(table, room, *ends_outward(table, down, up, unit, seed))
    before = lower, upper
    lower, upper = _against_whole(table, levels, knowledge, room, weights, Widths(lower, upper), deadline)
    if seed is not None and (lower is not before[0] or upper is not before[1]):
        # What had to be widened has ends without a draw: they get one, and are rounded.
        wider = np.where((lower < before[0]) | (upper > before[1]), 1.0, 0.0)
        again = ends_outward(table, wider * (table.values - lower), wider * (upper - table.values), unit, seed)
        lower, upper = np.minimum(lower, again[0]), np.maximum(upper, again[1])
        lower, upper = within_room(table, room, lower, upper)
    lower, upper = lower[:cells], upper[:cells]
    exact = np.asarray(upper - lower <= 0)
    if ends == "exact":
        notes.append("ends are as near as the levels allow: who knows the levels can compute the values from them")
    return PublishedIntervals(lower, upper, exact, width, bound, float((upper - lower).sum()), tuple(notes))


def _room(table: Table, knowledge: Knowledge) -> Room:
    values = table.values
    outside = np.flatnonzero((knowledge.lower > values) | (knowledge.upper < values))
    if len(outside):
        raise InputError(
            f"external bounds that exclude the true value of {counted(len(outside), 'cell')}: {names(table, outside)}",
            where=f"table '{table.name}'",
            do="give bounds around the true values",
        )
    fixed = knowledge.known
    return Room(np.where(fixed, 0.0, values - knowledge.lower), np.where(fixed, 0.0, knowledge.upper - values))


def _weights(table: Table, weight: Literal["unity", "relative"] | Reals) -> Reals:
    if isinstance(weight, str):
        large = np.maximum(np.abs(table.values), 1.0)
        return np.ones(len(table)) if weight == "unity" else np.asarray(1.0 / large)
    if len(weight) != len(table) or not (np.isfinite(weight) & (weight > 0)).all():
        raise UsageError("weights not above zero, or not one per cell", where=f"table '{table.name}'", do="mend them")
    return np.asarray(weight, np.float64)


def _needs(levels: Levels, room: Room) -> tuple[Need, ...]:
    needs = []
    for cell in np.flatnonzero(levels.sensitive).tolist():
        needs += needs_of(cell, float(levels.lower[cell]), float(levels.upper[cell]), float(levels.sliding[cell]), room)
    return tuple(needs)


def _missed(table: Table, levels: Levels, needs: tuple[Need, ...], down: Reals, up: Reals) -> tuple[Need, ...]:
    """Return the needs that the widths do not meet yet."""
    below, above = np.zeros(len(table)), np.zeros(len(table))
    for need in needs:
        (above if need.upward else below)[need.cell] = need.distance
    wanted = replace(levels, lower=below, upper=above, sliding=np.zeros(len(table)))
    missing = {(shortfall.cell, shortfall.upward) for shortfall in shortfalls(table, wanted, down, up, whole=False)}
    return tuple(need for need in needs if (need.cell, need.upward) in missing)


class _Widening:
    """Widths that grow, each time as little as possible, until levels are reached."""

    def __init__(self, table: Table, needs: Iterable[Need], room: Room, weights: Reals, widths: Widths) -> None:
        self.table, self.room, self.widths = table, room, widths
        scale = max((need.distance for need in needs), default=1.0)
        self._differences = Differences(table, widths, scale, room, weights)

    def reach(self, need: Need, known: NDArray[np.int64] | None = None) -> Widths:
        """Return the widths after one more level is reached, also for who knows some cells, or refuse."""
        most = float((self.room.above if need.upward else self.room.below)[need.cell])
        # A little more than needed, if there is room, in spite of the solver's tolerance.
        more = replace(need, distance=max(need.distance, min(need.distance * (1 + 1e-3), most)))
        differences = self._differences.table(more, np.zeros(0, np.int64) if known is None else known)
        if differences is None:
            raise _impossible(self.table, need, known)
        down, up = self.widths
        self.widths = Widths(np.maximum(down, -differences), np.maximum(up, differences))
        self._differences.widen(self.widths)
        return self.widths


def _impossible(table: Table, need: Need, known: NDArray[np.int64] | None = None) -> InputError:
    """Return that no widths at all reach a level, and what decides that."""
    who, do = "", "keep fewer cells exact, widen the external bounds or lower the level"
    if known is not None:
        who = f", against the contributor who alone stands behind {table.cell_name(int(known[0]))}"
        do += "; or set singletons = false in [attacker], if contributors do not calculate with their own figures"
    return InputError(
        f"{table.cell_name(need.cell)} cannot be protected {'upwards' if need.upward else 'downwards'}{who}: the "
        "sums, the bounds and the cells that must be exact leave it no room, however wide the intervals are",
        where=f"table '{table.name}'",
        do=do,
    )


def _require_possible(
    table: Table,
    needs: tuple[Need, ...],
    everybody: tuple[ContributorNeeds, ...],
    room: Room,
    deadline: Deadline,
    progress: Progress,
) -> None:
    """Refuse a table that no intervals protect, before they are looked for."""
    widest = Widths(room.below, room.above)
    nobody = ContributorNeeds(np.zeros(0, np.int64), needs)
    for one, need, _ in unmet(table, (nobody, *everybody), widest, deadline, progress):
        raise _impossible(table, need, one.cells if len(one.cells) else None)


def _against_contributors(
    table: Table,
    everybody: tuple[ContributorNeeds, ...],
    widening: _Widening,
    deadline: Deadline,
    progress: Progress,
) -> Widths:
    """Return widths that protect from everybody who knows the own cells."""
    for one, need, differences in unmet(table, everybody, widening.widths, deadline, progress):
        differences.widen(widening.reach(need, one.cells))
    return widening.widths


def _ends(
    table: Table, down: Reals, up: Reals, room: Room, ends: Literal["round", "exact"], whole: bool
) -> tuple[Reals, Reals]:
    small = 1e-9 * max(1.0, float(np.abs(table.values).max(initial=0)))
    wide = down + up > small
    lower, upper = np.where(wide, table.values - down, table.values), np.where(wide, table.values + up, table.values)
    if ends == "round":
        half = np.where(wide, (down + up) / 2, 1.0)
        ten = 10.0 ** np.floor(np.log10(half))
        step = ten * np.select([half <= ten, half <= 2 * ten, half <= 5 * ten], [1.0, 2.0, 5.0], 10.0)
        step = np.maximum(step, 1.0) if whole else step
        # An end that is the value itself would tell it: it goes one step outwards.
        lower = np.where(wide, np.floor(lower / step + np.where(down <= small, -1e-6, 1e-9)) * step, lower)
        upper = np.where(wide, np.ceil(upper / step + np.where(up <= small, 1e-6, -1e-9)) * step, upper)
    elif whole:
        lower, upper = np.floor(lower + 1e-9), np.ceil(upper - 1e-9)
    return within_room(table, room, lower, upper)


def within_room(table: Table, room: Room, lower: Reals, upper: Reals) -> tuple[Reals, Reals]:
    """Return ends within the external bounds: an end outside what is known anyway tells nothing."""
    return np.maximum(lower, table.values - room.below), np.minimum(upper, table.values + room.above)


def _against_whole(
    table: Table, levels: Levels, knowledge: Knowledge, room: Room, weights: Reals, ends: Widths, deadline: Deadline
) -> tuple[Reals, Reals]:
    """Return ends that protect also from who knows that all values are whole; checks the others as well."""
    lower, upper = ends
    for _ in range(int(levels.sensitive.sum()) * 2 + 1):
        deadline.check()
        missing = shortfalls(table, levels, table.values - lower, upper - table.values, whole=knowledge.integer)
        if not missing:
            return lower, upper
        widths = Widths(table.values - lower, upper - table.values)
        needs = [Need(shortfall.cell, shortfall.upward, shortfall.needed) for shortfall in missing]
        widening = None if knowledge.integer else _Widening(table, needs, room, weights, widths)
        for need in needs:
            deadline.check()
            wider = widening.reach(need) if widening else widened_by_whole(table, need, room, weights, widths)
            if wider is None:
                raise _impossible(table, need)
            widths = wider
        lower = np.minimum(lower, table.values - widths.down)
        upper = np.maximum(upper, table.values + widths.up)
    raise UsageError(
        f"{counted(len(missing), 'level')} could not be reached", where=f"table '{table.name}'", do="use suppression"
    )
