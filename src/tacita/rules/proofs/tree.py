"""What a proof is made of: one step for each fact, and what the step rests on.

A proof is not nested: its steps stand side by side and name the facts that they rest on. So a fact that is used twice
is proved once, and a proof may be thousands of steps deep without anything going as deep with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from tacita.errors import counted
from tacita.model.result import Result
from tacita.rules.reasoner.values import Null, written
from tacita.rules.syntax.literals import name_literal


@dataclass(frozen=True, slots=True, repr=False)
class GroundFact:
    """A fact: a predicate and the values of its arguments.

    >>> print(GroundFact("Own", ("a", Null(3), 0.6)))
    Own("a", ⊥3, 0.6)
    """

    predicate: str
    values: tuple[Any, ...]

    def __repr__(self) -> str:
        return f"<GroundFact of {self.predicate}>"

    def __str__(self) -> str:
        return f"{name_literal(self.predicate)}({', '.join(map(written, self.values))})"


@dataclass(frozen=True, slots=True)
class RuleName:
    """Which rule: what it is called, where it stands and how it is written."""

    name: str
    module: str = ""
    origin: str = ""
    text: str = ""


Binding: TypeAlias = tuple[tuple[str, Any], ...]
"""The variables of a rule with their values, in the order of their first place."""


# -- what a step rests on ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class Uses:
    """A fact that the body of the rule matched."""

    fact: GroundFact


@dataclass(frozen=True, slots=True, repr=False)
class Remembers:
    """A fact that held in an earlier epoch and was forgotten with it."""

    text: str
    epoch: int


@dataclass(frozen=True, slots=True, repr=False)
class Holds:
    """A condition that held: as the rule writes it, and with the values in it."""

    written: str
    operator: str
    values: tuple[Any, ...]
    terms: tuple[str, ...]
    """The terms that had these values, as the rule writes them."""
    note: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Computes:
    """A variable that got its value from a term."""

    variable: str
    written: str
    value: Any


@dataclass(frozen=True, slots=True, repr=False)
class Misses:
    """A negation: what was looked for and not found."""

    written: str
    looked_for: str


@dataclass(frozen=True, slots=True, repr=False)
class Contributor:
    """One contributor of an aggregate, what it contributes, and why."""

    names: Binding
    value: Any
    premises: tuple[Premise, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Gathers:
    """An aggregate: its value and those who contributed to it, the weightiest first."""

    function: str
    written: str
    value: Any
    contributors: tuple[Contributor, ...]
    number: int
    """How many contributors there are; not all of them need be listed."""
    variable: str = ""
    """The variable that was given the value, if there is one."""
    of: str = ""
    """The term under the aggregate, as the rule writes it."""


Premise: TypeAlias = Uses | Remembers | Holds | Computes | Misses | Gathers


# -- steps -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, repr=False)
class InventedNull:
    """A labelled null that the rule made, and the variable it stands for."""

    null: Null
    variable: str
    frontier: Binding
    """For which values it was made: there is one null for a rule, a variable and these."""


@dataclass(frozen=True, slots=True, repr=False)
class Equation:
    """One use of an equality rule, and the facts that made it apply."""

    rule: RuleName
    facts: tuple[GroundFact, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Merged:
    """A null that equality rules did away with: what it was found to be."""

    null: Null
    became: Any
    rule: str
    round: int
    because: tuple[Equation, ...] = ()
    """How equality rules lead from the null to what it became, as far as it can still be told."""


@dataclass(frozen=True, slots=True, repr=False)
class GivenFact:
    """The fact was there from the beginning."""

    fact: GroundFact
    where: str
    """``input``, or the place in the program."""


@dataclass(frozen=True, slots=True, repr=False)
class Derived:
    """A rule gave the fact."""

    fact: GroundFact
    round: int
    rule: RuleName
    binding: Binding = ()
    premises: tuple[Premise, ...] = ()
    new_nulls: tuple[InventedNull, ...] = ()
    merged: tuple[Merged, ...] = ()
    explanation: str = ""
    """The sentence of the rule's ``@explain`` with its gaps filled."""
    is_superseded: bool = False
    """Whether a better value took its place before the end; something else still rests on it."""

    @property
    def is_settled(self) -> bool:
        """Whether a null that the rule made turned out to be a constant."""
        return any(not isinstance(merged.became, Null) for merged in self.merged)


@dataclass(frozen=True, slots=True, repr=False)
class Computed:
    """A function of the caller's gave the fact."""

    fact: GroundFact
    round: int
    function: str
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Changed:
    """A rule put this version of a fact in the place of an older one."""

    fact: GroundFact
    round: int
    epoch: int
    rule: RuleName
    binding: Binding = ()
    premises: tuple[Premise, ...] = ()
    new_nulls: tuple[InventedNull, ...] = ()
    explanation: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Open:
    """The fact holds; why was not followed any further."""

    fact: GroundFact
    round: int


@dataclass(frozen=True, slots=True, repr=False)
class LostFact:
    """The fact holds, and what it was derived from is not there any more."""

    fact: GroundFact
    round: int
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class Violated:
    """An equality rule or a denial failed: not a fact, and proved like one."""

    fact: GroundFact
    """The name of the rule, and the values that clash or those of its variables."""
    rule: RuleName
    text: str
    """What must not be, in the words of the denial; or what would have to be equal."""
    binding: Binding = ()
    premises: tuple[Premise, ...] = ()


Step: TypeAlias = GivenFact | Derived | Computed | Changed | Open | LostFact | Violated


@dataclass(frozen=True, slots=True)
class PredicateModel:
    """The sentence of a predicate: ``[a] controls [b]``, and what its arguments are called."""

    names: tuple[str, ...]
    sentence: str


@dataclass(frozen=True, repr=False)
class Proof(Result):
    """Why a fact holds: a step for each fact that it rests on, those nearest to the goal first."""

    goal: GroundFact
    steps: Mapping[GroundFact, Step]
    models: Mapping[str, PredicateModel] = field(default_factory=dict)
    """The sentences that the program has for its predicates."""

    @property
    def is_complete(self) -> bool:
        """Whether everything was followed back to what was given."""
        return not any(isinstance(step, Open | LostFact) for step in self.steps.values())

    @property
    def depth(self) -> int:
        """How many steps lie between the goal and what lies furthest from it, by the shortest way."""
        return max(levels(self).values())

    def _in_short(self) -> str:
        whole = "" if self.is_complete else ", not followed to its end"
        return f"of {self.goal.predicate}: {counted(len(self.steps), 'step')}{whole}"

    def as_text(self, width: int = 100) -> str:
        """Return the proof as a tree for a terminal."""
        return self.to_text(width)

    def as_sentences(self) -> str:
        """Return the proof in words: a sentence for each fact that was derived."""
        return str(self._form("as_sentences"))

    def as_json(self) -> dict[str, Any]:
        """Return the proof as values that `json` can write."""
        return self.to_dict()

    def as_dot(self) -> str:
        """Return the proof as a graph in the language of Graphviz."""
        return str(self._form("as_dot"))

    def as_svg(self) -> str:
        """Return the proof as a picture."""
        return str(self._form("as_svg"))

    def __str__(self) -> str:
        return self.as_text()


def premises_of(step: Step) -> tuple[Premise, ...]:
    """Return what a step rests on."""
    return () if isinstance(step, GivenFact | Open | LostFact) else step.premises


def used(premises: tuple[Premise, ...]) -> Iterator[GroundFact]:
    """Yield the facts among premises, those of contributors too, each once."""
    seen: dict[GroundFact, None] = {}
    waiting: list[Premise] = list(reversed(premises))
    while waiting:
        premise = waiting.pop()
        if isinstance(premise, Uses):
            seen.setdefault(premise.fact)
        elif isinstance(premise, Gathers):
            waiting += [p for c in reversed(premise.contributors) for p in reversed(c.premises)]
    yield from seen


def levels(proof: Proof) -> dict[GroundFact, int]:
    """Return how far each fact is from the goal, by the shortest way; nearest first."""
    depths = {proof.goal: 0}
    waiting = [proof.goal]
    for fact in waiting:
        step = proof.steps.get(fact)
        if step is None:
            continue
        for other in used(premises_of(step)):
            if other not in depths:
                depths[other] = depths[fact] + 1
                waiting.append(other)
    return depths
