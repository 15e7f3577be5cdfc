"""Aggregates: matches are gathered by group and contributor, reduced to one value a contributor, then combined.

The group is what the head says apart from the aggregates. Of the values of one contributor the extreme one counts:
the largest, or for products and minima the smallest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from tacita.engines.protocol import Engine
from tacita.rules.logic.binding import Schedule, head_group, head_terms
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import Aggregate, Constant, Pair, Term, Unpack, Variable, children, variables, walk
from tacita.rules.logic.types import ANY, INTEGER, NUMBER, TEXT, PairType, RecordType, RowType, Scalar, SetType
from tacita.rules.reasoner.plans.bodies import Body, moved
from tacita.rules.reasoner.plans.cells import Cell, as_type, both, is_null, not_null, null_safe
from tacita.rules.reasoner.plans.layout import cell_columns, sql_type
from tacita.rules.reasoner.plans.terms import CompiledTerms

NUMERIC = {"msum", "mprod", "sum", "prod", "avg", "mmin", "mmax", "min", "max"}
_SMALLEST = {"mprod", "prod", "mmin", "min"}
_EXTREME = {"mmin", "mmax", "min", "max"}
_NUMBERS = NUMERIC - _EXTREME
_SET = {"munion", "collect"}
_COUNT = {"mcount", "count"}


@dataclass(frozen=True, slots=True)
class Grouping:
    """What the aggregates of a rule are formed of: the group, the contributors, the values."""

    group: tuple[Term, ...]
    aggregates: tuple[Aggregate, ...]
    contributors: tuple[tuple[Term, ...], ...]
    """Of each aggregate; empty where contributors make no difference."""

    @classmethod
    def of(cls, rule: Rule, schedule: Schedule) -> Grouping:
        """Return the grouping of a rule with aggregates."""
        aggregates: dict[Aggregate, None] = {}
        outside: dict[Term, None] = dict.fromkeys(head_group(rule, schedule))
        for item in (*rule.body, *head_terms(rule)):
            inside = [node for node in walk(item) if isinstance(node, Aggregate)]
            aggregates.update(dict.fromkeys(inside))
        matched = bound_before(schedule)
        names = {v.name for v in matched}
        for step in schedule.after:
            for node in _outside_aggregates(step):
                # A condition on a group may speak of what the head does not name: it then tells groups apart too.
                if node.name in names:
                    outside.setdefault(node)
        return cls(tuple(outside), tuple(aggregates), tuple(_contributors(a, matched) for a in aggregates))


def bound_before(schedule: Schedule) -> tuple[Variable, ...]:
    """Return the named variables of the matches that aggregates are formed of."""
    names = schedule.bound - schedule.aggregated
    seen: dict[str, Variable] = {}
    for step in schedule.before:
        for part in _parts(step):
            for variable in variables(part):  # type: ignore[arg-type]
                if variable.name in names:
                    seen.setdefault(variable.name, variable)
    return tuple(seen.values())


def _parts(step: object) -> list[object]:
    names = ("atom", "variable", "term", "collection", "condition")
    return [getattr(step, name) for name in names if hasattr(step, name)]


def _outside_aggregates(step: object) -> list[Variable]:
    outside: list[Variable] = []
    waiting = _parts(step)
    while waiting:
        node = waiting.pop()
        if isinstance(node, Aggregate):
            continue
        if isinstance(node, Variable):
            outside.append(node)
        waiting.extend(children(node))  # type: ignore[arg-type]
    return outside


def _contributors(aggregate: Aggregate, matched: tuple[Variable, ...]) -> tuple[Term, ...]:
    if aggregate.function in _EXTREME | _SET:
        return ()
    if aggregate.contributors is not None:
        return aggregate.contributors
    if aggregate.function in _COUNT and aggregate.value is not None:
        return (aggregate.value,)
    return matched or (Constant(1),)  # nothing is named: all matches of a group are one


@dataclass(slots=True)
class Gathered:
    """The matches of a rule, cut down to group, contributors and values: columns ``q0 q1 ...`` of a select."""

    engine: Engine
    grouping: Grouping
    select: exp.Select
    cells: dict[Term, Cell] = field(default_factory=dict)
    """Group, contributor and value terms as cells of the alias ``m``."""
    names: list[str] = field(default_factory=list)
    unknown: exp.Select | None = None
    """The select of matches whose value is a labelled null, or none at all, where a number is needed."""

    @classmethod
    def of(cls, engine: Engine, grouping: Grouping, body: Body) -> Gathered:
        """Return what a body gives to the aggregates of its rule."""
        wanted: dict[Term, Cell] = {term: body.terms.cell(term) for term in grouping.group}
        unknown: list[exp.Expr] = []
        for aggregate, contributors in zip(grouping.aggregates, grouping.contributors, strict=True):
            for term in contributors:
                wanted.setdefault(term, body.terms.cell(term))
            for term in _values(aggregate):
                cell = body.terms.cell(term)
                if aggregate.function in NUMERIC and cell.label is not None:
                    unknown.append(not_null(cell.label))
                if aggregate.function in _NUMBERS and cell.type == ANY:
                    unknown.append(both(not_null(cell.value), is_null(body.terms.number(cell))))
                if aggregate.function in NUMERIC and (cell.is_partial or cell.label is not None):
                    body.conditions.append(cell.is_known())
                wanted.setdefault(term, cell)
        plain = {term: replace(cell, is_partial=False) for term, cell in wanted.items()}
        columns, cells = moved(list(plain.values()), "m")
        names = [f"q{i}" for i in range(len(columns))]
        bad = None
        if unknown:
            bad = body.select(exp.alias_(exp.Count(this=exp.Star()), "n"))
            bad = bad.where(_either(unknown))
        if not columns:  # one group, nothing to tell contributors apart: one match is as good as many
            columns, names = [exp.alias_(exp.Literal.number(1), "q0")], ["q0"]
        return cls(engine, grouping, body.select(*columns), dict(zip(plain, cells, strict=True)), names, bad)

    def group_cells(self, alias: str = "m") -> list[exp.Expr]:
        """Return the columns of the group."""
        terms = [term for cell in (self.cells[t] for t in self.grouping.group) for term in cell_columns(cell)]
        return [exp.column(term.name, table=alias) for term in terms]


def _values(aggregate: Aggregate) -> tuple[Term, ...]:
    value = aggregate.value
    if value is None or aggregate.function in _COUNT:
        return ()
    if aggregate.function in _SET and isinstance(value, Pair):
        return value.first, value.second
    return (value,)


def _either(conditions: Sequence[exp.Expr]) -> exp.Expr:
    result: exp.Expr = exp.paren(conditions[0].copy())
    for condition in conditions[1:]:
        result = exp.Or(this=result, expression=exp.paren(condition.copy()))
    return exp.paren(result)


def aggregated(
    gathered: Gathered, source: exp.Expr, *, is_reduced: bool = False
) -> tuple[exp.Select, dict[Term, Cell]]:
    """Return the select of one row a group, and its cells (under the alias ``g``) by term.

    `source` is what stands after FROM as ``m``. `is_reduced` says that each contributor comes once in a group anyway.
    """
    grouping, engine = gathered.grouping, gathered.engine
    keys = [name.name for name in gathered.group_cells()]
    parts: list[exp.Select] = []
    results: dict[Term, Cell] = {}
    by_contributors: dict[tuple[Term, ...], list[Aggregate]] = {}
    for aggregate, contributors in zip(grouping.aggregates, grouping.contributors, strict=True):
        by_contributors.setdefault(contributors, []).append(aggregate)
    number = 0
    for place, (contributors, aggregates) in enumerate(by_contributors.items()):
        cells = gathered.cells
        reading: exp.Expr = source.copy()
        if contributors and not is_reduced:
            reading, cells = _reduced(gathered, source, contributors, aggregates, keys)
        columns = []
        for aggregate in aggregates:
            cell = _combined(engine, aggregate, cells)
            name = f"v{number}"
            number += 1
            columns.append(exp.alias_(cell.value, name))
            results[aggregate] = replace(cell, value=exp.column(name, table=f"g{place}"))
        select = exp.select(*(exp.column(key, table="m") for key in keys), *columns).from_(reading)
        if keys:
            select = select.group_by(*(exp.column(key, table="m") for key in keys))
        else:
            select = select.having(exp.GT(this=exp.Count(this=exp.Star()), expression=exp.Literal.number(0)))
        parts.append(select)
    return _side_by_side(gathered, parts, results, keys)


def _reduced(
    gathered: Gathered,
    source: exp.Expr,
    contributors: tuple[Term, ...],
    aggregates: Sequence[Aggregate],
    keys: list[str],
) -> tuple[exp.Expr, dict[Term, Cell]]:
    """Return the select of one row a contributor, with the extreme value of each, and its cells."""
    cells = dict(gathered.cells)
    apart = [term.name for c in contributors for term in cell_columns(cells[c])]
    grouped = list(dict.fromkeys([*keys, *apart]))
    columns: list[exp.Expr] = [exp.column(name, table="m") for name in grouped]
    for number, aggregate in enumerate(aggregates):
        for term in _values(aggregate):
            cell = gathered.cells[term]
            value = CompiledTerms(gathered.engine).number(cell)
            extreme = (exp.Min if aggregate.function in _SMALLEST else exp.Max)(this=value)
            columns.append(exp.alias_(extreme, f"e{number}"))
            type_ = cell.type if cell.type in {INTEGER, NUMBER} else NUMBER
            cells[aggregate] = Cell(type_, exp.column(f"e{number}", table="m"))
    select = exp.select(*columns).from_(source.copy()).group_by(*(exp.column(name, table="m") for name in grouped))
    return select.subquery("m"), cells


def _combined(engine: Engine, aggregate: Aggregate, cells: Mapping[Term, Cell]) -> Cell:
    """Return an aggregate over rows of ``m``."""
    name, terms = aggregate.function, CompiledTerms(engine)
    count = as_type(exp.Count(this=exp.Star()), sql_type(INTEGER))
    if name in _COUNT:
        return Cell(INTEGER, count)
    assert aggregate.value is not None
    if name in _SET:
        return _union(engine, aggregate.value, cells)
    cell = cells.get(aggregate) or cells[aggregate.value]
    if name in _EXTREME:
        node = exp.Min if name in _SMALLEST else exp.Max
        type_ = Scalar(cell.type.name) if isinstance(cell.type, Scalar) else cell.type
        if type_ == ANY:
            return Cell(ANY, _extreme_any(terms, cell, node))
        value = terms.text(cell) if type_ == TEXT else cell.value.copy()
        return Cell(type_, node(this=value))
    value = terms.number(cell)
    if name in {"mprod", "prod"}:
        product = engine.function("product_of", as_type(value, sql_type(NUMBER)))
        return Cell(NUMBER, engine.function("significant", product))
    total = engine.function("sum_of", value)
    if name == "avg":
        total = engine.function("significant", as_type(total, sql_type(NUMBER)))
        return Cell(NUMBER, engine.function("divide", total, count))
    if cell.type == INTEGER:
        return Cell(INTEGER, as_type(total, sql_type(INTEGER)))
    return Cell(NUMBER, engine.function("significant", total))


def _extreme_any(terms: CompiledTerms, cell: Cell, node: type[exp.Min] | type[exp.Max]) -> exp.Expr:
    """Return the extreme of values of any kind: of numbers by their size, else by what is written."""
    number = terms.number(cell)
    largest = terms.function("second", node(this=terms.function("pair", number, cell.value.copy())))
    rest = exp.Sub(this=exp.Count(this=exp.Star()), expression=exp.Count(this=number.copy()))
    is_number = exp.EQ(this=exp.paren(rest), expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=is_number, true=largest)], default=node(this=cell.value.copy()))


def _is_record(value: Pair, cells: Mapping[Term, Cell]) -> bool:
    """Whether pairs make a record: a text, and a single value."""
    first, second = cells[value.first].type, cells[value.second].type
    return isinstance(first, Scalar) and first.name in {"text", "any"} and isinstance(second, Scalar)


def doubled(gathered: Gathered, source: exp.Expr, pair: Pair) -> exp.Select:
    """Return the number ``n`` of groups in which some attribute would have two values; `source` stands for ``m``."""
    name, value = CompiledTerms(gathered.engine).text(gathered.cells[pair.first]), gathered.cells[pair.second]
    keys = [exp.column(key.name, table="m") for key in gathered.group_cells()]
    differ: list[exp.Expr] = [
        exp.NEQ(this=exp.Min(this=value.value.copy()), expression=exp.Max(this=value.value.copy()))
    ]
    if value.label is not None:
        label = value.label
        differ.append(exp.NEQ(this=exp.Min(this=label.copy()), expression=exp.Max(this=label.copy())))
        there = [exp.GT(this=exp.Count(this=t.copy()), expression=exp.Literal.number(0)) for t in (value.value, label)]
        differ.append(both(*there))
    several = exp.select(*keys, exp.alias_(name, "name_")).from_(source.copy()).group_by(*keys, name.copy())
    several = several.having(_either(differ))
    names: list[exp.Expr] = [exp.column(key.name) for key in keys] or [exp.alias_(exp.Literal.number(1), "one")]
    groups = exp.select(*names).distinct().from_(several.subquery("s")).subquery("g")
    return exp.select(exp.alias_(exp.Count(this=exp.Star()), "n")).from_(groups)


def records(gathered: Gathered) -> list[Pair]:
    """Return the pairs of names and values that aggregates make records of."""
    pairs = [a.value for a in gathered.grouping.aggregates if a.function in _SET and isinstance(a.value, Pair)]
    return [pair for pair in pairs if _is_record(pair, gathered.cells)]


def _union(engine: Engine, value: Term, cells: Mapping[Term, Cell]) -> Cell:
    terms = CompiledTerms(engine)
    if isinstance(value, Pair):
        first, second = cells[value.first], cells[value.second]
        if _is_record(value, cells):
            assert isinstance(second.type, Scalar)
            label = second.label if second.label is not None else exp.Cast(this=exp.Null(), to=sql_type(INTEGER))
            element = Scalar(second.type.name)
            entry = terms.text(second) if element == TEXT else second.value.copy()
            return Cell(RecordType(element), engine.function("record_of", terms.text(first), entry, label.copy()))
        pair = CompiledTerms(engine, known={value.first: first, value.second: second}).cell(value)
        assert isinstance(pair.type, PairType)
        return Cell(SetType(pair.type), engine.function("set_of", pair.value))
    single = CompiledTerms(engine, known={value: cells[value]}).without_label(cells[value])
    held_type = Scalar(single.type.name) if isinstance(single.type, Scalar) else single.type
    return Cell(
        SetType(held_type), engine.function("set_of", terms.text(single) if held_type == TEXT else single.value)
    )


def _side_by_side(
    gathered: Gathered, parts: list[exp.Select], results: dict[Term, Cell], keys: list[str]
) -> tuple[exp.Select, dict[Term, Cell]]:
    query = exp.select().from_(parts[0].subquery("g0"))
    for place, part in enumerate(parts[1:], start=1):
        same = both(*(null_safe(exp.column(k, table="g0"), exp.column(k, table=f"g{place}")) for k in keys))
        query = query.join(part.subquery(f"g{place}"), on=same, join_type="inner")
    cells = {term: _under(gathered.cells[term], "g0") for term in gathered.grouping.group}
    return query, {**cells, **results}


def _under(cell: Cell, alias: str) -> Cell:
    if isinstance(cell.type, RowType):
        return replace(cell, row=tuple((name, _under(part, alias)) for name, part in cell.row))
    value = exp.column(cell.value.name, table=alias)
    return replace(cell, value=value, label=None if cell.label is None else exp.column(cell.label.name, table=alias))


def maybe_groups(gathered: Gathered, source: exp.Expr) -> exp.Expr:
    """Return matches gathered into every group that they maybe belong to: groups overlap, a null matches anything.

    A complete match belongs to one complete group, found by equality; only what holds a null is compared with all.
    """
    group = [gathered.cells[term] for term in gathered.grouping.group]
    keys = [column.name for column in gathered.group_cells()]
    rest = [name for name in gathered.names if name not in keys]
    nulls = _nulls(gathered.engine, group)
    if not nulls:
        return source
    has_null = exp.paren(_either(nulls))
    groups = exp.select(*keys).distinct().from_(source.copy())
    terms = CompiledTerms(gathered.engine)
    columns = [exp.column(key, table="g") for key in keys] + [exp.column(name, table="m") for name in rest]

    def joined(g: exp.Select, m: exp.Select, on: exp.Expr) -> exp.Select:
        return exp.select(*columns).from_(g.subquery("g")).join(m.subquery("m"), on=on)

    everything = exp.select("*").from_(source.copy())
    complete = exp.Not(this=has_null.copy())
    same = both(*(terms.matching(_under(c, "g"), _under(c, "m")) for c in map(_certain, group)))
    maybe = both(*(_maybe(terms, _under(c, "g"), _under(c, "m")) for c in group))
    equal = joined(groups.where(complete), everything.where(complete), same)
    null_group = joined(groups.where(has_null), everything.copy(), maybe)
    null_match = joined(groups.where(complete), everything.where(has_null), maybe.copy())
    union = exp.union(exp.union(equal, null_group, distinct=False), null_match, distinct=False)
    return union.subquery("m")


def _maybe(terms: CompiledTerms, a: Cell, b: Cell) -> exp.Expr:
    if isinstance(a.type, RecordType):
        return terms.engine.function("maybe_same", a.value.copy(), b.value.copy())
    return terms.maybe_equal(a, b) if isinstance(a.type, RowType) else terms.matching(a, b)


def _certain(cell: Cell) -> Cell:
    if isinstance(cell.type, RowType):
        return replace(cell, row=tuple((name, _certain(part)) for name, part in cell.row))
    return replace(cell, label=None)


def _nulls(engine: Engine, cells: Sequence[Cell]) -> list[exp.Expr]:
    """Return the conditions under which a record of the group holds a null."""
    labels: list[exp.Expr] = []
    for cell in cells:
        if isinstance(cell.type, RecordType):
            labels.append(engine.function("holds_null", exp.column(cell.value.name)))
        elif isinstance(cell.type, RowType):
            labels += [not_null(exp.column(part.label.name)) for _, part in cell.row if part.label is not None]
    return labels


def head_record(term: Term) -> Term:
    """Return what a head argument stores: an unpacked record is stored as the record."""
    return term.record if isinstance(term, Unpack) else term
