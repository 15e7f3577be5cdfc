"""Two folders that appear together: the release, and the internal folder with its proof.

Both are made under names of their own, entered in the journal of `tacita.workspace`, and renamed when everything is on
disk: the internal folder first, so that a release without its proof never exists. What was there before is put aside,
and put back if anything goes wrong. What is put aside is entered in a second journal: after a kill in that moment the
next run puts it back, or removes it if the new release is in its place.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from tacita.errors import OutputError
from tacita.files.atomic import force_to_disk
from tacita.files.formats import has_credentials
from tacita.release.manifest import TOKEN, Places, kind_in, manifest_in
from tacita.settings import Settings
from tacita.workspace import journalled, partial_beside, remove_free_locks, sweep


@contextlib.contextmanager
def place(target: Path, internal: Path, *, force: bool, settings: Settings | None = None) -> Iterator[Places]:
    """Hand out two empty folders; on success they become the target and its internal folder, otherwise nothing does."""
    state = (settings or Settings.from_environment()).state
    sweep(state)
    check_places(target, internal, force=force, settings=settings)
    target, internal = target.resolve(), internal.resolve()
    with journalled(partial_beside(target), state) as release, journalled(partial_beside(internal), state) as proof:
        try:
            for folder in (release, proof):
                folder.mkdir(mode=0o700)
            places = Places(release, proof, secrets.token_hex(16))
            yield places
            check_places(target, internal, force=force, settings=settings)
            _let_others_read(release)
            _swap(places, target, internal, state)
        except OSError as error:
            raise _in_our_words(error, target) from None


def check_places(target: Path, internal: Path, *, force: bool, settings: Settings | None = None) -> None:
    """Raise if a release cannot or must not be written there; what a kill left there is mended first."""
    put_back((settings or Settings.from_environment()).state)
    if has_credentials(str(target)) or has_credentials(str(internal)):
        raise OutputError("databases are not written to", do="give the name of a folder")
    one, other = target.resolve(), internal.resolve()
    if one == other or one.is_relative_to(other) or other.is_relative_to(one):
        raise OutputError(
            "the release and its internal folder are one, or one is in the other",
            where=str(target),
            do="keep them apart: the internal folder is not handed out",
        )
    for folder in (target, internal):
        if not folder.parent.is_dir():
            raise OutputError("the folder does not exist", where=str(folder.parent), do="make it first")
        if not os.access(folder.parent, os.W_OK):
            raise OutputError("no permission to write here", where=str(folder.parent), do="choose another folder")
        if not folder.exists():
            continue
        if not force:
            raise OutputError(
                "exists already", where=str(folder), do="choose another name, or add --force to replace it"
            )
        if not _is_replaceable(folder):
            raise OutputError("is there and is no release", where=str(folder), do="choose another name, or remove it")


def put_back(state: Path) -> None:
    """Mend what a kill left: unfinished files are swept, and a release that was being replaced is put back."""
    sweep(state)
    journal = state / "replacing"
    if not journal.is_dir():
        return
    for entry in list(journal.glob("*.json")):
        lock = FileLock(entry.with_suffix(".lock"))
        with contextlib.suppress(OSError, Timeout, ValueError, TypeError):
            lock.acquire(timeout=0)
            try:
                _Replaced(**json.loads(entry.read_text(encoding="utf-8"))).settle()
                entry.unlink()
            finally:
                lock.release()
            Path(lock.lock_file).unlink(missing_ok=True)
    remove_free_locks(journal)


@dataclass(frozen=True, slots=True)
class _Replaced:
    """A release in the place of another: the names of all four folders, and the token of the new one."""

    target: str
    old: str
    internal: str
    old_internal: str
    token: str

    def put_aside(self) -> None:
        for here, aside in ((self.target, self.old), (self.internal, self.old_internal)):
            if Path(here).exists():
                Path(here).rename(aside)

    def settle(self) -> None:
        """Finish what was begun: the old folders go if the new release is there, otherwise they come back."""
        old, old_internal = Path(self.old), Path(self.old_internal)
        if not Path(self.target).exists():
            if manifest_in(Path(self.internal)).get(TOKEN) == self.token:
                shutil.rmtree(self.internal)
            if old_internal.exists() and not Path(self.internal).exists():
                old_internal.rename(self.internal)
            if old.exists():
                old.rename(self.target)
        elif manifest_in(Path(self.internal)).get(TOKEN) == self.token:
            for folder in (old, old_internal):
                if folder.exists():
                    shutil.rmtree(folder)
        elif old_internal.exists() and not Path(self.internal).exists():
            old_internal.rename(self.internal)


def _swap(places: Places, target: Path, internal: Path, state: Path) -> None:
    aside = [str(folder.with_name(f".tacita-{secrets.token_hex(6)}.old")) for folder in (target, internal)]
    replaced = _Replaced(str(target), aside[0], str(internal), aside[1], places.token)
    journal = state / "replacing"
    journal.mkdir(parents=True, exist_ok=True, mode=0o700)
    entry = journal / f"{secrets.token_hex(8)}.json"
    lock = FileLock(entry.with_suffix(".lock"))
    with lock:
        entry.write_text(json.dumps(asdict(replaced)), encoding="utf-8")
        try:
            replaced.put_aside()
            places.internal.rename(internal)
            places.release.rename(target)
            for parent in {target.parent, internal.parent}:
                force_to_disk(parent)
        finally:
            replaced.settle()
            entry.unlink()
    Path(lock.lock_file).unlink(missing_ok=True)


def _is_replaceable(folder: Path) -> bool:
    """Whether a folder is a release or an internal folder of ours, or has nothing in it: --force removes no other."""
    if not folder.is_dir():
        return False
    return not any(folder.iterdir()) or bool(kind_in(manifest_in(folder))[0])


def _let_others_read(release: Path) -> None:
    mask = os.umask(0)
    os.umask(mask)
    release.chmod(0o777 & ~mask)


def _in_our_words(error: OSError, target: Path) -> OutputError:
    if error.errno in {errno.ENOSPC, errno.EFBIG, errno.EDQUOT}:
        return OutputError("the disk is full", where=str(target.parent), do="free some space, or write elsewhere")
    return OutputError(
        f"the release cannot be written ({error.strerror})", where=str(target), do="choose another place"
    )
