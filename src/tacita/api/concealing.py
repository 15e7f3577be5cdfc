"""Files in which people keep attributes to themselves: conceal, release, reveal, and the care of keys.

>>> import tacita as tc
>>> customers = tc.sample("customers")
>>> plan = ConcealPlan(confidential=("Occupation",), least_hiders=1)
>>> sorted(conceal(customers, plan).counts)  # no record is left that shows an occupation and so tells another's
['Occupation']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tacita.api.converting import convert
from tacita.api.dataset import Dataset
from tacita.api.depending import Discovery, discover
from tacita.api.releasing import ReleaseAttempt
from tacita.concealment.conceal import ConcealRequest
from tacita.concealment.conceal import conceal as conceal_cells
from tacita.concealment.concealment import Concealment
from tacita.concealment.persons import settled
from tacita.concealment.plan import ConcealPlan, DependencyOptions
from tacita.engines.context import Context
from tacita.errors import InputError, UsageError, counted
from tacita.model.attribute import Category
from tacita.model.result import Result
from tacita.progress import Progress, silent
from tacita.release.kinds.concealed.key_care import KeyCare, erase_persons, export_person, rotate_key
from tacita.release.kinds.concealed.options import ConcealedOptions, HideAs
from tacita.release.kinds.concealed.reveal import reveal as reveal_cells
from tacita.release.kinds.concealed.sealed import decoys_of, earlier_keys, seed_of
from tacita.release.kinds.concealed.told import ToldCells
from tacita.release.records.tuples import fresh_seed
from tacita.release.writing import check_folder, write_release

__all__ = [
    "ConcealPlan",
    "ConcealedOptions",
    "Concealment",
    "DependencyOptions",
    "HideAs",
    "KeyCare",
    "Revealed",
    "conceal",
    "conceal_to",
    "erase_persons",
    "export_person",
    "make_key",
    "persons_in",
    "reveal",
    "rotate_key",
]
_NOT_RELEASED = (Category.IDENTIFIER, Category.CLUSTER_KEY)
_ALONE = "the file was judged by itself: files that can be joined to it, and other releases, were not looked at"


def conceal(
    data: Dataset,
    plan: ConcealPlan,
    dependencies: DependencyOptions | None = None,
    *,
    in_order: bool = False,
    keys_of: Path | None = None,
    progress: Progress | None = None,
) -> Concealment:
    """Return which cells are hidden so that nothing that people keep confidential can be derived. Nothing is written.

    Identifiers and household keys are not released, nor are the attributes that name persons and that hold policies.
    `dependencies` says which dependencies an intruder is supposed to know; exact ones unless it says otherwise. With
    `in_order` the intruder sees the order of the source. `keys_of` is an earlier release of the same data whose keys
    are used again: its seed is, too, and its decoys stay decoys.
    """
    progress = progress or data.context.progress
    if keys_of is not None and plan.seed is None:
        plan = replace(plan, seed=seed_of(keys_of))
    plan, tables = settled(plan, data.microdata)
    decided = tuple(filter(None, [plan.person, plan.policy_column]))
    plan.check_names(data.dictionary.names, data.dictionary.names)
    data, notes = data.for_release((), (*decided, *plan.drop), progress=progress)
    gone = {a.name for a in data.dictionary if a.category in _NOT_RELEASED} | {*decided, *plan.drop}
    attributes = tuple(name for name in data.dictionary.names if name not in gone)
    if not attributes:
        raise UsageError("no attribute is left to release", do="give attributes another category than identifier")
    plan.check_names(data.dictionary.names, attributes)
    options = dependencies or DependencyOptions()
    seed = plan.seed if plan.seed is not None else fresh_seed()
    discovery = _discovered(data, options, attributes, progress)
    telling = ToldCells(data.relation, attributes, in_order=in_order, progress=progress)
    earlier = decoys_of(keys_of) if keys_of is not None else frozenset[str]()
    request = ConcealRequest(data.microdata, plan, discovery, seed, tables, options.similarity, in_order, earlier)
    result = conceal_cells(request, telling, progress=progress)
    return replace(result, notes=(*notes, *result.notes, *telling.notes, _ALONE))


def _discovered(data: Dataset, options: DependencyOptions, attributes: Sequence[str], progress: Progress) -> Discovery:
    """Return the dependencies that an intruder is supposed to know; what a message says to do, can be typed here."""
    try:
        return discover(data, options.discovery(attributes), progress=progress)
    except UsageError as error:
        do = (error.do or "").replace("--force", "--allow-wide")
        raise UsageError(error.found, where=error.where, do=do) from None


def conceal_to(
    folder: Path | None,
    data: Dataset,
    plan: ConcealPlan,
    options: ConcealedOptions | None = None,
    dependencies: DependencyOptions | None = None,
    *,
    progress: Progress | None = None,
) -> ReleaseAttempt:
    """Conceal a data set, and release it to a folder if one is named; that it can be written is checked first.

    With keys of an earlier release its seed is used again, too, and its decoys stay decoys.
    """
    progress = progress or data.context.progress
    if folder is None:
        return ReleaseAttempt(conceal(data, plan, dependencies, progress=progress))
    options = options or ConcealedOptions()
    check_folder(folder, options)
    _check_key(options.key, options.keys_of)
    concealment = conceal(
        data, plan, dependencies, in_order=not options.shuffle, keys_of=options.keys_of, progress=progress
    )
    return ReleaseAttempt(concealment, write_release(concealment, folder, options, progress=progress))


def _check_key(key: Path | None, keys_of: Path | None) -> None:
    """Raise before any work if the master key cannot be used, or is not that of the keys that are used again."""
    from tacita.concealment.keys import read_master_key

    if key is None:
        return
    if not key.exists():
        raise InputError(
            "there is no master key",
            where=str(key),
            do=f"make one: tacita keys make {key}; keep it apart from releases",
        )
    master = read_master_key(key)
    if keys_of is not None:
        earlier_keys(keys_of, master)


@dataclass(frozen=True, slots=True, repr=False)
class Revealed(Result):
    """A file whose hidden cells were given back."""

    files: tuple[Path, ...]
    records: int
    revealed: int
    """How many cells were given back."""
    erased: int
    """How many cells stay hidden because the keys of their persons are gone."""
    damaged: int
    """How many cells stay hidden because their tokens are damaged, and somebody said to go on."""
    notes: tuple[str, ...] = ()

    def _in_short(self) -> str:
        return f"{counted(self.revealed, 'cell')} in {counted(self.records, 'record')}"


def reveal(
    release: str | Path,
    key: str | Path,
    target: str | Path,
    *,
    internal: Path | None = None,
    skip_damaged: bool = False,
    force: bool = False,
    progress: Progress = silent,
) -> Revealed:
    """Write the file of a release with its hidden cells given back, as far as a key goes.

    With the master key and the internal folder all records are written, in the order of the source. With the key of one
    person (`export_person`) the records of that person are. A wrong key, a damaged token, or a file that is not the
    one that was released, writes nothing.
    """
    with Context(progress=progress) as context:
        cells = reveal_cells(
            Path(release), Path(key), context, internal=internal, skip_damaged=skip_damaged, progress=progress
        )
        done = convert(Dataset(cells.microdata, context), target, force=force)
    return Revealed(done.written, done.rows, cells.opened, cells.erased, cells.damaged, (*cells.notes, *done.notes))


def make_key(path: str | Path) -> KeyCare:
    """Write a new master key to a file that only its owner can read."""
    from tacita.concealment.keys import make_master_key

    make_master_key(Path(path))
    return KeyCare(f"A master key was written to {path}. Whoever has it can read all hidden cells.", 0, Path(path))


def persons_in(path: Path) -> Sequence[str]:
    """Return the persons that a text file names, one in each line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise InputError(f"cannot be read ({why})", where=str(path), do="give a text file, a person a line") from None
    return [line.strip() for line in text.splitlines() if line.strip()]
