"""What can be wrong with the way a program is written: every code, what it means, and an example."""

from __future__ import annotations

from typing import NamedTuple

from tacita.rules.logic.faults import Fault, Origin, Severity


class FaultKind(NamedTuple):
    """A kind of fault: its meaning, an example that has it, and what to do about it."""

    meaning: str
    example: str
    do: str


FAULTS: dict[str, FaultKind] = {
    "R101": FaultKind("a character has no meaning in the language", "Own(X, Y) § Z", "leave it out"),
    "R102": FaultKind("a text does not end on its line", 'Own("a, "b").', 'close it with "'),
    "R103": FaultKind("a name in single quotes does not end on its line", "'Own(X) -> P(X).", "close it with '"),
    "R104": FaultKind("a backslash in a text stands for nothing", r'File("C:\data").', r"write \\ for a backslash"),
    "R105": FaultKind("a number cannot be read, or is too large", "Own(X, 1abc).", "write 12, 0.5 or 1e-3"),
    "R106": FaultKind("a sign of another language", "Own(X) ⇒ P(X).", "write the sign of this language"),
    "R107": FaultKind("there is no 'or'", "A(X) or B(X) -> P(X).", "write one rule for each case"),
    "R108": FaultKind("the quotes are not those of a text", "Own(“a”).", 'write "a"'),
    "R109": FaultKind("a word of the language is misspelt", "if A(X) thn B(X).", "write the word as it is meant"),
    "R110": FaultKind("the period at the end is missing", "Own(1)", "end the fact or rule with a period"),
    "R111": FaultKind("something else was expected here", "A(X) B(X) -> C(X).", "write what was expected"),
    "R112": FaultKind("a parenthesis, bracket or brace is never closed", "A(X -> B(X).", "close it"),
    "R113": FaultKind("a parenthesis, bracket or brace closes nothing", "A(X)) -> B(X).", "leave it out, or open it"),
    "R114": FaultKind("the rule has no head", "A(X) -> .", "say what follows; for what must never be, write 'false'"),
    "R115": FaultKind("the rule has no body", "-> A(1).", "say when it holds; for a fact, leave out the arrow"),
    "R116": FaultKind("neither a fact nor a rule", "A(X), B(X).", "end each fact with a period, or write the arrow"),
    "R117": FaultKind("this cannot stand in a head", "A(X) -> not B(X).", "a head has atoms, one equality or 'false'"),
    "R118": FaultKind("this must stand alone in a head", "A(X, Y) -> B(X), X = Y.", "write one rule for each"),
    "R119": FaultKind("this cannot stand in a body", "A(X), false -> B(X).", "move it to the head"),
    "R120": FaultKind("a bare word is no value", "Own(abc, 1).", 'write "abc" for a text, Abc for a variable'),
    "R121": FaultKind("a value where an atom or a condition is expected", "Own, A(X) -> B(X).", "write Own(...)"),
    "R122": FaultKind("this cannot be the name of a predicate", "$p(X) -> B(X).", "put the name in single quotes"),
    "R123": FaultKind("there is no such function", "A(S), sise(S) > 1 -> B(S).", "see the list of functions"),
    "R124": FaultKind("a star where none can stand", "A(X, *V, Y) -> B(X).", "* is for the last argument of an atom"),
    "R125": FaultKind(
        "an aggregate inside a negation", "A(X), not (B(Y), msum(Y) > 1) -> C(X).", "aggregate in a rule of its own"
    ),
    "R126": FaultKind("an aggregate in a fact", "A(msum(1)).", "facts hold values; write a rule"),
    "R127": FaultKind(
        "an aggregate inside an aggregate", "A(X), Y = msum(mmax(X)) -> B(Y).", "write one rule for each"
    ),
    "R128": FaultKind(
        "an aggregate with the wrong arguments", "A(X, Y), Z = msum(X, Y) -> B(Z).", "write msum(X, <Y>)"
    ),
    "R129": FaultKind("nested too deeply", "A(((...1...))).", "name parts of it: X = ..., Y = ..."),
    "R130": FaultKind("an annotation without a rule", '@output("A")', "end it with a period if it stands alone"),
    "R131": FaultKind("there is no such annotation", '@outptu("A").', "see the list of annotations"),
    "R132": FaultKind("an argument of an annotation is given twice", "@route(step = 1, step = 2).", "leave one out"),
    "R133": FaultKind(
        "a label is wrong, or in the wrong place", "[a%b] A(1).", "write [1] or [6a], behind the annotations"
    ),
    "R134": FaultKind("null is not a value", "A(X), X = null -> B(X).", "write 'X is null'"),
    "R135": FaultKind("a second arrow in one rule", "A(X) -> B(X) -> C(X).", "write one rule for each"),
    "R136": FaultKind(
        "a variable that looks like a word of the language", "A(X), X = True -> B(X).", "write true, in small letters"
    ),
    "R137": FaultKind(
        "too many faults to list", "(a text that is no rule program)", "mend those that are listed first"
    ),
}
"""The kinds of fault by code. A code is never used again for something else."""


MOST_FAULTS = 200
"""A text that is no program at all would give a fault for every word."""


def fault(code: str, origin: Origin, message: str, do: str | None = None, severity: Severity = Severity.ERROR) -> Fault:
    """Return a fault of a kind in the table; what to do is that of its kind unless said otherwise."""
    return Fault(code, message, origin, FAULTS[code].do if do is None else do, severity)
