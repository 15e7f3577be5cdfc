"""A gate that remembers: what it decides is in the ledger before anybody learns of it.

The gate decides a batch in memory, appends it to the ledger, waits until it is on the disk, and only then answers.
After a kill, the state is rebuilt from the ledger: a record that was recorded as released is released, whether or not
somebody got the answer; a record that was not recorded was never decided on. Asking again is safe: a record is
counted once.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from tacita.errors import LedgerError, UsageError, counted, did_you_mean
from tacita.gate.answers import DecidedBatch, GateReason, Row
from tacita.gate.cell_codes import Refused
from tacita.gate.gate import Gate, HeldRecord
from tacita.gate.policy.policy import GatePolicy, ObserverReach
from tacita.gate.policy.policy_payload import policy_payload
from tacita.gate.recording import POLICY, RecordedAs, entries_of, rows_of
from tacita.gate.rules.making import judge_of
from tacita.ledger.entry import Entry
from tacita.ledger.increments import COUNTED, HELD, INCREMENT, RELEASED
from tacita.ledger.ledger import Ledger
from tacita.ledger.recipients import Recipients

LOCK = "gate"
"""The lock of those who decide by what is in the ledger: one gate works at a time."""


class RecordedGate:
    """A gate whose decisions are in a ledger. Use it in a ``with`` statement: it has the lock of the ledger meanwhile.

    `recipient` is who gets the records, as entries name it: empty for everybody.
    """

    def __init__(
        self,
        policy: GatePolicy,
        ledger: Ledger,
        recipient: str = "",
        recipients: Recipients | None = None,
        *,
        wait: float | None = 0.0,
        read_only: bool = False,
    ) -> None:
        self.policy = policy
        self.ledger = ledger
        self.recorded = RecordedAs(policy.subject, recipient, policy.hash, policy.name)
        self.notes: list[str] = []
        self._recipients = recipients or Recipients()
        self._wait = wait
        self._read_only = read_only
        self._lock = contextlib.ExitStack()
        self._is_broken = False
        check_recipient(policy, recipient)

    def __enter__(self) -> Self:
        if not self._read_only:
            self._lock.enter_context(self.ledger.lock(LOCK, wait=self._wait))
        try:
            self._rebuild()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.close()

    def offer(self, rows: Iterable[Row | None]) -> tuple[DecidedBatch, list[tuple[str, Row]]]:
        """Decide on records and record it; return the decisions, and keys and cells of what is handed out now.

        If the ledger cannot be written to, the gate must not be used any more: open it again.
        """
        if self._is_broken:
            raise LedgerError("the last batch could not be recorded", where=self.ledger.place, do="open the gate again")
        batch = self.gate.offer(rows)
        self.given.update(batch.keys)
        shown = self.gate.cells.shown
        handed = [(key, shown(row)) for key, row in zip(batch.keys, batch.rows, strict=True)]
        for answer, row in batch.others:
            if answer.reason == GateReason.AGAIN and answer.key not in self.given:
                handed.append((answer.key, shown(row)))
                self.given.add(answer.key)
        entries = entries_of(batch, self.gate, self.recorded, handed)
        if entries:
            self._is_broken = True
            self.sequence = self.ledger.append(entries)[-1].sequence
            self._is_broken = False
        return batch, handed

    def handed_out(self, after: int = 0) -> Iterator[tuple[int, list[str], list[Row]]]:
        """Yield what this gate has handed out to this recipient: sequence, keys and cells of each entry."""
        return handed_out(self.ledger, self.recorded.subject, self.recorded.recipient, self.recorded.gate, after)

    # -- rebuilding ----------------------------------------------------------------------------------------------------

    def _rebuild(self) -> None:
        self.gate = Gate(self.policy)
        self.given: set[str] = set()
        """Keys of the records that this recipient has from this gate."""
        self.sequence = 0
        """The last entry of this gate."""
        self.policies: list[str] = []
        """The policies by which the gate decided so far."""
        state = _State(self.gate)
        for entry in self.ledger.entries(kinds=(INCREMENT, POLICY), subject=self.recorded.subject):
            self._read(entry, state)
        state.settle()
        if state.forgotten:
            self.notes.append(
                f"The payloads of {counted(state.forgotten, 'entry')} were purged: whether a record was among those "
                "released there is not known, and it would be counted again."
            )
        if not self._read_only:
            self._note_policy()

    def _read(self, entry: Entry, state: _State) -> None:
        payload = self.ledger.payload(entry)
        gathers_all = self.policy.observer.gathers is ObserverReach.ALL
        is_seen = gathers_all or self._recipients.sees(self.recorded.recipient, entry.recipient)
        is_own = entry.recipient == self.recorded.recipient
        if payload is None:
            if is_seen and entry.decision == COUNTED:
                raise LedgerError(
                    f"the counts of entry {entry.sequence} were purged: what observers have seen is not known",
                    where=self.ledger.place,
                    do="restore a backup of the ledger; counts name nobody and need not be purged",
                )
            state.forget(entry, is_seen=is_seen)
            return
        is_this_gate = payload["gate"] == self.recorded.gate
        if entry.kind == POLICY:
            if is_this_gate and is_own:
                self.policies.append(entry.policy)
            return
        if is_this_gate and is_own:
            self.sequence = entry.sequence
        if is_this_gate:
            self.gate.number = max(self.gate.number, int(payload.get("offered", 0)))
        if entry.decision == RELEASED and is_seen:
            state.take_keys(payload, entry, is_this_gate=is_this_gate)
            if is_own and is_this_gate:
                self.given.update(payload["keys"])
        elif entry.decision == COUNTED and is_seen and (is_this_gate or state.has_forgotten(entry.sequence - 1)):
            state.take_counts(payload, entry, is_this_gate=is_this_gate)
        elif entry.decision == HELD and is_this_gate and is_own:
            state.take_held(payload)

    def _note_policy(self) -> None:
        """Record the policy if it is new; what was decided by another one stands."""
        if self.policies and self.policies[-1] == self.recorded.policy:
            return
        decision = "changed" if self.policies else "opened"
        if self.policies:
            self.notes.append(
                "The policy is not the one of the last run. That is recorded; what was decided before stands, and held "
                "records are looked at again."
            )
            self.gate.next_look = min(self.gate.next_look, self.gate.judges[0].picture.total)
        payload = {"policy": policy_payload(self.policy), "text": self.policy.text}
        entry = self.recorded.entry(decision, payload, POLICY)
        self.ledger.append([entry])
        self.policies.append(self.recorded.policy)


class _State:
    """The state of a gate while it is read from the ledger."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.forgotten = 0
        self._forgotten_entry = 0
        self._cells: list[Counter[tuple[str, ...]]] = [Counter() for _ in gate.policy.dependencies]
        """Records by what was shown of target and values, for each dependency."""
        self._shown: dict[str, tuple[tuple[str, ...], ...]] = {}
        self._held: dict[str, HeldRecord] = {}
        self._next_look = 0
        self._accurate: list[list[str]] = [[] for _ in gate.policy.dependencies]
        self._names = [(one.target, *one.values.attributes) for one in gate.policy.dependencies]

    def take_keys(self, payload: Mapping[str, Any], entry: Entry, *, is_this_gate: bool) -> None:
        """Take over keys and shown cells of released records, and of another gate's records their counts."""
        attributes: Sequence[str] = payload["attributes"]
        is_comparable = tuple(payload["key"]) == self.gate.policy.key
        columns = [
            [payload["cells"][attributes.index(name)] for name in names] if set(names) <= set(attributes) else None
            for names in self._names
        ]
        for number, key in enumerate(payload["keys"]):
            cells = tuple(() if one is None else tuple(column[number] for column in one) for one in columns)
            is_new = not is_comparable or key not in self._shown
            if is_comparable:
                self._shown.setdefault(key, cells)
                self._held.pop(key, None)
            if not is_this_gate and is_new:
                for counts, cell in zip(self._cells, cells, strict=True):
                    counts[cell] += bool(cell)

    def forget(self, entry: Entry, *, is_seen: bool) -> None:
        """Take note that a payload was purged."""
        if is_seen and entry.decision == RELEASED:
            self.forgotten += 1
            self._forgotten_entry = entry.sequence

    def has_forgotten(self, sequence: int) -> bool:
        """Return whether an entry was the last one that was found purged."""
        return self._forgotten_entry == sequence

    def take_counts(self, payload: Mapping[str, Any], entry: Entry, *, is_this_gate: bool) -> None:
        """Take over the counts of a batch; of another gate only if its records were purged."""
        names = [tuple(one) for one in payload["dependencies"]]
        for place, wanted in enumerate(self._names):
            if wanted not in names:
                raise LedgerError(
                    f"the policy has a dependency of {', '.join(wanted[1:])} on {wanted[0]} that entry "
                    f"{entry.sequence} did not count: what observers have seen of it is not known",
                    do="keep the dependencies of the policy, or give the gate another 'source'",
                )
            counts = payload["counts"][names.index(wanted)]
            for count, cells in zip(counts["records"], rows_of(counts["cells"]), strict=True):
                self._cells[place][cells] += count
            if is_this_gate:
                self._accurate[place] = payload["accurate"][names.index(wanted)]
        if is_this_gate:
            self._next_look = payload["next_look"]

    def take_held(self, payload: Mapping[str, Any]) -> None:
        """Take over records that wait."""
        attributes: Sequence[str] = payload["attributes"]
        if any(name not in attributes for name in self.gate.attributes):
            return  # the policy releases more attributes now: the records have to be offered again
        columns = [payload["cells"][attributes.index(name)] for name in self.gate.attributes]
        for number, key, row in zip(payload["numbers"], payload["keys"], rows_of(columns), strict=True):
            before = self._held.pop(key, None)
            self._held[key] = HeldRecord(before.number if before else int(number), row, ())

    def settle(self) -> None:
        """Give the gate its state."""
        gate = self.gate
        counts: list[list[list[int]]] = []
        for place, cells in enumerate(self._cells):
            dependency = gate.policy.dependencies[place]
            table = [[0] * len(dependency.values.labels) for _ in gate.cells.targets(place)]
            for (target, *values), count in sorted(cells.items()):
                pair = gate.cells.codes_of_shown(place, target, values)
                if isinstance(pair, Refused):
                    raise LedgerError(
                        f"{counted(count, 'record')} left with a target or value that the policy does not know any "
                        f"more ('{dependency.name}'): what observers have seen cannot be counted",
                        do="keep targets, bins and baseline values of the earlier policy, or give another 'source'",
                    )
                table += [[0] * len(dependency.values.labels) for _ in range(len(table), pair[0] + 1)]
                table[pair[0]][pair[1]] += count
            counts.append(table)
        self._load(counts)

    def _load(self, counts: list[list[list[int]]]) -> None:
        gate = self.gate
        targets = [list(gate.cells.targets(place)) for place in range(len(counts))]
        growth = gate.judges[0].picture.growth
        gate.judges = tuple(
            judge_of(
                one,
                growth,
                counts[place],
                [name in self._accurate[place] for name in targets[place][: len(counts[place])]],
            )
            for place, one in enumerate(gate.policy.dependencies)
        )
        gate.cells.take_judges(gate.judges)
        for key, shown in self._shown.items():
            gate.released[key] = tuple(code for place, cells in enumerate(shown) for code in _codes(gate, place, cells))
        for key, record in self._held.items():
            codes_now = gate.cells.codes(record.row)
            if not isinstance(codes_now, Refused):
                record.codes = codes_now
                gate.held_records[key] = record
        gate.next_look = self._next_look or gate.look_after(0)


def _codes(gate: Gate, place: int, cells: tuple[str, ...]) -> tuple[int, int]:
    """Return target and value of a released record; no such record equals it if the policy does not know them."""
    pair = gate.cells.codes_of_shown(place, cells[0], cells[1:]) if cells else None
    return (-1, -1) if pair is None or isinstance(pair, Refused) else pair


def handed_out(
    ledger: Ledger, subject: str, recipient: str, gate: str, after: int = 0
) -> Iterator[tuple[int, list[str], list[Row]]]:
    """Yield what a gate has handed out to a recipient: sequence, keys and cells of each entry."""
    for entry in ledger.entries(after=after, kinds=(INCREMENT,), subject=subject, recipients=(recipient,)):
        if entry.decision != RELEASED:
            continue
        payload = ledger.payload(entry)
        if payload is not None and payload["gate"] == gate:
            yield entry.sequence, payload["keys"], rows_of(payload["cells"])


def check_recipient(policy: GatePolicy, recipient: str) -> None:
    """Raise if a recipient is not one of the policy's, or if the policy needs to know who receives."""
    if policy.recipients and recipient not in policy.recipients:
        what = f"'{recipient}' is not among the recipients" if recipient else "no recipient is named"
        raise UsageError(
            f"{what} of the policy '{policy.name}'{did_you_mean(recipient, policy.recipients)}",
            do=f"name one with --recipient: {', '.join(policy.recipients)}",
        )
    if policy.observer.gathers is ObserverReach.RECIPIENT and not recipient:
        raise UsageError(
            "the policy supposes that observers gather what one recipient gets, but no recipient is named",
            do="name one with --recipient NAME",
        )
