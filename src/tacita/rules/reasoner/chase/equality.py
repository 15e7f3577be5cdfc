"""Equality rules: nulls are merged by union-find, constants win, and two constants are a violation for a person."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from sqlglot import exp

from tacita.engines.arrow import array
from tacita.errors import ReasoningError
from tacita.rules.logic.program import Rule
from tacita.rules.logic.types import DATE, INTEGER, NUMBER, TIMESTAMP, RowType, Scalar, Type
from tacita.rules.reasoner.chase.violations import BodyMatch, Policy, Violation, body_matches, isolate, quarantine
from tacita.rules.reasoner.plans.bodies import Body, moved
from tacita.rules.reasoner.plans.cells import Cell, ascending, named
from tacita.rules.reasoner.plans.derivations import RuleDerivation
from tacita.rules.reasoner.plans.layout import ROUND, FactLayout, Position, stored_columns
from tacita.rules.reasoner.values import Null, decoded

if TYPE_CHECKING:
    from tacita.rules.reasoner.chase.run import Run


_MERGES = ("integer", "number", "text", "boolean", "date", "timestamp", "any")


class Equality:
    """The equality rules of one component."""

    def __init__(self, run: Run, derivations: Sequence[RuleDerivation]) -> None:
        self._run = run
        self._derivations = derivations
        self._merged: set[int] = set()

    def apply(self) -> bool:
        """Merge what must be the same; return whether anything was."""
        parents: dict[int, Any] = {}
        reasons: dict[int, Rule] = {}
        for derivation in self._derivations:
            for left, right in self._pairs(derivation):
                a, b = _root(parents, left), _root(parents, right)
                if _same(a, b):
                    continue
                # The older null stays; a constant always does.
                old, new = (
                    (a, b) if isinstance(a, Null) and not (isinstance(b, Null) and a.number < b.number) else (b, a)
                )
                if isinstance(old, Null):
                    if old.number in self._merged:
                        raise _out_of_reach(derivation)
                    parents[old.number] = new
                    reasons[old.number] = derivation.rule
        if not parents:
            return False
        final = {label: _root(parents, target) for label, target in parents.items()}
        self._run.merged += [(label, value, reasons[label].name, self._run.round) for label, value in final.items()]
        self._rewrite(final)
        self._merged.update(final)
        return True

    def report(self) -> None:
        """Record the pairs of constants that should be one."""
        for derivation in self._derivations:
            policy = policy_of(derivation.rule, self._run.policy or Policy.ASK)
            violations: dict[tuple[Any, ...], Violation] = {}
            body, left, right = self._sides(derivation)
            for row in self._clashes(derivation, body, left, right):
                ordered = tuple(sorted((row.extra[0], row.extra[1]), key=repr))
                equated = {v.name for v in _equated(derivation)}
                shared = _shared(derivation) - equated
                key = {name: value for name, value in row.values.items() if name in shared}
                violation = Violation(derivation.rule.name, _sentence(derivation), key, ordered, policy, row.facts)
                violations.setdefault((ordered, tuple(sorted((k, repr(v)) for k, v in key.items()))), violation)
            self._run.violations += violations.values()
            if violations and policy is Policy.FAIL:
                raise ReasoningError(
                    f"{len(violations):,} violation(s) of the equality rule {derivation.rule.name}",
                    where=str(derivation.rule.origin),
                    do='correct the facts, or set @on_violation("ask") to have them reported',
                )
            if violations and policy is Policy.QUARANTINE:
                quarantine(self._run, body, {v.name for v in _equated(derivation)})
        isolate(self._run)

    # -- pairs ---------------------------------------------------------------------------------------------------------

    def _sides(self, derivation: RuleDerivation) -> tuple[Body, Cell, Cell]:
        body = derivation.bound()
        assert derivation.equality is not None
        left, right = body.terms.cell(derivation.equality.left), body.terms.cell(derivation.equality.right)
        return body, left, right

    def _pairs(self, derivation: RuleDerivation) -> Iterable[tuple[Any, Any]]:
        if self._run.similar is not None:
            self._run.similar.prepare(derivation)
        body, left, right = self._sides(derivation)
        if left.label is None and right.label is None:
            return
        body.conditions.append(exp.Not(this=exp.paren(body.terms.equal(left, right))))
        labels = [
            exp.Not(this=exp.Is(this=c.label.copy(), expression=exp.Null()))
            for c in (left, right)
            if c.label is not None
        ]
        condition: exp.Expr = labels[0] if len(labels) == 1 else exp.paren(exp.Or(this=labels[0], expression=labels[1]))
        body.conditions.append(condition)
        columns, cells = moved([left, right], "m")
        plan = body.select(*columns).distinct()
        order = exp.select("*").from_(plan.subquery("m")).order_by(*(ascending(exp.column(c.alias)) for c in columns))
        for row in self._run.engine.run(order):
            a, b = (decoded(cell, row) for cell in cells)
            yield a, b

    def _clashes(self, derivation: RuleDerivation, body: Body, left: Cell, right: Cell) -> Iterable[BodyMatch]:
        """Return the matches of a body whose two sides are different constants; the body is narrowed to them."""
        if isinstance(left.type, RowType):
            return []
        body.conditions.append(exp.Not(this=exp.paren(body.terms.equal(left, right))))
        for side in (left, right):
            if side.label is not None:
                body.conditions.append(exp.Is(this=side.label.copy(), expression=exp.Null()))
        return body_matches(self._run, derivation, body, (left, right))

    # -- rewriting -----------------------------------------------------------------------------------------------------

    def _rewrite(self, final: dict[int, Any]) -> None:
        engine = self._run.engine
        mapping = engine.adopt([_merges(final)], _merges(final).schema)
        for predicate in sorted(self._run.filled):
            layout = self._run.layouts[predicate]
            if any(_has_label(position) for position in layout.positions):
                engine.replace(layout.table, _rewritten(layout, mapping.table))
        engine.drop(mapping)


def _rewritten(layout: FactLayout, mapping: str) -> exp.Select:
    """Return the facts of a predicate with merged nulls replaced; doubles become one, with the earlier round."""
    terms: list[exp.Expr] = []
    query = exp.select().from_(named(layout.table, "t"))
    number = 0
    columns = [column for i, p in enumerate(layout.positions) for column in _scalar_columns(p, f"{i}")]
    for suffix, type_, is_nullable in columns:
        value = exp.column(f"c{suffix}", table="t")
        if not is_nullable:
            terms.append(exp.alias_(value, f"c{suffix}"))
            continue
        label, alias = exp.column(f"n{suffix}", table="t"), f"m{number}"
        number += 1
        on = exp.EQ(this=label, expression=exp.column("c0", table=alias))
        query = query.join(named(mapping, alias), on=on, join_type="left")
        hit = exp.Not(this=exp.Is(this=exp.column("c0", table=alias), expression=exp.Null()))
        merged: exp.Expr = exp.column(f"c{2 + _MERGES.index(type_)}", table=alias) if type_ in _MERGES else exp.Null()
        terms.append(exp.alias_(exp.Case(ifs=[exp.If(this=hit, true=merged)], default=value), f"c{suffix}"))
        other = exp.column("c1", table=alias)
        terms.append(
            exp.alias_(exp.Case(ifs=[exp.If(this=hit.copy(), true=other)], default=label.copy()), f"n{suffix}")
        )
    inner = query.select(*terms, exp.column(ROUND, table="t"))
    names = layout.columns()
    earliest = exp.alias_(exp.Min(this=exp.column(ROUND)), ROUND)
    return exp.select(*names, earliest).from_(inner.subquery("k")).group_by(*names)


def _scalar_columns(position: Position, suffix: str) -> Iterable[tuple[str, str, bool]]:
    if isinstance(position.type, RowType):
        for j, (name, type_) in enumerate(position.type.attributes):
            yield from _scalar_columns(Position(type_, name in position.type.nullable), f"{suffix}_{j}")
    else:
        yield suffix, position.type.name if isinstance(position.type, Scalar) else "", position.is_nullable


def _has_label(position: Position) -> bool:
    return any(name.startswith("n") for name, _ in stored_columns(position, "0"))


def _merges(final: dict[int, Any]) -> pa.RecordBatch:
    """Return what became of each label: another label, or a constant in the column of its type."""
    kinds = {
        "integer": pa.int64(),
        "number": pa.float64(),
        "text": pa.string(),
        "boolean": pa.bool_(),
        "date": pa.date32(),
        "timestamp": pa.timestamp("us"),
        "any": pa.string(),
    }
    values = list(final.values())
    arrays = [
        array(list(final), pa.int64()),
        array([v.number if isinstance(v, Null) else None for v in values], pa.int64()),
    ]
    arrays += [array([_as_stored(v, name) for v in values], kind) for name, kind in kinds.items()]
    return pa.RecordBatch.from_arrays(arrays, names=[f"c{i}" for i in range(len(arrays))])


def _as_stored(value: Any, name: str) -> Any:
    from tacita.rules.reasoner.plans.layout import constant_type
    from tacita.rules.reasoner.values import as_any

    if isinstance(value, Null):
        return None
    type_: Type = constant_type(value)
    if name == "any":
        return as_any(value)
    if type_ == INTEGER and name == NUMBER.name:
        return float(value)
    if type_ == DATE and name == TIMESTAMP.name:
        return datetime.datetime.combine(value, datetime.time())
    return value if type_ == Scalar(name) else None


def _out_of_reach(derivation: RuleDerivation) -> ReasoningError:
    """Return the error that a null was changed everywhere and came again: out of a set or record that holds it."""
    return ReasoningError(
        f"the equality rule {derivation.rule.name} would have to change a null inside a set or record",
        where=str(derivation.rule.origin),
        do="keep what may be equated in arguments of its own, and build sets and records in later rules",
    )


def _root(parents: dict[int, Any], value: Any) -> Any:
    while isinstance(value, Null) and value.number in parents:
        value = parents[value.number]
    return value


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)


def policy_of(rule: Rule, default: Policy) -> Policy:
    """Return what a rule says should happen to violations."""
    annotation = rule.annotation("on_violation")
    return Policy(annotation.text(0) or default) if annotation is not None else default


def _equated(derivation: RuleDerivation) -> tuple[Any, ...]:
    from tacita.rules.logic.terms import variables

    assert derivation.equality is not None
    return variables(derivation.equality.left, derivation.equality.right)


def _shared(derivation: RuleDerivation) -> set[str]:
    """Return the variables that stand in more than one atom of the body: what the clashing facts have in common."""
    from collections import Counter

    from tacita.rules.logic.terms import variables

    counts = Counter(v.name for atom in derivation.atoms for v in variables(atom))
    return {name for name, number in counts.items() if number > 1}


def _sentence(derivation: RuleDerivation) -> str:
    from tacita.rules.syntax import text_of

    return text_of(derivation.equality)  # type: ignore[arg-type]
