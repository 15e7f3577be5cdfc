"""Trackers: a sum over too few records is put together from sums over many (Denning, Denning and Schwartz 1979).

It knows a predicate that fits one person only, and finds another that fits many. Against a limit on the size of query
sets alone every tracker succeeds; an audit of the sequence refuses the last question of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tacita.attacks.queries.interrogation import AskFunction, Interrogation, QueryLesson

_ALL_BUT_EQUAL = 1e-6


def individual_tracker(asking: Interrogation, figure: str, one: str, other: str) -> float | None:
    """Return the figure over `one AND other`, as that over `one` less that over `one AND NOT other`.

    `figure` is what stands between SELECT and WHERE: ``SUM(salary) FROM staff``.
    """
    whole = asking.value(f"SELECT {figure} WHERE {one}")
    tracker = asking.value(f"SELECT {figure} WHERE ({one}) AND NOT ({other})")
    return None if whole is None or tracker is None else whole - tracker


def general_tracker(asking: Interrogation, figure: str, target: str, tracker: str) -> float | None:
    """Return the figure over a target by a tracker that neither few nor nearly all records fit."""
    parts = [
        asking.value(f"SELECT {figure} WHERE {words}")
        for words in (
            f"({target}) OR ({tracker})",
            f"({target}) OR NOT ({tracker})",
            tracker,
            f"NOT ({tracker})",
        )
    ]
    with_tracker, without, alone, others = parts
    if with_tracker is None or without is None or alone is None or others is None:
        return None
    return with_tracker + without - alone - others


def double_tracker(asking: Interrogation, figure: str, target: str, inner: str, outer: str) -> float | None:
    """Return the figure over a target by two trackers, the inner of which fits only records that the outer fits."""
    parts = [
        asking.value(f"SELECT {figure} WHERE {words}")
        for words in (
            outer,
            f"({target}) OR ({inner})",
            inner,
            f"({outer}) AND NOT (({target}) AND ({inner}))",
        )
    ]
    all_of_outer, with_target, alone, without = parts
    if all_of_outer is None or with_target is None or alone is None or without is None:
        return None
    return all_of_outer + with_target - alone - without


def track_everybody(
    ask: AskFunction, figure: str, targets: Mapping[str, float], tracker: str, candidates: Iterable[float]
) -> QueryLesson:
    """Return what a general tracker learns of some targets, each a predicate with its true figure.

    Who guesses takes one of the candidates.
    """
    asking = Interrogation(ask)
    concluded = right = 0
    for target, true in targets.items():
        value = general_tracker(asking, figure, target, tracker)
        concluded += value is not None
        right += value is not None and abs(value - true) <= _ALL_BUT_EQUAL * max(1.0, abs(true))
    guesses = set(candidates)
    return QueryLesson(
        "general tracker",
        "a predicate that fits one person",
        len(targets),
        concluded,
        right,
        1 / len(guesses) if guesses else 0.0,
        asking.questions,
        asking.refusals,
    )
