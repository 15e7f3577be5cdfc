"""Whether a ledger is what was appended: every hash is computed anew, and every fault says where it is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tacita.errors import InputError, counted
from tacita.ledger.checkpoint import LedgerCheckpoint, origin_of
from tacita.ledger.entry import PURGE, RESTORE, EntryHash, LedgerHead, first_previous, hash_of_payload
from tacita.ledger.signing import VerifyingKey
from tacita.ledger.stores.store import CheckedRow, EntryQuery, LedgerStore
from tacita.ledger.tree_check import TreeCheck
from tacita.model.result import Result
from tacita.progress import Progress, Step, silent

_MOST = 1_000
"""Faults that are listed; a file that has more is damaged throughout."""
_OFTEN = 20_000
"""Entries between two reports of progress."""
_FORM = (TypeError, ValueError, AttributeError, KeyError, RecursionError)
"""What Python raises at values that are not in the form of an entry; an encoding that fails is a ValueError."""


@dataclass(frozen=True, slots=True)
class LedgerFault:
    """What is wrong with a ledger, and at which entry; 0 if it is not about one."""

    sequence: int
    problem: str

    def __str__(self) -> str:
        return f"entry {self.sequence}: {self.problem}" if self.sequence else self.problem


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a ledger is compared with, besides itself."""

    checkpoints: Sequence[tuple[str, LedgerCheckpoint]] = ()
    """Checkpoints that were kept elsewhere, with where each comes from."""
    key: VerifyingKey | None = None
    """The public key of the ledger: signatures of its checkpoints must be of this key."""
    notes: Sequence[str] = field(default=())


@dataclass(frozen=True, slots=True, repr=False)
class LedgerVerification(Result):
    """What was found in a ledger."""

    place: str
    name: str
    id: str
    head: LedgerHead
    payloads: int
    """Payloads that are there and are those that were appended."""
    purged: int
    checkpoints: int
    """Checkpoints that the entries agree with."""
    faults: tuple[LedgerFault, ...]
    notes: tuple[str, ...] = ()
    """What is no fault, and good to know: a clock that went backwards."""

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        if self.faults:
            return f"The ledger is not what was appended: {counted(len(self.faults), 'fault')}."
        chain = f"The chain of {counted(self.head.size, 'entry')} is whole"
        return f"{chain} and agrees with {counted(self.checkpoints, 'checkpoint')}."

    def _in_short(self) -> str:
        return self.verdict


def verify_store(
    store: LedgerStore, evidence: Evidence | None = None, progress: Progress = silent
) -> LedgerVerification:
    """Recompute every hash of a ledger, and compare it with checkpoints; return all faults with their places."""
    check = _Check(store, evidence or Evidence())
    check.read(progress)
    return check.result()


class _Check:
    """A verification while it goes from entry to entry."""

    def __init__(self, store: LedgerStore, evidence: Evidence) -> None:
        self._store, self._evidence = store, evidence
        self._hash = EntryHash()
        self._faults: list[LedgerFault] = []
        self._notes: list[str] = list(evidence.notes)
        self._missing: set[int] = set()
        self._purged: dict[int, int] = {}
        self._payloads = self._agreeing = self._size = 0
        self._last = bytes.fromhex(first_previous(store.identity.name, store.identity.id))
        self._time = ""

    def read(self, progress: Progress) -> None:
        """Go through all entries, then compare the tree over them with checkpoints."""
        checkpoints, total = self._checkpoints(), (self._store.head() or (0,))[0]
        tree = TreeCheck({checkpoint.size for _, checkpoint in checkpoints})
        for row in self._store.checked_rows():
            if row[0] != self._size + 1:
                self._note_gap(row[0])
            tree.add(row[10] if isinstance(row[10], bytes) else b"")
            try:
                if not self._is_whole(row):
                    self._faults += [LedgerFault(row[0], problem) for problem in self._problems(row)]
            except _FORM:
                self._fault(row[0], "it is not in the form of an entry")
            self._size, self._last = row[0], row[10]
            if self._size % _OFTEN == 0:
                progress(Step("verifying entries", self._size, total))
            if len(self._faults) > _MOST:
                self._fault(0, f"there are more faults: the check ended after {_MOST:,}")
                return
        self._check_purged()
        for sequence in self._store.stray_payloads():
            self._fault(sequence, "there is a payload, but no entry")
        self._compare(checkpoints, tree)
        self._faults += [LedgerFault(0, problem) for problem in tree.wrong_nodes(self._store)]

    def result(self) -> LedgerVerification:
        """Return what was found."""
        identity = self._store.identity
        return LedgerVerification(
            self._store.place,
            identity.name,
            identity.id,
            LedgerHead(self._size, self._last.hex() if isinstance(self._last, bytes) else ""),
            self._payloads,
            len(self._missing & self._purged.keys()),
            self._agreeing,
            tuple(sorted(self._faults, key=lambda fault: fault.sequence)),
            (*self._notes, *self._losses(), *self._store.notes()),
        )

    def _losses(self) -> Iterator[str]:
        """Yield what a person has to know where the ledger went on from an older copy."""
        for row in self._store.rows(EntryQuery(kinds=(RESTORE,))):
            stored = self._store.payload(row[0])
            try:
                payload = json.loads(stored[1]) if stored else {}
                last, first = payload.get("lost_to"), payload.get("lost_from", row[0])
                lost = counted(last - first + 1, "entry") if last else "later entries, if there were any"
            except _FORM:
                lost = "later entries"
            yield (
                f"the ledger is an older copy that was accepted with entry {row[0]}. Not in it: {lost}. What left with "
                "them counts in no verdict and no budget"
            )

    def _is_whole(self, row: CheckedRow) -> bool:
        """Return whether nothing at all is to be said about an entry: nearly all are so, and are many."""
        (
            sequence,
            time,
            kind,
            source,
            subject,
            recipient,
            policy,
            decision,
            payload_hash,
            previous,
            hash_,
            salt,
            load,
        ) = row
        texts = (kind, source, subject, recipient, policy, decision)
        is_whole = (
            previous == self._last
            and time >= self._time
            and salt is not None
            and load is not None
            and kind != PURGE
            and hash_of_payload(salt, load) == payload_hash
            and self._hash(sequence, time, texts, payload_hash.hex(), previous.hex()) == hash_
        )
        if is_whole:
            self._payloads += 1
            self._time = time
        return is_whole

    def _problems(self, row: CheckedRow) -> Iterator[str]:
        sequence, time, kind, payload_hash, previous, hash_, salt, payload = *row[:3], *row[8:]
        if previous != self._last:
            yield "it does not follow the entry before it: the hash of that entry is another"
        if self._hash(sequence, time, row[2:8], payload_hash.hex(), previous.hex()) != hash_:
            yield "it was changed: its content does not have its hash"
        if time < self._time:
            self._notes.append(f"entry {sequence}: the clock went backwards")
        self._time = time
        if payload is None or salt is None:
            self._missing.add(sequence)
        elif hash_of_payload(salt, payload) != payload_hash:
            yield "its payload was changed: it does not have the hash of the entry"
        else:
            self._payloads += 1
            if kind == PURGE:
                for number in json.loads(payload)["sequences"]:
                    self._purged.setdefault(number, sequence)

    def _note_gap(self, sequence: int) -> None:
        first, last = self._size + 1, sequence - 1
        if last < first:
            self._fault(sequence, "no entry has such a number")
        else:
            self._fault(first, "missing" if first == last else f"missing, and all others up to {last}")

    def _check_purged(self) -> None:
        for sequence in sorted(self._missing - self._purged.keys()):
            if not self._was_purged_meanwhile(sequence):
                self._fault(sequence, "its payload is missing, and no entry records a purge")
        for sequence, by in self._purged.items():
            if sequence not in self._missing and sequence <= self._size and self._store.payload(sequence) is not None:
                self._fault(sequence, f"its payload is there, though entry {by} records that it was purged")

    def _was_purged_meanwhile(self, sequence: int) -> bool:
        """Return whether an entry that was appended during the check records a purge."""
        for row in self._store.rows(EntryQuery(self._size, kinds=(PURGE,))):
            stored = self._store.payload(row[0])
            is_whole = stored is not None and hash_of_payload(*stored) == row[8]
            if stored is not None and is_whole and sequence in json.loads(stored[1])["sequences"]:
                return True
        return False

    def _checkpoints(self) -> list[tuple[str, LedgerCheckpoint]]:
        """Return the checkpoints of the ledger and those that were given, each with where it comes from."""
        checkpoints = list(self._evidence.checkpoints)
        for number, (_, note) in enumerate(self._store.checkpoints(), 1):
            try:
                checkpoints.append((f"checkpoint {number}", LedgerCheckpoint.from_note(note)))
            except InputError:
                self._fault(0, f"checkpoint {number} is not in the form of a checkpoint")
        return checkpoints

    def _compare(self, checkpoints: Sequence[tuple[str, LedgerCheckpoint]], tree: TreeCheck) -> None:
        """Compare the tree over the entries with checkpoints, small ones first: the first that fails says where."""
        origin, key = origin_of(self._store.identity), self._evidence.key
        whole = unsigned = 0
        for where, checkpoint in sorted(checkpoints, key=lambda pair: pair[1].size):
            if checkpoint.origin != origin:
                self._fault(0, f"{where} is of another ledger")
            elif key is not None and checkpoint.signatures and not checkpoint.signed_by(key):
                self._fault(0, f"{where} was not signed with the key of the ledger")
            elif checkpoint.size > self._size:
                self._fault(0, f"{where} has {checkpoint.size:,} entries: the last ones of the ledger are gone")
            elif tree.roots.get(checkpoint.size) != checkpoint.root:
                changed = f"one of the entries {whole + 1} to {checkpoint.size} was changed after it"
                self._fault(0, f"{where} does not agree with the first {checkpoint.size:,} entries: {changed}")
            elif key is not None and not checkpoint.signatures:
                unsigned += 1  # it agrees, but whoever rewrote the ledger could have made it
            else:
                whole = checkpoint.size
                self._agreeing += 1
        if unsigned:
            said = "is not signed and does" if unsigned == 1 else "are not signed and do"
            self._notes.append(f"{counted(unsigned, 'checkpoint')} {said} not count, since the ledger has a key")

    def _fault(self, sequence: int, problem: str) -> None:
        self._faults.append(LedgerFault(sequence, problem))
