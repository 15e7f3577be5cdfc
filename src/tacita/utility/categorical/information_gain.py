"""Information gain: how much attributes still tell of a target, such as the class that a model would predict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError, did_you_mean, listed
from tacita.model.records import Records
from tacita.utility.categorical.entropy import entropy
from tacita.utility.classes import classes
from tacita.utility.columns import any_kind
from tacita.utility.loss import Lost


@dataclass(frozen=True, slots=True)
class InformationGain:
    """The change of the information gain ``H(T) - H(T | A)`` of attributes A on a target T, in shares of H(T) before.

    Quinlan's gain (1986), used as a loss of anonymisation for classifiers by Wang, Yu and Chakraborty, "Bottom-up
    generalization" (ICDM 2004). The figure is the mean over attributes of ``|gain - gain'| / H(T)``; ``gain lost`` is
    the mean of ``(gain - gain') / H(T)``, negative if the release pretends relations that were not there. Without
    `target` every pair of attributes is taken, each attribute in the order given a target of those before it.

    Categories are taken as they are, numbers with more than `classes` values in as many quantile classes. Missing is a
    class of its own.

    >>> from tacita.model.records import Categories
    >>> before = Records({"sex": Categories.of(["f", "f", "m", "m"]), "vote": Categories.of(["y", "y", "n", "n"])})
    >>> after = before.with_columns({"sex": Categories.of(["f", "m", "f", "m"])})
    >>> InformationGain("vote").lost(before, after, ["sex"]).figure
    1.0
    """

    name: ClassVar[str] = "information-gain"
    needs_pairs: ClassVar[bool] = False

    target: str = ""
    classes: int = 20

    def __post_init__(self) -> None:
        if self.classes < 2:
            raise UsageError("'classes' of 'information-gain' must be at least 2", do="give a number such as 20")

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the mean change of gain, and the gains of each attribute (or pair) before and after."""
        for records in (before, after) if self.target else ():
            if self.target not in records.columns:
                raise UsageError(
                    f"no target '{self.target}'{did_you_mean(self.target, records.names)}",
                    do=f"use {listed(records.names)}",
                )
        fitting = any_kind(before, after, [n for n in attributes if n != self.target])
        wanted = [*fitting.names, *([self.target] if self.target else [])]
        if not len(before) or not len(after):
            wanted = []
        shared = {name: classes(before, after, name, self.classes) for name in wanted}
        single: dict[str, dict[str, float]] = {}
        for label, name, target in self._questions(tuple(n for n in fitting.names if n in shared)):
            both = shared[name].crossed(shared[target]).compact()
            whole = entropy(np.bincount(shared[target].before))
            gains = [
                _gain(of_name, of_target, of_both)
                for of_name, of_target, of_both in (
                    (shared[name].before, shared[target].before, both.before),
                    (shared[name].after, shared[target].after, both.after),
                )
            ]
            change = (gains[0] - gains[1]) / whole if whole else 0.0
            single[label] = {"gain lost": change, "gain before": gains[0], "gain after": gains[1]}
        changes = [row["gain lost"] for row in single.values()]
        figures = {
            "gain changed": float(np.mean(np.abs(changes))) if changes else np.nan,
            "gain lost": float(np.mean(changes)) if changes else np.nan,
        }
        return Lost(self.name, figures, single, fitting.notes)

    def _questions(self, names: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
        """Yield a label, an attribute and its target."""
        if self.target:
            for name in names:
                yield name, name, self.target
            return
        for target, name in combinations(names, 2):
            yield f"{name} on {target}", name, target


def _gain(one: NDArray[np.int64], two: NDArray[np.int64], both: NDArray[np.int64]) -> float:
    """Return H(T) - H(T | A) = H(A) + H(T) - H(A, T), in bits."""
    gain = entropy(np.bincount(one)) + entropy(np.bincount(two)) - entropy(np.bincount(both))
    return max(gain, 0.0)
