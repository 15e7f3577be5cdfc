"""tacita assess: how risky microdata are, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.measuring import links_asked, measures_asked, nulls_asked, with_parameters
from tacita.cli.options import AsJson, Force, Request, bindings, reads_data
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import UsageError, printable

if TYPE_CHECKING:
    from tacita.api.dataset import Dataset
    from tacita.assess.assessment import Assessment

Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        metavar="NAME[:PARAMETER=VALUE,...]|FILE.vada",
        help="A measure ('tacita measures' lists them) or a rule program; may be repeated. Default: those that fit.",
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="[MEASURE.]NAME=VALUE",
        help="A parameter of the measure, such as k=5 or l-diversity.l=3; may be repeated.",
    ),
]
Scenarios = Annotated[
    list[str] | None,
    typer.Option("--scenario", help="An attack scenario of the dictionary; may be repeated. Default: all of them."),
]
Links = Annotated[
    list[str] | None,
    typer.Option(
        "--related",
        metavar="[WORD=]PROGRAM",
        help="Rules that say who belongs together (rel), such as company_groups; may be repeated.",
    ),
]


EXIT_UNSAFE = 1
_K = 3


@reads_data
def assess(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, a folder, a pattern or a database URL.")],
    request: Request,
    measure: Measures = None,
    param: Parameters = None,
    k: Annotated[int | None, typer.Option("--k", min=1, help="How many records should look alike; default: 3.")] = None,
    threshold: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="The risk above which a record is unsafe; default: the measure's."),
    ] = None,
    scenario: Scenarios = None,
    missing_as: Annotated[
        str | None,
        typer.Option(help="An empty cell is 'unknown' (default) or a 'category'; 'empty': codes are unknown, too."),
    ] = None,
    nulls: Annotated[
        str | None,
        typer.Option(help="What an empty cell matches: strict (default), maybe, standard, alpha, expected."),
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(min=0, max=1, help="Weight of an uncertain match with --nulls alpha; default: 0.5.")
    ] = None,
    population: Annotated[
        str | None, typer.Option(help="The population or a register, for k-map, delta-presence and journalist risk.")
    ] = None,
    original: Annotated[
        str | None, typer.Option(help="The data before masking, record by record, for interval-disclosure.")
    ] = None,
    related: Links = None,
    input_: Annotated[
        list[str] | None,
        typer.Option("--input", metavar="PREDICATE=FILE", help="Facts for --related, such as Own=own.csv."),
    ] = None,
    top: Annotated[int, typer.Option(min=0, help="How many of the riskiest records to show.")] = 10,
    why: Annotated[int | None, typer.Option(metavar="ROW", min=1, help="Prove the risk of one record.")] = None,
    records: Annotated[
        Path | None, typer.Option(help="Write one row per record: row, frequency, risk and more.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the report as one HTML file.")] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Leave with exit code 1 if a record is unsafe: for scripts.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Say how risky microdata are and why: verdict, figures, riskiest attributes, combinations and records.

    Quasi-identifiers, weight and household key come from the dictionary beside the file, from --quasi, --weight and
    --cluster, or are proposed. Row numbers count the records of the file from 1.
    """
    from tacita.assess.assess import Question
    from tacita.files.atomic import write_text

    _check_targets(records, html, [source, population, original], force=force)
    _check_options(measure or [], param or [], k=k, population=population, original=original)
    with progress_shown() as progress:
        data = request.read(source, progress, only_given_roles=True)
        counted, missing = nulls_asked(missing_as, nulls, alpha)
        if counted is not None and missing == "category":
            raise UsageError("--nulls is for empty cells, and --missing-as says category", do="leave one of them out")
        question = Question(
            measures=measures_asked(
                measure or [],
                param or [],
                k=k or _K,
                threshold=threshold,
                original=_other(data, original) if original else None,
            ),
            k=k or _K,
            nulls=counted,
            missing_as=missing,
            scenarios=tuple(scenario or ()),
            population=_beside(data, population) if population else None,
            links=links_asked(data, related or [], bindings(input_, "--input")),
            top=top,
        )
        found = data.assess(question, known=request.quasi_identifiers(), progress=progress)
        _check_one_scenario(found, records, why)
        if records is not None:
            found.write_records(records, force=force)
        if html is not None:
            write_text(html, found.to_html(), force=force)
        explanation = found.why(why) if why is not None else None
        others = found.reasons(why) if why is not None else ()
    if as_json:
        print_json(found.to_dict() | ({"why": explanation.to_dict()} if explanation else {}))
    elif explanation is not None:
        from tacita.cli.output import print_lines

        print_lines(explanation.to_text(others=others).splitlines())
    else:
        print_text(found, *_written(found, records, html))
    if strict and not found.is_safe:
        raise typer.Exit(EXIT_UNSAFE)


def _check_targets(records: Path | None, html: Path | None, sources: list[str | None], *, force: bool) -> None:
    """Raise before any work if a file cannot be written, or would replace what is read."""
    from tacita.files.atomic import check_target
    from tacita.files.formats import format_of

    targets = [target for target in (records, html) if target is not None]
    if len(targets) == 2 and targets[0].resolve() == targets[1].resolve():
        raise UsageError("--records and --html name the same file", do="name two files")
    for target in targets:
        for source in filter(None, sources):
            if target.resolve() == Path(source).resolve():
                raise UsageError("what is read would be replaced", where=str(target), do="name another file")
        check_target(target, force=force)
    if records is not None and not format_of(records).writable:
        raise UsageError(f"'{records.suffix}' can be read, not written", do="write .csv or .parquet")


def _check_options(
    names: list[str], pairs: list[str], *, k: int | None, population: str | None, original: str | None
) -> None:
    """Raise if an option would have no effect: whoever gave it expects one."""
    if k is not None and any(pair.partition("=")[0].strip().rpartition(".")[2] == "k" for pair in pairs):
        raise UsageError("k is given twice, by --k and by --param", do="leave one of them out")
    if k is not None and any("k" in given for _, given in map(with_parameters, names)):
        raise UsageError("k is given twice, by --k and by --measure", do="leave one of them out")
    names = [name for name, _ in map(with_parameters, names)]
    from tacita.api.catalogues import catalogue_of

    measures = catalogue_of("measure")
    of_original = measures.names_with("needs_original")
    if original and not set(names) & set(of_original):
        some = ", ".join(of_original)
        raise UsageError(f"--original is for {some} alone", do=f"add --measure {some}")
    of_population = measures.names_with("uses_population")
    if population and names and not set(names) & set(of_population):
        raise UsageError(
            "no measure asked for looks into the --population", do=f"add one of: {', '.join(of_population)}"
        )


def _check_one_scenario(found: Assessment, records: Path | None, why: int | None) -> None:
    if len(found.scenarios) > 1 and (records is not None or why is not None):
        names = ", ".join(f"'{scenario.name}'" for scenario in found.scenarios)
        option = "--records" if records is not None else "--why"
        raise UsageError(f"{option} is about one scenario, and there are several: {names}", do="choose with --scenario")


def _other(data: Dataset, source: str) -> Any:
    from tacita.files.read import read

    return read(source, data.relation.engine)


def _beside(data: Dataset, source: str) -> Any:

    return _other(data, source).relation


def _written(found: Assessment, records: Path | None, html: Path | None) -> list[Any]:
    from rich.text import Text

    said = [f"{found.records:,} records written to {records}"] if records else []
    said += [f"report written to {html}"] if html else []
    return [Text(printable(line)) for line in said]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("assess")(assess)
