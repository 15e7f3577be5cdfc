"""Reading items: what a body or a head lists."""

from __future__ import annotations

from tacita.rules.logic.functions import AGGREGATES, FUNCTIONS
from tacita.rules.logic.terms import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Condition,
    Constant,
    Denial,
    IsNull,
    Item,
    Member,
    Negation,
    Similar,
    Subset,
    Term,
    Variable,
)
from tacita.rules.syntax.cursor import CALLEES, LostPlace
from tacita.rules.syntax.literals import name_value, text_value
from tacita.rules.syntax.terms import Terms
from tacita.rules.syntax.words import ADDITIVE, ARROWS, COMPARISONS, KEYWORDS, MULTIPLICATIVE

AnyItem = Item | Denial
_CALCULATES = frozenset(COMPARISONS) | ADDITIVE | MULTIPLICATIVE | {"~", "in", "[", "is", "subset"}
_BEGINS_NOTHING = frozenset((",", "and", "or", ".", ")", "]", "}", "=>", "end", ":", "else", "in")) | ARROWS
_SEPARATORS = frozenset((",", "and"))


class Items(Terms):
    """The part of the parser that reads atoms, conditions and negations."""

    bare: list[Comparison]
    """Conditions of this clause that are a call alone, such as ``contains(A, "x")``."""

    def items(self) -> list[AnyItem]:
        """Read items with commas or 'and' between them, until something else follows."""
        listed = [self.item()]
        while True:
            kind = self.kind
            if kind in _SEPARATORS:
                self.step()
                listed.append(self.item())
            elif kind == "or" or (kind == "name" and self.token.text == "or"):
                self.no_or()
                if self.kind in ("end", ".") or self.starts_clause(self.at):
                    return listed
                listed.append(self.item())
            elif (kind == ")" and not self.depth) or kind in ("]", "}"):
                token = self.advance()
                self.note("R113", token.origin(self.source), f"this '{token.text}' closes nothing")
            elif kind in ("variable", "name") and not self.starts_clause(self.at) and self.respelt(("and", "then")):
                continue
            else:
                return listed

    def no_or(self) -> None:
        """Note that there is no 'or', and pass it."""
        token = self.advance()
        origin = token.origin(self.source)
        if token.text == ";" and (self.kind == "end" or self.token.line > token.line):
            self.note(
                "R106", origin, "';' is not a sign of this language", "write a period at the end of a fact or rule"
            )
            self.at -= 1
            self.kind = self.kinds[self.at] = "."
            return
        do = "write one rule for each case; between items that must all hold, write a comma or 'and'"
        self.note("R107", origin, f"there is no 'or' in a rule (found '{token.text}')", do)

    def item(self) -> AnyItem:
        """Read an atom, a negation, a condition, or what a denial says."""
        kind = self.kind
        if kind in CALLEES and self.kinds[self.at + 1] == "(":
            name = self.texts[self.at]
            # In quotes it is always a predicate: that is how one may have the name of a function.
            if kind in ("quoted", "external") or (name not in FUNCTIONS and name not in AGGREGATES):
                return self.atom()
        elif kind == "not":
            return self.negation()
        elif kind == "false" and not self.calculates(self.at + 1):
            return self.denial()
        elif kind in ("variable", "name") and self.kinds[self.at + 1] in CALLEES:
            if self.respelt(("not", "exists")):
                return self.negation() if self.kind == "not" else self.misplaced_exists()
        elif kind == "exists":
            return self.misplaced_exists()
        elif kind in _BEGINS_NOTHING:
            if kind in KEYWORDS and self.next_kind == "(":
                raise self.not_a_predicate(self.token)
            raise self.note_expected("an atom or a condition")
        elif kind == "(" and self.is_predicate(self.at + 1):
            message = "items stand in parentheses only behind 'not'"
            raise self.fail("R111", self.here(), message, "leave out the parentheses")
        return self.condition()

    def is_predicate(self, place: int) -> bool:
        """Whether an atom begins there."""
        name = self.texts[place]
        return self.is_callee(place) and name not in FUNCTIONS and name not in AGGREGATES

    def calculates(self, place: int) -> bool:
        """Whether a sign stands there that makes a value of what is before it."""
        kind = self.kinds[place]
        return kind in _CALCULATES or (kind == "not" and self.kinds[place + 1] == "in")

    def misplaced_exists(self) -> AnyItem:
        """Note an 'exists' that does not begin the head."""
        message = "'exists' stands once, at the beginning of the head"
        raise self.fail("R119", self.here(), message, "write -> exists Z, Y: A(Z), B(Y)")

    def atom(self) -> Atom:
        """Read an atom."""
        first = self.at
        kind, name, is_external = self.kind, self.texts[first], False
        if kind == "quoted":
            name = name_value(name)
        elif kind == "external":
            name, is_external = name[1:], True
            if name[0] == "'":
                name = name_value(name)
        elif name[-1] == "'":
            raise self.not_a_predicate(self.token)
        if not name:
            self.note("R122", self.here(), "the name of the predicate is empty", "write a name between the quotes")
        self.step()
        if self.kinds[first + 2] in ("<", "<>") and not is_external:
            near = self.nearest(name, AGGREGATES)
            raise self.fail("R123", self.place(first), f"there is no aggregate '{name}'{near}", "" if near else None)
        atom = Atom(name, self.arguments(), is_external, self.span(first))
        if self.calculates(self.at) and not self.at_back_arrow() and not self.starts_clause(self.at):
            self.unknown_function(self.lexed.token(first), name)
            raise LostPlace
        return atom

    def negation(self) -> Negation:
        """Read ``not A`` or ``not (A, B)``."""
        first = self.at
        self.step()
        outside, self.in_negation = self.in_negation, True
        self.enter()
        if self.kind == "(":
            opening = self.at
            self.step()
            items = self.items()
            if self.kind == ")":
                self.step()
            elif not self.note_unclosed(opening, described(items[-1])):
                raise self.note_expected("a comma, 'and', or ')'", described(items[-1]))
        else:
            items = [self.item()]
        self.depth -= 1
        self.in_negation = outside
        origin = self.span(first)
        inside: list[Item] = []
        for item in items:
            if isinstance(item, Denial):
                self.note("R119", item.origin, "'false' says in a head what must never be; it cannot be negated")
            else:
                inside.append(item)
        return Negation(tuple(inside), origin)

    def denial(self) -> Denial:
        """Read ``false`` with the text behind it."""
        first = self.at
        self.step()
        text = text_value(self.advance().text) if self.kind == "text" else ""
        return Denial(text, self.span(first))

    def condition(self) -> Condition:
        """Read a condition; a call of a function that gives true or false is one too."""
        first = self.at
        if self.kind == "not":
            do = "write the opposite condition, such as != or 'not in'"
            raise self.fail("R111", self.here(), "'not' cannot stand in a condition of 'case'", do)
        left = self.term()
        height = self.height
        kind = self.kind
        if (
            kind in ("variable", "name")
            and not self.starts_clause(self.at)
            and self.respelt(("in", "is", "not", "subset"))
        ):
            kind = self.kind
        if kind == "=>" and not is_bare_call(left):
            self.note("R106", self.here(), "'=>' is not a sign of this language", "write >= to compare, -> in a rule")
            kind = ">="
        node: Condition
        if kind in COMPARISONS:
            self.step()
            node = Comparison(COMPARISONS[kind], left, self.term(), self.span(first))
        elif kind == "in":
            self.step()
            node = Member(left, self.term(), False, self.span(first))
        elif kind == "not":
            self.step()
            if self.kind != "in" and not self.respelt(("in",)):
                raise self.note_expected("'in'")
            self.step()
            node = Member(left, self.term(), True, self.span(first))
        elif kind == "~":
            self.step()
            node = Similar(left, self.term(), self.span(first))
        elif kind == "subset":
            self.step()
            if self.kind != "of" and not self.respelt(("of",)):
                raise self.note_expected("'of'")
            self.step()
            node = Subset(left, self.term(), self.span(first))
        elif kind == "is":
            return self.is_null(left, first, height)
        else:
            return self.bare_condition(left, first)
        self.height = max(height, self.height) + 1
        return node

    def is_null(self, left: Term, first: int, height: int) -> IsNull:
        """Read what stands behind 'is'."""
        self.step()
        is_negated = self.kind == "not"
        if is_negated:
            self.step()
        if self.kind != "null" and not self.respelt(("null",)):
            what = "'null'" if is_negated else "'null' or 'not null'"
            raise self.fail(
                "R111",
                self.here(),
                f"expected {what} after 'is', found {self.token_words()}",
                "'is' asks only whether a value is unknown; to compare, write =",
            )
        self.step()
        self.height = height + 1
        return IsNull(left, is_negated, self.span(first))

    def bare_condition(self, left: Term, first: int) -> Condition:
        """Return the condition that a term alone is, or say that it is none."""
        origin = left.origin
        if self.kind == "fault":
            raise LostPlace
        if isinstance(left, Call):
            function = FUNCTIONS.get(left.function)
            if function is None:
                raise LostPlace  # it has its fault already
            if function.gives == "boolean":
                condition = Comparison("=", left, Constant(True, origin), origin)
                self.bare.append(condition)
                self.height += 1
                return condition
            name = left.function
            do = f"compare its value, as in {name}(...) = X; for a predicate of that name, write '{name}'(...)"
            raise self.fail("R121", origin, f"{name} is a function, and gives a value but no condition", do)
        if isinstance(left, Aggregate):
            do = f"compare its value, as in N = {left.function}(...), or {left.function}(...) > 1"
            raise self.fail("R121", origin, f"{left.function} is an aggregate, and gives a value but no condition", do)
        if isinstance(left, Variable) and self.at == first + 1:
            do = f"write {left.name}(...) for an atom, or compare the variable"
            raise self.fail("R121", origin, f"{left.name} is a variable here, neither an atom nor a condition", do)
        raise self.fail("R121", origin, "this is a value, neither an atom nor a condition", "compare it: =, <, in, ...")


def is_bare_call(term: Term) -> bool:
    """Whether a term can stand as an item on its own."""
    function = FUNCTIONS.get(term.function) if isinstance(term, Call) else None
    return function is not None and function.gives == "boolean"


def described(item: AnyItem) -> str:
    """Return what a message calls an item."""
    if isinstance(item, Atom):
        return f"the atom {'#' if item.is_external else ''}{item.predicate}(...)"
    if isinstance(item, Negation):
        return "the negation"
    if isinstance(item, Denial):
        return "'false'"
    return "the condition"
