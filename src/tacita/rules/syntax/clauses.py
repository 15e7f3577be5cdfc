"""Reading clauses: annotations, labels, facts, rules in all their directions."""

from __future__ import annotations

from tacita.rules.logic.program import Annotation, Clause, Directive, Fact, Rule
from tacita.rules.logic.terms import Atom, Comparison, Denial, HeadItem, Item, Term, Variable
from tacita.rules.syntax.cursor import LABEL, LostPlace
from tacita.rules.syntax.items import AnyItem, Items, described
from tacita.rules.syntax.lexer import Lexed, Token
from tacita.rules.syntax.words import ANNOTATIONS, ARROWS, KEYWORDS


class Clauses(Items):
    """The whole parser."""

    def __init__(self, lexed: Lexed, source: str) -> None:
        super().__init__(lexed, source)
        self.bare = []
        self.clauses: list[Clause] = []
        self.ends: list[tuple[int, int]] = []
        """The first token of each clause that could be read, and the one behind its last."""
        self.labels: dict[int, tuple[int, str]] = {}
        """Where labels begin, where what follows them begins, and their text."""
        self.back_arrows: set[int] = set()
        """Where ``<-`` is an arrow."""

    def read(self) -> None:
        """Read all clauses; after a fault go on with the next one, as long as there is room for faults."""
        while self.kind != "end" and not self.is_full:
            start = self.at
            self.clause_column = self.lexed.token(start).column
            self.depth = 0
            self.in_annotation = self.in_negation = self.in_aggregate = False
            if self.aggregates:
                self.aggregates = []
            if self.bare:
                self.bare = []
            try:
                self.clauses.append(self.clause())
            except LostPlace:
                self.skip_clause(start)
            except RecursionError:
                # The limits keep well away from this, unless the caller's own stack is nearly full.
                self.note("R129", self.place(start), "nested too deeply")
                self.skip_clause(start)
            else:
                self.ends.append((start, self.at))

    def clause(self) -> Clause:
        """Read one clause with its period."""
        first = self.at
        annotations: tuple[Annotation, ...] = ()
        if self.kind == "annotation":
            annotations = tuple(self.annotations())
            if self.kind == ".":
                self.step()
                return Directive(annotations, self.span(first))
        label = self.label() if self.kind == "[" else None
        if label is not None and self.kind == "annotation":
            message = "annotations stand before the label of a rule"
            self.note("R133", self.here(), message, f"write [{label}] behind them")
            annotations += tuple(self.annotations())
        if self.kind == "end":
            raise self.nothing_behind(annotations, label)
        has_if = self.kind == "if" or (self.starts_with_misspelt_if() and self.respelt(("if",)))
        if has_if:
            self.step()
        if self.kind in ARROWS or self.kind in ("=>", "."):
            raise self.note_one_sided()
        exists_at = self.at
        exists, left = self.head()
        if self.kind in ("->", "then", "=>"):
            if exists:
                message = "'exists' stands before the head, not before the body"
                self.note("R119", self.place(exists_at), message, "write -> exists Z, Y: A(Z), B(Y)")
            self.pass_arrow()
            exists, head = self.head()
            body, last = left, head[-1]
        elif self.kind == ":-" or self.at_back_arrow():
            self.pass_back_arrow()
            head, body = left, self.items()
            last = body[-1]
        else:
            return self.fact(left, exists, label, annotations, first, has_if)
        self.period(last, "a comma, 'and', or a period")
        rule = Rule(self.checked_body(body), self.checked_head(head), exists, label, annotations, self.span(first))
        if not rule.body or not rule.head:
            raise LostPlace
        return rule

    def fact(
        self,
        items: list[AnyItem],
        exists: tuple[Variable, ...],
        label: str | None,
        annotations: tuple[Annotation, ...],
        first: int,
        has_if: bool,
    ) -> Fact:
        """Return the fact that items without an arrow are, or say why they are none."""
        atom = items[0]
        is_single = len(items) == 1 and not has_if and not exists
        arrow = "or 'then'" if has_if else "'->', or a period" if is_single and isinstance(atom, Atom) else "or '->'"
        # Of a clause that breaks off, the arrow is missing and not only the period.
        if is_single or not self.is_over():
            self.period(items[-1], f"a comma, 'and', {arrow}")
        origin = self.span(first)
        if not is_single:
            message = "a rule without 'then'" if has_if else "neither a fact nor a rule: there is no arrow"
            do = "write 'then' and what follows" if has_if else None
            raise self.fail("R116", origin, message, do)
        if not isinstance(atom, Atom):
            what = described(atom)
            raise self.fail(
                "R116", origin, f"{what} alone is neither a fact nor a rule", "a fact is an atom with values"
            )
        for aggregate in self.aggregates:
            self.note("R126", aggregate.origin, f"{aggregate.function} stands in a fact")
        return Fact(atom, annotations, label, origin)

    def head(self) -> tuple[tuple[Variable, ...], list[AnyItem]]:
        """Read items with the existential variables before them."""
        exists = self.existentials() if self.kind == "exists" or self.is_misspelt_exists() else ()
        return exists, self.items()

    def pass_arrow(self) -> None:
        """Pass the arrow to a head; there must be one."""
        if self.kind == "=>":
            self.note("R106", self.here(), "'=>' is not a sign of this language", "write ->")
        self.step()
        if self.kind in (".", "end") or self.starts_clause(self.at):
            raise self.fail("R114", self.behind(), "there is no head behind the arrow")

    def pass_back_arrow(self) -> None:
        """Pass the arrow ``:-`` or ``<-`` to a body; there must be one."""
        if self.kind == "<":
            self.back_arrows.add(self.at)
            self.step()
        self.step()
        if self.kind in (".", "end") or self.starts_clause(self.at):
            do = "say when it holds; for a fact, leave out the arrow"
            raise self.fail("R115", self.behind(), "there is no body behind the arrow", do)

    def note_one_sided(self) -> LostPlace:
        """Note a clause that begins with its arrow or its period; the caller raises what this returns."""
        if self.kind == ".":
            return self.fail("R111", self.here(), "there is nothing before this period", "leave it out")
        if self.kind == ":-":
            do = 'say what follows; for what must never be, write false "why" :- ...'
            return self.fail("R114", self.here(), "there is no head before the arrow", do)
        return self.fail("R115", self.here(), f"there is no body before '{self.token.text}'")

    def nothing_behind(self, annotations: tuple[Annotation, ...], label: str | None) -> LostPlace:
        """Note annotations or a label at the end of the text; the caller raises what this returns."""
        if label is not None:
            return self.fail("R133", self.behind(), f"nothing follows the label [{label}]", "write the rule behind it")
        last = annotations[-1]
        do = "end it with a period if it stands alone; otherwise write its rule behind it"
        return self.fail("R130", last.origin, f"@{last.name} has neither a period nor a rule behind it", do)

    # -- the end -------------------------------------------------------------------------------------------------------

    def is_over(self) -> bool:
        """Whether the clause breaks off here: the text ends, or the next clause begins."""
        return self.kind == "end" or self.starts_clause(self.at)

    def period(self, last: AnyItem, expects: str) -> None:
        """Pass the period; where the next clause begins without one, say so and go on."""
        if self.kind == ".":
            self.step()
        elif self.is_over():
            self.note("R110", self.behind(), f"there is no period after {described(last)}")
        elif self.kind in ARROWS or self.kind == "=>" or self.at_back_arrow():
            origin = self.here() if self.kind != "<" else self.here().to(self.place(self.at + 1))
            sign = "<-" if self.kind == "<" else self.token.text
            raise self.fail("R135", origin, f"'{sign}' is the second arrow of this rule")
        else:
            raise self.note_expected(expects, described(last))

    # -- what stands where ---------------------------------------------------------------------------------------------

    def checked_body(self, items: list[AnyItem]) -> tuple[Item, ...]:
        """Return the items that can stand in a body; note the others."""
        body: list[Item] = []
        for item in items:
            if isinstance(item, Denial):
                self.note("R119", item.origin, "'false' cannot stand in a body", "a body lists what must hold")
            else:
                body.append(item)
        return tuple(body)

    def checked_head(self, items: list[AnyItem]) -> tuple[HeadItem, ...]:
        """Return the items that can stand in a head; note the others."""
        head: list[HeadItem] = []
        for item in items:
            is_equality = isinstance(item, Comparison) and item.operator == "=" and not self.is_bare(item)
            if isinstance(item, Atom) or is_equality or isinstance(item, Denial):
                head.append(item)  # type: ignore[arg-type]
                if not isinstance(item, Atom) and len(items) > 1:
                    what = "'false'" if isinstance(item, Denial) else "an equality"
                    do = (
                        None
                        if isinstance(item, Denial)
                        else "write a rule of its own; to compute a value, move it to the body"
                    )
                    self.note("R118", item.origin, f"{what} must stand alone in a head", do)
            else:
                what = {"the negation": "a negation"}.get(described(item), "a condition other than an equality")
                self.note("R117", item.origin, f"{what} cannot stand in a head")
        return tuple(head)

    def is_bare(self, item: Comparison) -> bool:
        """Whether a condition was written as a call alone."""
        return any(item is bare for bare in self.bare)

    # -- before the items ----------------------------------------------------------------------------------------------

    def starts_with_misspelt_if(self) -> bool:
        """Whether a word stands here where only 'if' makes sense."""
        return self.kind in ("variable", "name") and self.kinds[self.at + 1] in ("variable", "name", "external", "not")

    def is_misspelt_exists(self) -> bool:
        """Whether a word stands here, before a variable, where only 'exists' makes sense; it is taken for that."""
        is_word = self.kind in ("variable", "name") and self.kinds[self.at + 1] == "variable"
        return is_word and self.kinds[self.at + 2] in (",", ":") and self.respelt(("exists",))

    def existentials(self) -> tuple[Variable, ...]:
        """Read ``exists Z, Y:``."""
        self.step()
        variables: list[Variable] = []
        while True:
            if self.kind != "variable":
                raise self.note_expected("a variable")
            variables.append(self.variable(self.at))
            self.step()
            if self.kind != ",":
                break
            self.step()
        if self.kind != ":":
            raise self.note_expected("a comma or ':'", f"the variable {variables[-1].name} of 'exists'")
        self.step()
        return tuple(variables)

    def label(self) -> str | None:
        """Read ``[6a]``."""
        start = self.at
        row = self.rows[start]
        match = LABEL.match(self.lexed.lines[row - 1], self.columns[start] - 1)
        if not match:
            message = "a label is made of letters, digits, and . : _ - inside"
            raise self.fail("R133", self.here(), message, "write [1] or [6a]; a rule cannot begin with a list")
        end = match.end()
        while self.kind != "end" and self.rows[self.at] == row and self.columns[self.at] <= end:
            self.step()
        self.labels[start] = (self.at, match[1])
        return match[1]

    def annotations(self) -> list[Annotation]:
        """Read annotations, one behind the other."""
        in_front = []
        self.in_annotation = True
        while self.kind == "annotation":
            in_front.append(self.annotation())
        self.in_annotation = False
        return in_front

    def annotation(self) -> Annotation:
        """Read ``@name(value, key = value)``."""
        first = self.at
        token = self.advance()
        name = token.text[1:]
        if name not in ANNOTATIONS:
            near = self.nearest(name, ANNOTATIONS)
            # One that resembles none may be meant for another reader of the program.
            note = self.note if near else self.warn
            note("R131", token.origin(self.source), f"there is no annotation @{name}{near}", "" if near else None)
        if self.kind != "(":
            raise self.note_expected("'('", f"@{name}")
        opening = self.at
        self.step()
        values: list[Term] = []
        named: dict[str, Term] = {}
        if self.kind != ")":
            while True:
                if self.kind in KEYWORDS | {"variable", "name"} and self.next_kind == "=":
                    self.option(self.advance(), named)
                else:
                    values.append(self.term())
                if self.kind != ",":
                    break
                self.step()
        self.close(opening, ")")
        return Annotation(name, tuple(values), tuple(named.items()), self.span(first))

    def option(self, key: Token, named: dict[str, Term]) -> None:
        """Read the value of a named argument."""
        self.step()
        if key.text in named:
            self.note("R132", key.origin(self.source), f"'{key.text}' is given twice")
        named[key.text] = self.term()
