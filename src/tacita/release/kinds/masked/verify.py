"""Whether a release of masked microdata is what it says: no file changed, no identifier in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tacita.errors import InputError
from tacita.model.result import Result
from tacita.release.file_faults import file_faults, internal_faults
from tacita.release.folder import DICTIONARY, internal_folder
from tacita.release.kinds.masked.manifest import INTERNAL, PUBLIC
from tacita.release.kinds.tables.kind import manifest_in
from tacita.release.placing import put_back
from tacita.release.records.derivable import with_derivable
from tacita.settings import Settings


@dataclass(frozen=True, slots=True, repr=False)
class MaskedVerification(Result):
    """What was found; `faults` is empty if everything is as it was when the data were attacked and released."""

    folder: Path
    faults: tuple[str, ...]
    with_proof: bool
    against: tuple[str, ...] = ()
    """Limits of the recipe that were not kept when the data were released."""
    is_ungated: bool = False
    """Whether the data were released without a limit of risk."""
    is_derivable: bool = False
    """Whether the internal folder says that hidden values can be derived, and that this was allowed."""

    def _in_short(self) -> str:
        return f"'{self.folder.name}': {self.verdict}"

    @property
    def holds(self) -> bool:
        """Whether the release is what it says."""
        return not self.faults

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        if not self.holds:
            return "The release is not what was attacked."
        return with_derivable("The files are those that were attacked.", is_derivable=self.is_derivable)


def is_masked_release(folder: Path) -> bool:
    """Return whether a folder is a release of masked microdata, or the internal folder of one."""
    return manifest_in(folder).get("kind") in {PUBLIC, INTERNAL}


def verify_masked(release: Path | str, internal: Path | str | None = None) -> MaskedVerification:
    """Check the files of a release of masked microdata against its manifests."""
    from tacita.model import dictionary_file

    release = Path(release)
    put_back(Settings.from_environment().state)
    public = manifest_in(release)
    if public.get("kind") != PUBLIC:
        raise InputError(
            "this is the internal folder of a release", where=str(release), do="name the folder that is handed out"
        )
    house = Path(internal) if internal is not None else internal_folder(release)
    full = manifest_in(house)
    proved = full.get("kind") == INTERNAL
    faults = file_faults(release, public, full if proved else None)
    if proved:
        faults += internal_faults(house, full)
        path = release / DICTIONARY
        names = dictionary_file.load(path).names if path.is_file() else ()
        faults += [f"the identifier '{n}' is a column of the release" for n in full["identifiers"] if n in names]
    against = tuple(full.get("released_against", ())) if proved else ()
    allowed = proved and bool(full.get("derivable"))
    return MaskedVerification(release, tuple(faults), proved, against, bool(public.get("ungated")), allowed)
