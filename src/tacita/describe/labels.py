"""Value labels of codes, as statistical packages have them: 1 stands for male, 2 for female."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def label_of(value: str, labels: Mapping[str, str]) -> str | None:
    """Return the label of a value; a whole number may be written as 2 or as 2.0.

    >>> label_of("2.0", {"1": "male", "2": "female"}), label_of("9", {"1": "male"})
    ('female', None)
    """
    return labels.get(value) or labels.get(value.removesuffix(".0")) or None


def are_labelled(values: Sequence[str], distinct: int, labels: Mapping[str, str]) -> bool:
    """Return whether values are codes: all that are frequent have labels, and there are not more values than labels.

    A number that has labels for a few special codes, such as 99 for no answer, stays a number.

    >>> are_labelled(["1", "2"], 2, {"1": "male", "2": "female"}), are_labelled(["31", "40"], 80, {"99": "no answer"})
    (True, False)
    """
    return bool(values) and distinct <= len(labels) and all(label_of(value, labels) for value in values)
