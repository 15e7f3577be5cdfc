"""tacita reason: what follows from rules and data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import AsJson, Force, bindings
from tacita.cli.output import print_json, progress_shown
from tacita.cli.rule_output import (
    fact_lines,
    fault_dict,
    print_lines,
    proof_dict,
    proof_lines,
    violation_dicts,
    violation_lines,
)
from tacita.errors import UsageError, counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacita.reasoning.conclusions import ProgramResult

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
    from tacita.reasoning.parameters import parsed_parameters
    from tacita.reasoning.run import reason as run

    _check_graph(graph, why, force=force)
    with progress_shown() as progress:
        found = run(
            program,
            bindings(input_, "--input"),
            outputs=bindings(output, "--output"),
            parameters=parsed_parameters(param or []),
            data=data,
            max_rounds=max_rounds,
            memory=memory,
            threads=threads,
            spill=spill,
            engine=engine,  # type: ignore[arg-type]
            force=force,
            no_header=no_header,
            progress=progress,
        )
    with found:
        proofs = [found.why(fact) for fact in why or []]
        reasons = [found.why_not(fact) for fact in why_not or []]
        if graph is not None:
            _draw(proofs[0], graph, force=force)
        if as_json:
            print_json(_as_dict(found, show, proofs, reasons, graph))
        else:
            print_lines(_lines(found, show, proofs, reasons, graph))


def _check_graph(graph: Path | None, why: list[str] | None, *, force: bool) -> None:
    from tacita.files.atomic import check_target

    if graph is None:
        return
    if not why:
        raise UsageError("--graph draws a proof, and no --why asks for one", do='add --why \'Control("a", "c")\'')
    if graph.suffix not in {".svg", ".dot"}:
        raise UsageError(f"no picture is known for '{graph.suffix}'", do="name a .svg or a .dot file")
    check_target(graph, force=force)


def _draw(proof: Any, target: Path, *, force: bool) -> None:
    from tacita.files.atomic import write_text

    write_text(target, proof.as_svg() if target.suffix == ".svg" else proof.as_dot(), force=force)


# -- for people --------------------------------------------------------------------------------------------------------


def _lines(found: ProgramResult, show: int, proofs: list[Any], reasons: list[Any], graph: Path | None) -> Iterator[str]:
    for proof in proofs:
        yield from proof_lines(proof)
    for reason in reasons:
        yield from printable(reason.as_text(), keep="\n").splitlines()
    if graph is not None:
        yield f"drawn to {graph}"
    for predicate, target in found.written.items():
        yield f"{counted(found.count(predicate), 'fact')} of {printable(predicate)} written to {target}"
    if not (proofs or reasons or found.written):
        for predicate in found.outputs:
            yield from fact_lines(found, predicate, show)
        if not found.outputs:
            yield "the program has no results: no rule derives anything"
        yield f"{counted(found.rounds, 'round')}"
    yield from violation_lines(found.violations, found)
    yield from (f"note: {printable(note)}" for note in found.notes)
    for fault in found.warnings:
        yield f"warning: {fault.origin}: {fault.code}: {printable(fault.message)}"


# -- for machines ------------------------------------------------------------------------------------------------------


def _as_dict(
    found: ProgramResult, show: int, proofs: list[Any], reasons: list[Any], graph: Path | None
) -> dict[str, Any]:
    from tacita.reasoning.json_values import json_value

    return {
        "outputs": {
            predicate: {
                "arguments": list(found.names(predicate)),
                "count": found.count(predicate),
                "facts": [json_value(fact) for fact in found.facts(predicate, show)] if show else [],
                "file": str(found.written[predicate]) if predicate in found.written else None,
            }
            for predicate in dict.fromkeys((*found.outputs, *found.written))
        },
        "rounds": found.rounds,
        "violations": violation_dicts(found),
        "why": [proof_dict(proof) for proof in proofs],
        "why_not": [reason.as_json() for reason in reasons],
        "graph": str(graph) if graph else None,
        "notes": list(found.notes),
        "warnings": [fault_dict(fault) for fault in found.warnings],
    }


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reason")(reason)
