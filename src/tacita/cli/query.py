"""tacita query: open a data set for questions, ask, see the history, audit what was answered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import DATA, AsJson, takes
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.cli.query_backup import add_to as add_backups_to

if TYPE_CHECKING:
    from tacita.api.querying import AskOptions, QueryOpeningOptions
    from tacita.api.reading import DataRequest

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that 'tacita query open' made.")]


@takes(options="tacita.api.querying:QueryOpeningOptions", request=DATA)
def open_(
    *,
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, a folder, a pattern or a database URL.")],
    options: QueryOpeningOptions,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder to make; it stays inside.")],
    as_json: AsJson = False,
    request: DataRequest,
) -> None:
    """Freeze a data set and open it for questions under a policy.

    The policy says which attributes may be filtered by, with which cut points, what may be asked for, and when a
    question is refused. How many cells that makes is printed: every question is about a set of cells.
    """
    from tacita.api.querying import open_for_questions

    with progress_shown() as progress:
        data = request.read(source, progress)
        opened = open_for_questions(data, options.policy, out, after=options.after, progress=progress)
    _show(opened, as_json=as_json)


@takes(options="tacita.api.querying:AskOptions")
def ask(
    *,
    folder: Folder,
    question: Annotated[str, typer.Argument(metavar="SQL", help="The question, in the documented part of SQL.")],
    options: AskOptions,
    price: Annotated[bool, typer.Option("--price", help="Only say what it would cost; nothing is spent.")] = False,
    as_json: AsJson = False,
) -> None:
    """Ask a question; the answer is recorded before it is shown. Exit code 1: nothing of it was answered."""
    from tacita.api.querying import Database

    with Database(folder) as database:
        verb = database.price if price else database.sql
        answer = verb(question, analyst=options.analyst, epsilon=options.epsilon, accuracy=options.accuracy)
    _show(answer, as_json=as_json)
    if getattr(answer, "status", "") == "refused":
        raise typer.Exit(1)


def history(
    folder: Folder,
    analyst: Annotated[str | None, typer.Option(help="Only what this analyst asked.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show what was asked, as analysts saw it."""
    from tacita.api.querying import Database

    with Database(folder) as database:
        _show(database.history(analyst), as_json=as_json)


def audit(folder: Folder, as_json: AsJson = False) -> None:
    """Show all questions with the reasons of refusals, what was told so far, and budgets. It is internal."""
    from tacita.api.querying import Database

    with Database(folder) as database:
        _show(database.audit(), as_json=as_json)


def _show(result: Any, *, as_json: bool) -> None:
    if as_json:
        print_json(result.to_dict())
    else:
        print_text(result)


def add_to(app: typer.Typer) -> None:
    """Add the commands, as a group of their own."""
    group = typer.Typer(no_args_is_help=True, help="Answer questions about a data set without answering about anybody.")
    group.command("open")(open_)
    group.command("ask")(ask)
    group.command("history")(history)
    group.command("audit")(audit)
    add_backups_to(group)
    app.add_typer(group, name="query")
