"""From SQL to a question: the text is read, checked against the policy, and forgotten. No engine ever sees it."""

from __future__ import annotations

from sqlglot import exp

from tacita.queries.cube.cube import Cube
from tacita.queries.language.canonical import canonical_question
from tacita.queries.language.conditions import condition
from tacita.queries.language.figures import figure
from tacita.queries.language.grouping import SelectedGroup, grouping
from tacita.queries.language.reading import tree
from tacita.queries.language.refusing import QuestionText
from tacita.queries.language.scope import QuestionScope, scope_of
from tacita.queries.language.spelling import shown, sql_name
from tacita.queries.question import EVERYTHING, AskedStatistic, DataQuestion, Predicate

MOST_FIGURES = 100
LONGEST_LABEL = 60


def parse_question(text: str, cube: Cube) -> DataQuestion:
    """Return the question that a text asks of a cube.

    The language is a subset of SQL: ``SELECT groups, figures FROM name [LEFT JOIN name USING (key)] [WHERE conditions]
    [GROUP BY attributes]``, with ROLLUP, CUBE and GROUPING SETS. Two spellings of one question give equal values.

    Raises `QueryRefused` for everything that is outside of the language or of the policy, with the reason, the place in
    the text, and the nearest thing that is allowed. Nothing that is refused or accepted depends on a record.
    """
    question = QuestionText(text)
    try:
        return _parsed(question, cube)
    except RecursionError:  # the caller is deep in calls of its own; otherwise the limits are far below
        raise question.refused("the question is nested too deeply", "write simpler conditions") from None


def _parsed(question: QuestionText, cube: Cube) -> DataQuestion:
    select = tree(question)
    question.only(select, "expressions", "from_", "joins", "where", "group", *_refused_parts(question, select))
    scope = scope_of(question, select, cube)
    shown_groups, aggregates, labels = _selected(scope, select)
    groups, levels = grouping(scope, select, shown_groups)
    where = select.args.get("where")
    predicate: Predicate = EVERYTHING
    if where is not None:
        question.only(where, "this")
        predicate = condition(scope, where.this)
    return canonical_question(DataQuestion(aggregates, predicate, groups, labels, levels), cube)


def _refused_parts(question: QuestionText, select: exp.Select) -> tuple[str, ...]:
    if select.args.get("distinct"):
        raise question.refused("records are not shown", "ask by groups: GROUP BY attribute", select)
    return ()


def _selected(
    scope: QuestionScope, select: exp.Select
) -> tuple[list[SelectedGroup], tuple[AskedStatistic, ...], tuple[str, ...]]:
    """Return the groups that SELECT names, with their places, the figures, and what these are called."""
    groups: list[SelectedGroup] = []
    aggregates: list[AskedStatistic] = []
    labels: list[str] = []
    for place, node in enumerate(select.expressions, 1):
        label = ""
        inner = node
        if isinstance(node, exp.Alias):
            scope.question.only(node, "this", "alias")
            inner, label = node.this, _label(scope, node)
        inner = inner.unnest()
        if isinstance(inner, exp.Star) or (isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)):
            raise scope.question.refused("records are not shown", "write COUNT(*), or another figure", node)
        if isinstance(inner, exp.Column):
            name = _group(scope, inner)
            if label not in ("", name):
                do = f"write {sql_name(name)} without AS"
                raise scope.question.refused(f"the group '{name}' keeps its name in the answer", do, node)
            groups.append(SelectedGroup(place, name, node))
        else:
            aggregates.append(figure(scope, inner))
            labels.append(label or aggregates[-1].name)
    if not aggregates:
        raise scope.question.refused("the question asks for no figure", "add one, such as COUNT(*)", select)
    if len(aggregates) > MOST_FIGURES:
        raise scope.question.refused(f"more than {MOST_FIGURES} figures are asked for", "ask for fewer", select)
    _check_labels(scope, select, [one.name for one in groups], labels)
    return groups, tuple(aggregates), tuple(labels)


def _group(scope: QuestionScope, node: exp.Expr) -> str:
    return scope.attribute(node, is_grouped=True).name


def _label(scope: QuestionScope, node: exp.Alias) -> str:
    label = node.alias
    if not label or len(label) > LONGEST_LABEL or not label.isprintable():
        do = f"write AS name with 1 to {LONGEST_LABEL} printable characters"
        raise scope.question.refused("a figure cannot be called so", do, node)
    return label


def _check_labels(scope: QuestionScope, select: exp.Select, groups: list[str], labels: list[str]) -> None:
    seen = set(groups)
    for label in labels:
        if label in seen:
            do = "ask for each figure once, and give each a name of its own with AS"
            raise scope.question.refused(f"two parts of the answer are called {shown(label)}", do, select)
        seen.add(label)
