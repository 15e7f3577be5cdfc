"""tacita verify: whether a release is what it says, from the released file alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import UsageError
from tacita.forms import names_in

if TYPE_CHECKING:
    from tacita.cycle.outcome import Claim

EXIT_DOES_NOT_HOLD = 1


def verify(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The release folder.")],
    internal: Annotated[
        Path | None, typer.Option(help="The internal folder; default: RELEASE.internal beside it, if it is there.")
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[:PARAMETER=VALUE,...]|FILE.vada",
            help="A measure of the claim, instead of the manifest's; may be repeated.",
        ),
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", "-k", min=1, help="How many records should look alike, for such measures.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(min=0, max=1, help="The risk above which a record is unsafe.")
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(metavar="[MEASURE.]NAME=VALUE", help="Another parameter of a measure; may be repeated."),
    ] = None,
    quasi: Annotated[
        list[str] | None,
        typer.Option(
            help="What the intruder knows, with commas between; may be repeated; default: the quasi-identifiers."
        ),
    ] = None,
    nulls: Annotated[
        str | None,
        typer.Option(
            help="What an empty cell matches: strict (default), maybe, standard, alpha, expected or category."
        ),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(min=0, max=1, help="Weight of an uncertain match with --nulls alpha.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that no file of a release was changed, and that its claim holds for the released file alone.

    The claim comes from the internal folder. Without it, give the claim as options. Exit code 1 if it does not hold. Of
    tables and of masked data, the files are compared with those that were attacked.
    """
    from tacita.release.opening import takes_claim
    from tacita.release.verify import verify as run

    with progress_shown() as progress:
        given = (measure, k, threshold, param, quasi, nulls, alpha)
        is_claimed = any(option is not None for option in given) and takes_claim(release)
        claim = _claim(release, *given) if is_claimed else None
        verification = run(release, claim, internal=internal, progress=progress)
    if as_json:
        print_json(verification.to_dict())
    else:
        print_text(verification)
    if not verification.holds:
        raise typer.Exit(EXIT_DOES_NOT_HOLD)


_NULLS: dict[str, dict[str, Any]] = {
    "maybe": {"semantics": "maybe-match"},
    "maybe-match": {"semantics": "maybe-match"},
    "strict": {"semantics": "alpha", "alpha": 0.0},
    "standard": {"semantics": "standard"},
    "alpha": {"semantics": "alpha"},
    "expected": {"semantics": "expected"},
    "expected-marginal": {"semantics": "expected", "distribution": "marginal"},
    "category": {"missing_as": "category"},
}


def _claim(
    release: Path,
    measure: list[str] | None,
    k: int | None,
    threshold: float | None,
    param: list[str] | None,
    quasi: list[str] | None,
    nulls: str | None,
    alpha: float | None,
) -> Claim:
    """Return the claim that was typed."""
    from tacita.cycle.outcome import Claim
    from tacita.errors import did_you_mean
    from tacita.risk.catalogue import measure as measure_named
    from tacita.risk.null_semantics import default_nulls
    from tacita.risk.options import measures_typed
    from tacita.risk.together import together

    if not measure:
        raise UsageError("a claim needs a measure", do="add --measure NAME, such as --measure k-anonymity")
    if nulls is not None and nulls not in _NULLS:
        do = f"use one of {', '.join(_NULLS)}"
        raise UsageError(f"--nulls cannot be '{nulls}'{did_you_mean(nulls, _NULLS)}", do=do)
    if (nulls == "alpha") != (alpha is not None):
        raise UsageError("--nulls alpha and --alpha belong together", do="write for example --nulls alpha --alpha 0.5")
    parts = measures_typed(measure, param or [], k=k, threshold=threshold)
    if k is not None and all(given.get("k") != k for _, given in parts):
        parts[0][1]["k"] = k
    if nulls is None:
        counted = default_nulls(together([measure_named(name, given) for name, given in parts])).words
    else:
        counted = _NULLS[nulls] | ({} if alpha is None else {"alpha": alpha})
    name = " and ".join(name for name, _ in parts)
    known = tuple(names_in(quasi)) or _quasi_identifiers(release)
    if len(parts) == 1:
        return Claim(name, parts[0][1], known, counted)
    return Claim(name, {"threshold": 0.0}, known, counted, parts=tuple(parts))


def _quasi_identifiers(release: Path) -> tuple[str, ...]:
    """Return the quasi-identifiers that the dictionary of the release names."""
    from tacita.model import dictionary_file
    from tacita.release.records.data_file import DICTIONARY

    path = release / DICTIONARY
    found = dictionary_file.load(path).quasi_identifiers if path.is_file() else ()
    if not found:
        raise UsageError("what the intruder knows is not said", do="name it with --quasi NAME,NAME")
    return found


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify")(verify)
