"""``python -m experiments``: published experiments repeated on generated data, beside what was printed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson, Force
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import TacitaError, UsageError
from tacita.progress import Step


def vada_sa(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder to write.")],
    seed: Annotated[int, typer.Option(help="Seed: the same seed gives the same data.", min=0)] = 0,
    only: Annotated[str, typer.Option(metavar="a,b,...", help="Some of the six figures only.")] = "",
    quick: Annotated[bool, typer.Option("--quick", help="Small data: a look at it in some seconds.")] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Repeat Figure 7 a-f of the VADA-SA paper: six plots, all points, and a table of printed figures and ours.

    Everything is generated from the seed; nothing is confidential. A full run takes some minutes.
    """
    from dataclasses import asdict

    from experiments import vada_sa as experiments
    from experiments.anchors import anchors
    from experiments.folder import check_place, write_results

    check_place(out, force=force)
    wanted = [letter.strip().casefold() for letter in only.split(",") if letter.strip()]
    with progress_shown() as progress:
        results = experiments.vada_sa(seed=seed, only=wanted, quick=quick, progress=progress)
        files = write_results(results, out, force=force)
    compared = anchors(results)
    if as_json:
        print_json(
            {
                "folder": str(out),
                "files": files,
                "seed": seed,
                "quick": quick,
                "anchors": [asdict(each) for each in compared],
                "points": [asdict(point) for point in results.points],
            }
        )
        return
    from rich.table import Table
    from rich.text import Text

    table = Table("figure", "what", "printed", "ours", box=None, pad_edge=False)
    for each in compared:
        table.add_row(f"7{each.figure}", each.what, each.printed, each.ours)
    where = Text(f"{len(results.points)} points, {len(results.figures)} plots and report.html written to {out}")
    print_text(table, where)


def gdpr(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder to write.")],
    data: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A folder with UCI_Credit_Card.csv and london_merged.csv.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed: the same seed gives the same data.", min=0)] = 0,
    only: Annotated[str, typer.Option(metavar="NAME,NAME,...", help="Some of the six data sets only.")] = "",
    quick: Annotated[bool, typer.Option("--quick", help="2,000 records of each: a look at it.")] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Repeat Figures 4 to 12 of the paper on confidentiality by relaxed functional dependencies.

    Health and all names are generated from the seed. Credit, London and the joins need the two public files.
    """
    from dataclasses import asdict

    from experiments.folder import check_place, write_files
    from experiments.gdpr import report
    from experiments.gdpr.run import gdpr as run
    from experiments.gdpr.sentences import sentences

    check_place(out, force=force)
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    with progress_shown() as progress:
        results = run(seed=seed, folder=data, only=wanted, quick=quick, progress=progress)
        files = write_files(report.files_of(results), {"seed": seed, "quick": quick}, out, force=force)
    compared = sentences(results)
    if as_json:
        print_json({"folder": str(out), "files": files, **asdict(results), "sentences": [asdict(s) for s in compared]})
        return
    from rich.table import Table
    from rich.text import Text

    table = Table("figure", "sentence of the paper", "ours", "verdict", box=None, pad_edge=False)
    for one in compared:
        table.add_row(one.figure, one.printed, one.ours, one.verdict)
    missing = (
        "" if data is not None else " Credit, London and the joins were left out: --data FOLDER gives their files."
    )
    print_text(table, Text(f"{len(files)} files written to {out}; report.html shows them.{missing}"))


def release(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder to write.")],
    orders: Annotated[
        int | None, typer.Option(help="Random orders for the table of gates; default: 1,000.", min=1)
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed: the same seed gives the same orders.", min=0)] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="20 orders: a look at it in some seconds.")] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Repeat section 5 of the paper on incremental release, and compare gates: what leaves, whom observers name.

    Everything is generated from the seed; nothing is confidential. A full run takes about a quarter of an hour.
    """
    from experiments.release import ORDERS, QUICK, as_dict, rows_of
    from experiments.release import release as run

    if quick and orders is not None:
        raise UsageError("--quick says how many orders there are", do="leave out --orders, or --quick")
    number = QUICK if quick else orders or ORDERS
    with progress_shown() as progress:
        results, files = run(out, orders=number, seed=seed, force=force, progress=progress)
    if as_json:
        print_json({"folder": str(out), "files": files, **as_dict(results)})
        return
    from rich.table import Table
    from rich.text import Text

    heads, rows = rows_of(results)
    table = Table(*heads, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*row)
    print_text(table, Text(f"Six plots, both tables and report.html written to {out}"))


def offices(
    tables: Annotated[int, typer.Option(help="How many random tables.", min=1)] = 100,
    first: Annotated[int, typer.Option(help="The seed of the first table; the others follow.", min=0)] = 0,
    seconds: Annotated[float, typer.Option(help="The time limit of each search.", min=0)] = 5.0,
    as_json: AsJson = False,
) -> None:
    """Protect random tables of business kind by default, and attack each with linear programmes of its own.

    A fault is a level that is not kept, or a refusal of a table that is safe with all its cells withheld.
    """
    from experiments.office_tables import judged, summary

    judgements = []
    with progress_shown() as progress:
        for at in range(tables):
            progress(Step("judging tables", at, tables))
            judgements.append(judged(first + at, seconds))
    if as_json:
        print_json(summary(judgements))
        return
    for one in judgements:
        for fault in one.faults:
            print_text(f"table {one.seed}: {fault}")
    print_text(", ".join(f"{count:,} {what}" for what, count in summary(judgements).items()))


def main() -> int:
    """Run the command line; return the exit code."""
    app = typer.Typer(name="experiments", pretty_exceptions_enable=False)
    app.callback()(lambda: None)
    app.command("vada-sa")(vada_sa)
    app.command("gdpr")(gdpr)
    app.command("release")(release)
    app.command("offices")(offices)
    try:
        app(standalone_mode=False)
    except TacitaError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
