"""``python -m experiments``: published experiments repeated on generated data, beside what was printed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson, Force
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import TacitaError


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


def main() -> int:
    """Run the command line; return the exit code."""
    app = typer.Typer(name="experiments", pretty_exceptions_enable=False)
    app.callback()(lambda: None)
    app.command("vada-sa")(vada_sa)
    try:
        app(standalone_mode=False)
    except TacitaError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
