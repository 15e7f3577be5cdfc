"""What the ledger records of a release: before it leaves, whoever made it.

The order keeps the ledger complete. A release is judged, written aside, read back, recorded, and only then put in its
place: what left is in the ledger. After a kill between the last two steps the ledger has a release that never left;
a person may withdraw it.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import Any

from tacita.errors import JointRefusal, LedgerMoved, TacitaError, UsageError, faults_text
from tacita.ledger.canonical import canonical
from tacita.ledger.checkpoint import LedgerCheckpoint
from tacita.ledger.corrections import never_left, released_folder, releases_that_never_left, withdraw
from tacita.ledger.disclosures import number_text
from tacita.ledger.entry import Entry, NewEntry, actor
from tacita.ledger.ledger import Ledger
from tacita.ledger.persons import persons_of
from tacita.ledger.settings_file import LedgerSettings, find_ledger_settings
from tacita.ledger.signing import SigningKey
from tacita.ledger.sources import version_of
from tacita.ledger.verdict import JointVerdict, ProposedRelease
from tacita.progress import Progress, silent
from tacita.release.kind import LedgerReceipt, ReleaseDraft, Workplace
from tacita.release.options import FolderOptions
from tacita.release.replaced import replaced_release
from tacita.settings import Settings

_SECRETS = frozenset({"seed", "key", "links"})
_ATTEMPTS = 20
"""How often a release is judged again because somebody else recorded one meanwhile."""


def judged_with_earlier(
    proposal: ProposedRelease, ledger: Ledger, settings: LedgerSettings, progress: Progress = silent
) -> JointVerdict:
    """Return whether a release is safe together with all earlier ones that count for its recipient."""
    from tacita.joint.judge import JointJudge
    from tacita.joint.recorded import proposed

    judge = JointJudge(ledger, settings, progress)
    return judge.judge(proposed(proposal), proposal.version, proposal.recipient).to_verdict()


@contextlib.contextmanager
def recording(
    target: Path, internal: Path, options: FolderOptions, settings: Settings | None
) -> Iterator[Recorder | None]:
    """Hand out what records a release to a folder; None if no ledger is configured."""
    given = find_ledger_settings(target.resolve().parent, settings)
    if given is None:
        if options.recipient is not None:
            raise UsageError(
                "a recipient is named, but no ledger is configured",
                where=str(target),
                do="make a ledger with 'tacita ledger init' and name recipients there, or leave --recipient out",
            )
        yield None
        return
    recipient, key = given.recipients.named(options.recipient), given.key()
    with given.open(settings) as ledger:
        recorder = Recorder(given, ledger, recipient, (target.resolve(), internal.resolve()), options, key)
        try:
            yield recorder
        except BaseException:
            recorder.withdraw_if_not_there()
            raise


class Recorder:
    """Records one release."""

    def __init__(
        self,
        settings: LedgerSettings,
        ledger: Ledger,
        recipient: str,
        places: tuple[Path, Path],
        options: FolderOptions,
        key: SigningKey | None,
    ) -> None:
        self._settings, self._ledger, self._recipient, self._key = settings, ledger, recipient, key
        self._places, self._options = places, options
        self._head = ledger.head
        self._entry: Entry | None = None

    def judge(self, kind: str, draft: ReleaseDraft, inside: Workplace, progress: Progress = silent) -> None:
        """Judge what is written aside together with earlier releases; raise if it must not leave."""
        self._progress = progress
        self._facts = draft.ledger_facts()
        self._version = version_of(self._facts.sources, self._settings.sources, str(self._places[0]))
        self._replaced = replaced_release(self._places[1], self._settings.id, inside)
        self._disclosures = draft.disclosed(inside, persons_of(self._version.source, self._ledger))
        self._proposal = ProposedRelease(kind, self._version, self._recipient, self._disclosures, inside.path)
        self._judge()

    def append(self, manifest: Mapping[str, Any]) -> LedgerReceipt:
        """Record the release; `manifest` is its internal one. It may be put in its place when this returns."""
        for _ in range(_ATTEMPTS):
            entry = self._new_entry(manifest)
            try:
                (self._entry,) = self._ledger.append([entry], expecting=self._head)
                break
            except LedgerMoved:
                self._judge()
        else:
            raise LedgerMoved(
                "others record releases faster than this one can be judged",
                where=self._ledger.place,
                do="run the command again",
            )
        checkpoint = self._ledger.checkpoint(self._key)
        return LedgerReceipt(
            self._settings.name,
            self._settings.id,
            self._settings.path,
            self._entry.sequence,
            self._entry.hash,
            self._recipient,
            self._version.subject,
            checkpoint.note,
            self._verdict,
        )

    def withdraw_if_not_there(self) -> None:
        """Record that a release never left, if it was recorded and then could not be put in its place."""
        if self._entry is None:
            return
        with contextlib.suppress(Exception):  # the error that is on its way says more; a person can withdraw it
            if released_folder(self._ledger, self._entry) is None:
                why = "the folders could not be put in their place"
                withdraw(self._ledger, self._entry.sequence, why, never_left=True)

    def _judge(self) -> None:
        self._head = self._ledger.head
        verdict = judged_with_earlier(self._proposal, self._ledger, self._settings, self._progress)
        verdict = replace(verdict, notes=(*self._notes(), *verdict.notes))
        if verdict.is_refused and self._options.allow_joint:
            verdict = replace(verdict, is_allowed=True)
        if verdict.is_refused:
            again = (
                []
                if self._replaced not in verdict.entries
                else [f"if nobody received entry {self._replaced}, delete it and say so: {never_left(self._replaced)}"]
            )
            helps = ", or ".join(dict.fromkeys((*verdict.remedies, *again)))
            raise JointRefusal(
                faults_text(verdict.reasons),
                where=str(self._places[0]),
                do=f"{helps or 'release less'}; or accept it with --allow-joint. Nothing was released",
            )
        self._verdict = verdict

    def _new_entry(self, manifest: Mapping[str, Any]) -> NewEntry:
        recipe = plain_payload(self._facts.recipe)
        folder, internal = self._places
        payload = {
            "folder": str(folder),
            "internal": str(internal),
            "by": actor(),
            "files": manifest["files"],
            "internal_files": manifest["internal_files"],
            "sources": [str(path) for path in self._version.paths],
            "recipe": recipe,
            "options": _options_given(self._options),
            "decisions": plain_payload(self._facts.decisions),
            "verdict": self._verdict.to_payload(),
            "disclosures": self._disclosures.to_payload(),
        }
        return NewEntry(
            self._proposal.kind,
            self._version.sha256,
            self._version.subject,
            self._recipient,
            hashlib.sha256(canonical(recipe)).hexdigest(),
            "released",
            payload,
        )

    def _notes(self) -> Iterator[str]:
        version = self._version
        if self._replaced:
            yield (
                f"Entry {self._replaced}, which this release replaces, counts as before; what it disclosed is kept in "
                f"the internal folder. If nobody received it, say so with '{never_left(self._replaced)}'."
            )
        if not version.is_known:
            return
        if not version.subject:
            yield "The source has no name in the settings of the ledger: other versions of it are taken for other data."
            return
        for entry in self._ledger.entries(subject=version.subject):
            if entry.source and entry.source != version.sha256:
                yield (
                    f"The source '{version.subject}' has another content than in entry {entry.sequence}: "
                    "it is taken for another version of the same population."
                )
                return


def plain_payload(value: Any) -> Any:
    """Return a value as payloads hold it: no fractions, and no seed.

    >>> plain_payload({"k": 3, "limit": 0.05, "protect": {"seed": 7, "base": 5}})
    {'k': 3, 'limit': '0.05', 'protect': {'base': 5}}
    """
    if isinstance(value, Enum):
        value = value.value
    if hasattr(value, "tolist"):  # numbers and arrays of numpy
        value = value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        value = {one.name: getattr(value, one.name) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain_payload(item) for name, item in value.items() if name != "seed"}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_payload(item) for item in value]
    if isinstance(value, float):
        return number_text(value) or str(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return str(value)
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def _options_given(options: FolderOptions) -> dict[str, Any]:
    """Return the options of the release that are not as they are by default; never a seed or a key."""
    given = {one.name: getattr(options, one.name) for one in fields(options) if one.name not in _SECRETS}
    simple = {name: value for name, value in given.items() if isinstance(value, bool | int | str | tuple)}
    defaults = {one.name: one.default for one in fields(options)}
    return {name: plain_payload(value) for name, value in simple.items() if value != defaults[name]}


def ledger_faults(manifest: Mapping[str, Any], release: Path, settings: Settings | None) -> tuple[str, list[str]]:
    """Return what the ledger says of a release, in a sentence, and what is wrong with it.

    `manifest` is the internal one; empty if there is no internal folder.
    """
    place = manifest.get("ledger")
    if not manifest:
        return "", []
    if not isinstance(place, Mapping):
        return "no ledger was configured when it was released", []
    said = f"entry {place.get('sequence')} of '{place.get('name')}'"
    try:
        given = find_ledger_settings(release.resolve().parent, settings)
        if given is None or given.id != place.get("id"):
            return f"{said}; that ledger is not configured here", []
        with given.open(settings) as ledger:
            return said, _faults_of_entry(ledger, place, manifest)
    except TacitaError as error:
        return said, [f"the ledger cannot be used: {error.found}"]
    except (KeyError, TypeError, ValueError):
        return said, ["the manifest does not say where the ledger has it"]


def _faults_of_entry(ledger: Ledger, place: Mapping[str, Any], manifest: Mapping[str, Any]) -> list[str]:
    sequence = int(place["sequence"])
    if not 1 <= sequence <= ledger.head.size or ledger.entry(sequence).hash != place["hash"]:
        return [f"the ledger has no entry {sequence} of this release"]
    faults = []
    payload = ledger.payload(sequence)
    if payload is not None and payload.get("files") != manifest["files"]:
        faults.append(f"entry {sequence} of the ledger has other files")
    if sequence in releases_that_never_left(ledger):
        faults.append(f"entry {sequence} of the ledger is withdrawn: it says that this release never left")
    if not ledger.agrees_with(LedgerCheckpoint.from_note(str(place["checkpoint"]))):
        faults.append("the ledger was changed since: it does not agree with the checkpoint of this release")
    return faults
