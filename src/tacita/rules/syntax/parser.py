"""From text to a program, with all faults at once."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tacita.rules.logic.faults import Fault
from tacita.rules.logic.program import Comments, Program
from tacita.rules.syntax.clauses import Clauses
from tacita.rules.syntax.faults import MOST_FAULTS, fault
from tacita.rules.syntax.lexer import Lexed, Token, lexed


@dataclass(frozen=True, slots=True)
class Parsed:
    """What was read: the clauses without a fault in their way, all faults, and the comments around each clause."""

    program: Program
    faults: tuple[Fault, ...] = ()
    comments: tuple[Comments, ...] = ()
    """One for each clause of the program, in the same order."""


@dataclass(frozen=True, slots=True)
class SourceReading:
    """A parsed text with its tokens, for the formatter."""

    parsed: Parsed
    lexed: Lexed
    ends: list[tuple[int, int]]
    """The first token of each clause, and the one behind its last."""
    labels: dict[int, tuple[int, str]]
    back_arrows: set[int]


def parse(text: str, source: str = "program") -> Parsed:
    """Return the program that a text means. Never raises: what is wrong is in `faults`, all of it.

    >>> parse('Own(X, Y, W), W > 0.5 -> Control(X, Y).').program.rules[0].head[0].predicate
    'Control'
    >>> print(*(fault.message for fault in parse("if Own(X, Y) thn Control(X, Y)").faults), sep="; ")
    'thn' is not a word of the language; did you mean 'then'?; there is no period after the atom Control(...)
    """
    return read(text, source).parsed


def read(text: str, source: str = "program") -> SourceReading:
    """Return the program with the tokens that it was read from."""
    with collector_paused():
        tokens = lexed(text, source)
        parser = Clauses(tokens, source)
        parser.read()
    program = Program(tuple(parser.clauses), source)
    comments = comments_around(parser, tokens.comments)
    parsed = Parsed(program, in_order([*tokens.faults, *parser.faults], parser.warnings), comments)
    return SourceReading(parsed, tokens, parser.ends, parser.labels, parser.back_arrows)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking again and again at a growing program, none of which is garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def in_order(faults: list[Fault], warnings: list[Fault]) -> tuple[Fault, ...]:
    """Return the faults in the order of their places; a sensible number of them."""
    ordered = sorted(faults, key=_place)
    if len(ordered) > MOST_FAULTS:
        message = f"there are more than {MOST_FAULTS} faults; those from here on are not listed"
        ordered[MOST_FAULTS:] = [fault("R137", ordered[MOST_FAULTS].origin, message)]
    return tuple(sorted((*ordered, *warnings), key=_place))


def _place(wrong: Fault) -> tuple[int, int]:
    return wrong.origin.line, wrong.origin.column


def comments_around(parser: Clauses, comments: list[Token]) -> tuple[Comments, ...]:
    """Return the comments before each clause, and the one behind its end."""
    if not comments:
        return (Comments(),) * len(parser.clauses)
    by_clause = []
    waiting = 0
    for start, end in parser.ends:
        first, last = parser.rows[start], parser.rows[end - 1]
        before = []
        while waiting < len(comments) and comments[waiting].line < first:
            before.append(comments[waiting].text)
            waiting += 1
        behind = ""
        while waiting < len(comments) and comments[waiting].line <= last:
            behind = comments[waiting].text if comments[waiting].line == last else ""
            waiting += 1
        by_clause.append(Comments(tuple(before), behind))
    return tuple(by_clause)
