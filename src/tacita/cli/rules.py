"""tacita rules: check, format and explain rule programs, show those that ship, try rules, serve an editor."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli import rules_repl
from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_lines
from tacita.errors import RuleError, UsageError

if TYPE_CHECKING:
    from tacita.api.rules import ProgramLike

EXIT_UNFORMATTED = 1

Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="Rule programs (.vada); - for standard input.")]
Given = Annotated[
    str | None, typer.Option(help="Predicates whose facts the caller gives, with commas between: Own,Person.")
]
Param = Annotated[list[str] | None, typer.Option("--param", metavar="NAME=VALUE", help="Value of a parameter.")]


def check(files: Files, given: Given = None, param: Param = None, as_json: AsJson = False) -> None:
    """Show everything that is wrong or odd in rule programs, with its place and what to do; nothing is run.

    Exit code 3 if a program cannot be run, 0 if there are warnings at most.
    """
    from tacita.api.reasoning import parsed_parameters
    from tacita.api.rules import check_rules

    names = [name.strip() for name in (given or "").split(",") if name.strip()]
    programs = check_rules([_program(name) for name in files], given=names, parameters=parsed_parameters(param or []))
    if as_json:
        print_json([program.to_dict() for program in programs])
    else:
        print_lines(program.to_text() for program in programs)
    if not all(program.is_sound for program in programs):
        raise typer.Exit(RuleError.exit_code)


def format_(
    files: Files,
    check_only: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit code 1 if a file would change.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Lay rule programs out anew, in place: one clause to a line, long ones wrapped; comments stay.

    With - the program is read from the standard input and written to the standard output. Nothing is written if one of
    the files has a fault.
    """
    from tacita.api.rules import format_rules, format_text

    if "-" in files and not check_only:
        if len(files) > 1 or as_json:
            raise UsageError("- stands alone", do="format one program from the standard input, or files")
        sys.stdout.write(format_text(sys.stdin.read(), "standard input"))
        return
    layout = format_rules([_program(name) for name in files], write=not check_only)
    if as_json:
        print_json(layout.to_dict())
    else:
        print_lines([layout.to_text()])
    if check_only and layout.changed:
        raise typer.Exit(EXIT_UNFORMATTED)


def explain(
    program: Annotated[str, typer.Argument(help="A rule program (.vada), - , or the name of a shipped one.")],
    as_json: AsJson = False,
) -> None:
    """Say in plain words what a program reads, what it derives, what each rule means, and why it ends."""
    from tacita.api.rules import explain_rules

    overview = explain_rules(_program(program))
    if as_json:
        print_json(overview.to_dict())
    else:
        print_lines([overview.to_text()])


def list_(as_json: AsJson = False) -> None:
    """List the rule programs that ship with Tacita; every program can use them with @use("NAME")."""
    from tacita.api.rules import shipped_rules

    programs = shipped_rules()
    if as_json:
        print_json(programs)
        return
    width = max(map(len, programs), default=0)
    print_lines(f"{name:<{width}}  {meaning}" for name, meaning in programs.items())


def show(name: Annotated[str, typer.Argument(help="The name of a shipped program.")], as_json: AsJson = False) -> None:
    """Print a rule program that ships with Tacita."""
    from tacita.api.rules import shipped_text

    text = shipped_text(name)
    if as_json:
        print_json({"name": name, "text": text})
    else:
        sys.stdout.write(text)


def serve() -> None:
    """Serve an editor: the language server, over standard input and output.

    Faults while you type, the meaning of what is under the cursor, definitions, completion, formatting. Needs
    pip install tacita\\[editor].
    """
    import runpy

    runpy.run_module("tacita.language_server")  # a door of its own: this one starts it and imports nothing of it


def grammar(as_json: AsJson = False) -> None:
    """Print a TextMate grammar, with which editors colour rule programs."""
    from tacita.api.editor import grammar as rule_grammar

    del as_json  # the grammar is JSON in either case
    print_json(rule_grammar())


def _program(name: str) -> ProgramLike:
    from tacita.api.rules import standard_input

    return standard_input(sys.stdin.read()) if name == "-" else name


def add_to(app: typer.Typer) -> None:
    """Add the commands, as a group of their own."""
    group = typer.Typer(name="rules", help="Check, format, explain and try rule programs.")

    @group.callback(invoke_without_command=True)
    def rules(context: typer.Context) -> None:
        """Check, format, explain and try rule programs; serve an editor."""
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    group.command("check")(check)
    group.command("format")(format_)
    group.command("explain")(explain)
    group.command("list")(list_)
    group.command("show")(show)
    rules_repl.add_to(group)
    group.command("serve")(serve)
    group.command("grammar")(grammar)
    app.add_typer(group)
