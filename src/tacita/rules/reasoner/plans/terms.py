"""Terms and conditions of rules in SQL: no value where a function has none.

A condition is three-valued as in SQL: it holds, it does not, or one of its terms has no value; then the match fails,
whether the condition is negated or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from sqlglot import exp

from tacita.rules.logic.functions import FUNCTIONS
from tacita.rules.logic.terms import (
    Access,
    Call,
    Case,
    Comparison,
    Condition,
    Constant,
    IsNull,
    ListOf,
    Member,
    Operation,
    Pack,
    Pair,
    SetOf,
    Similar,
    Subset,
    Term,
    Unpack,
    Update,
    Variable,
)
from tacita.rules.logic.types import (
    ANY,
    INTEGER,
    NOTHING,
    NUMBER,
    TEXT,
    ListType,
    PairType,
    RecordType,
    RowType,
    Scalar,
    SetType,
    Type,
    joined,
    value_type,
)
from tacita.rules.reasoner.plans.cells import Cell, as_type, both, not_null, when, wrapped
from tacita.rules.reasoner.plans.comparisons import Comparisons, is_text, row_of
from tacita.rules.reasoner.plans.layout import BIGINT, NO_LABEL, constant_type, literal, sql_type

SimilarTo = Callable[[Cell, Cell], exp.Expr]


@dataclass(slots=True)
class CompiledTerms(Comparisons):
    """Compiles the terms of one rule; `bound` says what its variables are."""

    bound: dict[str, Cell] = field(default_factory=dict)
    known: Mapping[Term, Cell] = field(default_factory=dict)
    """Terms that were computed before: aggregates, and what they are grouped by."""
    similar: SimilarTo | None = None

    # -- terms ---------------------------------------------------------------------------------------------------------

    def cell(self, term: Term) -> Cell:  # noqa: PLR0912 - one case a kind of term
        """Return a term compiled."""
        if self.known and term in self.known:
            return self.known[term]
        match term:
            case Variable(name):
                return self.bound[name]
            case Constant(value):
                return Cell(constant_type(value), literal(value))
            case Unpack(record):
                return self.cell(record)
            case Pack(variable):
                return self.cell(variable)
            case Operation("+" | "-" | "*" | "/"):
                return self._arithmetic(term)
            case Operation():
                return self._algebra(term)
            case Call():
                return self._call(term)
            case Access():
                return self._access(term)
            case Update():
                return self._update(term)
            case Pair(first, second):
                return self._pair(self.cell(first), self.cell(second))
            case SetOf(items):
                return self._written_record(items) or self._collection(items, is_set=True)
            case ListOf(items):
                return self._collection(items, is_set=False)
            case Case():
                return self._case(term)
        raise AssertionError(term)

    def _arithmetic(self, term: Operation) -> Cell:
        cells = [self.cell(operand) for operand in term.operands]
        if term.operator == "+" and len(cells) > 1 and all(is_text(c.type) or c.type == NOTHING for c in cells):
            if not any(is_text(cell.type) for cell in cells):  # nulls of which nobody knows whether they are texts
                return Cell(NOTHING, as_type(exp.Null(), sql_type(NOTHING)), is_partial=True)
            texts = [as_type(self.text(cell), sql_type(TEXT)) for cell in cells]
            return Cell(TEXT, self.function("concat", *texts), is_partial=True)
        if len(cells) == 1:
            return Cell(cells[0].type, exp.Neg(this=wrapped(self.number(cells[0]))), is_partial=_partial(*cells))
        a, b = (self.number(cell) for cell in cells)
        if term.operator == "/":
            return Cell(NUMBER, self.function("divide", a, b), is_partial=True)
        whole = all(cell.type == INTEGER for cell in cells)
        node = {"+": exp.Add, "-": exp.Sub, "*": exp.Mul}[term.operator]
        value = node(this=wrapped(a), expression=wrapped(b))
        return Cell(INTEGER if whole else NUMBER, value, is_partial=_partial(*cells))

    def _algebra(self, term: Operation) -> Cell:
        a, b = (self.cell(operand) for operand in term.operands)
        if isinstance(a.type, RecordType | RowType) or isinstance(b.type, RecordType | RowType):
            target: Type = joined(a.type, b.type) or RecordType(ANY)
            target = target if isinstance(target, RecordType) else RecordType(value_type(target))  # type: ignore[arg-type]
        else:
            target = joined(a.type, b.type) or a.type
        name = {"union": "set_union", "minus": "set_minus", "intersect": "set_intersect"}[term.operator]
        parts = [self.converted(cell, target).value for cell in (a, b)]
        value = self.function(name, *parts)
        if name == "set_union" and isinstance(target, RecordType):
            # Two records that differ in an attribute have no union: it would hold the attribute twice.
            names = self.function("set_union", *(self.function("keys", part) for part in parts))
            agree = exp.EQ(this=self.function("size", names), expression=self.function("size", value))
            return Cell(target, when(agree, value), is_partial=True)
        return Cell(target, value, is_partial=_partial(a, b))

    def _call(self, term: Call) -> Cell:
        cells = [self.cell(argument) for argument in term.arguments]
        name, partial = term.function, True
        if name == "size":
            plain = self.generic(cells[0])
            return Cell(INTEGER, as_type(self.function("size", plain.value), BIGINT), is_partial=_partial(plain))
        if name == "keys":
            record = self.generic(cells[0])
            return Cell(SetType(TEXT), self.function("keys", record.value), is_partial=_partial(record))
        if name in {"first", "second"}:
            pair = cells[0].type
            type_ = (pair.first if name == "first" else pair.second) if isinstance(pair, PairType) else ANY
            return Cell(type_, self.function(name, cells[0].value), is_partial=True)
        if name in {"least", "greatest"}:
            target = joined(cells[0].type, cells[1].type) or cells[0].type
            arguments = [self.converted(replace(cell, label=None), target).value for cell in cells]
            if target == ANY:
                return Cell(ANY, self._outermost(name, *arguments), is_partial=True)
            return Cell(target, self.function(name, *arguments), is_partial=True)
        if name in {"text", "number", "integer"}:
            return self._conversion(name, cells[0])
        function = FUNCTIONS[name]
        arguments = [self._as(cell, takes) for cell, takes in zip(cells, function.takes, strict=False)]
        gives: Type = Scalar(function.gives)
        if name == "abs":
            gives = cells[0].type if cells[0].type == INTEGER else NUMBER
        value = self.function(name, *arguments)
        if gives == INTEGER and name != "abs":
            value = as_type(value, BIGINT)
        return Cell(gives, value, is_partial=partial)

    def _outermost(self, name: str, a: exp.Expr, b: exp.Expr) -> exp.Expr:
        """Return the smaller or larger of two values of any kind; none if they are of different kinds."""
        node = exp.LTE if name == "least" else exp.GTE
        numbers = node(this=self.function("number_any", a), expression=self.function("number_any", b))
        kinds = [self.function("substring", x, exp.Literal.number(1), exp.Literal.number(1)) for x in (a, b)]
        texts = when(exp.EQ(this=kinds[0], expression=kinds[1]), node(this=a.copy(), expression=b.copy()))
        first = exp.func("coalesce", numbers, texts)
        return exp.Case(
            ifs=[
                exp.If(this=first, true=a.copy()),
                exp.If(this=exp.Not(this=wrapped(first)), true=b.copy()),
            ]
        )

    def _conversion(self, name: str, cell: Cell) -> Cell:
        if cell.type == ANY:
            number, text = self.function("number_any", cell.value), self.function("text_any", cell.value)
            if name == "text":
                rest = self.function("substring", cell.value, exp.Literal.number(2))
                return Cell(TEXT, rest, is_partial=True)
            parsed = self.function(name, text)
            value: exp.Expr = exp.func("coalesce", self.function(name, number), parsed)
        else:
            value = self.function(name, self.text(cell) if is_text(cell.type) else cell.value)
        return Cell(Scalar(name), value, is_partial=True)

    def _as(self, cell: Cell, wanted: str) -> exp.Expr:
        if wanted in {"number", "integer"}:
            number = self.number(cell)
            return self.function("integer", number) if wanted == "integer" and cell.type != INTEGER else number
        if wanted == "text":
            return self.text(cell)
        if wanted in {"date", "timestamp"} and cell.type == ANY:
            return self.function(f"{wanted}_any", cell.value)
        if wanted in {"date", "timestamp"} and cell.type == NOTHING:
            return as_type(cell.value, sql_type(Scalar(wanted)))
        return cell.value

    def _access(self, term: Access) -> Cell:
        record, key = self.cell(term.record), self.cell(term.key)
        if isinstance(key.type, SetType | ListType):
            return self._cut(record, key, term.key)
        if isinstance(record.type, RowType) and isinstance(term.key, Constant):
            part = dict(record.row).get(str(term.key.value))
            return part or Cell(TEXT, exp.Cast(this=exp.Null(), to=sql_type(TEXT)), is_partial=True)
        record = self.generic(record)
        name = self.text(key)
        value, label = self.function("value_at", record.value, name), self.function("label_at", record.value, name)
        return Cell(_value_type(record.type), value, label, is_partial=True)

    def _cut(self, record: Cell, key: Cell, names: Term) -> Cell:
        if isinstance(record.type, RowType) and isinstance(names, SetOf | ListOf):
            wanted = {item.value for item in names.items if isinstance(item, Constant)}
            if len(wanted) == len(set(names.items)):
                return row_of(tuple((name, part) for name, part in record.row if name in wanted))
        record = self.generic(record)
        return Cell(record.type, self.function("cut", record.value, key.value), is_partial=_partial(record, key))

    def _update(self, term: Update) -> Cell:
        record, value = self.cell(term.record), self.cell(term.value)
        if isinstance(record.type, RowType) and isinstance(term.key, Constant):
            parts = dict(record.row)
            parts[str(term.key.value)] = value
            return row_of(tuple(parts.items()))
        record = self.generic(record)
        inner = joined(_value_type(record.type), value.type) or ANY
        record, value = self.converted(record, RecordType(inner)), self.converted(value, inner)
        label = value.label if value.label is not None else NO_LABEL
        changed = self.function("put", record.value, self.text(self.cell(term.key)), value.value, label)
        return Cell(RecordType(inner), changed, is_partial=_partial(record))

    def _pair(self, first: Cell, second: Cell) -> Cell:
        second = self.without_label(second)
        first = self.without_label(first)
        value = self.function("pair", first.value, second.value)
        known = both(first.is_known(), second.is_known())
        partial = _partial(first, second)
        return Cell(PairType(first.type, second.type), when(known, value) if partial else value, is_partial=partial)

    def without_label(self, cell: Cell) -> Cell:
        """Return a cell for use inside a set or pair: a null that may be there is held as ``any``."""
        return cell if cell.label is None else self._any(cell)

    def _any(self, cell: Cell) -> Cell:
        value = self.converted(replace(cell, label=None), ANY).value
        if cell.label is not None:
            null = self.function("any_null", cell.label)
            value = exp.Case(ifs=[exp.If(this=not_null(cell.label), true=null)], default=value.copy())
        return Cell(ANY, value, is_partial=cell.is_partial)

    def _collection(self, items: tuple[Term, ...], *, is_set: bool) -> Cell:
        cells = [self.without_label(self.cell(item)) for item in items]
        element: Type = NOTHING
        for cell in cells:
            element = joined(element, cell.type) or ANY
        wrap = SetType if is_set else ListType
        array = self.function(
            "set_made" if is_set else "list_made", *(self.converted(cell, element).value for cell in cells)
        )
        partial = _partial(*cells)
        value = as_type(array, sql_type(wrap(element if element != NOTHING else TEXT)))
        known = both(*(cell.is_known() for cell in cells))
        return Cell(wrap(element), when(known, value) if partial else value, is_partial=partial)

    def _written_record(self, items: tuple[Term, ...]) -> Cell | None:
        """Return a set of pairs whose first parts are different texts as the record that it is; None for others."""
        pairs = [item for item in items if isinstance(item, Pair)]
        names = [self.cell(pair.first) for pair in pairs]
        written = [pair.first.value for pair in pairs if isinstance(pair.first, Constant)]
        if not pairs or len(pairs) < len(items) or not all(is_text(name.type) for name in names):
            return None
        if len(set(written)) < len(written):
            return None
        values = [self.cell(pair.second) for pair in pairs]
        inner: Type = NOTHING
        for value in values:
            inner = joined(inner, value.type) or ANY
        type_ = RecordType(inner)
        parts: list[exp.Expr] = []
        for name, value in zip(names, values, strict=True):
            cell = self.converted(value, inner)
            label = cell.label if cell.label is not None else NO_LABEL
            parts += [self.text(name), as_type(cell.value, sql_type(inner)), label]
        record = as_type(self.function("record_made", *parts), sql_type(type_))
        known = [cell.is_known() for cell in (*names, *values) if cell.is_partial or cell.label is not None]
        if len(written) < len(pairs) > 1:
            keys = self.function("size", self.function("set_made", *parts[::3]))
            known.append(exp.EQ(this=keys, expression=self.function("size", record)))
        return Cell(type_, when(both(*known), record) if known else record, is_partial=bool(known))

    def _case(self, term: Case) -> Cell:
        condition = both(*(self.condition(c) for c in term.conditions))
        then, otherwise = self.cell(term.then), self.cell(term.otherwise)
        target = joined(then.type, otherwise.type) or ANY
        then, otherwise = self.converted(then, target), self.converted(otherwise, target)

        def chosen(a: exp.Expr, b: exp.Expr) -> exp.Expr:
            # A condition without a value chooses neither: unknown must not pass for harmless.
            return exp.Case(
                ifs=[
                    exp.If(this=condition.copy(), true=a.copy()),
                    exp.If(this=exp.Not(this=wrapped(condition)), true=b.copy()),
                ]
            )

        label = None
        if then.label is not None or otherwise.label is not None:
            label = chosen(then.label or NO_LABEL, otherwise.label or NO_LABEL)
        return Cell(target, chosen(then.value, otherwise.value), label, is_partial=True)

    # -- conditions ----------------------------------------------------------------------------------------------------

    def condition(self, item: Condition) -> exp.Expr:
        """Return a condition in SQL."""
        match item:
            case Comparison("=", left, right):
                return self.equal(self.cell(left), self.cell(right))
            case Comparison("!=", left, right):
                return exp.Not(this=wrapped(self.equal(self.cell(left), self.cell(right))))
            case Comparison(operator, left, right):
                return self.ordered(operator, self.cell(left), self.cell(right))
            case Member(member, collection, is_negated):
                holds = self._has(self.cell(collection), member, collection)
                return exp.Not(this=wrapped(holds)) if is_negated else holds
            case Subset(part, whole):
                return self._subset(self.cell(part), self.cell(whole))
            case IsNull(term, is_negated):
                return self.is_labelled(self.cell(term), is_negated=is_negated)
            case Similar(left, right):
                assert self.similar is not None
                return self.similar(self.cell(left), self.cell(right))
        raise AssertionError(item)

    def _has(self, collection: Cell, member: Term, written: Term) -> exp.Expr:
        item = self.cell(member)
        if isinstance(collection.type, RowType):
            if isinstance(member, Constant):
                return exp.Boolean(this=member.value in dict(collection.row))
            names = [Constant(name) for name, _ in collection.row]
            return self.one_of(item, [self.cell(name) for name in names])
        if isinstance(collection.type, RecordType):
            return self.function("has", self.function("keys", collection.value), self.text(item))
        if isinstance(written, SetOf | ListOf):
            return self.one_of(item, [self.cell(one) for one in written.items])
        if collection.type == NOTHING:
            collection = self.converted(collection, SetType(item.type))
        element = _element(collection.type)
        if element == ANY or item.label is not None:
            item = self._any(item)
            collection = self.converted(collection, type(collection.type)(ANY))  # type: ignore[call-arg, arg-type]
        elif element != item.type:
            item = self.converted(item, element) if joined(element, item.type) == element else item
        return self.function("has", collection.value, item.value)

    def _subset(self, part: Cell, whole: Cell) -> exp.Expr:
        records = [isinstance(cell.type, RowType | RecordType) for cell in (part, whole)]
        if any(records):
            part, whole = self.alike(self.generic(part), self.generic(whole))
            return self.function("is_part", part.value, whole.value)
        part, whole = self.alike(part, whole)
        return self.function("is_subset", part.value, whole.value)


def _partial(*cells: Cell) -> bool:
    return any(cell.is_partial or cell.label is not None or cell.type == ANY for cell in cells)


def _element(type_: Type) -> Type:
    return type_.element if isinstance(type_, SetType | ListType) else ANY


def _value_type(type_: Type) -> Type:
    return type_.value if isinstance(type_, RecordType) else ANY
