"""The search for what each group of equal policies hides: the ways that it has to close, and the decoys it needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.dependencies.derivations import DerivedCell
from tacita.concealment.decoys import DecoyTurns, hidden_cells, refuse_shortfalls, with_decoys
from tacita.concealment.hidden_cells import HiddenCells
from tacita.concealment.plan import ConcealPlan
from tacita.concealment.policies.policy import Policies
from tacita.dependencies.dependency import Dependency, Discovery
from tacita.dependencies.hiding.borderline import BorderlineCases
from tacita.dependencies.hiding.choice import Disclosure, DisclosureKind, HidingChoice, choose
from tacita.dependencies.hiding.known_totals import shortfalls

Codes = NDArray[np.int64]
NOTHING = HidingChoice((), (), ())


@dataclass(slots=True)
class HidingSearch:
    """The groups of records with equal policies, and the ways that each of them has to close."""

    plan: ConcealPlan
    attributes: tuple[str, ...]
    dependencies: tuple[Dependency, ...]
    """Those by which something can be learnt."""
    policies: Policies
    turns: DecoyTurns
    codes: Mapping[str, Codes]
    _further: dict[int, list[Disclosure]] = field(init=False)
    """Ways that a policy has to close besides dependencies, by the place of the policy."""
    _choices: dict[int, HidingChoice] = field(init=False, default_factory=dict)
    _cases: BorderlineCases = field(init=False)
    _least: dict[str, int] = field(init=False)
    """How many people have to hide an attribute."""

    def __post_init__(self) -> None:
        self._further = {policy: [] for policy in self.policies.used}
        self._cases = BorderlineCases(self.codes)
        self._least = dict.fromkeys(self.attributes, self.plan.least_hiders)

    def hidden(self) -> HiddenCells:
        """Return what is hidden when borderline cases are closed and enough people hide each attribute."""
        of_record = self.policies.of_record
        while True:
            self._close_borderline_cases(of_record)
            groups = [self._choice(i) if i in self._further else NOTHING for i in range(len(self.policies.sets))]
            sets = [one.hidden for one in groups]
            if self.plan.decoys:
                changed = with_decoys(of_record, sets, self.codes, self.turns, self._least)
            else:
                changed = of_record
                self._refuse_shortfalls(sets)
            if np.array_equal(changed, of_record):
                return HiddenCells(tuple(groups), of_record, of_record != self.policies.of_record)
            of_record = changed

    def _choice(self, policy: int) -> HidingChoice:
        """Return what a policy hides, as far as is known now."""
        if policy not in self._choices:
            self._choices[policy] = choose(
                self.policies.sets[policy],
                self.attributes,
                self.dependencies,
                costs=self.plan.costs,
                keep=self.plan.keep,
                method=self.plan.choice,
                further=self._further[policy],
            )
        return self._choices[policy]

    def _close(self, policy: int, way: Disclosure) -> bool:
        """Note one more way that a policy has to close; return whether it was a new one."""
        if way in self._further[policy]:
            return False
        self._further[policy].append(way)
        self._choices.pop(policy, None)
        return True

    def close(self, ways: Iterable[Disclosure], hidden: HiddenCells) -> bool:
        """Close ways to confidential attributes for every policy that they are open to; return whether one was.

        A way that needs no attribute, such as by the order of the records, cannot be closed. What tells an attribute
        that is hidden only to protect others would undo that, and is closed for their sake.
        """
        closed = False
        for way in ways:
            if way.uses.isdisjoint(self.attributes):
                continue
            for policy in self._further:
                if way.uses.isdisjoint(hidden.groups[policy].hidden):
                    for one in self._for_policy(policy, way, hidden.groups[policy]):
                        closed |= self._close(policy, one)
        return closed

    def _for_policy(self, policy: int, way: Disclosure, choice: HidingChoice) -> list[Disclosure]:
        """Return a way as one to attributes that a policy keeps confidential; nothing if it leads to none of them."""
        if way.confidential in self.policies.sets[policy]:
            return [way]
        if way.kind is not DisclosureKind.TELLS or way.confidential not in choice.extra:
            return []
        protected = sorted({one.confidential for one in choice.reasons(way.confidential)})
        return [
            replace(way, confidential=name, clause=f"{way.in_words}, which is hidden to protect {name}")
            for name in protected
        ]

    def close_derived(self, cells: Sequence[DerivedCell], hidden: HiddenCells) -> bool:
        """Close the ways by which cells were derived, each for its whole group; return whether that can be done.

        A cell that no attribute of its own record gives away follows from totals: then more people hide the attribute.
        """
        closed = False
        for cell in cells:
            policy = int(hidden.of_record[cell.row - 1])
            shown = frozenset(name for step in cell.steps if step.row == cell.row for name in step.left)
            shown -= hidden.groups[policy].hidden
            if shown - frozenset(self.plan.keep):
                closed |= self._close(policy, Disclosure(cell.attribute, shown, DisclosureKind.BREAKS))
        return closed or self._more_hiders({cell.attribute for cell in cells}, hidden)

    def _more_hiders(self, names: Iterable[str], hidden: HiddenCells) -> bool:
        if not self.plan.decoys:
            return False
        grown = False
        for name in sorted(names):
            persons = len(np.unique(self.turns.of_record[hidden.hidden(name)]))
            if persons < len(self.turns.turn):
                self._least[name] = max(self._least[name], persons) + self.plan.least_hiders
                grown = True
        return grown

    def _refuse_shortfalls(self, sets: Sequence[frozenset[str]]) -> None:
        cells = hidden_cells(sets, self.policies.of_record)
        if short := shortfalls(self.codes, cells, self.turns.of_record, self._least):
            refuse_shortfalls(short, self.plan.least_hiders, "leave out --no-decoys to let others hide it, too")

    def _close_borderline_cases(self, of_record: Codes) -> None:
        """Close what a hidden value tells by being the only one that breaks something.

        The empty set of attributes is the business of `with_decoys`: whoever alone has another value than all others
        hides it with people who have the value of the others.
        """
        for policy in self._further:
            grown = True
            while grown:
                grown = False
                hidden = self._choice(policy).hidden
                for left, right in self._nearly(policy, hidden):
                    rows = self._cases.of(left, right)
                    if len(rows) and (of_record[rows] == policy).any():
                        grown |= self._close(policy, Disclosure(right, left, DisclosureKind.BREAKS))

    def _nearly(self, policy: int, hidden: frozenset[str]) -> list[tuple[frozenset[str], str]]:
        """Return what is left of sets that determine confidential attributes when the hidden ones are taken away."""
        left = {
            (frozenset(one.needs) - hidden, one.right)
            for one in self.dependencies
            if one.right in self.policies.sets[policy] and not hidden.isdisjoint(one.needs)
        }
        return sorted(((one, right) for one, right in left if one), key=lambda pair: (sorted(pair[0]), pair[1]))


def teachable(discovery: Discovery, policies: Policies) -> tuple[Dependency, ...]:
    """Return the dependencies by which something can be learnt: not those of attributes that nobody shows."""
    shown_by_none = frozenset.intersection(*(policies.sets[i] for i in np.unique(policies.of_record)))
    return tuple(one for one in discovery.dependencies if one.right not in shown_by_none)
