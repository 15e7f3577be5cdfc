"""What may be chosen about a release, apart from how it was made safe: the same fields mean the same for every kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacita.engines.protocol import Relation
from tacita.errors import UsageError, did_you_mean
from tacita.forms import Form, names_in
from tacita.options import Typed, option
from tacita.release.records.identifiers import check_key, key_from
from tacita.toml.checked import Checked

_PANEL = "The release"
TABLE_FORMATS = ("csv", "wide-csv", "xlsx", "parquet", "sdmx-csv")


def _flag(name: str, help: str) -> Any:
    return option(False, name, panel=_PANEL, help=help)


@dataclass(frozen=True, slots=True)
class WeightBlur:
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


def _parse_noise(typed: Mapping[str, Any], flag: str) -> WeightBlur:
    percent, totals = typed.get("weight_noise"), typed.get("weight_totals")
    if percent is None:
        raise UsageError("--weight-totals is for blurred weights", do="add --weight-noise PERCENT, or leave it out")
    return WeightBlur(percent, _totals(totals) or ((),))


def _parse_noise_onto(typed: Mapping[str, Any], before: WeightBlur) -> WeightBlur:
    percent, totals = typed.get("weight_noise"), typed.get("weight_totals")
    return WeightBlur(before.percent if percent is None else percent, _totals(totals) or before.margins)


def _totals(typed: Sequence[str] | None) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(names_in(group)) for group in typed or ())


def _read_noise(table: Checked, key: str, default: Any) -> Any:
    below = table.below(key, ("percent", "totals"))
    percent = below.number("percent", None, least=0, most=100)
    totals = below.table.get("totals", [[]])
    is_list = isinstance(totals, list) and all(
        isinstance(group, list) and all(isinstance(name, str) for name in group) for group in totals
    )
    if not is_list or not totals:
        below.fault(
            "totals", 'the groups must be a list of lists of attributes, such as [["region"], ["region", "sex"]]'
        )
    if percent is None or not 0 < percent < 100:
        below.fault("percent", "the noise of the weights needs 'percent', above 0 and below 100")
    elif is_list and totals:
        return WeightBlur(percent, tuple(map(tuple, totals)))
    return default


WEIGHT_NOISE = Form(
    float,
    parse=_parse_noise,
    parse_onto=_parse_noise_onto,
    read=_read_noise,
    write=lambda value, folder: {"percent": value.percent, "totals": [list(group) for group in value.margins]},
)
"""How weights are blurred; in a file a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderOptions:
    """What may be chosen about the two folders of any release."""

    internal: Path | None = option(None, panel=_PANEL, key=None, help="Internal folder; default: OUT.internal.")
    """Where the internal folder goes; None: beside the release, with ``.internal`` behind its name."""
    force: bool = option(False, "--force", key=None, help="Replace files that exist.")
    """Whether an existing release may be replaced."""
    recipient: str | None = option(
        None,
        panel=_PANEL,
        key=None,
        help="Who receives it, by the name in the settings of the ledger; default: public.",
    )
    """Who receives it, by the name in the settings file of the ledger; None: everybody."""
    allow_joint: bool = option(
        False,
        "--allow-joint",
        panel=_PANEL,
        key=None,
        help="Release although it is not safe together with earlier releases, or nobody can tell; recorded.",
    )
    """Whether it is released although it is not safe together with earlier releases, or that could not be decided; the
    ledger records it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions(FolderOptions):
    """What may be chosen about a release of records."""

    shuffle: bool = option(
        True, "--no-shuffle", panel=_PANEL, help="Keep the order of the records, which may tell who is who."
    )
    """Whether the records are put in random order: the order of a file can tell who is who."""
    escape_formulas: bool = _flag(
        "--escape-formulas", "Put an apostrophe before CSV cells that a spreadsheet would run."
    )
    """Whether cells of a CSV file that a spreadsheet would run as formulas get an apostrophe in front."""
    allow_derivable: bool = _flag("--allow-derivable", "Release although attributes that stay determine hidden cells.")
    """Whether data are released although attributes that stay determine suppressed or recoded cells; recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseOptions(RecordOptions):
    """How microdata that the cycle made safe are released.

    >>> ReleaseOptions(pseudonymise=("id",))
    Traceback (most recent call last):
        ...
    tacita.errors.UsageError: identifiers are to be replaced by pseudonyms, but there is no key
      what to do: make a key of random bytes, ...
    """

    seed: int | None = option(
        None, panel=_PANEL, least=0, secret=True, help="Where randomness begins; never published."
    )
    """What all randomness comes from; None: from the operating system. Kept in the internal manifest only."""
    pseudonymise: tuple[str, ...] = option(
        (),
        panel=_PANEL,
        help="Identifiers to replace by keyed pseudonyms instead of dropping them; may be repeated.",
    )
    """Identifiers that are replaced by keyed pseudonyms; all others are dropped."""
    key: bytes | None = field(default=None, repr=False)
    """The key of the pseudonyms. It is never stored."""
    key_file: Path | None = option(None, panel=_PANEL, help="File with the key of the pseudonyms.")
    """The file that `key` is read from."""
    keep_clusters: bool = _flag("--keep-clusters", "Release the household key, numbered anew.")
    """Whether household and group keys are released, numbered anew at random; otherwise they are dropped."""
    weights: WeightBlur | None = option(
        None,
        key="weight_noise",
        form=WEIGHT_NOISE,
        help="How the sampling weights are blurred: a table with `percent` and the groups whose `totals` are kept.",
        typed=(
            Typed(
                "weight_noise",
                float,
                "Blur the sampling weights by up to so much.",
                panel=_PANEL,
                metavar="PERCENT",
            ),
            Typed(
                "weight_totals",
                list[str],
                "Groups whose totals of weights are kept; may be repeated.",
                panel=_PANEL,
                metavar="NAME,NAME",
            ),
        ),
    )
    links: Relation | None = field(default=None, repr=False)
    """Pairs of identifiers that belong together, if the claim is about linked records: without them nobody can check
    it, since identifiers are gone. They are kept in the internal folder, by number of the released record."""
    check: bool = True
    """Whether the written file is read back, and the claim checked on it, before anything is put in its place."""
    unchecked: bool = _flag("--unchecked", "Release although the claim cannot be checked on the written file.")
    """Whether a claim that cannot be checked on the written file, such as one about a population, is released."""
    drop: tuple[str, ...] = option((), panel=_PANEL, help="Further attributes not to release, with commas between.")
    """Further attributes that are not released, such as a weight that tells the stratum."""

    def __post_init__(self) -> None:
        if self.seed is not None and self.seed < 0:
            raise UsageError("the seed is below 0", do="give a whole number from 0 on")
        if self.key is None and self.key_file is not None:
            object.__setattr__(self, "key", key_from(file=self.key_file))
        if self.pseudonymise:
            check_key(self.key)
        elif self.key is not None:
            raise UsageError(
                "a key of pseudonyms is given, but no identifier to replace",
                do="name one with --pseudonymise, or leave out --key-file",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskedOptions(RecordOptions):
    """How masked microdata are released."""

    publish_recipe: bool = _flag("--publish-recipe", "Hand out the recipe too, without its seed.")
    """Whether the recipe is handed out too, without its seed: who analyses noise wants to know its size."""
    anyway: bool = _flag("--anyway", "Release although a limit of the recipe is not kept; that is recorded.")
    """Whether data are released although a limit of the recipe is not kept."""
    ungated: bool = _flag("--ungated", "Release although the recipe sets no limit of risk (accept); recorded.")
    """Whether data are released although the recipe sets no limit of risk (`accept`); that is recorded and told."""


@dataclass(frozen=True, slots=True)
class TableOptions(FolderOptions):
    """How protected tables are released.

    >>> TableOptions(("cvs",))
    Traceback (most recent call last):
        ...
    tacita.errors.UsageError: no format 'cvs' for a table; did you mean 'csv'?
      what to do: use one of csv, wide-csv, xlsx, parquet, sdmx-csv
    """

    formats: tuple[str, ...] = option(
        ("csv",),
        typed=(
            Typed(
                "format_",
                list[str],
                "csv (default), wide-csv, xlsx, parquet or sdmx-csv; may be repeated, or with commas between.",
                ("--format",),
                panel=_PANEL,
            ),
        ),
    )
    allow_derivable: bool = _flag(
        "--allow-derivable",
        "Release although dimensions or responses that stay determine withheld cells.",
    )
    """Whether tables are released although withheld cells follow from published ones, since dimensions or responses
    determine each other in the records; that is recorded in the internal folder."""
    ungated: bool = _flag("--ungated", "Release although nothing says which cells are sensitive; recorded.")
    """Whether tables are released although no rule, level or mark says which cells are sensitive; that is recorded."""

    def __post_init__(self) -> None:
        check_table_formats(self.formats)


def check_table_formats(formats: Sequence[str]) -> None:
    """Raise if a format of tables is not known."""
    for name in formats:
        if name not in TABLE_FORMATS:
            raise UsageError(
                f"no format '{name}' for a table{did_you_mean(name, TABLE_FORMATS)}",
                do=f"use one of {', '.join(TABLE_FORMATS)}",
            )
