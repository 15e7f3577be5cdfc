"""Deciding again: every record that a ledger says was released must have been allowed when it was.

What a gate decides depends on released records alone, and the ledger has them in their order. So anybody who has the
ledger can repeat the decisions. Records of other gates and recipients count as the policy says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tacita.gate.answers import Row
from tacita.gate.cell_codes import Refused
from tacita.gate.gate import Gate
from tacita.gate.policy.policy import ObserverReach
from tacita.gate.policy.policy_payload import policy_of
from tacita.gate.recording import POLICY, rows_of
from tacita.gate.rules.judge import ALLOWED
from tacita.gate.rules.making import judge_of
from tacita.ledger.entry import Entry
from tacita.ledger.increments import INCREMENT, RELEASED
from tacita.ledger.ledger import Ledger
from tacita.ledger.recipients import Recipients


@dataclass(frozen=True, slots=True)
class ReplayedStep:
    """One record as it left: what observers saw of each dependency afterwards can be taken from the gate."""

    sequence: int
    number: int
    """The record within its entry, from 1 on."""
    is_own: bool
    """Whether it left by this gate, and to this recipient."""
    is_allowed: bool
    """Whether the policy allowed it; of other gates' records this is not asked."""
    key: str
    cells: Row
    codes: tuple[int, ...]


class Replay:
    """Repeats the decisions of a gate from its ledger; `gate` is the gate as it was after the last step."""

    def __init__(
        self, ledger: Ledger, gate: str, subject: str, recipient: str, recipients: Recipients | None = None
    ) -> None:
        self._ledger, self._name, self._subject, self._recipient = ledger, gate, subject, recipient
        self._recipients = recipients or Recipients()
        self.gate: Gate | None = None
        self.purged = 0
        """Entries whose records are gone: what left with them cannot be repeated."""
        self.policies = 0
        self._shown: dict[tuple[str, ...], Counter[tuple[str, ...]]] = defaultdict(Counter)
        """What was shown of target and values, by the names of their attributes."""
        self._keys: set[str] = set()
        self._waiting: list[tuple[Entry, Mapping[str, Any]]] = []

    def steps(self) -> Iterator[ReplayedStep]:
        """Yield the records that observers saw, in their order."""
        for entry in self._ledger.entries(kinds=(INCREMENT, POLICY), subject=self._subject):
            if entry.kind == INCREMENT and entry.decision != RELEASED:
                continue
            payload = self._ledger.payload(entry)
            if payload is None:
                self.purged += 1
            elif entry.kind == POLICY:
                if payload["gate"] == self._name and entry.recipient == self._recipient:
                    self._take_policy(payload)
                    yield from self._waiting_records()
            elif self.gate is None:
                self._waiting.append((entry, payload))
            else:
                yield from self._records(entry, payload, self.gate)

    def _waiting_records(self) -> Iterator[ReplayedStep]:
        """Yield what others had released before this gate was opened."""
        assert self.gate is not None
        for entry, payload in self._waiting:
            yield from self._records(entry, payload, self.gate)
        self._waiting.clear()

    def _take_policy(self, payload: Mapping[str, Any]) -> None:
        """Go on with another policy: what observers have seen stays."""
        self.gate = gate = Gate(policy_of(payload["policy"]))
        self.policies += 1
        counts = []
        for place, one in enumerate(gate.policy.dependencies):
            shown = self._shown[(one.target, *one.values.attributes)]
            pairs = [(gate.cells.codes_of_shown(place, cells[0], cells[1:]), n) for cells, n in shown.items()]
            table = [[0] * len(one.values.labels) for _ in gate.cells.targets(place)]
            for pair, number in pairs:
                if not isinstance(pair, Refused):
                    table[pair[0]][pair[1]] += number
            counts.append(table)
        growth = gate.judges[0].picture.growth
        gate.judges = tuple(
            judge_of(one, growth, table) for one, table in zip(gate.policy.dependencies, counts, strict=True)
        )
        gate.cells.take_judges(gate.judges)

    def _records(self, entry: Entry, payload: Mapping[str, Any], gate: Gate) -> Iterator[ReplayedStep]:
        is_own = payload["gate"] == self._name and entry.recipient == self._recipient
        gathers_all = gate.policy.observer.gathers is ObserverReach.ALL
        if not is_own and not gathers_all and not self._recipients.sees(self._recipient, entry.recipient):
            return
        attributes = payload["attributes"]
        names = [(one.target, *one.values.attributes) for one in gate.policy.dependencies]
        is_comparable = tuple(payload["key"]) == gate.policy.key
        for number, (key, cells) in enumerate(zip(payload["keys"], rows_of(payload["cells"]), strict=True), 1):
            if is_comparable and key in self._keys:
                continue
            self._keys.add(key)
            of_name = dict(zip(attributes, cells, strict=True))
            shown = [tuple(of_name.get(name, "") for name in one) for one in names]
            pairs = [gate.cells.codes_of_shown(place, one[0], one[1:]) for place, one in enumerate(shown)]
            is_allowed = not any(isinstance(pair, Refused) for pair in pairs)
            codes = tuple(code for pair in pairs if not isinstance(pair, Refused) for code in pair)
            if is_allowed and is_own:
                is_allowed = all(
                    judge.verdict(codes[2 * place], codes[2 * place + 1]) == ALLOWED
                    for place, judge in enumerate(gate.judges)
                )
            for place, (pair, one) in enumerate(zip(pairs, shown, strict=True)):
                self._shown[names[place]][one] += 1
                if not isinstance(pair, Refused):
                    gate.judges[place].release(*pair)
            yield ReplayedStep(entry.sequence, number, is_own, is_allowed, key, cells, codes)
