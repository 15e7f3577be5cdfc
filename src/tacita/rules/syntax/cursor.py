"""A place in the tokens, and what a parser needs at every place: looking ahead, complaining, finding its way back."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import lru_cache

from tacita.errors import did_you_mean
from tacita.rules.logic.faults import Fault, Origin, Severity
from tacita.rules.syntax.faults import MOST_FAULTS, fault
from tacita.rules.syntax.lexer import Lexed, Token
from tacita.rules.syntax.words import ADDITIVE, ARROWS, COMPARISONS, MULTIPLICATIVE, SOFT_KEYWORDS

DEEPEST = 200
"""Levels of nesting, of brackets as of terms: what is read here must be safe to walk by simple recursion."""

LABEL = re.compile(r"\[\s*+([\w](?:[\w.: -]*\w)?)\s*\]")
_BEHIND_LABEL = re.compile(
    r"\s*(?!(?:and|in|is|subset|union|minus|intersect|then|else|not\s+in)\b)(?:$|[^\W\d]|[#@'%])"
)
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_BRACKETS = {"(": "parenthesis", "[": "bracket", "{": "brace", "<": "angle bracket"}
_GOES_ON = (
    frozenset(
        (",", "and", "or", "not", "(", "[", "{", ":", ":=", "~", "in", "of", "exists", "if", "case", "else", "=>")
    )
    | ARROWS
    | ADDITIVE
    | MULTIPLICATIVE
    | frozenset(COMPARISONS)
)
"""Behind these a clause goes on, whatever the next line looks like."""
_FIRST_WORDS = frozenset(("false", "exists", "not"))
WORDS = frozenset(("variable", "name"))
CALLEES = frozenset(("variable", "name", "quoted", "external")) | SOFT_KEYWORDS


@lru_cache(maxsize=1024)
def _nearest(word: str, known: tuple[str, ...]) -> str:
    return did_you_mean(word, known)


class LostPlace(Exception):
    """The parser cannot go on with this clause; the fault has been noted."""


class Cursor:
    """The tokens of a text and the place that has been reached."""

    def __init__(self, lexed: Lexed, source: str) -> None:
        self.lexed = lexed
        self.kinds, self.texts, self.rows, self.columns = lexed.kinds, lexed.texts, lexed.rows, lexed.columns
        self.faults: list[Fault] = []
        self.warnings: list[Fault] = []
        self.source = source
        self.at = 0
        self.kind = self.kinds[0]
        self.depth = 0
        self.clause_column = 1

    # -- moving --------------------------------------------------------------------------------------------------------

    def advance(self) -> Token:
        """Go on by one token and return the one passed; the end is never passed."""
        token = self.lexed.token(self.at)
        self.step()
        return token

    def step(self) -> None:
        """Go on by one token; the end is never passed."""
        if self.kinds[self.at] != "end":
            self.at += 1
            self.kind = self.kinds[self.at]

    @property
    def token(self) -> Token:
        """The token at this place."""
        return self.lexed.token(self.at)

    @property
    def next_kind(self) -> str:
        """The kind of the token behind this one."""
        return self.kinds[self.at + 1] if self.kind != "end" else "end"

    def span(self, first: int) -> Origin:
        """Return the stretch from a token to the last one passed."""
        last = max(first, self.at - 1)
        end = self.columns[last] + len(self.texts[last])
        return Origin(self.source, self.rows[first], self.columns[first], self.rows[last], end)

    def place(self, at: int) -> Origin:
        """Return the place of a token."""
        row, column = self.rows[at], self.columns[at]
        return Origin(self.source, row, column, row, column + len(self.texts[at]))

    def here(self) -> Origin:
        """Return the place of the token here."""
        return self.place(self.at)

    def behind(self) -> Origin:
        """Return the place right behind the last token passed."""
        last = max(0, self.at - 1)
        end = self.columns[last] + len(self.texts[last])
        return Origin(self.source, self.rows[last], end, self.rows[last], end + 1)

    @property
    def passed(self) -> str:
        """The text of the last token passed."""
        return self.texts[self.at - 1] if self.at else ""

    # -- complaining ---------------------------------------------------------------------------------------------------

    def note(self, code: str, origin: Origin, message: str, do: str | None = None) -> None:
        """Note a fault and go on; one more than will be listed is enough."""
        if not self.is_full:
            self.faults.append(fault(code, origin, message, do))

    def warn(self, code: str, origin: Origin, message: str, do: str | None = None) -> None:
        """Note something that looks wrong, but does not keep the program from running."""
        if len(self.warnings) < MOST_FAULTS:
            self.warnings.append(fault(code, origin, message, do, Severity.WARNING))

    @property
    def is_full(self) -> bool:
        """Whether there are so many faults that more would not be listed."""
        return len(self.faults) > MOST_FAULTS

    def nearest(self, word: str, known: Iterable[str]) -> str:
        """Return the question whether another word was meant, or nothing."""
        return "" if self.is_full else _nearest(word, tuple(known))

    def fail(self, code: str, origin: Origin, message: str, do: str | None = None) -> LostPlace:
        """Note a fault; the caller raises what this returns."""
        # A token that the lexer could not read has its fault already.
        if self.kind != "fault":
            self.note(code, origin, message, do)
        return LostPlace()

    def note_expected(self, what: str, after: str = "") -> LostPlace:
        """Note that something else was expected here; the caller raises what this returns."""
        if not after:
            after = f" after '{self.passed}'" if self.passed not in ("", ".") else ""
        elif not after.startswith(" "):
            after = f" after {after}"
        origin = self.behind() if self.kind == "end" and self.at else self.here()
        return self.fail("R111", origin, f"expected {what}{after}, found {self.token_words()}", "")

    def token_words(self) -> str:
        """Return what stands here, for a message."""
        if self.kind == "end":
            return "the end of the text"
        text = self.token.text
        return f"'{text if len(text) <= 40 else text[:37] + '...'}'"

    def note_unclosed(self, opening: int, last: str) -> bool:
        """Note a bracket that is never closed, if that is what is wrong here.

        The reader goes on as if it had been closed, so that the rest of the clause is looked at too.
        """
        is_over = self.kind in (".", "end") or self.kind in ARROWS or self.at_back_arrow()
        if not is_over and not self.starts_clause(self.at):
            return False
        bracket = self.texts[opening]
        close = _CLOSING[bracket]
        message = f"the {_BRACKETS[bracket]} that opens here is never closed"
        self.note("R112", self.place(opening), message, f"write '{close}' after {last}")
        return True

    def respelt(self, options: Iterable[str]) -> bool:
        """Take a misspelt word for the one of `options` that was meant, note that, and say whether it was so."""
        if self.kind not in WORDS or self.is_full:
            return False
        token = self.token
        word = token.text.casefold()
        known = tuple(options)
        if word in known:
            near = [word]
        else:
            near = difflib.get_close_matches(word, known, n=1, cutoff=0.66) if self.next_kind != "(" else []
        if not near:
            return False
        message = f"'{token.text}' is not a word of the language; did you mean '{near[0]}'?"
        self.note("R109", token.origin(self.source), message, f"write '{near[0]}'")
        self.kind = near[0]
        return True

    def enter(self) -> None:
        """Go one level deeper; the caller goes back up with ``self.depth -= 1``."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.too_deep()

    def too_deep(self) -> LostPlace:
        """Note that the nesting is too deep; the caller raises what this returns."""
        origin = self.place(max(0, self.at - 1))
        return self.fail("R129", origin, f"nested more than {DEEPEST} levels deep")

    # -- finding the way back ------------------------------------------------------------------------------------------

    def is_callee(self, place: int) -> bool:
        """Whether a name stands there with its opening parenthesis."""
        return self.kinds[place] in CALLEES and self.kinds[place + 1] == "("

    def at_back_arrow(self) -> bool:
        """Whether ``<-`` stands here, which is two tokens because ``X<-1`` compares."""
        if self.kind != "<" or self.next_kind != "-":
            return False
        right = self.at + 1
        return self.rows[self.at] == self.rows[right] and self.columns[right] == self.columns[self.at] + 1

    def label_at(self, place: int) -> re.Match[str] | None:
        """Return the label that begins at a bracket, if what follows it can be the rest of a clause."""
        line = self.lexed.lines[self.rows[place] - 1]
        match = LABEL.match(line, self.columns[place] - 1)
        return match if match and _BEHIND_LABEL.match(line, match.end()) else None

    def starts_clause(self, place: int) -> bool:
        """Whether a new clause seems to begin with this token, which then stands first on its line."""
        if place == 0 or self.rows[place] == self.rows[place - 1]:
            return False
        kind = self.kinds[place]
        if kind in ("annotation", "if"):
            return True
        if kind == "[":
            return self.label_at(place) is not None
        if self.columns[place] > self.clause_column or self.kinds[place - 1] in _GOES_ON:
            return False
        return kind in _FIRST_WORDS or self.is_callee(place)

    def skip_clause(self, start: int) -> None:
        """Go to where the next clause begins: behind the next period, or to a line that looks like one."""
        if self.at == start:
            self.step()
        self.kind = self.kinds[self.at]
        while self.kinds[self.at - 1] != "." and self.kind != "end" and not self.starts_clause(self.at):
            self.step()
