"""What the frame must know of a kind of release, and what releasing and verifying return.

The frame places folders, writes manifests, compares hashes and finds the kind of a folder. A kind says what its parts
are, what it claims and how that is checked. A further kind is a folder in ``kinds/`` with a `ReleaseKind` and a
`ReleaseDraft`, a line in ``kinds/__init__.py``, options in ``options.py`` and a view of its verification.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from tacita.errors import counted
from tacita.files.atomic import atomic, write_text
from tacita.ledger.verdict import JointVerdict
from tacita.model.result import Result
from tacita.progress import Progress
from tacita.release.options import FolderOptions
from tacita.settings import Settings

if TYPE_CHECKING:
    import pyarrow as pa

    from tacita.cycle.outcome import Claim
    from tacita.engines.context import Context
    from tacita.ledger.disclosures import Disclosures
    from tacita.ledger.persons import PersonHashes
    from tacita.release.opening import OpenedRelease
    from tacita.risk.measure import Measure


@dataclass(frozen=True, slots=True)
class Workplace:
    """A folder that is being filled, under a name of its own until it is complete."""

    path: Path
    settings: Settings | None = None

    def text(self, name: str, text: str) -> None:
        """Write a text file."""
        write_text(self.path / name, text, force=False, settings=self.settings)

    def file(self, name: str) -> AbstractContextManager[Path]:
        """Hand out a path to write a file to."""
        return atomic(self.path / name, force=False, settings=self.settings)

    def parquet(self, name: str, table: pa.Table) -> None:
        """Write a table as a Parquet file."""
        import pyarrow.parquet as pq

        with self.file(name) as partial:
            pq.write_table(table, partial, compression="zstd")


class ReleaseKind(Protocol):
    """A kind of release: what may be released, and what is true of a folder that was."""

    name: ClassVar[str]
    """The word of manifests: 'masked release' is written as 'tacita masked release'."""
    options: ClassVar[type[FolderOptions]]
    needs_proof: ClassVar[bool]
    """Whether verification needs the internal folder, or else a claim that is given."""
    why_no_decisions: ClassVar[tuple[str, str]]
    """Why nobody can explain single records, and what to do instead ({release}); empty if one can."""

    def check(self, content: Any, options: Any, where: str) -> None:
        """Raise if the content must not be released with these options."""

    def source(self, content: Any) -> Path | None:
        """Return the file that the content comes from, which must not be in a folder that is replaced."""

    def draft(self, content: Any, options: Any, where: str, progress: Progress) -> ReleaseDraft:
        """Put together what is handed out, in memory; raise if it cannot or must not be released."""

    def verify(
        self, release: OpenedRelease, faults: list[str], claim: Claim | None, own: Measure | None, context: Context
    ) -> Verification:
        """Return whether the claim holds; `faults` are those of the files, `claim` and `own` what a person gave."""


class ReleaseDraft(Protocol):
    """A release while it is made. Each step gets a folder to fill; the frame adds the manifests."""

    def write(self, folder: Workplace, progress: Progress) -> Self:
        """Write the parts that are handed out; return the draft with what the format changed (names, notes)."""

    def public_facts(self) -> Mapping[str, Any]:
        """Return what the manifest that is handed out states."""

    def keep(self, folder: Workplace) -> None:
        """Write what stays inside, except the report."""

    def check(self, release: OpenedRelease, progress: Progress) -> Self:
        """Read the written files back; raise if they are not what was found safe; return the draft with the result."""

    def report(self, folder: Workplace) -> None:
        """Write the internal report."""

    def internal_facts(self) -> Mapping[str, Any]:
        """Return what the manifest that stays inside states."""

    def ledger_facts(self) -> LedgerFacts:
        """Return what the ledger records, besides files and disclosures; without a seed."""

    def disclosed(self, folder: Workplace, persons: PersonHashes | None) -> Disclosures:
        """Return what the written parts disclose; data of single records go to a file of the internal folder.

        It is called after `write`, and only if there is a ledger.
        """

    def released(self, folder: Path, internal: Path) -> Released:
        """Return what was released, and where it is."""


@dataclass(frozen=True, slots=True)
class LedgerFacts:
    """What a draft says to the ledger: how the release can be made again, and what was decided."""

    sources: tuple[Path, ...]
    """The files that the data come from."""
    recipe: Mapping[str, Any]
    """The plan, recipe or specification that gives the same release again, with the seed of the internal folder."""
    decisions: Mapping[str, Any]
    """What was done, in counts."""


@dataclass(frozen=True, slots=True)
class LedgerReceipt:
    """Where the ledger has a release; the internal manifest keeps it."""

    name: str
    id: str
    settings: Path
    """The settings file of the ledger."""
    sequence: int
    hash: str
    recipient: str
    """Empty: everybody."""
    subject: str
    """The name of the source; empty if it has none."""
    checkpoint: str
    """The state of the ledger with this entry, as a note: whoever keeps it notices later changes."""
    verdict: JointVerdict
    """What was said of it together with earlier releases, and what could not be compared."""

    def to_manifest(self) -> dict[str, Any]:
        """Return what the internal manifest keeps."""
        return {
            "name": self.name,
            "id": self.id,
            "sequence": self.sequence,
            "hash": self.hash,
            "recipient": self.recipient,
            "source": self.subject,
            "checkpoint": self.checkpoint,
            "verdict": self.verdict.to_payload(),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Released(Result):
    """What was released, where it is, and what has to be said about it."""

    folder: Path
    internal: Path
    files: tuple[str, ...]
    """The data files; reports, dictionary and manifest are beside them."""
    verdict: str
    """What is true of it in a sentence, with what was allowed."""
    outcome: Any = field(compare=False)
    """What was released: an outcome of the cycle, masked data, or protected tables."""
    records: int = 0
    notes: tuple[str, ...] = ()
    checked: bool = True
    """Whether the written files were read back and found to be what was safe."""
    is_derivable: bool = False
    """Whether attributes that stay determine hidden values, and it was released all the same."""
    receipt: LedgerReceipt | None = None
    """Where the ledger has it; None if no ledger is configured."""

    @property
    def data(self) -> Path:
        """The first data file."""
        return self.folder / self.files[0]

    def _in_short(self) -> str:
        return f"'{self.folder.name}': {self._size()}"

    def _size(self) -> str:
        return counted(self.records, "record")


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Result):
    """What was found in a release."""

    folder: Path
    faults: tuple[str, ...]
    """Everything that is wrong; none if the release is what it says."""
    with_proof: bool
    """Whether the internal folder was there to compare with."""
    ledger: str = field(default="", kw_only=True)
    """What the ledger says of the release, in a sentence; a fault of it is among the faults."""

    @property
    def holds(self) -> bool:
        """Whether the release is what it says."""
        return not self.faults

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        raise NotImplementedError

    def _in_short(self) -> str:
        return f"'{self.folder.name}': {self.verdict}"
