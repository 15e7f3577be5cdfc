"""Privacy models for classes: which of them may not be released.

A model is *monotone* if a class that satisfies it still does when any other records join it. k-anonymity and distinct
l-diversity are. The others are weaker: the union of two classes that both satisfy the model satisfies it too (entropy
is concave, the distances of t-closeness and beta-likeness are convex, and Machanavajjhala et al., TKDD 2007, show it
for recursive l-diversity), but records of a violating class may spoil a satisfying one. So without suppression every
model here allows pruning upwards and downwards, and with suppression only the monotone ones do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from tacita.cycle.lattice.classes import LatticeClasses
from tacita.errors import UsageError
from tacita.model.hierarchy import Hierarchy

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Sensitive:
    """The sensitive attribute of the file: its values, how often each occurs, and how they are related."""

    counts: Array
    values: tuple[object, ...] = ()
    hierarchy: Hierarchy | None = None

    def rungs(self) -> list[Array]:
        """Return for each level of the hierarchy below its root the label of each value, as numbers."""
        import numpy as np

        if self.hierarchy is None:
            raise UsageError(
                "the sensitive attribute has no hierarchy",
                do="give it one in the dictionary, or take the distance 'equal'",
            )
        distributions = []
        for level in range(1, self.hierarchy.height + 1):
            codes: dict[str | None, int] = {}
            labels = [self.hierarchy.generalise(value, level) for value in self.values]
            distributions.append(np.array([codes.setdefault(label, len(codes)) for label in labels]))
        # A root is added below, whether the hierarchy has one or not.
        return distributions[:-1] if distributions and distributions[-1].max() == 0 else distributions


class PrivacyModel(Protocol):
    """What a class must satisfy."""

    @property
    def is_monotone(self) -> bool:
        """Whether a class that satisfies it still does when other records join it."""

    @property
    def needs_sensitive(self) -> bool:
        """Whether it looks at a sensitive attribute."""

    def violated(self, classes: LatticeClasses, whole: Sensitive) -> Array:
        """Return which classes violate the model; `whole` is what the file has of the sensitive attribute."""

    def monotone_part(self) -> PrivacyModel | None:
        """Return a monotone model that this one implies, or None."""


@dataclass(frozen=True, slots=True)
class KAnonymous:
    """At least k records in a class."""

    k: int
    is_monotone: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.k < 1:
            raise UsageError(f"k is {self.k}", do="give a number of records from 1 on")

    def violated(self, classes: LatticeClasses, whole: Sensitive) -> Array:
        """Return the classes that are too small."""
        violates: Array = classes.counts < self.k
        return violates

    def monotone_part(self) -> PrivacyModel | None:
        """Return the model itself."""
        return self


@dataclass(frozen=True, slots=True)
class DistinctDiverse:
    """At least l different sensitive values in a class."""

    l: int  # noqa: E741 - the theory's own name
    is_monotone: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_l(self.l)

    def violated(self, classes: LatticeClasses, whole: Sensitive) -> Array:
        """Return the classes with too few values."""
        violates: Array = (histogram(classes) > 0).sum(axis=1) < self.l
        return violates

    def monotone_part(self) -> PrivacyModel | None:
        """Return the model itself."""
        return self


@dataclass(frozen=True, slots=True)
class EntropyDiverse:
    """Entropy of the sensitive values of a class at least ln l."""

    l: float  # noqa: E741 - the theory's own name
    is_monotone: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_l(self.l)

    def violated(self, classes: LatticeClasses, whole: Sensitive) -> Array:
        """Return the classes whose entropy is too low."""
        import numpy as np

        shares = _shares(classes)
        entropy = -np.sum(shares * np.log(np.where(shares > 0, shares, 1.0)), axis=1)
        violates: Array = entropy < math.log(self.l) - _TOLERANCE
        return violates

    def monotone_part(self) -> PrivacyModel | None:
        """Return that there are at least l values: fewer cannot have that entropy."""
        return DistinctDiverse(math.ceil(self.l - _TOLERANCE))


@dataclass(frozen=True, slots=True)
class RecursiveDiverse:
    """The most frequent value less than c times as frequent as all from the l-th on together; (c, 1) always holds."""

    c: float
    l: int  # noqa: E741 - the theory's own name
    is_monotone: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_l(self.l)
        if not 0 < self.c < math.inf:
            raise UsageError(f"c is {self.c}", do="give a number above 0")

    def violated(self, classes: LatticeClasses, whole: Sensitive) -> Array:
        """Return the classes in which one value is too frequent."""
        import numpy as np

        if self.l == 1:
            return np.zeros(len(classes), dtype=bool)
        ranked = -np.sort(-histogram(classes), axis=1)
        tail = ranked[:, self.l - 1 :].sum(axis=1)
        violates: Array = ranked[:, 0] >= self.c * tail * (1 - _TOLERANCE)
        return violates

    def monotone_part(self) -> PrivacyModel | None:
        """Return that there are at least l values."""
        return DistinctDiverse(self.l)


@dataclass(frozen=True, slots=True)
class Close:
    """The sensitive values of a class at most t away from those of the file, all of them suppressed ones included.

    The distance is that of the earth mover, between values that are all equally far from each other, or as far as the
    hierarchy of the attribute says.
    """

    t: float
    distance: Literal["equal", "hierarchical"] = "equal"
    is_monotone: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.t <= 1:
            raise UsageError(f"t is {self.t}", do="give a distance from 0 to 1")
        if self.distance not in {"equal", "hierarchical"}:
            raise UsageError(f"no distance '{self.distance}' in a lattice", do="use equal or hierarchical")

    def violated(self, classes: LatticeClasses, whole: Sensitive) -> Array:
        """Return the classes that are too far."""
        import numpy as np

        extra = _shares(classes) - whole.counts / whole.counts.sum()
        distance = np.abs(extra).sum(axis=1) / 2 if self.distance == "equal" else _moved(extra, whole.rungs())
        violates: Array = distance > self.t + _TOLERANCE
        return violates

    def monotone_part(self) -> PrivacyModel | None:
        """Return nothing."""
        return None


@dataclass(frozen=True, slots=True)
class BetaLike:
    """No sensitive value more frequent in a class than min(beta, -ln p) above its share p in the file (enhanced)."""

    beta: float
    is_monotone: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 < self.beta < math.inf:
            raise UsageError(f"beta is {self.beta}", do="give a number above 0")

    def violated(self, classes: LatticeClasses, whole: Sensitive) -> Array:
        """Return the classes in which a value is too frequent."""
        import numpy as np

        part = whole.counts / whole.counts.sum()
        there = part > 0
        most = np.minimum(self.beta, -np.log(part[there]))
        gain = (_shares(classes)[:, there] - part[there]) / part[there]
        violates: Array = (gain > most + _TOLERANCE).any(axis=1)
        return violates

    def monotone_part(self) -> PrivacyModel | None:
        """Return nothing."""
        return None


@dataclass(frozen=True, slots=True)
class NotDominated:
    """No sensitive value with a share above alpha in a class."""

    alpha: float
    is_monotone: ClassVar[bool] = False
    needs_sensitive: ClassVar[bool] = True

    def violated(self, classes: LatticeClasses, whole: Sensitive) -> Array:
        """Return the classes in which a value prevails."""
        violates: Array = _shares(classes).max(axis=1, initial=0.0) > self.alpha + _TOLERANCE
        return violates

    def monotone_part(self) -> PrivacyModel | None:
        """Return that there are as many values as shares of alpha fill a whole."""
        return DistinctDiverse(math.ceil(1 / self.alpha - _TOLERANCE))


@dataclass(frozen=True, slots=True)
class OfAttribute:
    """A model of one of several sensitive attributes, whose histograms stand beside each other."""

    model: PrivacyModel
    start: int
    """Its first column of the histogram."""
    whole: Sensitive
    """What the file has of the attribute."""
    needs_sensitive: ClassVar[bool] = True

    @property
    def is_monotone(self) -> bool:
        """Whether the model is."""
        return self.model.is_monotone

    def violated(self, classes: LatticeClasses, whole: Sensitive) -> Array:
        """Return the classes that violate the model with their values of the attribute."""
        own = histogram(classes)[:, self.start : self.start + len(self.whole.counts)]
        return self.model.violated(replace(classes, histogram=own), self.whole)

    def monotone_part(self) -> PrivacyModel | None:
        """Return the monotone part of the model, of the same attribute."""
        part = self.model.monotone_part()
        return None if part is None else OfAttribute(part, self.start, self.whole)


def violating(models: Sequence[PrivacyModel], classes: LatticeClasses, whole: Sensitive) -> Array:
    """Return the classes that violate any of the models."""
    import numpy as np

    violates = np.zeros(len(classes), dtype=bool)
    for model in models:
        violates |= model.violated(classes, whole)
    return violates


def histogram(classes: LatticeClasses) -> Array:
    """Return the sensitive values of each class, or say that there are none."""
    if classes.histogram is None:
        raise UsageError("no sensitive attribute is given", do="name the sensitive attribute that the model protects")
    return classes.histogram


def _shares(classes: LatticeClasses) -> Array:
    import numpy as np

    counts = histogram(classes)
    shares: Array = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return shares


def _moved(extra: Array, rungs: Sequence[Array]) -> Array:
    """Return the distance over a hierarchy: what cannot be balanced below a label is moved through it.

    Li, Li and Venkatasubramanian, ICDE 2007: a label at height h of H costs h / H for each part moved between two of
    its children.
    """
    import numpy as np

    height = len(rungs) + 1
    total = np.zeros(len(extra))
    below = np.arange(extra.shape[1])
    moved = extra
    for rung, labels in enumerate((*rungs, np.zeros(extra.shape[1], dtype=int)), 1):
        # children of a label of this rung are the labels of the rung below
        size, up = int(labels.max()) + 1, np.zeros(moved.shape[1], dtype=int)
        up[below] = labels
        gain, lack = np.zeros((len(extra), size)), np.zeros((len(extra), size))
        for child, parent in enumerate(up):
            gain[:, parent] += np.maximum(moved[:, child], 0)
            lack[:, parent] -= np.minimum(moved[:, child], 0)
        total += rung / height * np.minimum(gain, lack).sum(axis=1)
        moved, below = gain - lack, labels
    return total


def _check_l(number: float) -> None:
    if not 1 <= number < math.inf:
        raise UsageError(f"l is {number}", do="give a number of values from 1 on")
