"""tacita rules repl: facts, rules and questions at a prompt, or from a pipe."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import bindings
from tacita.cli.output import progress_shown
from tacita.cli.reason import Inputs, MaxRounds, Memory, NoHeader, Parameters
from tacita.cli.rule_output import fact_lines, print_lines, proof_lines, violation_lines
from tacita.errors import TacitaError, UsageError, counted, did_you_mean, printable

if TYPE_CHECKING:
    from tacita.reasoning.session import Session

_SHOWN = 20
_PROMPT, _MORE = "> ", "… "

HELP = """\
Own("a", "b", 0.6).              a fact: end it with a period
Own(X, Y, W), W > 0.5 -> Control(X, Y).
                                 a rule; it may go over several lines
?Control(X, "b").                a question: for which X does it hold?
:facts [PREDICATE]               the facts of a predicate, or what there is
:why FACT  :why-not FACT         why a fact holds, or does not
:load FILE                       add a program
:input PREDICATE=FILE            facts from a file
:rules  :undo  :clear            show the clauses so far, take out the last, or all
:help  :quit"""


def repl(
    program: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="A program to begin with, or a shipped one's name.")
    ] = None,
    input_: Inputs = None,
    param: Parameters = None,
    no_header: NoHeader = False,
    max_rounds: MaxRounds = None,
    memory: Memory = None,
) -> None:
    """Enter facts, rules and questions, and see at once what follows.

    A question begins with ? and everything ends with a period. :help shows the commands. Through a pipe there is no
    prompt, so that a script can talk to it. Errors do not end it.
    """
    from tacita.engines.context import Context
    from tacita.knowledge.programs import ProgramText
    from tacita.reasoning.parameters import parsed_parameters
    from tacita.reasoning.session import SOURCE, Session
    from tacita.rules.reasoner.chase.run import Budget
    from tacita.settings import Settings

    session = Session(
        bindings(input_, "--input"),
        parsed_parameters(param or []),
        Context(Settings.from_environment(memory=memory)),
        Budget(rounds=max_rounds) if max_rounds else Budget(),
        no_header,
    )
    with contextlib.closing(session):
        if program is not None:
            begun = ProgramText.of(program)
            session.program = ProgramText("", SOURCE, begun.folder)
            session.add(begun.text)
        Prompt(session).run()


@dataclass(slots=True)
class Prompt:
    """Reads lines, puts them together to statements, and answers."""

    session: Session

    def run(self) -> None:
        """Talk until the input ends."""
        is_person = sys.stdin.isatty()
        if is_person:
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401 - its presence gives input() a history, of this session alone
            print_lines(["Rules, facts and ?questions, each with a period at its end. :help shows more, :quit ends."])
        waiting = ""
        while True:
            try:
                line = input(_MORE if waiting else _PROMPT) if is_person else _next_line()
            except EOFError:
                break
            except KeyboardInterrupt:
                if not is_person:
                    raise
                waiting = ""
                print_lines([""])
                continue
            if not waiting and line.strip() in {":quit", ":q", ":exit"}:
                return
            waiting = self._taken(waiting, line, is_person)
        if waiting.strip():
            self._answered(waiting, is_person)

    def _taken(self, waiting: str, line: str, is_person: bool) -> str:
        """Take a line; return what waits for more."""
        from tacita.reasoning.session import is_complete

        if not waiting and line.lstrip().startswith(":"):
            self._answered(line.strip(), is_person)
            return ""
        waiting = f"{waiting}\n{line}" if waiting else line
        if not waiting.strip() or waiting.strip().startswith("%"):
            return ""
        if not is_complete(waiting.lstrip().removeprefix("?")):
            return waiting
        self._answered(waiting, is_person)
        return ""

    def _answered(self, text: str, is_person: bool) -> None:
        """Answer a statement; whatever goes wrong is told, and the conversation goes on."""
        try:
            with progress_shown() as self.session.context.progress:
                lines = [printable(line) for line in self._answer(text.strip())]
            print_lines(lines)
        except TacitaError as error:
            sys.stdout.flush()
            sys.stderr.write("error: " + printable(str(error), keep="\n") + "\n")
            sys.stderr.flush()
        except KeyboardInterrupt:
            if not is_person:
                raise
            sys.stderr.write("interrupted\n")
        sys.stdout.flush()

    def _answer(self, text: str) -> Iterator[str]:
        if text.startswith(":"):
            name, _, rest = text[1:].partition(" ")
            if name not in _COMMANDS:
                near = did_you_mean(name, _COMMANDS)
                raise UsageError(f"no command ':{name}'{near}", do=":help shows the commands")
            yield from _COMMANDS[name](self.session, rest.strip())
        elif text.startswith("?"):
            yield from _asked(self.session, text)
        else:
            yield from _added(self.session, text)


def _next_line() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip("\n")


# -- statements --------------------------------------------------------------------------------------------------------


def _added(session: Session, text: str) -> Iterator[str]:
    diagnosis = session.add(text)
    for fault in session.new_warnings(diagnosis, text):
        yield f"warning: {fault.code}: {fault.message}"


def _asked(session: Session, text: str) -> Iterator[str]:
    from tacita.rules.reasoner.values import written

    found = session.ask(text, _SHOWN)
    yield from _new_notes(session)
    if not found.variables or not found:
        yield "yes" if found else "no"
        return
    for row in found.rows:
        yield ", ".join(f"{name} = {written(value)}" for name, value in zip(found.variables, row, strict=True))
    if found.is_cut:
        yield "and more"


def _new_notes(session: Session) -> Iterator[str]:
    yield from (f"note: {note}" for note in session.notes)
    session.notes.clear()


# -- commands ----------------------------------------------------------------------------------------------------------


def _facts(session: Session, rest: str) -> Iterator[str]:
    found = session.conclusions()
    yield from _new_notes(session)
    if rest:
        yield from fact_lines(found, rest, _SHOWN)
    else:
        yield from (f"{predicate}: {counted(found.count(predicate), 'fact')}" for predicate in found.predicates)
    yield from violation_lines(found.violations, found)


def _why(session: Session, rest: str) -> Iterator[str]:
    yield from proof_lines(session.conclusions().why(_fact(rest)))


def _why_not(session: Session, rest: str) -> Iterator[str]:
    yield from session.conclusions().why_not(_fact(rest)).as_text().splitlines()


def _fact(text: str) -> str:
    if not text:
        raise UsageError("no fact is given", do=':why Control("a", "c")')
    return text.removesuffix(".")


def _load(session: Session, rest: str) -> Iterator[str]:
    if not rest:
        raise UsageError("no file is given", do=":load program.vada")
    diagnosis = session.load(Path(rest))
    yield f"{counted(len(diagnosis.parsed.program.clauses), 'clause')} so far"


def _input(session: Session, rest: str) -> Iterator[str]:
    from tacita.reasoning.bindings import split_binding

    session.give(*split_binding(rest, ":input"))
    yield from ()


def _rules(session: Session, _: str) -> Iterator[str]:
    yield from session.program.text.splitlines()


def _undo(session: Session, _: str) -> Iterator[str]:
    yield from ("taken out:", *session.undo().splitlines())


def _clear(session: Session, _: str) -> Iterator[str]:
    session.clear()
    yield from ()


def _help(_: Session, __: str) -> Iterator[str]:
    yield from HELP.splitlines()


_COMMANDS: dict[str, Callable[[Session, str], Iterator[str]]] = {
    "facts": _facts,
    "why": _why,
    "why-not": _why_not,
    "whynot": _why_not,
    "load": _load,
    "input": _input,
    "rules": _rules,
    "undo": _undo,
    "clear": _clear,
    "help": _help,
}


def add_to(group: typer.Typer) -> None:
    """Add the command."""
    group.command("repl")(repl)
