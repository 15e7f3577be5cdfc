"""The figures of a question: its aggregate functions, each of declared measures and regressors."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from tacita.errors import QueryRefused, did_you_mean
from tacita.queries.language.scope import QuestionScope
from tacita.queries.language.spelling import shown
from tacita.queries.language.values import number_of
from tacita.queries.question import AskedStatistic, Statistic

_OF_ONE = {
    "SUM": Statistic.SUM,
    "AVG": Statistic.AVERAGE,
    "VARIANCE": Statistic.VARIANCE,
    "VAR_POP": Statistic.VARIANCE,
    "MIN": Statistic.MINIMUM,
    "MAX": Statistic.MAXIMUM,
}
_ON_A_REGRESSOR = {"REGR_SLOPE": Statistic.SLOPE, "REGR_INTERCEPT": Statistic.INTERCEPT}
_QUANTILES = ("QUANTILE_CONT", "PERCENTILE_CONT")
FUNCTIONS = ("COUNT", *_OF_ONE, "MEDIAN", *_QUANTILES, *_ON_A_REGRESSOR)

_POPULATION = ("only the variance of the records themselves is answered", "write VAR_POP(measure)")
_ROOT = ("standard deviations are not answered", "write VAR_POP(measure), and take the root of the answer")
_QUANTILE = ("this quantile is not answered", "write QUANTILE_CONT(measure, 0.5)")
_INSTEAD = {
    "VAR_SAMP": _POPULATION,
    "VARIANCE_SAMP": _POPULATION,
    "STDDEV": _ROOT,
    "STDDEV_POP": _ROOT,
    "STDDEV_SAMP": _ROOT,
    "STD": _ROOT,
    "QUANTILE": _QUANTILE,
    "QUANTILE_DISC": _QUANTILE,
    "PERCENTILE_DISC": _QUANTILE,
    "APPROX_QUANTILE": _QUANTILE,
    "MEAN": ("means are asked for by another name", "write AVG(measure)"),
    "CAST": ("values are not cast", "write the name of the measure alone"),
    "TRY_CAST": ("values are not cast", "write the name of the measure alone"),
    "REGR_R2": ("of a regression, its slope and intercept are answered", "write REGR_SLOPE(measure, regressor)"),
    "CORR": ("correlations are not answered", "write REGR_SLOPE(measure, regressor)"),
}
_A_RATIO = "write SUM(a) / SUM(b), the only operation between figures"


def figure(scope: QuestionScope, node: exp.Expr) -> AskedStatistic:
    """Return the aggregate that an expression is, or refuse."""
    node = node.unnest()
    if isinstance(node, exp.Div):
        return _ratio(scope, node)
    if isinstance(node, (exp.Binary, exp.Unary)):
        raise scope.question.refused("figures are not calculated with", _A_RATIO, node)
    if not isinstance(node, exp.Anonymous):
        do = "write a figure, such as COUNT(*), or an attribute to group by"
        raise scope.question.refused("this is neither a figure nor an attribute", do, node)
    scope.question.only(node, "this", "expressions")
    return _called(scope, node)


def _called(scope: QuestionScope, node: exp.Anonymous) -> AskedStatistic:
    name = node.name.upper()
    arguments = node.expressions
    if name == "COUNT":
        return _count(scope, node, arguments)
    if any(isinstance(one, exp.Distinct) for one in arguments):
        raise scope.question.refused("values are not taken once each", "leave DISTINCT out", node)
    if name in _OF_ONE:
        _check_number(scope, node, arguments, f"{name}(measure)", 1)
        return AskedStatistic(_OF_ONE[name], scope.measure(arguments[0], _OF_ONE[name]))
    if name == "MEDIAN":
        _check_number(scope, node, arguments, "MEDIAN(measure)", 1)
        return AskedStatistic(Statistic.QUANTILE, scope.measure(arguments[0], Statistic.QUANTILE), share=Fraction(1, 2))
    if name in _QUANTILES:
        _check_number(scope, node, arguments, f"{name}(measure, 0.5)", 2)
        measure = scope.measure(arguments[0], Statistic.QUANTILE)
        return AskedStatistic(Statistic.QUANTILE, measure, share=_share(scope, arguments[1]))
    if name in _ON_A_REGRESSOR:
        _check_number(scope, node, arguments, f"{name}(measure, regressor)", 2)
        measure = scope.measure(arguments[0], _ON_A_REGRESSOR[name])
        return AskedStatistic(_ON_A_REGRESSOR[name], measure, scope.regressor(arguments[1]))
    raise _unknown(scope, node)


def _unknown(scope: QuestionScope, node: exp.Anonymous) -> QueryRefused:
    if node.name.upper() in _INSTEAD:
        return scope.question.refused(*_INSTEAD[node.name.upper()], node)
    hint = did_you_mean(node.name, FUNCTIONS)
    do = f"write one of: {', '.join(FUNCTIONS)}"
    return scope.question.refused(f"there is no figure {shown(node.name)}{hint}", do, node)


def _check_number(scope: QuestionScope, node: exp.Anonymous, arguments: list[exp.Expr], form: str, number: int) -> None:
    if len(arguments) != number:
        raise scope.question.refused(f"{node.name.upper()} has other arguments", f"write {form}", node)


def _count(scope: QuestionScope, node: exp.Anonymous, arguments: list[exp.Expr]) -> AskedStatistic:
    match arguments:
        case [exp.Star() as star]:
            scope.question.only(star)
            return AskedStatistic(Statistic.COUNT)
        case [exp.Distinct() as distinct]:
            scope.question.only(distinct, "expressions")
            unit = distinct.expressions
            scope.unit(unit[0] if len(unit) == 1 else distinct)
            return AskedStatistic(Statistic.CONTRIBUTORS)
    raise scope.question.refused("records are counted as they are", "write COUNT(*)", node)


def _ratio(scope: QuestionScope, node: exp.Div) -> AskedStatistic:
    scope.question.only(node, "this", "expression", "typed", "safe")
    sides: list[exp.Expr] = [node.this.unnest(), node.expression.unnest()]
    if not all(isinstance(one, exp.Anonymous) and one.name.upper() == "SUM" for one in sides):
        raise scope.question.refused("only sums are divided by each other", _A_RATIO, node)
    for one in sides:
        scope.question.only(one, "this", "expressions")
        _check_number(scope, one, one.expressions, "SUM(measure)", 1)  # type: ignore[arg-type]
    measure, other = (scope.measure(one.expressions[0], Statistic.RATIO) for one in sides)
    return AskedStatistic(Statistic.RATIO, measure, other)


def _share(scope: QuestionScope, node: exp.Expr) -> Fraction:
    """Return the share of a quantile, exactly as it is written."""
    number = number_of(node.name) if isinstance(node, exp.Literal) and not node.is_string else None
    if number is None or not 0 < number < 1:
        do = "write a number between 0 and 1, such as 0.25; MIN and MAX are figures of their own"
        raise scope.question.refused("this is not the share of a quantile", do, node)
    return Fraction(number)
