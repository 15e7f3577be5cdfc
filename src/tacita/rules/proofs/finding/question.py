"""What was asked about: a fact as somebody writes it, looked up in the result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from tacita.errors import UsageError, counted, did_you_mean, listed
from tacita.rules.logic.terms import Atom, Blank, Constant, Node, Pack, Pair, SetOf, Unpack, Variable, rewritten
from tacita.rules.logic.types import ANY, INTEGER, NOTHING, RecordType, RowType, Type
from tacita.rules.proofs.finding.goals import constant
from tacita.rules.proofs.finding.rules import ProofContext
from tacita.rules.proofs.finding.trail import read
from tacita.rules.proofs.tree import GroundFact
from tacita.rules.reasoner.plans.bodies import Body, moved
from tacita.rules.reasoner.plans.cells import Cell, as_type, both, named
from tacita.rules.reasoner.plans.layout import ROUND, FactLayout, literal, sql_type
from tacita.rules.reasoner.plans.terms import CompiledTerms
from tacita.rules.reasoner.results import Reasoned
from tacita.rules.reasoner.values import Null, Record
from tacita.rules.syntax import parse, text_of

NULL = "_null_"
_LITERAL = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\'\'|[^\'])*\'|⊥(\d+)')


@dataclass(frozen=True, slots=True, repr=False)
class FactQuestion:
    """A question about facts of a predicate: its arguments may be variables or ``_``, which stand for anything."""

    atom: Atom

    def cell(self, terms: CompiledTerms, position: int, type_: Type) -> Cell | None:
        """Return what an argument of some type must be; None if it may be anything."""
        term = self.atom.arguments[position]
        term = term.record if isinstance(term, Unpack) else term
        if isinstance(term, Blank | Pack):
            return None
        if isinstance(term, Variable):
            if not term.name.startswith(NULL):
                return None
            label = as_type(literal(int(term.name.removeprefix(NULL))), sql_type(INTEGER))
            return Cell(NOTHING, exp.Null(), label)
        if isinstance(term, SetOf) and isinstance(type_, RecordType | RowType):
            return _record(terms, term, type_)
        return terms.cell(term)

    def known(self, position: int) -> Null | bool:
        """Return whether an argument is told; the null, if it is one."""
        term = self.atom.arguments[position]
        if isinstance(term, Variable) and term.name.startswith(NULL):
            return Null(int(term.name.removeprefix(NULL)))
        return not isinstance(term, Variable | Blank | Pack)


def question_text(part: Node) -> str:
    """Return a part of a question as it was written, nulls with their labels."""

    def change(node: Node) -> Node:
        if isinstance(node, Variable) and node.name.startswith(NULL):
            return Variable("⊥" + node.name.removeprefix(NULL))
        return node

    return text_of(rewritten(part, change))


def _record(terms: CompiledTerms, pairs: SetOf, type_: RecordType | RowType) -> Cell:
    """Return a set of pairs as the record that it is; with other attributes than those of the data, nothing is it."""
    nothing = Cell(RecordType(ANY), as_type(exp.Null(), sql_type(RecordType(ANY))))
    parts: dict[str, Any] = {}
    for pair in pairs.items:
        first, second = (pair.first, pair.second) if isinstance(pair, Pair) else (pair, pair)
        if not isinstance(first, Constant):
            return nothing
        if isinstance(second, Variable) and second.name.startswith(NULL):
            parts[str(first.value)] = Null(int(second.name.removeprefix(NULL)))
        elif isinstance(second, Constant):
            parts[str(first.value)] = second.value
        else:
            return nothing
    if isinstance(type_, RowType) and set(parts) != {name for name, _ in type_.attributes}:
        return nothing
    return constant(terms.engine, Record(tuple(sorted(parts.items()))), type_)


def parse_question(result: Reasoned, text: str) -> FactQuestion:
    """Return what a text asks about, or refuse it and say what is wrong."""
    written = text.strip().removesuffix(".")
    written = _LITERAL.sub(lambda m: m[0] if m[1] is None else f"{NULL}{m[1]}", written)
    parsed = parse(f"{written} -> false.", "the fact")
    rules = parsed.program.rules
    if parsed.faults or len(rules) != 1 or len(rules[0].body) != 1 or not isinstance(rules[0].body[0], Atom):
        reason = f": {parsed.faults[0].message}" if parsed.faults else ""
        raise UsageError(
            f"this is not one fact{reason}", do='write a fact as in a program, for example Control("a", "c")'
        )
    atom = rules[0].body[0]
    if atom.is_external and f"{atom.predicate}Output" in result.run.filled:
        atom = Atom(f"{atom.predicate}Output", atom.arguments)
    known = result.predicates
    if atom.predicate not in known:
        raise UsageError(
            f"no predicate '{atom.predicate}' in the result{did_you_mean(atom.predicate, known)}",
            do=f"use one of: {listed(known, 20)}",
        )
    wanted = len(result.layout(atom.predicate).positions)
    if len(atom.arguments) != wanted:
        names = ", ".join(result.names(atom.predicate))
        raise UsageError(
            f"{atom.predicate} has {counted(wanted, 'argument')}, not {len(atom.arguments)}",
            do=f"write {atom.predicate}({names}); _ stands for anything",
        )
    return FactQuestion(atom)


def first_fact(
    context: ProofContext, question: FactQuestion, table: str | None = None
) -> tuple[GroundFact, int] | None:
    """Return the first fact, in sorted order, that is what was asked about, with its round."""
    layout = context.layouts[question.atom.predicate]
    cells, terms = layout.cells("t"), CompiledTerms(context.engine)
    conditions: list[exp.Expr] = []
    same: dict[str, Cell] = {}
    for position, (term, cell) in enumerate(zip(question.atom.arguments, cells, strict=True)):
        wanted = question.cell(terms, position, cell.type)
        if isinstance(term, Variable) and wanted is None:
            wanted = same.setdefault(term.name, cell)
            if wanted is cell:
                continue
        if wanted is not None:
            conditions.append(terms.matching(cell, wanted))
    return _first(context, layout, cells, conditions, table)


def round_of(context: ProofContext, fact: GroundFact) -> int | None:
    """Return the round in which a fact came in; None if it does not hold."""
    fact_and_round = first_with(context, fact.predicate, dict(enumerate(fact.values)))
    return None if fact_and_round is None else fact_and_round[1]


def first_with(context: ProofContext, predicate: str, values: Mapping[int, Any]) -> tuple[GroundFact, int] | None:
    """Return the first fact of a predicate with values at some positions, and its round."""
    layout = context.layouts[predicate]
    cells, terms = layout.cells("t"), CompiledTerms(context.engine)
    conditions = [
        terms.matching(cells[i], constant(context.engine, value, layout.positions[i].type))
        for i, value in values.items()
    ]
    return _first(context, layout, cells, conditions, None)


def _first(
    context: ProofContext, layout: FactLayout, cells: tuple[Cell, ...], conditions: list[exp.Expr], table: str | None
) -> tuple[GroundFact, int] | None:
    body = Body(context.engine, context.layouts, CompiledTerms(context.engine))
    body.sources.append(named(table or layout.table, "t"))
    body.conditions += [both(*conditions)] if conditions else []
    columns, moved_cells = moved([*cells, Cell(INTEGER, exp.column(ROUND, table="t"))], "m")
    plan = body.select(*columns).order_by(*(exp.column(c.alias) for c in columns)).limit(1)
    names = {str(i): cell for i, cell in enumerate(moved_cells)}
    for values in read(context.engine, plan, names):
        *arguments, round_ = values.values()
        return GroundFact(layout.predicate, tuple(arguments)), round_
    return None
