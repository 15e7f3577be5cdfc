"""What can be wrong with levels of intervals: above all, that a coarser one cuts across a finer one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tacita.errors import listed
from tacita.model.hierarchy.classes import BoundedClasses, EvenClasses, Number, number_text, numbers_of


def interval_faults(
    classes: Sequence[EvenClasses | BoundedClasses],
    integer: bool,
    domain: tuple[Number, Number] | None = None,
) -> list[str]:
    """Return all faults of levels of intervals, finest first.

    >>> interval_faults([EvenClasses(5), EvenClasses(12)], integer=True)
    ['width 12 (level 2) is no multiple of width 5 (level 1): its intervals would cut across those below']
    """
    if not classes:
        return ["no intervals are given"]
    even = [level for level in classes if isinstance(level, EvenClasses)]
    bounded = [level for level in classes if isinstance(level, BoundedClasses)]
    if even and bounded:
        return ["some levels have widths and others have bounds"]
    faults = _even_faults(even) if even else _bounded_faults(bounded)
    if integer:
        broken = [n for level in classes for n in numbers_of(level) if not isinstance(n, int)]
        broken += [end for end in domain or () if not isinstance(end, int)]
        if broken:
            named = listed([number_text(number) for number in dict.fromkeys(broken)])
            faults.append(f"the attribute has whole numbers, but the rule has {named}")
    if domain and domain[0] >= domain[1]:
        faults.append(f"the domain ends at {number_text(domain[1])}, not above {number_text(domain[0])}")
    return faults


def _even_faults(levels: list[EvenClasses]) -> list[str]:
    faults = [
        f"width {number_text(level.width)} (level {number}) is not above 0"
        for number, level in enumerate(levels, 1)
        if level.width <= 0
    ]
    bottom, top = levels[0].bottom, levels[0].top
    if bottom is not None and top is not None and bottom >= top:
        faults.append(f"bottom {number_text(bottom)} is not below top {number_text(top)}")
    if len({(level.start, level.bottom, level.top) for level in levels}) > 1:
        faults.append("the levels differ in start, bottom or top")
    if not faults:
        for number, (fine, coarse) in enumerate(pairwise(levels), 2):
            widths = f"width {number_text(coarse.width)} (level {number}) is"
            below = f"width {number_text(fine.width)} (level {number - 1})"
            if coarse.width <= fine.width:
                faults.append(f"{widths} not above {below}")
            elif coarse.width % fine.width:
                faults.append(f"{widths} no multiple of {below}: its intervals would cut across those below")
    return faults


def _bounded_faults(levels: list[BoundedClasses]) -> list[str]:
    faults = []
    for number, level in enumerate(levels, 1):
        if not level.bounds:
            faults.append(f"level {number} has no bounds")
        elif any(low >= high for low, high in pairwise(level.bounds)):
            faults.append(f"the bounds of level {number} do not increase")
    for number, (fine, coarse) in enumerate(pairwise(levels), 2):
        extra = [number_text(bound) for bound in coarse.bounds if bound not in fine.bounds]
        if extra:
            these, are = ("bound", "is") if len(extra) == 1 else ("bounds", "are")
            faults.append(
                f"{these} {listed(extra)} of level {number} {are} not among those of level {number - 1}: "
                "its intervals would cut across those below"
            )
        elif len(coarse.bounds) == len(fine.bounds):
            faults.append(f"level {number} has the same bounds as level {number - 1}")
    return faults
