"""Reading what stands in brackets behind a name: calls, aggregates, the arguments of atoms."""

from __future__ import annotations

from tacita.rules.logic.faults import Origin
from tacita.rules.logic.functions import AGGREGATES, FUNCTIONS
from tacita.rules.logic.terms import Aggregate, Call, Pack, Term, Unpack, Variable
from tacita.rules.syntax.cursor import DEEPEST, Cursor, LostPlace
from tacita.rules.syntax.lexer import Lexed, Token
from tacita.rules.syntax.literals import name_value
from tacita.rules.syntax.words import COMPARISONS, KEYWORDS

_CONDITIONS = frozenset(COMPARISONS) | {"~", "in", "is", "subset", "not"}
_ENDS_ARGUMENT = frozenset((",", ")"))
_LOOKALIKES = {
    **dict.fromkeys(("True", "TRUE"), "true"),
    **dict.fromkeys(("False", "FALSE"), "false"),
    **dict.fromkeys(("Null", "NULL", "None", "NONE"), "null"),
}


class Calls(Cursor):
    """The part of the parser that reads calls.

    After each term `height` is the number of its levels: to whoever walks it, a long sum is as deep as many brackets.
    """

    def __init__(self, lexed: Lexed, source: str) -> None:
        super().__init__(lexed, source)
        self.height = 0
        self.in_annotation = False
        self.in_negation = False
        self.in_aggregate = False
        self.aggregates: list[Aggregate] = []

    def term(self) -> Term:
        """Read a term; terms know how."""
        raise NotImplementedError

    def raise_height(self, height: int) -> int:
        """Note the height of a term on top of parts of that height, and return it."""
        self.height = height + 1
        if height >= DEEPEST:
            raise self.too_deep()
        return height + 1

    def variable(self, at: int) -> Variable:
        """Return the variable that a token is."""
        name = self.texts[at]
        origin = self.place(at)
        if name in _LOOKALIKES:
            meant = _LOOKALIKES[name]
            message = f"{name} is a variable here; did you mean '{meant}'?"
            write = "write 'X is null' to ask for it" if meant == "null" else f"write {meant}"
            self.warn("R136", origin, message, f"{write}, or give the variable another name")
        return Variable(name, origin)

    def sequence(self, close: str) -> tuple[Term, ...]:
        """Read terms with commas between brackets."""
        opening = self.at
        self.step()
        self.enter()
        terms: list[Term] = []
        height = 0
        if self.kind != close:
            while True:
                terms.append(self.term())
                height = max(height, self.height)
                if self.kind != ",":
                    break
                self.step()
        self.close(opening, close)
        self.depth -= 1
        self.raise_height(height)
        return tuple(terms)

    def close(self, opening: int, close: str) -> None:
        """Pass the closing bracket, or say that it is missing."""
        if self.kind == close:
            self.step()
            return
        last = f"'{self.passed}'"
        if self.note_unclosed(opening, last):
            return
        if self.kind in _CONDITIONS:
            do = "leave out brackets around a condition; to choose a value by a condition, write 'case'"
            raise self.fail("R111", self.here(), f"a condition ('{self.token.text}') cannot stand inside a value", do)
        raise self.note_expected(f"a comma or '{close}'", last)

    def call(self) -> Term:
        """Read a call of a function or an aggregate."""
        first = self.at
        token = self.lexed.token(first)
        name = name_value(token.text) if token.kind == "quoted" else token.text
        if name in AGGREGATES and token.kind != "quoted":
            return self.aggregate(name)
        if not self.in_annotation and (name not in FUNCTIONS or token.kind == "quoted"):
            self.unknown_function(token, name)
        if token.kind == "external" and name.startswith("#'"):
            name = "#" + name_value(name[1:])
        self.step()
        arguments = self.sequence(")")
        return Call(name, arguments, self.span(first))

    def unknown_function(self, token: Token, name: str) -> None:
        """Note that a name is no function."""
        origin = token.origin(self.source)
        if token.kind == "external":
            message = f"{name} is an external predicate and no value"
            self.note("R123", origin, message, f"write it as an item of its own: {name}(..., R), and use R here")
            return
        near = self.nearest(name, (*FUNCTIONS, *AGGREGATES))
        do = "" if near else "an atom stands on its own, not inside a value; its arguments carry the values"
        self.note("R123", origin, f"there is no function '{name}'{near}", do)

    def aggregate(self, name: str) -> Aggregate:
        """Read ``msum(W, <Z>)``, with the value or the contributors left out where that makes sense."""
        first = self.at
        nested, self.in_aggregate = self.in_aggregate, True
        self.step()
        opening = self.at
        self.step()
        self.enter()
        value: Term | None = None
        contributors: tuple[Variable, ...] | None = None
        height = 0
        if self.kind not in ("<", "<>", ")"):
            value = self.term()
            height = self.height
            if self.kind == ",":
                self.step()
                if self.kind not in ("<", "<>"):
                    origin = self.here()
                    message = f"{name} takes one value; its contributors stand in angle brackets"
                    raise self.fail("R128", origin, message, f"write {name}(W, <Z>)")
        if self.kind == "<":
            contributors = self.contributors()
            height = max(height, 1)
        elif self.kind == "<>":
            token = self.advance()
            self.note(
                "R128",
                token.origin(self.source),
                "there are no contributors here",
                f"write {name}(W) or {name}(W, <Z>)",
            )
        self.close(opening, ")")
        self.depth -= 1
        self.in_aggregate = nested
        self.raise_height(height)
        node = Aggregate(name, value, contributors, self.span(first))
        self.look_at(node, nested)
        return node

    def look_at(self, aggregate: Aggregate, nested: bool) -> None:
        """Note what is wrong with an aggregate and where it stands."""
        name, origin = aggregate.function, aggregate.origin
        self.aggregates.append(aggregate)
        if aggregate.value is None and name not in ("mcount", "count"):
            self.note("R128", origin, f"{name} needs a value", f"write {name}(W) or {name}(W, <Z>)")
        if nested:
            do = "write a rule that computes the inner one, and use its result here"
            self.note("R127", origin, f"{name} stands inside another aggregate", do)
        if self.in_negation:
            do = "write a rule that computes it, and negate its head"
            self.note("R125", origin, f"{name} stands inside a negation", do)

    def contributors(self) -> tuple[Variable, ...]:
        """Read ``<I, J>``."""
        opening = self.at
        self.step()
        names: list[Variable] = []
        while True:
            if self.kind != "variable":
                raise self.note_expected("a variable", f"'{self.passed}' (contributors are variables)")
            names.append(self.variable(self.at))
            self.step()
            if self.kind != ",":
                break
            self.step()
        if self.kind == ">":
            self.step()
        elif not self.note_unclosed(opening, names[-1].name):
            raise self.note_expected("a comma or '>'", f"the contributor {names[-1].name}")
        return tuple(names)

    def arguments(self) -> tuple[Term, ...]:
        """Read the arguments of an atom; the last one may pack or unpack a record."""
        opening = self.at
        at = opening + 1
        kinds, texts, rows, columns = self.kinds, self.texts, self.rows, self.columns
        terms: list[Term] = []
        height = 0
        if kinds[at] != ")":
            while True:
                # Most arguments are bare variables, and most of the time of the parser is spent here.
                if kinds[at] == "variable" and kinds[at + 1] in _ENDS_ARGUMENT and texts[at] not in _LOOKALIKES:
                    name, row, column = texts[at], rows[at], columns[at]
                    terms.append(Variable(name, Origin(self.source, row, column, row, column + len(name))))
                    at += 1
                else:
                    self.at, self.kind = at, kinds[at]
                    terms.append(self.argument())
                    at = self.at
                    height = max(height, self.height)
                if kinds[at] != ",":
                    break
                at += 1
        self.at, self.kind = at, kinds[at]
        self.close(opening, ")")
        self.height = height + 1
        if height:  # not all are variables
            for term in terms[:-1]:
                if isinstance(term, Unpack | Pack):
                    self.note("R124", term.origin, "'*' packs or unpacks the last argument, and this is not the last")
        return tuple(terms)

    def argument(self) -> Term:
        """Read an argument that is not a bare variable."""
        first = self.at
        if self.kind == "*":
            self.step()
            record = self.term()
            self.raise_height(self.height)
            return Unpack(record, self.span(first))
        if self.kind == "variable" and self.next_kind == "*" and self.kinds[first + 2] in _ENDS_ARGUMENT:
            variable = self.variable(self.at)
            self.step()
            self.step()
            self.height = 2
            return Pack(variable, self.span(first))
        return self.term()

    def not_a_predicate(self, token: Token) -> LostPlace:
        """Note that something cannot be the name of a predicate; the caller raises what this returns."""
        name = token.text
        if token.kind == "parameter":
            what, do = f"the parameter {name} cannot be a predicate", "write the name of the predicate"
        elif token.kind == "_":
            what, do = "'_' cannot be a predicate", "give the predicate a name"
        elif token.kind in KEYWORDS:
            what, do = (
                f"'{name}' is a word of the language",
                f"to use it as a predicate, write '{name}'(...) in single quotes",
            )
        else:
            what, do = f"{name} is a variable, because of its prime", "drop the prime, or put the name in single quotes"
        return self.fail("R122", token.origin(self.source), what, do)
