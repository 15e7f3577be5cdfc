"""Reading terms: values, arithmetic, sets, records and cases."""

from __future__ import annotations

import re

from tacita.rules.logic.terms import (
    Access,
    Blank,
    Case,
    Condition,
    Constant,
    ListOf,
    Operation,
    Pair,
    Parameter,
    SetOf,
    Term,
    Update,
)
from tacita.rules.syntax.calls import Calls
from tacita.rules.syntax.lexer import Token
from tacita.rules.syntax.literals import SMALLEST_INTEGER, name_value, number_value, text_value
from tacita.rules.syntax.words import ADDITIVE, KEYWORDS, MULTIPLICATIVE

_A_VALUE = "a value (a variable, a text, a number, a set, ...)"
_TOO_LARGE = re.compile(r"[0-9]+(\.[0-9]+)?([eE]\+?[0-9]+)?")


class Terms(Calls):
    """The part of the parser that reads terms."""

    def condition(self) -> Condition:
        """Read a condition; items know how."""
        raise NotImplementedError

    def term(self) -> Term:
        """Read a term: sums of products of operands, both from left to right."""
        first = self.at
        term = self.operand()
        if self.kind not in MULTIPLICATIVE and self.kind not in ADDITIVE:
            return term
        total: Term | None = None
        operator, total_height, start = "", 0, first
        while True:
            height = self.height
            while self.kind in MULTIPLICATIVE:
                sign = self.advance().kind
                right = self.operand()
                height = self.raise_height(max(height, self.height))
                term = Operation(sign, (term, right), self.span(start))
            if total is not None:
                height = self.raise_height(max(total_height, height))
                term = Operation(operator, (total, term), self.span(first))
            if self.kind not in ADDITIVE:
                return term
            total, total_height = term, height
            operator = self.kind
            self.step()
            start = self.at
            term = self.operand()

    def operand(self) -> Term:
        """Read one operand: a value, a call, something in brackets, with accesses behind it."""
        first = self.at
        self.height = 1
        term = self.value(self.kind)
        if term is not None:
            self.step()
        elif self.kind == "(":
            term = self.in_parentheses()
        elif self.kind == "{":
            term = SetOf(self.sequence("}"), self.span(first))
        elif self.kind == "[":
            term = ListOf(self.sequence("]"), self.span(first))
        elif self.kind == "-":
            return self.negative()
        elif self.kind == "case":
            return self.case()
        elif self.is_callee(first):
            term = self.call()
        else:
            term = self.other_operand(self.token)
        while self.kind == "[" and not self.starts_clause(self.at):
            term = self.access(term, first)
        return term

    def value(self, kind: str) -> Term | None:
        """Return the value that the token here is, if it is one."""
        at = self.at
        is_called = self.kinds[at + 1] == "(" if kind != "end" else False
        if kind == "variable":
            return None if is_called else self.variable(at)
        if kind == "text":
            return Constant(text_value(self.texts[at]), self.place(at))
        if kind == "number":
            return Constant(self.number(at), self.place(at))
        if kind in ("true", "false"):
            return Constant(kind == "true", self.place(at))
        if kind in ("_", "parameter"):
            if is_called:
                raise self.not_a_predicate(self.token)
            return Blank(self.place(at)) if kind == "_" else Parameter(self.texts[at][1:], self.place(at))
        return None

    def other_operand(self, token: Token) -> Term:
        """Say what is wrong with an operand, and read on where it is clear what was meant."""
        origin = token.origin(self.source)
        if self.kind == "quoted":
            self.step()
            value = name_value(token.text)
            self.note("R108", origin, "a text stands in double quotes, not in single ones", f'write "{value}"')
            return Constant(value, origin)
        if self.kind == "name":
            self.step()
            capital = token.text[0].upper() + token.text[1:]
            variable = capital if capital[0].isupper() else "_" + token.text
            message = f"`{token.text}` is neither a variable nor a text"
            self.note("R120", origin, message, f'write "{token.text}" or {variable}')
            return Constant(token.text, origin)
        if self.kind == "null":
            self.step()
            self.note("R134", origin, "null is not a value that can be written", "write 'X is null' or 'X is not null'")
            return Constant("null", origin)
        if self.kind == "<":
            message = "contributors <...> stand behind the value of an aggregate, and nowhere else"
            raise self.fail("R128", origin, message, "write an aggregate, such as msum(W, <Z>)")
        if self.passed == "*" and self.kind in (",", ")"):
            message = "'*' packs arguments only behind a variable, as the last argument of an atom"
            raise self.fail("R124", self.place(self.at - 1), message)
        if self.kind == "*":
            raise self.fail("R124", origin, "'*' unpacks a record as the last argument of an atom, and nowhere else")
        if self.kind in KEYWORDS and self.next_kind == "(":
            raise self.not_a_predicate(token)
        raise self.note_expected(_A_VALUE)

    def number(self, at: int) -> int | float:
        """Return the number that a token means."""
        text = self.texts[at]
        value = number_value(text)
        if value is not None:
            return value
        message, do = "is not a number", None
        if _TOO_LARGE.fullmatch(text):
            message, do = "is too large", "integers go up to 9223372036854775807, other numbers up to 1.7e308"
        elif text[0] == "." and text[1:].isdecimal():
            do = f"write 0{text}"
        written = text if len(text) <= 30 else text[:27] + "..."
        self.note("R105", self.place(at), f"{written} {message}", do)
        return 0

    def negative(self) -> Term:
        """Read a minus sign and its operand; with a bare number it is a negative number."""
        first = self.at
        self.step()
        # A number with an access behind it is the operand: -1[k] means -(1[k]).
        if self.kind == "number" and self.next_kind != "[":
            # The smallest integer has no positive counterpart.
            is_smallest = self.texts[self.at] == str(-SMALLEST_INTEGER)
            value = SMALLEST_INTEGER if is_smallest else -self.number(self.at)
            self.step()
            return Constant(value, self.span(first))
        self.enter()
        operand = self.operand()
        self.depth -= 1
        self.raise_height(self.height)
        return Operation("-", (operand,), self.span(first))

    def access(self, record: Term, first: int) -> Term:
        """Read ``[key]`` or ``[key := value]`` behind a term."""
        height = self.height
        opening = self.at
        self.step()
        self.enter()
        key = self.term()
        height = max(height, self.height)
        value: Term | None = None
        if self.kind == ":=":
            self.step()
            value = self.term()
            height = max(height, self.height)
        if self.kind == "]":
            self.step()
        elif not self.note_unclosed(opening, f"'{self.passed}'"):
            raise self.note_expected("']'" if value else "']' or ':='", "the attribute")
        self.depth -= 1
        self.raise_height(height)
        return Access(record, key, self.span(first)) if value is None else Update(record, key, value, self.span(first))

    def in_parentheses(self) -> Term:
        """Read a term in parentheses, or a pair."""
        first = self.at
        parts = self.sequence(")")
        if len(parts) == 1:
            self.height -= 1
            return parts[0]
        if len(parts) == 2:
            return Pair(parts[0], parts[1], self.span(first))
        message = (
            f"{len(parts)} values in parentheses: a pair has two" if parts else "there is nothing in these parentheses"
        )
        raise self.fail("R111", self.span(first), message, "write a pair (A, B), a set {A, B, C} or a list [A, B, C]")

    def case(self) -> Term:
        """Read ``case C then X else Y``."""
        first = self.at
        self.step()
        self.enter()
        conditions = [self.condition()]
        height = self.height
        while self.kind in (",", "and"):
            self.step()
            conditions.append(self.condition())
            height = max(height, self.height)
        if self.kind != "then" and not self.respelt(("then",)):
            raise self.note_expected("'and' or 'then'", "the condition of 'case'")
        self.step()
        then = self.term()
        height = max(height, self.height)
        if self.kind != "else" and not self.respelt(("else",)):
            raise self.note_expected("'else'", "what follows 'then'")
        self.step()
        otherwise = self.term()
        self.depth -= 1
        self.raise_height(max(height, self.height))
        return Case(tuple(conditions), then, otherwise, self.span(first))
