"""Attacks on a released file, whoever masked it, scored against the data that it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.api.dataset import Dataset
from tacita.attacks.microdata.attacker import Attacked
from tacita.errors import UsageError, counted
from tacita.files.read import read
from tacita.forms import Form, names_in
from tacita.model.microdata import Microdata
from tacita.model.result import Result
from tacita.options import option
from tacita.progress import Progress
from tacita.recipes.attacking import attack_scene, risk_of
from tacita.recipes.truth import Intruder, origin_by_identifier, origin_by_order, scene_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _two_sources(typed: list[str], flag: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    parts = [tuple(names_in(source)) for source in typed]
    if len(parts) != 2:
        raise UsageError(f"{flag} is given {counted(len(parts), 'time')}", do="give it twice, once for each source")
    return parts[0], parts[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackOptions:
    """What the intruder has beside the released file, and which risk is accepted."""

    by: str | None = option(None, help="Identifier that tells who is who; without it, records are in the same order.")
    invented: bool = option(False, "--invented", help="The records are synthetic: none of them is anybody's.")
    oracle: str | None = option(None, metavar="FILE", help="Register of people whom the intruder knows, with --by.")
    control: str | None = option(
        None, "--control", "--holdout", metavar="FILE", help="Records of people like the original who were not in it."
    )
    source: tuple[tuple[str, ...], tuple[str, ...]] | None = option(
        None,
        form=Form(list[str], parse=_two_sources),
        metavar="NAMES",
        help="Attributes of one of two sources that linkability links; give it twice.",
    )
    attacker: tuple[str, ...] = option(
        (),
        form=Form(list[str], parse=lambda typed, flag: tuple(typed)),
        metavar="NAME",
        help="Who attacks; may be repeated. Default: those that fit.",
    )
    seed: int = option(0, least=0, help="Where the randomness of attackers begins.")
    accept: float | None = option(None, least=0, most=1, help="The risk that is accepted; exit code 1 beyond it.")


@dataclass(frozen=True, slots=True, repr=False)
class AttackReport(Result):
    """What attackers found out from a released file, with what they knew and what they wanted to learn."""

    known: tuple[str, ...]
    secret: tuple[str, ...]
    attacks: tuple[Attacked, ...]
    unable: tuple[str, ...] = ()
    """Attackers that could not attack."""
    notes: tuple[str, ...] = ()
    is_by_order: bool = False
    """Whether nothing but the order of the records says who is who."""
    accept: float | None = None
    """The risk that is accepted."""

    @property
    def too_good(self) -> tuple[Attacked, ...]:
        """The attacks whose risk is above the accepted one."""
        limit = self.accept
        return tuple(attack for attack in self.attacks if limit is not None and not risk_of(attack) <= limit)

    @property
    def is_accepted(self) -> bool:
        """Whether every attack stays within the accepted risk; one that was not possible proves nothing."""
        if self.accept is None:
            return True
        return bool(self.attacks) and not self.unable and not self.too_good

    def _in_short(self) -> str:
        return f"{counted(len(self.attacks), 'attack')}, {len(self.unable):,} not possible"


def attack(
    original: Dataset,
    released: str | Path | Dataset,
    options: AttackOptions | None = None,
    *,
    known: Sequence[str] = (),
    progress: Progress | None = None,
) -> AttackReport:
    """Attack a released file, or a folder of masked data, and score the attack against the original.

    `known` is what the intruder knows, by default the quasi-identifiers; the sensitive attributes are what the intruder
    wants to learn.
    """
    options, engine = options or AttackOptions(), original.context.engine
    if isinstance(released, Dataset):
        masked, places, is_invented = released.microdata, None, options.invented
    else:
        file, places, is_invented = _open(str(released))
        masked, is_invented = read(file, engine), options.invented or is_invented
    carries = options.by is not None and options.by in masked.dictionary.names
    scene = scene_of(
        original.microdata,
        masked,
        None if is_invented else _origin(original.microdata, masked, places, options.by if carries else None),
        Intruder(
            tuple(known),
            None if options.oracle is None else read(options.oracle, engine),
            options.by,
            None if options.control is None else read(options.control, engine),
            options.source,
        ),
    )
    attacks = attack_scene(scene, options.attacker, seed=options.seed, progress=progress or original.context.progress)
    by_order = not is_invented and places is None and not carries
    return AttackReport(
        scene.known, scene.secret, attacks.done, attacks.unable, attacks.notes, by_order, options.accept
    )


def _open(released: str) -> tuple[str, NDArray[np.int64] | None, bool]:
    """Return the data file, where its records come from if a release of ours tells, and whether they are invented."""
    from tacita.release.kinds.masked.check import data_and_origin, release_of

    folder = release_of(Path(released))
    if folder is None:
        return released, None, False
    data, places = data_and_origin(folder)
    return str(data), places, places is None


def _origin(
    original: Microdata, masked: Microdata, places: NDArray[np.int64] | None, by: str | None
) -> NDArray[np.int64]:
    if places is not None:
        if len(places) != masked.relation.count() or (len(places) and places.max() >= original.relation.count()):
            raise UsageError("the release was not made from this original", do="name the file that was masked")
        return places
    return origin_by_order(original, masked) if by is None else origin_by_identifier(original, masked, by)
