"""Microdata under a program: the dictionary becomes facts, the tuples become one table, the rules are specialised."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from tacita.engines.protocol import Engine, Relation
from tacita.errors import DictionaryError, did_you_mean
from tacita.model.attribute import Category
from tacita.model.dictionary import MissingAs
from tacita.model.microdata import Microdata
from tacita.rules.logic.faults import Fault, Origin, refuse
from tacita.rules.logic.program import Program, Rule
from tacita.rules.logic.terms import Atom, Item, Variable
from tacita.rules.logic.types import ANY, INTEGER, TEXT, RowType, Scalar, Type, value_type
from tacita.rules.passes.data_predicates import (
    ROWS,
    attributes_of_tuples,
    needs_quasi_identifiers,
    reads_values,
    unknown_attributes,
    used_attributes,
)
from tacita.rules.passes.specialise import Known, specialised
from tacita.rules.reasoner.inputs import COLUMN_TYPES, check_whole_numbers
from tacita.rules.reasoner.plans.cells import Cell, is_null
from tacita.rules.reasoner.plans.layout import ROUND, Position, sql_type
from tacita.rules.reasoner.plans.terms import CompiledTerms
from tacita.rules.reasoner.plans.typing import Signatures
from tacita.rules.reasoner.program import Prepared, arities

if TYPE_CHECKING:
    from tacita.rules.reasoner.chase.run import Run

MISSING = "(missing)"
"""The value that stands for missing ones where the dictionary counts these as a category of their own."""


def dictionary_facts(data: Microdata, wanted: Mapping[str, int]) -> dict[str, list[tuple[Any, ...]]]:
    """Return the dictionary as inputs, categories spelt as in the paper: ``Quasi-identifier``."""
    facts: dict[str, list[tuple[Any, ...]]] = {"MicroDB": [], "Att": [], "Cat": []}
    for fact in data.dictionary.facts():
        terms = fact.terms
        if fact.predicate == "Cat":
            terms = (*terms[:2], terms[2].capitalize())
        facts[fact.predicate].append(terms[: wanted.get(fact.predicate, len(terms))])
    return {predicate: rows for predicate, rows in facts.items() if rows}


def staged(ready: Prepared, data: Microdata, engine: Engine, facts: Mapping[str, Any]) -> Prepared:
    """Return the program specialised to the data's dictionary."""
    attributes, released = data.dictionary.names, _released(data)
    refuse([*_unknown(ready.program, data), *_outside(ready.program, data, released)], ready.linked.texts)
    if not data.dictionary.quasi_identifiers and needs_quasi_identifiers(ready.program):
        raise DictionaryError(
            f"no attribute of '{data.name}' is a quasi-identifier: records without one all look alike, and seem safe",
            where=f"dictionary of '{data.name}'",
            do=_categorize("NAME"),
        )

    def answer(static: Program, items: Sequence[Item], names: Sequence[str]) -> list[dict[str, Any]]:
        return _answers(ready, static, items, names, engine, facts)

    known = Known(attributes, released, frozenset(facts), answer, "Val" not in facts and reads_values(ready.program))
    program = specialised(ready.program, known)
    from tacita.rules.logic.dependencies import version_rules

    return replace(ready, linked=replace(ready.linked, program=program), version_rules=version_rules(program))


def _released(data: Microdata) -> tuple[str, ...]:
    """Return the attributes that make up a ``Tuple``."""
    parts = {Category.QUASI_IDENTIFIER, Category.WEIGHT}
    return tuple(a.name for a in data.dictionary if a.category in parts)


def _unknown(program: Program, data: Microdata) -> list[Fault]:
    attributes = data.dictionary.names
    return [
        Fault(
            "R210",
            f"no attribute '{name}' in the dictionary of '{data.name}'{did_you_mean(name, attributes)}",
            origin if isinstance(origin, Origin) else Origin(),
            f"use one of: {', '.join(attributes[:20])}",
        )
        for name, origin in dict(unknown_attributes(program, attributes)).items()
    ]


def _outside(program: Program, data: Microdata, released: Collection[str]) -> list[Fault]:
    """Return the attributes that rules read from ``Tuple`` and that are no part of it: nothing would follow, unseen."""
    faults = []
    for name, origin in dict(attributes_of_tuples(program)).items():
        if name in released or name not in data.dictionary.names:
            continue
        category = data.dictionary[name].category
        has, do = "has no category", f'{_categorize(name)}; or read any attribute with Val(M, I, "{name}", V)'
        if category is not None:
            has, do = f"has the category {category}", f'read it with Val(M, I, "{name}", V), or {_categorize(name)}'
        faults.append(
            Fault(
                "R210",
                f"'{name}' of '{data.name}' {has}, and Tuple holds quasi-identifiers and the weight alone",
                origin if isinstance(origin, Origin) else Origin(),
                do,
            )
        )
    return faults


def _categorize(name: str) -> str:
    return (
        f"say what it is: tacita categorize FILE --set {shlex.quote(f'{name}=quasi-identifier')}, "
        f'in Python .with_categories({{"{name}": "quasi-identifier"}})'
    )


def _answers(
    ready: Prepared,
    static: Program,
    items: Sequence[Item],
    names: Sequence[str],
    engine: Engine,
    facts: Mapping[str, Any],
) -> list[dict[str, Any]]:
    from tacita.rules.reasoner.reason import Reasoning

    question = Rule(tuple(items), (Atom("static answer", tuple(Variable(name) for name in names)),))
    program = replace(static, clauses=(*static.clauses, question))
    used = arities(program)
    given = {p: rows for p, rows in facts.items() if p in used}
    small = replace(ready, linked=replace(ready.linked, program=program), versioned={}, version_rules=())
    result = Reasoning(small, engine, given).run()
    return [dict(zip(names, row, strict=True)) for row in result.facts("static answer")]


# -- tuples ------------------------------------------------------------------------------------------------------------


def declare_rows(signatures: Signatures, data: Microdata, program: Program) -> None:
    """Say what the table of whole tuples holds: the attributes that the program reads."""
    used = used_attributes(program)
    relation = data.relation
    check_whole_numbers(relation, [column.physical for column in relation.columns if column.name in used])
    missing = _missing(relation)
    as_category = data.dictionary.missing_as is MissingAs.CATEGORY
    attributes: list[tuple[str, Type]] = []
    nullable = set()
    for column in sorted((c for c in relation.columns if c.name in used), key=lambda c: c.name):
        type_: Type = COLUMN_TYPES[column.type]
        if column.is_coded and not missing[column.physical]:
            type_ = Scalar("text", f"{relation.table}.{column.physical}")
        if missing[column.physical]:
            if not as_category:
                nullable.add(column.name)
            elif type_ != TEXT:
                type_ = ANY
        attributes.append((column.name, type_))
    row = RowType(tuple(attributes), frozenset(nullable))
    signatures.declare(ROWS, [Position(TEXT), Position(INTEGER), Position(row)], ("db", "id", "values"))
    if "Val" in arities(program) and "Val" not in signatures.layouts and value_type(row) == ANY:
        # Attributes of different types: their values are facts of one predicate all the same.
        signatures.declare("Val", [Position(TEXT), Position(INTEGER), Position(TEXT), Position(ANY)])


def _missing(relation: Relation) -> dict[str, bool]:
    counts = [
        exp.alias_(
            exp.Count(this=exp.Case(ifs=[exp.If(this=is_null(exp.column(c.physical)), true=exp.Literal.number(1))])),
            c.physical,
        )
        for c in relation.columns
    ]
    row = relation.engine.run(exp.select(*counts).from_(relation.source()))[0]
    return {name: bool(number) for name, number in row.items()}


def fill_rows(run: Run, data: Microdata) -> None:
    """Let the table of whole tuples hold the data; tuples are numbered from 1 in the order of the data."""
    relation, layout = data.relation, run.layouts[ROWS]
    row = layout.positions[2].type
    assert isinstance(row, RowType)
    number = exp.Cast(this=exp.paren(run.engine.numbered(relation)), to=sql_type(INTEGER))
    first = run.nulls
    columns: list[exp.Expr] = [
        exp.alias_(exp.Literal.string(data.name), "c0"),
        exp.alias_(number, "c1"),
    ]
    nullable = sorted(row.nullable)
    for j, (name, type_) in enumerate(row.attributes):
        columns += _column(run, relation, name, type_, j)
        if name in row.nullable:
            label = exp.Add(
                this=exp.Literal.number(first + 1 + nullable.index(name)),
                expression=exp.Mul(this=exp.Window(this=exp.RowNumber()), expression=exp.Literal.number(len(nullable))),
            )
            there = is_null(exp.column(relation.column(name).physical))
            case = exp.Case(ifs=[exp.If(this=there, true=exp.Cast(this=label, to=sql_type(INTEGER)))])
            columns.append(exp.alias_(exp.Cast(this=case, to=sql_type(INTEGER)), f"n2_{j}"))
    stamp = exp.alias_(exp.Cast(this=exp.Literal.number(0), to=sql_type(INTEGER)), ROUND)
    plan = exp.select(*columns, stamp).from_(relation.source())
    if isinstance(number.this.this, exp.Window) or nullable:
        count = run.engine.replace(layout.table, plan)
    else:  # the tuples are stored in their order: nothing to copy
        run.engine.define(layout.table, plan)
        count = relation.count()
    run.nulls += (count + 1) * len(nullable)
    run.facts += count
    run.filled.add(ROWS)


def _column(run: Run, relation: Relation, name: str, type_: Type, place: int) -> list[exp.Expr]:
    column = relation.column(name)
    value: exp.Expr = exp.column(column.physical)
    if isinstance(type_, Scalar) and type_.code:
        return [exp.alias_(value, f"c2_{place}")]
    if column.is_coded:
        value = exp.Cast(this=value, to=sql_type(TEXT))
    if type_ == ANY:
        known = CompiledTerms(run.engine).converted(Cell(COLUMN_TYPES[column.type], value), ANY).value
        missing = run.engine.function("any_text", exp.Literal.string(MISSING))
        value = exp.func("coalesce", known, missing)
    elif type_ == TEXT:
        is_open = name in getattr(run.layouts[ROWS].positions[2].type, "nullable", ())
        value = value if is_open else exp.func("coalesce", value, exp.Literal.string(MISSING))
    return [exp.alias_(exp.Cast(this=value, to=sql_type(type_)), f"c2_{place}")]
