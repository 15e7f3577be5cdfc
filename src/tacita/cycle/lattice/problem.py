"""What a search of the lattice is about: the combinations, their ladders, what must hold, and what it may cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tacita.cycle.lattice.classes import LatticeClasses, Levels, keys, rolled_up
from tacita.cycle.lattice.ladders import Ladder, ladders
from tacita.cycle.lattice.models import OfAttribute, PrivacyModel, Sensitive, violating
from tacita.errors import UsageError
from tacita.model.hierarchy import Hierarchy, text_of
from tacita.risk.combinations import Codes, codes
from tacita.risk.sample import Sample
from tacita.utility.recoding import Mean, check_mean, loss, together

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_ROWS = 2_000_000
"""Of all tables of classes together: some 100 MB."""


def _nothing_sensitive() -> Sensitive:
    import numpy as np

    return Sensitive(np.zeros(0))


@dataclass(frozen=True, slots=True)
class LatticeEvaluation:
    """What a node of the lattice is worth."""

    levels: Levels
    score: float
    """The loss, suppressed records included; infinite if more are suppressed than allowed."""
    suppressed: int
    """Records of classes that violate a model."""
    is_feasible: bool


@dataclass(frozen=True, slots=True)
class LatticeTerms:
    """What a search may suppress, and how it puts the losses of attributes together."""

    limit: float = 0.0
    """Which part of the records may be suppressed."""
    mean: Mean = "geometric"
    weights: tuple[float, ...] = ()
    """How much the loss of each attribute counts; all the same if not given."""

    def __post_init__(self) -> None:
        check_mean(self.mean)
        if not 0 <= self.limit <= 1:
            raise UsageError(f"the suppression limit is {self.limit}", do="give a part of the records from 0 to 1")


@dataclass(frozen=True, slots=True)
class Problem:
    """Distinct combinations with their counts, and the conditions of a release."""

    ladders: tuple[Ladder, ...]
    base: LatticeClasses
    """The combinations as collected, level 0 everywhere, in the order of their values."""
    models: tuple[PrivacyModel, ...]
    terms: LatticeTerms = field(default_factory=LatticeTerms)
    whole: Sensitive = field(default_factory=_nothing_sensitive)
    sample: Sample | None = field(default=None, repr=False, compare=False)
    """The records, if the problem is about some."""
    numbers: Array | None = field(default=None, repr=False, compare=False)
    """For each combination of the sample its place among the combinations here."""
    records: int = field(init=False)
    sums: tuple[Array, ...] = field(init=False)
    """For each attribute the sum of shares of all records at each level."""

    def __post_init__(self) -> None:
        if not self.models:
            raise UsageError("no privacy model is given", do="say what must hold, such as k-anonymity with k = 5")
        if not self.ladders:
            raise UsageError("no quasi-identifier is given", do="name what an intruder knows: --quasi NAME,NAME")
        weights = self.terms.weights
        if weights and (len(weights) != len(self.ladders) or min(weights) < 0 or not sum(weights)):
            raise UsageError("the weights of attributes do not fit", do="give each attribute a weight from 0 on")
        if self.base.histogram is None and any(model.needs_sensitive for model in self.models):
            raise UsageError(
                "no sensitive attribute is given", do="name the sensitive attribute that the model protects"
            )
        sums = tuple(
            _sums(rung, label, self.base.counts) for rung, label in zip(self.ladders, self.base.labels, strict=True)
        )
        object.__setattr__(self, "records", int(self.base.counts.sum()))
        object.__setattr__(self, "sums", sums)

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        combinations: Codes,
        hierarchies: Mapping[str, Hierarchy],
        models: Sequence[PrivacyModel],
        terms: LatticeTerms | None = None,
        *,
        sensitive: str | Sequence[str | None] | None = None,
        sample: Sample | None = None,
    ) -> Problem:
        """Return the problem of combinations of attributes, some of which may be sensitive.

        `sensitive` names the attribute that all models look at, or for each model its own.
        """
        import numpy as np

        places = {name: i for i, name in enumerate(names)}
        of_models = [sensitive] * len(models) if sensitive is None or isinstance(sensitive, str) else list(sensitive)
        secret = [name for name in dict.fromkeys(of_models) if name is not None]
        known = [name for name in names if name not in secret]
        columns, values = zip(*(_in_order(combinations, places[name]) for name in known), strict=True)
        missing = {name: combinations.missing[places[name]] for name in known} if combinations.missing else {}
        rungs = ladders(known, values, hierarchies, missing)
        counts, histogram, whole = combinations.counts.astype(np.int64), None, Sensitive(np.zeros(0))
        if secret:
            parts = []
            for name in secret:
                own, in_order = _in_order(combinations, places[name])
                there = own < len(in_order)
                part = np.zeros((len(counts), len(in_order)), dtype=np.int64)
                part[np.flatnonzero(there), own[there]] = counts[there]
                parts.append((part, Sensitive(part.sum(axis=0), tuple(in_order), hierarchies.get(name))))
            histogram, whole = parts[0]
            if len(parts) > 1:
                histogram = np.concatenate([part for part, _ in parts], axis=1)
                models = of_attributes(models, of_models, secret, [in_order for _, in_order in parts])
        base = rolled_up(LatticeClasses((0,) * len(rungs), columns, counts, histogram), (0,) * len(rungs), rungs)
        # the classes of a node are in the order of their keys
        numbers = np.unique(keys(columns, [rung.size(0) for rung in rungs]), return_inverse=True)[1]
        return cls(rungs, base, tuple(models), terms or LatticeTerms(), whole, sample, numbers)

    @classmethod
    def of_sample(
        cls,
        sample: Sample,
        models: Sequence[PrivacyModel],
        terms: LatticeTerms | None = None,
        *,
        sensitive: str | Sequence[str | None] | None = None,
    ) -> Problem:
        """Return the problem of the records of a sample on what the intruder knows."""
        if sensitive is None and any(model.needs_sensitive for model in models):
            sensitive = next(iter(sample.sensitive), None)
        secret = [sensitive] if sensitive is None or isinstance(sensitive, str) else sensitive
        also = dict.fromkeys(name for name in secret if name is not None)
        wider = sample.with_known((*sample.known, *also)) if also else sample
        if wider is not sample:  # a code is a category of what the intruder knows, not of what is sensitive
            wider.cache["published"] = sample.published
        combined = codes(wider)
        hierarchies = sample.microdata.hierarchies
        return cls.of(wider.known, combined, hierarchies, models, terms, sensitive=sensitive, sample=wider)

    @property
    def names(self) -> tuple[str, ...]:
        """The attributes."""
        return tuple(rung.name for rung in self.ladders)

    @property
    def heights(self) -> Levels:
        """How far each attribute can go up."""
        return tuple(rung.height for rung in self.ladders)

    @property
    def nodes(self) -> int:
        """How many nodes the lattice has."""
        return math.prod(height + 1 for height in self.heights)

    @property
    def allowed(self) -> int:
        """How many records may be suppressed: the floor of limit * n."""
        return math.floor(self.terms.limit * self.records)

    def losses(self, sums: Sequence[float]) -> list[float]:
        """Return the loss of each attribute from its sum of shares."""
        return [loss(total, float(all_[0]), self.records) for total, all_ in zip(sums, self.sums, strict=True)]

    def together(self, losses: Sequence[float]) -> float:
        """Return the loss of all attributes."""
        return together(losses, self.terms.mean, self.terms.weights or None)


def of_attributes(
    models: Sequence[PrivacyModel], names: Sequence[str | None], secret: Sequence[str], wholes: Sequence[Sensitive]
) -> list[PrivacyModel]:
    """Return models that look each at its own one of several histograms beside each other.

    `names` says which sensitive attribute each model is about; `secret` and `wholes` are all of them, in their order.
    """
    conditions: list[PrivacyModel] = []
    for model, name in zip(models, names, strict=True):
        if len(secret) < 2 or name is None or not model.needs_sensitive:
            conditions.append(model)
            continue
        place = secret.index(name)
        conditions.append(OfAttribute(model, sum(len(whole.counts) for whole in wholes[:place]), wholes[place]))
    return conditions


def evaluated(problem: Problem, classes: LatticeClasses) -> tuple[LatticeEvaluation, Array]:
    """Return what a node is worth, and which of its classes violate a model."""
    bad = violating(problem.models, classes, problem.whole)
    suppressed = int(classes.counts[bad].sum())
    feasible = suppressed <= problem.allowed
    if not feasible:
        return LatticeEvaluation(classes.levels, math.inf, suppressed, False), bad
    lost = sums_of(problem, classes, bad)
    sums = [
        float(all_[level]) - own + suppressed
        for all_, level, own in zip(problem.sums, classes.levels, lost, strict=True)
    ]
    return LatticeEvaluation(classes.levels, problem.together(problem.losses(sums)), suppressed, True), bad


def sums_of(problem: Problem, classes: LatticeClasses, some: Array) -> list[float]:
    """Return for each attribute the sum of shares of the records of some classes."""
    import numpy as np

    places = np.flatnonzero(some)
    counts = classes.counts[places].astype(np.float64)
    sums = []
    for rung, level, label in zip(problem.ladders, classes.levels, classes.labels, strict=True):
        # by label first: a product of long vectors would start threads
        of_label = np.bincount(label[places], weights=counts, minlength=rung.size(level))
        sums.append(float(of_label @ rung.shares[level]))
    return sums


def _sums(rung: Ladder, label: Array, counts: Array) -> Array:
    import numpy as np

    of_value = np.bincount(label, weights=counts, minlength=rung.size(0))
    return np.array([rung.shares[level][rung.climb(0, level)] @ of_value for level in range(rung.height + 1)])


def _in_order(combinations: Codes, place: int) -> tuple[Array, list[object]]:
    """Return the codes and values of an attribute in the order of the values, a missing one last.

    An engine returns groups in any order; what is found must not depend on it.
    """
    import numpy as np

    values = combinations.values[place].to_pylist()
    order = sorted((i for i, value in enumerate(values) if value is not None), key=lambda i: text_of(values[i]))
    # The last place is where the code of a null, -1, points. A column without any value may list the null as one.
    places = np.full(len(values) + 1, len(order), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places[combinations.codes[:, place]], [values[i] for i in order]


class CodeTables:
    """A store of classes by node; mutable, and forgets the largest first."""

    def __init__(self, problem: Problem) -> None:
        import numpy as np

        self._problem = problem
        self._held: list[LatticeClasses] = [problem.base]
        self._levels = np.zeros((1, len(problem.ladders)), dtype=np.int8)
        self._sizes = np.array([len(problem.base)])

    def at(self, levels: Levels) -> LatticeClasses:
        """Return the classes of a node."""
        import numpy as np

        below = np.flatnonzero((self._levels <= np.array(levels, dtype=np.int8)).all(axis=1))
        source = self._held[int(below[np.argmin(self._sizes[below])])]
        if source.levels == levels:
            return source
        table = rolled_up(source, levels, self._problem.ladders)
        # A table is worth keeping if it is much smaller than what it was made from.
        if len(table) * 2 < len(source):
            self._keep(table)
        return table

    def _keep(self, table: LatticeClasses) -> None:
        import numpy as np

        self._held.append(table)
        self._levels = np.vstack([self._levels, np.array(table.levels, dtype=np.int8)])
        self._sizes = np.append(self._sizes, len(table))
        while len(self._held) > 2 and self._sizes[1:].sum() > _ROWS:
            largest = 1 + int(np.argmax(self._sizes[1:]))
            del self._held[largest]
            self._levels = np.delete(self._levels, largest, axis=0)
            self._sizes = np.delete(self._sizes, largest)


@dataclass(frozen=True, slots=True)
class LatticeOptimum:
    """The best node: how far each attribute goes up, and what that costs."""

    levels: Mapping[str, int]
    score: float
    """The loss, suppressed records included."""
    suppressed: int
    """Records that must be suppressed because their class violates a model."""
    checked: int
    """Nodes that were looked at."""
    nodes: int
    """Nodes of the whole lattice."""
    is_proven: bool
    """Whether no other node can be better; otherwise it is the best of those that were looked at."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", MappingProxyType(dict(self.levels)))
