"""Answers in sentences: which target, which value, and what an observer would conclude.

They name targets, values and figures of records that were not released: they are for the steward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tacita.gate.answers import GateAnswer, GateReason, GateVerdict, HoldFigures
from tacita.gate.policy.policy import GatePolicy, ValueDependency
from tacita.model.figures import figure, share

_ODDS_SHOWN = 60.0
"""log2 of the largest odds that are written as a number."""
_SMALL = 0.001
"""Odds below this say the same."""


def explained(answer: GateAnswer, policy: GatePolicy, targets: Sequence[Sequence[str]]) -> str:
    """Return an answer as a sentence; `targets` are the names of the targets of each dependency."""
    if answer.verdict is GateVerdict.RELEASE:
        if answer.reason == GateReason.AGAIN:
            return "Released before: it is counted once, and the same record may be given again."
        return "Released now; it was held before." if answer.is_late else "Released."
    if answer.reason in _REFUSALS:
        dependency = policy.dependencies[max(answer.dependency, 0)]
        return _REFUSALS[answer.reason](dependency, policy)
    if answer.figures is None:
        return "Still held: held records are looked at again when more records have been released."
    dependency = policy.dependencies[answer.dependency]
    target = targets[answer.dependency][answer.target]
    value = dependency.values.labels[answer.value]
    return " ".join(_held_sentences(answer.reason, dependency, target, value, answer.figures))


def _held_sentences(rule: str, dependency: ValueDependency, target: str, value: str, given: HoldFigures) -> list[str]:
    what = f"'{target}'"
    said = [_HOLDS[rule](what, dependency, given)]
    portion = given.of_value / given.records
    said.append(
        f"{_named(dependency)} '{value}' would be {share(portion)} of its {given.records:,} released records, where "
        f"{share(given.expected_share)} is expected."
    )
    said.append(
        f"An observer would have {odds(given.evidence)} for an unusual distribution of {what} against the baseline."
    )
    return said


def _named(dependency: ValueDependency) -> str:
    names = " and ".join(dependency.values.attributes)
    return names[:1].upper() + names[1:]


def odds(level: float) -> str:
    """Return odds, given as their log2, in words.

    >>> odds(5.0), odds(-3.0), odds(-30.0), odds(200.0)
    ('odds of 32', 'odds of 0.125', 'odds below 0.001', 'odds above 2^60')
    """
    if level >= _ODDS_SHOWN:
        return f"odds above 2^{_ODDS_SHOWN:.0f}"
    return f"odds of {figure(2.0**level, 3)}" if 2.0**level >= _SMALL else f"odds below {_SMALL}"


def _crowd(what: str, dependency: ValueDependency, given: HoldFigures) -> str:
    others = dependency.parameters.others
    if given.limit is None:
        return (
            f"Too few other targets have enough released records to hide {what} among them; its distance to the "
            f"baseline would be {figure(given.distance)} bits."
        )
    among = "any other target" if others == 1 else f"all but at most {others - 1} of the other targets"
    return (
        f"{what} would be {figure(given.distance)} bits from the baseline, farther than {among} "
        f"({figure(given.limit)}): an observer would name it as the most unusual one."
    )


def _definition_5(what: str, dependency: ValueDependency, given: HoldFigures) -> str:
    limit = "–" if given.limit is None else figure(given.limit)
    return (
        f"The exposure of {what} would be {figure(given.exposure)} bits, not below the mean of all exposures plus one "
        f"standard deviation (now {limit}): an observer would take it for an outlier."
    )


def _martingale(what: str, dependency: ValueDependency, given: HoldFigures) -> str:
    limit = "" if given.limit is None else f" of {figure(given.limit)}"
    return f"The evidence that {what} does not have the baseline distribution would reach the limit{limit}."


def _variation(what: str, dependency: ValueDependency, given: HoldFigures) -> str:
    limit = "" if given.limit is None else f" of {figure(given.limit)}"
    return f"The evidence that {what} differs more than targets ordinarily do would reach the limit{limit}."


def _fit(what: str, dependency: ValueDependency, given: HoldFigures) -> str:
    return f"The largest baseline that fits inside {what} has no more records of this value."


def _level_shares(what: str, dependency: ValueDependency, given: HoldFigures) -> str:
    limit = "" if given.limit is None else f" ({figure(given.limit)} records)"
    return (
        f"Of {what} a larger share would have been released than of other targets{limit}: an observer who knows the "
        "sizes of the targets would see that others are held back."
    )


_HOLDS: dict[str, Callable[[str, ValueDependency, HoldFigures], str]] = {
    "crowd": _crowd,
    "definition-5": _definition_5,
    "martingale": _martingale,
    "evidence": _martingale,
    "variation": _variation,
    "fit": _fit,
    "level-shares": _level_shares,
}


def _attributes(dependency: ValueDependency) -> str:
    return " or ".join(f"'{name}'" for name in dependency.values.attributes)


_REFUSALS: dict[str, Callable[[ValueDependency, GatePolicy], str]] = {
    GateReason.UNREADABLE: lambda one, policy: (
        "The record cannot be read: it is not a line of JSON or CSV with single values."
    ),
    GateReason.NO_KEY: lambda one, policy: (
        f"The record has no key, or one with control characters ({', '.join(policy.key)}): nobody could tell whether "
        "it was released before."
    ),
    GateReason.CHANGED: lambda one, policy: (
        "A record with this key was released before, with another target or value. It is counted once."
    ),
    GateReason.NO_TARGET: lambda one, policy: f"The record names no target ('{one.target}').",
    GateReason.UNKNOWN_TARGET: lambda one, policy: (
        f"The target ('{one.target}') is not one of the {len(one.targets or ())} targets of the policy."
    ),
    GateReason.MISSING_VALUE: lambda one, policy: f"The value is missing ({_attributes(one)}).",
    GateReason.UNLISTED_VALUE: lambda one, policy: (
        f"The value ({_attributes(one)}) is not in the baseline: nothing is known of what is expected."
    ),
    GateReason.NOT_A_NUMBER: lambda one, policy: f"The value ({_attributes(one)}) is not a finite number.",
}
