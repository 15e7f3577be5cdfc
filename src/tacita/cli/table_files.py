"""tacita table example, explain, import: what is in files of tables already, or is written without computing any."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson, Force
from tacita.cli.output import print_json, print_text
from tacita.forms import once, split_pair


def example(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to write to; it is made if need be.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed: the same seed gives the same firms.")] = 7,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a specification, invented firms and a hierarchy of sectors, to try the other commands on."""
    from tacita.api.tables import example_files, write_example

    specification, files = write_example(folder, seed, force=force), example_files(seed)
    if as_json:
        print_json({"folder": str(folder), "specification": str(specification), "files": sorted(files)})
    else:
        print_text(f"{', '.join(files)} written to {folder}", f"Next: tacita table assess {specification}")


def explain(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The release folder of 'tacita table protect'.")],
    cell: Annotated[
        str | None,
        typer.Option(metavar="DIMENSION=CODE,...", help="The cell; dimensions left out may have any code."),
    ] = None,
    internal: Annotated[
        Path | None, typer.Option(help="The internal folder; default: RELEASE.internal beside it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say why a cell is withheld: the rule that makes it sensitive, or the cell that it protects.

    The answer comes from the internal folder, which never leaves the house. Without --cell, all withheld cells.
    """
    from tacita.api.tables import explain_cell

    pairs = [pair.strip() for pair in next(csv.reader([cell or ""], skipinitialspace=True), []) if pair.strip()]
    cells = explain_cell(release, once((split_pair(pair, "--cell") for pair in pairs), "--cell"), internal)
    if as_json:
        print_json(cells.to_dict()["cells"])
    else:
        print_text(cells)


def import_(
    source: Annotated[
        Path,
        typer.Argument(metavar="BATCH.arb|TABLE.jj", help="A batch of tau-Argus and the files it names, or a JJ file."),
    ],
    out: Annotated[Path, typer.Option(metavar="SPEC.toml", help="The specification to write.")],
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write what a batch of tau-Argus asks for as a specification, and say what could not be taken over.

    Or write the specification of a table in the JJ format (.jj), which has its cells, costs, bounds and levels.
    """
    from tacita.api.tables import import_tables

    result = import_tables(source, out, force=force)
    if as_json:
        print_json(result.to_dict())
    else:
        print_text(result)


def add_to(group: typer.Typer) -> None:
    """Add the commands."""
    group.command("example")(example)
    group.command("explain")(explain)
    group.command("import")(import_)
