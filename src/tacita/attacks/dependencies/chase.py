"""Derivation, record by record: what follows from dependencies and from records that are alike.

For a dependency X -> A, a record whose X is known and whose A is hidden takes A from a record that is alike on X and
whose A is known. Known means shown or derived before, so the rules are applied until nothing new follows: the chase of
a table by its dependencies (A. Aho, C. Beeri and J. Ullman, "The theory of joins in relational databases", ACM TODS 4,
1979), with hidden cells as the unknowns.

* *Equality.* The derived value is certain, and the order of the rules does not matter.
* *Thresholds.* Numbers and ranks become intervals: if a record is alike, the value is within the threshold of that
  record's value. Intervals of several records are intersected. Two records count as alike only if they are so for all
  values between their bounds. A value counts as derived once it is known to within the largest threshold of the
  dependencies that determine the attribute. Texts within a threshold of a shown one count as derived, and are not used
  further.
* *Exceptions.* What follows from dependencies that tolerate errors comes last: a hidden cell takes the most frequent
  value of the records that are alike. It may be wrong, and so may be all that is derived from it.
* *Conditions.* A rule that holds in a group of records is applied to records that are known to be in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacita.attacks.dependencies.concealed_file import ConcealedFile, KnownDependency
from tacita.attacks.dependencies.derivations import Derivations, derivations_of
from tacita.attacks.dependencies.journal import LearningWay
from tacita.attacks.dependencies.knowledge import IntruderKnowledge
from tacita.attacks.dependencies.near import NearTwins, first_twins, usual_twins
from tacita.attacks.microdata.score import check_count
from tacita.progress import Progress, Step, silent


@dataclass(frozen=True, slots=True)
class DerivationLimits:
    """How much work an intruder invests. What was left out is said in the notes of the result."""

    rounds: int = 100
    """How often all rules are applied."""
    comparisons: int = 200_000_000
    """How many pairs of records are compared by distance."""
    texts: int = 3_000
    """How many different texts an attribute may have to be compared by edits; above that, by equality."""
    candidates: int = 16_000_000
    """How many pairs of a hidden cell and a possible value are kept for exclusion."""
    exceptions: int = 2_000
    """How many sets of attributes that determine nothing are looked at for each attribute."""

    def __post_init__(self) -> None:
        for name in ("rounds", "comparisons", "texts", "candidates", "exceptions"):
            check_count(name, getattr(self, name))


def chase(
    file: ConcealedFile,
    *,
    with_conditions: bool = True,
    limits: DerivationLimits | None = None,
    progress: Progress = silent,
) -> Derivations:
    """Return every confidential cell that follows from the dependencies, with its transcript.

    >>> from tacita.model.records import Categories, Records
    >>> truth = Records({"Zip": Categories.of([1, 1, 2]), "City": Categories.of(["a", "a", "b"])})
    >>> mask = {"City": np.array([True, False, True])}
    >>> derived = chase(ConcealedFile(truth, mask, mask, (KnownDependency(("Zip",), "City"),)))
    >>> [(cell.row, cell.attribute, cell.steps[0].twins) for cell in derived.cells()]
    [(1, 'City', (2,))]
    """
    knowledge = IntruderKnowledge(file)
    rules = RowChase(knowledge, limits or DerivationLimits(), with_conditions=with_conditions, progress=progress)
    rules.run()
    rules.run_with_exceptions()
    return derivations_of(knowledge, file.dependencies, rules.notes)


class RowChase:
    """Dependencies that are applied to a state of knowledge until nothing new follows."""

    def __init__(
        self,
        knowledge: IntruderKnowledge,
        limits: DerivationLimits,
        *,
        with_conditions: bool = True,
        progress: Progress = silent,
    ) -> None:
        self.knowledge = knowledge
        self._rounds = limits.rounds
        self._cut = False
        self._near = NearTwins(knowledge, limits.comparisons, limits.texts)
        self._progress = progress
        numbered = list(enumerate(knowledge.file.dependencies))
        self._rules = [(n, one) for n, one in numbered if with_conditions or one.condition is None]
        self._stamps: dict[int, int] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        cut = ("The chase was cut after the given number of rounds: more may follow.",) if self._cut else ()
        return (*cut, *self._near.notes)

    def run(self) -> None:
        """Apply the rules without exceptions until nothing new follows."""
        self._apply([(number, rule) for number, rule in self._rules if not rule.error])

    def run_with_exceptions(self) -> None:
        """Apply all rules; what follows from now on is likely, not certain."""
        if any(rule.error for _, rule in self._rules):
            self.knowledge.doubts = True
            self._apply(self._rules)

    def _apply(self, rules: Sequence[tuple[int, KnownDependency]]) -> None:
        for round_ in range(self._rounds):
            waiting = [(number, rule) for number, rule in rules if self._stamps.get(number) != self._stamp(rule)]
            if not waiting:
                return
            self._progress(Step("deriving hidden cells", round_))
            for number, rule in waiting:
                self._stamps[number] = self._stamp(rule)
                if not rule.thresholds:
                    self._by_equality(number, rule)
                    self._stamps[number] = self._stamp(rule)  # its own results give it nothing new
                if rule.thresholds or self.knowledge.place[rule.right] in self.knowledge.low:
                    self._near.apply(number, rule)
        self._cut = any(self._stamps.get(number) != self._stamp(rule) for number, rule in rules)

    def _stamp(self, rule: KnownDependency) -> int:
        return int(self.knowledge.versions[self.knowledge.places(rule.attributes)].sum())

    def _by_equality(self, number: int, rule: KnownDependency) -> None:
        from tacita.attacks.dependencies.kernels import group_targets

        knowledge, right = self.knowledge, self.knowledge.place[rule.right]
        keys, known = knowledge.keys(knowledge.places(rule.left))
        known &= knowledge.meets(rule)
        is_open = knowledge.codes[right] < 0
        targets, sources = known & is_open, known & ~is_open
        if not targets.any() or not sources.any():
            return
        groups, count = group_targets(keys, targets, sources)
        rows, givers = np.flatnonzero(targets), np.flatnonzero(sources & (groups >= 0))
        if rule.error:
            twins = usual_twins(groups, givers, knowledge.codes[right], count)[groups[rows]]
        else:
            twins = first_twins(groups, givers, count)[groups[rows]]
        way = LearningWay.MAJORITY if rule.error else LearningWay.TWIN
        knowledge.take_from(way, right, rows[twins >= 0], twins[twins >= 0], number)
