"""What the names of a question stand for: the data set, its declared joins, attributes, measures and regressors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from tacita.errors import QueryRefused, did_you_mean, listed
from tacita.queries.cube.cube import Cube
from tacita.queries.language.refusing import QuestionText
from tacita.queries.language.spelling import shown, sql_name
from tacita.queries.language.values import AttributeCodes
from tacita.queries.policy.policy import DeclaredJoin, FilterAttribute, QueryMeasure, QueryPolicy
from tacita.queries.question import Statistic

DATA = ""
"""The data set itself, among the joins."""


def declared(policy: QueryPolicy) -> dict[str, FilterAttribute]:
    """Return the attributes that may stand in a WHERE or a GROUP BY: filters, and regressors, which are public."""
    return {one.name: one for one in (*policy.regressors, *policy.filters)}


@dataclass(frozen=True, slots=True)
class QuestionScope:
    """The names that hold in a question."""

    question: QuestionText
    cube: Cube
    tables: Mapping[str, str]
    """Names and aliases after FROM and JOIN, with the join that they mean; the data set is the empty one."""

    @property
    def policy(self) -> QueryPolicy:
        """The policy of the data set."""
        return self.cube.policy

    def attribute(self, column: exp.Expr | None, *, is_grouped: bool = False) -> AttributeCodes:
        """Return a declared attribute, or refuse; one with confidential labels may only be grouped by."""
        names = declared(self.policy)
        node = self._column(column, "name a declared attribute: " + _names(names))
        name = one_of(node.name, names)
        if name is None:
            raise self._unknown(node, names)
        filter_ = names[name]
        self._check_table(node, filter_.joined, name)
        if name in self.policy.unlisted and not is_grouped:
            others = {one: filter_ for one, filter_ in names.items() if one not in self.policy.unlisted}
            do = f"write GROUP BY {sql_name(name)}" + (f", or choose records by: {_names(others)}" if others else "")
            raise self.question.refused(
                f"the labels of '{name}' are confidential: no record is chosen by them", do, node
            )
        return AttributeCodes.of(self.cube, filter_)

    def measure(self, column: exp.Expr | None, statistic: Statistic) -> str:
        """Return the name of a measure of which a statistic may be asked, or refuse."""
        names = {one.name: one for one in self.policy.measures}
        node = self._column(column, "name a measure: " + _names(names))
        name = one_of(node.name, names)
        if name is None:
            raise self._unknown_measure(node, names)
        self._check_table(node, DATA, name)
        if statistic not in names[name].statistics:
            allowed = listed([str(one) for one in names[name].statistics]) or "nothing"
            reason = f"the policy does not declare {statistic} of '{name}'"
            raise self.question.refused(reason, f"of '{name}' ask for: {allowed}", node)
        return name

    def regressor(self, column: exp.Expr | None) -> str:
        """Return the name of a public regressor, or refuse."""
        names = {one.name: one for one in self.policy.regressors}
        node = self._column(column, "name a public regressor: " + _names(names))
        name = one_of(node.name, names)
        if name is None:
            reason = f"{shown(node.name)} is not a public regressor of the policy{did_you_mean(node.name, names)}"
            raise self.question.refused(reason, "regress on one of: " + _names(names), node)
        self._check_table(node, names[name].joined, name)
        return name

    def unit(self, column: exp.Expr | None) -> None:
        """Check that a column is the one attribute that names whom the rules protect."""
        unit = self.policy.unit
        do = f"write COUNT(DISTINCT {sql_name(unit[0])})" if len(unit) == 1 else "write COUNT(*)"
        node = self._column(column, do)
        if len(unit) != 1 or one_of(node.name, unit) is None:
            raise self.question.refused("only the unit of protection is counted without repetition", do, node)
        self._check_table(node, DATA, unit[0])

    def _column(self, node: exp.Expr | None, do: str) -> exp.Column:
        if not isinstance(node, exp.Column) or not isinstance(node.this, exp.Identifier):
            raise self.question.refused("an expression stands where a name must stand", do, node)
        self.question.only(node, "this", "table")
        return node

    def _check_table(self, node: exp.Column, joined: str, name: str) -> None:
        """An attribute of a join needs the join; a qualified name must be of the right table."""
        if joined not in self.tables.values():
            join = next(one for one in self.policy.joins if one.name == joined)
            do = f"write {join_text(join)} after FROM {sql_name(self.policy.name)}"
            raise self.question.refused(f"'{name}' comes with the join '{joined}', which the question lacks", do, node)
        if not node.table:
            return
        table = one_of(node.table, self.tables)
        if table is None:
            reason = f"no table of the question is called {shown(node.table)}{did_you_mean(node.table, self.tables)}"
            raise self.question.refused(reason, "write one of: " + _names(self.tables), node)
        if self.tables[table] != joined:
            home = next(one for one, join in self.tables.items() if join == joined)
            do = f"write {sql_name(home)}.{sql_name(name)}"
            raise self.question.refused(f"'{name}' is not an attribute of '{table}'", do, node)

    def _unknown(self, node: exp.Column, names: Mapping[str, FilterAttribute]) -> QueryRefused:
        do = "name a declared attribute: " + _names(names)
        if (measure := one_of(node.name, [one.name for one in self.policy.measures])) is not None:
            reason = f"'{measure}' is a measure: figures are asked of it, but records are not chosen by it"
            return self.question.refused(reason, do, node)
        hint = did_you_mean(node.name, names)
        return self.question.refused(f"the policy declares no attribute {shown(node.name)}{hint}", do, node)

    def _unknown_measure(self, node: exp.Column, names: Mapping[str, QueryMeasure]) -> QueryRefused:
        do = "name a measure: " + _names(names)
        if (attribute := one_of(node.name, declared(self.policy))) is not None:
            reason = f"'{attribute}' is an attribute to choose records by, not a measure"
            return self.question.refused(reason, do, node)
        hint = did_you_mean(node.name, names)
        return self.question.refused(f"the policy declares no measure {shown(node.name)}{hint}", do, node)


def one_of(name: str, names: Iterable[str]) -> str | None:
    """Return the declared name that a name means: itself, or the only one that differs in the case of its letters.

    Letters beyond ASCII must be the same: some of them have a lower case that looks like another letter.

    >>> one_of("AGE", ["age", "sex"]), one_of("AGE", ["age", "Age"]), one_of("size", ["age"])
    ('age', None, None)
    """
    known = list(names)
    if name in known:
        return name
    if not name.isascii():
        return None
    alike = [one for one in known if one.isascii() and one.lower() == name.lower()]
    return alike[0] if len(alike) == 1 else None


def join_text(join: DeclaredJoin) -> str:
    """Return a join as it is written in a question."""
    return f"LEFT JOIN {sql_name(join.name)} USING ({sql_name(join.key)})"


def _names(names: Iterable[str]) -> str:
    return listed([sql_name(name) for name in names], 12) or "the policy declares none"


def scope_of(question: QuestionText, select: exp.Select, cube: Cube) -> QuestionScope:
    """Return the names that hold after FROM and JOIN. Raises `QueryRefused` for any source but the declared ones."""
    policy = cube.policy
    start = f"write FROM {sql_name(policy.name)}"
    from_ = select.args.get("from_")
    if not isinstance(from_, exp.From):
        raise question.refused("the question names no data set", start)
    question.only(from_, "this")
    tables: dict[str, str] = {}
    _add_table(question, tables, from_.this, {policy.name: DATA}, start)
    joins = {join.name: join for join in policy.joins}
    do = "; or ".join(join_text(join) for join in policy.joins)
    do = f"write {do}" if do else "leave the join out: the policy declares none"
    for node in select.args.get("joins") or ():
        question.only(node, "this", "side", "kind", "using", "on")
        name = _add_table(question, tables, node.this, {name: name for name in joins}, do)
        _check_join(QuestionScope(question, cube, tables), node, joins[name], do)
    return QuestionScope(question, cube, tables)


def _add_table(
    question: QuestionText, tables: dict[str, str], node: exp.Expr, allowed: Mapping[str, str], do: str
) -> str:
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        raise question.refused("only declared names stand after FROM and JOIN", do, node)
    question.only(node, "this", "alias")
    alias = node.args.get("alias")
    if alias is not None:
        question.only(alias, "this")
    name = one_of(node.name, allowed)
    if name is None:
        hint = did_you_mean(node.name, allowed)
        raise question.refused(f"{shown(node.name)} is not declared here{hint}", do, node)
    called = node.alias or name
    if allowed[name] in tables.values() or one_of(called, tables) is not None:
        raise question.refused(f"{shown(called)} stands twice after FROM", "name each source once", node)
    tables[called] = allowed[name]
    return name


def _check_join(scope: QuestionScope, node: exp.Join, join: DeclaredJoin, do: str) -> None:
    question = scope.question
    side, kind = (node.args.get(name) or "" for name in ("side", "kind"))
    if side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER") or (side == "" and kind == "OUTER"):
        raise question.refused("this join is not declared", do, node)
    using: list[exp.Expr] = node.args.get("using") or []
    on = node.args.get("on")
    is_named = len(using) == 1 and isinstance(using[0], exp.Identifier) and _is_key(using[0].name, join)
    if not (is_named if using else _compares_keys(scope, on, join)):
        raise question.refused(f"the join '{join.name}' is by its key '{join.key}' only", do, node)
    if side != "LEFT" and _may_lack_rows(scope.cube, join):
        raise question.refused(f"records may find no row of '{join.name}', and JOIN would drop them", do, node)


def _is_key(name: str, join: DeclaredJoin) -> bool:
    return one_of(name, [join.key]) is not None


def _compares_keys(scope: QuestionScope, on: exp.Expr | None, join: DeclaredJoin) -> bool:
    """Whether a condition is a.key = b.key, of the data set and the join."""
    on = on.unnest() if on is not None else None
    if not isinstance(on, exp.EQ):
        return False
    homes = set()
    for one in (on.this, on.expression):
        if not isinstance(one, exp.Column) or not isinstance(one.this, exp.Identifier) or not _is_key(one.name, join):
            return False
        scope.question.only(one, "this", "table")
        table = one_of(one.table, scope.tables) if one.table else None
        homes.add(None if table is None else scope.tables[table])
    return homes == {DATA, join.name}


def _may_lack_rows(cube: Cube, join: DeclaredJoin) -> bool:
    """Whether records may have no value of any attribute of a join: then JOIN and LEFT JOIN may differ.

    The codes decide, which everybody knows; whether a record has the code of missing values may be a secret. A join
    that brings no attribute may lack any row.
    """
    joined = [one for one in declared(cube.policy).values() if one.joined == join.name]
    return all(AttributeCodes.of(cube, one).missing for one in joined)
