"""An open gate: policy, ledger and folder together. Decide, write, wait for the disk, then hand out.

What is released is in the ledger first and in the folder next, and only then is it answered. A process that is killed
between the two leaves a record that is recorded and not handed out; the next one that opens the gate hands it out. Each
record is in the folder once. Answers may come twice: a record that is asked for again is answered 'release' again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from tacita.errors import LedgerError, OutputError, UsageError, counted, did_you_mean
from tacita.gate.answers import DecidedBatch, Row
from tacita.gate.gate import Gate
from tacita.gate.memory import RecordedGate, check_recipient
from tacita.gate.policy.policy import GatePolicy
from tacita.ledger.ledger import Ledger
from tacita.ledger.recipients import Recipients
from tacita.release.kinds.increment.folder import NAME, IncrementFacts, IncrementFolder, begin_folder, renew_folder
from tacita.release.kinds.increment.ledgers import NO_LEDGER, GateLedger, configured_ledger, make_own_ledger, own_ledger
from tacita.release.manifest import kind_in, manifest_in
from tacita.release.opening import internal_folder
from tacita.settings import Settings

NOT_REMEMBERED = "This was a trial: nothing was recorded or handed out, and the next run knows nothing of it."


class OpenGate:
    """A gate that decides, records and hands out. Use it in a ``with`` statement; one process at a time has it."""

    def __init__(
        self,
        policy: GatePolicy,
        folder: Path | None = None,
        *,
        internal: Path | None = None,
        recipient: str | None = None,
        wait: float | None = 0.0,
        is_trial: bool = False,
        read_only: bool = False,
        settings: Settings | None = None,
    ) -> None:
        self.policy, self.folder = policy, folder
        self.internal = internal or (None if folder is None else internal_folder(folder))
        self._recipient, self._wait, self._settings = recipient, wait, settings
        self.is_trial, self._read_only = is_trial, read_only
        self.recipients = Recipients()
        self._exit = ExitStack()
        self._recorded: RecordedGate | None = None
        self._increments: IncrementFolder | None = None
        self.notes: list[str] = []
        if is_trial and folder is not None:
            raise UsageError("a trial hands nothing out", do="leave out --out, or --trial")
        if is_trial and wait:
            raise UsageError("a trial takes no ledger, so it waits for nobody", do="leave out --wait, or --trial")
        if internal is not None and folder is None:
            raise UsageError(
                "an internal folder belongs to a folder of a gate", do="add --out, or leave out --internal"
            )

    def __enter__(self) -> Self:
        try:
            self._open()
        except BaseException:
            self._exit.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._exit.close()

    @property
    def gate(self) -> Gate:
        """The gate in its present state."""
        return self._gate if self._recorded is None else self._recorded.gate

    @property
    def ledger(self) -> Ledger | None:
        """The ledger that has what was decided; None in a trial."""
        return None if self._recorded is None else self._recorded.ledger

    @property
    def recipient(self) -> str:
        """Who receives, as entries name it."""
        return (self._recipient or "") if self._recorded is None else self._recorded.recorded.recipient

    def offer(self, rows: Iterable[Row | None]) -> DecidedBatch:
        """Decide on records, record it, and hand out what leaves."""
        if self._recorded is None:
            return self._gate.offer(rows)
        batch, shown = self._recorded.offer(rows)
        if self._increments is not None and shown:
            self._increments.append([cells for _, cells in shown], self._recorded.sequence)
        return batch

    def keep(self, report: Callable[[], str]) -> None:
        """Replace the internal report, if there is a folder."""
        if self._increments is not None:
            self._increments.keep(report(), self.policy.text)

    def _open(self) -> None:
        given = None if self.is_trial and self.folder is None else self._ledger()
        if given is None and not self.is_trial and not self._read_only:
            raise UsageError(
                "no ledger is configured and no folder is named: nothing would be remembered",
                do="add --out FOLDER, make a ledger with 'tacita ledger init', or try the policy with --trial",
            )
        if given is None:
            check_recipient(self.policy, self._recipient or "")
            self._gate = Gate(self.policy)
            self.notes += [NOT_REMEMBERED] if self.is_trial else []
            return
        self._exit.enter_context(given.ledger)
        self.recipients = given.recipients
        if given.is_own:
            self.notes.append(NO_LEDGER)
        recipient = self._named(given.recipients, is_known=not given.is_own)
        self._recorded = RecordedGate(
            self.policy, given.ledger, recipient, given.recipients, wait=self._wait, read_only=self._read_only
        )
        self._exit.enter_context(self._recorded)
        self.notes += self._recorded.notes
        if self.folder is not None and not self._read_only:
            ledger = "" if given.is_own else given.ledger.identity.id
            self._open_folder(self.folder, self._facts(ledger, recipient))

    def _ledger(self) -> GateLedger | None:
        """Return the ledger that is configured, or that of the internal folder, which is made if need be."""
        place = Path.cwd() if self.folder is None else self.folder.resolve().parent
        if not place.is_dir():
            raise OutputError("the folder does not exist", where=str(place), do="make it first")
        configured = configured_ledger(place, self._settings)
        if self.folder is None or self.internal is None:
            return configured
        self._check_folder(self.folder, self.internal, configured)
        if configured is None:
            if not self.folder.exists() and not self.internal.exists() and not self._read_only:
                return self._begun_with_own_ledger(self.folder)
            return own_ledger(self.internal, self._settings)
        return configured

    def _check_folder(self, folder: Path, internal: Path, configured: GateLedger | None) -> None:
        """Raise before anything is recorded if the folder is not one of a gate, or belongs to another ledger."""
        if not folder.exists() and not internal.exists():
            return
        manifest = manifest_in(internal)
        if kind_in(manifest) != (NAME, True):
            raise OutputError(
                "is there and is not a folder of a gate, or its internal folder is missing",
                where=str(folder),
                do="choose another name, or restore the internal folder",
            )
        if manifest["ledger_id"] == "" and configured is not None:
            raise LedgerError(
                f"this folder has a ledger of its own, but {configured.ledger.place} is configured now",
                where=str(folder),
                do="begin another folder: what left before is in the ledger of this folder only",
            )
        if manifest["ledger_id"] and configured is None:
            raise LedgerError(
                "the ledger that has the records of this folder is not configured here",
                where=str(folder),
                do="set TACITA_LEDGER, or put the settings file of the ledger back",
            )

    def _begun_with_own_ledger(self, folder: Path) -> GateLedger:
        """Make the folders, with a ledger inside."""
        recipient = self._named(Recipients(), is_known=False)
        check_recipient(self.policy, recipient)
        self._begin(folder, self._facts("", recipient), lambda internal: make_own_ledger(internal, self._settings))
        assert self.internal is not None
        return own_ledger(self.internal, self._settings)

    def _named(self, recipients: Recipients, *, is_known: bool) -> str:
        """Return the recipient as entries name it; raise if nobody knows it."""
        if is_known or self._recipient is None:
            return recipients.named(self._recipient)
        if self._recipient not in self.policy.recipients:
            raise UsageError(
                f"no recipient '{self._recipient}' is known{did_you_mean(self._recipient, self.policy.recipients)}",
                do="name it under 'recipients' in the policy, or in the settings of a ledger",
            )
        return self._recipient

    def _facts(self, ledger: str, recipient: str) -> IncrementFacts:
        policy = self.policy
        return IncrementFacts(
            policy.name, policy.attributes, policy.subject, recipient, policy.hash, ledger, policy.key
        )

    def _begin(self, folder: Path, facts: IncrementFacts, ledger: Callable[[Path], None] | None = None) -> None:
        assert self.internal is not None
        begin_folder(folder, self.internal, facts, self.policy.text, self._settings, ledger)

    def _open_folder(self, folder: Path, facts: IncrementFacts) -> None:
        """Open the folder, made if need be, and hand out what is recorded and not there."""
        assert self.internal is not None and self._recorded is not None
        sequence = int(manifest_in(self.internal).get("sequence", 0))
        if sequence > self._recorded.ledger.head.size:
            raise LedgerError(
                f"the folder has records of entry {sequence:,}, which the ledger does not have",
                where=self._recorded.ledger.place,
                do="restore the ledger: an older copy, or another one, is in its place",
            )
        is_lost = not folder.exists() and self.internal.exists()
        if is_lost:
            renew_folder(folder, self.internal, facts, self._settings)
        elif not folder.exists():
            self._begin(folder, facts)
        self._increments = IncrementFolder(folder, self.internal, facts, self._settings)
        missing = 0
        for sequence, _, rows in self._recorded.handed_out(self._increments.sequence):
            self._increments.append(rows, sequence)
            missing += len(rows)
        if is_lost:
            self.notes.append(
                f"The folder was gone. It was made anew from the ledger, with {counted(missing, 'record')}; records "
                "whose payloads were purged are not among them."
            )
        elif missing:
            self.notes.append(
                f"{counted(missing, 'record')} had been released and not handed out when a process ended: they are "
                "in the folder now."
            )
