"""tacita reason: what follows from rules and data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson, Force, bindings
from tacita.cli.output import print_json, print_lines, progress_shown

Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="PREDICATE=FILE",
        help="Facts of a predicate: a file or a database URL, behind it #TABLE, #SHEET or :no-header; may be repeated.",
    ),
]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=VALUE", help="Value of a parameter, such as k=3; may be repeated."),
]
NoHeader = Annotated[bool, typer.Option("--no-header", help="The first line of every text file is data.")]
MaxRounds = Annotated[int | None, typer.Option(min=1, help="Stop after so many rounds.")]
Memory = Annotated[str | None, typer.Option(help="Most memory of the engine, such as 4GB.")]


def reason(
    program: Annotated[str, typer.Argument(help="A rule program (.vada), or the name of one that ships with Tacita.")],
    input_: Inputs = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output", metavar="PREDICATE=FILE", help="Write the facts of a predicate to a file; may be repeated."
        ),
    ] = None,
    param: Parameters = None,
    data: Annotated[
        str | None, typer.Option(help="Microdata that the rules speak about, with its dictionary: Cat, Val, Tuple.")
    ] = None,
    why: Annotated[
        list[str] | None, typer.Option(metavar="FACT", help='Prove a fact: \'Control("a", "c")\'; may be repeated.')
    ] = None,
    why_not: Annotated[
        list[str] | None, typer.Option(metavar="FACT", help="Say why a fact does not hold; may be repeated.")
    ] = None,
    graph: Annotated[Path | None, typer.Option(help="Draw the proof of --why: proof.svg or proof.dot.")] = None,
    show: Annotated[int, typer.Option(min=0, help="How many facts of each output to print.")] = 20,
    no_header: NoHeader = False,
    max_rounds: MaxRounds = None,
    engine: Annotated[str, typer.Option(help="What reasons: duckdb or spark.")] = "duckdb",
    memory: Memory = None,
    threads: Annotated[int | None, typer.Option(help="Threads of the engine.")] = None,
    spill: Annotated[Path | None, typer.Option(help="Folder for what does not fit in memory.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Run a rule program over data until nothing new follows; print its results, or write them to files.

    All outputs are written, or none. Without --output the first facts of each result are printed. With --why only the
    proof is, in words and as a tree.
    """
    from tacita.api.reasoning import parsed_parameters, reasoning_report

    with progress_shown() as progress:
        report = reasoning_report(
            program,
            bindings(input_, "--input"),
            show=show,
            why=why or (),
            why_not=why_not or (),
            graph=graph,
            outputs=bindings(output, "--output"),
            parameters=parsed_parameters(param or []),
            data=data,
            max_rounds=max_rounds,
            memory=memory,
            threads=threads,
            spill=spill,
            engine=engine,
            force=force,
            no_header=no_header,
            progress=progress,
        )
    with report.conclusions:
        if as_json:
            print_json(report.to_dict())
        else:
            print_lines([report.to_text()])


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reason")(reason)
