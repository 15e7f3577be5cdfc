"""The choice for one policy: the cheapest attributes to hide besides the confidential ones, with a reason for each.

1. For each dependency X -> A of a confidential A by which a value can be learnt (X is not a key), X must lose an
   attribute.
2. The hitting set of these is found exactly, or by a heuristic.
3. Repair: if the closure of the free attributes still reaches a confidential attribute, the fewest free attributes
   that a chain can begin with are one more set to hit, and so are those of further chains that share none of them;
   again from 2. When the loop ends, no chain reaches a confidential attribute.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from tacita.dependencies.dependency import Dependency
from tacita.dependencies.hiding.closure import chains_apart, used_by
from tacita.dependencies.hiding.heuristics import HEURISTICS
from tacita.dependencies.hiding.hitting_set import Attributes, smallest_hitting_set
from tacita.errors import UsageError, listed


class ChoiceMethod(StrEnum):
    """How the attributes to hide are chosen."""

    EXACT = "exact"
    COUNTING = "counting"
    WEIGHTED_COUNTING = "weighted-counting"
    FEEDBACK_VERTICES = "feedback-vertices"


class DisclosureKind(StrEnum):
    """How attributes give another one away."""

    DETERMINES = "determines"
    """By a dependency, or by several in a chain."""
    BREAKS = "breaks"
    """The hidden value alone breaks a dependency (`borderline`)."""
    PREDICTS = "predicts"
    """A model that was trained on the others guesses it better than it may."""
    TELLS = "tells"
    """By a formula, by a code, or by some of their values only."""


@dataclass(frozen=True, slots=True)
class Disclosure:
    """A way to a confidential attribute that hiding closes."""

    confidential: str
    uses: Attributes
    """The attributes that it begins with; one of them is hidden."""
    kind: DisclosureKind = DisclosureKind.DETERMINES
    chain: tuple[Dependency, ...] = ()
    """The dependencies that it takes, in their order."""
    clause: str = ""
    """What whoever noticed it says about it; otherwise `in_words` puts it into words."""

    @property
    def in_words(self) -> str:
        """What gives the attribute away, as a clause.

        >>> Disclosure.of((Dependency(("Age", "Sex"), "Occupation", 2),)).in_words
        '{Age, Sex} determines Occupation'
        """
        if self.clause:
            return self.clause
        if self.kind is DisclosureKind.DETERMINES:
            return ", and ".join(_in_words(one) for one in self.chain)
        begins = Dependency(tuple(sorted(self.uses)), self.confidential, 0)
        if self.kind is DisclosureKind.BREAKS:
            return f"the hidden value alone breaks that {begins.in_words}"
        return f"{begins.left_in_words} {self.kind.value} {self.confidential}"

    @classmethod
    def of(cls, chain: tuple[Dependency, ...]) -> Disclosure:
        """Return the disclosure by a chain of dependencies."""
        return cls(chain[-1].right, used_by(chain), chain=chain)


def _in_words(one: Dependency) -> str:
    """Return a dependency as a clause, with the attribute of the group that it holds for, and without its value."""
    return one.in_words if one.condition is None else f"{one.in_words} for one value of {one.condition.attribute}"


@dataclass(frozen=True, slots=True)
class HidingChoice:
    """What one policy hides: the confidential attributes, and those that would give them away."""

    confidential: tuple[str, ...]
    extra: tuple[str, ...]
    disclosures: tuple[Disclosure, ...] = field(repr=False)
    """What was closed, in the order in which it was met."""

    @property
    def hidden(self) -> frozenset[str]:
        """All attributes that are hidden."""
        return frozenset((*self.confidential, *self.extra))

    def reasons(self, attribute: str) -> tuple[Disclosure, ...]:
        """Return what hiding an extra attribute closes."""
        return tuple(one for one in self.disclosures if attribute in one.uses)


def choose(
    confidential: Collection[str],
    attributes: Sequence[str],
    dependencies: Sequence[Dependency],
    *,
    costs: Mapping[str, float] = MappingProxyType({}),
    keep: Collection[str] = (),
    method: ChoiceMethod = ChoiceMethod.EXACT,
    further: Sequence[Disclosure] = (),
) -> HidingChoice:
    """Return what to hide so that no confidential attribute follows from free ones; `keep` stays free.

    `dependencies` that are keys are left aside: nobody learns a value through them. `further` are other ways to close.

    >>> rules = [Dependency(("X",), "Z", 2), Dependency(("B", "Z"), "A", 2)]
    >>> choose(["A"], "XBZA", rules).extra
    ('B',)
    """
    threats = [one for one in dependencies if not one.is_key]
    secret = frozenset(confidential)
    fixed = {name: float("inf") for name in (*keep, *secret)}
    ways = [Disclosure.of((one,)) for one in threats if one.right in secret and not secret & {*one.needs}]
    ways += [one for one in further if one.confidential in secret and not secret & one.uses]
    while True:
        _check_can_be_broken(ways, keep)
        extra = _hitting_set([one.uses for one in ways], {**costs, **fixed}, attributes, method)
        if extra is None:  # an attribute that must stay is in no set, so that some set holds only such attributes
            raise AssertionError("a set without an attribute that may be hidden was let pass")
        free = [name for name in attributes if name not in secret and name not in extra]
        chains = chains_apart(free, [name for name in attributes if name in secret], threats)
        if not chains:
            ordered = tuple(name for name in attributes if name in secret)
            return HidingChoice(ordered, extra, tuple(ways))
        ways += [Disclosure.of(chain) for chain in chains]


def _hitting_set(
    sets: Sequence[Attributes], costs: Mapping[str, float], attributes: Sequence[str], method: ChoiceMethod
) -> tuple[str, ...] | None:
    if method is ChoiceMethod.EXACT:
        return smallest_hitting_set(sets, costs, attributes)
    allowed = [name for name in attributes if costs.get(name) != float("inf")]
    return HEURISTICS[method]([one & frozenset(allowed) for one in sets], allowed)


def _check_can_be_broken(ways: Sequence[Disclosure], keep: Collection[str]) -> None:
    """Raise if a confidential attribute is the same for everybody, or follows from attributes that must stay."""
    for way in ways:
        if not way.uses:
            raise UsageError(
                f"'{way.confidential}' cannot be kept confidential: all records have the same value",
                do="leave it out of the release, or take it out of the policies",
            )
        if way.uses <= frozenset(keep):
            raise UsageError(
                f"'{way.confidential}' cannot be kept confidential while {listed(sorted(way.uses))} must stay: "
                f"{way.in_words}",
                do="let one of them be hidden, or take the confidential attribute out of the release",
            )
