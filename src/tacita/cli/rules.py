"""tacita rules: check, format and explain rule programs, show those that ship, try rules, serve an editor."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli import rules_repl, rules_serve
from tacita.cli.options import AsJson
from tacita.cli.output import print_json
from tacita.cli.rule_output import fault_dict, print_lines
from tacita.errors import RuleError, TacitaError, UsageError, counted, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacita.knowledge.programs import ProgramText
    from tacita.reasoning.diagnosis import Diagnosis

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
    from tacita.reasoning.diagnosis import diagnose
    from tacita.reasoning.parameters import check_parameters, parsed_parameters

    names = [name.strip() for name in (given or "").split(",") if name.strip()]
    values = parsed_parameters(param or [])
    found = [(name, diagnose(_text(name), given=names, parameters=values)) for name in files]
    if all(diagnosis.is_read for _, diagnosis in found):
        check_parameters(values, {k for _, diagnosis in found for k in diagnosis.parameters}, ", ".join(files))
    if as_json:
        print_json([_diagnosis_dict(name, diagnosis) for name, diagnosis in found])
    else:
        print_lines(line for name, diagnosis in found for line in _diagnosis_lines(name, diagnosis))
    if not all(diagnosis.is_sound for _, diagnosis in found):
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
    if "-" in files and not check_only:
        if len(files) > 1 or as_json:
            raise UsageError("- stands alone", do="format one program from the standard input, or files")
        sys.stdout.write(_formatted(_text("-"), "standard input"))
        return
    new = [(name, before := _text(name).text, _formatted(_text(name, before), name)) for name in files]
    changed = [(name, after) for name, before, after in new if before != after]
    if not check_only:
        from tacita.files.atomic import check_target, write_text

        for name, _ in changed:
            check_target(Path(name), force=True)
        for name, after in changed:
            write_text(Path(name), after, force=True)
    names = [name for name, _ in changed]
    if as_json:
        print_json({"changed": names, "written": not check_only})
    else:
        said = "would change" if check_only else "formatted"
        print_lines([*(f"{name}: {said}" for name in names), _summary(len(names), len(files), check_only)])
    if check_only and changed:
        raise typer.Exit(EXIT_UNFORMATTED)


def explain(
    program: Annotated[str, typer.Argument(help="A rule program (.vada), - , or the name of a shipped one.")],
    as_json: AsJson = False,
) -> None:
    """Say in plain words what a program reads, what it derives, what each rule means, and why it ends."""
    from tacita.knowledge.programs import meaning
    from tacita.reasoning.diagnosis import diagnose
    from tacita.reasoning.overview import overview
    from tacita.rules.logic.faults import refuse

    text = _text(program, shipped=True)
    diagnosis = diagnose(text)
    refuse([f for f in diagnosis.faults if f.code not in _GIVEN_AT_RUN], diagnosis.texts)
    found = overview(diagnosis, text.source, meaning(text.text))
    if as_json:
        print_json(found.to_dict())
    else:
        print_lines(printable(line) for line in found.lines())


# What a caller gives when the program is run: facts, functions, parameters.
_GIVEN_AT_RUN = frozenset({"R201", "R702", "R705"})


def list_(as_json: AsJson = False) -> None:
    """List the rule programs that ship with Tacita; every program can use them with @use("NAME")."""
    from tacita.knowledge import programs

    found = {name: programs.meaning((programs.find(name) or ("", ""))[0]) for name in programs.names()}
    if as_json:
        print_json(found)
        return
    width = max(map(len, found), default=0)
    print_lines(f"{name:<{width}}  {meaning}" for name, meaning in found.items())


def show(name: Annotated[str, typer.Argument(help="The name of a shipped program.")], as_json: AsJson = False) -> None:
    """Print a rule program that ships with Tacita."""
    from tacita.errors import did_you_mean
    from tacita.knowledge import programs

    found = programs.find(name)
    if found is None:
        known = programs.names()
        raise UsageError(
            f"no program '{name}' ships with Tacita{did_you_mean(name, known)}", do=f"use one of: {', '.join(known)}"
        )
    if as_json:
        print_json({"name": name, "text": found[0]})
    else:
        sys.stdout.write(found[0])


# -- inside ------------------------------------------------------------------------------------------------------------


def _text(name: str, text: str | None = None, *, shipped: bool = False) -> ProgramText:
    """Return the program of a file, of the standard input, or with `shipped` of that name."""
    from tacita.knowledge import programs

    if text is not None:
        return programs.ProgramText(text, name, Path(name).parent)
    if name == "-":
        return programs.ProgramText(sys.stdin.read(), "standard input")
    if shipped and not Path(name).exists():
        return programs.ProgramText.of(name) if "(" not in name else programs.read(Path(name))
    return programs.read(Path(name))


def _formatted(program: ProgramText, name: str) -> str:
    from tacita.rules.syntax import formatted, parse

    after = formatted(program.text, name)
    if parse(after).program != parse(program.text).program:
        raise TacitaError(
            "the new layout would change what the program means", where=name, do="please report this program"
        )
    return after


def _summary(changed: int, files: int, check_only: bool) -> str:
    verb = "would change" if check_only else "changed"
    return f"{counted(files, 'program')}: {f'{changed:,} {verb}' if changed else 'nothing to change'}"


def _diagnosis_lines(name: str, diagnosis: Diagnosis) -> Iterator[str]:
    from tacita.rules.logic.faults import errors

    for fault in diagnosis.faults:
        yield from printable(diagnosis.shown(fault), keep="\n").splitlines()
        yield ""
    wrong = len(errors(diagnosis.faults))
    odd = len(diagnosis.faults) - wrong
    counts = [counted(number, what) for number, what in ((wrong, "error"), (odd, "warning")) if number]
    rules = counted(len(diagnosis.parsed.program.rules), "rule")
    yield f"{name}: {rules}, {' and '.join(counts) or 'no faults'}"


def _diagnosis_dict(name: str, diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "file": name,
        "sound": diagnosis.is_sound,
        "rules": len(diagnosis.parsed.program.rules),
        "faults": [fault_dict(fault) for fault in diagnosis.faults],
    }


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
    rules_serve.add_to(group)
    app.add_typer(group)
