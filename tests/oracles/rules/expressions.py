"""What terms are worth and whether conditions hold, given the values of their variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from tests.oracles.rules import functions
from tests.oracles.rules.functions import NoValue
from tests.oracles.rules.values import (
    ListValue,
    Null,
    PairValue,
    RecordValue,
    Value,
    collection,
    record,
    same,
)

from tacita.errors import ReasoningError, RuleError
from tacita.rules.logic.terms import (
    Access,
    Aggregate,
    Blank,
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
    Parameter,
    SetOf,
    Similar,
    Subset,
    Term,
    Unpack,
    Update,
    Variable,
)

Binding: TypeAlias = dict[str | Aggregate, Value]
"""The values of variables, and of the aggregates once they are known."""

Similarity: TypeAlias = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Expressions:
    """Evaluates terms and conditions; holds the meaning of ``~``, which is the caller's."""

    similarity: Similarity | None = None

    def value(self, term: Term, binding: Binding) -> Value:
        """Return what a term is worth, or raise `NoValue`."""
        if isinstance(term, Variable):
            return binding[term.name]
        if isinstance(term, Constant):
            return term.value
        if isinstance(term, Aggregate):
            return binding[term]
        if isinstance(term, Unpack):
            return self.value(term.record, binding)
        if isinstance(term, Pack):
            return binding[term.variable.name]
        if isinstance(term, Case):
            # Only the branch that counts needs a value.
            holds = all(self.holds(condition, binding) for condition in term.conditions)
            return self.value(term.then if holds else term.otherwise, binding)
        if isinstance(term, Blank | Parameter):
            raise RuleError(f"a value is needed in place of {term}")
        return self._composed(term, binding)

    def _composed(self, term: Operation | Call | Access | Update | Pair | SetOf | ListOf, binding: Binding) -> Value:
        if isinstance(term, Operation):
            if term.operator == "minus" and isinstance(term.operands[1], Pair):
                return self._without(term.operands[0], term.operands[1], binding)
            return functions.operate(term.operator, tuple(self.value(t, binding) for t in term.operands))
        if isinstance(term, Call):
            return functions.apply(term.function, tuple(self.value(t, binding) for t in term.arguments))
        if isinstance(term, Access):
            return functions.access(self.value(term.record, binding), self.value(term.key, binding))
        if isinstance(term, Update):
            whole, attribute = self.value(term.record, binding), self.value(term.key, binding)
            return functions.update(whole, attribute, self.value(term.value, binding))
        if isinstance(term, Pair):
            return PairValue(self.value(term.first, binding), self.value(term.second, binding))
        if isinstance(term, SetOf):
            return collection(self.value(t, binding) for t in term.items)
        return ListValue(tuple(self.value(t, binding) for t in term.items))

    def _without(self, whole: Term, pair: Pair, binding: Binding) -> Value:
        """Return ``VSet minus (A, _)``, or ``VSet minus (A, V)``, the paper's way to take one attribute out."""
        found = self.value(whole, binding)
        attribute = self.value(pair.first, binding)
        if not isinstance(found, RecordValue):
            raise NoValue
        gone = None if isinstance(pair.second, Blank) else self.value(pair.second, binding)
        return record({a: v for a, v in found.items if a != attribute or (gone is not None and not same(v, gone))})

    def holds(self, condition: Condition, binding: Binding) -> bool:
        """Return whether a condition holds, or raise `NoValue` where one of its terms has none."""
        if isinstance(condition, Comparison):
            left, right = self.value(condition.left, binding), self.value(condition.right, binding)
            if condition.operator == "=":
                return same(left, right)
            if condition.operator == "!=":
                return not same(left, right)
            sign = functions.order(left, right)
            return {"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0}[condition.operator]
        if isinstance(condition, IsNull):
            return isinstance(self.value(condition.term, binding), Null) != condition.is_negated
        if isinstance(condition, Member):
            item, whole = self.value(condition.item, binding), self.value(condition.collection, binding)
            return functions.is_member(item, whole) != condition.is_negated
        if isinstance(condition, Subset):
            return functions.is_subset(self.value(condition.part, binding), self.value(condition.whole, binding))
        return self._similar(condition, binding)

    def _similar(self, condition: Similar, binding: Binding) -> bool:
        left, right = self.value(condition.left, binding), self.value(condition.right, binding)
        if self.similarity is None:
            raise ReasoningError("a rule uses ~ and no similarity was given")
        if not isinstance(left, str) or not isinstance(right, str):
            raise NoValue
        return self.similarity(left, right)
