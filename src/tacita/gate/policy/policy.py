"""The policy of a gate: what a steward decides, and what is asked of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from enum import StrEnum

from tacita.gate.policy.values import ValueScheme
from tacita.gate.rules.start import StartOptions

RETRY = 0.2
"""Held records are looked at again when the released ones have grown by this share."""


class ObserverReach(StrEnum):
    """Whose records an observer can put together."""

    ALL = "all"
    """Everything that this gate releases, to whomever."""
    RECIPIENT = "recipient"
    """What one recipient gets, with those that collude with it."""


class HoldVisibility(StrEnum):
    """Whether an observer may learn that a record was held."""

    SILENT = "silent"
    """Who asks for records is trusted, and nobody else learns of it (footnote 3 of the paper)."""
    VISIBLE = "visible"
    """Who asks may be an observer: a hold tells that the record would make its target conspicuous."""


class GateRuleName(StrEnum):
    """The rules of a gate."""

    CROWD = "crowd"
    MARTINGALE = "martingale"
    VARIATION = "variation"
    DEFINITION_5 = "definition-5"
    FIT = "fit"


@dataclass(frozen=True, slots=True)
class ObserverModel:
    """What the steward supposes of those who observe; the policy asks for all of it."""

    gathers: ObserverReach
    holds: HoldVisibility
    knows_sizes: bool
    """Whether an observer knows how many records each target has in all."""


@dataclass(frozen=True, slots=True)
class RuleParameters:
    """The parameters of all rules; each rule takes its own."""

    others: int = 1
    """crowd: how many other targets must be as distant."""
    comparable: float = 0.25
    """crowd: other targets count if they have at least this share of the target's records."""
    evidence: float | None = 20.0
    """crowd: the limit of the Bayes factor that holds beside the rule; None for none."""
    alarm: float = 0.05
    """martingale: the false alarm rate."""
    shares_alarm: bool = True
    """martingale: whether the rate is that of all targets together; otherwise each target has it."""
    limit: float = 20.0
    """variation: the limit of the Bayes factor."""
    concentration: float | None = None
    """martingale, variation: of unusual targets; None for the usual one."""
    ordinary: float | None = None
    """variation: the concentration of ordinary targets."""


@dataclass(frozen=True, slots=True)
class ValueDependency:
    """X ~> Y: the distribution of values tells something of a target."""

    name: str
    target: str
    """The attribute that names the target."""
    targets: tuple[str, ...] | None
    """The targets; None: whatever targets the records name."""
    values: ValueScheme
    rules: tuple[GateRuleName, ...]
    start: StartOptions
    parameters: RuleParameters = field(default_factory=RuleParameters)
    sizes: tuple[int, ...] | None = None
    """How many records each target has in all, if observers know it."""
    slack: float = 0.0
    """By how much the released shares of targets may differ, if observers know their sizes."""
    fits: tuple[tuple[int, ...], ...] | None = None
    """Records by target and value of the fitted baseline, for the rule `fit`."""


@dataclass(frozen=True, slots=True)
class GatePolicy:
    """Everything that a gate decides by. `text` is the file as it was read."""

    name: str
    key: tuple[str, ...]
    """Attributes that name a record: it is counted once."""
    attributes: tuple[str, ...]
    """Attributes that are released."""
    observer: ObserverModel
    dependencies: tuple[ValueDependency, ...]
    source: str = ""
    """The name of the source in the settings of the ledger; empty: that of the gate."""
    recipients: tuple[str, ...] = ()
    """Who may receive records; empty: whoever the ledger knows."""
    retry: float = RETRY
    text: str = field(default="", repr=False, compare=False)

    @property
    def subject(self) -> str:
        """The name under which the ledger knows what is released."""
        return self.source or self.name

    @property
    def hash(self) -> str:
        """SHA-256 of what the policy says: another layout of the file is the same policy, another baseline is not."""
        from tacita.gate.policy.policy_payload import policy_payload

        stated = json.dumps(policy_payload(self), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(stated.encode()).hexdigest()
