"""WHERE as a predicate: what is true by SQL's three-valued logic, with every negation carried to a comparison.

Let T(p) be the records for which p is true and F(p) those for which it is false; for the others it is unknown. WHERE
selects T(p). By Kleene's tables T(NOT p) = F(p), F(NOT p) = T(p), T(p AND q) = T(p) and T(q), F(p AND q) = F(p) or
F(q), T(p OR q) = T(p) or T(q), F(p OR q) = F(p) and F(q). So a condition is walked with one bit, whether T or F is
wanted, and each comparison gives its codes for either; the code of missing values is in neither, but for IS NULL.
"""

from __future__ import annotations

from decimal import Decimal

from sqlglot import exp

from tacita.errors import QueryRefused, did_you_mean, listed
from tacita.queries.language.canonical import NOTHING
from tacita.queries.language.scope import QuestionScope
from tacita.queries.language.spelling import shown, sql_name, sql_number, sql_string
from tacita.queries.language.values import FLIPPED, AttributeCodes, number_of
from tacita.queries.question import EVERYTHING, Both, Either, Predicate, Selection

MOST_VALUES = 1_000
"""Values of an IN."""
_OPERATORS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_CONDITION = "write conditions such as attribute = 'a', attribute >= 30, attribute IN ('a', 'b'), attribute IS NULL"
Value = str | Decimal


def condition(scope: QuestionScope, node: exp.Expr, *, negated: bool = False) -> Predicate:
    """Return the records for which a condition is true; negated, those for which it is false."""
    node = node.unnest()
    match node:
        case exp.Not():
            scope.question.only(node, "this")
            return condition(scope, node.this, negated=not negated)
        case exp.And() | exp.Or():
            parts = tuple(condition(scope, one, negated=negated) for one in _operands(scope, node))
            return Both(parts) if isinstance(node, exp.And) is not negated else Either(parts)
        case exp.Boolean():
            return EVERYTHING if bool(node.this) is not negated else NOTHING
        case exp.In():
            return _among(scope, node, negated)
        case exp.Between():
            return _between(scope, node, negated)
        case exp.Is():
            return _is_null(scope, node, negated)
    operator = _OPERATORS.get(type(node))
    if operator is None:
        raise scope.question.refused("this is not a condition of the language", _CONDITION, node)
    return _comparison(scope, node, operator, negated)


def _operands(scope: QuestionScope, node: exp.Expr) -> list[exp.Expr]:
    """Return what a chain of ANDs or of ORs puts together, without recursion: chains may be thousands long."""
    result: list[exp.Expr] = []
    while type(node) in (exp.And, exp.Or):
        scope.question.only(node, "this", "expression")
        result.append(node.expression)
        if type(node.this) is not type(node):
            result.append(node.this)
            break
        node = node.this
    return result[::-1]


def _comparison(scope: QuestionScope, node: exp.Expr, operator: str, negated: bool) -> Predicate:
    scope.question.only(node, "this", "expression")
    left, right = node.this.unnest(), node.expression.unnest()
    if not isinstance(left, exp.Column) and isinstance(right, exp.Column):
        left, right, operator = right, left, FLIPPED[operator]
    attribute = scope.attribute(_attribute_node(scope, left))
    value = _value(scope, right, attribute)
    return _selection(attribute, _true(scope, attribute, operator, value, right), negated)


def _attribute_node(scope: QuestionScope, node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Anonymous):
        do = "compare the attribute itself: age >= 30"
        raise scope.question.refused("there are no functions in conditions", do, node)
    if isinstance(node, exp.Literal):
        raise scope.question.refused("two values are compared", "compare an attribute with a value", node)
    return node


def _selection(attribute: AttributeCodes, true: frozenset[int], negated: bool) -> Predicate:
    return Selection(attribute.name, attribute.known - true if negated else true)


def _true(scope: QuestionScope, attribute: AttributeCodes, operator: str, value: Value, at: exp.Expr) -> frozenset[int]:
    """Return the codes for which a comparison is true."""
    if operator == "<>":
        return attribute.known - _true(scope, attribute, "=", value, at)
    if isinstance(value, str):
        if operator != "=":
            raise _no_order(scope, attribute, at)
        return _labelled(scope, attribute, value, at)
    if attribute.declared.cuts:
        return _cut(scope, attribute, operator, value, at)
    if attribute.numbers is None:
        if operator == "=":
            do = f"write a label: {_some_labels(attribute)}"
            raise scope.question.refused(f"the values of '{attribute.name}' are not numbers", do, at)
        raise _no_order(scope, attribute, at)
    codes = attribute.compared(operator, value)
    if operator == "=" and not codes:
        do = f"write one of: {_some_labels(attribute)}"
        raise scope.question.refused(f"'{attribute.name}' has no value {sql_number(value)}", do, at)
    return codes


def _labelled(scope: QuestionScope, attribute: AttributeCodes, value: str, at: exp.Expr) -> frozenset[int]:
    codes = attribute.labelled(value)
    if codes is None:
        if not value:
            do = f"write {sql_name(attribute.name)} IS NULL for records without a value"
            raise scope.question.refused(f"no value of '{attribute.name}' is empty", do, at)
        known = [attribute.labels[code] for code in attribute.intervals[:MOST_VALUES]]
        do = f"write one of: {_some_labels(attribute)}"
        reason = f"'{attribute.name}' has no value {shown(value)}{did_you_mean(value, known)}"
        raise scope.question.refused(reason, do, at)
    return codes


def _some_labels(attribute: AttributeCodes) -> str:
    some = listed([sql_string(attribute.labels[code]) for code in attribute.intervals[:8]], 8)
    rest = len(attribute.intervals) - 8
    return f"{some} and {rest:,} more" if rest > 0 else some


def _no_order(scope: QuestionScope, attribute: AttributeCodes, at: exp.Expr) -> QueryRefused:
    name = sql_name(attribute.name)
    if attribute.declared.cuts:
        cut = sql_number(attribute.declared.cuts[0])
        return scope.question.refused(f"'{attribute.name}' is compared with numbers", f"write {name} < {cut}", at)
    if attribute.numbers is not None:
        return scope.question.refused(
            f"'{attribute.name}' is compared with numbers", "write the number without quotation marks", at
        )
    do = f"list the labels that are meant: {name} IN ({_some_labels(attribute)})"
    return scope.question.refused(f"the labels of '{attribute.name}' have no order", do, at)


def _cut(
    scope: QuestionScope, attribute: AttributeCodes, operator: str, value: Decimal, at: exp.Expr
) -> frozenset[int]:
    """Return the intervals that a comparison selects, if it coincides with a cut point."""
    below = attribute.below_cut(value)
    if below is not None and operator == "<":
        return below
    if below is not None and operator == ">=":
        return attribute.known - below
    name, cuts = sql_name(attribute.name), listed([sql_number(cut) for cut in attribute.declared.cuts], 20)
    if operator == "=":
        place = sum(cut <= value for cut in attribute.declared.cuts)
        do = f"write {_interval(attribute, place)}"
        raise scope.question.refused(f"single values of '{attribute.name}' are not asked for", do, at)
    nearest = sql_number(attribute.nearest_cut(value))
    near = f"{name} {'<' if operator in ('<', '<=') else '>='} {nearest}"
    reason = f"'{name} {operator} {sql_number(value)}' does not coincide with a cut point of '{attribute.name}'"
    raise scope.question.refused(reason, f"write {near}; cut points: {cuts}", at)


def _interval(attribute: AttributeCodes, place: int) -> str:
    name, cuts = sql_name(attribute.name), attribute.declared.cuts
    lower = [f"{name} >= {sql_number(cuts[place - 1])}"] if place else []
    upper = [f"{name} < {sql_number(cuts[place])}"] if place < len(cuts) else []
    return " AND ".join(lower + upper)


def _value(scope: QuestionScope, node: exp.Expr, attribute: AttributeCodes) -> Value:
    node = node.unnest()
    name = sql_name(attribute.name)
    if isinstance(node, exp.Null):
        raise scope.question.refused("nothing equals NULL", f"write {name} IS NULL or {name} IS NOT NULL", node)
    if isinstance(node, exp.Boolean):
        raise scope.question.refused("TRUE and FALSE are not values", "write the label: 'true'", node)
    if isinstance(node, exp.Literal) and node.is_string:
        return node.name
    negative = isinstance(node, exp.Neg)
    literal = node.this if negative else node
    if not isinstance(literal, exp.Literal) or literal.is_string:
        raise scope.question.refused("an attribute is compared with a value only", _CONDITION, node)
    number = number_of(literal.name)
    if number is None:
        do = "write a number with at most a hundred digits, such as 30, 0.5 or 3e1"
        raise scope.question.refused("this number cannot be read", do, node)
    return number.copy_negate() if negative else number


def _among(scope: QuestionScope, node: exp.In, negated: bool) -> Predicate:
    scope.question.only(node, "this", "expressions")
    values = node.expressions
    attribute = scope.attribute(_attribute_node(scope, node.this.unnest()))
    if not values:
        raise scope.question.refused("the list of IN is empty", "write at least one value", node)
    if len(values) > MOST_VALUES:
        do = "write a comparison or NOT IN, or ask by groups"
        raise scope.question.refused(f"the list of IN has more than {MOST_VALUES:,} values", do, node)
    true: set[int] = set()
    for one in values:
        true |= _true(scope, attribute, "=", _value(scope, one, attribute), one)
    return _selection(attribute, frozenset(true), negated)


def _between(scope: QuestionScope, node: exp.Between, negated: bool) -> Predicate:
    scope.question.only(node, "this", "low", "high")
    attribute = scope.attribute(_attribute_node(scope, node.this.unnest()))
    low, high = (_value(scope, one, attribute) for one in (node.args["low"], node.args["high"]))
    if attribute.declared.cuts and isinstance(low, Decimal) and isinstance(high, Decimal):
        name = sql_name(attribute.name)
        first, last = attribute.nearest_cut(low), attribute.nearest_cut(high, above=True)
        do = f"write {name} >= {sql_number(first)} AND {name} < {sql_number(last)}"
        raise scope.question.refused("BETWEEN includes both ends, which cut points do not", do, node)
    true = _true(scope, attribute, ">=", low, node) & _true(scope, attribute, "<=", high, node)
    return _selection(attribute, true, negated)


def _is_null(scope: QuestionScope, node: exp.Is, negated: bool) -> Predicate:
    scope.question.only(node, "this", "expression")
    if not isinstance(node.expression, exp.Null):
        raise scope.question.refused("IS compares with NULL only", "write attribute IS NULL or IS NOT NULL", node)
    attribute = scope.attribute(_attribute_node(scope, node.this.unnest()))
    return Selection(attribute.name, attribute.known if negated else attribute.missing)
