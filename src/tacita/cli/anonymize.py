"""tacita anonymize: change microdata as little as possible until they are safe, and release them with the proof."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.measuring import links_asked
from tacita.cli.options import AsJson, Force, Request, bindings, reads_data
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.cli.planning import check_alone, plan_asked, release_asked, with_population
from tacita.errors import UsageError, printable

if TYPE_CHECKING:
    from tacita.api.dataset import Dataset
    from tacita.cycle.outcome import Outcome
    from tacita.cycle.plan import Plan
    from tacita.progress import Progress
    from tacita.release.folder import Released
    from tacita.release.options import ReleaseOptions

EXIT_UNSAFE = 1
_RISK, _CHANGE, _ORDER, _RELEASE = "What is safe", "What may be changed", "In which order", "The release"


def _option(panel: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel=panel, **more)


@reads_data
def anonymize(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, a folder, a pattern or a database URL.")],
    request: Request,
    out: Annotated[
        Path | None, _option(_RELEASE, "--out", help="Release folder to make; without it nothing is written.")
    ] = None,
    measure: Annotated[
        list[str] | None,
        _option(
            _RISK,
            "--measure",
            metavar="NAME[:PARAMETER=VALUE,...]|FILE.vada",
            help="A measure ('tacita measures' lists them), by default k-anonymity; may be repeated, and all hold "
            "together: --measure k-anonymity:k=3 --measure l-diversity:l=2.",
        ),
    ] = None,
    k: Annotated[
        int | None, _option(_RISK, "--k", "-k", min=1, help="How many records should look alike; default: 3.")
    ] = None,
    threshold: Annotated[
        float | None, _option(_RISK, min=0, max=1, help="The risk above which a record is unsafe: T of the paper.")
    ] = None,
    param: Annotated[
        list[str] | None,
        _option(
            _RISK,
            "--param",
            metavar="[MEASURE.]NAME=VALUE",
            help="A parameter of a measure or program; may be repeated.",
        ),
    ] = None,
    nulls: Annotated[
        str | None,
        _option(_RISK, help="What an empty cell matches: strict (default), maybe, expected, standard, alpha."),
    ] = None,
    lean: Annotated[
        float | None,
        _option(_RISK, min=0, max=1, help="How much a record may lean on the nulls of others: 1 maybe, 0 strict."),
    ] = None,
    missing_as: Annotated[
        str | None,
        _option(
            _RISK,
            help="An empty cell of the source is 'unknown' (default) or a 'category'; "
            "'empty' releases codes of missing values as empty cells, too.",
        ),
    ] = None,
    missing_label: Annotated[
        str | None,
        _option(_RISK, metavar="WORD", help="Write this where a known cell of the source is empty: a category."),
    ] = None,
    related: Annotated[
        str | None,
        _option(_RISK, metavar="[WORD=]PROGRAM", help="Rules that say who belongs together, such as company_groups."),
    ] = None,
    input_: Annotated[
        list[str] | None,
        _option(_RISK, "--input", metavar="PREDICATE=FILE", help="Facts for --related or --program, as Own=own.csv."),
    ] = None,
    population: Annotated[
        str | None, _option(_RISK, help="The population or a register, for k-map and delta-presence.")
    ] = None,
    cluster_risk: Annotated[
        bool, _option(_RISK, "--cluster-risk", help="The risk of a record is that of its household (--cluster).")
    ] = False,
    whole_clusters: Annotated[
        bool,
        _option(_RISK, "--whole-clusters", help="Change all members of a risky cluster, as Algorithm 9."),
    ] = False,
    method: Annotated[
        str, _option(_CHANGE, help="suppression, recoding, local-recoding, or auto (what loses least).")
    ] = "suppression",
    recode: Annotated[
        list[str] | None, _option(_CHANGE, metavar="NAME=LEVEL", help="Roll a whole column up first; may be repeated.")
    ] = None,
    top: Annotated[
        list[str] | None, _option(_CHANGE, metavar="NAME=BOUND", help="Cut larger values at a bound; may be repeated.")
    ] = None,
    bottom: Annotated[
        list[str] | None, _option(_CHANGE, metavar="NAME=BOUND", help="Cut smaller values at a bound; may be repeated.")
    ] = None,
    intervals: Annotated[
        list[str] | None,
        _option(_CHANGE, metavar="NAME=WIDTH", help="Put numbers into intervals of a width; may be repeated."),
    ] = None,
    suppression_limit: Annotated[
        float, _option(_CHANGE, min=0, max=1, help="With recoding: share of records that may be left to suppression.")
    ] = 0.05,
    importance: Annotated[
        list[str] | None,
        _option(_CHANGE, metavar="NAME=WEIGHT", help="What a cell of an attribute costs; default 1; may be repeated."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        _option(_CHANGE, help="Attributes not to be touched, with commas between; may be repeated."),
    ] = None,
    keep_cells: Annotated[
        Path | None, _option(_CHANGE, help="Cells not to be touched: a CSV file with the columns row and attribute.")
    ] = None,
    household: Annotated[
        list[str] | None,
        _option(
            _CHANGE,
            help="Attributes suppressed for whole households (--cluster), with commas between; may be repeated.",
        ),
    ] = None,
    linked: Annotated[
        list[str] | None,
        _option(
            _CHANGE,
            metavar="KEY=NAME,NAME",
            help="Attributes suppressed together with a key, such as its codes; may be repeated.",
        ),
    ] = None,
    optimal: Annotated[
        bool, _option(_CHANGE, "--optimal", help="The fewest nulls, by a solver that proves it: for small data.")
    ] = False,
    tuples: Annotated[
        str, _option(_ORDER, help="Which record first: less-significant-first, most-risky-first, file-order.")
    ] = "less-significant-first",
    attributes: Annotated[
        str,
        _option(
            _ORDER,
            help="Which cell first: fewest-nulls, most-risky-first, most-selective-first, rarest-value-first, "
            "least-important-first, or names with commas between.",
        ),
    ] = "fewest-nulls",
    rounds: Annotated[
        bool, _option(_ORDER, "--rounds", help="All risky records lose a cell in each round, as the rules are printed.")
    ] = False,
    no_take_back: Annotated[
        bool, _option(_ORDER, "--no-take-back", help="Leave nulls that turned out unnecessary.")
    ] = False,
    program: Annotated[
        str | None, _option(_ORDER, metavar="NAME|FILE.vada", help="Run the cycle as these rules say it.")
    ] = None,
    internal: Annotated[
        Path | None, _option(_RELEASE, help="Folder for what stays in the house; default: OUT.internal.")
    ] = None,
    no_shuffle: Annotated[
        bool, _option(_RELEASE, "--no-shuffle", help="Keep the order of the records, which may tell who is who.")
    ] = False,
    seed: Annotated[int | None, _option(_RELEASE, min=0, help="Where randomness begins; never published.")] = None,
    pseudonymise: Annotated[
        list[str] | None,
        _option(_RELEASE, help="Identifiers to replace by keyed pseudonyms instead of dropping them; may be repeated."),
    ] = None,
    key_file: Annotated[Path | None, _option(_RELEASE, help="File with the key of the pseudonyms.")] = None,
    keep_clusters: Annotated[
        bool, _option(_RELEASE, "--keep-clusters", help="Release the household key, numbered anew.")
    ] = False,
    weight_noise: Annotated[
        float | None, _option(_RELEASE, metavar="PERCENT", help="Blur the sampling weights by up to so much.")
    ] = None,
    weight_totals: Annotated[
        list[str] | None,
        _option(_RELEASE, metavar="NAME,NAME", help="Groups whose totals of weights are kept; may be repeated."),
    ] = None,
    unchecked: Annotated[
        bool,
        _option(_RELEASE, "--unchecked", help="Release although the claim cannot be checked on the written file."),
    ] = False,
    escape_formulas: Annotated[
        bool,
        _option(_RELEASE, "--escape-formulas", help="Put an apostrophe before CSV cells that a spreadsheet would run."),
    ] = False,
    drop: Annotated[
        list[str] | None, _option(_RELEASE, help="Further attributes not to release, with commas between.")
    ] = None,
    allow_derivable: Annotated[
        bool,
        _option(
            _RELEASE, "--allow-derivable", help="Release although an attribute that stays determines hidden cells."
        ),
    ] = False,
    curve: Annotated[
        bool, _option(_RELEASE, "--curve", help="Show nulls against records that lean on others, from maybe to strict.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Change microdata as little as possible until no record is too risky, and release them with a proof.

    The release folder holds the protected data, a dictionary, a report and a manifest; what stays in the house is in
    OUT.internal. Nothing is written if a record cannot be made safe: exit code 1, and what would make it pass. Ask
    'tacita explain OUT --row N' why a cell was changed, and 'tacita verify OUT' whether the claim holds.
    """
    if curve and out is not None:
        raise UsageError("--curve shows what would come of it and releases nothing", do="leave out --out, or --curve")
    if program is not None:
        check_alone(
            k, threshold, nulls, lean, missing_as, missing_label, related, recode, top, bottom, intervals,
            importance, keep, keep_cells, household, linked, population,
            measure, method != "suppression", attributes != "fewest-nulls", rounds, optimal, curve,
            cluster_risk, whole_clusters, no_take_back, tuples != "less-significant-first",
        )  # fmt: skip
    if out is None and any(
        (
            internal,
            no_shuffle,
            pseudonymise,
            key_file,
            keep_clusters,
            unchecked,
            escape_formulas,
            allow_derivable,
            drop,
            weight_noise is not None,
        )
    ):
        raise UsageError("an option about the release is given, but no release", do="add --out FOLDER")
    options = release_asked(
        out,
        internal,
        no_shuffle,
        seed,
        pseudonymise,
        key_file,
        keep_clusters,
        weight_noise,
        weight_totals,
        unchecked,
        allow_derivable,
        force,
        escape_formulas=escape_formulas,
        drop=drop,
    )
    with progress_shown() as progress:
        data, notes = request.read(source, progress, only_given_roles=True).for_release(progress=progress)
        inputs = bindings(input_, "--input")
        if program is not None:
            outcome = _by_rules(data, program, inputs, param or [], progress)
            if outcome.claim.related and outcome.settings.get("related"):
                outcome = _with_chain(outcome, data, source, str(outcome.settings["related"]), inputs)
            links: dict[str, Any] = {}
        else:
            links = links_asked(data, [related] if related else [], inputs)
            plan = plan_asked(
                data,
                request,
                links,
                measure=(measure or ["k-anonymity"], param or [], k, threshold),
                nulls=(missing_as, nulls, lean, missing_label),
                clusters=(cluster_risk, whole_clusters),
                method=(method, recode, suppression_limit, optimal),
                coding=(top, bottom, intervals),
                touch=(importance, keep, keep_cells, household),
                linked=linked,
                order=(tuples, attributes, rounds, not no_take_back),
            )
            if population is not None:
                plan = with_population(plan, data, population)
            if curve:
                _show_curve(data, plan, as_json=as_json, progress=progress)
                return
            outcome = _anonymized(data, plan, source, request, progress)
            if related:
                outcome = _with_chain(outcome, data, source, related, inputs)
        outcome = replace(outcome, notes=[*notes, *outcome.notes])
        released = _released(outcome, out, options, links, progress) if out is not None and outcome.is_safe else None
        outcome = _tried(outcome) if released is None else released.outcome
    if as_json:
        print_json(outcome.to_dict() | _told(released))
    else:
        print_text(outcome, *_next(outcome, released))
    if not outcome.is_safe:
        raise typer.Exit(EXIT_UNSAFE)


def _anonymized(data: Dataset, plan: Plan, source: str, request: Request, progress: Progress) -> Outcome:
    """Run the cycle; if it was killed before, with the same file and the same plan, it goes on from there."""
    from tacita.cycle.anonymize import anonymize as run
    from tacita.cycle.anonymize import settings_of
    from tacita.cycle.checkpoint import Checkpoint

    told = settings_of(plan, plan.known or (), plan.nulls_in(data.dictionary)) | {"read": repr(request)}
    checkpoint = Checkpoint.of(Path(source), told, request.settings())
    return run(data.microdata, plan, progress=progress, checkpoint=checkpoint)


def _with_chain(outcome: Outcome, data: Dataset, source: str, related: str, inputs: dict[str, str]) -> Outcome:
    """Keep which rules link the records, so that 'explain' can show the chain of facts; it stays in the house."""
    from tacita.model.attribute import Category

    program = related.partition("=")[2] or related
    chain = {
        "source": str(Path(source).absolute()) if Path(source).exists() else source,
        "program": str(Path(program).absolute()) if Path(program).exists() else program,
        "inputs": {name: str(Path(file).absolute()) for name, file in inputs.items()},
        "identifier": [attribute.name for attribute in data.dictionary.of(Category.IDENTIFIER)],
        "weight": data.dictionary.weight,
    }
    return replace(outcome, settings={**outcome.settings, "chain": chain})


def _by_rules(data: Dataset, program: str, inputs: dict[str, str], pairs: list[str], progress: Progress) -> Outcome:
    from tacita.cycle.program.run import anonymize_by_rules
    from tacita.reasoning.parameters import parsed_parameters

    return anonymize_by_rules(
        data.microdata, program, inputs=inputs, parameters=parsed_parameters(pairs), progress=progress
    )


def _released(
    outcome: Outcome, out: Path, options: ReleaseOptions, links: dict[str, Any], progress: Progress
) -> Released:
    from tacita.release.folder import write_release

    options = replace(options, links=next(iter(links.values()), None))
    return write_release(outcome, out, options, progress=progress)


def _tried(outcome: Outcome) -> Outcome:
    """Return an outcome that was not released, with what only a release looks at."""
    from tacita.release.records.derivable import ON_RELEASE

    return replace(outcome, notes=[*outcome.notes, ON_RELEASE]) if outcome.is_safe else outcome


def _told(released: Released | None) -> dict[str, Any]:
    if released is None:
        return {}
    places = {"folder": released.folder, "internal": released.internal, "data": released.data}
    return {"release": {name: str(path) for name, path in places.items()} | {"notes": list(released.notes)}}


def _next(outcome: Outcome, released: Released | None) -> list[Any]:
    """Return what was written, and what a person may want to do next."""
    from rich.text import Text

    if released is None:
        lines = ["Nothing was written" + ("; add --out FOLDER to release it." if outcome.is_safe else ".")]
    else:
        lines = [f"Note: {note}" for note in released.notes]
        lines += [
            f"Released to {released.folder}: {released.data.name}, its dictionary, a report and a manifest.",
            f"What stays in the house is in {released.internal}.",
            f"Ask why with 'tacita explain {released.folder} --row N', check with 'tacita verify {released.folder}'.",
        ]
    return [Text(""), *(Text(printable(line)) for line in lines)]


def _show_curve(data: Dataset, plan: Plan, *, as_json: bool, progress: Progress) -> None:
    from tacita.cycle.curve import curve as drawn

    points = drawn(data.microdata, plan, progress=progress)
    if as_json:
        print_json(points.to_dict()["points"])
    else:
        print_text(points)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("anonymize")(anonymize)
