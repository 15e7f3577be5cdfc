"""A conversation with rules: facts, rules and questions go in one by one, answers come back as lines.

>>> with Conversation() as conversation:
...     _ = conversation.answer('Own("a", "b", 0.6).')
...     _ = conversation.answer("Own(X, Y, W), W > 0.5 -> Control(X, Y).")
...     conversation.answer("?Control(X, Y).")
['X = "a", Y = "b"']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from tacita.engines.context import Context
from tacita.errors import UsageError, counted, did_you_mean, printable
from tacita.forms import split_binding
from tacita.knowledge.programs import ProgramText
from tacita.progress import Progress, silent
from tacita.reasoning.request import ProgramInputs
from tacita.reasoning.session import SOURCE, Session, is_complete
from tacita.rules.reasoner.values import written
from tacita.views.rules import fact_lines, proof_lines, violation_lines

__all__ = ["Conversation", "ProgramInputs"]

_SHOWN = 20

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


class Conversation:
    """A program that grows statement by statement, and what is said about it."""

    def __init__(self, program: str | Path | None = None, given: ProgramInputs | None = None) -> None:
        given = given or ProgramInputs()
        context = Context(given.settings)
        self.session = Session(dict(given.inputs), given.parameters, context, given.budget, given.no_header)
        if program is not None:
            text = ProgramText.of(program)
            self.session.program = ProgramText("", SOURCE, text.folder)
            self.session.add(text.text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.session.close()

    @staticmethod
    def is_complete(text: str) -> bool:
        """Return whether a statement ends here, or waits for more lines."""
        return is_complete(text.lstrip().removeprefix("?"))

    def answer(self, text: str, progress: Progress = silent) -> list[str]:
        """Take a fact, a rule, a ``?question`` or a ``:command``; return what there is to say. Raises what is wrong."""
        self.session.context.progress = progress
        return [printable(line) for line in self._answer(text.strip())]

    def _answer(self, text: str) -> Iterator[str]:
        if text.startswith(":"):
            name, _, rest = text[1:].partition(" ")
            if name not in _COMMANDS:
                near = did_you_mean(name, _COMMANDS)
                raise UsageError(f"no command ':{name}'{near}", do=":help shows the commands")
            yield from _COMMANDS[name](self.session, rest.strip())
        elif text.startswith("?"):
            yield from _ask(self.session, text)
        else:
            yield from _add(self.session, text)


# -- statements --------------------------------------------------------------------------------------------------------


def _add(session: Session, text: str) -> Iterator[str]:
    diagnosis = session.add(text)
    for fault in session.new_warnings(diagnosis, text):
        yield f"warning: {fault.code}: {fault.message}"


def _ask(session: Session, text: str) -> Iterator[str]:
    answers = session.ask(text, _SHOWN)
    yield from _new_notes(session)
    if not answers.variables or not answers:
        yield "yes" if answers else "no"
        return
    for row in answers.rows:
        yield ", ".join(f"{name} = {written(value)}" for name, value in zip(answers.variables, row, strict=True))
    if answers.is_cut:
        yield "and more"


def _new_notes(session: Session) -> Iterator[str]:
    yield from (f"note: {note}" for note in session.notes)
    session.notes.clear()


# -- commands ----------------------------------------------------------------------------------------------------------


def _facts(session: Session, rest: str) -> Iterator[str]:
    conclusions = session.conclusions()
    yield from _new_notes(session)
    if rest:
        yield from fact_lines(conclusions, rest, _SHOWN)
    else:
        for predicate in conclusions.predicates:
            yield f"{predicate}: {counted(conclusions.count(predicate), 'fact')}"
    yield from violation_lines(conclusions.violations, conclusions)


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
