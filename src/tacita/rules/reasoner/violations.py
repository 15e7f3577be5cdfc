"""What equality rules and denials found wrong: reported, never dropped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Policy(StrEnum):
    """What happens when an equality rule or a denial fails."""

    ASK = "ask"
    """Report it; a person decides."""
    FAIL = "fail"
    """Stop: there is no result."""
    QUARANTINE = "quarantine"
    """Take the facts that clash out of the results, and report them."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One failure: which rule, for which values of its variables."""

    rule: str
    text: str
    values: Mapping[str, object] = field(hash=False)
    """The variables of the rule's body in this match."""
    clash: tuple[object, object] | None = None
    """The two constants that an equality rule would have to make one."""
    policy: Policy = Policy.ASK
    facts: tuple[tuple[str, tuple[object, ...]], ...] = ()
    """The facts that the match is made of."""
