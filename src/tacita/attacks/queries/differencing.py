"""Differences: two questions whose records differ by one person, and so do their sums.

It knows who is in which code of an attribute, and asks for the sum over a range with and without the code of the
target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacita.attacks.queries.interrogation import AskFunction, Interrogation, QueryLesson

_ALL_BUT_EQUAL = 1e-6


def difference_everybody(
    ask: AskFunction, figure: str, attribute: str, targets: Mapping[str, float], others: Sequence[str]
) -> QueryLesson:
    """Return what differences tell of the codes of some targets, with their true figures.

    `others` are codes of many records, which hide the target; who guesses has nothing.
    """
    asking = Interrogation(ask)
    listed = ", ".join(f"'{one}'" for one in others)
    without = asking.value(f"SELECT {figure} WHERE {attribute} IN ({listed})")
    concluded = right = 0
    for target, true in targets.items():
        whole = asking.value(f"SELECT {figure} WHERE {attribute} IN ({listed}, '{target}')")
        if whole is None or without is None:
            continue
        concluded += 1
        right += abs(whole - without - true) <= _ALL_BUT_EQUAL * max(1.0, abs(true))
    return QueryLesson(
        "difference of two sums",
        "the code of the target",
        len(targets),
        concluded,
        right,
        0.0,
        asking.questions,
        asking.refusals,
    )
