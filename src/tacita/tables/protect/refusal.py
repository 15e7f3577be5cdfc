"""What to do about a table that no pattern protects: the option that decides it, and categories to merge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError
from tacita.model.table import InsiderLevels, Knowledge, Levels, Status, Table
from tacita.tables.protect.case import TableCase
from tacita.tables.recoding.merge import Merge, is_closed, subtree
from tacita.tables.recoding.recoded import recoded
from tacita.tables.specification.specification import AttackerPlan
from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.presolve import reduced
from tacita.tables.suppression.problem import problem_of
from tacita.tables.suppression.refusal import UnprotectableTable, impossible_targets, refused

_SECONDS = 5.0  # for each option that is tried
_TRIED = 12  # merges


def with_remedies(case: TableCase, attacker: AttackerPlan, refusal: UnprotectableTable) -> UnprotectableTable:
    """Return a refusal that says what would let the table be protected, as far as that could be found."""
    remedies = [words for changed, words in _options(case, attacker, refusal) if _is_possible(changed)]
    merge = _merge(case, refusal)
    if merge is not None:
        remedies.append(f"merge categories ({merge})")
    if not remedies:
        return refusal
    return refused(case.table, case.levels, refusal.demands, "; or ".join(remedies))


def _options(case: TableCase, attacker: AttackerPlan, refusal: UnprotectableTable) -> Iterator[tuple[TableCase, str]]:
    """Yield the case as it would be under another option, and how to set that."""
    knowledge = case.knowledge
    if (case.wishes == Status.KEPT).any():
        free = np.where(case.wishes == Status.KEPT, np.int8(Status.PUBLISHED), case.wishes)
        words = "let more cells be withheld: fewer under 'keep' in [protect], or marked to be published"
        yield replace(case, wishes=free), words
    if (knowledge.upper < np.inf).any() or not np.isin(knowledge.lower, (0.0, -np.inf)).all():
        names = [f"'{name}'" for name in ("within", "upper") if getattr(attacker, name) is not None]
        usual = 0.0 if attacker.lower is None or attacker.lower >= 0 else attacker.lower
        lower = np.full(len(case.table), -np.inf if attacker.lower is None else usual)
        wide = replace(knowledge, lower=lower, upper=np.full(len(case.table), np.inf))
        which = f"{' and '.join(names)} in [attacker]" if names else "the bounds of the cells"
        yield replace(case, knowledge=wide), f"leave out {which}, if nobody knows that much"
    if any(demand.attacker >= 0 for demand in refusal.demands):
        alone = replace(knowledge, owners=np.full(len(case.table), -1, np.int64))
        words = "set singletons = false in [attacker], if contributors do not calculate with their own figures"
        yield replace(case, knowledge=alone, levels=replace(case.levels, against=None)), words


def _is_possible(case: TableCase) -> bool:
    try:
        problem = problem_of(case.table, case.levels, case.knowledge, case.costs, case.wishes)
    except InputError:
        return False
    small = reduced(problem)
    return not len(small.stuck) and not impossible_targets(small.problem, Clock(_SECONDS))


def _merge(case: TableCase, refusal: UnprotectableTable) -> Merge | None:
    """Return the merge along a hierarchy that costs the fewest cells and lets the table be protected, if there is one.

    Only merges are tried that take away a cell that cannot be protected, or the own cell of who attacks it.
    """
    table = case.table
    cells = [cell for demand in refusal.demands for cell in (demand.cell, demand.attacker) if cell >= 0]
    sizes: list[tuple[int, int, Merge]] = []
    for place, dimension in enumerate(table.dimensions):
        here = {dimension.codes[code] for code in table.codes[cells, place]}
        tops = dict.fromkeys(one.total for one in dimension.sums if one.total != dimension.total)
        for merge in (subtree(dimension, top) for top in tops):
            if here & set(merge.codes) and is_closed(dimension, merge):
                sizes.append((int(_gone(table, merge).sum()), len(sizes), merge))
    tried = (merge for _, _, merge in sorted(sizes, key=lambda size: size[:2])[:_TRIED])
    return next((merge for merge in tried if _is_possible(_without(case, merge))), None)


def _gone(table: Table, merge: Merge) -> NDArray[np.bool_]:
    """Return the cells that a merge along a hierarchy takes away."""
    place = [dimension.name for dimension in table.dimensions].index(merge.dimension)
    codes = set(merge.codes)
    return np.array([code in codes for code in table.dimensions[place].codes])[table.codes[:, place]]


def _without(case: TableCase, merge: Merge) -> TableCase:
    """Return the case after a merge along a hierarchy: without some cells, and otherwise as it was."""
    left = ~_gone(case.table, merge)
    levels, knowledge = case.levels, case.knowledge
    return replace(
        case,
        table=recoded(case.table, merge),
        levels=_levels_of(levels, left),
        knowledge=Knowledge(
            knowledge.lower[left],
            knowledge.upper[left],
            knowledge.known[left],
            knowledge.owners[left],
            knowledge.integer,
        ),
        costs=case.costs[left],
        wishes=case.wishes[left],
        given=None,
    )


def _levels_of(levels: Levels, cells: NDArray[np.bool_]) -> Levels:
    against = levels.against
    if against is not None:
        rows = against.only(cells[against.cell])
        number = np.cumsum(cells) - 1
        against = InsiderLevels(number[rows.cell], rows.contributor, rows.lower, rows.upper, rows.sliding)
    return replace(
        levels,
        sensitive=levels.sensitive[cells],
        lower=levels.lower[cells],
        upper=levels.upper[cells],
        sliding=levels.sliding[cells],
        rule=levels.rule[cells],
        excess=levels.excess[cells],
        against=against,
    )
