"""Benchmark indicators: figures written as SQL that a release must preserve within a tolerance."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import sqlglot
from sqlglot import exp

from tacita.engines.protocol import Relation
from tacita.errors import InputError, InternalError, TacitaError, UsageError, counted, did_you_mean, raise_alone
from tacita.model.figures import share
from tacita.model.microdata import Microdata

TABLE = "data"
"""What the file is called in an indicator."""

_WRITES = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Drop, exp.Into, exp.Command)
_FURTHER = frozenset({"entropy", "favg", "fsum", "geomean", "isfinite", "mad", "product", "sem"})
"""Functions that may be used although the parser has no name of its own for them; the others could reach files."""


@dataclass(frozen=True, slots=True)
class Indicator:
    """A figure of the file, as one SELECT over the table ``data`` under the users' names of attributes.

    The last column is the figure; columns before it, if any, tell its groups. `tolerance` is the share by which a
    figure may move, 0.02 for 2 %.

    >>> Indicator("mean income", "SELECT avg(income) FROM data", 0.02).name
    'mean income'
    """

    name: str
    sql: str
    tolerance: float

    def __post_init__(self) -> None:
        if not self.tolerance >= 0:
            raise UsageError(f"the tolerance of '{self.name}' is not 0 or more", do="give a share such as 0.02")

    def over(self, relation: Relation) -> exp.Query:
        """Return the plan of the indicator for a relation; raise if it is not one that reads this table only."""
        query = self._parsed(relation.engine.dialect)
        given = {cte.alias.casefold() for cte in query.find_all(exp.CTE)}
        if TABLE in given:
            raise self._fault(f"it calls a part of its own '{TABLE}'", "give that part another name")
        if odd := [
            function.name for function in query.find_all(exp.Anonymous) if function.name.casefold() not in _FURTHER
        ]:
            raise self._fault(f"its function '{odd[0]}' may not be used", "use functions of numbers, texts and dates")
        if query.find(exp.ReadCSV, exp.ReadParquet):
            raise self._fault(f"it reads another table than '{TABLE}'", f"write FROM {TABLE}")
        for table in query.find_all(exp.Table):
            known = isinstance(table.this, exp.Identifier) and not table.db
            if not known or table.name.casefold() not in {TABLE, *given}:
                raise self._fault(f"it reads another table than '{TABLE}'", f"write FROM {TABLE}")
        self._check_columns(query, [column.name for column in relation.columns])
        placed = query.transform(lambda node: _placed(node, relation))
        assert isinstance(placed, exp.Query)
        return placed

    def _parsed(self, dialect: str) -> exp.Query:
        logging.getLogger("sqlglot").setLevel(logging.ERROR)  # its warnings quote the query
        try:
            statements = [statement for statement in sqlglot.parse(self.sql, dialect=dialect) if statement]
        except sqlglot.errors.SqlglotError:
            statements = []
        if len(statements) != 1 or not isinstance(statements[0], exp.Query) or statements[0].find(*_WRITES):
            raise self._fault("it is not one SELECT that only reads", f"write SELECT ... FROM {TABLE}")
        return statements[0]

    def _check_columns(self, query: exp.Query, names: list[str]) -> None:
        aliases = {
            alias.alias.casefold() for alias in query.find_all(exp.Alias, exp.TableAlias, exp.Lambda) if alias.alias
        }
        aliases |= {column.name.casefold() for alias in query.find_all(exp.TableAlias) for column in alias.columns}
        known = {name.casefold() for name in names} | aliases
        for column in query.find_all(exp.Column):
            if column.name.casefold() not in known and not isinstance(column.this, exp.Star):
                raise self._fault(f"no attribute '{column.name}'{did_you_mean(column.name, names)}", "correct the name")

    def _fault(self, fault: str, do: str) -> UsageError:
        return UsageError(f"indicator '{self.name}': {fault}", do=do)


@dataclass(frozen=True, slots=True)
class Preserved:
    """What became of an indicator. Of several groups, the figures are those of the one that moved most."""

    indicator: Indicator
    before: float
    after: float
    deviation: float
    """``|after - before| / |before|``; infinite if there is a figure in one file only, or it was 0 and is not."""
    groups: int
    broken: int
    """Groups that moved by more than the tolerance, vanished or appeared."""

    @property
    def holds(self) -> bool:
        """Whether the indicator is preserved."""
        return not self.broken

    @property
    def sentence(self) -> str:
        """What happened, in words; no value of the data."""
        moved = "by a share that is not defined" if math.isinf(self.deviation) else f"by {share(self.deviation)}"
        within = f"within its tolerance of {share(self.indicator.tolerance)}"
        if self.holds:
            return f"'{self.indicator.name}' moved {moved}, {within}"
        where = f" in {self.broken:,} of {counted(self.groups, 'group')}" if self.groups > 1 else ""
        return f"'{self.indicator.name}' is not {within}{where}: it moved {moved}"


def preserved(before: Microdata, after: Microdata, indicators: Iterable[Indicator]) -> tuple[Preserved, ...]:
    """Return for each indicator whether the release preserves it; a fault of any is an error before anything runs.

    >>> import tacita as tc
    >>> data = tc.sample("figure-1").microdata
    >>> [found] = preserved(data, data, [Indicator("weight", 'SELECT sum("W") FROM data', 0.0)])
    >>> found.holds, found.sentence
    (True, "'weight' moved by 0 %, within its tolerance of 0 %")
    """
    wanted = list(indicators)
    plans = [[indicator.over(data.relation) for data in (before, after)] for indicator in wanted]
    return tuple(
        _compared(indicator, _figures(indicator, before, first), _figures(indicator, after, second))
        for indicator, (first, second) in zip(wanted, plans, strict=True)
    )


def _placed(node: exp.Expr, relation: Relation) -> exp.Expr:
    """Put the relation, under the users' names, where a query reads the table."""
    if not (isinstance(node, exp.Table) and node.name.casefold() == TABLE):
        return node
    terms: list[exp.Expr] = []
    for column in relation.columns:
        value: exp.Expr = exp.column(column.physical)
        if column.is_coded:
            value = exp.Cast(this=value, to=exp.DataType(this=exp.DType.TEXT))
        terms.append(exp.alias_(value, column.name, quoted=True))
    # the name of the physical table may be the name that is replaced: its node must not be visited again
    return exp.select(*terms).from_(relation.source()).subquery(node.alias or TABLE)


def _figures(indicator: Indicator, microdata: Microdata, plan: exp.Query) -> Mapping[tuple[Any, ...], float]:
    fault: TacitaError | None = None
    rows: list[dict[str, Any]] = []
    try:
        rows = microdata.relation.engine.run(plan)
    except InternalError:
        fault = InputError(
            f"indicator '{indicator.name}' cannot be computed on the data",
            do="check that its functions fit the types of the attributes",
        )
    if fault is not None:
        raise_alone(fault)
    figures: dict[tuple[Any, ...], float] = {}
    for row in rows:
        *group, figure = row.values()
        if not isinstance(figure, int | float | Decimal | None):
            raise UsageError(f"indicator '{indicator.name}' is not a number", do="let its last column be a number")
        if tuple(group) in figures:
            raise UsageError(
                f"indicator '{indicator.name}' has several figures for one group",
                do="group by all columns but the last",
            )
        figures[tuple(group)] = math.nan if figure is None else float(figure)
    return figures


def _compared(
    indicator: Indicator, before: Mapping[tuple[Any, ...], float], after: Mapping[tuple[Any, ...], float]
) -> Preserved:
    worst, broken = (math.nan, math.nan, 0.0), 0
    groups = [*before, *(group for group in after if group not in before)]
    for place, group in enumerate(groups):
        one, two = before.get(group, math.nan), after.get(group, math.nan)
        moved = math.inf if (group in before) != (group in after) else _deviation(one, two)
        # sums of many numbers differ in their last digits when records change places
        broken += moved > indicator.tolerance + 1e-12
        if not place or moved > worst[2]:
            worst = (one, two, moved)
    return Preserved(indicator, *worst, len(groups), broken)


def _deviation(one: float, two: float) -> float:
    if one == two or (math.isnan(one) and math.isnan(two)):
        return 0.0
    if math.isnan(one) or math.isnan(two) or not one or math.isinf(one):
        return math.inf
    return abs(two - one) / abs(one)
