"""What may be chosen about a release, apart from how it was made safe."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tacita.engines.protocol import Relation
from tacita.errors import UsageError
from tacita.release.records.identifiers import check_key


@dataclass(frozen=True, slots=True)
class WeightNoise:
    """How sampling weights are blurred: a weight that is known exactly can tell a stratum, and a stratum a person."""

    percent: float
    """A weight is multiplied by a factor drawn evenly from 1 - percent/100 to 1 + percent/100 (mu-Argus)."""
    margins: tuple[tuple[str, ...], ...] = ((),)
    """The groups whose totals are kept, each by its attributes; no attribute stands for the whole file."""

    def __post_init__(self) -> None:
        if not 0 < self.percent < 100:
            raise UsageError(f"the noise of the weights is {self.percent:g} %", do="give a share above 0 and below 100")
        if not self.margins:
            raise UsageError("no total of the weights is to be kept", do="keep that of the whole file: margins=((),)")


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """How the release folder is made.

    >>> ReleaseOptions(pseudonymise=("id",))
    Traceback (most recent call last):
        ...
    tacita.errors.UsageError: identifiers are to be replaced by pseudonyms, but there is no key
      what to do: make a key of random bytes, ...
    """

    shuffle: bool = True
    """Whether the tuples are put in random order: the order of a file can tell who is who."""
    seed: int | None = field(default=None, repr=False)
    """What all randomness comes from; None: from the operating system. Kept in the internal manifest only."""
    pseudonymise: tuple[str, ...] = ()
    """Identifiers that are replaced by keyed pseudonyms; all others are dropped."""
    key: bytes | None = field(default=None, repr=False)
    """The key of the pseudonyms. It is never stored."""
    keep_clusters: bool = False
    """Whether household and group keys are released, numbered anew at random; otherwise they are dropped."""
    weights: WeightNoise | None = None
    internal: Path | None = None
    """Where the internal folder goes; None: beside the release, with ``.internal`` behind its name."""
    links: Relation | None = field(default=None, repr=False)
    """Pairs of identifiers that belong together, if the claim is about linked records: without them nobody can check
    it, since identifiers are gone. They are kept in the internal folder, by number of the released record."""
    check: bool = True
    """Whether the written file is read back, and the claim checked on it, before anything is put in its place."""
    unchecked: bool = False
    """Whether a claim that cannot be checked on the written file, such as one about a population, is released."""
    drop: tuple[str, ...] = ()
    """Further attributes that are not released, such as a weight that tells the stratum."""
    allow_derivable: bool = False
    """Whether data are released although a single attribute that stays determines suppressed or recoded cells."""
    force: bool = False
    """Whether an existing release may be replaced."""
    escape_formulas: bool = False
    """Whether cells of a CSV file that a spreadsheet would run as formulas get an apostrophe in front."""

    def __post_init__(self) -> None:
        if self.seed is not None and self.seed < 0:
            raise UsageError("the seed is below 0", do="give a whole number from 0 on")
        if self.pseudonymise:
            check_key(self.key)
