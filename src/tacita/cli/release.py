"""tacita release: let records leave one at a time, plan a batch, watch what observers see."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from tacita.cli.options import AsJson, Force, takes
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import UsageError

if TYPE_CHECKING:
    from tacita.api.gate_options import GateOptions, IncomingOptions, PlanOptions, RecordReading

EXIT_CUT_OFF = 3
Source = Annotated[
    str, typer.Argument(metavar="SOURCE", help="A file, a folder, a database URL, or - for standard input.")
]


@takes(options="tacita.api.gate_options:GateOptions", incoming="tacita.api.gate_options:IncomingOptions")
def gate(
    source: Source,
    options: GateOptions,
    incoming: IncomingOptions,
    answers: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write an answer for each record as JSON Lines; - is standard output."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Decide on records one after the other: release, hold or refuse, each by what has left before.

    What is released is recorded in the ledger, then appended to the folder, and only then answered. Held records are
    looked at again when more have been released. Exit code 3 if the stream ended in the middle of a record.
    """
    from tacita.api.gates import gate_records

    with _answers(answers, source) as write, progress_shown() as progress:
        result = gate_records(source, options, incoming, answers=write, progress=progress)
    if answers is not None and str(answers) == "-":
        sys.stderr.write(json.dumps(result.to_dict(), ensure_ascii=False) + "\n" if as_json else f"{result}\n")
    elif as_json:
        print_json(result.to_dict())
    else:
        print_text(result)
    if result.is_cut_off:
        raise typer.Exit(EXIT_CUT_OFF)


@takes(options="tacita.api.gate_options:PlanOptions", incoming="tacita.api.gate_options:RecordReading")
def plan(
    source: Source,
    options: PlanOptions,
    incoming: RecordReading,
    order: Annotated[
        Path | None,
        typer.Option(metavar="FILE.csv", help="Write the records in the order of the plan; those that stay come last."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Find the most records of a batch that can leave, an order for them, and what would help the others.

    Nothing is recorded or released.
    """
    from tacita.api.gates import plan_records

    with progress_shown() as progress:
        result = plan_records(source, options, incoming, order=order, force=force, progress=progress)
    if as_json:
        print_json(result.to_dict())
    else:
        print_text(result)


def watch(
    place: Annotated[Path, typer.Argument(metavar="FOLDER|POLICY", help="The folder of a gate, or its policy file.")],
    recipient: Annotated[str | None, typer.Option(help="Whose records, if the policy is named.")] = None,
    report: Annotated[
        Path | None, typer.Option("--report", "--html", metavar="FILE.html", help="Write a page with the plots.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Look again and again, until Ctrl-C.")] = False,
    every: Annotated[
        float | None, typer.Option(min=0.2, metavar="SECONDS", help="Time between two looks with --follow; default: 2.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Show what observers see of each target against the limits, and what was released, held and refused."""
    from tacita.api.gate_options import time_between_looks
    from tacita.api.gates import follow_gate, watch_gate, write_report

    seconds = time_between_looks(every, follow=follow)
    if force and report is None:
        raise UsageError("--force has no effect: no file is written", do="add --report FILE.html")
    if follow:
        for number, result in enumerate(follow_gate(place, recipient=recipient, every=seconds)):
            if report is not None:
                write_report(report, result, force=force or number > 0)
            if as_json:
                sys.stdout.write(json.dumps(result.to_dict(), ensure_ascii=False) + "\n")
                sys.stdout.flush()
            else:
                _redraw(result)
        return
    result = watch_gate(place, recipient=recipient)
    if report is not None:
        write_report(report, result, force=force)
    if as_json:
        print_json(result.to_dict())
        return
    print_text(result, *([f"\nPage written to {report}; it is internal."] if report else []))


def _redraw(result: Any) -> None:
    if sys.stdout.isatty():
        sys.stdout.write("\x1b[H\x1b[2J")
    print_text(result)
    sys.stdout.flush()


@contextmanager
def _answers(place: Path | None, source: str) -> Iterator[Any]:
    """Hand out what writes an answer, or None."""
    if place is None:
        yield None
    elif str(place) == "-":
        yield _writer(sys.stdout)
    else:
        from tacita.api.gates import answers_file

        with answers_file(place) as file:
            yield _writer(file)


def _writer(file: TextIO) -> Any:
    def write(answer: dict[str, Any]) -> None:
        file.write(json.dumps(answer, ensure_ascii=False) + "\n")
        file.flush()

    return write


def add_to(app: typer.Typer) -> None:
    """Add the commands, as a group of their own."""
    group = typer.Typer(no_args_is_help=True, help="Let records leave one at a time, plan and watch that.")
    group.command("gate")(gate)
    group.command("plan")(plan)
    group.command("watch")(watch)
    app.add_typer(group, name="release")
